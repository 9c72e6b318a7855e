#pragma once

#include "plugin/interop/prompt.hpp"

#include <map>
#include <string>
#include <vector>

namespace lowtide::interop {

/// ComfyUI wires text encoders and autoencoders of their own, here they go into the loader of the
/// diffusion model. For each loader of such a part: the loaders of the models that are run with
/// it, by the wires between them; none where nothing leads to one.
[[nodiscard]] std::map<std::string, std::vector<std::string>> modelsOfParts(
    const Prompt& prompt, const ClassTable& table);

/// Our input of a diffusion model's loader that takes such a part.
[[nodiscard]] const char* portOfRole(ModelRole role);

/// The parameter of a checkpoint's loader that names another autoencoder.
inline constexpr const char* kAutoencoderParam = "vae";

}  // namespace lowtide::interop
