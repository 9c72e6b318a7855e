#include "plugin/image/latin1.hpp"

namespace lowtide::image {

std::string utf8FromLatin1(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size());
    for (const char byte : bytes) {
        const auto code = static_cast<unsigned char>(byte);
        if (code < 0x80) {
            text += byte;
        } else {
            text += static_cast<char>(0xC0 | code >> 6);
            text += static_cast<char>(0x80 | (code & 0x3F));
        }
    }
    return text;
}

std::optional<std::string> latin1FromUtf8(std::string_view text) {
    std::string bytes;
    for (size_t at = 0; at < text.size(); ++at) {
        const auto lead = static_cast<unsigned char>(text[at]);
        if (lead < 0x80) {
            bytes += text[at];
            continue;
        }
        const bool inLatin1 = (lead == 0xC2 || lead == 0xC3) && at + 1 < text.size();
        if (!inLatin1) {
            return std::nullopt;
        }
        const auto next = static_cast<unsigned char>(text[++at]);
        bytes += static_cast<char>((lead & 0x03) << 6 | (next & 0x3F));
    }
    return bytes;
}

}  // namespace lowtide::image
