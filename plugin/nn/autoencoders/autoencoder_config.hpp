#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/nn/latent_space.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

/// Settings of vae/config.json. Missing ones get diffusers' defaults.
struct AutoencoderConfig {
    int64_t imageChannels = 3;
    int64_t latentChannels = 4;
    int64_t layersPerBlock = 1;
    int64_t groups = 32;
    double scalingFactor = 0.18215;
    double shiftFactor = 0;
    std::vector<double> latentsMean{};       ///< of each channel; empty: not stated
    std::vector<double> latentsDeviation{};  ///< likewise, and both or none
    bool forceUpcast = true;                 ///< its values do not fit half precision
    bool quantConv = true;                   ///< 1x1 convolution behind the encoder
    bool postQuantConv = true;               ///< 1x1 convolution before the decoder
    bool midAttention = true;
    std::vector<int64_t> channels;  ///< by level, from the largest image to the smallest

    /// Pixels of the image for one of the latent.
    [[nodiscard]] int64_t downsampling() const { return int64_t{1} << (channels.size() - 1); }
};

/// What its latents are to a denoiser.
[[nodiscard]] LatentSpace latentSpaceOf(const AutoencoderConfig& config);

/// Errors: Unsupported names the setting that is not built, Corrupt the one that cannot be.
[[nodiscard]] AutoencoderConfig readAutoencoderConfig(const Json& json, const std::string& what);

}  // namespace lowtide::models
