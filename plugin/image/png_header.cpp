#include "plugin/image/png_header.hpp"

#include "plugin/image/format_reading.hpp"

#include <algorithm>
#include <array>
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
constexpr uint64_t kChunkFrame = 12;  ///< of a chunk beside its data
constexpr uint64_t kMostPackedProfile = 4u << 20;

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

PictureSize pngSize(std::span<const std::byte> begin, std::string_view name) {
    if (begin.size() < kPngHeaderBytes || !textOf(begin).starts_with(kPngStart)) {
        refusePicture(PictureFormat::Png, name, "it does not begin as one");
    }
    const PictureSize size{.widthPixels = bigEndianAt(begin, kWidthAt),
                           .heightPixels = bigEndianAt(begin, kHeightAt)};
    checkPictureSize(size, PictureFormat::Png, name);
    return size;
}

StoredHeader pngStored(const ByteSource& source, std::string_view name) {
    ByteWindow bytes(source);
    const std::string begin = bytes.text(0, std::min<uint64_t>(bytes.size(), kPngHeaderBytes));
    StoredHeader header{.size = pngSize(std::as_bytes(std::span(begin)), name)};
    addChunks(bytes, header);
    return header;
}

}  // namespace lowtide::image
