#include "plugin/text/mending/mended_text.hpp"

#include "plugin/text/mending/composed_characters.hpp"
#include "plugin/text/mending/html_text.hpp"
#include "plugin/text/mending/mojibake.hpp"
#include "plugin/text/mending/plain_characters.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr size_t kLongestSegment = 1'000'000;

/// A line with its end, or as much of it as is mended at once.
std::u32string_view firstSegment(std::u32string_view text) {
    const size_t end = text.find(U'\n');
    const size_t line = end == text.npos ? text.size() : end + 1;
    return text.substr(0, std::min(line, kLongestSegment));
}

std::u32string mendedSegment(std::u32string_view segment, bool mayBeEscaped, Effort& effort) {
    std::u32string result(segment);
    bool isAgain = true;
    while (isAgain) {
        std::u32string mended = mayBeEscaped ? unescapedWholeReferences(result) : result;
        mended = withoutMojibake(mended, effort);
        mended = withPlainCharacters(mended);
        mended = withoutControls(mended);
        mended = withComposedCharacters(mended);
        isAgain = mended != result && effort.takes(mended.size());
        result = std::move(mended);
    }
    return result;
}

}  // namespace

std::u32string mendedText(std::u32string_view text) {
    Effort effort(text.size());
    bool mayBeEscaped = true;
    std::u32string result;
    while (!text.empty()) {
        const std::u32string_view segment = firstSegment(text);
        // From a "<" on it is HTML, whose names are meant.
        mayBeEscaped = mayBeEscaped && segment.find(U'<') == segment.npos;
        result += mendedSegment(segment, mayBeEscaped, effort);
        text.remove_prefix(segment.size());
    }
    return result;
}

}  // namespace lowtide::models
