#include "plugin/image/png_header.hpp"

#include "plugin/image/formats.hpp"
#include "plugin/image/png.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <zlib.h>

namespace lowtide::image {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kPngStart = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"sv;
constexpr size_t kWidthAt = 16;
constexpr size_t kHeightAt = 20;
constexpr uint64_t kFirstChunkAt = 8;
constexpr uint64_t kChunkHead = 8;    ///< its length and type
constexpr uint64_t kChunkFrame = 12;  ///< of a chunk in addition to its data
constexpr uint64_t kMostPackedProfile = 4u << 20;

std::string_view textOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

int64_t bigEndianAt(std::span<const std::byte> bytes, size_t index) {
    int64_t number = 0;
    for (const std::byte byte : bytes.subspan(index, 4)) {
        number = number << 8 | std::to_integer<int64_t>(byte);
    }
    return number;
}

/// The begin of what a zlib stream holds, as far as it can be unpacked.
std::string unpackedBegin(std::string packed, uint64_t most) {
    std::string begin(static_cast<size_t>(most), '\0');
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) {
        return {};
    }
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(begin.data());
    stream.avail_out = static_cast<uInt>(begin.size());
    (void)inflate(&stream, Z_SYNC_FLUSH);
    begin.resize(std::min(begin.size(), static_cast<size_t>(stream.total_out)));
    inflateEnd(&stream);
    return begin;
}

/// Of an iCCP chunk: a name, a NUL, the method, and the profile packed by zlib.
std::string profileIn(const std::string& data) {
    const size_t end = data.find('\0');
    return end == std::string::npos || end + 2 > data.size()
               ? std::string()
               : unpackedBegin(data.substr(end + 2), kProfileBytes);
}

/// Takes EXIF and the profile of the chunks, which may stand behind the pixels.
void addChunks(ByteWindow& bytes, StoredHeader& header) {
    uint64_t at = kFirstChunkAt;
    for (int left = kMostSections; left > 0 && bytes.has(at, kChunkFrame); --left) {
        const std::string head = bytes.text(at, kChunkHead);
        const auto count = static_cast<uint64_t>(bigEndianAt(std::as_bytes(std::span(head)), 0));
        const std::string_view type = std::string_view(head).substr(4);
        if (type == "IEND" || !bytes.has(at, count + kChunkFrame)) {
            return;
        }
        if (type == "eXIf" && header.exif.empty() && count <= kMostExifBytes) {
            header.exif = bytes.text(at + kChunkHead, count);
        } else if (type == "iCCP" && header.profile.empty() && count <= kMostPackedProfile) {
            header.profile = profileIn(bytes.text(at + kChunkHead, count));
        }
        at += count + kChunkFrame;
    }
}

}  // namespace

ImageSize pngSize(std::span<const std::byte> begin, std::string_view name) {
    if (begin.size() < kPngHeaderBytes || !textOf(begin).starts_with(kPngStart)) {
        refuseImage(ImageFormat::Png, name, message("it does not begin as one"));
    }
    const ImageSize size{.widthPixels = bigEndianAt(begin, kWidthAt),
                         .heightPixels = bigEndianAt(begin, kHeightAt)};
    checkImageSize(size, ImageFormat::Png, name);
    return size;
}

StoredHeader pngStored(const ByteSource& source, std::string_view name) {
    ByteWindow bytes(source);
    const std::string begin = bytes.text(0, std::min<uint64_t>(bytes.size(), kPngHeaderBytes));
    StoredHeader header{.size = pngSize(std::as_bytes(std::span(begin)), name)};
    addChunks(bytes, header);
    return header;
}

namespace {

/// Signature, and the chunk IHDR: length, type, 13 bytes, checksum.
constexpr uint64_t kTextsAt = 8 + 25;
constexpr uint64_t kHeadBytes = 8;
constexpr uint64_t kChecksumBytes = 4;
constexpr std::string_view kTextTypes[] = {"tEXt", "zTXt", "iTXt"};

struct ChunkHead {
    uint64_t bytes = 0;  ///< of the whole chunk
    std::string type;
};

ChunkHead headOf(std::span<const std::byte> bytes) {
    ChunkHead head;
    for (const std::byte byte : bytes.first(4)) {
        head.bytes = head.bytes << 8 | std::to_integer<uint64_t>(byte);
    }
    head.bytes += kHeadBytes + kChecksumBytes;
    for (const std::byte byte : bytes.subspan(4)) {
        head.type += static_cast<char>(byte);
    }
    return head;
}

bool isText(const ChunkHead& head) {
    return std::find(std::begin(kTextTypes), std::end(kTextTypes), head.type) !=
           std::end(kTextTypes);
}

/// The text chunks as they lie in the file, one behind the other.
std::string textChunks(const ByteSource& source, std::string_view name) {
    std::string chunks;
    std::array<std::byte, kHeadBytes> bytes{};
    for (uint64_t index = kTextsAt; index + kHeadBytes <= source.size;) {
        source.read(bytes, index);
        const ChunkHead head = headOf(bytes);
        if (head.type == "IEND") {
            return chunks;
        }
        if (head.bytes > source.size - index) {
            break;
        }
        if (isText(head)) {
            const size_t before = chunks.size();
            if (head.bytes > kMaxTextBytes - before) {
                refuseImage(ImageFormat::Png, name, message("it has more than 32 MiB of text"));
            }
            chunks.resize(before + static_cast<size_t>(head.bytes));
            source.read(std::as_writable_bytes(std::span(chunks).subspan(before)), index);
        }
        index += head.bytes;
    }
    refuseImage(ImageFormat::Png, name, message("its end is missing"));
}

}  // namespace

std::vector<ImageText> readPngTexts(const ByteSource& source, std::string_view name) {
    std::array<std::byte, kPngHeaderBytes> begin{};
    const auto known =
        std::span(begin).first(static_cast<size_t>(std::min<uint64_t>(source.size, begin.size())));
    source.read(known, 0);
    static_cast<void>(pngSize(known, name));
    // The texts in an image of one pixel: libpng checks and unpacks them as in any other.
    const Image8 pixel{.widthPixels = 1,
                       .heightPixels = 1,
                       .channels = 1,
                       .pixels = std::make_shared<uint8_t[]>(1)};
    std::string file = encodePng(pixel, {});
    file.insert(static_cast<size_t>(kTextsAt), textChunks(source, name));
    return decodePng(std::as_bytes(std::span(file)), name).texts;
}

}  // namespace lowtide::image
