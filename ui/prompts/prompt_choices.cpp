#include "ui/prompts/prompt_choices.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/paths.hpp"
#include "ui/prompts/drawn_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr size_t kDeepestBraces = 64;
constexpr std::string_view kMark = "__";
constexpr size_t kLongestName = 200;

using Parts = std::vector<PromptPart>;
using Option = PromptPart::Option;

bool isNameByte(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool isSpaceByte(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void appendText(Parts& parts, std::string_view text) {
    if (parts.empty() || parts.back().kind != PromptPart::Kind::Text) {
        parts.emplace_back();
    }
    parts.back().text += text;
}

void appendParts(Parts& parts, Parts&& more) {
    for (PromptPart& part : more) {
        if (part.kind == PromptPart::Kind::Text) {
            appendText(parts, part.text);
        } else {
            parts.push_back(std::move(part));
        }
    }
}

/// "2::" or "0.5::" at the start: how many bytes that is, with the spaces before it; 0: none.
size_t weightAt(std::string_view text, double& weight) {
    size_t begin = 0;
    while (begin < text.size() && isSpaceByte(text[begin])) {
        ++begin;
    }
    double value = 0;
    const char* first = text.data() + begin;
    const char* last = text.data() + text.size();
    if (first == last || (*first != '.' && (*first < '0' || *first > '9'))) {
        return 0;
    }
    const auto [end, error] = std::from_chars(first, last, value, std::chars_format::fixed);
    const std::string_view behind(end, static_cast<size_t>(last - end));
    if (error != std::errc() || !std::isfinite(value) || !behind.starts_with("::")) {
        return 0;
    }
    weight = value;
    return static_cast<size_t>(end - text.data()) + 2;
}

/// Takes the weight out of what stands first, and white space away from both ends.
Option optionOf(Parts parts) {
    Option option;
    if (!parts.empty() && parts.front().kind == PromptPart::Kind::Text) {
        std::string& text = parts.front().text;
        text.erase(0, weightAt(text, option.weight));
        text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), isSpaceByte));
    }
    if (!parts.empty() && parts.back().kind == PromptPart::Kind::Text) {
        std::string& text = parts.back().text;
        while (!text.empty() && isSpaceByte(text.back())) {
            text.pop_back();
        }
    }
    option.parts = std::move(parts);
    return option;
}

class ChoicesParser {
public:
    explicit ChoicesParser(std::string_view text) : text_(text) {}

    Parts parse() {
        for (size_t at = 0; at < text_.size();) {
            at += takeOne(at);
        }
        while (!open_.empty()) {
            Parts flat = flattened(std::move(open_.back()));
            open_.pop_back();
            appendParts(here(), std::move(flat));
        }
        return std::move(top_);
    }

private:
    /// Braces that are open, with what is in them so far.
    struct OpenBraces {
        std::vector<Parts> options{1};
    };

    [[nodiscard]] Parts& here() { return open_.empty() ? top_ : open_.back().options.back(); }

    size_t takeOne(size_t at) {
        const char c = text_[at];
        if (c == '\\') {
            return takeBackslash(at);
        }
        if (c == '{' && open_.size() < kDeepestBraces) {
            open_.emplace_back();
            return 1;
        }
        if (c == '}' && !open_.empty()) {
            close();
            return 1;
        }
        if (c == '|' && !open_.empty()) {
            open_.back().options.emplace_back();
            return 1;
        }
        if (c == '_') {
            return takeUnderscores(at);
        }
        const size_t end = std::min(text_.find_first_of("\\{}|_", at + 1), text_.size());
        appendText(here(), text_.substr(at, end - at));
        return end - at;
    }

    size_t takeBackslash(size_t at) {
        const std::string_view behind = text_.substr(at + 1);
        if (behind.starts_with(kMark)) {
            appendText(here(), kMark);
            return 1 + kMark.size();
        }
        const bool escapes =
            !behind.empty() && std::string_view("{}|").find(behind.front()) != behind.npos;
        const size_t length = behind.empty() ? 1 : 2;
        appendText(here(), escapes ? behind.substr(0, 1) : text_.substr(at, length));
        return length;
    }

    size_t takeUnderscores(size_t at) {
        const size_t name = at + kMark.size();
        if (text_.substr(at).starts_with(kMark)) {
            const size_t end = text_.substr(0, name + kLongestName).find(kMark, name);
            if (end != text_.npos && isWildcardName(text_.substr(name, end - name))) {
                here().push_back({.kind = PromptPart::Kind::Wildcard,
                                  .text = std::string(text_.substr(name, end - name))});
                return end + kMark.size() - at;
            }
        }
        appendText(here(), "_");
        return 1;
    }

    void close() {
        OpenBraces braces = std::move(open_.back());
        open_.pop_back();
        if (braces.options.size() == 1) {
            appendText(here(), "{");
            appendParts(here(), std::move(braces.options.front()));
            appendText(here(), "}");
            return;
        }
        PromptPart choice{.kind = PromptPart::Kind::Choice};
        for (Parts& parts : braces.options) {
            choice.options.push_back(optionOf(std::move(parts)));
        }
        here().push_back(std::move(choice));
    }

    /// Braces that nothing closes are text.
    static Parts flattened(OpenBraces braces) {
        Parts flat;
        for (size_t i = 0; i < braces.options.size(); ++i) {
            appendText(flat, i == 0 ? "{" : "|");
            appendParts(flat, std::move(braces.options[i]));
        }
        return flat;
    }

    std::string_view text_;
    Parts top_;
    std::vector<OpenBraces> open_;
};

void addWildcards(const Parts& parts, std::vector<std::string>& names) {
    for (const PromptPart& part : parts) {
        if (part.kind == PromptPart::Kind::Wildcard &&
            std::find(names.begin(), names.end(), part.text) == names.end()) {
            names.push_back(part.text);
        }
        for (const Option& option : part.options) {
            addWildcards(option.parts, names);
        }
    }
}

namespace fs = std::filesystem;

constexpr int kDeepestFolder = 8;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::vector<fs::path> textFilesIn(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    fs::recursive_directory_iterator at(
        folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
        std::error_code unknown;
        if (at.depth() >= kDeepestFolder) {
            at.disable_recursion_pending();
        }
        if (at->path().extension() == ".txt" && at->is_regular_file(unknown)) {
            found.push_back(at->path());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

bool isWildcardName(std::string_view name) {
    if (name.empty() || name.size() > kLongestName || !isNameByte(name.front()) ||
        !isNameByte(name.back())) {
        return false;
    }
    return std::all_of(name.begin(), name.end(), [](char c) {
        return isNameByte(c) || std::string_view(" .-/_").find(c) != std::string_view::npos;
    });
}

PromptPart::Option parseOption(std::string_view line) {
    return optionOf(ChoicesParser(line).parse());
}

double weightOfOption(std::string_view line) {
    double weight = 1;
    static_cast<void>(weightAt(line, weight));
    return weight;
}

PromptChoices::PromptChoices(std::string_view text) : parts_(ChoicesParser(text).parse()) {
    const bool isPlain =
        parts_.empty() || (parts_.size() == 1 && parts_.front().kind == PromptPart::Kind::Text &&
                           parts_.front().text == text);
    isTemplate_ = !isPlain;
}

std::vector<std::string> PromptChoices::wildcards() const {
    std::vector<std::string> names;
    addWildcards(parts_, names);
    return names;
}

std::string PromptChoices::drawn(const Wildcards& wildcards, uint64_t seed) const {
    return drawnText(parts_, wildcards, seed);
}

std::string literalPrompt(const std::string& text) {
    if (text.size() > PromptChoices::kMostBytes || !PromptChoices(text).isTemplate()) {
        return text;
    }
    std::string escaped;
    for (size_t at = 0; at < text.size();) {
        const bool isMark = std::string_view(text).substr(at).starts_with(kMark);
        const size_t length = isMark ? kMark.size() : 1;
        if (isMark || std::string_view("{}|").find(text[at]) != std::string_view::npos) {
            escaped += '\\';
        }
        escaped += text.substr(at, length);
        at += length;
    }
    const PromptChoices choices(escaped);
    const bool isText = choices.parts().size() == 1 && choices.parts()[0].text == text &&
                        choices.parts()[0].kind == PromptPart::Kind::Text;
    return isText ? escaped : text;
}

std::vector<std::string> wildcardLines(std::string_view text) {
    if (text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
    }
    std::vector<std::string> lines;
    for (const std::string& line : split(text, '\n')) {
        std::string trimmed = trim(line);
        if (!trimmed.empty() && trimmed.front() != '#') {
            lines.push_back(std::move(trimmed));
        }
    }
    return lines;
}

WildcardFiles readWildcards(const std::string& folder) {
    WildcardFiles read;
    int64_t left = kMostBytesOfWildcards;
    for (const fs::path& path : textFilesIn(folder)) {
        fs::path relative = path.lexically_relative(folder);
        const std::string name = relative.replace_extension().generic_string();
        const auto leaveOut = [&](const Message& why) {
            read.problems.push_back(
                message("the wildcard {} is left out: {}", quotedName(files::pathText(name)), why));
        };
        if (!isValidUtf8(name)) {
            leaveOut(message("its name is not UTF-8"));
            continue;
        }
        if (!isWildcardName(name)) {
            leaveOut(message("its name cannot stand between two __"));
            continue;
        }
        try {
            const files::InputFile file(path.string());
            const std::string text = file.readAll(std::min(kMostWildcardBytes, left));
            left -= static_cast<int64_t>(text.size());
            if (!isValidUtf8(text)) {
                leaveOut(message("it is not UTF-8"));
                continue;
            }
            read.lists.emplace(name, wildcardLines(text));
        } catch (const Error& error) {
            leaveOut(error.message());
        }
    }
    return read;
}

}  // namespace lowtide::ui
