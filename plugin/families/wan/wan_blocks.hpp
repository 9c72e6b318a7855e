#pragma once
// Settings of WAN's network, its blocks, and what conditions them: text, time and images.

#include "plugin/base/json_fwd.hpp"
#include "plugin/nn/blocks/attention.hpp"
#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/denoisers/denoiser_parts.hpp"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
    int64_t imageWidth = 0;      ///< image_dim: of an image encoder's states; 0: it reads no image
    int64_t imagePositions = 0;  ///< pos_embed_seq_len: tokens of two images; 0: of one
    int64_t mostPatches = 1024;  ///< rope_max_seq_len: along each axis

    [[nodiscard]] int64_t width() const { return heads * headWidth; }

    /// Numbers of one token of a latent with `channels`.
    [[nodiscard]] int64_t patchNumbers(int64_t channels) const {
        return channels * patch[0] * patch[1] * patch[2];
    }
};

/// Errors: Unsupported names the setting that is not built, Corrupt the one that cannot be.
[[nodiscard]] WanConfig readWanConfig(const Json& json, const std::string& what);

/// An image encoder's states as tokens of the network.
struct WanImageProjection {
    LayerNorm inputNorm;
    Linear inner;
    Linear outer;
    LayerNorm outputNorm;
    std::optional<memory::LeafId> positions;  ///< of two images

    WanImageProjection(NetworkBuilder& builder, const WanConfig& config);
    /// [N, S, imageWidth], or [2 N, S, imageWidth] of two images each -> [N, S or 2 S,
    /// width].
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& states) const;
};

/// What the transformer makes of time, text and images before its blocks.
/// Source: diffusers 0.42.1 WanTimeTextImageEmbedding.
struct WanConditions {
    VectorEmbedding timeVector;
    Linear timeParts;
    Linear textInner;
    Linear textOuter;
    std::optional<WanImageProjection> images;

    WanConditions(NetworkBuilder& builder, const WanConfig& config);

    struct Time {
        at::Tensor whole;  ///< [N, width]
        at::Tensor parts;  ///< [N, 6, width] f32
    };

    /// steps [N, timeWidth] f32; `like`: in the type of the network.
    [[nodiscard]] Time time(Forward& forward,
                            const at::Tensor& steps,
                            const at::Tensor& like) const;
    /// [N, T, textWidth] -> [N, T, width].
    [[nodiscard]] at::Tensor text(Forward& forward, const at::Tensor& embeds) const;
};

/// What a call of the transformer gives to all of its blocks.
struct WanContext {
    at::Tensor text;    ///< [N, T, width]
    at::Tensor images;  ///< [N, S, width], or undefined
    at::Tensor time;    ///< [N, 6, width] f32: shifts, scales and gates
    Rotation rotation;  ///< of the latent's tokens
};

/// Keys and values of a cross attention's second source.
struct WanImageKeys {
    Linear key;
    Linear value;
    RmsNorm norm;

    WanImageKeys(NetworkBuilder& builder, const std::string& prefix, const WanConfig& config);
};

/// Attention whose queries and keys are normed over all heads.
struct WanAttention {
    Linear query;
    Linear key;
    Linear value;
    Linear out;
    RmsNorm queryNorm;
    RmsNorm keyNorm;
    std::optional<WanImageKeys> images;
    int64_t heads = 1;

    /// `seesImages`: in addition to the text.
    WanAttention(NetworkBuilder& builder,
                 const std::string& prefix,
                 const WanConfig& config,
                 bool seesImages);
    /// x [N, T, width], rotated by their positions.
    [[nodiscard]] at::Tensor applyToItself(Forward& forward,
                                           at::Tensor x,
                                           const Rotation& rotation) const;
    /// x [N, T, width]; the sum of what it finds in the text and in images.
    [[nodiscard]] at::Tensor applyToContext(Forward& forward,
                                            const at::Tensor& x,
                                            const WanContext& context) const;

private:
    [[nodiscard]] at::Tensor inHeads(const at::Tensor& x) const;
};

/// Self attention, cross attention and a product between, moved and scaled by the time.
/// Source: Wan et al. 2025, section 4.2; diffusers 0.42.1 WanTransformerBlock.
struct WanBlock {
    memory::LeafId table;
    WanAttention self;
    WanAttention cross;
    std::optional<LayerNorm> crossNorm;
    memory::LeafId feed;
    double epsilon = 1e-6;

    WanBlock(NetworkBuilder& builder, const std::string& name, const WanConfig& config);
    /// hidden [N, T, width], in place. A few more tensors as large are held while it attends;
    /// what else is wider goes some thousand tokens at a time.
    void apply(Forward& forward, const at::Tensor& hidden, const WanContext& context) const;

private:
    void addFed(Forward& forward,
                const at::Tensor& hidden,
                const at::Tensor& shift,
                const at::Tensor& scale,
                const at::Tensor& gate) const;
};

}  // namespace lowtide::models
