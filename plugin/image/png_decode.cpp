#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/latin1.hpp"
#include "plugin/image/png.hpp"
#include "plugin/image/png_header.hpp"
#include "plugin/image/png_limits.hpp"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace lowtide::image {

namespace {

/// What libpng may hold at once: texts, one more that is being unpacked and copied, two rows of the
/// widest picture.
constexpr size_t kMaxLibraryBytes = 3 * kMaxTextBytes + (64u << 20);
/// Deflate makes at most 1032 bytes out of one; above that a header promises what its file cannot
/// hold.
constexpr uint64_t kMaxDeflateRatio = 1040;
constexpr size_t kBlockHeaderBytes = alignof(std::max_align_t);
static_assert(kBlockHeaderBytes >= sizeof(size_t));

/// What the calls below share with libpng's callbacks.
struct Reading {
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::span<const std::byte> rest;
    size_t bytesLeft = kMaxLibraryBytes;
    size_t rowBytesInFile = 0;
    char problem[160] = {};

    Reading() = default;

    ~Reading() { png_destroy_read_struct(&png, &info, nullptr); }

    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
};

[[noreturn]] void onReadError(png_structp png, png_const_charp message) {
    auto* reading = static_cast<Reading*>(png_get_error_ptr(png));
    std::snprintf(reading->problem, sizeof reading->problem, "%s", message);
    png_longjmp(png, 1);
}

constexpr png_uint_32 chunkType(const char (&name)[5]) {
    png_uint_32 type = 0;
    for (int i = 0; i < 4; ++i) {
        type = type << 8 | static_cast<unsigned char>(name[i]);
    }
    return type;
}

/// libpng drops a text chunk that it cannot read and only warns; a lost text is an error here.
void onReadWarning(png_structp png, png_const_charp message) {
    const png_uint_32 type = png_get_io_chunk_type(png);
    if (type == chunkType("tEXt") || type == chunkType("zTXt") || type == chunkType("iTXt")) {
        png_error(png, message);
    }
}

void onRead(png_structp png, png_bytep target, size_t size) {
    auto* reading = static_cast<Reading*>(png_get_io_ptr(png));
    if (size > reading->rest.size()) {
        png_error(png, "the file ends early");
    }
    std::memcpy(target, reading->rest.data(), size);
    reading->rest = reading->rest.subspan(size);
}

/// Each block remembers its size in front, so that freeing it gives the bytes back.
png_voidp onAllocate(png_structp png, png_alloc_size_t size) {
    auto* reading = static_cast<Reading*>(png_get_mem_ptr(png));
    if (size > reading->bytesLeft) {
        return nullptr;
    }
    auto* block = static_cast<std::byte*>(std::malloc(size + kBlockHeaderBytes));
    if (!block) {
        return nullptr;
    }
    std::memcpy(block, &size, sizeof size);
    reading->bytesLeft -= size;
    return block + kBlockHeaderBytes;
}

void onFree(png_structp png, png_voidp memory) {
    auto* reading = static_cast<Reading*>(png_get_mem_ptr(png));
    auto* block = static_cast<std::byte*>(memory) - kBlockHeaderBytes;
    png_alloc_size_t size = 0;
    std::memcpy(&size, block, sizeof size);
    reading->bytesLeft += size;
    std::free(block);
}

/// Reads up to the pixels and asks for 8 bits of grey, RGB or RGBA. False when libpng gave up. It
/// leaves by longjmp: no object with a destructor may live in here.
bool readHeader(Reading& reading) {
    const png_structp png = reading.png;
    if (setjmp(png_jmpbuf(png)) != 0) {
        return false;
    }
    png_set_read_fn(png, &reading, onRead);
    png_set_benign_errors(png, 1);
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_user_limits(png, kMaxSidePixels, kMaxSidePixels);
    png_set_chunk_malloc_max(png, kMaxTextBytes);
    png_set_chunk_cache_max(png, kMaxTextChunks + 2);  // it keeps two of them back
    png_read_info(png, reading.info);
    reading.rowBytesInFile = png_get_rowbytes(png, reading.info);
    const bool transparent = png_get_valid(png, reading.info, PNG_INFO_tRNS) != 0;
    const int color = png_get_color_type(png, reading.info);
    png_set_expand(png);
    png_set_scale_16(png);
    if ((color & PNG_COLOR_MASK_COLOR) == 0 &&
        (transparent || (color & PNG_COLOR_MASK_ALPHA) != 0)) {
        png_set_gray_to_rgb(png);
    }
    png_set_interlace_handling(png);
    png_read_update_info(png, reading.info);
    return true;
}

/// Reads the pixels into `rows` and what follows them. False when libpng gave up, as above.
bool readPixels(Reading& reading, png_bytepp rows) {
    if (setjmp(png_jmpbuf(reading.png)) != 0) {
        return false;
    }
    png_read_image(reading.png, rows);
    png_read_end(reading.png, reading.info);
    return true;
}

void checkSize(const Reading& reading, std::string_view name, size_t fileBytes) {
    const uint64_t width = png_get_image_width(reading.png, reading.info);
    const uint64_t height = png_get_image_height(reading.png, reading.info);
    const std::string size = std::to_string(width) + " x " + std::to_string(height) + " pixels";
    if (width * height > kMaxPixels) {
        refusePng(name, "it has " + size + ", at most 2^28 pixels are read");
    }
    if (reading.rowBytesInFile * height > kMaxDeflateRatio * fileBytes) {
        refusePng(
            name,
            "it claims " + size + ", which " + std::to_string(fileBytes) + " bytes cannot hold");
    }
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

Image8 readPicture(Reading& reading, std::string_view name) {
    Image8 picture;
    picture.widthPixels = static_cast<int>(png_get_image_width(reading.png, reading.info));
    picture.heightPixels = static_cast<int>(png_get_image_height(reading.png, reading.info));
    picture.channels = png_get_channels(reading.png, reading.info);
    const size_t rowBytes = png_get_rowbytes(reading.png, reading.info);
    LOWTIDE_ASSERT(rowBytes * static_cast<size_t>(picture.heightPixels) == picture.byteCount());
    const auto pixels = allocatePixels(name, picture.byteCount());
    std::vector<png_bytep> rows;
    rows.reserve(static_cast<size_t>(picture.heightPixels));
    for (int row = 0; row < picture.heightPixels; ++row) {
        rows.push_back(pixels.get() + static_cast<size_t>(row) * rowBytes);
    }
    if (!readPixels(reading, rows.data())) {
        refusePng(name, reading.problem);
    }
    picture.pixels = pixels;
    return picture;
}

std::vector<PngText> collectTexts(const Reading& reading, std::string_view name) {
    png_textp entries = nullptr;
    const int count = png_get_text(reading.png, reading.info, &entries, nullptr);
    std::vector<PngText> texts;
    size_t bytes = 0;
    for (const png_text& entry : std::span(entries, static_cast<size_t>(std::max(count, 0)))) {
        const bool isUtf8 = entry.compression == PNG_ITXT_COMPRESSION_NONE ||
                            entry.compression == PNG_ITXT_COMPRESSION_zTXt;
        PngText text = {.key = utf8FromLatin1(entry.key),
                        .text = isUtf8 ? std::string(entry.text) : utf8FromLatin1(entry.text)};
        if (!isValidUtf8(text.text)) {
            refusePng(name, "its text " + quotedName(text.key) + " is not UTF-8");
        }
        bytes += text.key.size() + text.text.size();
        texts.push_back(std::move(text));
    }
    if (bytes > kMaxTextBytes) {
        refusePng(name,
                  "it has " + std::to_string(bytes) + " bytes of text, at most 32 MiB are read");
    }
    return texts;
}

}  // namespace

Png decodePng(std::span<const std::byte> bytes, std::string_view name) {
    Reading reading;
    reading.rest = bytes;
    reading.png = png_create_read_struct_2(
        PNG_LIBPNG_VER_STRING, &reading, onReadError, onReadWarning, &reading, onAllocate, onFree);
    reading.info = reading.png ? png_create_info_struct(reading.png) : nullptr;
    if (!reading.info) {
        throw Error(ErrorKind::Internal, "PNG pictures cannot be read: libpng does not start");
    }
    if (!readHeader(reading)) {
        refusePng(name, reading.problem);
    }
    checkSize(reading, name, bytes.size());
    Png png;
    png.picture = readPicture(reading, name);
    png.texts = collectTexts(reading, name);
    return png;
}

}  // namespace lowtide::image
