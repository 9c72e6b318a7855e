#pragma once
// What a video file states about itself and its frames: WebP and PNG by ourselves, everything else
// through the programs of FFmpeg.

#include "plugin/base/message.hpp"
#include "plugin/base/stop_token.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/image/image_header.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::video {

/// Bytes at the start of a file that beginsAsVideo() looks at.
inline constexpr size_t kVideoBeginBytes = 12;
/// Whether a file begins as MP4 (or another of its family) or as Matroska (WebM).
[[nodiscard]] bool beginsAsVideo(std::span<const std::byte> begin) noexcept;
/// Whether a file has the name of a video that is written (.mp4, .webm).
[[nodiscard]] bool hasVideoName(std::string_view path);

struct VideoHeader {
    image::ImageSize size;  ///< as it is shown, after rotation
    int64_t frames = 0;     ///< that are shown: a file that was cut without encoding has more
    double rate = 0;        ///< frames a second; 0: not stated
    std::vector<image::ImageText> texts;
    std::vector<double> times{};  ///< of each frame, in seconds from the begin; empty: not stated
    Message damage{};  ///< what shows that the file is cut or broken; empty: nothing does
};

/// Asks ffprobe, which reads the file but decodes nothing. Error{NotFound} where that program is
/// missing, `item` the parameter that wants it; Error{Corrupt} where it finds no video;
/// Error{Cancelled}.
[[nodiscard]] VideoHeader readVideoHeader(const files::InputFile& file,
                                          const char* item,
                                          const StopToken& stop = {});

/// Which frames of a video are taken.
struct FrameRange {
    int64_t first = 0;  ///< counted from 0
    int64_t most = 0;   ///< so many at most; 0: all
    int64_t every = 1;  ///< every so many frames one
};

/// What the frames that are taken make.
struct TakenFrames {
    image::ImageSize size;
    int64_t frames = 0;
    double rate = 0;   ///< a second; 0: not stated
    Message damage{};  ///< of VideoHeader
};

/// By headers; nothing is decoded. Errors as readVideoHeader() and image::openAnimation(), and
/// Error{InvalidInput} of "first" where the video has fewer frames.
[[nodiscard]] TakenFrames framesIn(const files::InputFile& file,
                                   const FrameRange& range,
                                   const char* item);

/// What any file that is read here states about itself: readVideoHeader(), and the same of WebP and
/// PNG, without times and texts (image::readImageTexts() has those). Errors as framesIn();
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

    /// After the last frame: what the decoder reported about frames that it could not decode as
    /// they were meant; empty: nothing. Error{Cancelled}.
    [[nodiscard]] virtual Message damage(const StopToken& /*stop*/) { return {}; }
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
