#pragma once
// Which noise levels a denoiser goes through, and which of its networks: what the settings mean for
// a model.

#include "nodes/denoise/denoise.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/message.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/sampling/network_facts.hpp"
#include "plugin/sampling/schedule_range.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::sampling {
class Sampler;
struct SolverType;
}  // namespace lowtide::sampling

namespace lowtide::models {
class Model;
struct ModelInfo;
}  // namespace lowtide::models

namespace lowtide::nodes {

/// The guidance that is set; below 0 it is automatic: the model's usual one, or 7.5 where none is
/// known.
[[nodiscard]] double guidanceOf(const models::ModelInfo& info, double cfg);

/// What result keys need of it: a usual one is in no file and no parameter.
[[nodiscard]] std::vector<std::string> guidanceFingerprints(const models::ModelInfo& info,
                                                            double cfg);

/// Which timesteps are the low-noise model's, and how it is guided; nothing where the model has one
/// denoiser. Error{InvalidInput} on "cfg_2" and "boundary" for what is none, and where they are set
/// for a model with one denoiser.
[[nodiscard]] std::optional<sampling::LowNoiseModel> lowNoiseModelFor(const models::Model& model,
                                                                      const DenoiseAsked& asked);

/// The model's denoisers, the first one in front.
[[nodiscard]] std::vector<std::shared_ptr<const memory::ComponentTree>> denoisersOf(
    const models::Model& model);

/// How far the noise levels of a flow are moved up, and why so far.
struct FlowShift {
    double value = 1;
    Message reason{};            ///< "automatic for 832 x 480"; empty where it is set
    std::optional<double> mu{};  ///< of the scheduler file, which the value follows from
};

/// The one that is set, or what the family or a scheduler file with use_dynamic_shifting takes for
/// the size of the latent; nothing where the file states the shift. Error{InvalidInput} on "shift"
/// for what is no shift, and where the checkpoint is no flow.
[[nodiscard]] std::optional<FlowShift> flowShiftFor(const models::Model& model,
                                                    const DenoiseAsked& asked);

/// The checkpoint's scheduler file with it.
[[nodiscard]] Json schedulerFor(const models::Model& model, const DenoiseAsked& asked);

/// The sampler that is used.
struct UsedSampler {
    std::string name;
    std::string label;
    bool isDistilled = false;
    bool drawsNoise = false;
};

/// The solver where a schedule is chosen, or where the sampler is one of those that run along given
/// levels alone; nullptr: the sampler is one of diffusers' classes, with levels of its own.
/// Error{InvalidInput} on "sampler" where it has no solver.
[[nodiscard]] const sampling::SolverType* solverFor(const models::Model& model,
                                                    const DenoiseAsked& asked);

/// What is asked for, with what its name means. Errors as chosenSampler() and solverFor().
[[nodiscard]] UsedSampler usedSamplerFor(const models::Model& model, const DenoiseAsked& asked);

/// A solver along the part of its schedule that is asked for. Error{InvalidInput} names the setting
/// that does not go with a schedule.
[[nodiscard]] std::unique_ptr<sampling::Sampler> levelSamplerFor(const models::Model& model,
                                                                 const DenoiseAsked& asked,
                                                                 const sampling::SolverType& type);

/// Whether both prompts are asked for at a guidance.
[[nodiscard]] bool isGuidedAt(const models::Model& model, const DenoiseAsked& asked, double cfg);

/// The first step that is taken: start_step, or as many before the end as the strength takes.
/// With the noise of ComfyUI a strength leaves no steps out.
[[nodiscard]] int startStepFor(const models::Model& model, const DenoiseAsked& asked);

/// Whether the strength bounds the timesteps instead of leaving steps out.
[[nodiscard]] bool spreadsStrength(const models::Model& model, const DenoiseAsked& asked);

/// What of the schedule is taken: of a solver, whose levels are those that are taken, all. It
/// begins with start_at or startStepFor(). Source: get_timesteps of diffusers 0.42.1's
/// image-to-image pipelines. A model that spreads strength takes all steps with its own sampler and
/// no mask, as LatentConsistencyModelImg2ImgPipeline does.
[[nodiscard]] sampling::ScheduleRange partOf(const models::Model& model, const DenoiseAsked& asked);

/// Whether a strength of 0 asks for the latent that came in.
[[nodiscard]] bool keepsLatent(const DenoiseAsked& asked);

/// Sampler and what its levels follow from in one text, as step caches are given it; `sampler` is
/// the type's name. A solver knows only the levels that it goes along, so the text states which
/// part of the schedule they are.
[[nodiscard]] std::string schedulerText(const models::Model& model,
                                        const DenoiseAsked& asked,
                                        const std::string& sampler);

}  // namespace lowtide::nodes
