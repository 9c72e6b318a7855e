#pragma once

#include "plugin/nn/blocks/layers.hpp"

#include <cstdint>
#include <vector>

namespace lowtide::models {

/// Brings a hint picture to the size and width of the first feature map. Source: diffusers
/// ControlNetConditioningEmbedding.
struct HintEmbedding {
    Conv2d input;
    std::vector<Conv2d> blocks;  ///< two for each but the first width: as large, and half as large
    Conv2d output;

    /// `widths`: conditioning_embedding_out_channels; `out`: channels of the first level.
    HintEmbedding(NetworkBuilder& builder, const std::vector<int64_t>& widths, int64_t out);
    /// hint [N, 3, H, W] -> [N, out, H / f, W / f] with f two to the number of halvings.
    [[nodiscard]] at::Tensor apply(Pass& pass, const at::Tensor& hint) const;
};

}  // namespace lowtide::models
