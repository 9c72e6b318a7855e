#include "plugin/tensor/column_convolution.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

namespace lowtide::tensor::own {

namespace {

constexpr int64_t kNumbersAtOnce = 1 << 20;
constexpr int64_t kLeastPixels = 64;  ///< rows with which a product keeps its speed
constexpr int64_t kNumbersOfThread = 1 << 15;

struct Columns {
    const float* pixels = nullptr;
    int64_t channels = 0;
    int64_t height = 0;
    int64_t width = 0;
    int64_t pixelStep = 0;
    int64_t kernel = 0;
    int64_t stride = 1;
    int64_t padding = 0;
    int64_t outHeight = 0;
    int64_t outWidth = 0;

    [[nodiscard]] int64_t rowNumbers() const { return channels * kernel * kernel; }
};

/// The row of one pixel of the result: channels, then the kernel's rows and columns, as weights
/// lie.
void fillRow(const Columns& work, int64_t pixel, float* row) {
    const int64_t ofPicture = pixel % (work.outHeight * work.outWidth);
    const int64_t picture = pixel / (work.outHeight * work.outWidth);
    const int64_t top = ofPicture / work.outWidth * work.stride - work.padding;
    const int64_t left = ofPicture % work.outWidth * work.stride - work.padding;
    const int64_t area = work.kernel * work.kernel;
    for (int64_t place = 0; place < area; ++place) {
        const int64_t y = top + place / work.kernel;
        const int64_t x = left + place % work.kernel;
        const bool isInside = y >= 0 && y < work.height && x >= 0 && x < work.width;
        const float* source =
            work.pixels + ((picture * work.height + y) * work.width + x) * work.pixelStep;
        for (int64_t channel = 0; channel < work.channels; ++channel) {
            row[channel * area + place] = isInside ? source[channel] : 0.0F;
        }
    }
}

int64_t pixelsAtOnce(const at::Tensor& weight) {
    return std::max(kLeastPixels, kNumbersAtOnce / (weight.numel() / weight.size(0)));
}

}  // namespace

int64_t columnNumbers(const at::Tensor& weight) {
    return pixelsAtOnce(weight) * (weight.numel() / weight.size(0));
}

at::Tensor convolveByColumns(const at::Tensor& x,
                             const at::Tensor& weight,
                             const std::optional<at::Tensor>& bias,
                             int64_t stride,
                             int64_t padding) {
    const int64_t kernel = weight.size(2);
    const auto side = [&](int64_t axis) {
        return (x.size(axis) + 2 * padding - kernel) / stride + 1;
    };
    const Columns work{.pixels = x.const_data_ptr<float>(),
                       .channels = x.size(1),
                       .height = x.size(2),
                       .width = x.size(3),
                       .pixelStep = x.stride(3),
                       .kernel = kernel,
                       .stride = stride,
                       .padding = padding,
                       .outHeight = side(2),
                       .outWidth = side(3)};
    at::Tensor result = at::empty({x.size(0), weight.size(0), work.outHeight, work.outWidth},
                                  x.options(),
                                  at::MemoryFormat::ChannelsLast);
    const at::Tensor rows = result.permute({0, 2, 3, 1}).view({-1, weight.size(0)});
    const at::Tensor matrix = weight.flatten(1).t();  // [C k k, O]
    const int64_t atOnce = pixelsAtOnce(weight);
    const at::Tensor columns = at::empty({atOnce, work.rowNumbers()}, x.options());
    float* const memory = columns.mutable_data_ptr<float>();
    const int64_t grain = std::max<int64_t>(1, kNumbersOfThread / work.rowNumbers());
    for (int64_t begin = 0; begin < rows.size(0); begin += atOnce) {
        const int64_t count = std::min(atOnce, rows.size(0) - begin);
        at::parallel_for(0, count, grain, [&](int64_t first, int64_t last) {
            for (int64_t pixel = first; pixel < last; ++pixel) {
                fillRow(work, begin + pixel, memory + pixel * work.rowNumbers());
            }
        });
        at::Tensor part = rows.narrow(0, begin, count);
        const at::Tensor below = columns.narrow(0, 0, count);
        bias ? at::addmm_out(part, *bias, below, matrix) : at::mm_out(part, below, matrix);
    }
    return result;
}

}  // namespace lowtide::tensor::own
