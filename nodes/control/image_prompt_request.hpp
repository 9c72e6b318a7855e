#pragma once
// What is asked of the stage for IP-Adapters. Torch-free.

#include "nodes/engine/stage_def.hpp"
#include "plugin/memory/precision.hpp"

#include <string>

namespace lowtide::nodes {

/// Pictures for an IP-Adapter, behind those of `imagePrompt`.
struct ImagePromptRequest {
    WireRef adapter;
    WireRef image;   ///< one or several pictures of one size
    WireRef image2;  ///< more, of other sizes; may be null, as the next ones
    WireRef image3;
    WireRef image4;
    WireRef mask;  ///< where they speak: one, or one for each picture that is made; may be null
    WireRef imagePrompt;  ///< may be null
    double strength = 1;
    double start = 0;  ///< shares of the denoising pass's calls between which they are seen
    double end = 1;
    std::string weights;  ///< "1, 0.5": of each picture, which then speaks for itself; empty: all
                          ///< speak together
    memory::PrecisionChoice precision{};
};

[[nodiscard]] const StageDef<ImagePromptRequest>& stageOf(const ImagePromptRequest&);

/// What load.ip_adapter opens. Paths as those of checkpoints.
struct IpAdapterRequest {
    std::string adapter;
    std::string imageEncoder;  ///< empty: where it usually lies
};

}  // namespace lowtide::nodes
