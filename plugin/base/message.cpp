#include "plugin/base/message.hpp"

#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace lowtide {

namespace {

/// Clauses in clauses that are read from JSON.
constexpr int kDeepestClause = 16;
constexpr const char* kParts = "Parts";

std::string englishOf(const MessageParts& parts) {
    std::string text;
    if (!parts.separator.empty()) {
        for (const Argument& argument : parts.arguments) {
            text += (text.empty() ? "" : parts.separator) + textOf(argument);
        }
        return text;
    }
    const bool isOne = parts.plural.empty() || parts.count == 1;
    for (const FormatPiece& piece : piecesOf(isOne ? parts.format : parts.plural)) {
        text += piece.argument ? textOf(parts.arguments.at(*piece.argument)) : piece.text;
    }
    return text;
}

/// The number of the placeholder that begins behind "{"; nothing where there is none.
std::optional<size_t> placeholderNumber(std::string_view rest, size_t next) {
    if (rest.starts_with('}')) {
        return next;
    }
    size_t number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const bool isNumber = error == std::errc() && end != rest.data() + rest.size() && *end == '}';
    return isNumber ? std::optional(number) : std::nullopt;
}

bool fits(const std::string& format, size_t arguments) {
    return countPlaceholders(format) == static_cast<int>(arguments);
}

std::optional<MessageParts> partsFromJson(const Json& json, int depth);

std::optional<Argument> argumentFromJson(const Json& json, int depth) {
    if (json.is_string()) {
        return json.get<std::string>();
    }
    if (json.is_number_integer()) {
        return json.get<int64_t>();
    }
    if (json.is_number()) {
        return json.get<double>();
    }
    std::optional<MessageParts> parts = partsFromJson(json, depth + 1);
    return parts ? std::optional<Argument>(Message(std::move(*parts))) : std::nullopt;
}

/// Nothing where it is no object as partsToJson writes it.
std::optional<MessageParts> partsFromJson(const Json& json, int depth) {
    if (!json.is_object() || depth > kDeepestClause || !json.contains("arguments") ||
        !json["arguments"].is_array()) {
        return std::nullopt;
    }
    const auto text = [&](const char* key) {
        return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
    };
    MessageParts parts{
        .format = text("format"), .plural = text("plural"), .separator = text("separator")};
    if (json.contains("count") && json["count"].is_number_integer()) {
        parts.count = json["count"].get<int64_t>();
    }
    for (const Json& each : json["arguments"]) {
        std::optional<Argument> argument = argumentFromJson(each, depth);
        if (!argument) {
            return std::nullopt;
        }
        parts.arguments.push_back(std::move(*argument));
    }
    const size_t count = parts.arguments.size();
    const bool isJoined = !parts.separator.empty() && parts.format.empty();
    const bool isFormat = parts.separator.empty() && fits(parts.format, count) &&
                          (parts.plural.empty() || fits(parts.plural, count));
    return isJoined || isFormat ? std::optional(std::move(parts)) : std::nullopt;
}

/// Null for a text.
Json partsToJson(const Message& message) {
    const MessageParts* parts = message.parts();
    if (!parts) {
        return nullptr;
    }
    Json arguments = Json::array();
    for (const Argument& argument : parts->arguments) {
        std::visit(
            [&](const auto& value) {
                if constexpr (std::same_as<std::decay_t<decltype(value)>, Message>) {
                    arguments.push_back(partsToJson(value));
                } else {
                    arguments.push_back(value);
                }
            },
            argument);
    }
    Json json = {{"arguments", std::move(arguments)}};
    if (!parts->separator.empty()) {
        json["separator"] = parts->separator;
        return json;
    }
    json["format"] = parts->format;
    if (!parts->plural.empty()) {
        json["plural"] = parts->plural;
        json["count"] = parts->count;
    }
    return json;
}

/// The text alone where the parts do not make it.
Message withParts(std::string text, const Json& json) {
    std::optional<MessageParts> parts = partsFromJson(json, 0);
    Message message = parts ? Message(std::move(*parts)) : Message();
    return message.str() == text ? message : Message(std::move(text));
}

}  // namespace

Message::Message(Phrase phrase) : Message(MessageParts{.format = phrase.text()}) {}

Message::Message(MessageParts parts)
    : text_(englishOf(parts)), parts_(std::make_shared<const MessageParts>(std::move(parts))) {}

std::vector<FormatPiece> piecesOf(std::string_view format) {
    std::vector<FormatPiece> pieces;
    std::string text;
    const auto endText = [&] {
        if (!text.empty()) {
            pieces.push_back({.text = std::exchange(text, {})});
        }
    };
    size_t placeholders = 0;
    for (size_t i = 0; i < format.size(); ++i) {
        const std::string_view rest = format.substr(i + 1);
        const bool isBrace = format[i] == '{' || format[i] == '}';
        const auto found = format[i] == '{' ? placeholderNumber(rest, placeholders) : std::nullopt;
        if (found) {
            endText();
            pieces.push_back({.argument = found});
            ++placeholders;
            i += rest.find('}') + 1;
        } else {
            text += format[i];
            i += isBrace && rest.starts_with(format[i]) ? 1 : 0;
        }
    }
    endText();
    return pieces;
}

std::string textOf(const Argument& argument) {
    if (const auto* text = std::get_if<std::string>(&argument)) {
        return *text;
    }
    if (const auto* integer = std::get_if<int64_t>(&argument)) {
        return std::to_string(*integer);
    }
    if (const auto* number = std::get_if<double>(&argument)) {
        return formatNumber(*number);
    }
    return std::get<Message>(argument).str();
}

namespace detail {

Argument clauseArgument(Message clause) {
    return clause.parts() ? Argument(std::move(clause)) : Argument(clause.str());
}

Argument unsignedArgument(uint64_t value) {
    constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    return value <= kMost ? Argument(static_cast<int64_t>(value)) : std::to_string(value);
}

Argument numberArgument(double value) {
    return std::isfinite(value) ? Argument(value) : formatNumber(value);
}

}  // namespace detail

Message joined(std::span<const Message> messages, MessageFormat<0> separator) {
    MessageParts parts{.separator = separator.text()};
    for (const Message& message : messages) {
        parts.arguments.push_back(detail::clauseArgument(message));
    }
    return messages.size() == 1 ? messages.front() : Message(std::move(parts));
}

void putMessage(Json& object, const std::string& key, const Message& message) {
    object[key] = message.str();
    if (Json parts = partsToJson(message); parts.is_object()) {
        object[key + kParts] = std::move(parts);
    }
}

Message messageIn(const Json& object, const std::string& key) {
    if (!object.is_object() || !object.contains(key) || !object[key].is_string()) {
        return {};
    }
    return withParts(object[key].get<std::string>(), object.value(key + kParts, Json()));
}

void putMessages(Json& object, const std::string& key, std::span<const Message> messages) {
    Json texts = Json::array();
    Json parts = Json::array();
    for (const Message& message : messages) {
        texts.push_back(message.str());
        parts.push_back(partsToJson(message));
    }
    object[key] = std::move(texts);
    if (std::any_of(messages.begin(), messages.end(), [](const Message& each) {
            return each.parts() != nullptr;
        })) {
        object[key + kParts] = std::move(parts);
    }
}

std::vector<Message> messagesIn(const Json& object, const std::string& key) {
    std::vector<Message> messages;
    if (!object.is_object() || !object.contains(key) || !object[key].is_array()) {
        return messages;
    }
    const Json parts = object.value(key + kParts, Json());
    for (const Json& text : object[key]) {
        const size_t at = messages.size();
        messages.push_back(
            !text.is_string()
                ? Message()
                : withParts(text.get<std::string>(),
                            parts.is_array() && at < parts.size() ? parts[at] : Json()));
    }
    return messages;
}

}  // namespace lowtide
