#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/nn/latent_space.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

/// Settings of vae/config.json of a causal autoencoder of videos. Missing ones get the defaults of
/// diffusers' AutoencoderKLWan.
struct WanAutoencoderConfig {
    int64_t imageChannels = 3;
    int64_t latentChannels = 16;
    int64_t baseWidth = 96;                             ///< of the encoder
    int64_t decoderBaseWidth = 96;                      ///< decoder_base_dim
    std::vector<int64_t> widths{1, 2, 4, 4};            ///< dim_mult, by level
    std::vector<bool> halvesFrames{false, true, true};  ///< temperal_downsample, behind each level
    int64_t layersPerBlock = 2;
    std::vector<double> latentsMean{};
    std::vector<double> latentsDeviation{};

    /// Pixels of a side, and frames behind the first one, for one of the latent.
    [[nodiscard]] int64_t downsampling() const { return int64_t{1} << (widths.size() - 1); }

    [[nodiscard]] int64_t frameDownsampling() const;
};

/// What its latents are to a denoiser; `multiple`: of the sides of a picture.
[[nodiscard]] LatentSpace latentSpaceOf(const WanAutoencoderConfig& config, int64_t multiple);

/// Errors: Unsupported names the setting that is not built, Corrupt the one that cannot be.
[[nodiscard]] WanAutoencoderConfig readWanAutoencoderConfig(const Json& json,
                                                            const std::string& what);

}  // namespace lowtide::models
