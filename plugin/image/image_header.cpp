#include "plugin/image/image_header.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/exif.hpp"
#include "plugin/image/formats.hpp"
#include "plugin/image/png_header.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <new>
#include <utility>

namespace lowtide::image {

namespace {

using namespace std::string_view_literals;

struct FormatBegin {
    ImageFormat format;
    const char* name;
    std::string_view begin;
    std::string_view inner;  ///< at kInnerAt, of a format in a container
    StoredHeader (*read)(const ByteSource&, std::string_view name);
};

constexpr size_t kInnerAt = 8;
constexpr std::array<FormatBegin, 3> kFormats = {
    {{ImageFormat::Png, "PNG", "\x89PNG"sv, ""sv, pngStored},
     {ImageFormat::Jpeg, "JPEG", "\xff\xd8\xff"sv, ""sv, jpegStored},
     {ImageFormat::WebP, "WebP", "RIFF"sv, "WEBP"sv, webpStored}}};

/// Formats that are not read, so that they can be named.
struct OtherFormat {
    const char* name;
    std::string_view begin;
    size_t at = 0;
};

constexpr std::array<OtherFormat, 8> kOtherFormats = {{{"GIF", "GIF8"sv},
                                                       {"BMP", "BM"sv},
                                                       {"TIFF", "II*\0"sv},
                                                       {"TIFF", "MM\0*"sv},
                                                       {"AVIF", "ftypavif"sv, 4},
                                                       {"HEIC", "ftyphei"sv, 4},
                                                       {"HEIC", "ftypmif1"sv, 4},
                                                       {"JPEG XL", "\0\0\0\x0cJXL "sv}}};

const FormatBegin& rowOf(ImageFormat format) {
    return *std::ranges::find(kFormats, format, &FormatBegin::format);
}

bool hasAt(std::string_view bytes, size_t at, std::string_view part) {
    return at <= bytes.size() && bytes.substr(at).starts_with(part);
}

/// nullptr: none of them.
const FormatBegin* formatOf(std::string_view begin) {
    const auto* found = std::ranges::find_if(kFormats, [&](const FormatBegin& format) {
        return begin.starts_with(format.begin) && hasAt(begin, kInnerAt, format.inner);
    });
    return found == kFormats.end() ? nullptr : found;
}

const OtherFormat* otherFormatOf(std::string_view begin) {
    const auto* found = std::ranges::find_if(kOtherFormats, [&](const OtherFormat& format) {
        return hasAt(begin, format.at, format.begin);
    });
    return found == kOtherFormats.end() ? nullptr : found;
}

[[noreturn]] void refuseFormat(std::string_view begin, std::string_view name) {
    if (const OtherFormat* format = otherFormatOf(begin)) {
        throw Error(ErrorKind::Unsupported,
                    message("{} is in the {} format, only PNG, JPEG and WebP are read",
                            quotedName(name),
                            format->name),
                    message("save it as one of these in another program"));
    }
    throw Error(ErrorKind::Corrupt,
                begin.empty() ? message("{} is empty", quotedName(name))
                              : message("{} does not begin as an image", quotedName(name)),
                message("choose a PNG, JPEG or WebP image"));
}

struct FormatHeader {
    const FormatBegin* format;
    StoredHeader stored;
};

FormatHeader storedHeader(const ByteSource& source, std::string_view name) {
    const std::string begin =
        ByteWindow(source).text(0, std::min<uint64_t>(source.size, kImageBeginBytes));
    const FormatBegin* format = formatOf(begin);
    if (!format) {
        refuseFormat(begin, name);
    }
    return {format, format->read(source, name)};
}

ImageHeader headerOf(const FormatHeader& header) {
    const auto& [format, stored] = header;
    Exif exif = readExif(stored.exif);
    ImageHeader result{.format = format->format,
                       .size = oriented(stored.size, exif.orientation),
                       .orientation = exif.orientation,
                       .texts = std::move(exif.texts)};
    if (!stored.profile.empty()) {
        result.profile = iccName(stored.profile);
        if (isSrgbName(result.profile)) {
            result.profile.clear();
        }
    }
    return result;
}

}  // namespace

ImageHeader readImageHeader(const ByteSource& source, std::string_view name) {
    const FormatHeader header = storedHeader(source, name);
    if (header.stored.isAnimation) {
        throw Error(ErrorKind::Unsupported,
                    message("{} is an animation, only single images are read", quotedName(name)),
                    message("load it as a video, or save one of its frames in another program"));
    }
    return headerOf(header);
}

ImageHeader readAnyHeader(const ByteSource& source, std::string_view name) {
    return headerOf(storedHeader(source, name));
}

bool beginsAsImage(std::span<const std::byte> begin) noexcept {
    const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
    return formatOf(text) != nullptr || otherFormatOf(text) != nullptr;
}

bool hasImageName(std::string_view path) {
    constexpr std::array<std::string_view, 4> kEndings = {".png", ".jpg", ".jpeg", ".webp"};
    const std::string lower = toLower(path);
    return std::ranges::any_of(kEndings,
                               [&](std::string_view end) { return lower.ends_with(end); });
}

const char* nameOf(ImageFormat format) {
    return rowOf(format).name;
}

void checkImageSize(const ImageSize& size, ImageFormat format, std::string_view name) {
    if (size.widthPixels < 1 || size.heightPixels < 1 || size.widthPixels > kMaxSidePixels ||
        size.heightPixels > kMaxSidePixels ||
        size.widthPixels * size.heightPixels > static_cast<int64_t>(kMaxPixels)) {
        refuseImage(format, name, message("it has {}, at most 2^28 are read", sizeText(size)));
    }
}

void refuseImage(ImageFormat format, std::string_view name, const Message& problem) {
    throw Error(
        ErrorKind::Corrupt,
        message("{} cannot be read as a {} image: {}", quotedName(name), nameOf(format), problem),
        message("open it in another program and save it again"));
}

Message sizeText(const ImageSize& size) {
    return message("{} x {} pixels", size.widthPixels, size.heightPixels);
}

std::shared_ptr<uint8_t[]> allocatePixels(std::string_view name, size_t bytes) {
    try {
        return std::make_shared_for_overwrite<uint8_t[]>(bytes);
    } catch (const std::bad_alloc&) {
        throw Error(
            ErrorKind::OutOfMemory,
            message("there is no memory for the pixels of {} ({} bytes)", quotedName(name), bytes))
            .withBytesAsked(static_cast<int64_t>(bytes));
    }
}

namespace {

constexpr int kFirstTurned = 5;  ///< from here on width and height are changed

/// Where the pixel at the upper left is stored, and how far the next ones lie from it.
struct Strides {
    ptrdiff_t first = 0;
    ptrdiff_t right = 0;
    ptrdiff_t down = 0;
};

/// In pixels of a stored image.
Strides stridesFor(ptrdiff_t width, ptrdiff_t height, int orientation) {
    const ptrdiff_t lastColumn = width - 1;
    const ptrdiff_t lastRow = (height - 1) * width;
    switch (orientation) {
        case 2:
            return {.first = lastColumn, .right = -1, .down = width};
        case 3:
            return {.first = lastRow + lastColumn, .right = -1, .down = -width};
        case 4:
            return {.first = lastRow, .right = 1, .down = -width};
        case 5:
            return {.first = 0, .right = width, .down = 1};
        case 6:
            return {.first = lastRow, .right = -width, .down = 1};
        case 7:
            return {.first = lastRow + lastColumn, .right = -width, .down = -1};
        case 8:
            return {.first = lastColumn, .right = width, .down = -1};
        default:
            return {.first = 0, .right = 1, .down = width};
    }
}

template <class Image, class Level>
Image turned(const Image& stored, int orientation) {
    if (orientation == 1) {
        return stored;
    }
    Image seen = stored;
    if (orientation >= kFirstTurned) {
        std::swap(seen.widthPixels, seen.heightPixels);
    }
    const auto channels = static_cast<size_t>(stored.channels);
    const size_t count = static_cast<size_t>(stored.widthPixels) *
                         static_cast<size_t>(stored.heightPixels) * channels;
    auto pixels = std::make_shared_for_overwrite<Level[]>(count);
    const Strides strides = stridesFor(stored.widthPixels, stored.heightPixels, orientation);
    Level* target = pixels.get();
    for (int row = 0; row < seen.heightPixels; ++row) {
        ptrdiff_t from = strides.first + row * strides.down;
        for (int column = 0; column < seen.widthPixels; ++column, from += strides.right) {
            target = std::copy_n(
                stored.pixels.get() + static_cast<size_t>(from) * channels, channels, target);
        }
    }
    seen.pixels = std::move(pixels);
    return seen;
}

}  // namespace

Image8 oriented(const Image8& image, int orientation) {
    return turned<Image8, uint8_t>(image, orientation);
}

Image16 oriented(const Image16& image, int orientation) {
    return turned<Image16, uint16_t>(image, orientation);
}

ImageSize oriented(const ImageSize& size, int orientation) {
    return orientation < kFirstTurned
               ? size
               : ImageSize{.widthPixels = size.heightPixels, .heightPixels = size.widthPixels};
}

namespace {

constexpr size_t kTagTableAt = 128;
constexpr size_t kTagBytes = 12;
constexpr size_t kMostTags = 256;
constexpr size_t kLongestName = 80;
constexpr size_t kLocalizedRecordBytes = 12;

/// 0 beyond the end.
size_t numberAt(std::string_view bytes, size_t at) {
    size_t number = 0;
    for (size_t i = 0; i < 4; ++i) {
        number = number << 8 | (at + i < bytes.size() ? static_cast<uint8_t>(bytes[at + i]) : 0);
    }
    return number;
}

std::string_view piece(std::string_view bytes, size_t at, size_t count) {
    return at < bytes.size() ? bytes.substr(at, count) : std::string_view();
}

/// What can be printed of ASCII; every second byte only where the text is UTF-16.
std::string printable(std::string_view bytes, bool isWide) {
    std::string text;
    for (size_t i = isWide ? 1 : 0; i < bytes.size() && text.size() < kLongestName;
         i += isWide ? 2 : 1) {
        if (bytes[i] >= ' ' && bytes[i] <= '~') {
            text += bytes[i];
        }
    }
    return trim(text);
}

std::string nameInTag(std::string_view tag) {
    if (tag.starts_with("desc")) {
        return printable(piece(tag, 12, numberAt(tag, 8)), false);
    }
    if (tag.starts_with("mluc") && numberAt(tag, 12) == kLocalizedRecordBytes) {
        return printable(piece(tag, numberAt(tag, 24), numberAt(tag, 20)), true);
    }
    return {};
}

}  // namespace

std::string iccName(std::string_view profile) {
    const size_t count = std::min(numberAt(profile, kTagTableAt), kMostTags);
    for (size_t i = 0; i < count; ++i) {
        const size_t at = kTagTableAt + 4 + i * kTagBytes;
        if (piece(profile, at, 4) == "desc") {
            const std::string name =
                nameInTag(piece(profile, numberAt(profile, at + 4), numberAt(profile, at + 8)));
            if (!name.empty()) {
                return name;
            }
        }
    }
    return "unnamed";
}

bool isSrgbName(std::string_view name) {
    // "c2" and "uRGB" are small profiles with sRGB's values that web sites put into images.
    constexpr std::array<std::string_view, 2> kWhole = {"c2", "urgb"};
    const std::string lower = toLower(name);
    return lower.find("srgb") != std::string::npos || lower.find("iec61966") != std::string::npos ||
           std::ranges::find(kWhole, lower) != kWhole.end();
}

std::vector<ImageText> readImageTexts(const ByteSource& source, std::string_view name) {
    ImageHeader header = readAnyHeader(source, name);
    std::vector<ImageText> texts;
    if (header.format == ImageFormat::Png) {
        texts = readPngTexts(source, name);
    }
    std::ranges::move(header.texts, std::back_inserter(texts));
    return texts;
}

}  // namespace lowtide::image
