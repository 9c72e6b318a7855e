#pragma once

#include "plugin/models/blocks/resnet_block.hpp"
#include "plugin/models/denoisers/transformer2d.hpp"
#include "plugin/models/denoisers/unet2d_config.hpp"

#include <optional>
#include <vector>

namespace lowtide::models {

/// What every unit of the UNet reads beside the feature map.
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
    [[nodiscard]] at::Tensor apply(Pass& pass, const at::Tensor& x, const UNetInputs& inputs) const;
};

/// DownBlock2D and CrossAttnDownBlock2D: units, then half the size except in the last level.
struct UNetDown {
    std::vector<UNetUnit> units;
    std::optional<Conv2d> shrink;

    UNetDown(NetworkBuilder& builder, const UNet2DConfig& config, size_t level);
    /// Appends the result of every unit and of the shrinking to `skips`. `residual` may be
    /// undefined, see UNetResiduals::blocks.
    [[nodiscard]] at::Tensor apply(Pass& pass,
                                   at::Tensor x,
                                   const UNetInputs& inputs,
                                   const at::Tensor& residual,
                                   std::vector<at::Tensor>& skips) const;
};

/// UNetMidBlock2DCrossAttn: resnet, transformer, resnet.
struct UNetMid {
    UNetUnit first;
    UNetUnit last;

    UNetMid(NetworkBuilder& builder, const UNet2DConfig& config);
    [[nodiscard]] at::Tensor apply(Pass& pass, const at::Tensor& x, const UNetInputs& inputs) const;

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
    /// Takes one skip for every unit from the end of `skips`.
    [[nodiscard]] at::Tensor apply(Pass& pass,
                                   at::Tensor x,
                                   const UNetInputs& inputs,
                                   std::vector<at::Tensor>& skips) const;
};

}  // namespace lowtide::models
