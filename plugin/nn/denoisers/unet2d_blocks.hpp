#pragma once

#include "plugin/nn/blocks/resnet_block.hpp"
#include "plugin/nn/denoisers/transformer2d.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"

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
    /// The units from `first` to before `last`; appends their results to `skips`. `residual` may be
    /// undefined, see UNetResiduals::blocks; it is added behind the last unit where it does not
    /// belong behind the shrinking.
    [[nodiscard]] at::Tensor applyUnits(Pass& pass,
                                        at::Tensor x,
                                        size_t first,
                                        size_t last,
                                        const UNetInputs& inputs,
                                        const at::Tensor& residual,
                                        std::vector<at::Tensor>& skips) const;
    /// Half the size, another skip, and the residual where it belongs here; `x` in the last level.
    [[nodiscard]] at::Tensor applyShrinking(Pass& pass,
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
    /// The units from `first` to before `last`; each takes a skip from the end of `skips`.
    [[nodiscard]] at::Tensor applyUnits(Pass& pass,
                                        at::Tensor x,
                                        size_t first,
                                        size_t last,
                                        const UNetInputs& inputs,
                                        std::vector<at::Tensor>& skips) const;
    /// The size of the next skip; `x` in the largest level.
    [[nodiscard]] at::Tensor applyGrowing(Pass& pass,
                                          at::Tensor x,
                                          const std::vector<at::Tensor>& skips) const;
};

}  // namespace lowtide::models
