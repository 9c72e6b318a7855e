#pragma once
// Frames become a file: MP4 and WebM through the program ffmpeg, WebP and PNG without it.

#include "plugin/image/image_file.hpp"
#include "plugin/image/image_header.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lowtide::files {
class OutputFile;
}

namespace lowtide::video {

enum class Format : uint8_t { Mp4, WebM, WebP, WebPLossless, Png };

struct FormatInfo {
    Format format;
    const char* id;     ///< "webp_lossless"
    const char* label;  ///< "WebP, lossless"
    const char* ending;
    const char* encoder = nullptr;  ///< of ffmpeg; nullptr: it needs none
};

[[nodiscard]] std::span<const FormatInfo> formats();

/// How a video is written.
struct VideoEncoding {
    const FormatInfo* format = nullptr;
    image::ImageSize size;
    int frames = 0;
    double rate = 0;   ///< frames a second
    int crf = 17;      ///< 0 to 51; of MP4 and WebM
    int quality = 90;  ///< 1 to 100; of WebP that is not lossless
};

/// Error{InvalidInput}, Error{NotFound} and Error{Unsupported} name the parameter ("format",
/// "rate") and what keeps such a video from being written here.
void checkEncoding(const VideoEncoding& encoding);

/// Writes a video into a file that is given its name afterwards.
class VideoWriter {
public:
    virtual ~VideoWriter() = default;
    /// The next frame, of 3 channels. Error{Device}: the disk is full, or ffmpeg failed;
    /// Error{Cancelled}.
    virtual void add(const Image8& frame, const StopToken& stop) = 0;
    /// Writes what is left; the file can be committed then. Errors as add().
    virtual void finish(const StopToken& stop) = 0;
};

/// `file` must outlive the writer; `texts` are stored in it. Errors as checkEncoding() and
/// files::OutputFile.
[[nodiscard]] std::unique_ptr<VideoWriter> openVideo(files::OutputFile& file,
                                                     const VideoEncoding& encoding,
                                                     std::vector<image::ImageText> texts);

}  // namespace lowtide::video
