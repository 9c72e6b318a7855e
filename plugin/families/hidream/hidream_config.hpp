#pragma once

#include "plugin/base/json_fwd.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::models {

/// Settings of transformer/config.json. Missing ones get the defaults of diffusers'
/// HiDreamImageTransformer2DModel.
struct HiDreamConfig {
    int64_t patch = 2;  ///< sides of the square of a latent for one token
    int64_t inChannels = 64;
    int64_t outChannels = 64;
    int64_t doubleLayers = 16;  ///< num_layers: with weights of their own for the text
    int64_t singleLayers = 32;
    int64_t headWidth = 128;
    int64_t heads = 20;
    int64_t t5Width = 4096;                   ///< caption_channels
    int64_t languageWidth = 4096;             ///< likewise, of the language model
    int64_t pooledWidth = 2048;               ///< text_emb_dim: of both CLIP encoders
    int64_t experts = 4;                      ///< num_routed_experts; 0: plain layers
    int64_t activeExperts = 2;                ///< num_activated_experts: of one token
    std::array<int64_t, 3> axes{64, 32, 32};  ///< numbers of a head for place 0, rows, columns
    int64_t mostTokens = 4096;  ///< of pictures that are no square, which are filled up to it
    /// Of each layer, which state of the language model it reads: 0 is the first layer's.
    std::vector<int64_t> languageLayers{};

    [[nodiscard]] int64_t width() const { return heads * headWidth; }

    [[nodiscard]] int64_t layers() const { return doubleLayers + singleLayers; }

    [[nodiscard]] int64_t patchNumbers(int64_t channels) const { return channels * patch * patch; }
};

/// Errors: Unsupported names the setting that is not built, Corrupt the one that cannot be.
[[nodiscard]] HiDreamConfig readHiDreamConfig(const Json& json, const std::string& what);

}  // namespace lowtide::models
