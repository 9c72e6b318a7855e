#include "plugin/files/little_endian.hpp"

namespace lowtide::files {

uint64_t fromLittleEndian(std::string_view bytes) noexcept {
    uint64_t value = 0;
    for (size_t i = bytes.size(); i-- > 0;) {
        value = value << 8 | static_cast<uint8_t>(bytes[i]);
    }
    return value;
}

std::string toLittleEndian(uint64_t number, int byteCount) {
    std::string bytes;
    for (int i = 0; i < byteCount; ++i, number >>= 8) {
        bytes += static_cast<char>(number & 0xFF);
    }
    return bytes;
}

}  // namespace lowtide::files
