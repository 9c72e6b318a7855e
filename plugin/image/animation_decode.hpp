#pragma once
// Frames of animated PNG and animated WebP, one after another.

#include "plugin/base/stop_token.hpp"
#include "plugin/image/picture_header.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace lowtide::image {

/// What an animation is, in frames of one length: one that is shown twice as long counts twice.
struct AnimationHeader {
    PictureSize size;
    int64_t frames = 1;
    double rate = 0;  ///< frames a second; 0: a single picture, or no time is stated
};

/// Frames as they are shown, with 3 channels: what is transparent is black.
class AnimationReader {
public:
    virtual ~AnimationReader() = default;
    [[nodiscard]] virtual const AnimationHeader& header() const = 0;
    /// Nothing behind the last one. Error{Corrupt} says what is wrong; Error{Cancelled}.
    [[nodiscard]] virtual std::optional<Image8> next(const StopToken& stop) = 0;
};

/// Whether a PNG or WebP file says that it has several pictures. Reads some hundred bytes; false
/// where they are damaged.
[[nodiscard]] bool isAnimation(const ByteSource& source);

/// `bytes` of a PNG or WebP file, animated or not, are read as long as the reader lives. Errors and
/// limits as decodePicture, and at most 2^16 frames.
[[nodiscard]] std::unique_ptr<AnimationReader> openAnimation(std::span<const std::byte> bytes,
                                                             std::string_view name);

}  // namespace lowtide::image
