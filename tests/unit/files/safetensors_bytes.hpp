#pragma once

#include <string>
#include <string_view>

namespace lowtide::testing {

/// The little-endian length that a safetensors file begins with.
[[nodiscard]] inline std::string lengthPrefix(uint64_t length) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) {
        bytes += static_cast<char>(length >> (8 * i) & 0xFF);
    }
    return bytes;
}

/// A file of this header and so many bytes of data.
[[nodiscard]] inline std::string safetensorsBytes(std::string_view header, size_t dataBytes) {
    std::string bytes = lengthPrefix(header.size());
    bytes += header;
    for (size_t i = 0; i < dataBytes; ++i) {
        bytes += static_cast<char>(i);
    }
    return bytes;
}

}  // namespace lowtide::testing
