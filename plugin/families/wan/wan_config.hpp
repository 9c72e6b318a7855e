#pragma once

#include "plugin/base/json_fwd.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace lowtide::models {

/// Settings of transformer/config.json. Missing ones get the defaults of diffusers'
/// WanTransformer3DModel.
struct WanConfig {
    int64_t heads = 40;
    int64_t headWidth = 128;
    int64_t inChannels = 16;
    int64_t outChannels = 16;
    int64_t textWidth = 4096;
    int64_t timeWidth = 256;  ///< freq_dim: of the time's sinusoids
    int64_t innerWidth = 13824;
    int64_t layers = 40;
    std::array<int64_t, 3> patch{1, 2, 2};  ///< frames, rows, columns of a latent for one token
    bool hasCrossNorm = true;
    double epsilon = 1e-6;
    int64_t pictureWidth = 0;  ///< image_dim: of an image encoder's states; 0: it sees no picture
    int64_t picturePositions = 0;  ///< pos_embed_seq_len: tokens of two pictures; 0: of one
    int64_t mostPatches = 1024;    ///< rope_max_seq_len: along each axis

    [[nodiscard]] int64_t width() const { return heads * headWidth; }

    /// Numbers of one token of a latent with `channels`.
    [[nodiscard]] int64_t patchNumbers(int64_t channels) const {
        return channels * patch[0] * patch[1] * patch[2];
    }
};

/// Errors: Unsupported names the setting that is not built, Corrupt the one that cannot be.
[[nodiscard]] WanConfig readWanConfig(const Json& json, const std::string& what);

}  // namespace lowtide::models
