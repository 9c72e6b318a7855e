#pragma once

#include "plugin/families/wan/wan_config.hpp"
#include "plugin/nn/blocks/layers.hpp"

#include <ATen/core/Tensor.h>

#include <optional>

namespace lowtide::models {

/// An image encoder's states as tokens of the network.
struct WanPictureProjection {
    LayerNorm inputNorm;
    Linear inner;
    Linear outer;
    LayerNorm outputNorm;
    std::optional<memory::LeafId> positions;  ///< of two pictures

    WanPictureProjection(NetworkBuilder& builder, const WanConfig& config);
    /// [N, S, pictureWidth], or [2 N, S, pictureWidth] of two pictures each -> [N, S or 2 S,
    /// width].
    [[nodiscard]] at::Tensor apply(Pass& pass, const at::Tensor& states) const;
};

/// What the transformer makes of time, text and pictures before its blocks.
/// Source: diffusers 0.42.1 WanTimeTextImageEmbedding.
struct WanConditions {
    Linear timeInner;
    Linear timeOuter;
    Linear timeParts;
    Linear textInner;
    Linear textOuter;
    std::optional<WanPictureProjection> pictures;

    WanConditions(NetworkBuilder& builder, const WanConfig& config);

    struct Time {
        at::Tensor whole;  ///< [N, width]
        at::Tensor parts;  ///< [N, 6, width] f32
    };

    /// steps [N, timeWidth] f32; `like`: in the type of the network.
    [[nodiscard]] Time time(Pass& pass, const at::Tensor& steps, const at::Tensor& like) const;
    /// [N, T, textWidth] -> [N, T, width].
    [[nodiscard]] at::Tensor text(Pass& pass, const at::Tensor& embeds) const;
};

}  // namespace lowtide::models
