#pragma once
// Chunks of PNG files in memory; internal to the room.

#include <cstdint>
#include <string>
#include <string_view>

namespace lowtide::image {

inline constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";

/// A chunk with its length and checksum.
[[nodiscard]] std::string pngChunk(std::string_view type, std::string_view data);
/// A number as PNG has it, most significant byte first.
[[nodiscard]] std::string pngNumber(uint64_t number, int bytes);
[[nodiscard]] uint32_t pngNumberAt(std::string_view bytes, size_t at, int count = 4);

struct PngChunk {
    std::string_view type;  ///< empty: no further one is whole
    std::string_view data{};
    std::string_view whole{};
};

/// The chunk at a place of a file; `whole` says how far it reaches.
[[nodiscard]] PngChunk pngChunkAt(std::string_view png, size_t at);

}  // namespace lowtide::image
