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

/// Models of a file each that are run with the text encoders of a checkpoint.
struct CheckpointModels {
    std::map<std::string, PromptNode> checkpoints;  ///< their loaders, by those of the models
    std::map<std::string, PromptNode> joined;       ///< those of them that are gone, by their ids
};

/// Of those that have no text encoders of their own (`parts`: modelsOfParts), and whose row has a
/// recipe for that. A checkpoint that is there for one of them alone becomes part of it: its wires
/// come from the model.
[[nodiscard]] CheckpointModels joinCheckpoints(
    Prompt& prompt,
    const ClassTable& table,
    const std::map<std::string, std::vector<std::string>>& parts);

/// Our input of a diffusion model's loader that takes such a part.
[[nodiscard]] const char* portOfRole(ModelRole role);

/// The parameter of a checkpoint's loader that names another autoencoder.
inline constexpr const char* kAutoencoderParam = "vae";

}  // namespace lowtide::interop
