#include "plugin/image/png.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/exif.hpp"
#include "plugin/image/formats.hpp"

#include <png.h>

#include <algorithm>
#include <bit>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>

namespace lowtide::image {

namespace {

/// What libpng may hold at once: texts, one more that is being unpacked and copied, two rows of the
/// widest image.
constexpr size_t kMaxLibraryBytes = 3 * kMaxTextBytes + (64u << 20);
/// Deflate makes at most 1032 bytes out of one; above that a header announces what its file cannot
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
    LibraryProblem problem;

    Reading() = default;

    ~Reading() { png_destroy_read_struct(&png, &info, nullptr); }

    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
};

[[noreturn]] void onReadError(png_structp png, png_const_charp message) {
    auto* reading = static_cast<Reading*>(png_get_error_ptr(png));
    std::snprintf(reading->problem.words, sizeof reading->problem.words, "%s", message);
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
        reading->problem.ours = phrase("the file ends early");
        png_longjmp(png, 1);
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

/// Reads up to the pixels and asks for grey, RGB or RGBA of 8 bits, or of 16 where they are stored
/// and `keepsDepth`. False when libpng gave up. It leaves by longjmp: no object with a destructor
/// may live in here.
bool readHeader(Reading& reading, bool keepsDepth) {
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
    if (!keepsDepth) {
        png_set_scale_16(png);
    } else if (std::endian::native == std::endian::little) {
        png_set_swap(png);
    }
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
    const Message size = sizeText(ImageSize{.widthPixels = static_cast<int64_t>(width),
                                            .heightPixels = static_cast<int64_t>(height)});
    if (width * height > kMaxPixels) {
        refuseImage(
            ImageFormat::Png, name, message("it has {}, at most 2^28 pixels are read", size));
    }
    if (reading.rowBytesInFile * height > kMaxDeflateRatio * fileBytes) {
        refuseImage(ImageFormat::Png,
                    name,
                    message("it claims {}, which {} bytes cannot hold", size, fileBytes));
    }
}

/// Width, height and channels of either depth.
template <class Image>
Image sizedImage(const Reading& reading) {
    Image image;
    image.widthPixels = static_cast<int>(png_get_image_width(reading.png, reading.info));
    image.heightPixels = static_cast<int>(png_get_image_height(reading.png, reading.info));
    image.channels = png_get_channels(reading.png, reading.info);
    return image;
}

std::shared_ptr<uint8_t[]> readRows(Reading& reading, std::string_view name) {
    const size_t height = png_get_image_height(reading.png, reading.info);
    const size_t rowBytes = png_get_rowbytes(reading.png, reading.info);
    auto pixels = allocatePixels(name, rowBytes * height);
    std::vector<png_bytep> rows;
    rows.reserve(height);
    for (size_t row = 0; row < height; ++row) {
        rows.push_back(pixels.get() + row * rowBytes);
    }
    if (!readPixels(reading, rows.data())) {
        refuseImage(ImageFormat::Png, name, reading.problem.reported());
    }
    return pixels;
}

void readImage(Reading& reading, std::string_view name, DecodedImage& decoded) {
    if (png_get_bit_depth(reading.png, reading.info) == 8) {
        decoded.image = sizedImage<Image8>(reading);
        decoded.image.pixels = readRows(reading, name);
        return;
    }
    decoded.deep = sizedImage<Image16>(reading);
    const std::shared_ptr<uint8_t[]> bytes = readRows(reading, name);
    decoded.deep->pixels = {bytes, reinterpret_cast<const uint16_t*>(bytes.get())};
}

std::vector<ImageText> collectTexts(const Reading& reading, std::string_view name) {
    png_textp entries = nullptr;
    const int count = png_get_text(reading.png, reading.info, &entries, nullptr);
    std::vector<ImageText> texts;
    size_t bytes = 0;
    for (const png_text& entry : std::span(entries, static_cast<size_t>(std::max(count, 0)))) {
        const bool isUtf8 = entry.compression == PNG_ITXT_COMPRESSION_NONE ||
                            entry.compression == PNG_ITXT_COMPRESSION_zTXt;
        ImageText text = {.key = utf8FromLatin1(entry.key),
                          .text = isUtf8 ? std::string(entry.text) : utf8FromLatin1(entry.text)};
        if (!isValidUtf8(text.text)) {
            refuseImage(
                ImageFormat::Png, name, message("its text {} is not UTF-8", quotedName(text.key)));
        }
        bytes += text.key.size() + text.text.size();
        texts.push_back(std::move(text));
    }
    if (bytes > kMaxTextBytes) {
        refuseImage(ImageFormat::Png,
                    name,
                    message("it has {} bytes of text, at most 32 MiB are read", bytes));
    }
    return texts;
}

/// Reads what stands before the pixels of a file that can hold them.
void start(Reading& reading, std::span<const std::byte> bytes, std::string_view name, Depth depth) {
    reading.rest = bytes;
    reading.png = png_create_read_struct_2(
        PNG_LIBPNG_VER_STRING, &reading, onReadError, onReadWarning, &reading, onAllocate, onFree);
    reading.info = reading.png ? png_create_info_struct(reading.png) : nullptr;
    if (!reading.info) {
        throw Error(ErrorKind::Internal,
                    message("PNG images cannot be read: libpng does not start"));
    }
    if (!readHeader(reading, depth == Depth::Stored)) {
        refuseImage(ImageFormat::Png, name, reading.problem.reported());
    }
    checkSize(reading, name, bytes.size());
}

}  // namespace

DecodedImage decodePng(std::span<const std::byte> bytes, std::string_view name, Depth depth) {
    Reading reading;
    start(reading, bytes, name, depth);
    DecodedImage decoded;
    readImage(reading, name, decoded);
    decoded.texts = collectTexts(reading, name);
    return decoded;
}

namespace {

// Fixed, so that the same image gives the same bytes.
constexpr int kCompressionLevel = 6;
constexpr int kFilter = PNG_FILTER_PAETH;

struct Chunk {
    const char* type;  ///< four letters
    std::string data;
};

/// The keyword as it stands in the file, after the checks of the PNG specification (11.3.4.2).
std::string keyBytes(const std::string& key) {
    const auto latin1 = isValidUtf8(key) ? latin1FromUtf8(key) : std::nullopt;
    if (!latin1) {
        throw Error(
            ErrorKind::InvalidInput,
            message("the PNG text key {} has a character that is not in Latin-1", quotedName(key)));
    }
    if (latin1->empty() || latin1->size() > kMaxKeyBytes) {
        throw Error(ErrorKind::InvalidInput,
                    message("the PNG text key {} must have 1 to 79 characters", quotedName(key)));
    }
    const bool printable = std::all_of(latin1->begin(), latin1->end(), [](char c) {
        const auto code = static_cast<unsigned char>(c);
        return (code >= 32 && code <= 126) || code >= 161;
    });
    if (!printable) {
        throw Error(
            ErrorKind::InvalidInput,
            message("the PNG text key {} has a character that cannot be printed", quotedName(key)));
    }
    if (latin1->front() == ' ' || latin1->back() == ' ' ||
        latin1->find("  ") != std::string::npos) {
        throw Error(
            ErrorKind::InvalidInput,
            message("the PNG text key {} has a space at an end, or two in a row", quotedName(key)));
    }
    return *latin1;
}

Chunk chunkOf(const ImageText& entry) {
    const std::string key = keyBytes(entry.key);
    if (!isValidUtf8(entry.text)) {
        throw Error(ErrorKind::InvalidInput,
                    message("the PNG text of {} is not valid UTF-8", quotedName(entry.key)));
    }
    if (entry.text.find('\0') != std::string::npos) {
        throw Error(ErrorKind::InvalidInput,
                    message("the PNG text of {} holds a NUL character", quotedName(entry.key)));
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

std::vector<Chunk> chunksOf(const std::vector<ImageText>& texts) {
    std::vector<Chunk> chunks;
    size_t bytes = 0;
    for (const ImageText& entry : texts) {
        chunks.push_back(chunkOf(entry));
        bytes += entry.key.size() + entry.text.size();
    }
    if (bytes > kMaxTextBytes || texts.size() > kMaxTextChunks) {
        throw Error(
            ErrorKind::InvalidInput,
            message(
                "a PNG takes up to {} texts of together 32 MiB, these are {} of together {} bytes",
                kMaxTextChunks,
                texts.size(),
                bytes));
    }
    return chunks;
}

void checkImage(const Image8& image) {
    const bool sized =
        image.widthPixels > 0 && image.heightPixels > 0 &&
        static_cast<uint32_t>(image.widthPixels) <= kMaxSidePixels &&
        static_cast<uint32_t>(image.heightPixels) <= kMaxSidePixels &&
        static_cast<uint64_t>(image.widthPixels) * static_cast<uint64_t>(image.heightPixels) <=
            kMaxPixels;
    const bool channelled = image.channels == 1 || image.channels == 3 || image.channels == 4;
    if (!sized || !channelled || !image.pixels) {
        throw Error(ErrorKind::InvalidInput,
                    message("an image of {} x {} pixels with {} channels cannot be written as PNG",
                            image.widthPixels,
                            image.heightPixels,
                            image.channels),
                    message("1, 3 or 4 channels and at most 2^28 pixels are possible"));
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
    LibraryProblem problem;

    Writing() = default;

    ~Writing() { png_destroy_write_struct(&png, &info); }

    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;
};

[[noreturn]] void onWriteError(png_structp png, png_const_charp message) {
    auto* writing = static_cast<Writing*>(png_get_error_ptr(png));
    std::snprintf(writing->problem.words, sizeof writing->problem.words, "%s", message);
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
        writing->problem.ours = phrase("no memory for the encoded image");
        png_longjmp(png, 1);
    }
}

void onFlush(png_structp) {}

/// False when libpng gave up, or the user did. libpng leaves by longjmp: no object with a
/// destructor may live in here.
bool writeAll(Writing& writing,
              const Image8& image,
              const std::vector<Chunk>& chunks,
              const StopToken& stop) {
    if (setjmp(png_jmpbuf(writing.png)) != 0) {
        return false;
    }
    png_set_write_fn(writing.png, &writing, onWrite, onFlush);
    png_set_user_limits(writing.png, kMaxSidePixels, kMaxSidePixels);
    png_set_compression_level(writing.png, kCompressionLevel);
    png_set_filter(writing.png, PNG_FILTER_TYPE_BASE, kFilter);
    const auto width = static_cast<png_uint_32>(image.widthPixels);
    const auto height = static_cast<png_uint_32>(image.heightPixels);
    png_set_IHDR(writing.png,
                 writing.info,
                 width,
                 height,
                 8,
                 colorType(image.channels),
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
    const size_t rowBytes = size_t{width} * static_cast<size_t>(image.channels);
    for (png_uint_32 row = 0; row < height; ++row) {
        if (stop.mode() == CancelMode::Now) {
            return false;
        }
        png_write_row(writing.png, image.pixels.get() + row * rowBytes);
    }
    png_write_end(writing.png, nullptr);
    return true;
}

}  // namespace

std::string encodePng(const Image8& image,
                      const std::vector<ImageText>& texts,
                      const StopToken& stop) {
    checkImage(image);
    const std::vector<Chunk> chunks = chunksOf(texts);
    Writing writing;
    writing.png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &writing, onWriteError, onWriteWarning);
    writing.info = writing.png ? png_create_info_struct(writing.png) : nullptr;
    if (!writing.info || !writeAll(writing, image, chunks, stop)) {
        stop.throwIfStopped();
        throw Error(
            ErrorKind::Internal,
            message("the image could not be encoded as PNG: {}",
                    writing.info ? writing.problem.reported() : message("libpng does not start")));
    }
    return std::move(writing.bytes);
}

}  // namespace lowtide::image
