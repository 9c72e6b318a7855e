#include "plugin/tensor/kernels.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/kernels_meta.hpp"

#include <ATen/ATen.h>

namespace lowtide::tensor::kernels {

namespace {

std::optional<at::Tensor> orNothing(const at::Tensor& value) {
    return value.defined() ? std::optional<at::Tensor>(value) : std::nullopt;
}

}  // namespace

at::Tensor conv2d(const at::Tensor& x,
                  const at::Tensor& weight,
                  const at::Tensor& bias,
                  int64_t stride,
                  int64_t padding) {
    if (x.is_meta()) {
        return meta::conv2d(x, weight, stride, padding);
    }
    return at::conv2d(x, weight, orNothing(bias), stride, padding);
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    if (x.is_meta()) {
        return meta::linear(x, weight);
    }
    return at::linear(x, weight, orNothing(bias));
}

at::Tensor groupNorm(const at::Tensor& x,
                     int64_t groups,
                     const at::Tensor& weight,
                     const at::Tensor& bias,
                     double epsilon) {
    if (x.is_meta()) {
        return meta::groupNorm(x, groups);
    }
    return at::group_norm(x, groups, orNothing(weight), orNothing(bias), epsilon);
}

at::Tensor layerNorm(const at::Tensor& x,
                     const at::Tensor& weight,
                     const at::Tensor& bias,
                     double epsilon) {
    if (x.is_meta()) {
        return meta::layerNorm(x);
    }
    return at::layer_norm(x, {x.size(-1)}, orNothing(weight), orNothing(bias), epsilon);
}

at::Tensor silu(const at::Tensor& x) {
    return at::silu(x);
}

at::Tensor gelu(const at::Tensor& x) {
    return at::gelu(x);
}

at::Tensor quickGelu(const at::Tensor& x) {
    return x * at::sigmoid(x * 1.702);
}

at::Tensor leakyRelu(at::Tensor x, double slope) {
    at::leaky_relu_(x, slope);
    return x;
}

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal) {
    if (q.is_meta()) {
        return meta::attention(q, k, v);
    }
    return at::scaled_dot_product_attention(q, k, v, std::nullopt, 0.0, causal);
}

at::Tensor biasedAttention(const at::Tensor& q,
                           const at::Tensor& k,
                           const at::Tensor& v,
                           const at::Tensor& bias) {
    if (q.is_meta()) {
        return meta::attention(q, k, v);
    }
    return at::scaled_dot_product_attention(q, k, v, bias);
}

at::Tensor upsampleNearest(const at::Tensor& x, int64_t height, int64_t width) {
    if (x.is_meta()) {
        return meta::upsampleNearest(x, height, width);
    }
    return at::upsample_nearest2d(x, {height, width});
}

at::Tensor deviation(const at::Tensor& x) {
    LOWTIDE_ASSERT(x.dim() == 4);
    return x.is_meta() ? meta::deviation(x)
                       : at::std(x, at::IntArrayRef{1, 2, 3}, /*unbiased=*/true, /*keepdim=*/true);
}

}  // namespace lowtide::tensor::kernels
