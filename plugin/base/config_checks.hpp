#pragma once
// Checks of the numbers in a component's config.json, so that a hostile one cannot ask for a
// network without end.

#include "plugin/base/json.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace lowtide {

/// A setting for which only one value is built; absent and null count as that value.
struct FixedSetting {
    const char* key;
    Json only;
};

/// Error{Unsupported} names the first setting of `config` with another value than the one that is
/// built.
void refuseOtherSettings(const Json& config,
                         const std::string& what,
                         std::span<const FixedSetting> settings);

/// The value, or `otherwise` where it is not stated. Error{Corrupt} unless it is from `least` to
/// `most`.
[[nodiscard]] int64_t integerInRange(
    const JsonReader& reader, const char* key, int64_t otherwise, int64_t least, int64_t most);
/// A list of `count` integers in that range; a single one counts for all.
[[nodiscard]] std::vector<int64_t> integersInRange(const JsonReader& reader,
                                                   const char* key,
                                                   int64_t otherwise,
                                                   size_t count,
                                                   int64_t least,
                                                   int64_t most);
/// Error{Corrupt} unless `number` can be divided by `divisor`; `what` is "channels 96" or the like.
void requireDivisible(const JsonReader& reader, const char* key, int64_t number, int64_t divisor);
/// Error{Unsupported} for settings that no network is built for.
[[noreturn]] void refuseConfig(const JsonReader& reader, const Message& problem);
/// The number, or `otherwise` where it is not stated. Error{Corrupt} unless it is above 0.
[[nodiscard]] double numberAboveZero(const JsonReader& reader, const char* key, double otherwise);
/// How many elements of a head are rotated along each axis of positions, or `otherwise` where it is
/// not stated. Errors: of integersInRange(); Unsupported unless they are even and together
/// `headWidth`, which `made` explains: "the 128 of attention_head_dim".
[[nodiscard]] std::array<int64_t, 3> headAxes(const JsonReader& reader,
                                              const char* key,
                                              const std::array<int64_t, 3>& otherwise,
                                              int64_t headWidth,
                                              const Message& made);
/// Error{Unsupported} unless the config's "_class_name" is `expected`.
void requireClass(const JsonReader& reader, const std::string& expected);

inline constexpr Phrase kGetConfigHint = phrase("get the config.json of the checkpoint again");
inline constexpr int64_t kMostChannels = 1 << 16;
inline constexpr int64_t kMostLayers = 256;

}  // namespace lowtide
