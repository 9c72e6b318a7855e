#include "plugin/image/animation.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/formats.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::image {

namespace {

using namespace std::string_view_literals;

constexpr uint64_t kPngSignatureBytes = 8;
constexpr uint64_t kPngChunkFrame = 12;  ///< of a chunk in addition to its data

/// acTL stands before the pixels. Source: PNG specification, third edition, 11.3.6.1.
bool isAnimatedPng(const ByteSource& source) {
    ByteWindow bytes(source);
    uint64_t at = kPngSignatureBytes;
    for (int left = kMostSections; left > 0 && bytes.has(at, kPngChunkFrame); --left) {
        const uint64_t count = bytes.bigEndian(at, 4);
        const std::string type = bytes.text(at + 4, 4);
        if (type == "acTL") {
            return bytes.has(at + 8, 4) && bytes.bigEndian(at + 8, 4) > 1;
        }
        if (type == "IDAT") {
            return false;
        }
        at += count + kPngChunkFrame;
    }
    return false;
}

}  // namespace

bool isAnimation(const ByteSource& source) {
    constexpr uint64_t kFlagsAt = 20;  // of VP8X, WebP's first chunk
    constexpr uint8_t kWebPAnimationFlag = 0x02;
    ByteWindow bytes(source);
    if (!bytes.has(0, kFlagsAt + 1)) {
        return false;
    }
    const std::string begin = bytes.text(0, kFlagsAt);
    if (begin.starts_with("\x89PNG"sv)) {
        return isAnimatedPng(source);
    }
    return begin.starts_with("RIFF"sv) && begin.substr(8, 8) == "WEBPVP8X" &&
           (bytes.byteAt(kFlagsAt) & kWebPAnimationFlag) != 0;
}

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

Image8 overBlack(const Image8& image, std::string_view name) {
    if (image.channels == 3) {
        return image;
    }
    Image8 result{.widthPixels = image.widthPixels, .heightPixels = image.heightPixels};
    const auto pixels = allocatePixels(name, result.byteCount());
    const size_t count = result.byteCount() / 3;
    for (size_t i = 0; i < count; ++i) {
        const uint8_t* from = image.pixels.get() + i * static_cast<size_t>(image.channels);
        for (size_t channel = 0; channel < 3; ++channel) {
            constexpr int kFull = 255;
            pixels[3 * i + channel] =
                image.channels == 1
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
    const ImageHeader header = readAnyHeader(source, name);
    if (header.format == ImageFormat::Png) {
        return openPngAnimation(bytes, name);
    }
    if (header.format == ImageFormat::WebP) {
        return openWebPAnimation(bytes, name);
    }
    throw Error(ErrorKind::Unsupported,
                message("{} is a single image, no video", quotedName(name)),
                message("load it as an image"));
}

void checkRate(double rate) {
    constexpr double kLeast = 0.1;
    constexpr double kMost = 1000;
    requireThat(rate >= kLeast && rate <= kMost,
                message("the rate is {} frames a second", formatNumber(rate)),
                message("choose a number from {} to {}", formatNumber(kLeast), formatNumber(kMost)),
                "rate");
}

}  // namespace lowtide::image
