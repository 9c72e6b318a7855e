#include "plugin/text/mending/garbled_utf8.hpp"

#include "plugin/text/mending/mojibake_characters.hpp"
#include "plugin/text/mending/single_byte_tables.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace lowtide::models {

namespace {

/// What a character is a byte of, in some encoding.
constexpr uint8_t kFollowing = 1U << 0;
constexpr uint8_t kSurelyFollowing = 1U << 1;  ///< hardly written beside such parts
constexpr uint8_t kFirstOf2 = 1U << 2;
constexpr uint8_t kFirstOf3 = 1U << 3;
constexpr uint8_t kFirstOf4 = 1U << 4;

/// Following bytes that are written for themselves: space, dashes, quotes, bullet, ellipsis.
constexpr std::u32string_view kWritten = U" –—―‘’‚“”„•…";

constexpr uint8_t roleOfByte(unsigned byte) {
    if (byte < 0xC0) {
        return kFollowing | kSurelyFollowing;
    }
    if (byte >= 0xE0 && byte < 0xF0) {
        return kFirstOf3;
    }
    if (byte == 0xF0 || byte == 0xF3) {  // others are first bytes of no known character
        return kFirstOf4;
    }
    return byte >= 0xC2 && byte < 0xE0 ? kFirstOf2 : 0;
}

constexpr auto kRoles = [] {
    std::array<uint8_t, kMojibakePlaces> roles{};
    for (const SingleByteEncoding encoding : kSingleByteEncodings) {
        if (encoding == SingleByteEncoding::Latin1 || isOfWindows(encoding)) {
            for (unsigned byte = kFirstHigh; byte <= 0xFF; ++byte) {
                roles[mojibakePlace(characterOf(byte, encoding))] |= roleOfByte(byte);
            }
        }
    }
    for (const char32_t each : kWritten) {
        roles[mojibakePlace(each)] = kFollowing;
    }
    return roles;
}();

uint8_t roleOf(char32_t code) {
    return kRoles[mojibakePlace(code)];
}

/// Characters of the one that begins at `at`, as its bytes; 0: none does.
size_t charactersAt(std::u32string_view text, size_t at) {
    const uint8_t first = roleOf(text[at]);
    const size_t count = (first & kFirstOf2) != 0   ? 2
                         : (first & kFirstOf3) != 0 ? 3
                         : (first & kFirstOf4) != 0 ? 4
                                                    : 0;
    if (count == 0 || text.size() - at < count) {
        return 0;
    }
    const std::u32string_view following = text.substr(at + 1, count - 1);
    const bool isWhole = std::all_of(following.begin(), following.end(), [](char32_t each) {
        return (roleOf(each) & kFollowing) != 0;
    });
    return isWhole ? count : 0;
}

}  // namespace

GarbledPart nextGarbledPart(std::u32string_view text, size_t from) {
    for (size_t begin = from; begin < text.size(); ++begin) {
        if (begin > 0 && (roleOf(text[begin - 1]) & kSurelyFollowing) != 0) {
            continue;
        }
        size_t end = begin;
        while (end < text.size()) {
            const size_t count = charactersAt(text, end);
            if (count == 0) {
                break;
            }
            end += count;
        }
        if (end > begin) {
            return {.begin = begin, .end = end};
        }
    }
    return {.begin = text.size(), .end = text.size()};
}

}  // namespace lowtide::models
