#include "plugin/image/png_chunks.hpp"

#include <zlib.h>

namespace lowtide::image {

namespace {

constexpr size_t kFrameBytes = 12;  // length, type, checksum

}  // namespace

std::string pngNumber(uint64_t number, int bytes) {
    std::string text;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
        text += static_cast<char>(number >> shift & 0xFF);
    }
    return text;
}

uint32_t pngNumberAt(std::string_view bytes, size_t at, int count) {
    uint32_t number = 0;
    for (const char byte : bytes.substr(at, static_cast<size_t>(count))) {
        number = number << 8 | static_cast<unsigned char>(byte);
    }
    return number;
}

std::string pngChunk(std::string_view type, std::string_view data) {
    const std::string body = std::string(type) + std::string(data);
    const uLong sum =
        crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
    return pngNumber(data.size(), 4) + body + pngNumber(sum, 4);
}

PngChunk pngChunkAt(std::string_view png, size_t at) {
    if (at > png.size() || png.size() - at < kFrameBytes) {
        return {};
    }
    const size_t length = pngNumberAt(png, at);
    if (png.size() - at - kFrameBytes < length) {
        return {};
    }
    return {.type = png.substr(at + 4, 4),
            .data = png.substr(at + 8, length),
            .whole = png.substr(at, length + kFrameBytes)};
}

}  // namespace lowtide::image
