#pragma once

#include "plugin/models/stage_context.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// The shape of the result for latents [B, C, h, w]. Error{InvalidInput} names the port or setting
/// that cannot be: an empty latent, a size without a model, a side that is no multiple of what its
/// autoencoder packs into one latent pixel.
[[nodiscard]] Shape upscaledShape(const Shape& latentShape, const LatentUpscaleRequest& settings);

/// Latents at another size, where they lie. A sampler's state does not fit them any more and is
/// left out.
[[nodiscard]] WireRef upscaleLatentStage(StageContext& context,
                                         const LatentUpscaleRequest& request);

}  // namespace lowtide::models
