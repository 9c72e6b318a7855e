#include "plugin/image/picture_header.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/exif.hpp"
#include "plugin/image/format_reading.hpp"
#include "plugin/image/icc_name.hpp"
#include "plugin/image/orientation.hpp"
#include "plugin/image/png_limits.hpp"

#include <algorithm>
#include <array>
#include <new>

namespace lowtide::image {

namespace {

using namespace std::string_view_literals;

struct FormatBegin {
    PictureFormat format;
    const char* name;
    std::string_view begin;
    std::string_view inner;  ///< at kInnerAt, of a format in a container
    StoredHeader (*read)(const ByteSource&, std::string_view name);
};

constexpr size_t kInnerAt = 8;
constexpr std::array<FormatBegin, 3> kFormats = {
    {{PictureFormat::Png, "PNG", "\x89PNG"sv, ""sv, pngStored},
     {PictureFormat::Jpeg, "JPEG", "\xff\xd8\xff"sv, ""sv, jpegStored},
     {PictureFormat::WebP, "WebP", "RIFF"sv, "WEBP"sv, webpStored}}};

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

const FormatBegin& rowOf(PictureFormat format) {
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
                    quotedName(name) + " is in the " + format->name +
                        " format, only PNG, JPEG and WebP are read",
                    "save it as one of these in another program");
    }
    throw Error(ErrorKind::Corrupt,
                quotedName(name) + (begin.empty() ? " is empty" : " does not begin as a picture"),
                "choose a PNG, JPEG or WebP picture");
}

struct FormatHeader {
    const FormatBegin* format;
    StoredHeader stored;
};

FormatHeader storedHeader(const ByteSource& source, std::string_view name) {
    const std::string begin =
        ByteWindow(source).text(0, std::min<uint64_t>(source.size, kPictureBeginBytes));
    const FormatBegin* format = formatOf(begin);
    if (!format) {
        refuseFormat(begin, name);
    }
    return {format, format->read(source, name)};
}

PictureHeader headerOf(const FormatHeader& header) {
    const auto& [format, stored] = header;
    Exif exif = readExif(stored.exif);
    PictureHeader result{.format = format->format,
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

PictureHeader readPictureHeader(const ByteSource& source, std::string_view name) {
    const FormatHeader header = storedHeader(source, name);
    if (header.stored.isAnimation) {
        throw Error(ErrorKind::Unsupported,
                    quotedName(name) + " is an animation, only single pictures are read",
                    "load it as a video, or save one of its pictures in another program");
    }
    return headerOf(header);
}

PictureHeader readAnyHeader(const ByteSource& source, std::string_view name) {
    return headerOf(storedHeader(source, name));
}

bool beginsAsPicture(std::span<const std::byte> begin) noexcept {
    const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
    return formatOf(text) != nullptr || otherFormatOf(text) != nullptr;
}

bool hasPictureName(std::string_view path) {
    constexpr std::array<std::string_view, 4> kEndings = {".png", ".jpg", ".jpeg", ".webp"};
    const std::string lower = toLower(path);
    return std::ranges::any_of(kEndings,
                               [&](std::string_view end) { return lower.ends_with(end); });
}

const char* nameOf(PictureFormat format) {
    return rowOf(format).name;
}

void checkPictureSize(const PictureSize& size, PictureFormat format, std::string_view name) {
    if (size.widthPixels < 1 || size.heightPixels < 1 || size.widthPixels > kMaxSidePixels ||
        size.heightPixels > kMaxSidePixels ||
        size.widthPixels * size.heightPixels > static_cast<int64_t>(kMaxPixels)) {
        refusePicture(format, name, "it has " + sizeText(size) + ", at most 2^28 are read");
    }
}

void refusePicture(PictureFormat format, std::string_view name, const std::string& problem) {
    throw Error(ErrorKind::Corrupt,
                quotedName(name) + " is no usable " + nameOf(format) + " picture: " + problem,
                "open it in another program and save it again");
}

std::string sizeText(const PictureSize& size) {
    return std::to_string(size.widthPixels) + " x " + std::to_string(size.heightPixels) + " pixels";
}

std::shared_ptr<uint8_t[]> allocatePixels(std::string_view name, size_t bytes) {
    try {
        return std::make_shared_for_overwrite<uint8_t[]>(bytes);
    } catch (const std::bad_alloc&) {
        throw Error(ErrorKind::OutOfMemory,
                    "there is no memory for the pixels of " + quotedName(name) + " (" +
                        std::to_string(bytes) + " bytes)")
            .withBytesAsked(static_cast<int64_t>(bytes));
    }
}

}  // namespace lowtide::image
