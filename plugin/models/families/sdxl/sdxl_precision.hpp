#pragma once

#include "plugin/memory/resolve_precision.hpp"

namespace lowtide::models {

/// What decides how precisely a checkpoint of Stable Diffusion XL must be computed.
struct SdxlPrecisionFacts {
    bool sumsInF32 = false;     ///< upcast_attention: no preset sums in half precision
    bool decodesInF32 = false;  ///< force_upcast: its autoencoder overflows in half precision
};

/// What Stable Diffusion XL states of precision.
[[nodiscard]] const memory::FamilyPrecision& sdxlPrecisions(const SdxlPrecisionFacts& facts);

}  // namespace lowtide::models
