#pragma once
// Internal to the room.

#include "plugin/image/animation_decode.hpp"

#include <vector>

namespace lowtide::image {

inline constexpr int64_t kMostAnimationFrames = 1 << 16;

/// How often each of some pictures is shown, in frames of one length, and how many those are in a
/// second. `seconds` of each picture; `precision`: to which they are stated.
struct FrameTimes {
    std::vector<int64_t> shown;
    int64_t frames = 0;
    double rate = 0;
};

[[nodiscard]] FrameTimes frameTimes(const std::vector<double>& seconds, double precision);

/// A picture with 4 channels over black, with 3; one with 1 or 3 as it is, in 3.
[[nodiscard]] Image8 overBlack(const Image8& picture, std::string_view name);

[[nodiscard]] std::unique_ptr<AnimationReader> openPngAnimation(std::span<const std::byte> bytes,
                                                                std::string_view name);
[[nodiscard]] std::unique_ptr<AnimationReader> openWebPAnimation(std::span<const std::byte> bytes,
                                                                 std::string_view name);

}  // namespace lowtide::image
