#include "plugin/interop/editor_text.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace lowtide::interop {

namespace {

constexpr int kDeepestBraces = 16;

bool isBraceOrBar(char character) {
    return character == '{' || character == '}' || character == '|';
}

/// Whether a bar stands in braces that have their partner.
bool hasAlternatives(std::string_view text) {
    std::vector<bool> hasBar;  // of each brace that is open
    for (size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\\') {
            ++at;
        } else if (text[at] == '{') {
            hasBar.push_back(false);
        } else if (text[at] == '|' && !hasBar.empty()) {
            hasBar.back() = true;
        } else if (text[at] == '}' && !hasBar.empty()) {
            if (hasBar.back()) {
                return true;
            }
            hasBar.pop_back();
        }
    }
    return false;
}

std::string withoutComments(std::string_view text) {
    const size_t last = text.rfind("*/");  // no comment that begins later ends
    std::string rest;
    for (size_t at = 0; at < text.size();) {
        const std::string_view mark = text.substr(at, 2);
        if (mark == "//") {
            at = std::min(text.find_first_of("\n\r", at), text.size());
        } else if (mark == "/*" && last != std::string_view::npos && at + 2 <= last) {
            at = text.find("*/", at + 2) + 2;
        } else {
            rest += text[at++];
        }
    }
    return rest;
}

std::string withoutBackslashes(std::string_view text) {
    std::string rest;
    for (size_t at = 0; at < text.size(); ++at) {
        const bool isBefore =
            text[at] == '\\' && at + 1 < text.size() && isBraceOrBar(text[at + 1]);
        at += isBefore ? 1 : 0;
        rest += text[at];
    }
    return rest;
}

/// What lies in the braces before `text`, which may lack their end; nullopt: alternatives.
std::optional<std::string_view> contentOfBraces(std::string_view text) {
    int depth = 0;
    for (size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\\') {
            ++at;
        } else if (text[at] == '{') {
            ++depth;
        } else if (text[at] == '}' && depth-- == 0) {
            return text.substr(0, at);
        } else if (text[at] == '|' && depth == 0) {
            return std::nullopt;
        }
    }
    return text;
}

/// nullopt: it has alternatives, or braces that are too deep.
std::optional<std::string> evaluated(std::string_view written, int depth) {
    if (depth > kDeepestBraces) {
        return std::nullopt;
    }
    const std::string text = withoutComments(written);
    std::string result;
    for (size_t at = 0; at < text.size();) {
        if (text[at] != '{') {
            const std::string_view kept =
                std::string_view(text).substr(at, text[at] == '\\' ? 2 : 1);
            result += kept;
            at += kept.size();
            continue;
        }
        const auto content = contentOfBraces(std::string_view(text).substr(at + 1));
        const auto inner = content ? evaluated(*content, depth + 1) : std::nullopt;
        if (!inner) {
            return std::nullopt;
        }
        result += *inner;
        at += content->size() + 2;
    }
    return withoutBackslashes(result);
}

}  // namespace

std::string textFromEditor(const std::string& text) {
    const std::optional<std::string> sent = evaluated(text, 0);
    return sent && !hasAlternatives(*sent) ? *sent : text;
}

std::string textForEditor(const std::string& text) {
    if (hasAlternatives(text)) {
        return text;
    }
    std::string written;
    size_t backslashes = 0;  // before the character
    for (const char character : text) {
        const bool isComment = (character == '/' || character == '*') && written.ends_with('/');
        if (character == '{' || character == '}' || (character == '|' && backslashes > 0)) {
            written += '\\';
            written += backslashes % 2 == 0 ? std::string{character}
                                            : std::string{'{', '\\', character, '}'};
        } else {
            written += isComment ? "{}" : "";
            written += character;
        }
        backslashes = character == '\\' ? backslashes + 1 : 0;
    }
    written += backslashes % 2 == 1 ? " " : "";
    return written;
}

}  // namespace lowtide::interop
