#pragma once

#include "plugin/models/stage_context.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// Fills an empty latent, or goes on with one: sampler over denoiser. Inputs and messages as in
/// stages.hpp.
[[nodiscard]] WireRef denoiseStage(StageContext& context,
                                   const DenoiseRequest& request,
                                   const StageCall& call);

/// The latent's height and width for a picture of this size. Error{InvalidInput} on "latent" unless
/// both are multiples of the model's downsampling.
struct LatentSize {
    int64_t height = 0;
    int64_t width = 0;
};
class Model;
[[nodiscard]] LatentSize latentSizeFor(const Model& model,
                                       int64_t heightPixels,
                                       int64_t widthPixels);

}  // namespace lowtide::models
