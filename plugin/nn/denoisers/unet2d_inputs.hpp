#pragma once
// What the UNet is given in addition to latents and time, and what adapters add inside it.

#include "plugin/base/units.hpp"
#include "plugin/nn/blocks/attention.hpp"

#include <ATen/core/Tensor.h>

#include <vector>

namespace lowtide::models {

/// What a denoiser is given in addition to latents and time, on its forward's device.
struct UNetConditioning {
    at::Tensor context;                 ///< [N, T, contextWidth]
    at::Tensor guidance{};              ///< [N, guidanceWidth] where the network embeds it
    at::Tensor added{};                 ///< [N, addedWidth] where the network adds it to the time
    std::vector<ImageTokens> images{};  ///< that its cross attentions see
};

/// What every unit of the UNet reads in addition to the feature map.
struct UNetInputs {
    at::Tensor time;     ///< [N, timeWidth], after the activation
    at::Tensor context;  ///< [N, T, contextWidth]
    std::vector<ImageTokens> images{};
};

struct UNet2DConfig;

/// Feature maps that are added in one call of the UNet; all optional, never written to. f32, on any
/// device. Source: diffusers 0.42.1, UNet2DConditionModel.forward.
struct UNetResiduals {
    /// ControlNet: one for each skip, in the order in which skips arise, and one for the middle
    /// block's result (down_block_additional_residuals, mid_block_additional_residual). Both or
    /// neither.
    std::vector<at::Tensor> skips;
    at::Tensor middle;
    /// T2I-Adapter: one for each block of the way down (down_intrablock_additional_residuals),
    /// added before it shrinks where it has cross attention, behind it else; the skip has it too.
    /// One more is added to the middle block's result.
    std::vector<at::Tensor> blocks;

    [[nodiscard]] bool isEmpty() const {
        return skips.empty() && blocks.empty() && !middle.defined();
    }
};

/// Shapes that residuals must have.
struct UNetResidualShapes {
    std::vector<Shape> skips;
    Shape middle;
    std::vector<Shape> blocks;  ///< with the middle block's at the end
};

/// For latents [N, C, h, w].
[[nodiscard]] UNetResidualShapes residualShapes(const UNet2DConfig& config,
                                                at::IntArrayRef latents);
/// Error{InvalidInput} names the first residual that does not fit, and what would.
void checkResiduals(const UNetResiduals& residuals,
                    const UNet2DConfig& config,
                    at::IntArrayRef latents);

/// Adds `residual` to `x`, which nobody else may need; nothing when it is undefined.
void addResidual(at::Tensor& x, const at::Tensor& residual);
/// The sum, where somebody else needs `x`.
[[nodiscard]] at::Tensor withResidual(const at::Tensor& x, const at::Tensor& residual);

}  // namespace lowtide::models
