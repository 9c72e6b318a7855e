#include "plugin/tensor/path_speeds.hpp"

#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <limits>

namespace lowtide::tensor {

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
