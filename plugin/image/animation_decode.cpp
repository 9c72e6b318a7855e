#include "plugin/image/animation_decode.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/animation_reading.hpp"
#include "plugin/image/format_reading.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::image {

FrameTimes frameTimes(const std::vector<double>& seconds, double precision) {
    FrameTimes times{.shown = std::vector<int64_t>(seconds.size(), 1)};
    double total = 0;
    double least = 0;
    for (const double each : seconds) {
        total += each;
        least = each > 0 && (least == 0 || each < least) ? each : least;
    }
    for (size_t i = 0; i < seconds.size(); ++i) {
        if (least > 0) {
            times.shown[i] = std::max<int64_t>(1, std::llround(seconds[i] / least));
        }
        times.frames += times.shown[i];
    }
    if (total > 0) {
        times.rate = static_cast<double>(times.frames) / total;
        const double whole = std::round(times.rate);
        if (whole > 0 && std::abs(static_cast<double>(times.frames) / whole - total) <= precision) {
            times.rate = whole;
        }
    }
    return times;
}

Image8 overBlack(const Image8& picture, std::string_view name) {
    if (picture.channels == 3) {
        return picture;
    }
    Image8 result{.widthPixels = picture.widthPixels, .heightPixels = picture.heightPixels};
    const auto pixels = allocatePixels(name, result.byteCount());
    const size_t count = result.byteCount() / 3;
    for (size_t i = 0; i < count; ++i) {
        const uint8_t* from = picture.pixels.get() + i * static_cast<size_t>(picture.channels);
        for (size_t channel = 0; channel < 3; ++channel) {
            constexpr int kFull = 255;
            pixels[3 * i + channel] =
                picture.channels == 1
                    ? from[0]
                    : static_cast<uint8_t>((from[channel] * from[3] + kFull / 2) / kFull);
        }
    }
    result.pixels = pixels;
    return result;
}

std::unique_ptr<AnimationReader> openAnimation(std::span<const std::byte> bytes,
                                               std::string_view name) {
    const ByteSource source{
        .size = bytes.size(), .read = [bytes](std::span<std::byte> target, uint64_t offset) {
            std::ranges::copy(bytes.subspan(offset, target.size()), target.begin());
        }};
    const PictureHeader header = readAnyHeader(source, name);
    if (header.format == PictureFormat::Png) {
        return openPngAnimation(bytes, name);
    }
    if (header.format == PictureFormat::WebP) {
        return openWebPAnimation(bytes, name);
    }
    throw Error(ErrorKind::Unsupported,
                quotedName(name) + " is a single picture, no video",
                "load it as an image");
}

}  // namespace lowtide::image
