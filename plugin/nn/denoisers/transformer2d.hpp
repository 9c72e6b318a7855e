#pragma once

#include "plugin/nn/blocks/attention.hpp"

#include <string>
#include <variant>
#include <vector>

namespace lowtide::models {

struct TransformerSizes {
    int64_t channels = 0;
    int64_t contextWidth = 0;
    int64_t heads = 1;
    int64_t layers = 1;
    int64_t groups = 32;
    bool linearProjection = false;
};

/// Self attention, cross attention and a gated feed-forward network. Source: diffusers
/// BasicTransformerBlock.
struct TransformerLayer {
    LayerNorm norm1;
    Attention selfAttention;
    LayerNorm norm2;
    Attention crossAttention;
    LayerNorm norm3;
    Linear inner;  ///< to twice the inner width: value and gate
    Linear outer;

    TransformerLayer(NetworkBuilder& builder,
                     const std::string& name,
                     const TransformerSizes& sizes);
    /// x [B, H*W, C], of a map of the size that `cross` says.
    [[nodiscard]] at::Tensor apply(Pass& pass, const at::Tensor& x, const CrossInputs& cross) const;
};

/// Transformer over the pixels of a feature map, beside a shortcut. Source: diffusers
/// Transformer2DModel.
struct Transformer2D {
    GroupNorm norm;
    std::variant<Conv2d, Linear> input;
    std::vector<TransformerLayer> layers;
    std::variant<Conv2d, Linear> output;

    Transformer2D(NetworkBuilder& builder, const std::string& name, const TransformerSizes& sizes);
    /// x [B, C, H, W], context [B, T, contextWidth] -> [B, C, H, W].
    [[nodiscard]] at::Tensor apply(Pass& pass,
                                   const at::Tensor& x,
                                   const at::Tensor& context,
                                   const std::vector<PictureTokens>& pictures = {}) const;
};

}  // namespace lowtide::models
