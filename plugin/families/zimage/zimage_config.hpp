#pragma once

#include "plugin/base/json_fwd.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace lowtide::models {

/// Settings of transformer/config.json. Missing ones get the defaults of diffusers'
/// ZImageTransformer2DModel.
struct ZImageConfig {
    int64_t inChannels = 16;
    int64_t width = 3840;      ///< dim
    int64_t layers = 30;       ///< n_layers: of picture and text in a row
    int64_t refiners = 2;      ///< n_refiner_layers: of the picture alone, and of the text alone
    int64_t heads = 30;        ///< n_heads
    int64_t textWidth = 2560;  ///< cap_feat_dim
    double normEpsilon = 1e-5;
    double rotaryBase = 256;                  ///< rope_theta
    double timeScale = 1000;                  ///< t_scale
    std::array<int64_t, 3> axes{32, 48, 48};  ///< axes_dims: numbers of a head for each axis

    /// Of a latent's square for one token.
    static constexpr int64_t kPatch = 2;

    [[nodiscard]] int64_t headWidth() const { return width / heads; }

    [[nodiscard]] int64_t patchNumbers() const { return kPatch * kPatch * inChannels; }
};

/// Errors: Unsupported names the setting that is not built, Corrupt the one that cannot be.
[[nodiscard]] ZImageConfig readZImageConfig(const Json& json, const std::string& what);

}  // namespace lowtide::models
