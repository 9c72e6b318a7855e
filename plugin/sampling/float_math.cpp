#include "plugin/sampling/float_math.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

at::Tensor single(float x) {
    return at::scalar_tensor(x, at::kFloat);
}

float valueOf(const at::Tensor& number) {
    return *number.const_data_ptr<float>();
}

}  // namespace

float logarithm(float x) {
    return valueOf(at::log(single(x)));
}

float exponential(float x) {
    return valueOf(at::exp(single(x)));
}

float exponentialMinusOne(float x) {
    return valueOf(at::expm1(single(x)));
}

float root(float x) {
    return valueOf(at::pow(single(x), 0.5));
}

}  // namespace lowtide::sampling
