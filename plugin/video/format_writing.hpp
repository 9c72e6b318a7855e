#pragma once
// The writers of single formats; internal to the room.

#include "plugin/video/video_writer.hpp"

namespace lowtide::video {

using Texts = std::vector<image::PictureText>;

[[nodiscard]] std::unique_ptr<VideoWriter> openFfmpegVideo(files::OutputFile& file,
                                                           const VideoEncoding& encoding,
                                                           const Texts& texts);
[[nodiscard]] std::unique_ptr<VideoWriter> openPngVideo(files::OutputFile& file,
                                                        const VideoEncoding& encoding,
                                                        Texts texts);
[[nodiscard]] std::unique_ptr<VideoWriter> openWebPVideo(files::OutputFile& file,
                                                         const VideoEncoding& encoding,
                                                         Texts texts);

}  // namespace lowtide::video
