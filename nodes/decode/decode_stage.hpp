#pragma once

#include "nodes/engine/stages.hpp"
#include "plugin/nn/stage_context.hpp"

namespace lowtide::models {

/// Latents to pictures, one after the other, whole or in tiles. Polls "cancel after this image"
/// between them.
[[nodiscard]] WireRef decodeStage(StageContext& context,
                                  const DecodeRequest& request,
                                  const StageCall& call);

}  // namespace lowtide::models
