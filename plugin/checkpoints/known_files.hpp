#pragma once
// Files that users exchange other than checkpoints, by the names of their tensors. Torch-free.

#include "plugin/checkpoints/weight_map.hpp"

#include <optional>
#include <string>

namespace lowtide::models {

/// What a file of weights holds.
struct KnownFile {
    std::string kind;    ///< as Recogniser::recognise() has it: "lora", "upscaler", "ip_adapter"
    std::string family;  ///< for users: "LoHa", "ESRGAN", "IP-Adapter"
    bool isUpscaler = false;  ///< of a construction that is built
};

/// By the names of its tensors alone, of a file that no layout knows and that is no upscaler.
/// Nothing: it is not known.
[[nodiscard]] std::optional<KnownFile> knownByNames(const WeightMap& file);

/// As knownByNames(), upscalers too.
[[nodiscard]] std::optional<KnownFile> knownFile(const WeightMap& file);

}  // namespace lowtide::models
