#include "plugin/tensor/cpu_paths.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>
#include <ATen/Version.h>

#include <algorithm>
#include <array>
#include <atomic>
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

constexpr std::array<NamedPath, 3> kOperators = {{{"convolution", &CpuPaths::convolution},
                                                  {"attention", &CpuPaths::attention},
                                                  {"norm", &CpuPaths::groupNorm}}};
constexpr std::array<const char*, 3> kPathNames = {"plain", "avx2", "avx512"};

/// Of the process, because operators are: as ATen's own choice of instructions. Set once, at the
/// start of the module.
std::atomic<CpuPaths>& chosen() {
    static std::atomic<CpuPaths> paths = defaultCpuPaths();
    return paths;
}

const char* pathName(CpuPath path) {
    return kPathNames[static_cast<size_t>(path)];
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

CpuPaths defaultCpuPaths() {
    const CpuPath newest = possibleCpuPaths().back();
    return {.convolution = newest, .attention = newest, .groupNorm = newest};
}

CpuPaths cpuPaths() noexcept {
    return chosen().load(std::memory_order_relaxed);
}

bool canRun(const CpuPaths& paths) {
    const std::vector<CpuPath> possible = possibleCpuPaths();
    return std::all_of(kOperators.begin(), kOperators.end(), [&](const NamedPath& one) {
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
    constexpr CpuPath kAll[] = {CpuPath::Plain, CpuPath::Avx2, CpuPath::Avx512};
    for (const CpuPath convolution : kAll) {  // few enough to write all of them down
        for (const CpuPath attention : kAll) {
            for (const CpuPath groupNorm : kAll) {
                const CpuPaths paths{convolution, attention, groupNorm};
                if (toText(paths) == text) {
                    return paths;
                }
            }
        }
    }
    return std::nullopt;
}

namespace {

constexpr int kRounds = 5;
constexpr double kClearly = 0.9;  ///< of the default's time

/// Of all threads of the process.
double cpuSeconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// The fastest path of one operator, which `run` runs. All paths in turn, so that what else the
/// machine does meets all of them.
CpuPath fastest(CpuPath CpuPaths::*path, const std::function<void()>& run) {
    const std::vector<CpuPath> possible = possibleCpuPaths();
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
    return {
        .convolution = fastest(&CpuPaths::convolution,
                               [&] { static_cast<void>(kernels::conv2d(x, weight, bias, 1, 1)); }),
        .attention =
            fastest(&CpuPaths::attention,
                    [&] { static_cast<void>(kernels::attention(rows, rows, rows, false)); }),
        .groupNorm = fastest(&CpuPaths::groupNorm, [&] {
            static_cast<void>(kernels::activatedNorm(x, {}, 32, bias, bias, 1e-5));
        })};
}

}  // namespace lowtide::tensor
