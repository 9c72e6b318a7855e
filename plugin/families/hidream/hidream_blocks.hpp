#pragma once
// Settings of the network and its blocks: attention of one or two streams, feed-forward layers with
// experts.

#include "plugin/base/json_fwd.hpp"
#include "plugin/nn/blocks/attention.hpp"
#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/dit.hpp"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <optional>
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
    std::array<int64_t, 3> axes{64, 32, 32};  ///< numbers of a head for index 0, rows, columns
    int64_t mostTokens = 4096;  ///< of images that are no square, which are filled up to it
    /// Of each layer, which state of the language model it reads: 0 is the first layer's.
    std::vector<int64_t> languageLayers{};

    [[nodiscard]] int64_t width() const { return heads * headWidth; }

    [[nodiscard]] int64_t layers() const { return doubleLayers + singleLayers; }

    [[nodiscard]] int64_t patchNumbers(int64_t channels) const { return channels * patch * patch; }
};

/// Errors: Unsupported names the setting that is not built, Corrupt the one that cannot be.
[[nodiscard]] HiDreamConfig readHiDreamConfig(const Json& json, const std::string& what);

/// A feed-forward layer of several experts: each token goes through the few that a gate chooses for
/// it, weighed by the gate, and through one that all share. Experts that no token was sent to are
/// not leased. Source: Dai et al. 2024, eq. 9 to 11; diffusers 0.42.1 MOEFeedForwardSwiGLU.
struct ExpertFeed {
    SwiGluFeed shared;
    std::vector<SwiGluFeed> experts;
    memory::LeafId gate = 0;
    int64_t active = 1;

    ExpertFeed(NetworkBuilder& builder, const std::string& name, const HiDreamConfig& config);
    /// x [N, T, width], to all experts some thousand tokens at a time at most. The host waits for
    /// the gate. A dry run gives each expert as many tokens as one can.
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const;

private:
    /// Which tokens go where.
    struct Routes {
        at::Tensor order;             ///< int64 [M k]: token * k + choice, by expert
        at::Tensor fractions;         ///< [M k, 1] of the gate, by token * k + choice
        std::vector<int64_t> counts;  ///< tokens of each expert
    };

    [[nodiscard]] Routes routesOf(Forward& forward, const at::Tensor& tokens) const;
};

/// The inner width that HiDream-I1 makes of `inner`: two thirds, rounded up to 256.
[[nodiscard]] int64_t hidreamInnerWidth(int64_t inner);

/// The feed-forward layer of an image's tokens: of experts, where the network has them.
struct ImageFeed {
    std::optional<ExpertFeed> experts;
    std::optional<SwiGluFeed> plain;

    ImageFeed(NetworkBuilder& builder, const std::string& name, const HiDreamConfig& config);

    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const {
        return experts ? experts->apply(forward, x) : plain->apply(forward, x);
    }
};

/// What a call of the transformer gives to all of its blocks.
struct HiDreamContext {
    at::Tensor time;    ///< [N, width], activated
    Rotation rotation;  ///< of the image's tokens and those of texts behind them
    at::Tensor fill;    ///< [1, T, 1]: 0 for tokens that fill an image up; undefined: none do
};

/// Queries, keys and values of one kind of tokens, normed over all heads, and the way back.
struct HiDreamProjections {
    Linear query;
    Linear key;
    Linear value;
    Linear out;
    RmsNorm queryNorm;
    RmsNorm keyNorm;

    /// `suffix`: "_t" of those of texts, which are under the same name.
    HiDreamProjections(NetworkBuilder& builder,
                       const std::string& name,
                       const std::string& suffix,
                       const HiDreamConfig& config);
};

/// Texts and image with weights of their own, which attend to each other.
/// Source: Cai et al. 2025; diffusers 0.42.1 HiDreamImageTransformerBlock.
struct HiDreamDoubleBlock {
    Linear modulation;
    HiDreamProjections image;
    HiDreamProjections text;
    ImageFeed imageFeed;
    SwiGluFeed textFeed;
    int64_t heads = 1;

    HiDreamDoubleBlock(NetworkBuilder& builder,
                       const std::string& name,
                       const HiDreamConfig& config);
    /// hidden [N, T, width] of the image and texts [N, S, width], in place.
    void apply(Forward& forward,
               const at::Tensor& hidden,
               const at::Tensor& texts,
               const HiDreamContext& context) const;
};

/// Image and texts in a row, with one set of weights. Source: diffusers 0.42.1
/// HiDreamImageSingleTransformerBlock.
struct HiDreamSingleBlock {
    Linear modulation;
    HiDreamProjections all;
    ImageFeed feed;
    int64_t heads = 1;

    HiDreamSingleBlock(NetworkBuilder& builder,
                       const std::string& name,
                       const HiDreamConfig& config);
    /// hidden [N, T + S, width], in place.
    void apply(Forward& forward, const at::Tensor& hidden, const HiDreamContext& context) const;
};

}  // namespace lowtide::models
