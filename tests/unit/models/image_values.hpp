#pragma once
// Images, masks and stages on them, for tests of image to image and inpainting.

#include "plugin/tensor/stage_values.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <ATen/core/Tensor.h>

#include <optional>

namespace lowtide::testing {

inline constexpr const char* kMini = "builtin:mini";

[[nodiscard]] nodes::WireRef imageOf(const at::Tensor& pixels);
[[nodiscard]] nodes::WireRef maskOf(const at::Tensor& values);
/// Zeros.
[[nodiscard]] nodes::WireRef latentOf(at::IntArrayRef shape);
[[nodiscard]] const tensor::Latents& latentsOf(const nodes::WireRef& value);

/// Smooth waves, [batch, 3, height, width].
[[nodiscard]] at::Tensor testImage(int64_t height, int64_t width, int64_t batch = 1);
/// 1 in the left half, [1, 1, height, width].
[[nodiscard]] at::Tensor leftHalf(int64_t height, int64_t width);

[[nodiscard]] nodes::WireRef encode(ModelBench& bench,
                                    const ImageEncodeRequest& request,
                                    const std::optional<nodes::StageCall>& call = {});
[[nodiscard]] nodes::WireRef denoise(ModelBench& bench,
                                     const DenoiseRequest& request,
                                     const std::optional<nodes::StageCall>& call = {});

/// A request that goes on with a latent of 32 x 16 pixels at half strength, with mask and masked
/// image where the model wants them.
[[nodiscard]] DenoiseRequest imageRequest(const nodes::WireRef& model);
/// What is known of that request's wires before the run.
[[nodiscard]] DenoiseShapes shapesOf(const DenoiseRequest& request);

}  // namespace lowtide::testing
