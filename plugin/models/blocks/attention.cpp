#include "plugin/models/blocks/attention.hpp"

#include "plugin/models/blocks/pass.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

namespace {

void appendProjection(
    std::vector<WeightSpec>& specs, const std::string& name, int64_t in, int64_t out, Bias bias) {
    specs.push_back({.name = name + ".weight", .shape = {out, in}});
    if (bias == Bias::Added) {
        specs.push_back({.name = name + ".bias", .shape = {out}});
    }
}

std::vector<WeightSpec> projections(const AttentionNames& names, const AttentionSizes& sizes) {
    std::vector<WeightSpec> specs;
    appendProjection(specs, names.query, sizes.width, sizes.width, sizes.inputBias);
    appendProjection(specs, names.key, sizes.contextWidth, sizes.width, sizes.inputBias);
    appendProjection(specs, names.value, sizes.contextWidth, sizes.width, sizes.inputBias);
    appendProjection(specs, names.out, sizes.width, sizes.width, Bias::Added);
    return specs;
}

at::Tensor splitHeads(const at::Tensor& x, int64_t heads) {
    const int64_t width = x.size(2) / heads;
    return x.view({x.size(0), x.size(1), heads, width}).transpose(1, 2);  // [B,T,D] -> [B,H,T,D/H]
}

}  // namespace

const AttentionNames& diffusersAttentionNames() {
    static const AttentionNames names{"to_q", "to_k", "to_v", "to_out.0"};
    return names;
}

Attention::Attention(NetworkBuilder& builder,
                     const std::string& prefix,
                     const AttentionNames& names,
                     const AttentionSizes& sizes)
    : leaf(builder.leaf(prefix + ".", projections(names, sizes))),
      heads(sizes.heads),
      inputBias(sizes.inputBias) {}

template <class Product, class Mix>
at::Tensor Attention::applyWith(Pass& pass,
                                const at::Tensor& x,
                                const at::Tensor& context,
                                Product&& product,
                                Mix&& mix) const {
    const residency::Lease lease = pass.use(leaf);
    const bool biased = inputBias == Bias::Added;
    const at::ScalarType type = lease[0].scalar_type();  // another one where it is kept in f32
    const auto project = [&](const at::Tensor& input, size_t projection) {
        const size_t index = projection * (biased ? 2 : 1);
        const at::Tensor bias = biased ? lease[index + 1] : at::Tensor();
        return splitHeads(product(input.to(type), lease[index], bias), heads);
    };
    const at::Tensor mixed = mix(project(x, 0), project(context, 1), project(context, 2));
    const at::Tensor joined = mixed.transpose(1, 2).reshape(x.sizes());  // [B,H,T,D/H] -> [B,T,D]
    return product(joined, lease[lease.size() - 2], lease[lease.size() - 1]).to(x.scalar_type());
}

at::Tensor Attention::apply(Pass& pass,
                            const at::Tensor& x,
                            const at::Tensor& context,
                            Mask mask) const {
    return applyWith(pass,
                     x,
                     context,
                     tensor::kernels::linear,
                     [&](const auto& q, const auto& k, const auto& v) {
                         return tensor::kernels::attention(q, k, v, mask == Mask::Causal);
                     });
}

at::Tensor Attention::applyToRows(Pass& pass,
                                  const at::Tensor& x,
                                  const std::vector<at::Tensor>& biases) const {
    const auto mix = [&](const auto& q, const auto& k, const auto& v) {
        std::vector<at::Tensor> mixed;
        for (size_t i = 0; i < biases.size(); ++i) {
            const auto row = [&](const at::Tensor& all) {
                return all.narrow(0, static_cast<int64_t>(i), 1);
            };
            mixed.push_back(
                biases[i].defined()
                    ? tensor::kernels::biasedAttention(row(q), row(k), row(v), biases[i])
                    : tensor::kernels::attention(row(q), row(k), row(v), /*causal=*/true));
        }
        return mixed.size() == 1 ? mixed.front() : at::cat(mixed);
    };
    return applyWith(pass, x, x, tensor::kernels::linearOfRows, mix);
}

}  // namespace lowtide::models
