#pragma once
// Images to latents, for a node and for the tiles of a detail pass.

#include "nodes/engine/stage_def.hpp"
#include "plugin/memory/precision.hpp"

#include <cstdint>

namespace lowtide::nodes {

/// What is taken of the many latents that an image may have.
enum class LatentSampling : uint8_t {
    Sample,  ///< a denoiser draws from them, with its own seed, as diffusers does
    Mean     ///< the likeliest ones, the same for every seed
};

struct ImageEncodeAsked {
    WireRef model;
    WireRef image;
    WireRef mask;            ///< may be null; what it covers is made grey first
    int64_t tilePixels = 0;  ///< side of a tile with blended seams, 0: whole; changes pixels
    LatentSampling sampling = LatentSampling::Sample;
    memory::PrecisionChoice precision{};
};

/// Images to latents, one after the other, whole or in tiles. Polls "cancel after this image"
/// between them. Records init.pixels, vae.encode_in, vae.moments.
[[nodiscard]] WireRef encodeImages(models::StageContext& context,
                                   const ImageEncodeAsked& asked,
                                   const StageCall& call);

}  // namespace lowtide::nodes
