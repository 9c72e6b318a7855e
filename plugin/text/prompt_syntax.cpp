#include "plugin/text/prompt_syntax.hpp"

#include "plugin/base/text.hpp"
#include "plugin/text/prompt_weights.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace lowtide::models {

namespace {

constexpr double kMostTagStrength = 100;

bool isTagWordByte(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Where the tag that begins at `at` ends, behind its ">"; nothing: it is none.
std::optional<size_t> tagEnd(std::string_view prompt, size_t at) {
    size_t colon = at + 1;
    while (colon < prompt.size() && isTagWordByte(prompt[colon])) {
        ++colon;
    }
    const bool hasWord = colon > at + 1 && colon < prompt.size() && prompt[colon] == ':';
    const size_t end = hasWord ? prompt.find('>', colon) : prompt.npos;
    return end == prompt.npos || end == colon + 1 ? std::nullopt : std::optional(end + 1);
}

/// A number as Python's float() reads it, but for infinity and NaN.
std::optional<double> tagNumberIn(const std::string& written) {
    const std::string text = trim(written);
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    double value = 0;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
    const bool isWhole = error == std::errc() && end == text.data() + text.size();
    return isWhole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

void readStrength(const std::string& written, double& strength, LoraTag& tag) {
    const std::optional<double> value = tagNumberIn(written);
    if (!value) {
        tag.problem = message("{} is no number", quotedName(written));
    } else if (std::abs(*value) > kMostTagStrength) {
        tag.problem = message("the strength {} is beyond -100 to 100", written);
    } else {
        strength = *value;
    }
}

/// "ink:0.8:0.6" or "ink:te=0.8:unet=0.6".
void readTagSettings(std::string_view settings, LoraTag& tag) {
    std::vector<std::string> positional;
    std::optional<std::string> text;
    std::optional<std::string> denoiser;
    for (const std::string& item : split(settings, ':')) {
        const size_t equals = item.find('=');
        const std::string key = item.substr(0, equals);
        if (equals == item.npos) {
            positional.push_back(item);
        } else if (key == "te" || key == "unet") {
            (key == "te" ? text : denoiser) = item.substr(equals + 1);
        } else if (key == "dyn") {
            tag.problem = message("dyn (another rank) is not built");
        }
    }
    const auto at = [&](size_t i) {
        return i < positional.size() ? std::optional(positional[i]) : std::nullopt;
    };
    tag.name = trim(at(0).value_or(""));
    if (tag.name.empty()) {
        tag.problem = message("it names no file");
    }
    text = text ? text : at(1);
    if (text) {
        readStrength(*text, tag.textStrength, tag);
    }
    tag.strength = tag.textStrength;
    denoiser = denoiser ? denoiser : at(2);
    if (denoiser) {
        readStrength(*denoiser, tag.strength, tag);
    }
    if (at(3)) {
        tag.problem = message("a fourth setting (another rank) is not built");
    }
}

LoraTag tagIn(std::string_view written) {
    LoraTag tag{.written = std::string(written), .name = {}};
    const std::string_view inner = written.substr(1, written.size() - 2);
    const std::string_view kind = inner.substr(0, inner.find(':'));
    if (kind == "lora" || kind == "lyco") {
        readTagSettings(inner.substr(kind.size() + 1), tag);
    } else {
        tag.problem = message("{} is not built", quotedName(kind));
    }
    return tag;
}

}  // namespace

TaggedPrompt readTags(std::string_view prompt) {
    TaggedPrompt read;
    const size_t lastEnd = prompt.rfind('>');
    size_t from = 0;
    for (size_t at = prompt.find('<'); at != prompt.npos && lastEnd != prompt.npos && at < lastEnd;
         at = prompt.find('<', at)) {
        const std::optional<size_t> end = tagEnd(prompt, at);
        if (!end) {
            ++at;
            continue;
        }
        read.text += prompt.substr(from, at - from);
        read.tags.push_back(tagIn(prompt.substr(at, *end - at)));
        from = at = *end;
    }
    read.text += prompt.substr(from);
    return read;
}

namespace {

constexpr size_t kNotSeen = std::string_view::npos;

/// A bracket that is open, and what was seen in it so far.
struct OpenBracket {
    size_t begin = 0;
    size_t colon = kNotSeen;  ///< the last one
    bool hasBar = false;
};

/// Whether the text from behind `colon` to `end` is a number.
bool endsWithNumber(std::string_view text, size_t colon, size_t end) {
    if (colon == kNotSeen) {
        return false;
    }
    const auto pastSpaces = [&](size_t at) {
        while (at < end && isPromptSpace(text[at])) {
            ++at;
        }
        return at;
    };
    const size_t begin = pastSpaces(colon + 1);
    const std::optional<PromptNumber> number =
        numberAt(text.substr(begin, end - begin), /*isSigned=*/true);
    return number && pastSpaces(begin + number->length) == end;
}

class SyntaxFinder {
public:
    explicit SyntaxFinder(std::string_view text) : text_(text) {
        for (size_t at = 0; at < text_.size(); ++at) {
            if (text_[at] == '\\') {
                ++at;
            } else {
                look(at);
            }
        }
    }

    [[nodiscard]] const std::string& weight() const { return weight_; }

    [[nodiscard]] const std::string& editing() const { return editing_; }

private:
    void look(size_t at) {
        switch (text_[at]) {
            case '(':
                round_.push_back({.begin = at});
                break;
            case '[':
                square_.push_back({.begin = at});
                break;
            case ':':
                mark([&](OpenBracket& open) { open.colon = at; });
                break;
            case '|':
                mark([](OpenBracket& open) { open.hasBar = true; });
                break;
            case ')':
                close(round_, at, weight_);
                break;
            case ']':
                close(square_, at, editing_);
                break;
            default:
                break;
        }
    }

    template <class Mark>
    void mark(const Mark& mark) {
        for (std::vector<OpenBracket>* open : {&round_, &square_}) {
            if (!open->empty()) {
                mark(open->back());
            }
        }
    }

    void close(std::vector<OpenBracket>& open, size_t end, std::string& found) {
        if (open.empty()) {
            return;
        }
        const OpenBracket bracket = open.back();
        open.pop_back();
        const bool isSyntax =
            endsWithNumber(text_, bracket.colon, end) || (bracket.hasBar && &open == &square_);
        if (isSyntax && found.empty()) {
            found = text_.substr(bracket.begin, end + 1 - bracket.begin);
        }
    }

    std::string_view text_;
    std::vector<OpenBracket> round_;
    std::vector<OpenBracket> square_;
    std::string weight_;
    std::string editing_;
};

bool isEdge(std::string_view text, size_t at) {
    return at >= text.size() || isPromptSpace(text[at]);
}

/// `word` between white space, or at an end of the text; empty: nowhere.
std::string loneWord(std::string_view text, std::string_view word) {
    for (size_t at = text.find(word); at != kNotSeen; at = text.find(word, at + 1)) {
        if ((at == 0 || isPromptSpace(text[at - 1])) && isEdge(text, at + word.size())) {
            return std::string(word);
        }
    }
    return {};
}

/// "<lora:name:1>", or what stands for it in an unfinished text.
std::string network(std::string_view text) {
    for (const std::string_view begin : {"<lora:", "<lyco:", "<hypernet:"}) {
        if (const size_t at = text.find(begin); at != kNotSeen) {
            const size_t end = text.find('>', at);
            return std::string(text.substr(at, end == kNotSeen ? begin.size() : end + 1 - at));
        }
    }
    return {};
}

}  // namespace

std::vector<UnreadSyntax> unreadSyntax(std::string_view text,
                                       PromptWeights weights,
                                       WeightsRead read) {
    const SyntaxFinder brackets(text);
    const bool readsA1111 = read == WeightsRead::All && weights == PromptWeights::A1111;
    const bool readsNumbers =
        readsA1111 || (read != WeightsRead::None && weights == PromptWeights::ComfyUi);
    const Message leaveOut = message("leave it out, and describe in words what counts more");
    const Message chooseA1111 = message("choose the weights a1111, which read it");
    const Message chooseNumbers = read == WeightsRead::All ? chooseA1111
                                  : read == WeightsRead::ComfyUi
                                      ? message("choose the weights comfyui, which read it")
                                      : leaveOut;
    const std::array kinds{
        UnreadSyntax{
            readsNumbers ? std::string() : brackets.weight(), message("a weight"), chooseNumbers},
        UnreadSyntax{readsA1111 ? std::string() : loneWord(text, "BREAK"),
                     message("a new chunk"),
                     read == WeightsRead::All ? chooseA1111 : leaveOut},
        UnreadSyntax{brackets.editing(),
                     message("prompt editing"),
                     message("encode the texts apart, and join them by conditioning.time_range and "
                             "conditioning.combine")},
        UnreadSyntax{loneWord(text, "AND"),
                     message("two prompts"),
                     message("encode the prompts apart, and join them by conditioning.combine")},
        UnreadSyntax{
            network(text),
            message("a file to load"),
            message("turn on LoRAs of the prompt of Encode prompt, which reads <lora:name:1> in "
                    "the prompt, and connect its output Model to Denoise; or leave it out")}};
    std::vector<UnreadSyntax> found;
    for (const UnreadSyntax& kind : kinds) {
        if (!kind.written.empty()) {
            found.push_back(kind);
        }
    }
    return found;
}

}  // namespace lowtide::models
