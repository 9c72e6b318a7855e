#include "plugin/image/utf16.hpp"

#include <cstddef>
#include <cstdint>

namespace lowtide::image {

namespace {

constexpr uint32_t kFirstHigh = 0xD800;
constexpr uint32_t kFirstLow = 0xDC00;
constexpr uint32_t kBehindLow = 0xE000;
constexpr uint32_t kFirstOfPairs = 0x10000;
constexpr uint32_t kReplacement = 0xFFFD;

/// The code point that begins at `at`, which goes behind it; the text is valid.
uint32_t nextCodePoint(std::string_view text, size_t& at) {
    const auto first = static_cast<uint8_t>(text[at++]);
    if (first < 0x80) {
        return first;
    }
    const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    uint32_t code = first & (0x3Fu >> more);
    for (int i = 0; i < more; ++i) {
        code = code << 6 | (static_cast<uint8_t>(text[at++]) & 0x3Fu);
    }
    return code;
}

void addUnit(std::string& bytes, uint32_t unit) {
    bytes += static_cast<char>(unit >> 8 & 0xFF);
    bytes += static_cast<char>(unit & 0xFF);
}

void addUtf8(std::string& text, uint32_t code) {
    const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xC0 | code >> 6);
        tail(0);
    } else if (code < kFirstOfPairs) {
        text += static_cast<char>(0xE0 | code >> 12);
        tail(6);
        tail(0);
    } else {
        text += static_cast<char>(0xF0 | code >> 18);
        tail(12);
        tail(6);
        tail(0);
    }
}

}  // namespace

std::string utf16FromUtf8(std::string_view text) {
    std::string bytes;
    for (size_t at = 0; at < text.size();) {
        const uint32_t code = nextCodePoint(text, at);
        if (code < kFirstOfPairs) {
            addUnit(bytes, code);
        } else {
            addUnit(bytes, kFirstHigh + ((code - kFirstOfPairs) >> 10));
            addUnit(bytes, kFirstLow + ((code - kFirstOfPairs) & 0x3FF));
        }
    }
    return bytes;
}

std::string utf8FromUtf16(std::string_view bytes, bool isBigEndian) {
    const auto unitAt = [&](size_t at) -> uint32_t {
        const auto first = static_cast<uint8_t>(bytes[at]);
        const auto second = static_cast<uint8_t>(bytes[at + 1]);
        return isBigEndian ? first << 8 | second : second << 8 | first;
    };
    std::string text;
    for (size_t at = 0; at + 1 < bytes.size(); at += 2) {
        uint32_t code = unitAt(at);
        const bool isHigh = code >= kFirstHigh && code < kFirstLow;
        const uint32_t next = isHigh && at + 3 < bytes.size() ? unitAt(at + 2) : 0;
        if (next >= kFirstLow && next < kBehindLow) {
            code = kFirstOfPairs + ((code - kFirstHigh) << 10) + (next - kFirstLow);
            at += 2;
        } else if (code >= kFirstHigh && code < kBehindLow) {
            code = kReplacement;
        }
        addUtf8(text, code);
    }
    return text;
}

}  // namespace lowtide::image
