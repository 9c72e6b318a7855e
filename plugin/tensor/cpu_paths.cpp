#include "plugin/tensor/cpu_paths.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/simd/amx.hpp"

#include <ATen/ATen.h>
#include <ATen/Version.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>

namespace lowtide::tensor {

namespace {

/// An operator: its name in texts, and its path.
struct NamedPath {
    const char* name;
    CpuPath CpuPaths::*path;
};

constexpr std::array<NamedPath, 4> kOperators = {{{"convolution", &CpuPaths::convolution},
                                                  {"attention", &CpuPaths::attention},
                                                  {"norm", &CpuPaths::groupNorm},
                                                  {"product", &CpuPaths::product}}};
constexpr std::array<const char*, 4> kPathNames = {"plain", "avx2", "avx512", "amx"};

/// Of the process, because operators are: as ATen's own choice of instructions. Set once, at the
/// start of the module.
std::atomic<CpuPaths>& chosen() {
    static std::atomic<CpuPaths> paths = defaultCpuPaths();
    return paths;
}

const char* pathName(CpuPath path) {
    return kPathNames[static_cast<size_t>(path)];
}

std::vector<CpuPath> pathsOf(CpuPath CpuPaths::*path) {
    return path == &CpuPaths::product ? possibleProductPaths() : possibleCpuPaths();
}

/// Whether a product by tiles, cut everywhere, is near float64's. A processor or an emulator that
/// gives something else is not used.
bool areTilesRight() {
    constexpr int64_t kRows = 35, kIn = 70, kOut = 45;
    constexpr double kMost = 1e-5;
    const at::Tensor x = at::arange(kRows * kIn, at::kFloat).sin_().view({kRows, kIn});
    const at::Tensor weight =
        at::arange(kOut * kIn, at::kFloat).cos_().view({kOut, kIn}).to(at::kBFloat16);
    const at::Tensor result = at::empty({kRows, kOut});
    const simd::LinearPieces& pieces = simd::amxLinearPieces();
    const at::Tensor memory = at::empty({pieces.numbersOfThread});
    const simd::Linear work{
        .rows = kRows,
        .in = kIn,
        .out = kOut,
        .x = x.const_data_ptr<float>(),
        .xRow = kIn,
        .weight = {.data = weight.const_data_ptr(), .type = simd::WeightType::BF16},
        .weightRow = kIn,
        .result = result.mutable_data_ptr<float>()};
    const simd::LinearCut cut = simd::cutLinear(work, pieces, 1);
    pieces.multiply(work, cut, 0, cut.parts, memory.mutable_data_ptr<float>());
    const at::Tensor exact = at::linear(x.to(at::kDouble), weight.to(at::kDouble));
    const auto* const numbers = result.const_data_ptr<float>();
    return std::equal(
        numbers, numbers + result.numel(), exact.const_data_ptr<double>(), [](float a, double b) {
            return std::abs(a - b) < kMost;
        });
}

bool canMultiplyTiles() {
    static const bool can = simd::canUseTiles() && areTilesRight();
    return can;
}

}  // namespace

std::vector<CpuPath> possibleCpuPaths() {
    const std::string capability = at::get_cpu_capability();
    if (capability == "AVX512") {
        return {CpuPath::Plain, CpuPath::Avx2, CpuPath::Avx512};
    }
    if (capability == "AVX2") {
        return {CpuPath::Plain, CpuPath::Avx2};
    }
    return {CpuPath::Plain};
}

std::vector<CpuPath> possibleProductPaths() {
    std::vector<CpuPath> paths = possibleCpuPaths();
    if (paths.back() == CpuPath::Avx512 && canMultiplyTiles()) {
        paths.push_back(CpuPath::Amx);
    }
    return paths;
}

CpuPaths defaultCpuPaths() {
    CpuPaths paths;
    for (const NamedPath& one : kOperators) {
        paths.*one.path = pathsOf(one.path).back();
    }
    return paths;
}

CpuPaths cpuPaths() noexcept {
    return chosen().load(std::memory_order_relaxed);
}

bool canRun(const CpuPaths& paths) {
    return std::all_of(kOperators.begin(), kOperators.end(), [&](const NamedPath& one) {
        const std::vector<CpuPath> possible = pathsOf(one.path);
        return std::find(possible.begin(), possible.end(), paths.*one.path) != possible.end();
    });
}

void setCpuPaths(const CpuPaths& paths) {
    if (!canRun(paths)) {
        throw Error(ErrorKind::InvalidInput,
                    message("this processor cannot run its operators as {}", toText(paths)),
                    message("measure it again: lowtide calibrate"));
    }
    chosen().store(paths, std::memory_order_relaxed);
}

std::string toText(const CpuPaths& paths) {
    std::string text;
    for (const NamedPath& one : kOperators) {
        text +=
            (text.empty() ? "" : ", ") + std::string(one.name) + " " + pathName(paths.*one.path);
    }
    return text;
}

std::optional<CpuPaths> parseCpuPaths(std::string_view text) {
    CpuPaths paths;
    for (const NamedPath& one : kOperators) {
        const size_t name = text.find(one.name);
        if (name == std::string_view::npos) {
            return std::nullopt;
        }
        const std::string_view rest = text.substr(name + std::string_view(one.name).size());
        for (size_t path = 0; path < kPathNames.size(); ++path) {
            if (rest.starts_with(" " + std::string(kPathNames[path]))) {
                paths.*one.path = static_cast<CpuPath>(path);
            }
        }
    }
    return toText(paths) == text ? std::optional(paths) : std::nullopt;
}

namespace {

constexpr int kRounds = 5;
constexpr double kClearly = 0.9;  ///< of the default's time

/// Of all threads of the process.
double cpuSeconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// The fastest path of one operator, which `run` runs, of those `possible`. All paths in turn, so
/// that what else the machine does meets all of them.
CpuPath fastest(CpuPath CpuPaths::*path,
                const std::vector<CpuPath>& possible,
                const std::function<void()>& run) {
    std::vector<double> least(possible.size(), std::numeric_limits<double>::infinity());
    for (int round = 0; round <= kRounds; ++round) {
        for (size_t i = 0; i < possible.size(); ++i) {
            CpuPaths paths = defaultCpuPaths();
            paths.*path = possible[i];
            const CpuPathsScope scope(paths);
            const double start = cpuSeconds();
            run();
            const double seconds = cpuSeconds() - start;
            least[i] = round == 0 ? least[i] : std::min(least[i], seconds);  // the first warms up
        }
    }
    const size_t best =
        static_cast<size_t>(std::min_element(least.begin(), least.end()) - least.begin());
    return least[best] < kClearly * least.back() ? possible[best] : possible.back();
}

}  // namespace

CpuPaths measureCpuPaths() {
    // The sizes of a UNet of Stable Diffusion at 512x512 where most of its time goes.
    const at::Tensor x = at::randn({2, 320, 32, 32}).contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor weight = at::randn({320, 320, 3, 3});
    const at::Tensor bias = at::randn({320});
    const at::Tensor rows = at::randn({1, 1024, 8, 40}).transpose(1, 2);
    const at::Tensor inner = at::randn({1024, 640});
    const at::Tensor halves = at::randn({640, 640}).to(at::kHalf);
    const std::vector<CpuPath> all = possibleCpuPaths();
    std::vector<CpuPath> ofProducts = possibleProductPaths();
    ofProducts.erase(ofProducts.begin());  // ATen has none of weights in 16 bits
    return {
        .convolution = fastest(&CpuPaths::convolution,
                               all,
                               [&] { static_cast<void>(kernels::conv2d(x, weight, bias, 1, 1)); }),
        .attention =
            fastest(&CpuPaths::attention,
                    all,
                    [&] { static_cast<void>(kernels::attention(rows, rows, rows, false)); }),
        .groupNorm = fastest(
            &CpuPaths::groupNorm,
            all,
            [&] { static_cast<void>(kernels::activatedNorm(x, {}, 32, bias, bias, 1e-5)); }),
        .product =
            ofProducts.empty() ? CpuPath::Plain : fastest(&CpuPaths::product, ofProducts, [&] {
                static_cast<void>(kernels::linear(inner, halves, {}));
            })};
}

}  // namespace lowtide::tensor
