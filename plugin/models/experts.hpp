#pragma once
// Two denoisers of one model that share the noise levels: WAN 2.2.

#include "plugin/memory/component_tree.hpp"
#include "plugin/models/stage_requests.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/sampling/second_expert.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::models {

/// Which timesteps are the second expert's, and how it is guided; nothing where the model has one
/// denoiser. Error{InvalidInput} on "cfg_2" and "boundary" for what is none, and where they are set
/// for a model with one denoiser.
[[nodiscard]] std::optional<sampling::SecondExpert> secondExpertFor(const Model& model,
                                                                    const DenoiseRequest& request);

/// The model's denoisers, the first one in front.
[[nodiscard]] std::vector<std::shared_ptr<const memory::ComponentTree>> denoisersOf(
    const Model& model);

}  // namespace lowtide::models
