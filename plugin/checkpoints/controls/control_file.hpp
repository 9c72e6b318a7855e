#pragma once
// ControlNets of one file: which names they have, and what their shapes say. Torch-free.

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/single_file/ldm_names.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace lowtide::models {

/// How a file names a ControlNet's weights.
struct ControlNames {
    std::string prefix;  ///< before every name: "control_model."
    bool isLdm = false;  ///< cldm's names, else those of diffusers
};

/// Nothing: it is none, or of a kind that is not built.
[[nodiscard]] std::optional<ControlNames> controlNamesOf(const WeightMap& file);

/// A name of cldm for one of diffusers: "controlnet_down_blocks.0.weight" ->
/// "zero_convs.0.0.weight". `hintBlocks`: convolutions of the hint between the first and the last.
[[nodiscard]] std::string ldmControlName(std::string_view name,
                                         const LdmUNetLayout& layout,
                                         int64_t hintBlocks);

/// The weights of a ControlNet among all of a file's, and settings as its config.json would have
/// them. What shapes do not tell: 32 norm groups; 64 channels a head where projections are linear,
/// else 8 heads; rgb. Error{Corrupt} names a tensor that is missing.
struct ControlFile {
    WeightMap weights;
    Json settings;
};

[[nodiscard]] ControlFile controlFileIn(const WeightMap& file, const ControlNames& names);

/// What a file is instead of a ControlNet that is built, and what to do with it; for people.
struct OtherControl {
    std::string kind;
    std::string hint;
};

[[nodiscard]] OtherControl otherThanControlNet(const WeightMap& file);

}  // namespace lowtide::models
