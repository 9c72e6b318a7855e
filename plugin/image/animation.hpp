#pragma once
// Frames in one file, animated PNG and animated WebP: written, and read one after another.

#include "plugin/base/stop_token.hpp"
#include "plugin/image/image_file.hpp"
#include "plugin/image/image_header.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lowtide::image {

/// Error{InvalidInput}, item "rate", unless it is from 0.1 to 1000 frames a second.
void checkRate(double rate);

/// An animated PNG of images that are PNG files already. Source: PNG specification, third
/// edition, 11.3.6 (acTL, fcTL, fdAT).
class PngAnimation {
public:
    /// Errors as checkRate().
    PngAnimation(int frames, double rate);

    /// The next bytes of the file, for the next image as encodePng() gives it; texts of the first
    /// one are those of the animation. All must have its size and channels.
    [[nodiscard]] std::string partOf(std::string_view png);

private:
    [[nodiscard]] std::string frameControl(std::string_view size);

    int frames_;
    int added_ = 0;
    double rate_;
    uint32_t sequence_ = 0;  ///< of the chunks of an animation, in their order
    std::string size_;       ///< as the first image has it
};

/// An animated WebP, with texts in EXIF as encodeImage() writes them. A frame states only where it
/// differs from the one before; lossless ones keep every pixel.
class WebPAnimation {
public:
    /// `encoding`: of WebP. Errors as encodeImage() and checkRate().
    WebPAnimation(ImageSize size, double rate, const ImageEncoding& encoding);
    ~WebPAnimation();
    WebPAnimation(const WebPAnimation&) = delete;
    WebPAnimation& operator=(const WebPAnimation&) = delete;

    /// The next frame, of that size.
    void add(const Image8& image, const StopToken& stop);
    /// The whole file.
    [[nodiscard]] std::string finish(const std::vector<ImageText>& texts);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// What an animation is, in frames of one length: one that is shown twice as long counts twice.
struct AnimationHeader {
    ImageSize size;
    int64_t frames = 1;
    double rate = 0;  ///< frames a second; 0: a single image, or no time is stated
};

/// Frames as they are shown, with 3 channels: what is transparent is black.
class AnimationReader {
public:
    virtual ~AnimationReader() = default;
    [[nodiscard]] virtual const AnimationHeader& header() const = 0;
    /// Nothing behind the last one. Error{Corrupt} states what is wrong; Error{Cancelled}.
    [[nodiscard]] virtual std::optional<Image8> next(const StopToken& stop) = 0;
};

/// Whether a PNG or WebP file states that it has several images. Reads some hundred bytes; false
/// where they are damaged.
[[nodiscard]] bool isAnimation(const ByteSource& source);

/// `bytes` of a PNG or WebP file, animated or not, are read as long as the reader lives. Errors and
/// limits as decodeImage, and at most 2^16 frames.
[[nodiscard]] std::unique_ptr<AnimationReader> openAnimation(std::span<const std::byte> bytes,
                                                             std::string_view name);

}  // namespace lowtide::image
