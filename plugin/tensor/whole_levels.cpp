#include "plugin/tensor/whole_levels.hpp"

#include <ATen/ATen.h>

namespace lowtide::tensor {

at::Tensor levelsOf(const at::Tensor& values) {
    constexpr double kAccuracy = 1e-3;
    const at::Tensor levels = values.to(at::kDouble).mul_(255);
    const at::Tensor whole = at::round(levels);
    const at::Tensor rest = whole - levels;
    return levels + rest * (rest * rest < kAccuracy * kAccuracy);
}

}  // namespace lowtide::tensor
