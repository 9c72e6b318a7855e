#include "plugin/tensor/image_pixels.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/resample.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace lowtide::tensor {

namespace {

constexpr int kAlphaChannels = 4;

/// Level of `channel` at every pixel as a fraction of the highest one, into `target`.
template <class Image>
void copyLevels(const Image& image, int channel, float* target) {
    using Level = std::remove_cvref_t<decltype(image.pixels[0])>;
    constexpr auto kFullLevel = static_cast<float>(std::numeric_limits<Level>::max());
    const auto count =
        static_cast<size_t>(image.widthPixels) * static_cast<size_t>(image.heightPixels);
    const auto stride = static_cast<size_t>(image.channels);
    const Level* source = image.pixels.get() + channel;
    for (size_t i = 0; i < count; ++i) {
        target[i] = static_cast<float>(source[i * stride]) / kFullLevel;
    }
}

template <class Image>
at::Tensor emptyPlanes(const Image& image, int64_t count) {
    return at::empty({1, count, image.heightPixels, image.widthPixels}, at::kFloat);
}

template <class Image>
at::Tensor coloursOf(const Image& image) {
    LOWTIDE_ASSERT(image.channels == 1 || image.channels >= kImageChannels);
    at::Tensor pixels = emptyPlanes(image, kImageChannels);
    auto* target = pixels.template mutable_data_ptr<float>();
    for (int channel = 0; channel < kImageChannels; ++channel) {
        copyLevels(image, image.channels == 1 ? 0 : channel, target);
        target += pixels.stride(1);
    }
    return pixels;
}

template <class Image>
at::Tensor clearnessOf(const Image& image) {
    at::Tensor values = emptyPlanes(image, 1);
    if (image.channels != kAlphaChannels) {
        return values.zero_();
    }
    copyLevels(image, kAlphaChannels - 1, values.template mutable_data_ptr<float>());
    return values.neg_().add_(1);
}

}  // namespace

at::Tensor pixelsOf(const image::DecodedImage& image) {
    return image.deep ? coloursOf(*image.deep) : coloursOf(image.image);
}

void putFrame(const at::Tensor& frames, int64_t index, const Image8& frame) {
    LOWTIDE_ASSERT(frame.channels == kImageChannels && frame.heightPixels == frames.size(2) &&
                   frame.widthPixels == frames.size(3));
    for (int channel = 0; channel < kImageChannels; ++channel) {
        copyLevels(
            frame, channel, frames.select(0, index).select(0, channel).mutable_data_ptr<float>());
    }
}

at::Tensor transparencyOf(const image::DecodedImage& image) {
    return image.deep ? clearnessOf(*image.deep) : clearnessOf(image.image);
}

at::Tensor planeOf(const Image8& image) {
    constexpr double kMost = 255;
    const auto count = static_cast<int64_t>(image.channels);
    at::Tensor plane = at::empty({1, 1, image.heightPixels, image.widthPixels}, at::kFloat);
    float* values = plane.mutable_data_ptr<float>();
    for (int64_t i = 0; i < plane.numel(); ++i) {
        values[i] = static_cast<float>(image.pixels[static_cast<size_t>(i * count)] / kMost);
    }
    return plane;
}

namespace {

constexpr double kEightBitLevels = 255;
constexpr double kCoefficientUnit = 1 << 22;  ///< Pillow's weights are whole numbers of it
constexpr int64_t kRowsOfImage = 2;
constexpr int64_t kColumnsOfImage = 3;

/// Pillow's whole weights, [source, target]; sums of their products with levels are exact in f64.
at::Tensor wholeWeights(int64_t source, int64_t target, kernels::Resample filter) {
    at::Tensor matrix = at::zeros({source, target}, at::kDouble);
    double* values = matrix.mutable_data_ptr<double>();
    int64_t column = 0;
    forEachTarget(source, target, filter, [&](int64_t first, std::span<const double> weights) {
        for (size_t i = 0; i < weights.size(); ++i) {
            const double whole = weights[i] * kCoefficientUnit;
            values[(first + static_cast<int64_t>(i)) * target + column] =
                std::trunc(whole < 0 ? whole - 0.5 : whole + 0.5);
        }
        ++column;
    });
    return matrix;
}

/// Along the last axis.
at::Tensor resizedLevels(const at::Tensor& levels, int64_t target, kernels::Resample filter) {
    const at::Tensor weights =
        upload(wholeWeights(levels.size(kColumnsOfImage), target, filter), levels.device());
    at::Tensor sums = at::matmul(levels, weights);
    return sums.add_(kCoefficientUnit / 2)
        .div_(kCoefficientUnit)
        .floor_()
        .clamp_(0, kEightBitLevels);
}

}  // namespace

at::Tensor resizedImage(const at::Tensor& pixels,
                        int64_t height,
                        int64_t width,
                        kernels::Resample filter) {
    LOWTIDE_ASSERT(pixels.dim() == 4 && height > 0 && width > 0);
    if (pixels.size(kRowsOfImage) == height && pixels.size(kColumnsOfImage) == width) {
        return pixels;
    }
    at::Tensor levels =
        (pixels * kEightBitLevels).round_().clamp_(0, kEightBitLevels).to(at::kDouble);
    const auto bring = [&](int64_t axis, int64_t length) {
        if (levels.size(axis) != length) {
            levels = resizedLevels(levels.transpose(axis, kColumnsOfImage), length, filter)
                         .transpose(axis, kColumnsOfImage);
        }
    };
    const int64_t rowsLess = levels.size(kRowsOfImage) - height;
    if (rowsLess > 0 && rowsLess > 2 * (levels.size(kColumnsOfImage) - width)) {
        bring(kRowsOfImage, height);
        bring(kColumnsOfImage, width);
    } else {
        bring(kColumnsOfImage, width);
        bring(kRowsOfImage, height);
    }
    return (levels.to(at::kFloat) / kEightBitLevels).contiguous();
}

}  // namespace lowtide::tensor
