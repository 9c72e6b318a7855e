#pragma once

#include "plugin/families/wan/wan_config.hpp"
#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/blocks/rotary.hpp"

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace lowtide::models {

/// What a call of the transformer says to all of its blocks.
struct WanContext {
    at::Tensor text;      ///< [N, T, width]
    at::Tensor pictures;  ///< [N, S, width], or undefined
    at::Tensor time;      ///< [N, 6, width] f32: shifts, scales and gates
    Rotation rotation;    ///< of the latent's tokens
};

/// Keys and values of a cross attention's second source.
struct WanPictureKeys {
    Linear key;
    Linear value;
    RmsNorm norm;

    WanPictureKeys(NetworkBuilder& builder, const std::string& prefix, const WanConfig& config);
};

/// Attention whose queries and keys are normed over all heads.
struct WanAttention {
    Linear query;
    Linear key;
    Linear value;
    Linear out;
    RmsNorm queryNorm;
    RmsNorm keyNorm;
    std::optional<WanPictureKeys> pictures;
    int64_t heads = 1;

    /// `seesPictures`: beside the text.
    WanAttention(NetworkBuilder& builder,
                 const std::string& prefix,
                 const WanConfig& config,
                 bool seesPictures);
    /// x [N, T, width], rotated by their places.
    [[nodiscard]] at::Tensor applyToItself(Pass& pass,
                                           at::Tensor x,
                                           const Rotation& rotation) const;
    /// x [N, T, width]; the sum of what it finds in the text and in pictures.
    [[nodiscard]] at::Tensor applyToContext(Pass& pass,
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
    /// hidden [N, T, width], in place. Beside it a few tensors as large are held while it attends;
    /// what else is wider goes some thousand tokens at a time.
    void apply(Pass& pass, at::Tensor& hidden, const WanContext& context) const;

private:
    void addFed(Pass& pass,
                at::Tensor& hidden,
                const at::Tensor& shift,
                const at::Tensor& scale,
                const at::Tensor& gate) const;
};

}  // namespace lowtide::models
