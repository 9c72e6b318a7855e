#pragma once

#include "plugin/models/stage_context.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

class Model;

/// [B, 3, H, W] of the pictures of latents, whose shape is empty where there are none yet. Errors
/// name port "latent" or "model".
[[nodiscard]] Shape decodedShape(const Model& model, const Shape& latents);

/// Latents to pictures, one after the other, whole or in tiles. Polls "cancel after this image"
/// between them.
[[nodiscard]] WireRef decodeStage(StageContext& context,
                                  const DecodeRequest& request,
                                  const StageCall& call);

}  // namespace lowtide::models
