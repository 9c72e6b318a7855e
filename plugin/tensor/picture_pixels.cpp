#include "plugin/tensor/picture_pixels.hpp"

#include "plugin/base/error.hpp"

#include <ATen/ATen.h>

namespace lowtide::tensor {

namespace {

constexpr int kAlphaChannels = 4;
constexpr float kFullLevel = 255;

/// Level of `channel` at every pixel, divided by 255, into `target`.
void copyLevels(const Image8& picture, int channel, float* target) {
    const auto count =
        static_cast<size_t>(picture.widthPixels) * static_cast<size_t>(picture.heightPixels);
    const auto stride = static_cast<size_t>(picture.channels);
    const uint8_t* source = picture.pixels.get() + channel;
    for (size_t i = 0; i < count; ++i) {
        target[i] = static_cast<float>(source[i * stride]) / kFullLevel;
    }
}

at::Tensor emptyPlanes(const Image8& picture, int64_t count) {
    return at::empty({1, count, picture.heightPixels, picture.widthPixels}, at::kFloat);
}

}  // namespace

at::Tensor pixelsOf(const Image8& picture) {
    LOWTIDE_ASSERT(picture.channels == 1 || picture.channels >= kPictureChannels);
    at::Tensor pixels = emptyPlanes(picture, kPictureChannels);
    auto* target = pixels.mutable_data_ptr<float>();
    for (int channel = 0; channel < kPictureChannels; ++channel) {
        copyLevels(picture, picture.channels == 1 ? 0 : channel, target);
        target += pixels.stride(1);
    }
    return pixels;
}

at::Tensor transparencyOf(const Image8& picture) {
    at::Tensor values = emptyPlanes(picture, 1);
    if (picture.channels != kAlphaChannels) {
        return values.zero_();
    }
    copyLevels(picture, kAlphaChannels - 1, values.mutable_data_ptr<float>());
    return values.neg_().add_(1);
}

}  // namespace lowtide::tensor
