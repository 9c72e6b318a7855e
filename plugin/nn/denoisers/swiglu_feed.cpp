#include "plugin/nn/denoisers/swiglu_feed.hpp"

#include "plugin/nn/blocks/pass.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

namespace kernels = tensor::kernels;

SwiGluFeed::SwiGluFeed(NetworkBuilder& builder,
                       const std::string& name,
                       int64_t width,
                       int64_t inner)
    : leaf(builder.leaf(name + ".",
                        {{.name = "w1.weight", .shape = {inner, width}},
                         {.name = "w2.weight", .shape = {width, inner}},
                         {.name = "w3.weight", .shape = {inner, width}}})) {}

at::Tensor SwiGluFeed::apply(Pass& pass, const at::Tensor& x) const {
    const residency::Lease lease = pass.use(leaf);
    const at::Tensor input = x.to(lease[0].scalar_type());
    at::Tensor inner = kernels::silu(kernels::linear(input, lease[0], {}));
    inner.mul_(kernels::linear(input, lease[2], {}));
    return kernels::linear(inner, lease[1], {}).to(x.scalar_type());
}

}  // namespace lowtide::models
