#pragma once

#include "plugin/base/message.hpp"
#include "plugin/checkpoints/checkpoint_paths.hpp"
#include "plugin/checkpoints/quantised/layer_settings.hpp"
#include "plugin/checkpoints/weight_file.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// A tensor of a source by its name there.
using NamedLocation = TensorLocations::value_type;

/// Weights that are written again.
struct ConvertSource {
    WeightFileHeader weights;
    std::string role;    ///< for messages: "checkpoint", "unet", "transformer"
    Message what;        ///< for users: "model.safetensors", "the unet of folder"
    std::string prefix;  ///< of the denoiser's names; empty: there is nothing else
    /// As ComfyUI-GGUF calls it: "sd1" (SD 2.x too), "lumina2".
    std::string architecture{};
    std::vector<std::string_view> precise{};  ///< Network::precise of the denoiser

    /// A tensor's name in the denoiser; empty for one of another network.
    [[nodiscard]] std::string_view nameInDenoiser(std::string_view name) const {
        return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string_view();
    }

    /// In the order in which they lie.
    [[nodiscard]] std::vector<const NamedLocation*> tensors() const;
};

/// Opens a file in LDM's layout, a file of a denoiser alone in its own or diffusers' names, or of a
/// folder in the diffusers layout the denoiser (the first of two denoisers). No weight is read.
/// Errors: those of openWeightFile() and openWeights(); Error{Unsupported} where there is no
/// denoiser that is built, or a tensor does not lie row by row.
[[nodiscard]] ConvertSource openConvertSource(const CheckpointPath& checkpoint);

}  // namespace lowtide::models
