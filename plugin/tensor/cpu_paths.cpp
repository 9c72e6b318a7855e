#include "plugin/tensor/cpu_paths.hpp"

#include "plugin/base/error.hpp"

#include <ATen/Version.h>

#include <algorithm>
#include <array>
#include <atomic>

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
                    "this processor cannot run its operators as " + toText(paths),
                    "measure it again: lowtide calibrate");
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

}  // namespace lowtide::tensor
