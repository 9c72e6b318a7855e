#include "plugin/sampling/inpainting.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

at::Tensor blended(const at::Tensor& mask, const at::Tensor& made, const at::Tensor& kept) {
    return (1 - mask) * kept + mask * made;
}

at::Tensor channelsBeside(const at::Tensor& mask, const at::Tensor& masked, int64_t batch) {
    const auto forBatch = [&](const at::Tensor& part) {
        return part.expand({batch, part.size(1), part.size(2), part.size(3)});
    };
    return at::cat({forBatch(mask), forBatch(masked)}, 1);
}

}  // namespace lowtide::sampling
