#include "plugin/nn/denoisers/transformer2d.hpp"

#include "plugin/nn/blocks/pass.hpp"
#include "plugin/tensor/kernels.hpp"

namespace lowtide::models {

namespace {

constexpr double kGroupNormEpsilon = 1e-6;
constexpr double kLayerNormEpsilon = 1e-5;
constexpr int64_t kInnerFactor = 4;

using Projection = std::variant<Conv2d, Linear>;

Projection makeProjection(NetworkBuilder& builder,
                          const std::string& name,
                          const TransformerSizes& sizes) {
    if (sizes.linearProjection) {
        return Linear(builder, name, sizes.channels, sizes.channels);
    }
    return Conv2d(
        builder, name, {.in = sizes.channels, .out = sizes.channels, .kernel = 1, .padding = 0});
}

at::Tensor toTokens(const at::Tensor& x) {
    return x.permute({0, 2, 3, 1}).reshape({x.size(0), -1, x.size(1)});  // [B,C,H,W] -> [B,HW,C]
}

at::Tensor toMap(const at::Tensor& tokens, at::IntArrayRef sizes) {
    // [B,HW,C] -> [B,C,H,W], the channels still last
    return tokens.view({sizes[0], sizes[2], sizes[3], sizes[1]}).permute({0, 3, 1, 2});
}

at::Tensor gatedGelu(const at::Tensor& x) {
    const std::vector<at::Tensor> halves = x.chunk(2, -1);
    return tensor::kernels::gelu(halves[1]).mul_(halves[0]);
}

}  // namespace

TransformerLayer::TransformerLayer(NetworkBuilder& builder,
                                   const std::string& name,
                                   const TransformerSizes& sizes)
    : norm1(builder, name + ".norm1", sizes.channels, kLayerNormEpsilon),
      selfAttention(
          builder,
          name + ".attn1",
          diffusersAttentionNames(),
          {.width = sizes.channels, .contextWidth = sizes.channels, .heads = sizes.heads}),
      norm2(builder, name + ".norm2", sizes.channels, kLayerNormEpsilon),
      crossAttention(
          builder,
          name + ".attn2",
          diffusersAttentionNames(),
          {.width = sizes.channels, .contextWidth = sizes.contextWidth, .heads = sizes.heads}),
      norm3(builder, name + ".norm3", sizes.channels, kLayerNormEpsilon),
      inner(builder, name + ".ff.net.0.proj", sizes.channels, 2 * kInnerFactor * sizes.channels),
      outer(builder, name + ".ff.net.2", kInnerFactor * sizes.channels, sizes.channels) {}

at::Tensor TransformerLayer::apply(Pass& pass,
                                   const at::Tensor& x,
                                   const CrossInputs& cross) const {
    const at::Tensor normed = norm1.apply(pass, x);
    at::Tensor hidden = selfAttention.apply(pass, normed, normed, Mask::None).add_(x);
    hidden = crossAttention.applyToPictures(pass, norm2.apply(pass, hidden), cross).add_(hidden);
    const at::Tensor gated = gatedGelu(inner.apply(pass, norm3.apply(pass, hidden)));
    return outer.apply(pass, gated).add_(hidden);
}

Transformer2D::Transformer2D(NetworkBuilder& builder,
                             const std::string& name,
                             const TransformerSizes& sizes)
    : norm(builder, name + ".norm", sizes.channels, sizes.groups, kGroupNormEpsilon),
      input(makeProjection(builder, name + ".proj_in", sizes)),
      layers([&] {
          std::vector<TransformerLayer> made;
          for (int64_t i = 0; i < sizes.layers; ++i) {
              made.emplace_back(builder, name + ".transformer_blocks." + std::to_string(i), sizes);
          }
          return made;
      }()),
      output(makeProjection(builder, name + ".proj_out", sizes)) {}

at::Tensor Transformer2D::apply(Pass& pass,
                                const at::Tensor& x,
                                const at::Tensor& context,
                                const std::vector<PictureTokens>& pictures) const {
    const CrossInputs cross{
        .context = context, .pictures = pictures, .height = x.size(2), .width = x.size(3)};
    at::Tensor hidden = norm.apply(pass, x);
    if (const Linear* linear = std::get_if<Linear>(&input)) {
        hidden = linear->apply(pass, toTokens(hidden));
    } else {
        hidden = toTokens(std::get<Conv2d>(input).apply(pass, hidden));
    }
    for (const TransformerLayer& layer : layers) {
        hidden = layer.apply(pass, hidden, cross);
    }
    if (const Linear* linear = std::get_if<Linear>(&output)) {
        hidden = toMap(linear->apply(pass, hidden), x.sizes());
    } else {
        hidden = std::get<Conv2d>(output).apply(pass, toMap(hidden, x.sizes()));
    }
    return hidden.add_(x);
}

}  // namespace lowtide::models
