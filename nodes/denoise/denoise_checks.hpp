#pragma once
// What a denoiser refuses before it runs.

#include "nodes/denoise/denoise.hpp"
#include "plugin/base/units.hpp"

#include <memory>

namespace lowtide::sampling {
class Sampler;
}

namespace lowtide::models {
class Model;
}

namespace lowtide::nodes {

/// The sampler that is asked for, with its schedule. Any thread, no weight: so a setting that
/// cannot be is found before the run, a step cache's too. Error{InvalidInput} or Error{Unsupported}
/// names the setting.
[[nodiscard]] std::unique_ptr<sampling::Sampler> makeSampler(const models::Model& model,
                                                             const DenoiseAsked& asked);

/// The shape of the latents, before anything goes to the device. Error{InvalidInput} names the port
/// whose value does not go with the model or the others.
[[nodiscard]] Shape checkedShape(const models::Model& model, const DenoiseAsked& asked);

}  // namespace lowtide::nodes
