#include "plugin/nn/blocks/layers.hpp"

#include "plugin/nn/blocks/forward.hpp"
#include "plugin/tensor/kernels.hpp"

#include <utility>

namespace lowtide::models {

namespace kernels = tensor::kernels;

namespace {

std::vector<WeightSpec> weightAndBias(Shape weight, int64_t out) {
    return {{.name = "weight", .shape = std::move(weight)}, {.name = "bias", .shape = {out}}};
}

std::vector<WeightSpec> linearWeights(int64_t in, int64_t out, Bias bias) {
    std::vector<WeightSpec> weights;
    weights.push_back(matrixSpec("weight", in, out));
    if (bias == Bias::Added) {
        weights.push_back({.name = "bias", .shape = {out}});
    }
    return weights;
}

/// The second weight of a leaf, undefined where it has none.
at::Tensor biasOf(const residency::Lease& lease) {
    return lease.size() > 1 ? lease[1] : at::Tensor();
}

/// A layer computes in the type of its weights, and gives the type of its input: they differ where
/// the layer is kept in f32.
at::Tensor likeWeight(const at::Tensor& x, const residency::Lease& lease) {
    return x.defined() ? x.to(lease[0].scalar_type()) : x;
}

}  // namespace

Conv2d::Conv2d(NetworkBuilder& builder, const std::string& name, const ConvSizes& sizes)
    : leaf(builder.leaf(name + ".",
                        {{.name = "weight",
                          .shape = {sizes.out, sizes.in, sizes.kernel, sizes.kernel},
                          .isMultiplied = true},
                         {.name = "bias", .shape = {sizes.out}}})),
      stride(sizes.stride),
      padding(sizes.padding) {}

at::Tensor Conv2d::apply(Forward& forward, const at::Tensor& x) const {
    const residency::Lease lease = forward.use(leaf);
    return kernels::conv2d(
               x.to(forward.productType(leaf)), lease[0], biasOf(lease), stride, padding)
        .to(x.scalar_type());
}

at::Tensor Conv2d::applyOver(Forward& forward, at::Tensor x) const {
    const residency::Lease lease = forward.use(leaf);
    const at::ScalarType type = x.scalar_type();
    x = x.to(forward.productType(leaf));
    return kernels::conv2dOver(std::move(x), lease[0], biasOf(lease)).to(type);
}

at::Tensor Conv2d::addTo(Forward& forward, at::Tensor target, const at::Tensor& x) const {
    const residency::Lease lease = forward.use(leaf);
    const at::Tensor input = x.to(forward.productType(leaf));
    if (input.scalar_type() == target.scalar_type()) {
        return kernels::addedConv2d(std::move(target), input, lease[0], biasOf(lease));
    }
    const at::Tensor added = kernels::conv2d(input, lease[0], biasOf(lease), stride, padding);
    return target.add_(added.to(target.scalar_type()));
}

at::Tensor Conv2d::applyUpsampled(Forward& forward,
                                  const at::Tensor& x,
                                  int64_t height,
                                  int64_t width) const {
    const residency::Lease lease = forward.use(leaf);
    return kernels::upsampledConv2d(x, height, width, lease[0], biasOf(lease));
}

Linear::Linear(NetworkBuilder& builder, const std::string& name, int64_t in, int64_t out, Bias bias)
    : leaf(builder.leaf(name + ".", linearWeights(in, out, bias))) {}

at::Tensor Linear::apply(Forward& forward, const at::Tensor& x) const {
    const residency::Lease lease = forward.use(leaf);
    return kernels::linear(x.to(forward.productType(leaf)), lease[0], biasOf(lease))
        .to(x.scalar_type());
}

at::Tensor Linear::applyToRows(Forward& forward, const at::Tensor& x) const {
    const residency::Lease lease = forward.use(leaf);
    return kernels::linearOfRows(x.to(forward.productType(leaf)), lease[0], biasOf(lease))
        .to(x.scalar_type());
}

GroupNorm::GroupNorm(NetworkBuilder& builder,
                     const std::string& name,
                     int64_t channels,
                     int64_t groupCount,
                     double epsilonValue)
    : leaf(builder.leaf(name + ".", weightAndBias({channels}, channels))),
      groups(groupCount),
      epsilon(epsilonValue) {}

at::Tensor GroupNorm::apply(Forward& forward, const at::Tensor& x) const {
    const residency::Lease lease = forward.use(leaf);
    return kernels::groupNorm(likeWeight(x, lease), groups, lease[0], lease[1], epsilon)
        .to(x.scalar_type());
}

at::Tensor GroupNorm::applyActivated(Forward& forward,
                                     const at::Tensor& x,
                                     const at::Tensor& added) const {
    const residency::Lease lease = forward.use(leaf);
    return kernels::activatedNorm(
               likeWeight(x, lease), likeWeight(added, lease), groups, lease[0], lease[1], epsilon)
        .to(x.scalar_type());
}

at::Tensor GroupNorm::applyActivatedOver(Forward& forward,
                                         at::Tensor x,
                                         const at::Tensor& added) const {
    const residency::Lease lease = forward.use(leaf);
    const at::ScalarType type = x.scalar_type();
    x = likeWeight(x, lease);
    return kernels::activatedNormOver(
               std::move(x), likeWeight(added, lease), groups, lease[0], lease[1], epsilon)
        .to(type);
}

LayerNorm::LayerNorm(NetworkBuilder& builder,
                     const std::string& name,
                     int64_t width,
                     double epsilonValue)
    : leaf(builder.leaf(name + ".", weightAndBias({width}, width))), epsilon(epsilonValue) {}

at::Tensor LayerNorm::apply(Forward& forward, const at::Tensor& x) const {
    const residency::Lease lease = forward.use(leaf);
    return kernels::layerNorm(likeWeight(x, lease), lease[0], lease[1], epsilon)
        .to(x.scalar_type());
}

RmsNorm::RmsNorm(NetworkBuilder& builder,
                 const std::string& name,
                 int64_t width,
                 double epsilonValue)
    : leaf(builder.leaf(name + ".", {{.name = "weight", .shape = {width}}})),
      epsilon(epsilonValue) {}

at::Tensor RmsNorm::apply(Forward& forward, const at::Tensor& x) const {
    const residency::Lease lease = forward.use(leaf);
    return kernels::rmsNorm(likeWeight(x, lease), lease[0], epsilon).to(x.scalar_type());
}

Embedding::Embedding(NetworkBuilder& builder, const std::string& name, int64_t count, int64_t width)
    : leaf(builder.leaf(name + ".", {{.name = "weight", .shape = {count, width}}}, true)) {}

at::Tensor Embedding::apply(Forward& forward, const at::Tensor& ids) const {
    return forward.gatherRows(leaf, ids);
}

namespace {

std::optional<Linear> makeTimeProjection(NetworkBuilder& builder,
                                         const std::string& name,
                                         const ResnetSizes& sizes) {
    if (sizes.timeWidth == 0) {
        return std::nullopt;
    }
    return Linear(builder, name + ".time_emb_proj", sizes.timeWidth, sizes.out);
}

std::optional<Conv2d> makeShortcut(NetworkBuilder& builder,
                                   const std::string& name,
                                   const ResnetSizes& sizes) {
    if (sizes.in == sizes.out) {
        return std::nullopt;
    }
    return Conv2d(builder,
                  name + ".conv_shortcut",
                  {.in = sizes.in, .out = sizes.out, .kernel = 1, .padding = 0});
}

}  // namespace

ResnetBlock::ResnetBlock(NetworkBuilder& builder, const std::string& name, const ResnetSizes& sizes)
    : norm1(builder, name + ".norm1", sizes.in, sizes.groups, sizes.epsilon),
      conv1(builder, name + ".conv1", {.in = sizes.in, .out = sizes.out}),
      timeProjection(makeTimeProjection(builder, name, sizes)),
      norm2(builder, name + ".norm2", sizes.out, sizes.groups, sizes.epsilon),
      conv2(builder, name + ".conv2", {.in = sizes.out, .out = sizes.out}),
      shortcut(makeShortcut(builder, name, sizes)) {}

at::Tensor ResnetBlock::apply(Forward& forward, const at::Tensor& x, const at::Tensor& time) const {
    at::Tensor hidden = norm1.applyActivated(forward, x, {});
    hidden = conv1.apply(forward, hidden);
    hidden = conv2.apply(forward, normalised(forward, std::move(hidden), time));
    return hidden.add_(shortcut ? shortcut->apply(forward, x) : x);
}

at::Tensor ResnetBlock::applyOver(Forward& forward, at::Tensor x, const at::Tensor& time) const {
    if (!shortcut) {
        at::Tensor hidden = norm1.applyActivated(forward, x, {});
        hidden = normalised(forward, conv1.apply(forward, hidden), time);
        return conv2.addTo(forward, std::move(x), hidden);
    }
    at::Tensor sum = shortcut->apply(forward, x);
    x = norm1.applyActivatedOver(forward, std::move(x), {});
    x = conv1.applyOver(forward, std::move(x));
    x = normalised(forward, std::move(x), time);
    return conv2.addTo(forward, std::move(sum), x);
}

at::Tensor ResnetBlock::normalised(Forward& forward,
                                   at::Tensor hidden,
                                   const at::Tensor& time) const {
    const at::Tensor shift =
        timeProjection ? timeProjection->apply(forward, time) : at::Tensor();  // [B, out]
    return norm2.applyActivatedOver(forward, std::move(hidden), shift);
}

}  // namespace lowtide::models
