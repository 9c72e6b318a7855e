#pragma once

#include "nodes/engine/stages.hpp"
#include "plugin/nn/stage_context.hpp"

namespace lowtide::sampling {
class Sampler;
struct PassPart;
enum class BatchNoise : uint8_t;
}  // namespace lowtide::sampling

namespace lowtide::models {
class Model;
}

namespace lowtide::nodes {

/// The sampler that the request asks for, with its schedule. Any thread, no weight: so a setting
/// that cannot be is found before the run, a step cache's too. Error{InvalidInput} or
/// Error{Unsupported} names the setting.
[[nodiscard]] std::unique_ptr<sampling::Sampler> makeSampler(const models::Model& model,
                                                             const DenoiseRequest& request);

/// Of DenoiseRequest::batchSeeds. Error{InvalidInput} names "batch_seeds".
[[nodiscard]] sampling::BatchNoise batchNoiseNamed(const std::string& name);

/// Fills an empty latent, or goes on with one: sampler over denoiser. Inputs and messages as in
/// stages.hpp.
[[nodiscard]] WireRef denoiseStage(models::StageContext& context,
                                   const DenoiseRequest& request,
                                   const StageCall& call);

/// What of the schedule the request takes. It begins with start_step or start_at, or as many steps
/// before the end as its strength takes. Source: get_timesteps of diffusers 0.42.1's image-to-image
/// pipelines. A model that spreads strength takes all steps with its own sampler and no mask, as
/// LatentConsistencyModelImg2ImgPipeline does.
[[nodiscard]] sampling::PassPart partOf(const models::Model& model, const DenoiseRequest& request);

/// Whether a strength of 0 asks for the latent that came in.
[[nodiscard]] bool keepsLatent(const DenoiseRequest& request);

}  // namespace lowtide::nodes
