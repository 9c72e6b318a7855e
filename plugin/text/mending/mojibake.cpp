#include "plugin/text/mending/mojibake.hpp"

#include "plugin/text/mending/damaged_utf8.hpp"
#include "plugin/text/mending/garbled_text.hpp"
#include "plugin/text/mending/garbled_utf8.hpp"
#include "plugin/text/mending/single_byte_encoding.hpp"

#include <algorithm>
#include <optional>

namespace lowtide::models {

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

/// With each part that looks like UTF-8 in some encoding mended by itself.
std::u32string withMendedParts(std::u32string_view text, Effort& effort) {
    std::u32string result;
    for (size_t at = 0; at < text.size();) {
        const GarbledPart part = nextGarbledPart(text, at);
        result += text.substr(at, part.begin - at);
        const std::u32string_view garbled = text.substr(part.begin, part.end - part.begin);
        // A text that is one such part would come here again.
        const bool isMended = garbled.size() < text.size();
        result += isMended ? withoutMojibake(garbled, effort) : std::u32string(garbled);
        at = part.end;
    }
    return result;
}

std::u32string mendedOnce(std::u32string_view text, Effort& effort) {
    if (!looksGarbled(text)) {
        return std::u32string(text);
    }
    if (std::optional<std::u32string> whole = reread(text)) {
        return std::move(*whole);
    }
    std::u32string result = withMendedParts(text, effort);
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
        std::u32string mended = mendedOnce(result, effort);
        isAgain = mended != result && effort.takes(mended.size());
        result = std::move(mended);
    }
    return result;
}

}  // namespace lowtide::models
