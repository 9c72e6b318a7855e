#include "plugin/nn/image_prompts/clip_pixels.hpp"

#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/picture_resize.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr double kLevels = 255;

/// Of the channels, as they stand in every preprocessor_config.json of CLIP.
constexpr float kClipMean[] = {0.48145466F, 0.4578275F, 0.40821073F};
constexpr float kClipDeviation[] = {0.26862954F, 0.26130258F, 0.27577711F};

at::Tensor clipChannels(const float (&values)[3], const at::Tensor& like) {
    return tensor::upload(at::tensor(at::ArrayRef<float>(values), at::kFloat).view({1, 3, 1, 1}),
                          like.device());
}

}  // namespace

at::Tensor clipPixels(const at::Tensor& pictures, int64_t side) {
    const int64_t height = pictures.size(2);
    const int64_t width = pictures.size(3);
    const int64_t shorter = std::min(height, width);
    const at::Tensor small = tensor::resizedPicture(pictures,
                                                    side * height / shorter,
                                                    side * width / shorter,
                                                    tensor::kernels::Resample::Bicubic);
    const at::Tensor middle = small.narrow(2, (small.size(2) - side) / 2, side)
                                  .narrow(3, (small.size(3) - side) / 2, side);
    // As the reference rounds: levels by 1 / 255 in f64, then f32.
    const at::Tensor scaled =
        (middle * kLevels).round_().to(at::kDouble).mul_(1 / kLevels).to(at::kFloat);
    return (scaled - clipChannels(kClipMean, scaled)).div_(clipChannels(kClipDeviation, scaled));
}

}  // namespace lowtide::models
