#pragma once

#include "plugin/models/model.hpp"
#include "plugin/models/stage_context.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// [B, C, h, w] for pictures [B, 3, H, W] and a mask [1 or B, 1, H, W], or an empty shape for none.
/// Error{InvalidInput} names the input or the setting that cannot be.
[[nodiscard]] Shape encodedShape(const Model& model,
                                 const ImageEncodeShapes& shapes,
                                 const ImageEncodeRequest& settings);

/// Whether the request's result is a distribution for a denoiser to draw from.
[[nodiscard]] bool givesDistribution(const ImageEncodeRequest& settings);

/// Pictures to latents, one after the other, whole or in tiles. Polls "cancel after this image"
/// between them. Records init.pixels, vae.encode_in, vae.moments.
[[nodiscard]] WireRef imageEncodeStage(StageContext& context,
                                       const ImageEncodeRequest& request,
                                       const StageCall& call);

}  // namespace lowtide::models
