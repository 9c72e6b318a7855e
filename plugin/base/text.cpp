#include "plugin/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace lowtide {

namespace {

constexpr size_t kLongestListed = 160;  ///< bytes of one name of a list in a message

size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t above = row[j];
            const size_t swap = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above + 1, row[j - 1] + 1, swap});
            diagonal = above;
        }
    }
    return row[b.size()];
}

/// Length of the UTF-8 sequence that starts at `text[at]`, 0 when it is not valid.
size_t sequenceLength(std::string_view text, size_t at) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(at);
    if (lead < 0x80) {
        return 1;
    }
    const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) {
        return 0;
    }
    for (size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80) {
            return 0;
        }
    }
    const unsigned char second = byte(at + 1);
    const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool surrogate = lead == 0xED && second >= 0xA0;
    const bool tooLarge = lead == 0xF4 && second >= 0x90;
    return overlong || surrogate || tooLarge ? 0 : length;
}

/// A name from outside as it may stand in a message, cut at a character near `limit` bytes.
std::string shown(std::string_view name, size_t limit) {
    std::string text;
    size_t at = 0;
    while (at < name.size() && at < limit) {
        const size_t length = sequenceLength(name, at);
        const auto lead = static_cast<unsigned char>(name[at]);
        const bool control = length == 1 && (lead < 0x20 || lead == 0x7F);
        text += length == 0 || control ? "?" : name.substr(at, length);
        at += std::max<size_t>(length, 1);
    }
    return at < name.size() ? text + "..." : text;
}

}  // namespace

std::string_view firstLine(std::string_view text) {
    return text.substr(0, text.find_first_of("\r\n"));
}

std::string trim(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos) {
        return {};
    }
    return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

std::string toLower(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return lower;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    size_t start = 0;
    for (size_t at = text.find(separator); at != std::string_view::npos;
         at = text.find(separator, start)) {
        parts.emplace_back(text.substr(start, at - start));
        start = at + 1;
    }
    parts.emplace_back(text.substr(start));
    return parts;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
    std::string text;
    for (const std::string& part : parts) {
        if (&part != parts.data()) {
            text += separator;
        }
        text += part;
    }
    return text;
}

namespace {

Message withRest(Message listed, size_t left) {
    return left == 0 ? listed : message("{} and {} more", listed, left);
}

}  // namespace

Message listSome(std::span<const std::string> names, size_t limit) {
    std::vector<std::string> listed;
    for (const std::string& name : names.first(std::min(names.size(), limit))) {
        listed.push_back(shown(name, kLongestListed));
    }
    return withRest(Message(join(listed, ", ")), names.size() - listed.size());
}

Message listSome(std::span<const Message> clauses, size_t limit) {
    std::vector<Message> listed;
    for (const Message& clause : clauses.first(std::min(clauses.size(), limit))) {
        const bool isShort = clause.str().size() <= kLongestListed;
        listed.push_back(isShort ? clause : Message(shown(clause.str(), kLongestListed)));
    }
    return withRest(joined(listed, ", "), clauses.size() - listed.size());
}

std::string formatNumber(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

bool isValidUtf8(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
        const size_t length = sequenceLength(text, at);
        if (length == 0) {
            return false;
        }
        at += length;
    }
    return true;
}

std::optional<std::string> fromBase64(std::string_view text) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    constexpr size_t kGroup = 4;
    if (text.size() % kGroup != 0) {
        return std::nullopt;
    }
    std::string bytes;
    for (size_t first = 0; first < text.size(); first += kGroup) {
        std::string_view group = text.substr(first, kGroup);
        const bool isLast = first + kGroup == text.size();
        while (isLast && group.size() > 2 && group.back() == '=') {
            group.remove_suffix(1);
        }
        uint32_t bits = 0;
        for (const char digit : group) {
            const size_t value = kDigits.find(digit);
            if (value == std::string_view::npos) {
                return std::nullopt;
            }
            bits = bits << 6 | static_cast<uint32_t>(value);
        }
        bits <<= 6 * (kGroup - group.size());
        for (size_t i = 0; i + 1 < group.size(); ++i) {
            bytes.push_back(static_cast<char>(bits >> (16 - 8 * i) & 0xFFU));
        }
    }
    return bytes;
}

std::string quotedName(std::string_view name, size_t limit) {
    return "\"" + shown(name, limit) + "\"";
}

std::string zeroPadded(uint64_t value, int width) {
    std::string digits = std::to_string(value);
    const auto wanted = static_cast<size_t>(std::max(width, 0));
    return digits.size() >= wanted ? digits : std::string(wanted - digits.size(), '0') + digits;
}

std::string nearestName(std::string_view name, std::span<const std::string> known) {
    std::string best;
    size_t bestDistance = name.size() / 3 + 2;
    for (const std::string& candidate : known) {
        // No distance is smaller than the difference in length: a long name costs nothing.
        const auto [shorter, longer] = std::minmax({name.size(), candidate.size()});
        if (longer - shorter >= bestDistance) {
            continue;
        }
        const size_t distance = editDistance(name, candidate);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best;
}

}  // namespace lowtide
