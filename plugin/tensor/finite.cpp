#include "plugin/tensor/finite.hpp"

#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/walk_meter.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cmath>

namespace lowtide::tensor {

at::Tensor finiteSum(const at::Tensor& value) {
    const bool isSingle = value.scalar_type() == at::kFloat;
    at::Tensor sum = (isSingle ? value : value.to(at::kFloat)).sum();
    if (value.is_meta() && WalkMeter::current().imitated() == Imitated::Cpu) {
        // Each thread of ATen sums a part, which lies in a tensor.
        WalkMeter::current().touch(at::get_num_threads() * sum.element_size());
    }
    return sum;
}

bool isFiniteSum(const at::Tensor& sum) {
    return sum.is_meta() || std::isfinite(scalar(sum));
}

bool isFinite(const at::Tensor& value) {
    if (!value.defined() || value.is_meta() || !at::isFloatingType(value.scalar_type())) {
        return true;
    }
    return scalar(at::isfinite(value).all()) != 0;
}

}  // namespace lowtide::tensor
