#include "plugin/video/video_writer.hpp"

#include "plugin/base/error.hpp"
#include "plugin/image/animation_encode.hpp"
#include "plugin/video/ffmpeg.hpp"
#include "plugin/video/format_writing.hpp"

#include <utility>

namespace lowtide::video {

namespace {

constexpr FormatInfo kFormats[] = {
    {Format::Mp4, "mp4", "MP4 (H.264)", ".mp4", "libx264"},
    {Format::WebM, "webm", "WebM (VP9)", ".webm", "libvpx-vp9"},
    {Format::WebP, "webp", "WebP", ".webp"},
    {Format::WebPLossless, "webp_lossless", "WebP, lossless", ".webp"},
    {Format::Png, "png", "PNG, animated", ".png"},
};
constexpr int64_t kMostSide = 16383;  ///< of H.264 at its highest level, VP9 and WebP

void checkSides(const VideoEncoding& encoding) {
    const image::PictureSize& size = encoding.size;
    const std::string sides = "frames of " + std::to_string(size.widthPixels) + " x " +
                              std::to_string(size.heightPixels) + " pixels cannot be saved as " +
                              encoding.format->label;
    const int64_t most = encoding.format->format == Format::Png
                             ? image::largestSide(image::PictureFormat::Png)
                             : kMostSide;
    requireThat(size.widthPixels <= most && size.heightPixels <= most,
                sides + ", which takes " + std::to_string(most) + " a side",
                "choose PNG, which takes more",
                "format");
    const bool isEven = size.widthPixels % 2 == 0 && size.heightPixels % 2 == 0;
    requireThat(isEven || encoding.format->format != Format::Mp4,
                sides + ", which wants even sides",
                "choose another format, or another size",
                "format");
}

}  // namespace

std::span<const FormatInfo> formats() {
    return kFormats;
}

void checkEncoding(const VideoEncoding& encoding) {
    checkSides(encoding);
    image::checkRate(encoding.rate);
    if (encoding.format->encoder) {
        requireEncoder(requiredProgram("ffmpeg", encoding.format->label, "format"),
                       encoding.format->encoder,
                       "format");
    }
}

std::unique_ptr<VideoWriter> openVideo(files::OutputFile& file,
                                       const VideoEncoding& encoding,
                                       std::vector<image::PictureText> texts) {
    checkEncoding(encoding);
    if (encoding.format->encoder) {
        return openFfmpegVideo(file, encoding, texts);
    }
    return encoding.format->format == Format::Png ? openPngVideo(file, encoding, std::move(texts))
                                                  : openWebPVideo(file, encoding, std::move(texts));
}

}  // namespace lowtide::video
