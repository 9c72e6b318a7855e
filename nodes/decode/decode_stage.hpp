#pragma once

#include "nodes/engine/stages.hpp"
#include "plugin/nn/stage_context.hpp"

namespace lowtide::nodes {

/// Latents to pictures, one after the other, whole or in tiles. Polls "cancel after this image"
/// between them.
[[nodiscard]] WireRef decodeStage(models::StageContext& context,
                                  const DecodeRequest& request,
                                  const StageCall& call);

}  // namespace lowtide::nodes
