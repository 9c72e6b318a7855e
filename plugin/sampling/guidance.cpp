#include "plugin/sampling/guidance.hpp"

#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

at::Tensor guide(const at::Tensor& prediction, double scale, double rescale) {
    const auto halves = at::chunk(prediction, 2);
    const at::Tensor& unconditional = halves[0];
    const at::Tensor& conditional = halves[1];
    const at::Tensor guided = unconditional + (conditional - unconditional) * scale;
    if (rescale <= 0) {
        return guided;
    }
    using tensor::kernels::deviation;
    const at::Tensor rescaled = guided * (deviation(conditional) / deviation(guided));
    return rescaled * rescale + guided * (1 - rescale);
}

}  // namespace lowtide::sampling
