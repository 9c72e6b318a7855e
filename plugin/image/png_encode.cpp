#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/latin1.hpp"
#include "plugin/image/png.hpp"
#include "plugin/image/png_limits.hpp"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <exception>
#include <memory>

namespace lowtide::image {

namespace {

// Fixed, so that the same picture gives the same bytes.
constexpr int kCompressionLevel = 6;
constexpr int kFilter = PNG_FILTER_PAETH;

struct Chunk {
    const char* type;  ///< four letters
    std::string data;
};

[[noreturn]] void refuseKey(const std::string& key, const char* problem) {
    throw Error(ErrorKind::InvalidInput, "the PNG text key " + quotedName(key) + " " + problem);
}

/// The keyword as it stands in the file, after the checks of the PNG specification (11.3.4.2).
std::string keyBytes(const std::string& key) {
    const auto latin1 = isValidUtf8(key) ? latin1FromUtf8(key) : std::nullopt;
    if (!latin1) {
        refuseKey(key, "has a character that is not in Latin-1");
    }
    if (latin1->empty() || latin1->size() > kMaxKeyBytes) {
        refuseKey(key, "must have 1 to 79 characters");
    }
    const bool printable = std::all_of(latin1->begin(), latin1->end(), [](char c) {
        const auto code = static_cast<unsigned char>(c);
        return (code >= 32 && code <= 126) || code >= 161;
    });
    if (!printable) {
        refuseKey(key, "has a character that cannot be printed");
    }
    if (latin1->front() == ' ' || latin1->back() == ' ' ||
        latin1->find("  ") != std::string::npos) {
        refuseKey(key, "has a space at an end, or two in a row");
    }
    return *latin1;
}

Chunk chunkOf(const PictureText& entry) {
    const std::string key = keyBytes(entry.key);
    if (!isValidUtf8(entry.text)) {
        throw Error(ErrorKind::InvalidInput,
                    "the PNG text of " + quotedName(entry.key) + " is not valid UTF-8");
    }
    if (entry.text.find('\0') != std::string::npos) {
        throw Error(ErrorKind::InvalidInput,
                    "the PNG text of " + quotedName(entry.key) + " holds a NUL character");
    }
    const bool ascii = std::none_of(entry.text.begin(), entry.text.end(), [](char c) {
        return static_cast<unsigned char>(c) >= 0x80;
    });
    if (ascii) {
        return {"tEXt", key + '\0' + entry.text};
    }
    // Behind the key: not compressed, method 0, no language, no translated key.
    constexpr std::string_view kPlain("\0\0\0\0\0", 5);
    return {"iTXt", key + std::string(kPlain) + entry.text};
}

std::vector<Chunk> chunksOf(const std::vector<PictureText>& texts) {
    std::vector<Chunk> chunks;
    size_t bytes = 0;
    for (const PictureText& entry : texts) {
        chunks.push_back(chunkOf(entry));
        bytes += entry.key.size() + entry.text.size();
    }
    if (bytes > kMaxTextBytes || texts.size() > kMaxTextChunks) {
        throw Error(ErrorKind::InvalidInput,
                    "a PNG takes up to " + std::to_string(kMaxTextChunks) +
                        " texts of together 32 MiB, these are " + std::to_string(texts.size()) +
                        " of together " + std::to_string(bytes) + " bytes");
    }
    return chunks;
}

void checkPicture(const Image8& picture) {
    const bool sized =
        picture.widthPixels > 0 && picture.heightPixels > 0 &&
        static_cast<uint32_t>(picture.widthPixels) <= kMaxSidePixels &&
        static_cast<uint32_t>(picture.heightPixels) <= kMaxSidePixels &&
        static_cast<uint64_t>(picture.widthPixels) * static_cast<uint64_t>(picture.heightPixels) <=
            kMaxPixels;
    const bool channelled = picture.channels == 1 || picture.channels == 3 || picture.channels == 4;
    if (!sized || !channelled || !picture.pixels) {
        throw Error(ErrorKind::InvalidInput,
                    "a picture of " + std::to_string(picture.widthPixels) + " x " +
                        std::to_string(picture.heightPixels) + " pixels with " +
                        std::to_string(picture.channels) + " channels cannot be written as PNG",
                    "1, 3 or 4 channels and at most 2^28 pixels are possible");
    }
}

int colorType(int channels) {
    return channels == 1   ? PNG_COLOR_TYPE_GRAY
           : channels == 3 ? PNG_COLOR_TYPE_RGB
                           : PNG_COLOR_TYPE_RGB_ALPHA;
}

/// What the calls below share with libpng's callbacks.
struct Writing {
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::string bytes;
    char problem[160] = {};

    Writing() = default;

    ~Writing() { png_destroy_write_struct(&png, &info); }

    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;
};

[[noreturn]] void onWriteError(png_structp png, png_const_charp message) {
    auto* writing = static_cast<Writing*>(png_get_error_ptr(png));
    std::snprintf(writing->problem, sizeof writing->problem, "%s", message);
    png_longjmp(png, 1);
}

void onWriteWarning(png_structp, png_const_charp) {}

bool append(std::string& bytes, const char* data, size_t size) noexcept {
    try {
        bytes.append(data, size);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

void onWrite(png_structp png, png_bytep data, size_t size) {
    auto* writing = static_cast<Writing*>(png_get_io_ptr(png));
    if (!append(writing->bytes, reinterpret_cast<const char*>(data), size)) {
        png_error(png, "no memory for the encoded picture");
    }
}

void onFlush(png_structp) {}

/// False when libpng gave up, or the person did. libpng leaves by longjmp: no object with a
/// destructor may live in here.
bool writeAll(Writing& writing,
              const Image8& picture,
              const std::vector<Chunk>& chunks,
              const StopToken& stop) {
    if (setjmp(png_jmpbuf(writing.png)) != 0) {
        return false;
    }
    png_set_write_fn(writing.png, &writing, onWrite, onFlush);
    png_set_user_limits(writing.png, kMaxSidePixels, kMaxSidePixels);
    png_set_compression_level(writing.png, kCompressionLevel);
    png_set_filter(writing.png, PNG_FILTER_TYPE_BASE, kFilter);
    const auto width = static_cast<png_uint_32>(picture.widthPixels);
    const auto height = static_cast<png_uint_32>(picture.heightPixels);
    png_set_IHDR(writing.png,
                 writing.info,
                 width,
                 height,
                 8,
                 colorType(picture.channels),
                 PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(writing.png, writing.info);
    for (const Chunk& chunk : chunks) {
        png_write_chunk(writing.png,
                        reinterpret_cast<png_const_bytep>(chunk.type),
                        reinterpret_cast<png_const_bytep>(chunk.data.data()),
                        chunk.data.size());
    }
    const size_t rowBytes = size_t{width} * static_cast<size_t>(picture.channels);
    for (png_uint_32 row = 0; row < height; ++row) {
        if (stop.mode() == CancelMode::Now) {
            return false;
        }
        png_write_row(writing.png, picture.pixels.get() + row * rowBytes);
    }
    png_write_end(writing.png, nullptr);
    return true;
}

}  // namespace

std::string encodePng(const Image8& picture,
                      const std::vector<PictureText>& texts,
                      const StopToken& stop) {
    checkPicture(picture);
    const std::vector<Chunk> chunks = chunksOf(texts);
    Writing writing;
    writing.png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &writing, onWriteError, onWriteWarning);
    writing.info = writing.png ? png_create_info_struct(writing.png) : nullptr;
    if (!writing.info || !writeAll(writing, picture, chunks, stop)) {
        stop.throwIfStopped();
        throw Error(ErrorKind::Internal,
                    std::string("the picture could not be encoded as PNG: ") +
                        (writing.info ? writing.problem : "libpng does not start"));
    }
    return std::move(writing.bytes);
}

}  // namespace lowtide::image
