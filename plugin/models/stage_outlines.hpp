#pragma once

#include "plugin/models/model.hpp"
#include "plugin/models/stages.hpp"

#include <vector>

namespace lowtide::models {

/// What the text encoder is asked.
[[nodiscard]] PromptRequest promptsOf(const EncodeRequest& request);

/// As Stages::outlineEncode().
[[nodiscard]] EncodeOutline encodeOutline(const EncodeRequest& request);

/// As Stages::outlineConditioning().
[[nodiscard]] StageOutline conditioningOutline(const std::vector<ConditioningShape>& inputs,
                                               const ConditioningEdit& edit);

/// As Stages::outlineDenoise(); a step cache knows its weights' hash already.
[[nodiscard]] StageOutline denoiseOutline(const DenoiseShapes& shapes,
                                          const DenoiseRequest& settings);

/// As Stages::outlineUpscaleLatent().
[[nodiscard]] StageOutline latentUpscaleOutline(const Shape& latentShape,
                                                const LatentUpscaleRequest& settings);

/// As Stages::outlineDecode().
[[nodiscard]] StageOutline decodeOutline(const Shape& latentShape, const DecodeRequest& settings);

/// As Stages::outlineUpscale().
[[nodiscard]] StageOutline upscaleOutline(const Shape& imageShape, const UpscaleRequest& settings);

/// As Stages::outlineUpscaleWithModel().
[[nodiscard]] StageOutline upscaleWithModelOutline(const Shape& imageShape,
                                                   const UpscaleWithModelRequest& settings);

}  // namespace lowtide::models
