#pragma once
// The step cache of a denoiser: the weights that it works on, and what goes badly with it.

#include "nodes/denoise/denoise.hpp"
#include "plugin/base/issue.hpp"
#include "plugin/base/stop_token.hpp"
#include "plugin/memory/combinations.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"

#include <memory>

namespace lowtide::sampling {
class Sampler;
}

namespace lowtide::models {
class Model;
class ModelHashes;
}  // namespace lowtide::models

namespace lowtide::nodes {

/// Null where nothing is connected. Error{InvalidInput} on port "step_cache" for another kind.
[[nodiscard]] std::shared_ptr<const sampling::StepCache> stepCacheIn(const DenoiseAsked& asked);

/// The same with a step cache that knows the hash of the weights that it will work on, which is
/// made only where the cache asks. A kept result, which never runs, is known by them too. The
/// images of one name its files.
[[nodiscard]] DenoiseAsked identified(const DenoiseAsked& asked,
                                      models::ModelHashes& hashes,
                                      const StopToken& stop);

/// The verdict of the table of combinations on the step cache, if any, with this denoiser and this
/// sampler's calls, under `precision`. What is refused is an error on port "step_cache".
[[nodiscard]] memory::Judgement judgeDenoise(const models::Model& model,
                                             const DenoiseAsked& asked,
                                             const sampling::Sampler& sampler,
                                             const memory::ComponentPrecision& precision);

/// The judgement's warnings as the stage reports them.
[[nodiscard]] Issues warningsOf(const memory::Judgement& judgement);

}  // namespace lowtide::nodes
