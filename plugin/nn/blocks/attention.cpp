#include "plugin/nn/blocks/attention.hpp"

#include "plugin/nn/blocks/pass.hpp"
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

/// A mask at the size of the map, [1 or N, 1, H * W, 1] beside [N, heads, H * W, D/heads].
at::Tensor maskOfQueries(const at::Tensor& mask, const CrossInputs& inputs) {
    at::Tensor small = mask;
    if (mask.size(2) != inputs.height || mask.size(3) != inputs.width) {
        small =
            at::upsample_bicubic2d(mask, {inputs.height, inputs.width}, /*align_corners=*/false);
    }
    return small.reshape({mask.size(0), 1, inputs.height * inputs.width, 1});
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

size_t Attention::ownWeights() const {
    constexpr size_t kInputs = 3;
    return (inputBias == Bias::Added ? 2 : 1) * kInputs + 2;
}

template <class Product, class Mix>
at::Tensor Attention::applyWith(Pass& pass,
                                const at::Tensor& x,
                                const at::Tensor& context,
                                Product&& product,
                                Mix&& mix) const {
    const residency::Lease lease = pass.use(leaf);
    const bool biased = inputBias == Bias::Added;
    const at::ScalarType type = lease[0].scalar_type();  // another one where it is kept in f32
    const auto projectBy = [&](const at::Tensor& input, size_t index, const at::Tensor& bias) {
        return splitHeads(product(input.to(type), lease[index], bias), heads);
    };
    const auto project = [&](const at::Tensor& input, size_t projection) {
        const size_t index = projection * (biased ? 2 : 1);
        return projectBy(input, index, biased ? lease[index + 1] : at::Tensor());
    };
    const auto projectOther = [&](const at::Tensor& input, size_t index) {
        return projectBy(input, index, at::Tensor());
    };
    const at::Tensor mixed =
        mix(project(x, 0), project(context, 1), project(context, 2), projectOther);
    const at::Tensor joined = mixed.transpose(1, 2).reshape(x.sizes());  // [B,H,T,D/H] -> [B,T,D]
    const size_t own = ownWeights();
    return product(joined, lease[own - 2], lease[own - 1]).to(x.scalar_type());
}

at::Tensor Attention::apply(Pass& pass,
                            const at::Tensor& x,
                            const at::Tensor& context,
                            Mask mask) const {
    return applyWith(pass,
                     x,
                     context,
                     tensor::kernels::linear,
                     [&](const auto& q, const auto& k, const auto& v, const auto& /*project*/) {
                         return tensor::kernels::attention(q, k, v, mask == Mask::Causal);
                     });
}

at::Tensor Attention::applyToPictures(Pass& pass,
                                      const at::Tensor& x,
                                      const CrossInputs& inputs) const {
    const auto mix = [&](const auto& q, const auto& k, const auto& v, const auto& project) {
        at::Tensor sum = tensor::kernels::attention(q, k, v, /*causal=*/false);
        for (const PictureTokens& each : inputs.pictures) {
            const size_t pair = ownWeights() + 2 * each.adapter;
            at::Tensor seen = tensor::kernels::attention(
                q, project(each.tokens, pair), project(each.tokens, pair + 1), /*causal=*/false);
            if (each.mask.defined()) {
                seen.mul_(maskOfQueries(each.mask, inputs).to(seen.scalar_type()));
            }
            sum.add_(seen.mul_(each.strength));
        }
        return sum;
    };
    return applyWith(pass, x, inputs.context, tensor::kernels::linear, mix);
}

at::Tensor Attention::applyToRows(Pass& pass,
                                  const at::Tensor& x,
                                  const std::vector<at::Tensor>& biases) const {
    const auto mix = [&](const auto& q, const auto& k, const auto& v, const auto& /*project*/) {
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
