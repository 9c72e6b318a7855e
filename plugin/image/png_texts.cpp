#include "plugin/image/png_texts.hpp"

#include "plugin/image/png_header.hpp"
#include "plugin/image/png_limits.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>

namespace lowtide::image {

namespace {

/// Signature, and the chunk IHDR: length, type, 13 bytes, checksum.
constexpr int64_t kFirstChunkAt = 8 + 25;
constexpr int64_t kHeadBytes = 8;
constexpr int64_t kChecksumBytes = 4;
constexpr std::string_view kTextTypes[] = {"tEXt", "zTXt", "iTXt"};

struct ChunkHead {
    int64_t bytes = 0;  ///< of the whole chunk
    std::string type;
};

ChunkHead headOf(std::span<const std::byte> bytes) {
    ChunkHead head;
    for (const std::byte byte : bytes.first(4)) {
        head.bytes = head.bytes << 8 | std::to_integer<int64_t>(byte);
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
std::string textChunks(const ReadBytes& read, int64_t fileBytes, std::string_view name) {
    constexpr auto kMostBytes = static_cast<int64_t>(kMaxTextBytes);
    std::string chunks;
    std::array<std::byte, kHeadBytes> bytes{};
    for (int64_t place = kFirstChunkAt; place + kHeadBytes <= fileBytes;) {
        read(bytes, place);
        const ChunkHead head = headOf(bytes);
        if (head.type == "IEND") {
            return chunks;
        }
        if (head.bytes > fileBytes - place) {
            break;
        }
        if (isText(head)) {
            const size_t before = chunks.size();
            if (head.bytes > kMostBytes - static_cast<int64_t>(before)) {
                refusePng(name, "it has more than 32 MiB of text");
            }
            chunks.resize(before + static_cast<size_t>(head.bytes));
            read(std::as_writable_bytes(std::span(chunks).subspan(before)), place);
        }
        place += head.bytes;
    }
    refusePng(name, "its end is missing");
}

}  // namespace

std::vector<PngText> readPngTexts(const ReadBytes& read, int64_t fileBytes, std::string_view name) {
    std::array<std::byte, kPngHeaderBytes> begin{};
    const auto known =
        static_cast<size_t>(std::clamp(fileBytes, int64_t{0}, static_cast<int64_t>(begin.size())));
    read(std::span(begin).first(known), 0);
    static_cast<void>(pngSize(std::span(begin).first(known), name));
    // The texts in a picture of one pixel: libpng checks and unpacks them as in any other.
    const Image8 pixel{.widthPixels = 1,
                       .heightPixels = 1,
                       .channels = 1,
                       .pixels = std::make_shared<uint8_t[]>(1)};
    std::string file = encodePng(pixel, {});
    file.insert(static_cast<size_t>(kFirstChunkAt), textChunks(read, fileBytes, name));
    return decodePng(std::as_bytes(std::span(file)), name).texts;
}

}  // namespace lowtide::image
