#include "plugin/nn/denoisers/unet2d_blocks.hpp"

#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/denoisers/unet2d_inputs.hpp"
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

at::Tensor TransformerLayer::apply(Forward& forward,
                                   const at::Tensor& x,
                                   const CrossInputs& cross) const {
    const at::Tensor normed = norm1.apply(forward, x);
    at::Tensor hidden = selfAttention.apply(forward, normed, normed, Mask::None).add_(x);
    hidden =
        crossAttention.applyToImages(forward, norm2.apply(forward, hidden), cross).add_(hidden);
    const at::Tensor gated = gatedGelu(inner.apply(forward, norm3.apply(forward, hidden)));
    return outer.apply(forward, gated).add_(hidden);
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

at::Tensor Transformer2D::apply(Forward& forward,
                                const at::Tensor& x,
                                const at::Tensor& context,
                                const std::vector<ImageTokens>& images) const {
    const CrossInputs cross{
        .context = context, .images = images, .height = x.size(2), .width = x.size(3)};
    at::Tensor hidden = norm.apply(forward, x);
    if (const Linear* linear = std::get_if<Linear>(&input)) {
        hidden = linear->apply(forward, toTokens(hidden));
    } else {
        hidden = toTokens(std::get<Conv2d>(input).apply(forward, hidden));
    }
    for (const TransformerLayer& layer : layers) {
        hidden = layer.apply(forward, hidden, cross);
    }
    if (const Linear* linear = std::get_if<Linear>(&output)) {
        hidden = toMap(linear->apply(forward, hidden), x.sizes());
    } else {
        hidden = std::get<Conv2d>(output).apply(forward, toMap(hidden, x.sizes()));
    }
    return hidden.add_(x);
}

namespace {

using BlockGuard = NetworkBuilder::BlockGuard;

ResnetSizes unetResnetSizes(const UNet2DConfig& config, int64_t in, int64_t out) {
    return {.in = in,
            .out = out,
            .timeWidth = config.timeWidth,
            .groups = config.groups,
            .epsilon = config.epsilon};
}

/// Of a unit of `level` whose transformer has `layers`.
TransformerSizes transformerSizes(const UNet2DConfig& config,
                                  const UNetLevel& level,
                                  int64_t layers) {
    return {.channels = level.channels,
            .contextWidth = level.contextWidth,
            .heads = level.heads,
            .layers = layers,
            .groups = config.groups,
            .linearProjection = config.linearProjection};
}

std::optional<Transformer2D> makeTransformer(NetworkBuilder& builder,
                                             const std::string& name,
                                             const TransformerSizes* sizes) {
    if (!sizes) {
        return std::nullopt;
    }
    const BlockGuard guard(builder, name);
    return Transformer2D(builder, name, *sizes);
}

ResnetBlock makeResnet(NetworkBuilder& builder, const std::string& name, const ResnetSizes& sizes) {
    const BlockGuard guard(builder, name);
    return ResnetBlock(builder, name, sizes);
}

/// Channels of the skip that unit `index` of the way up through `level` takes.
int64_t skipChannels(const UNet2DConfig& config, size_t level, size_t index) {
    const bool isLast = index == static_cast<size_t>(config.levels[level].layers);
    return config.levels[isLast && level > 0 ? level - 1 : level].channels;
}

}  // namespace

UNetUnit::UNetUnit(NetworkBuilder& builder,
                   const std::string& block,
                   size_t index,
                   const ResnetSizes& resnetSizesValue,
                   const TransformerSizes* transformerSizesValue)
    : resnet(makeResnet(builder, block + ".resnets." + std::to_string(index), resnetSizesValue)),
      transformer(makeTransformer(
          builder, block + ".attentions." + std::to_string(index), transformerSizesValue)) {}

at::Tensor UNetUnit::apply(Forward& forward, const at::Tensor& x, const UNetInputs& inputs) const {
    const at::Tensor hidden = resnet.apply(forward, x, inputs.time);
    return transformer ? transformer->apply(forward, hidden, inputs.context, inputs.images)
                       : hidden;
}

UNetDown::UNetDown(NetworkBuilder& builder, const UNet2DConfig& config, size_t level) {
    const UNetLevel& here = config.levels[level];
    const std::string name = "down_blocks." + std::to_string(level);
    const BlockGuard guard(builder, name);
    int64_t in = config.levels[level == 0 ? 0 : level - 1].channels;
    for (size_t i = 0; i < static_cast<size_t>(here.layers); ++i) {
        const TransformerSizes attention = transformerSizes(config, here, here.downTransformers[i]);
        units.emplace_back(builder,
                           name,
                           i,
                           unetResnetSizes(config, in, here.channels),
                           here.down == UNetBlock::CrossAttention ? &attention : nullptr);
        in = here.channels;
    }
    if (level + 1 < config.levels.size()) {
        shrink.emplace(
            builder, name + ".downsamplers.0.conv", ConvSizes{.in = in, .out = in, .stride = 2});
    }
}

/// A block with cross attention adds before it shrinks; the last one of the way down, which does
/// not, where its units end.
bool UNetDown::addsBeforeShrinking() const {
    return units.back().transformer.has_value() || !shrink;
}

at::Tensor UNetDown::applyUnits(Forward& forward,
                                at::Tensor x,
                                size_t first,
                                size_t last,
                                const UNetInputs& inputs,
                                const at::Tensor& residual,
                                std::vector<at::Tensor>& skips) const {
    for (size_t unit = first; unit < last; ++unit) {
        x = units[unit].apply(forward, x, inputs);
        skips.push_back(x);
    }
    // `x` is the skip too: both get the residual.
    if (first < last && last == units.size() && addsBeforeShrinking()) {
        addResidual(x, residual);
    }
    return x;
}

at::Tensor UNetDown::applyShrinking(Forward& forward,
                                    at::Tensor x,
                                    const at::Tensor& residual,
                                    std::vector<at::Tensor>& skips) const {
    if (shrink) {
        x = shrink->apply(forward, x);
        skips.push_back(x);
        if (!addsBeforeShrinking()) {
            addResidual(x, residual);
        }
    }
    return x;
}

UNetMid::UNetMid(NetworkBuilder& builder, const UNet2DConfig& config)
    : UNetMid(builder,
              unetResnetSizes(config, config.levels.back().channels, config.levels.back().channels),
              transformerSizes(config, config.levels.back(), config.midTransformer),
              BlockGuard(builder, "mid_block")) {}

UNetMid::UNetMid(NetworkBuilder& builder,
                 const ResnetSizes& resnet,
                 const TransformerSizes& transformer,
                 const BlockGuard&)
    : first(builder, "mid_block", 0, resnet, &transformer),
      last(builder, "mid_block", 1, resnet, nullptr) {}

at::Tensor UNetMid::apply(Forward& forward, const at::Tensor& x, const UNetInputs& inputs) const {
    return last.apply(forward, first.apply(forward, x, inputs), inputs);
}

UNetUp::UNetUp(NetworkBuilder& builder, const UNet2DConfig& config, size_t level) {
    const UNetLevel& here = config.levels[level];
    const std::string name = "up_blocks." + std::to_string(config.levels.size() - 1 - level);
    const BlockGuard guard(builder, name);
    const bool isDeepest = level + 1 == config.levels.size();
    int64_t in = config.levels[isDeepest ? level : level + 1].channels;
    for (size_t i = 0; i <= static_cast<size_t>(here.layers); ++i) {
        const TransformerSizes attention = transformerSizes(config, here, here.upTransformers[i]);
        units.emplace_back(
            builder,
            name,
            i,
            unetResnetSizes(config, in + skipChannels(config, level, i), here.channels),
            here.up == UNetBlock::CrossAttention ? &attention : nullptr);
        in = here.channels;
    }
    if (level > 0) {
        grow.emplace(builder, name + ".upsamplers.0.conv", ConvSizes{.in = in, .out = in});
    }
}

at::Tensor UNetUp::applyUnits(Forward& forward,
                              at::Tensor x,
                              size_t first,
                              size_t last,
                              const UNetInputs& inputs,
                              std::vector<at::Tensor>& skips) const {
    for (size_t unit = first; unit < last; ++unit) {
        x = units[unit].apply(forward, at::cat({x, skips.back()}, 1), inputs);
        skips.pop_back();
    }
    return x;
}

at::Tensor UNetUp::applyGrowing(Forward& forward,
                                at::Tensor x,
                                const std::vector<at::Tensor>& skips) const {
    if (!grow) {
        return x;
    }
    // The size of the next skip, which is not twice this one where the image did not divide.
    const at::Tensor& next = skips.back();
    return grow->applyUpsampled(forward, x, next.size(2), next.size(3));
}

}  // namespace lowtide::models
