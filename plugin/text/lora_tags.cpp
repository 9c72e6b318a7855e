#include "plugin/text/lora_tags.hpp"

#include "plugin/base/text.hpp"

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
        tag.problem = quotedName(written) + " is no number";
    } else if (std::abs(*value) > kMostTagStrength) {
        tag.problem = "the strength " + written + " is beyond -100 to 100";
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
            tag.problem = "dyn (another rank) is not built";
        }
    }
    const auto at = [&](size_t i) {
        return i < positional.size() ? std::optional(positional[i]) : std::nullopt;
    };
    tag.name = trim(at(0).value_or(""));
    if (tag.name.empty()) {
        tag.problem = "it names no file";
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
        tag.problem = "a fourth setting (another rank) is not built";
    }
}

LoraTag tagIn(std::string_view written) {
    LoraTag tag{.written = std::string(written), .name = {}};
    const std::string_view inner = written.substr(1, written.size() - 2);
    const std::string_view kind = inner.substr(0, inner.find(':'));
    if (kind == "lora" || kind == "lyco") {
        readTagSettings(inner.substr(kind.size() + 1), tag);
    } else {
        tag.problem = quotedName(kind) + " is not built";
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

}  // namespace lowtide::models
