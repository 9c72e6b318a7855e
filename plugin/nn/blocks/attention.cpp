#include "plugin/nn/blocks/attention.hpp"

#include "plugin/nn/blocks/forward.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

void appendProjection(
    std::vector<WeightSpec>& specs, const std::string& name, int64_t in, int64_t out, Bias bias) {
    specs.push_back(matrixSpec(name + ".weight", in, out));
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

/// A mask at the size of the map, [1 or N, 1, H * W, 1] next to [N, heads, H * W, D/heads].
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
at::Tensor Attention::applyWith(Forward& forward,
                                const at::Tensor& x,
                                const at::Tensor& context,
                                Product&& product,
                                Mix&& mix) const {
    const residency::Lease lease = forward.use(leaf);
    const bool biased = inputBias == Bias::Added;
    const at::ScalarType type = forward.productType(leaf);
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

at::Tensor Attention::apply(Forward& forward,
                            const at::Tensor& x,
                            const at::Tensor& context,
                            Mask mask) const {
    return applyWith(forward,
                     x,
                     context,
                     tensor::kernels::linear,
                     [&](const auto& q, const auto& k, const auto& v, const auto& /*project*/) {
                         return tensor::kernels::attention(q, k, v, mask == Mask::Causal);
                     });
}

at::Tensor Attention::applyToImages(Forward& forward,
                                    const at::Tensor& x,
                                    const CrossInputs& inputs) const {
    const auto mix = [&](const auto& q, const auto& k, const auto& v, const auto& project) {
        at::Tensor sum = tensor::kernels::attention(q, k, v, /*causal=*/false);
        for (const ImageTokens& each : inputs.images) {
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
    return applyWith(forward, x, inputs.context, tensor::kernels::linear, mix);
}

at::Tensor Attention::applyToRows(Forward& forward,
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
    return applyWith(forward, x, x, tensor::kernels::linearOfRows, mix);
}

namespace {

constexpr double kRotaryBase = 10000;

/// Angles [T, width / 2] at `positions` f64 [T] of one axis.
at::Tensor anglesAt(const at::Tensor& positions, int64_t width, double base) {
    const at::Tensor exponents = at::arange(0, width, 2, at::kDouble) / width;
    return at::outer(positions, at::pow(base, exponents).reciprocal_());
}

at::Tensor anglesOf(const RotaryAxis& axis) {
    return anglesAt(at::arange(axis.count, at::kDouble), axis.width, kRotaryBase);
}

}  // namespace

Rotation uploaded(const Rotation& rotation, c10::Device device) {
    return {.cosines = tensor::upload(rotation.cosines, device),
            .sines = tensor::upload(rotation.sines, device)};
}

Rotation gridRotation(const std::vector<RotaryAxis>& axes) {
    std::vector<int64_t> grid;
    for (const RotaryAxis& axis : axes) {
        grid.push_back(axis.count);
    }
    std::vector<at::Tensor> parts;
    for (size_t i = 0; i < axes.size(); ++i) {
        std::vector<int64_t> position(axes.size() + 1, 1);
        position[i] = axes[i].count;
        position.back() = axes[i].width / 2;
        std::vector<int64_t> everywhere = grid;
        everywhere.push_back(axes[i].width / 2);
        parts.push_back(anglesOf(axes[i]).view(position).expand(everywhere));
    }
    const at::Tensor angles = at::cat(parts, -1).flatten(0, -2).unsqueeze(0).unsqueeze(2);
    return {.cosines = angles.cos().to(at::kFloat), .sines = angles.sin().to(at::kFloat)};
}

Rotation rotationAt(const at::Tensor& positions, at::IntArrayRef widths, double base) {
    std::vector<at::Tensor> parts;
    for (size_t i = 0; i < widths.size(); ++i) {
        parts.push_back(anglesAt(positions.select(1, static_cast<int64_t>(i)), widths[i], base));
    }
    const at::Tensor angles = at::cat(parts, -1).to(at::kFloat).unsqueeze(0).unsqueeze(2);
    return {.cosines = angles.cos(), .sines = angles.sin()};
}

namespace {

/// Numbers of a head that are rotated together, as two views.
using Pairs = std::pair<at::Tensor, at::Tensor>;

/// `pairsOf(part)` gives those of a part of the tokens.
template <class PairsOf>
at::Tensor turned(const at::Tensor& x, const Rotation& rotation, const PairsOf& pairsOf) {
    constexpr int64_t kTokensAtOnce = 4096;  // products in f32 beyond the result remain small
    at::Tensor result = at::empty(x.sizes(), x.options());
    for (int64_t first = 0; first < x.size(1); first += kTokensAtOnce) {
        const int64_t count = std::min(kTokensAtOnce, x.size(1) - first);
        const Pairs from = pairsOf(x.narrow(1, first, count));
        const Pairs to = pairsOf(result.narrow(1, first, count));
        const at::Tensor cosines = rotation.cosines.narrow(1, first, count);
        const at::Tensor sines = rotation.sines.narrow(1, first, count);
        to.first.copy_((from.first * cosines).sub_(from.second * sines));
        to.second.copy_((from.first * sines).add_(from.second * cosines));
    }
    return result;
}

}  // namespace

at::Tensor rotated(const at::Tensor& x, const Rotation& rotation) {
    return turned(x, rotation, [](const at::Tensor& part) {
        const at::Tensor pairs = part.unflatten(-1, {-1, 2});
        return Pairs(pairs.select(-1, 0), pairs.select(-1, 1));
    });
}

at::Tensor rotatedHalves(const at::Tensor& x, const Rotation& rotation) {
    return turned(x, rotation, [](const at::Tensor& part) {
        const int64_t half = part.size(-1) / 2;
        return Pairs(part.narrow(-1, 0, half), part.narrow(-1, half, half));
    });
}

}  // namespace lowtide::models
