#pragma once
// Latents to images, for a node and for the tiles of a detail pass.

#include "nodes/engine/stage_def.hpp"
#include "plugin/memory/precision.hpp"

#include <cstdint>

namespace lowtide::nodes {

struct DecodeAsked {
    WireRef model;
    WireRef latent;
    int64_t tilePixels = 0;  ///< side of a tile with blended seams, 0: whole; changes pixels
    memory::PrecisionChoice precision{};
};

/// Latents to images, one after the other, whole or in tiles. Polls "cancel after this image"
/// between them.
[[nodiscard]] WireRef decodeLatents(models::StageContext& context,
                                    const DecodeAsked& asked,
                                    const StageCall& call);

}  // namespace lowtide::nodes
