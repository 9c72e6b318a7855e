#pragma once
// What is asked of the stages for ControlNets. Torch-free.

#include "nodes/engine/stage_def.hpp"

#include <cstdint>
#include <string>

namespace lowtide::nodes {

/// A hint picture for a ControlNet, behind those of `control`.
struct ControlRequest {
    WireRef controlnet;
    WireRef image;    ///< one picture, or one for each of the batch; of any size
    WireRef control;  ///< may be null
    double strength = 1;
    double start = 0;  ///< shares of the denoising pass's calls between which it is run
    double end = 1;
    std::string mode = "balanced";  ///< balanced, guess or prompt
    bool isInverted = false;
};

[[nodiscard]] const StageDef<ControlRequest>& stageOf(const ControlRequest&);

/// The edges of pictures, white on black. Errors blame "low" and "high".
struct CannyRequest {
    WireRef image;
    int64_t low = 100;  ///< gradients, 0 to 2040, as image::cannyEdges() has them
    int64_t high = 200;
};

[[nodiscard]] const StageDef<CannyRequest>& stageOf(const CannyRequest&);

}  // namespace lowtide::nodes
