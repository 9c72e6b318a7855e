#pragma once

#include "plugin/memory/combinations.hpp"
#include "plugin/models/stage_requests.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"

#include <functional>
#include <string>

namespace lowtide::models {

/// Null where nothing is connected. Error{InvalidInput} on port "step_cache" for another kind.
[[nodiscard]] std::shared_ptr<const sampling::StepCache> stepCacheIn(const DenoiseRequest& request);

/// The request with a step cache that knows the weights that it will work on; `weightsHash` gives
/// their SHA-256 and is called only where the cache asks. Nothing changes where none is connected.
[[nodiscard]] DenoiseRequest withWeightsHash(DenoiseRequest request,
                                             std::function<std::string()> weightsHash);

/// Sampler, sigmas and spacing in one text, as step caches are told; `sampler` is the type's name.
[[nodiscard]] std::string schedulerText(const DenoiseRequest& request, const std::string& sampler);

/// What the table of combinations says of the request: its step cache, if any, with this denoiser
/// and this sampler's calls, under `precision`. What is refused is an error on port "step_cache".
[[nodiscard]] memory::Judgement judgeDenoise(const Model& model,
                                             const DenoiseRequest& request,
                                             const sampling::Sampler& sampler,
                                             const memory::ComponentPrecision& precision);

/// The judgement's warnings as the stage tells them.
[[nodiscard]] Issues warningsOf(const memory::Judgement& judgement);

}  // namespace lowtide::models
