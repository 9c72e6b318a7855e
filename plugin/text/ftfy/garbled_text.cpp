#include "plugin/text/characters.hpp"
#include "plugin/text/ftfy/mojibake.hpp"
#include "plugin/text/ftfy/single_byte_encoding.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <utf8proc.h>

namespace lowtide::models {

namespace {

// Kinds of characters; kFrequent to kBox are those of mojibake.
constexpr uint32_t kFrequent = 1U << 0;
constexpr uint32_t kControlCharacter = 1U << 1;
constexpr uint32_t kOdd = 1U << 2;
constexpr uint32_t kLaw = 1U << 3;
constexpr uint32_t kCurrency = 1U << 4;
constexpr uint32_t kOpening = 1U << 5;
constexpr uint32_t kClosing = 1U << 6;
constexpr uint32_t kNumeric = 1U << 7;
constexpr uint32_t kFace = 1U << 8;
constexpr uint32_t kCapitalAccented = 1U << 9;
constexpr uint32_t kSmallAccented = 1U << 10;
constexpr uint32_t kPlainCapital = 1U << 11;
constexpr uint32_t kPlainSmall = 1U << 12;
constexpr uint32_t kBox = 1U << 13;
constexpr uint32_t kLatin = 1U << 14;       ///< A to Z, a to z
constexpr uint32_t kLatinSmall = 1U << 15;  ///< a to z
constexpr uint32_t kNoLatin = 1U << 16;
constexpr uint32_t kSpace = 1U << 17;
constexpr uint32_t kWord = 1U << 18;  ///< letters, digits, "_"
constexpr uint32_t kInLine = 1U << 19;
constexpr uint32_t kAskedOfUnicode = kNoLatin | kSpace | kWord | kInLine;  ///< not in kKinds

/// Characters of a kind: single ones, and pairs of a first and a last one.
struct KindOfCharacters {
    uint32_t kind;
    std::u32string_view single;
    std::u32string_view ranges;
};

constexpr std::array<KindOfCharacters, 14> kKinds = {{
    {kFrequent, U"\u00A0\u00AD·´–—―…’", U""},
    {kControlCharacter, U"", U"\u0080\u009F"},
    {kOdd, U"¦¤¨¬¯¸ƒˆˇ˘˛˜†‡‰⌐◊\uFFFDªº", U""},
    {kLaw, U"¶§", U""},
    {kCurrency, U"¢£¥₧€", U""},
    {kOpening, U"¡«¿©΄΅‘‚“„•‹\uF8FF", U""},
    {kClosing, U"®»˝”›™", U""},
    {kNumeric, U"²³¹±¼½¾×µ÷⁄∂∆∏∑√∞∩∫≈≠≡≤≥№", U""},
    {kFace, U"ŐŌŪŲ°", U"ÒÖÙÜòöøü"},
    {kCapitalAccented, U"ØÜÝĂĀĄĆČĎĐĘĚĒĖĞĢİĪĶĹĽŁĻŃŇŅŒŘŚŞŠŢŤŮŰŸŹŻŽҐ", U"ÀÑ"},
    {kSmallAccented, U"ßăąāćčďđęěēėğģįīķĺľłļœŕśşšťüźżžґ\uFB01\uFB02", U"àñ"},
    {kPlainCapital, U"ÞΆΈΉΊΌΎΏΪΫ", U"ΑΩЁЯ"},
    {kPlainSmall, U"άέήίΰ", U"αωаџ"},
    {kBox, U"│┌┐┘├┤┬┼▀▄█▌▐░▒▓", U"═╬"},
}};

constexpr auto kKindsByPosition = [] {
    std::array<uint32_t, kMojibakeCharacters> kinds{};
    for (const KindOfCharacters& each : kKinds) {
        for (const char32_t code : each.single) {
            kinds[mojibakeIndex(code)] |= each.kind;
        }
        for (size_t n = 0; n < each.ranges.size(); n += 2) {
            for (char32_t code = each.ranges[n]; code <= each.ranges[n + 1]; ++code) {
                kinds[mojibakeIndex(code)] |= each.kind;
            }
        }
    }
    for (char32_t code = 'a'; code <= 'z'; ++code) {
        kinds[code] |= kLatin | kLatinSmall;
        kinds[code - 'a' + 'A'] |= kLatin;
    }
    return kinds;
}();

/// What one place of a row takes: characters of kinds, and others.
struct RowPosition {
    uint32_t kinds = 0;
    std::u32string_view others;
};

using GarbledRow = std::array<RowPosition, 7>;  ///< positions that take nothing: it is shorter

constexpr uint32_t kAccented = kSmallAccented | kCapitalAccented;
constexpr uint32_t kSigns = kOpening | kClosing | kCurrency;
constexpr uint32_t kAnyOdd = kAccented | kBox | kSigns | kNumeric | kLaw;
/// Behind Arabic's first letters, and between two first letters of Cyrillic or Greek.
constexpr RowPosition kArabic = {kFrequent | kCurrency | kOdd | kNumeric | kOpening, U"ŸŠ®°µ»"};
constexpr RowPosition kCyrillic = {kControlCharacter | kOdd | kSigns, U"°µ"};
constexpr RowPosition kGreek = {kControlCharacter | kOdd | kSigns, U"°"};

/// Two rows of ftfy's, which others contain, are left out.
constexpr auto kRows = std::to_array<GarbledRow>({
    {{{kControlCharacter, U""}}},
    {{{kOdd | kAnyOdd, U""}, {kOdd, U""}}},
    {{{kLatin, U""}, {kPlainCapital | kPlainSmall, U""}, {kOdd, U""}}},
    {{{kOdd, U""}, {kAnyOdd, U""}}},
    {{{kSmallAccented | kPlainSmall | kBox | kClosing | kCurrency | kNumeric, U""},
      {kCapitalAccented, U""}}},
    {{{kBox | kClosing | kCurrency | kNumeric, U""}, {kSmallAccented, U""}}},
    {{{kSmallAccented | kBox | kClosing, U""}, {kCurrency, U""}}},
    {{{kSpace, U""}, {kCapitalAccented, U""}, {kCurrency, U""}}},
    {{{kCapitalAccented | kBox, U""}, {kNumeric | kLaw, U""}}},
    {{{kAccented | kBox | kCurrency | kClosing, U""}, {kOpening, U""}, {kNumeric, U""}}},
    {{{kAccented | kCurrency | kNumeric | kBox | kLaw, U""}, {kClosing, U""}, {kOpening, U""}}},
    {{{kCurrency | kNumeric | kBox, U""}, {kOpening, U""}}},
    {{{kLatinSmall, U""}, {kCapitalAccented, U""}, {kOpening | kCurrency, U""}}},
    {{{kBox, U""}, {kFace, U""}}},
    {{{kAccented | kSigns | kNumeric | kLaw, U""}, {kBox, U""}}},
    {{{kBox, U""}, {kClosing, U""}}},
    {{{kAccented, U""}, {kOpening | kClosing, U""}, {kWord, U""}}},
    {{{0, U"Œœ"}, {kNoLatin, U""}}},
    {{{kCapitalAccented, U""}, {0, U"°"}}},
    // Windows-1252
    {{{0, U"ÂÃÎÐ"}, {kOpening | kClosing, U"€œŠš¢£Ÿž\u00A0\u00AD®©°·»–—´"}}},
    {{{0, U"×"}, {0, U"²³"}}},
    {{{0, U"ØÙ"}, kArabic, {0, U"ØÙ"}, kArabic}},
    {{{0, U"à"}, {0, U"²µ¹¼½¾"}}},
    {{{kLatinSmall, U""}, {0, U"ÃÂ"}, {0, U" "}}},
    {{{kLatinSmall, U""}, {kSpace, U""}, {0, U"ÃÂ"}, {0, U" "}}},
    {{{kLatinSmall | kClosing, U".,?!"}, {0, U"Â"}, {kOpening | kClosing, U" "}}},
    // MacRoman
    {{{0, U"√"}, {0, U"±∂†≠®™´≤≥¥µø"}}},
    {{{0, U"≈"}, {0, U"°¢"}}},
    {{{0, U"‚"}, {0, U"Ä"}, {0, U"ìîïòôúùû†°¢π"}}},
    {{{0, U"‚"}, {0, U"âó"}, {0, U"àä°ê"}}},
    // Windows-1251; the longest row is that of Windows-1252's quotes on top of it
    {{{0, U"в"}, {0, U"Ђ"}}},
    {{{0, U"ВГРС"}, kCyrillic, {0, U"ВГРС"}}},
    {{{0, U"Г"}, {0, U"ў"}, {0, U"В"}, {0, U"Ђ"}, {0, U"В"}, {kInLine, U""}, {kLatin, U" "}}},
    // Windows-1253
    {{{0, U"β"}, {0, U"€"}, {0, U"™\u00A0Ά\u00AD®°"}}},
    {{{0, U"ΒΓΞΟ"}, kGreek, {0, U"ΒΓΞΟ"}}},
});

constexpr bool isEnd(const RowPosition& position) {
    return position.kinds == 0 && position.others.empty();
}

bool isWord(char32_t code) {
    const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
    return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
           (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO) || code == '_';
}

bool takesCharacter(const RowPosition& position, char32_t code) {
    const uint32_t kinds = kKindsByPosition[mojibakeIndex(code)];
    return (kinds & position.kinds) != 0 || position.others.find(code) != position.others.npos ||
           ((position.kinds & kNoLatin) != 0 && (kinds & kLatin) == 0) ||
           ((position.kinds & kInLine) != 0 && code != '\n') ||
           ((position.kinds & kSpace) != 0 && isPythonSpace(code)) ||
           ((position.kinds & kWord) != 0 && isWord(code));
}

bool beginsWith(std::u32string_view text, const GarbledRow& row) {
    for (size_t n = 0; n < row.size(); ++n) {
        if (isEnd(row[n])) {
            return n > 0;
        }
        if (n == text.size() || !takesCharacter(row[n], text[n])) {
            return false;
        }
    }
    return true;
}

/// The rows, by bits, whose position `n` may take the characters of a position.
using RowsByPosition = std::array<uint64_t, kMojibakeCharacters>;
static_assert(kRows.size() <= 64);

constexpr RowsByPosition rowsThatTake(size_t n) {
    std::array<uint64_t, 32> rowsByKind{};  // in between: compilers count steps
    uint64_t always = 0;
    RowsByPosition rows{};
    for (size_t row = 0; row < kRows.size(); ++row) {
        const RowPosition& position = kRows[row][n];
        const uint64_t bit = uint64_t{1} << row;
        const bool isAny = isEnd(position) || (position.kinds & kAskedOfUnicode) != 0;
        always |= isAny ? bit : 0;
        for (uint32_t kinds = position.kinds; kinds != 0; kinds &= kinds - 1) {
            rowsByKind[static_cast<size_t>(std::countr_zero(kinds))] |= bit;
        }
        for (const char32_t each : position.others) {
            rows[mojibakeIndex(each)] |= bit;
        }
    }
    for (size_t at = 0; at < rows.size(); ++at) {
        rows[at] |= always;
        for (uint32_t kinds = kKindsByPosition[at]; kinds != 0; kinds &= kinds - 1) {
            rows[at] |= rowsByKind[static_cast<size_t>(std::countr_zero(kinds))];
        }
    }
    return rows;
}

constexpr RowsByPosition kRowsByFirst = rowsThatTake(0);
constexpr RowsByPosition kRowsBySecond = rowsThatTake(1);

/// Whether a row begins `text`, of those in `rows`.
bool beginsWithOneOf(std::u32string_view text, uint64_t rows) {
    for (; rows != 0; rows &= rows - 1) {
        if (beginsWith(text, kRows[static_cast<size_t>(std::countr_zero(rows))])) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool looksGarbled(std::u32string_view text) {
    if (text.starts_with(U"Ã ") || text.starts_with(U"Â ")) {
        return true;
    }
    for (; !text.empty(); text.remove_prefix(1)) {
        const size_t second = text.size() > 1 ? mojibakeIndex(text[1]) : kMojibakeCharacters - 1;
        const uint64_t rows = kRowsByFirst[mojibakeIndex(text.front())] & kRowsBySecond[second];
        if (beginsWithOneOf(text, rows)) {
            return true;
        }
    }
    return false;
}

namespace {

/// What a character is a byte of, in some encoding.
constexpr uint8_t kFollowing = 1U << 0;
constexpr uint8_t kSurelyFollowing = 1U << 1;  ///< hardly written next to such parts
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
    std::array<uint8_t, kMojibakeCharacters> roles{};
    for (const SingleByteEncoding encoding : kSingleByteEncodings) {
        if (encoding == SingleByteEncoding::Latin1 || isOfWindows(encoding)) {
            for (unsigned byte = kFirstHigh; byte <= 0xFF; ++byte) {
                roles[mojibakeIndex(characterOf(byte, encoding))] |= roleOfByte(byte);
            }
        }
    }
    for (const char32_t each : kWritten) {
        roles[mojibakeIndex(each)] = kFollowing;
    }
    return roles;
}();

uint8_t roleOf(char32_t code) {
    return kRoles[mojibakeIndex(code)];
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
