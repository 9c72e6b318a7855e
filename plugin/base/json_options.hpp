#pragma once

#include "plugin/base/json.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lowtide {

/// Refuses what a caller wrote and nobody reads. Error{InvalidInput} names the first key of
/// `object` that is not `known`, and the nearest one.
void requireKnownKeys(const Json& object,
                      std::string_view what,
                      std::span<const std::string_view> known);

/// JsonReader::integer of at least `least` and at most `most`; Error{InvalidInput} names key, value
/// and bounds.
[[nodiscard]] std::optional<int64_t> integerWithin(const JsonReader& reader,
                                                   const char* key,
                                                   int64_t least,
                                                   int64_t most);

}  // namespace lowtide
