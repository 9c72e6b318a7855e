#pragma once
// The function that stood for a network when ComfyUI's runs were recorded.

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace lowtide::testing {

inline constexpr double kToyPositive = 1;  ///< conditioning of the function
inline constexpr double kToyNegative = -0.5;

/// Clean latents that depend on position, level and prompt. Shapes: [B, C, h, w] or [B, C, F, h,
/// w].
inline at::Tensor toyClean(const at::Tensor& latents, double sigma, double prompt) {
    const int64_t spatial = latents.dim() - 1;
    const std::vector<int64_t> weights =
        spatial == 3 ? std::vector<int64_t>{7, 3, 5} : std::vector<int64_t>{7, 2, 3, 5};
    at::Tensor positions = at::zeros({1}, at::kLong);
    for (int64_t d = 0; d < spatial; ++d) {
        std::vector<int64_t> shape(static_cast<size_t>(spatial), 1);
        shape[static_cast<size_t>(d)] = latents.size(d + 1);
        positions = positions + at::arange(latents.size(d + 1), at::kLong).view(shape) *
                                    weights[static_cast<size_t>(d)];
    }
    const at::Tensor pattern = at::remainder(positions, 11).to(at::kFloat) / 11.0 - 0.5;
    const double weight = 1 / (1 + sigma * sigma);
    return latents * weight + (at::tanh(latents / (1 + sigma) + pattern * prompt) * 0.6 +
                               0.2 * prompt - pattern * 0.1) *
                                  (1 - weight);
}

}  // namespace lowtide::testing
