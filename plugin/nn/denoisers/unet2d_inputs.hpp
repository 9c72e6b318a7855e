#pragma once

#include "plugin/nn/blocks/picture_tokens.hpp"

#include <ATen/core/Tensor.h>

#include <vector>

namespace lowtide::models {

/// What a denoiser is told beside latents and time, on its pass's device.
struct UNetConditioning {
    at::Tensor context;     ///< [N, T, contextWidth]
    at::Tensor guidance{};  ///< [N, guidanceWidth] where the network embeds it
    at::Tensor added{};     ///< [N, addedWidth] where the network adds it to the time
    std::vector<PictureTokens> pictures{};  ///< that its cross attentions see
};

/// What every unit of the UNet reads beside the feature map.
struct UNetInputs {
    at::Tensor time;     ///< [N, timeWidth], after the activation
    at::Tensor context;  ///< [N, T, contextWidth]
    std::vector<PictureTokens> pictures{};
};

}  // namespace lowtide::models
