#include "plugin/sampling/guidance.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

/// One deviation per picture, [B, 1, 1, 1].
at::Tensor deviation(const at::Tensor& prediction) {
    return at::std(prediction, at::IntArrayRef{1, 2, 3}, /*unbiased=*/true, /*keepdim=*/true);
}

}  // namespace

at::Tensor guide(const at::Tensor& prediction, double scale, double rescale) {
    const auto halves = at::chunk(prediction, 2);
    const at::Tensor& unconditional = halves[0];
    const at::Tensor& conditional = halves[1];
    const at::Tensor guided = unconditional + (conditional - unconditional) * scale;
    if (rescale <= 0) {
        return guided;
    }
    const at::Tensor rescaled = guided * (deviation(conditional) / deviation(guided));
    return rescaled * rescale + guided * (1 - rescale);
}

}  // namespace lowtide::sampling
