#pragma once
// The programs of FFmpeg, which users have installed or not.

#include "plugin/base/message.hpp"
#include "plugin/files/input_file.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace lowtide::video {

/// Where "ffmpeg" or "ffprobe" is. Error{NotFound} with what to install; `what` names what needs it
/// ("MP4"), `item` the parameter.
[[nodiscard]] std::string requiredProgram(const char* name, const Message& what, const char* item);

/// Error{Unsupported} unless this ffmpeg was built with that encoder ("libx264"). It is asked once.
void requireEncoder(const std::string& ffmpeg, const std::string& encoder, const char* item);

/// One that writes nothing for so long hangs, or waits for a disk that does not answer.
inline constexpr std::chrono::seconds kPatience{60};

/// Arguments that open `file` as a video for ffmpeg or ffprobe, without `-i`: formats that hold
/// their frames themselves, and nothing but files. Playlists (HLS, concat, SDP) name other files,
/// which no result key would know.
[[nodiscard]] std::vector<std::string> inputArguments(const files::InputFile& file);

/// What such a program reported, as a reader of it wants it: without the names and addresses of its
/// parts
/// ("[h264 @ 0x55c3] ").
[[nodiscard]] std::string plainWords(const std::string& words);

}  // namespace lowtide::video
