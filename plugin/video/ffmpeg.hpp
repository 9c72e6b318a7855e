#pragma once
// The programs of FFmpeg, which people have installed or not.

#include <string>

namespace lowtide::video {

/// Where "ffmpeg" or "ffprobe" is. Error{NotFound} with what to install; `what` says what needs it
/// ("MP4"), `item` the parameter.
[[nodiscard]] std::string requiredProgram(const char* name,
                                          const std::string& what,
                                          const char* item);

/// Error{Unsupported} unless this ffmpeg was built with that encoder ("libx264"). It is asked once.
void requireEncoder(const std::string& ffmpeg, const std::string& encoder, const char* item);

}  // namespace lowtide::video
