#pragma once
// What a request of the denoise stage means before it runs: which calls are the second network's,
// how far a flow is shifted, usual sizes, the step cache, and what goes badly together.

#include "nodes/engine/stage_def.hpp"
#include "nodes/engine/stage_requests.hpp"
#include "plugin/base/json.hpp"
#include "plugin/host_api/host.hpp"
#include "plugin/memory/combinations.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/sampling/network_facts.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::sampling {
class Sampler;
struct DenoiseResult;
}  // namespace lowtide::sampling

namespace lowtide::models {
class Model;
}

namespace lowtide::nodes {

/// Which timesteps are the second expert's, and how it is guided; nothing where the model has one
/// denoiser. Error{InvalidInput} on "cfg_2" and "boundary" for what is none, and where they are set
/// for a model with one denoiser.
[[nodiscard]] std::optional<sampling::SecondExpert> secondExpertFor(const models::Model& model,
                                                                    const DenoiseRequest& request);

/// The model's denoisers, the first one in front.
[[nodiscard]] std::vector<std::shared_ptr<const memory::ComponentTree>> denoisersOf(
    const models::Model& model);

/// How far the noise levels of a flow are moved up, and why so far.
struct FlowShift {
    double value = 1;
    std::string reason;  ///< "automatic for 832 x 480", "automatic for a model of two experts"
    std::optional<double> mu{};  ///< of the scheduler file, which the value follows from
};

/// Of a request: the one that it sets, or what the family or a scheduler file with
/// use_dynamic_shifting takes for the size of its latent; nothing where the file says the shift.
/// Error{InvalidInput} on "shift" for what is no shift, and where the checkpoint is no flow.
[[nodiscard]] std::optional<FlowShift> flowShiftFor(const models::Model& model,
                                                    const DenoiseRequest& request);

/// Says which one is taken where the request sets none.
[[nodiscard]] Issues shiftNotes(const models::Model& model, const DenoiseRequest& request);

/// The checkpoint's scheduler file with it.
[[nodiscard]] Json schedulerFor(const models::Model& model, const DenoiseRequest& request);

/// What the pipeline of a model makes of a size that it is asked for: as many pixels as it was
/// trained at, both sides rounded down. Source: the image pipelines of diffusers 0.42.1.
[[nodiscard]] models::PictureSize usualSizeFor(const models::ModelInfo& info,
                                               const models::PictureSize& size);

/// Error{InvalidInput} on "latent" for one that the denoiser has no room for.
void requireRoomFor(const models::ModelInfo& info, const models::PictureSize& size);

/// Says where its pipeline would make another size than the one that is asked for and made here, or
/// where the size is far from those of the training. `isEmpty`: the latent holds no picture yet.
[[nodiscard]] Issues sizeNotes(const models::ModelInfo& info, const Shape& latent, bool isEmpty);

/// Says where the guidance is far above what the model is used with.
[[nodiscard]] Issues guidanceNotes(const models::ModelInfo& info, double cfg);

/// What the checkpoint's scheduler file asks for and the request's `sampler` does not do: noise
/// without any signal (rescale_betas_zero_snr) that is not known to the sampler's class, or that no
/// step begins at.
[[nodiscard]] Issues scheduleWarnings(const models::Model& model,
                                      const DenoiseRequest& request,
                                      const sampling::Sampler& sampler);

/// A request that goes on with the noise of a pass before, where the latent is an encoded picture,
/// which has none. `latentKind`: what is known of the latent before the run.
[[nodiscard]] Issues handoverWarnings(const DenoiseRequest& request, const WireRef& latentKind);

/// A refiner that would make a picture out of noise alone.
[[nodiscard]] Issues refinerWarnings(const models::Model& model, const WireRef& latentKind);

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
[[nodiscard]] memory::Judgement judgeDenoise(const models::Model& model,
                                             const DenoiseRequest& request,
                                             const sampling::Sampler& sampler,
                                             const memory::ComponentPrecision& precision);

/// The judgement's warnings as the stage tells them.
[[nodiscard]] Issues warningsOf(const memory::Judgement& judgement);

/// What a pass did, for the report: steps, what its step cache learnt, errors along a recorded one.
void tellDenoised(const sampling::DenoiseResult& result, const StageCall& call);

}  // namespace lowtide::nodes
