#pragma once
// Messages for users as formats with arguments: a language is looked up by the format.

#include "plugin/base/json_fwd.hpp"

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace lowtide {

struct MessageParts;

/// The number of "{}" in a format; -1 where another brace is not doubled.
[[nodiscard]] constexpr int countPlaceholders(std::string_view format) {
    int placeholders = 0;
    for (size_t i = 0; i < format.size(); ++i) {
        const bool isBrace = format[i] == '{' || format[i] == '}';
        const char next = i + 1 < format.size() ? format[i + 1] : '\0';
        if (isBrace && next != format[i] && !(format[i] == '{' && next == '}')) {
            return -1;
        }
        placeholders += format[i] == '{' && next == '}' ? 1 : 0;
        i += isBrace ? 1 : 0;
    }
    return placeholders;
}

/// A literal with `Count` placeholders "{}", "{{" and "}}" for braces. Another number does not
/// compile.
template <size_t Count>
class MessageFormat {
public:
    // A literal is given where a format is asked for.
    // NOLINTNEXTLINE(google-explicit-constructor)
    template <size_t Size>
    consteval MessageFormat(const char (&text)[Size]) : text_(text) {
        if (countPlaceholders(text) != static_cast<int>(Count)) {
            throw "the format has more or fewer {} than there are arguments, or a single brace";
        }
    }

    [[nodiscard]] constexpr const char* text() const noexcept { return text_; }

private:
    const char* text_;
};

/// A message without arguments, for constants and tables.
class Phrase {
public:
    consteval explicit Phrase(MessageFormat<0> format) : format_(format) {}

    [[nodiscard]] constexpr const char* text() const noexcept { return format_.text(); }

private:
    MessageFormat<0> format_;
};

/// `constexpr Phrase kChoose = phrase("choose a file");`
[[nodiscard]] consteval Phrase phrase(MessageFormat<0> format) {
    return Phrase(format);
}

/// What a user reads: a format and its arguments, or a text that is the same in every language.
/// Made by `message`, `plural`, `joined` and `phrase`, which `./dev translations` finds in sources.
class Message {
public:
    Message() = default;

    /// Words of another program or file, which are in no language file.
    explicit Message(std::string text) noexcept : text_(std::move(text)) {}

    Message(Phrase phrase);  // NOLINT(google-explicit-constructor)
    explicit Message(MessageParts parts);

    /// In English.
    [[nodiscard]] const std::string& str() const noexcept { return text_; }

    [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

    /// Whether both read the same in English.
    friend bool operator==(const Message& left, const Message& right) {
        return left.text_ == right.text_;
    }

    friend bool operator==(const Message& left, std::string_view right) {
        return left.text_ == right;
    }

    /// Null: a text.
    [[nodiscard]] const MessageParts* parts() const noexcept { return parts_.get(); }

private:
    std::string text_;
    std::shared_ptr<const MessageParts> parts_;
};

/// A text stands in a message as it is; a message is a clause of it, in the same language.
using Argument = std::variant<std::string, int64_t, double, Message>;

struct MessageParts {
    std::string format;  ///< with as many placeholders as there are arguments
    std::string plural;  ///< the format for a `count` other than 1; empty: there is one for all
    int64_t count = 1;
    std::string separator;  ///< stands between the arguments, in place of a format
    std::vector<Argument> arguments;
};

/// A piece of a format: a text, or the placeholder of an argument.
struct FormatPiece {
    std::string text;
    std::optional<size_t> argument;
};

/// "{}" are the arguments in order, "{1}" is the second: translations may change the order. Single
/// braces that are neither stand for themselves.
[[nodiscard]] std::vector<FormatPiece> piecesOf(std::string_view format);

/// An argument in English.
[[nodiscard]] std::string textOf(const Argument& argument);

namespace detail {

[[nodiscard]] Argument clauseArgument(Message clause);
/// A text where int64_t is too small.
[[nodiscard]] Argument unsignedArgument(uint64_t value);
/// A text where the number is not finite, which JSON cannot hold.
[[nodiscard]] Argument numberArgument(double value);

template <class Value>
Argument argumentOf(const Value& value) {
    static_assert(!std::same_as<Value, bool>, "a message has words for true and false");
    if constexpr (std::same_as<Value, char>) {
        return std::string(1, value);
    } else if constexpr (std::unsigned_integral<Value>) {
        return unsignedArgument(value);
    } else if constexpr (std::integral<Value>) {
        return static_cast<int64_t>(value);
    } else if constexpr (std::floating_point<Value>) {
        return numberArgument(static_cast<double>(value));
    } else if constexpr (std::same_as<Value, Message> || std::same_as<Value, Phrase>) {
        return clauseArgument(value);
    } else {
        return std::string(std::string_view(value));
    }
}

}  // namespace detail

/// `message("there is no method {} to resample an image", quotedName(method))`.
/// Arguments: texts, numbers (floating ones as formatNumber writes them), messages and phrases.
template <class... Values>
[[nodiscard]] Message message(MessageFormat<sizeof...(Values)> format, const Values&... values) {
    return Message(
        MessageParts{.format = format.text(), .arguments = {detail::argumentOf(values)...}});
}

/// The same with a form for one and a form for other counts:
/// `plural(files, "{} file is missing", "{} files are missing", files)`.
template <class... Values>
[[nodiscard]] Message plural(int64_t count,
                             MessageFormat<sizeof...(Values)> one,
                             MessageFormat<sizeof...(Values)> other,
                             const Values&... values) {
    return Message(MessageParts{.format = one.text(),
                                .plural = other.text(),
                                .count = count,
                                .arguments = {detail::argumentOf(values)...}});
}

/// Messages as one, with a separator such as ", " or "; ", which languages have, too.
[[nodiscard]] Message joined(std::span<const Message> messages, MessageFormat<0> separator);

/// Puts the text into an object as `key`, and as `keyParts` what a host needs to write it in
/// another language (docs/events.md). A message that is a text has no parts.
void putMessage(Json& object, const std::string& key, const Message& message);
/// What putMessage put there; the text alone where the parts do not make it.
[[nodiscard]] Message messageIn(const Json& object, const std::string& key);
/// The same of a list: a list of texts, and one of their parts, null for a text.
void putMessages(Json& object, const std::string& key, std::span<const Message> messages);
[[nodiscard]] std::vector<Message> messagesIn(const Json& object, const std::string& key);

}  // namespace lowtide
