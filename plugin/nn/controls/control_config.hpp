#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

/// Settings of a ControlNet: those of the UNet whose way down it copies, and of its hint.
struct ControlConfig {
    UNet2DConfig unet;
    std::vector<int64_t> hintChannels;  ///< conditioning_embedding_out_channels
    bool takesBgr = false;              ///< controlnet_conditioning_channel_order
    /// global_pool_conditions: each residual is the mean over the picture, for the positive half.
    bool poolsGlobally = false;

    /// Pixels of the hint for one of the latent, along a side.
    [[nodiscard]] int64_t hintFactor() const { return int64_t{1} << (hintChannels.size() - 1); }
};

/// From a ControlNetModel's config.json. Errors: Unsupported names the setting that is not built,
/// Corrupt the one that cannot be.
[[nodiscard]] ControlConfig readControlConfig(const Json& json, const std::string& what);

}  // namespace lowtide::models
