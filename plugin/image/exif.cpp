#include "plugin/image/exif.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/formats.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lowtide::image {

/// A valid UTF-8 text as UTF-16, the high byte of each unit first.
[[nodiscard]] std::string utf16FromUtf8(std::string_view text);
/// UTF-16 as UTF-8; halves of a pair that lack the other become U+FFFD, an odd last byte is left
/// out.
[[nodiscard]] std::string utf8FromUtf16(std::string_view bytes, bool isBigEndian);

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

namespace {

using namespace std::literals;

constexpr uint16_t kOrientationTag = 0x0112;
constexpr uint16_t kSubDirectoryTag = 0x8769;
constexpr uint16_t kUserCommentTag = 0x9286;
/// In the order in which texts take them: Model, Make, ImageDescription, DocumentName.
constexpr std::array<uint16_t, 4> kKeyedTags = {0x0110, 0x010F, 0x010E, 0x010D};

constexpr uint16_t kByte = 1;
constexpr uint16_t kAscii = 2;
constexpr uint16_t kShort = 3;
constexpr uint16_t kLong = 4;
constexpr uint16_t kUndefined = 7;

constexpr std::string_view kComment = "parameters";
constexpr std::string_view kKeyedComment = "parameters:";
constexpr std::string_view kUnicodeCode = "UNICODE\0"sv;
constexpr std::string_view kAsciiCode = "ASCII\0\0\0"sv;
constexpr std::string_view kNoCode = "\0\0\0\0\0\0\0\0"sv;

constexpr size_t kHeaderBytes = 8;
constexpr size_t kEntryBytes = 12;
constexpr size_t kMostEntries = 1000;  ///< of a directory; cameras write some tens

/// An entry of a directory: its value lies in the entry itself up to 4 bytes, else elsewhere.
struct ExifEntry {
    uint16_t tag = 0;
    uint16_t type = 0;
    std::string_view value;  ///< of the types that are read here
    uint32_t number = 0;     ///< of kShort and kLong with one value
};

class ExifBytes {
public:
    explicit ExifBytes(std::string_view bytes)
        : bytes_(bytes), isBigEndian_(bytes.starts_with("MM\0*"sv)) {}

    [[nodiscard]] bool isBigEndian() const { return isBigEndian_; }

    [[nodiscard]] bool isTiff() const { return isBigEndian_ || bytes_.starts_with("II*\0"sv); }

    /// 0 beyond the end.
    [[nodiscard]] uint32_t number(size_t at, size_t count) const {
        uint32_t value = 0;
        for (size_t i = 0; i < count; ++i) {
            const size_t index = at + (isBigEndian_ ? i : count - 1 - i);
            value = value << 8 | (index < bytes_.size() ? static_cast<uint8_t>(bytes_[index]) : 0);
        }
        return value;
    }

    /// As far as they are there.
    [[nodiscard]] std::vector<ExifEntry> entries(size_t directory) const {
        std::vector<ExifEntry> found;
        const size_t count = std::min<size_t>(number(directory, 2), kMostEntries);
        for (size_t i = 0; i < count; ++i) {
            const size_t at = directory + 2 + i * kEntryBytes;
            if (at > bytes_.size() || bytes_.size() - at < kEntryBytes) {
                break;
            }
            found.push_back(entryAt(at));
        }
        return found;
    }

private:
    [[nodiscard]] ExifEntry entryAt(size_t at) const {
        ExifEntry entry{.tag = static_cast<uint16_t>(number(at, 2)),
                        .type = static_cast<uint16_t>(number(at + 2, 2)),
                        .value = {}};
        const size_t count = number(at + 4, 4);
        const size_t index = count <= 4 ? at + 8 : number(at + 8, 4);
        if ((entry.type == kByte || entry.type == kAscii || entry.type == kUndefined) &&
            index < bytes_.size() && count <= bytes_.size() - index) {
            entry.value = bytes_.substr(index, count);
        }
        if (count == 1 && (entry.type == kShort || entry.type == kLong)) {
            entry.number = number(at + 8, entry.type == kShort ? 2 : 4);
        }
        return entry;
    }

    std::string_view bytes_;
    bool isBigEndian_;
};

/// Programs differ about the order in a comment where the rest has its low bytes first: zeros are
/// the high bytes of most letters.
bool isBigEndianText(std::string_view bytes, bool isBigEndianFile) {
    std::array<size_t, 2> zeros{};
    for (size_t i = 0; i < bytes.size(); ++i) {
        zeros[i % 2] += bytes[i] == '\0' ? 1 : 0;
    }
    return isBigEndianFile || zeros[0] > zeros[1];
}

std::string commentIn(std::string_view value, bool isBigEndian) {
    const std::string_view code = value.substr(0, kUnicodeCode.size());
    const std::string_view rest = value.substr(code.size());
    if (code == kUnicodeCode) {
        return utf8FromUtf16(rest, isBigEndianText(rest, isBigEndian));
    }
    const bool isPlain = code == kAsciiCode || code == kNoCode;
    return isPlain ? std::string(rest) : std::string();
}

/// The text before its first NUL, in UTF-8 whatever it was; empty where it is blank.
std::string cleanText(std::string text) {
    text.resize(std::min(text.find('\0'), text.size()));
    if (trim(text).empty()) {
        return {};
    }
    return isValidUtf8(text) ? text : utf8FromLatin1(text);
}

bool isIdentifier(std::string_view key) {
    const auto isLetter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !key.empty() && isLetter(key.front()) &&
           std::ranges::all_of(key, [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); });
}

/// "key:text" of a text with a key; the comment has a field of its own.
std::optional<ImageText> keyedText(std::string_view value) {
    const std::string text = cleanText(std::string(value));
    const size_t colon = text.find(':');
    if (colon == std::string::npos || !isIdentifier(std::string_view(text).substr(0, colon)) ||
        colon + 1 == text.size() || text.starts_with(kKeyedComment)) {
        return std::nullopt;
    }
    return ImageText{.key = text.substr(0, colon), .text = text.substr(colon + 1)};
}

void addComment(const ExifBytes& bytes, size_t directory, Exif& exif) {
    for (const ExifEntry& entry : bytes.entries(directory)) {
        // Undefined by the standard; Pillow writes bytes.
        if (entry.tag == kUserCommentTag && (entry.type == kUndefined || entry.type == kByte)) {
            std::string text = cleanText(commentIn(entry.value, bytes.isBigEndian()));
            if (!text.empty()) {
                exif.texts.push_back({.key = std::string(kComment), .text = std::move(text)});
            }
            return;
        }
    }
}

void addDirectory(const ExifBytes& bytes, const std::vector<ExifEntry>& entries, Exif& exif) {
    const auto entryOf = [&](uint16_t tag) {
        const auto found = std::ranges::find(entries, tag, &ExifEntry::tag);
        return found == entries.end() ? ExifEntry() : *found;
    };
    if (const uint32_t number = entryOf(kOrientationTag).number; number >= 1 && number <= 8) {
        exif.orientation = static_cast<int>(number);
    }
    if (const uint32_t index = entryOf(kSubDirectoryTag).number; index > 0) {
        addComment(bytes, index, exif);
    }
    for (const uint16_t tag : kKeyedTags) {
        if (const ExifEntry entry = entryOf(tag); entry.type == kAscii) {
            if (auto text = keyedText(entry.value)) {
                exif.texts.push_back(std::move(*text));
            }
        }
    }
}

[[noreturn]] void refuseExifText(const std::string& key, const Message& problem) {
    throw Error(ErrorKind::InvalidInput,
                message("the text {} does not fit into EXIF: {}", quotedName(key), problem),
                message("save the image as PNG, which takes any text"));
}

/// The text of A1111's parameters, and the others.
struct TextsToWrite {
    const ImageText* comment = nullptr;
    std::vector<const ImageText*> keyed;
};

void checkExifText(const ImageText& text) {
    if (!isIdentifier(text.key)) {
        refuseExifText(text.key, message("its key must have letters, digits and _ only"));
    }
    if (!isValidUtf8(text.text) || text.text.find('\0') != std::string::npos) {
        refuseExifText(text.key, message("it is not valid UTF-8 without NUL"));
    }
    if (trim(text.text).empty()) {
        refuseExifText(text.key, message("it is empty"));
    }
}

TextsToWrite sorted(const std::vector<ImageText>& texts) {
    TextsToWrite sorted;
    size_t bytes = 0;
    for (const ImageText& text : texts) {
        checkExifText(text);
        bytes += 2 * text.text.size() + text.key.size();
        if (text.key != kComment) {
            sorted.keyed.push_back(&text);
        } else if (std::exchange(sorted.comment, &text)) {
            refuseExifText(text.key, message("it comes twice"));
        }
    }
    if (bytes > kMaxTextBytes || sorted.keyed.size() > kKeyedTags.size()) {
        refuseExifText(
            texts.front().key,
            message(
                "there are {} texts of together {} bytes, at most {} and {} of 32 MiB are possible",
                texts.size(),
                bytes,
                kKeyedTags.size(),
                kComment));
    }
    return sorted;
}

std::string bigEndianBytes(size_t number, int count) {
    std::string bytes;
    for (int shift = 8 * (count - 1); shift >= 0; shift -= 8) {
        bytes += static_cast<char>(number >> shift & 0xFF);
    }
    return bytes;
}

/// One directory, whose entries come by rising tags, and behind it the values that do not fit in.
class ExifDirectory {
public:
    /// `at`: where the directory will begin in the file.
    ExifDirectory(size_t at, size_t count)
        : valuesAt_(at + 2 + count * kEntryBytes + 4), entries_(bigEndianBytes(count, 2)) {}

    void add(uint16_t tag, uint16_t type, const std::string& value) {
        begin(tag, type, value.size());
        if (value.size() <= 4) {
            entries_ += value + std::string(4 - value.size(), '\0');
            return;
        }
        entries_ += bigEndianBytes(end(), 4);
        values_ += value;
        values_ += std::string(values_.size() % 2, '\0');  // values lie at even offsets
    }

    void addNumber(uint16_t tag, size_t number) {
        begin(tag, kLong, 1);
        entries_ += bigEndianBytes(number, 4);
    }

    /// Where the next value would lie.
    [[nodiscard]] size_t end() const { return valuesAt_ + values_.size(); }

    [[nodiscard]] std::string bytes() const { return entries_ + std::string(4, '\0') + values_; }

private:
    void begin(uint16_t tag, uint16_t type, size_t count) {
        entries_ += bigEndianBytes(tag, 2) + bigEndianBytes(type, 2) + bigEndianBytes(count, 4);
    }

    size_t valuesAt_;
    std::string entries_;
    std::string values_;
};

}  // namespace

Exif readExif(std::string_view bytes) {
    Exif exif;
    const ExifBytes reader(bytes);
    if (reader.isTiff()) {
        addDirectory(reader, reader.entries(reader.number(4, 4)), exif);
    }
    return exif;
}

std::string writeExif(const std::vector<ImageText>& texts) {
    const TextsToWrite chosen = sorted(texts);
    const size_t count = chosen.keyed.size() + (chosen.comment ? 1 : 0);
    ExifDirectory first(kHeaderBytes, count);
    for (size_t i = chosen.keyed.size(); i-- > 0;) {  // tags fall, entries rise
        const ImageText& text = *chosen.keyed[i];
        first.add(kKeyedTags[i], kAscii, text.key + ":" + text.text + '\0');
    }
    std::string rest;
    if (chosen.comment) {
        ExifDirectory second(first.end(), 1);
        second.add(kUserCommentTag,
                   kUndefined,
                   std::string(kUnicodeCode) + utf16FromUtf8(chosen.comment->text));
        first.addNumber(kSubDirectoryTag, first.end());
        rest = second.bytes();
    }
    return "MM\0*"s + bigEndianBytes(kHeaderBytes, 4) + first.bytes() + rest;
}

}  // namespace lowtide::image
