#include "plugin/text/ftfy/mojibake.hpp"

#include "plugin/text/ftfy/single_byte_encoding.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utf8proc.h>

namespace lowtide::models {

// UTF-8 that went through programs. Source: ftfy 6.3.1, restore_byte_a0, replace_lossy_sequences
// and utf8_variants.py.

/// Puts the byte 0xA0 back where UTF-8 has a space in its place: what took it for a space that does
/// not break changed it. A word "\xC3" ("\u00E0" in French) keeps its space.
[[nodiscard]] std::string withRestoredBytes(std::string_view bytes);
/// Replaces what would be a character, were bytes of it not lost (kLostByte, or one "?"), by
/// U+FFFD.
[[nodiscard]] std::string withMarkedLosses(std::string_view bytes);
/// The characters of UTF-8, of CESU-8 (surrogates as characters), with Java's two bytes for zero;
/// nothing: it is none.
[[nodiscard]] std::optional<std::u32string> decodedUtf8(std::string_view bytes);

namespace {

/// Bytes that a position of a pattern takes: ranges, both ends in it.
struct ByteRange {
    unsigned char first;
    unsigned char last;
};

using ByteSet = std::array<ByteRange, 3>;    ///< the same one again: there are fewer
using BytePattern = std::array<ByteSet, 6>;  ///< sets of the byte 0: it is shorter

constexpr ByteSet bytesFrom(unsigned char first, unsigned char last) {
    return {{{first, last}, {first, last}, {first, last}}};
}

constexpr ByteSet oneByte(unsigned char byte) {
    return bytesFrom(byte, byte);
}

constexpr unsigned char kLost = kLostByte;
constexpr ByteSet kBlank = oneByte(' ');
constexpr ByteSet kContinuation = bytesFrom(0x80, 0xBF);
/// Without the restored one, and the one of an ellipsis.
constexpr ByteSet kOtherContinuation = {{{0x80, 0x84}, {0x86, 0x9F}, {0xA1, 0xBF}}};
constexpr ByteSet kLoss = {{{kLost, kLost}, {'?', '?'}, {'?', '?'}}};
constexpr ByteSet kLossOrContinuation = {{{kLost, kLost}, {0x80, 0xBF}, {0x80, 0xBF}}};
constexpr ByteSet kLossOrAny = {{{kLost, kLost}, {'?', '?'}, {0x80, 0xBF}}};
constexpr ByteSet kSurrogate = oneByte(0xED);
constexpr ByteSet kHighSurrogate = bytesFrom(0xA0, 0xAF);
constexpr ByteSet kLowSurrogate = bytesFrom(0xB0, 0xBF);
constexpr ByteSet kFirstOfThree = bytesFrom(0xE0, 0xEF);
constexpr ByteSet kFirstOfFour = bytesFrom(0xF0, 0xF4);

/// UTF-8 with a space for 0xA0, where it would be a likely character.
constexpr std::array<BytePattern, 7> kBlankedPatterns = {
    {{{{{{0xC2, 0xC3}, {0xC5, 0xC5}, {0xCE, 0xCE}}}, kBlank}},
     {{{{{0xD0, 0xD0}, {0xD9, 0xD9}, {0xD9, 0xD9}}}, kBlank}},
     {{bytesFrom(0xE2, 0xE3), kBlank, kOtherContinuation}},
     {{bytesFrom(0xE0, 0xE3), kOtherContinuation, kBlank}},
     {{oneByte(0xF0), kBlank, kContinuation, kContinuation}},
     {{oneByte(0xF0), kContinuation, kBlank, kContinuation}},
     {{oneByte(0xF0), kContinuation, kContinuation, kBlank}}}};

/// UTF-8 or CESU-8 with bytes that are lost.
constexpr std::array<BytePattern, 10> kLossyPatterns = {
    {{{bytesFrom(0xC2, 0xDF), oneByte(kLost)}},
     {{bytesFrom(0xC2, 0xC3), oneByte('?')}},
     {{kSurrogate, kHighSurrogate, kLoss, kSurrogate, kLowSurrogate, kLossOrAny}},
     {{kSurrogate, kHighSurrogate, kLossOrAny, kSurrogate, kLowSurrogate, kLoss}},
     {{kFirstOfThree, kLoss, kLossOrContinuation}},
     {{kFirstOfThree, kLossOrContinuation, kLoss}},
     {{kFirstOfFour, kLoss, kLossOrContinuation, kLossOrContinuation}},
     {{kFirstOfFour, kLossOrContinuation, kLoss, kLossOrContinuation}},
     {{kFirstOfFour, kLossOrContinuation, kLossOrContinuation, kLoss}},
     {{oneByte(kLost)}}}};

bool takesByte(const ByteSet& set, char each) {
    const auto byte = static_cast<unsigned char>(each);
    return std::any_of(set.begin(), set.end(), [&](const ByteRange& range) {
        return byte >= range.first && byte <= range.last;
    });
}

/// The length of the pattern where it fits at the beginning, else 0.
size_t fittingBytes(std::string_view bytes, const BytePattern& pattern) {
    size_t fitting = 0;
    for (const ByteSet& set : pattern) {
        if (set.front().last == 0) {
            break;
        }
        if (fitting == bytes.size() || !takesByte(set, bytes[fitting])) {
            return 0;
        }
        ++fitting;
    }
    return fitting;
}

/// That of the first that fits.
size_t fittingBytes(std::string_view bytes, std::span<const BytePattern> patterns) {
    for (const BytePattern& pattern : patterns) {
        if (const size_t fitting = fittingBytes(bytes, pattern); fitting > 0) {
            return fitting;
        }
    }
    return 0;
}

/// Whether what is behind "\xC3 " means that the space belongs to no word: it is none of Portuguese
/// ("\u00E0quela", "\u00E0s").
bool isWordOfItsOwn(std::string_view behind) {
    for (const std::string_view other : {" ", "quele", "quela", "quilo", "s "}) {
        if (behind.starts_with(other)) {
            return false;
        }
    }
    return true;
}

std::string withGraveWords(std::string_view bytes) {
    constexpr std::string_view kCutLetter = "\xC3 ";
    std::string result;
    while (!bytes.empty()) {
        if (bytes.starts_with(kCutLetter) && isWordOfItsOwn(bytes.substr(kCutLetter.size()))) {
            result += "\xC3\xA0 ";
            bytes.remove_prefix(kCutLetter.size());
        } else {
            result += bytes.front();
            bytes.remove_prefix(1);
        }
    }
    return result;
}

unsigned byteIn(std::string_view bytes, size_t at) {
    return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
}

struct DecodedCharacter {
    char32_t code = 0;
    size_t bytes = 0;  ///< 0: it is none
};

/// A pair of surrogates. At the very end a line feed counts for its last byte, as in ftfy.
DecodedCharacter surrogatesAt(std::string_view bytes) {
    const unsigned last = byteIn(bytes, 5);
    const bool isPair = bytes.size() >= 6 && byteIn(bytes, 0) == 0xED &&
                        (byteIn(bytes, 1) & 0xF0) == 0xA0 && (byteIn(bytes, 2) & 0xC0) == 0x80 &&
                        byteIn(bytes, 3) == 0xED && (byteIn(bytes, 4) & 0xF0) == 0xB0 &&
                        ((last & 0xC0) == 0x80 || (last == '\n' && bytes.size() == 6));
    if (!isPair) {
        return {};
    }
    const unsigned code = ((byteIn(bytes, 1) & 0x0F) << 16) + ((byteIn(bytes, 2) & 0x3F) << 10) +
                          ((byteIn(bytes, 4) & 0x0F) << 6) + (last & 0x3F) + 0x10000;
    return {.code = code, .bytes = 6};
}

DecodedCharacter characterAt(std::string_view bytes) {
    if (byteIn(bytes, 0) == 0xC0) {
        const bool isZero = byteIn(bytes, 1) == 0x80 || bytes == "\xC0\n";  // as in ftfy
        return {.bytes = isZero ? size_t{2} : 0};
    }
    if (const DecodedCharacter pair = surrogatesAt(bytes); pair.bytes > 0) {
        return pair;
    }
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t read =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()),
                         static_cast<utf8proc_ssize_t>(bytes.size()),
                         &code);
    return read > 0 ? DecodedCharacter{static_cast<char32_t>(code), static_cast<size_t>(read)}
                    : DecodedCharacter{};
}

}  // namespace

std::string withRestoredBytes(std::string_view bytes) {
    std::string result = withGraveWords(bytes);
    for (size_t at = 0; at < result.size();) {
        const size_t blanked = fittingBytes(std::string_view(result).substr(at), kBlankedPatterns);
        for (size_t n = at; n < at + blanked; ++n) {
            result[n] = result[n] == ' ' ? '\xA0' : result[n];
        }
        at += blanked > 0 ? blanked : 1;
    }
    return result;
}

std::string withMarkedLosses(std::string_view bytes) {
    std::string result;
    while (!bytes.empty()) {
        const size_t lossy = fittingBytes(bytes, kLossyPatterns);
        result += lossy > 0 ? std::string_view("\xEF\xBF\xBD") : bytes.substr(0, 1);
        bytes.remove_prefix(lossy > 0 ? lossy : 1);
    }
    return result;
}

std::optional<std::u32string> decodedUtf8(std::string_view bytes) {
    std::u32string text;
    while (!bytes.empty()) {
        const DecodedCharacter each = characterAt(bytes);
        if (each.bytes == 0) {
            return std::nullopt;
        }
        text += each.code;
        bytes.remove_prefix(each.bytes);
    }
    return text;
}

namespace {

/// `text` as UTF-8 that was read in one encoding; nothing: it was not.
std::optional<std::u32string> reread(std::u32string_view text) {
    for (const SingleByteEncoding encoding : kSingleByteEncodings) {
        std::optional<std::string> bytes = singleBytes(text, encoding);
        if (!bytes) {
            continue;
        }
        if (encoding != SingleByteEncoding::MacRoman) {  // has a dash there, often before a space
            bytes = withRestoredBytes(*bytes);
        }
        if (isOfWindows(encoding)) {
            bytes = withMarkedLosses(*bytes);
        }
        if (std::optional<std::u32string> decoded = decodedUtf8(*bytes)) {
            return decoded;
        }
    }
    return std::nullopt;
}

/// With each part that looks like UTF-8 in some encoding repaired by itself.
std::u32string withFixedParts(std::u32string_view text, Effort& effort) {
    std::u32string result;
    for (size_t at = 0; at < text.size();) {
        const GarbledPart part = nextGarbledPart(text, at);
        result += text.substr(at, part.begin - at);
        const std::u32string_view garbled = text.substr(part.begin, part.end - part.begin);
        // A text that is one such part would come here again.
        const bool isFixed = garbled.size() < text.size();
        result += isFixed ? withoutMojibake(garbled, effort) : std::u32string(garbled);
        at = part.end;
    }
    return result;
}

std::u32string fixedOnce(std::u32string_view text, Effort& effort) {
    if (!looksGarbled(text)) {
        return std::u32string(text);
    }
    if (std::optional<std::u32string> whole = reread(text)) {
        return std::move(*whole);
    }
    std::u32string result = withFixedParts(text, effort);
    if (result == text) {
        std::transform(result.begin(), result.end(), result.begin(), withoutControl);
    }
    return result;
}

}  // namespace

std::u32string withoutMojibake(std::u32string_view text, Effort& effort) {
    std::u32string result(text);
    bool isAgain = true;
    while (isAgain) {
        std::u32string fixed = fixedOnce(result, effort);
        isAgain = fixed != result && effort.takes(fixed.size());
        result = std::move(fixed);
    }
    return result;
}

}  // namespace lowtide::models
