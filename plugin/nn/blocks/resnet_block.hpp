#pragma once

#include "plugin/nn/blocks/layers.hpp"

#include <optional>

namespace lowtide::models {

struct ResnetSizes {
    int64_t in = 0;
    int64_t out = 0;
    int64_t timeWidth = 0;  ///< 0: no timestep embedding (autoencoders)
    int64_t groups = 32;
    double epsilon = 1e-5;
};

/// Two normalised convolutions beside a shortcut. Source: diffusers ResnetBlock2D, time_scale_shift
/// "default".
struct ResnetBlock {
    GroupNorm norm1;
    Conv2d conv1;
    std::optional<Linear> timeProjection;
    GroupNorm norm2;
    Conv2d conv2;
    std::optional<Conv2d> shortcut;

    ResnetBlock(NetworkBuilder& builder, const std::string& name, const ResnetSizes& sizes);
    /// x [B, in, H, W], time [B, timeWidth] after the activation, or undefined -> [B, out, H, W].
    [[nodiscard]] at::Tensor apply(Pass& pass, const at::Tensor& x, const at::Tensor& time) const;
    /// The same for an `x` that nobody else needs: its memory is given back, or used again, early.
    [[nodiscard]] at::Tensor applyOver(Pass& pass, at::Tensor x, const at::Tensor& time) const;

private:
    /// The first convolution's result as the second one reads it.
    [[nodiscard]] at::Tensor normalised(Pass& pass,
                                        at::Tensor hidden,
                                        const at::Tensor& time) const;
};

}  // namespace lowtide::models
