#pragma once

#include "nodes/engine/stages.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"

namespace lowtide::nodes {

/// Pictures to latents, one after the other, whole or in tiles. Polls "cancel after this image"
/// between them. Records init.pixels, vae.encode_in, vae.moments.
[[nodiscard]] WireRef imageEncodeStage(models::StageContext& context,
                                       const ImageEncodeRequest& request,
                                       const StageCall& call);

}  // namespace lowtide::nodes
