#pragma once
// Frames in one file: animated PNG and animated WebP, both played for ever.

#include "plugin/image/picture_encode.hpp"
#include "plugin/image/picture_header.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace lowtide::image {

/// Error{InvalidInput}, item "rate", unless it is from 0.1 to 1000 frames a second.
void checkRate(double rate);

/// An animated PNG of pictures that are PNG files already. Source: PNG specification, third
/// edition, 11.3.6 (acTL, fcTL, fdAT).
class PngAnimation {
public:
    /// Errors as checkRate().
    PngAnimation(int frames, double rate);

    /// The next bytes of the file, for the next picture as encodePng() gives it; texts of the first
    /// one are those of the animation. All must have its size and channels.
    [[nodiscard]] std::string partOf(std::string_view png);

private:
    [[nodiscard]] std::string frameControl(std::string_view size);

    int frames_;
    int added_ = 0;
    double rate_;
    uint32_t sequence_ = 0;  ///< of the chunks of an animation, in their order
    std::string size_;       ///< as the first picture has it
};

/// An animated WebP, with texts in EXIF as encodePicture() writes them. A frame says only where it
/// differs from the one before; lossless ones keep every pixel.
class WebPAnimation {
public:
    /// `encoding`: of WebP. Errors as encodePicture() and checkRate().
    WebPAnimation(PictureSize size, double rate, const PictureEncoding& encoding);
    ~WebPAnimation();
    WebPAnimation(const WebPAnimation&) = delete;
    WebPAnimation& operator=(const WebPAnimation&) = delete;

    /// The next frame, of that size.
    void add(const Image8& picture, const StopToken& stop);
    /// The whole file.
    [[nodiscard]] std::string finish(const std::vector<PictureText>& texts);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lowtide::image
