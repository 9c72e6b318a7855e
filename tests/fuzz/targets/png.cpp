#include "plugin/image/png.hpp"

#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/image_guarantees.hpp"
#include "tests/fuzz/target.hpp"

#include <array>
#include <cstring>
#include <string>

namespace lowtide::fuzz::png_target {

namespace {

using namespace image;

constexpr size_t kSignatureBytes = 8;
constexpr size_t kChunkBytes = 12;           ///< of a chunk in addition to its data
constexpr size_t kLargestRewritten = 16384;  ///< bytes of pixels that are written again

/// The checksum of ISO 3309 by table.
uint32_t crc32Of(std::string_view bytes) {
    static const std::array<uint32_t, 256> table = [] {
        std::array<uint32_t, 256> all{};
        for (uint32_t i = 0; i < all.size(); ++i) {
            uint32_t crc = i;
            for (int bit = 0; bit < 8; ++bit) {
                crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
            }
            all[i] = crc;
        }
        return all;
    }();
    uint32_t crc = ~0u;
    for (const char byte : bytes) {
        crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(byte)) & 0xFF];
    }
    return ~crc;
}

uint32_t bigEndianAt(std::string_view bytes, size_t at) {
    uint32_t number = 0;
    for (size_t i = 0; i < 4; ++i) {
        number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
    }
    return number;
}

/// The file with the checksum that each chunk has, so that what lies in it is looked at.
std::string withRightChecksums(std::string_view file) {
    std::string changed(file);
    size_t at = kSignatureBytes;
    while (changed.size() >= at + kChunkBytes) {
        const size_t length = bigEndianAt(changed, at);
        if (length > changed.size() - at - kChunkBytes) {
            break;
        }
        const uint32_t crc = crc32Of(std::string_view(changed).substr(at + 4, length + 4));
        for (size_t i = 0; i < 4; ++i) {
            changed[at + 8 + length + i] = static_cast<char>(crc >> (24 - 8 * i) & 0xFF);
        }
        at += kChunkBytes + length;
    }
    return changed;
}

/// Written and read again, small ones.
void checkWritten(const DecodedImage& png) {
    const Image8& image = png.image;
    std::string written;
    const bool isSmall = image.byteCount() <= kLargestRewritten;
    // Keys that PNG does not allow are read where they stand, but not written.
    if (!isSmall ||
        !takes({ErrorKind::InvalidInput}, [&] { written = encodePng(image, png.texts); })) {
        return;
    }
    const DecodedImage again = decodePng(std::as_bytes(std::span(written)), "again.png");
    const Image8& after = again.image;
    require(image.widthPixels == after.widthPixels && image.heightPixels == after.heightPixels &&
                image.channels == after.channels &&
                std::memcmp(image.pixels.get(), after.pixels.get(), image.byteCount()) == 0,
            "a written image is the one that was read");
    requireSameTexts(png.texts, again.texts);
}

bool readFile(std::string_view file) {
    DecodedImage png;
    const bool isTaken = takes({ErrorKind::Corrupt},
                               [&] { png = decodePng(std::as_bytes(std::span(file)), "x.png"); });
    if (isTaken) {
        checkWritten(png);
    }
    require(!readImageFile(file) || isTaken, "both entry points take the same files");
    return isTaken;
}

}  // namespace

bool runInput(std::span<const std::byte> bytes) {
    const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string repaired = withRightChecksums(file);
    const bool isRight = repaired == file;
    return (!isRight && readFile(file)) || readFile(repaired);
}

[[maybe_unused]] const bool isEntered = enterTarget("png", runInput);

}  // namespace lowtide::fuzz::png_target
