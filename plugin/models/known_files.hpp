#pragma once

#include "plugin/models/blocks/network_builder.hpp"

#include <string_view>

namespace lowtide::models {

/// What people exchange beside checkpoints.
struct KnownFile {
    std::string_view part;  ///< of a tensor's name that no other kind has
    const char* kind;       ///< as Recogniser::recognise() has it
    const char* family;     ///< for people
};

/// What a file holds that no layout knows, by its names; nullptr where nothing tells.
[[nodiscard]] const KnownFile* knownFileOf(const WeightMap& file);

}  // namespace lowtide::models
