#pragma once
// What a video file says of itself: MP4, WebM and what else the program ffprobe knows.

#include "plugin/base/stop_token.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/image/picture_header.hpp"

#include <cstddef>
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
    image::PictureSize size;  ///< as it is shown, after rotation
    int64_t frames = 0;       ///< that are shown: a file that was cut without encoding has more
    double rate = 0;          ///< frames a second; 0: not stated
    std::vector<image::PictureText> texts;
    std::vector<double> times{};  ///< of each frame, in seconds from the begin; empty: not stated
    std::string damage{};  ///< what shows that the file is cut or broken; empty: nothing does
};

/// Asks ffprobe, which reads the file but decodes nothing. Error{NotFound} where that program is
/// missing, `item` the parameter that wants it; Error{Corrupt} where it finds no video;
/// Error{Cancelled}.
[[nodiscard]] VideoHeader readVideoHeader(const files::InputFile& file,
                                          const char* item,
                                          const StopToken& stop = {});

}  // namespace lowtide::video
