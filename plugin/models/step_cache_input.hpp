#pragma once

#include "plugin/models/model.hpp"
#include "plugin/models/stage_requests.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"

namespace lowtide::models {

/// Null where nothing is connected. Error{InvalidInput} on port "step_cache" for another kind.
[[nodiscard]] std::shared_ptr<const sampling::StepCache> stepCacheIn(const DenoiseRequest& request);

/// What the steps of the request's run belong to; `sampler` is the type's name.
[[nodiscard]] sampling::RunIdentity identityOf(const DenoiseRequest& request,
                                               const std::string& sampler);

/// Whether the request's step cache, if any, can be used in its run: with this denoiser, for this
/// sampler's calls. Errors are on port "step_cache".
void checkStepCache(const Model& model,
                    const DenoiseRequest& request,
                    const sampling::SamplerType& type,
                    const sampling::Sampler& sampler);

}  // namespace lowtide::models
