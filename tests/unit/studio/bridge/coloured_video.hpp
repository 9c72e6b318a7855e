#pragma once

#include "plugin/files/output_file.hpp"
#include "plugin/video/video_writer.hpp"

#include <QtWidgets>

#include <algorithm>
#include <memory>

namespace lowtide::testing {

/// The colour of a frame; no two of a hundred are alike, not even after a lossy encoder.
[[nodiscard]] inline QColor frameColour(int frame, int shift = 0) {
    return QColor::fromHsv((frame * 67 + shift) % 360, 200, 120 + frame % 5 * 30);
}

/// Writes a video of plain frames. `format` is of video::formats(): "png", "webp_lossless", "mp4".
inline void writeColours(const QString& path,
                         const char* format,
                         int frames,
                         int side = 32,
                         int shift = 0,
                         double rate = 12,
                         std::vector<image::ImageText> texts = {}) {
    const auto known = video::formats();
    const auto info = std::ranges::find_if(
        known, [&](const video::FormatInfo& each) { return std::string_view(each.id) == format; });
    const video::VideoEncoding encoding{.format = &*info,
                                        .size = {.widthPixels = side, .heightPixels = side},
                                        .frames = frames,
                                        .rate = rate};
    files::OutputFile output(path.toStdString());
    const auto writer = video::openVideo(output, encoding, std::move(texts));
    for (int i = 0; i < frames; ++i) {
        Image8 frame{.widthPixels = side, .heightPixels = side};
        const auto pixels = std::make_shared<uint8_t[]>(frame.byteCount());
        const QColor colour = frameColour(i, shift);
        for (size_t at = 0; at < frame.byteCount(); at += 3) {
            pixels[at] = static_cast<uint8_t>(colour.red());
            pixels[at + 1] = static_cast<uint8_t>(colour.green());
            pixels[at + 2] = static_cast<uint8_t>(colour.blue());
        }
        frame.pixels = pixels;
        writer->add(frame, {});
    }
    writer->finish({});
    output.commit();
}

/// Whether a pixel is of that frame, but for what an encoder loses.
[[nodiscard]] inline bool isFrame(const QColor& pixel, int frame, int shift = 0) {
    constexpr int kLost = 8;
    const QColor colour = frameColour(frame, shift);
    return std::abs(pixel.red() - colour.red()) <= kLost &&
           std::abs(pixel.green() - colour.green()) <= kLost &&
           std::abs(pixel.blue() - colour.blue()) <= kLost;
}

}  // namespace lowtide::testing
