#include "plugin/image/png_header.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/png_limits.hpp"

#include <string>

namespace lowtide::image {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kPngStart = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"sv;
constexpr size_t kWidthAt = 16;
constexpr size_t kHeightAt = 20;

/// How files of another format begin.
struct Format {
    std::string_view start;
    const char* name;
};

constexpr Format kOtherFormats[] = {{"\xff\xd8\xff"sv, "JPEG"},
                                    {"RIFF"sv, "WebP"},
                                    {"GIF8"sv, "GIF"},
                                    {"BM"sv, "BMP"},
                                    {"II*\0"sv, "TIFF"},
                                    {"MM\0*"sv, "TIFF"}};

std::string_view textOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

int64_t bigEndianAt(std::span<const std::byte> bytes, size_t place) {
    int64_t number = 0;
    for (const std::byte byte : bytes.subspan(place, 4)) {
        number = number << 8 | std::to_integer<int64_t>(byte);
    }
    return number;
}

}  // namespace

PictureSize pngSize(std::span<const std::byte> begin, std::string_view name) {
    const std::string_view text = textOf(begin);
    for (const Format& format : kOtherFormats) {
        if (text.starts_with(format.start)) {
            throw Error(
                ErrorKind::Unsupported,
                quotedName(name) + " is a " + format.name + " picture, only PNG pictures are read",
                "save it as PNG in another program");
        }
    }
    if (begin.size() < kPngHeaderBytes || !text.starts_with(kPngStart)) {
        refusePng(name, "it does not begin as one");
    }
    const PictureSize size{.widthPixels = bigEndianAt(begin, kWidthAt),
                           .heightPixels = bigEndianAt(begin, kHeightAt)};
    if (size.widthPixels < 1 || size.heightPixels < 1 || size.widthPixels > kMaxSidePixels ||
        size.heightPixels > kMaxSidePixels ||
        size.widthPixels * size.heightPixels > static_cast<int64_t>(kMaxPixels)) {
        refusePng(name,
                  "it has " + std::to_string(size.widthPixels) + " x " +
                      std::to_string(size.heightPixels) + " pixels, at most 2^28 are read");
    }
    return size;
}

void refusePng(std::string_view name, const std::string& problem) {
    throw Error(ErrorKind::Corrupt,
                quotedName(name) + " is no usable PNG picture: " + problem,
                "open it in another program and save it again as PNG");
}

}  // namespace lowtide::image
