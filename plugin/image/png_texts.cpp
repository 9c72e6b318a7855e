#include "plugin/image/png_texts.hpp"

#include "plugin/image/format_reading.hpp"
#include "plugin/image/png.hpp"
#include "plugin/image/png_header.hpp"
#include "plugin/image/png_limits.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>

namespace lowtide::image {

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
    for (uint64_t place = kTextsAt; place + kHeadBytes <= source.size;) {
        source.read(bytes, place);
        const ChunkHead head = headOf(bytes);
        if (head.type == "IEND") {
            return chunks;
        }
        if (head.bytes > source.size - place) {
            break;
        }
        if (isText(head)) {
            const size_t before = chunks.size();
            if (head.bytes > kMaxTextBytes - before) {
                refusePicture(PictureFormat::Png, name, "it has more than 32 MiB of text");
            }
            chunks.resize(before + static_cast<size_t>(head.bytes));
            source.read(std::as_writable_bytes(std::span(chunks).subspan(before)), place);
        }
        place += head.bytes;
    }
    refusePicture(PictureFormat::Png, name, "its end is missing");
}

}  // namespace

std::vector<PictureText> readPngTexts(const ByteSource& source, std::string_view name) {
    std::array<std::byte, kPngHeaderBytes> begin{};
    const auto known =
        std::span(begin).first(static_cast<size_t>(std::min<uint64_t>(source.size, begin.size())));
    source.read(known, 0);
    static_cast<void>(pngSize(known, name));
    // The texts in a picture of one pixel: libpng checks and unpacks them as in any other.
    const Image8 pixel{.widthPixels = 1,
                       .heightPixels = 1,
                       .channels = 1,
                       .pixels = std::make_shared<uint8_t[]>(1)};
    std::string file = encodePng(pixel, {});
    file.insert(static_cast<size_t>(kTextsAt), textChunks(source, name));
    return decodePng(std::as_bytes(std::span(file)), name).texts;
}

}  // namespace lowtide::image
