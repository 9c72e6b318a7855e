#pragma once
// Frames of a file: WebP and PNG by ourselves, everything else through the programs of FFmpeg.

#include "plugin/base/stop_token.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/image/picture_header.hpp"
#include "plugin/video/video_file.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace lowtide::video {

/// Which frames of a video are taken.
struct FrameRange {
    int64_t first = 0;  ///< counted from 0
    int64_t most = 0;   ///< so many at most; 0: all
    int64_t every = 1;  ///< every so many frames one
};

/// What the frames that are taken make.
struct TakenFrames {
    image::PictureSize size;
    int64_t frames = 0;
    double rate = 0;       ///< a second; 0: not stated
    std::string damage{};  ///< of VideoHeader
};

/// By headers; nothing is decoded. Errors as readVideoHeader() and image::openAnimation(), and
/// Error{InvalidInput} of "first" where the video has fewer frames.
[[nodiscard]] TakenFrames framesIn(const files::InputFile& file,
                                   const FrameRange& range,
                                   const char* item);

/// What any file that is read here says of itself: readVideoHeader(), and the same of WebP and PNG,
/// without times and texts (image::readPictureTexts() has those). Errors as framesIn();
/// Error{Cancelled}.
[[nodiscard]] VideoHeader headerOf(const files::InputFile& file,
                                   const char* item,
                                   const StopToken& stop = {});

class VideoReader {
public:
    virtual ~VideoReader() = default;
    /// With 3 channels; nothing behind the last one. Error{Device}: ffmpeg failed; Error{Corrupt};
    /// Error{Cancelled}.
    [[nodiscard]] virtual std::optional<Image8> next(const StopToken& stop) = 0;

    /// After the last frame: what the decoder said of frames that it could not decode as they were
    /// meant; empty: nothing. Error{Cancelled}.
    [[nodiscard]] virtual std::string damage(const StopToken& /*stop*/) { return {}; }
};

/// Reads the frames that `taken`, of framesIn(), counts.
[[nodiscard]] std::unique_ptr<VideoReader> openFrames(const files::InputFile& file,
                                                      const FrameRange& range,
                                                      const TakenFrames& taken,
                                                      const char* item);

/// Reads all frames from `first` on, which must be one of the header's. Where that has times, what
/// lies more than a key frame before is not decoded, else everything is.
[[nodiscard]] std::unique_ptr<VideoReader> openFramesFrom(const files::InputFile& file,
                                                          const VideoHeader& header,
                                                          int64_t first,
                                                          const char* item);

}  // namespace lowtide::video
