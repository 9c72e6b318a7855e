#include "plugin/nn/denoisers/unet2d_blocks.hpp"

#include "plugin/nn/blocks/pass.hpp"
#include "plugin/nn/denoisers/unet2d_inputs.hpp"
#include "plugin/nn/denoisers/unet2d_residuals.hpp"

namespace lowtide::models {

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

at::Tensor UNetUnit::apply(Pass& pass, const at::Tensor& x, const UNetInputs& inputs) const {
    const at::Tensor hidden = resnet.apply(pass, x, inputs.time);
    return transformer ? transformer->apply(pass, hidden, inputs.context, inputs.pictures) : hidden;
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

at::Tensor UNetDown::applyUnits(Pass& pass,
                                at::Tensor x,
                                size_t first,
                                size_t last,
                                const UNetInputs& inputs,
                                const at::Tensor& residual,
                                std::vector<at::Tensor>& skips) const {
    for (size_t unit = first; unit < last; ++unit) {
        x = units[unit].apply(pass, x, inputs);
        skips.push_back(x);
    }
    // `x` is the skip too: both get the residual.
    if (first < last && last == units.size() && addsBeforeShrinking()) {
        addResidual(x, residual);
    }
    return x;
}

at::Tensor UNetDown::applyShrinking(Pass& pass,
                                    at::Tensor x,
                                    const at::Tensor& residual,
                                    std::vector<at::Tensor>& skips) const {
    if (shrink) {
        x = shrink->apply(pass, x);
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

at::Tensor UNetMid::apply(Pass& pass, const at::Tensor& x, const UNetInputs& inputs) const {
    return last.apply(pass, first.apply(pass, x, inputs), inputs);
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

at::Tensor UNetUp::applyUnits(Pass& pass,
                              at::Tensor x,
                              size_t first,
                              size_t last,
                              const UNetInputs& inputs,
                              std::vector<at::Tensor>& skips) const {
    for (size_t unit = first; unit < last; ++unit) {
        x = units[unit].apply(pass, at::cat({x, skips.back()}, 1), inputs);
        skips.pop_back();
    }
    return x;
}

at::Tensor UNetUp::applyGrowing(Pass& pass,
                                at::Tensor x,
                                const std::vector<at::Tensor>& skips) const {
    if (!grow) {
        return x;
    }
    // The size of the next skip, which is not twice this one where the picture did not divide.
    const at::Tensor& next = skips.back();
    return grow->applyUpsampled(pass, x, next.size(2), next.size(3));
}

}  // namespace lowtide::models
