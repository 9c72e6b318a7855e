#include "plugin/text/ftfy/single_byte_encoding.hpp"

namespace lowtide::models {

namespace {

/// Bytes by the indices of their characters; 0: none.
using BytesByPosition = std::array<unsigned char, kMojibakeCharacters>;

constexpr BytesByPosition bytesByPosition(std::u16string_view characters, bool isWindows) {
    BytesByPosition bytes{};
    for (size_t at = 0; at < characters.size(); ++at) {
        bytes[mojibakeIndex(characters[at])] = static_cast<unsigned char>(kFirstHigh + at);
    }
    if (isWindows) {
        bytes[mojibakeIndex(0xFFFD)] = kLostByte;
    }
    return bytes;
}

constexpr auto kHighBytes = [] {
    std::array<BytesByPosition, kHighCharacters.size()> all{};
    for (size_t n = 0; n < all.size(); ++n) {
        all[n] = bytesByPosition(kHighCharacters[n], isOfWindows(kSingleByteEncodings[n + 1]));
    }
    return all;
}();

}  // namespace

std::optional<std::string> singleBytes(std::u32string_view text, SingleByteEncoding encoding) {
    std::string bytes;
    bytes.reserve(text.size());
    const bool isWindows = isOfWindows(encoding);
    for (const char32_t each : text) {
        if (each < kFirstHigh) {
            if (isWindows && each == static_cast<char32_t>(kLostByte)) {
                return std::nullopt;
            }
            bytes += static_cast<char>(each);
            continue;
        }
        if (encoding == SingleByteEncoding::Latin1) {
            if (each > 0xFF) {
                return std::nullopt;
            }
            bytes += static_cast<char>(each);
            continue;
        }
        const unsigned char byte =
            kHighBytes[static_cast<size_t>(encoding) - 1][mojibakeIndex(each)];
        if (byte == 0) {
            return std::nullopt;
        }
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

char32_t withoutControl(char32_t code) {
    const bool isControl = code >= 0x80 && code <= 0x9F;
    return isControl
               ? characterOf(static_cast<unsigned char>(code), SingleByteEncoding::Windows1252)
               : code;
}

}  // namespace lowtide::models
