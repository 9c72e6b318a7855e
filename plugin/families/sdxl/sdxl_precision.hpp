#pragma once

#include "plugin/memory/resolve_precision.hpp"

namespace lowtide::models {

/// What decides how precisely a checkpoint of Stable Diffusion XL must be computed.
struct SdxlPrecisionFacts {
    bool sumsInF32 = false;     ///< upcast_attention: no preset sums in half precision
    bool decodesInF32 = false;  ///< force_upcast: its autoencoder overflows in half precision
    bool hasEdmLevels = false;  ///< trained as playground-v2.5
};

/// What Stable Diffusion XL states about precision. Users of OneDiff reported that f16 sums soften
/// images of SDXL base (issue 752) and leave those of playground-v2.5 as they are, so `speed` has
/// them with the noise levels of EDM only.
[[nodiscard]] memory::FamilyPrecision sdxlPrecisions(const SdxlPrecisionFacts& facts);

}  // namespace lowtide::models
