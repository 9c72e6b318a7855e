#pragma once
// The blocks of the UNet: resnets, transformers over pixels, and the ways down and up that are made
// of them.

#include "plugin/nn/blocks/attention.hpp"
#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lowtide::models {

struct TransformerSizes {
    int64_t channels = 0;
    int64_t contextWidth = 0;
    int64_t heads = 1;
    int64_t layers = 1;
    int64_t groups = 32;
    bool linearProjection = false;
};

/// Self attention, cross attention and a gated feed-forward network. Source: diffusers
/// BasicTransformerBlock.
struct TransformerLayer {
    LayerNorm norm1;
    Attention selfAttention;
    LayerNorm norm2;
    Attention crossAttention;
    LayerNorm norm3;
    Linear inner;  ///< to twice the inner width: value and gate
    Linear outer;

    TransformerLayer(NetworkBuilder& builder,
                     const std::string& name,
                     const TransformerSizes& sizes);
    /// x [B, H*W, C], of a map of the size that `cross` states.
    [[nodiscard]] at::Tensor apply(Forward& forward,
                                   const at::Tensor& x,
                                   const CrossInputs& cross) const;
};

/// Transformer over the pixels of a feature map, with a shortcut. Source: diffusers
/// Transformer2DModel.
struct Transformer2D {
    GroupNorm norm;
    std::variant<Conv2d, Linear> input;
    std::vector<TransformerLayer> layers;
    std::variant<Conv2d, Linear> output;

    Transformer2D(NetworkBuilder& builder, const std::string& name, const TransformerSizes& sizes);
    /// x [B, C, H, W], context [B, T, contextWidth] -> [B, C, H, W].
    [[nodiscard]] at::Tensor apply(Forward& forward,
                                   const at::Tensor& x,
                                   const at::Tensor& context,
                                   const std::vector<ImageTokens>& images = {}) const;
};

/// What every unit of the UNet reads in addition to the feature map.
struct UNetInputs;

/// A resnet and, in blocks with cross attention, a transformer behind it.
struct UNetUnit {
    ResnetBlock resnet;
    std::optional<Transformer2D> transformer;

    UNetUnit(NetworkBuilder& builder,
             const std::string& block,
             size_t index,
             const ResnetSizes& resnetSizes,
             const TransformerSizes* transformerSizes);
    [[nodiscard]] at::Tensor apply(Forward& forward,
                                   const at::Tensor& x,
                                   const UNetInputs& inputs) const;
};

/// DownBlock2D and CrossAttnDownBlock2D: units, then half the size except in the last level.
struct UNetDown {
    std::vector<UNetUnit> units;
    std::optional<Conv2d> shrink;

    UNetDown(NetworkBuilder& builder, const UNet2DConfig& config, size_t level);
    /// The units from `first` to before `last`; appends their results to `skips`. `residual` may be
    /// undefined, see UNetResiduals::blocks; it is added behind the last unit where it does not
    /// belong behind the shrinking.
    [[nodiscard]] at::Tensor applyUnits(Forward& forward,
                                        at::Tensor x,
                                        size_t first,
                                        size_t last,
                                        const UNetInputs& inputs,
                                        const at::Tensor& residual,
                                        std::vector<at::Tensor>& skips) const;
    /// Half the size, another skip, and the residual where it belongs here; `x` in the last level.
    [[nodiscard]] at::Tensor applyShrinking(Forward& forward,
                                            at::Tensor x,
                                            const at::Tensor& residual,
                                            std::vector<at::Tensor>& skips) const;

private:
    [[nodiscard]] bool addsBeforeShrinking() const;
};

/// UNetMidBlock2DCrossAttn: resnet, transformer, resnet.
struct UNetMid {
    UNetUnit first;
    UNetUnit last;

    UNetMid(NetworkBuilder& builder, const UNet2DConfig& config);
    [[nodiscard]] at::Tensor apply(Forward& forward,
                                   const at::Tensor& x,
                                   const UNetInputs& inputs) const;

private:
    UNetMid(NetworkBuilder& builder,
            const ResnetSizes& resnet,
            const TransformerSizes& transformer,
            const NetworkBuilder::BlockGuard& block);
};

/// UpBlock2D and CrossAttnUpBlock2D: units that take a skip each, then the size of the next skip.
struct UNetUp {
    std::vector<UNetUnit> units;
    std::optional<Conv2d> grow;

    UNetUp(NetworkBuilder& builder, const UNet2DConfig& config, size_t level);
    /// The units from `first` to before `last`; each takes a skip from the end of `skips`.
    [[nodiscard]] at::Tensor applyUnits(Forward& forward,
                                        at::Tensor x,
                                        size_t first,
                                        size_t last,
                                        const UNetInputs& inputs,
                                        std::vector<at::Tensor>& skips) const;
    /// The size of the next skip; `x` in the largest level.
    [[nodiscard]] at::Tensor applyGrowing(Forward& forward,
                                          at::Tensor x,
                                          const std::vector<at::Tensor>& skips) const;
};

}  // namespace lowtide::models
