#include "plugin/image/format_reading.hpp"

#include <algorithm>

namespace lowtide::image {

namespace {

using namespace std::literals;

constexpr uint64_t kRiffBytes = 12;
constexpr uint64_t kChunkHeader = 8;
constexpr uint8_t kAnimationFlag = 0x02;
constexpr std::string_view kExifPrefix = "Exif\0\0"sv;  ///< that some programs take over from JPEG

/// Width and height of the picture that a chunk holds or announces; empty: of another chunk.
PictureSize sizeInChunk(ByteWindow& bytes, std::string_view type, uint64_t at, uint64_t count) {
    if (type == "VP8X" && count >= 10) {
        return {.widthPixels = static_cast<int64_t>(bytes.littleEndian(at + 4, 3)) + 1,
                .heightPixels = static_cast<int64_t>(bytes.littleEndian(at + 7, 3)) + 1};
    }
    if (type == "VP8L" && count >= 5) {
        const auto sides = static_cast<int64_t>(bytes.littleEndian(at + 1, 4));
        return {.widthPixels = (sides & 0x3FFF) + 1, .heightPixels = (sides >> 14 & 0x3FFF) + 1};
    }
    if (type == "VP8 " && count >= 10) {
        return {.widthPixels = static_cast<int64_t>(bytes.littleEndian(at + 6, 2)) & 0x3FFF,
                .heightPixels = static_cast<int64_t>(bytes.littleEndian(at + 8, 2)) & 0x3FFF};
    }
    return {};
}

void addChunk(
    ByteWindow& bytes, std::string_view type, uint64_t at, uint64_t count, StoredHeader& header) {
    if (type == "EXIF" && header.exif.empty() && count <= kMostExifBytes) {
        header.exif = bytes.text(at, count);
        if (header.exif.starts_with(kExifPrefix)) {
            header.exif.erase(0, kExifPrefix.size());
        }
    } else if (type == "ICCP" && header.profile.empty()) {
        header.profile = bytes.text(at, std::min(count, kProfileBytes));
    } else if (header.size.widthPixels == 0) {
        header.size = sizeInChunk(bytes, type, at, count);
    }
}

}  // namespace

StoredHeader webpStored(const ByteSource& source, std::string_view name) {
    StoredHeader header;
    ByteWindow bytes(source);
    uint64_t at = kRiffBytes;
    for (int left = kMostSections; left > 0 && bytes.has(at, kChunkHeader); --left) {
        const std::string type = bytes.text(at, 4);
        const uint64_t count = bytes.littleEndian(at + 4, 4);
        at += kChunkHeader;
        if (!bytes.has(at, count)) {
            break;
        }
        if (type == "VP8X" && count > 0 && (bytes.byteAt(at) & kAnimationFlag) != 0) {
            header.isAnimation = true;
        }
        addChunk(bytes, type, at, count, header);
        at += count + count % 2;
    }
    if (header.size.widthPixels == 0) {
        refusePicture(PictureFormat::WebP, name, "it ends before it says its size");
    }
    checkPictureSize(header.size, PictureFormat::WebP, name);
    return header;
}

}  // namespace lowtide::image
