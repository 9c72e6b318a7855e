#include "plugin/nn/denoisers/modulation.hpp"

#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

at::Tensor modulatedPart(const at::Tensor& part,
                         const at::Tensor& shift,
                         const at::Tensor& factor,
                         double epsilon) {
    return tensor::kernels::layerNorm(part.to(at::kFloat), {}, {}, epsilon)
        .mul_(factor)
        .add_(shift);
}

at::Tensor modulatedNorm(const at::Tensor& hidden,
                         const at::Tensor& shift,
                         const at::Tensor& scale,
                         double epsilon) {
    const at::Tensor factor = scale + 1;
    at::Tensor result = at::empty_like(hidden);
    forTokens(hidden.size(1), [&](int64_t first, int64_t count) {
        result.narrow(1, first, count)
            .copy_(modulatedPart(hidden.narrow(1, first, count), shift, factor, epsilon));
    });
    return result;
}

void addGated(const at::Tensor& hidden, const at::Tensor& added, const at::Tensor& gate) {
    forTokens(hidden.size(1), [&](int64_t first, int64_t count) {
        const at::Tensor part = hidden.narrow(1, first, count);
        part.copy_((added.narrow(1, first, count).to(at::kFloat) * gate).add_(part));
    });
}

}  // namespace lowtide::models
