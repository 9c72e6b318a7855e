#include "plugin/interop/import.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/interop/json_members.hpp"

#include <algorithm>
#include <optional>

namespace lowtide::interop {

namespace {

constexpr JsonLimits kWorkflowLimits = {
    .maxBytes = 32u << 20, .maxDepth = 64, .readPythonNumbers = true};

char firstLetterOf(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos ? '\0' : text[first];
}

/// The part of the clipboard's HTML that ComfyUI's canvas fills, as text. Empty: there is none.
std::string textInHtml(std::string_view html) {
    for (const std::string_view name : {"data-metadata=\"", "data-comfy-metadata=\""}) {
        const size_t found = html.find(name);
        if (found == std::string_view::npos) {
            continue;
        }
        const std::string_view value = html.substr(found + name.size());
        return fromBase64(value.substr(0, value.find('"'))).value_or("");
    }
    return {};
}

std::optional<Json> jsonIfValid(std::string_view text) {
    try {
        return parseJson(text, "workflow", kWorkflowLimits);
    } catch (const Error&) {
        return std::nullopt;
    }
}

bool isOwnGraph(const Json& json) {
    return memberIn(json, "format").is_number_integer() && memberIn(json, "nodes").is_object();
}

bool hasMarks(std::string_view text) {
    constexpr std::string_view kMarks[] = {"\"class_type",
                                           "\\\"class_type",
                                           "\"last_node_id",
                                           "\"widgets_values",
                                           "\"sui_image_params",
                                           "\"positive_prompt",
                                           "\"base_model"};
    return std::ranges::any_of(
        kMarks, [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; });
}

/// A member that is JSON, or a text that holds some, as video nodes write it.
Json memberAsJson(const Json& object, const char* key) {
    const Json& member = memberIn(object, key);
    return member.is_string() ? parseJson(member.get<std::string>(), key, kWorkflowLimits) : member;
}

/// The graph of JSON, also of one that wraps workflows; nothing: it is none.
std::optional<Imported> importJson(const Json& json, const ImportNeeds& needs) {
    if (isWorkflow(json) || isApiPrompt(json)) {
        return translatePrompt(readPrompt(json, needs.table), needs);
    }
    for (const char* key : {"workflow", "prompt"}) {
        const Json inner = memberAsJson(json, key);
        if (isWorkflow(inner) || isApiPrompt(inner)) {
            return translatePrompt(readPrompt(inner, needs.table), needs);
        }
    }
    return std::nullopt;
}

std::optional<Imported> importAny(std::string_view text,
                                  const SamplerNames& names,
                                  const ImportNeeds& needs) {
    const char first = firstLetterOf(text);
    if (first != '{' && first != '<') {
        const std::optional<ImageSettings> settings = readA1111(text);
        return settings ? std::optional(translateSettings(*settings, names, needs)) : std::nullopt;
    }
    const Json json = first == '<' ? parseJson(textInHtml(text), "clipboard", kWorkflowLimits)
                                   : parseJson(text, "workflow", kWorkflowLimits);
    if (const std::optional<ImageSettings> settings = readSettings(json)) {
        return translateSettings(*settings, names, needs);
    }
    return importJson(json, needs);
}

}  // namespace

bool isForeign(std::string_view text) {
    const char first = firstLetterOf(text);
    if (first == '<') {
        return !textInHtml(text).empty();
    }
    if (first != '{') {
        return readA1111(text).has_value();
    }
    if (!hasMarks(text)) {
        return false;
    }
    if (text.find("\"format\"") == std::string_view::npos) {
        return true;  // no graph of this program is without; a large workflow takes long to parse
    }
    const std::optional<Json> json = jsonIfValid(text);
    return !json || !isOwnGraph(*json);
}

std::string carriedForeignText(const std::vector<image::ImageText>& texts) {
    std::string damaged;
    for (const std::string_view key :
         {"lowtide_graph", "workflow", "prompt", "comment", "invokeai_metadata", "parameters"}) {
        for (const image::ImageText& text : texts) {
            if (toLower(text.key) != key) {
                continue;
            }
            if (key == "lowtide_graph") {
                return {};
            }
            if (!isForeign(text.text)) {
                continue;
            }
            if (firstLetterOf(text.text) != '{' || jsonIfValid(text.text)) {
                return text.text;
            }
            damaged = damaged.empty() ? text.text : damaged;
        }
    }
    return damaged;
}

std::string readAnyGraphText(const files::InputFile& file) {
    std::string foreign = carriedForeignText(graph::readCarriedTexts(file));
    return foreign.empty() ? graph::readGraphText(file) : foreign;
}

Imported importText(std::string_view text, const SamplerNames& names, const ImportNeeds& needs) {
    if (std::optional<Imported> imported = importAny(text, names, needs)) {
        return std::move(*imported);
    }
    throw Error(ErrorKind::InvalidInput,
                message("this is neither a workflow of ComfyUI nor settings of AUTOMATIC1111, "
                        "Forge, InvokeAI, Fooocus or SwarmUI"),
                message("in ComfyUI choose Save or Export (API), or take an image that it saved"));
}

}  // namespace lowtide::interop
