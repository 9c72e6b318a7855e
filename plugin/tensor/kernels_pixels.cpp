#include "plugin/base/error.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

namespace lowtide::tensor::kernels {

namespace {

/// The place below `count` that a mirror at both ends shows at `place`.
int64_t mirrored(int64_t place, int64_t count) {
    const int64_t period = std::max<int64_t>(2 * (count - 1), 1);
    place %= period;
    return place < count ? place : period - place;
}

/// Slices, not an index: the same on every device, and on shapes alone.
at::Tensor extended(const at::Tensor& x, int64_t axis, int64_t more) {
    if (more == 0) {
        return x;
    }
    const int64_t count = x.size(axis);
    std::vector<at::Tensor> parts{x};
    for (int64_t place = count; place < count + more; ++place) {
        parts.push_back(x.narrow(axis, mirrored(place, count), 1));
    }
    return at::cat(parts, axis);
}

}  // namespace

at::Tensor pixelUnshuffle(const at::Tensor& x, int64_t factor) {
    LOWTIDE_ASSERT(x.dim() == 4 && x.size(2) % factor == 0 && x.size(3) % factor == 0);
    if (factor == 1) {
        return x;
    }
    const int64_t height = x.size(2) / factor;
    const int64_t width = x.size(3) / factor;
    return x.reshape({x.size(0), x.size(1), height, factor, width, factor})
        .permute({0, 1, 3, 5, 2, 4})  // [B, C, H, f, W, f] -> [B, C, f, f, H, W]
        .reshape({x.size(0), x.size(1) * factor * factor, height, width});
}

at::Tensor padReflected(const at::Tensor& x, int64_t right, int64_t bottom) {
    LOWTIDE_ASSERT(x.dim() >= 2 && right >= 0 && bottom >= 0);
    return extended(extended(x, x.dim() - 1, right), x.dim() - 2, bottom);
}

}  // namespace lowtide::tensor::kernels
