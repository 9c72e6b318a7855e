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

/// Whether the strength bounds the timesteps instead of leaving steps out.
[[nodiscard]] bool spreadsStrength(const models::Model& model, const DenoiseAsked& asked);

/// What of the schedule is taken. It begins with start_step or start_at, or as many steps before
/// the end as the strength takes. Source: get_timesteps of diffusers 0.42.1's image-to-image
/// pipelines. A model that spreads strength takes all steps with its own sampler and no mask, as
/// LatentConsistencyModelImg2ImgPipeline does.
[[nodiscard]] sampling::ScheduleRange partOf(const models::Model& model, const DenoiseAsked& asked);

/// Whether a strength of 0 asks for the latent that came in.
[[nodiscard]] bool keepsLatent(const DenoiseAsked& asked);

/// Sampler, sigmas and spacing in one text, as step caches are given it; `sampler` is the type's
/// name.
[[nodiscard]] std::string schedulerText(const DenoiseAsked& asked, const std::string& sampler);

}  // namespace lowtide::nodes
