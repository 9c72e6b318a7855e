#include "plugin/base/json.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

LOWTIDE_JSON_INSTANCES()

namespace lowtide {

namespace {

Message locationOf(std::string_view text, size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const size_t lineStart = before.rfind('\n');
    const size_t column = before.size() - (lineStart == std::string_view::npos ? 0 : lineStart + 1);
    return message("line {}, column {}", line, column);
}

/// Builds the document, and stops at too deep nesting and at a repeated key. The library's own
/// builder with a callback looks at all members of an object after each member that is an object.
class DocumentBuilder final : public Json::json_sax_t {
public:
    DocumentBuilder(std::string_view text, std::string_view what, int maxDepth)
        : text_(text), what_(what), maxDepth_(maxDepth) {}

    [[nodiscard]] Json take() { return std::move(root_); }

    bool null() override { return put(nullptr); }

    bool boolean(bool value) override { return put(value); }

    bool number_integer(number_integer_t value) override { return put(value); }

    bool number_unsigned(number_unsigned_t value) override { return put(value); }

    bool number_float(number_float_t value, const string_t&) override { return put(value); }

    bool string(string_t& value) override { return put(std::move(value)); }

    bool binary(binary_t& value) override { return put(std::move(value)); }

    bool start_object(size_t) override { return open(Json::object()); }

    bool start_array(size_t) override { return open(Json::array()); }

    bool end_object() override { return close(); }

    bool end_array() override { return close(); }

    bool key(string_t& key) override {
        const auto [member, isNew] = open_.back()->emplace(std::move(key), nullptr);
        if (!isNew) {
            throw Error(
                ErrorKind::Corrupt,
                message("{} has the key {} twice in one object", what_, quotedName(member.key())));
        }
        member_ = &*member;
        return true;
    }

    bool parse_error(size_t byte, const std::string&, const Json::exception& error) override {
        if (dynamic_cast<const Json::parse_error*>(&error)) {
            throw Error(ErrorKind::Corrupt,
                        message("{} is not valid JSON at {}", what_, locationOf(text_, byte)),
                        message("check the file with a JSON editor"));
        }
        throw Error(ErrorKind::Corrupt,
                    message("{} holds a number that JSON readers cannot keep", what_));
    }

private:
    bool put(Json value) {
        insert(std::move(value));
        return true;
    }

    Json& insert(Json value) {
        if (open_.empty()) {
            return root_ = std::move(value);
        }
        if (open_.back()->is_array()) {
            return open_.back()->emplace_back(std::move(value));
        }
        return *member_ = std::move(value);
    }

    bool open(Json container) {
        if (open_.size() >= static_cast<size_t>(maxDepth_)) {
            throw Error(ErrorKind::Corrupt,
                        message("{} is nested deeper than {} levels", what_, maxDepth_));
        }
        open_.push_back(&insert(std::move(container)));
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    std::string_view text_;
    std::string_view what_;
    int maxDepth_;
    Json root_;
    std::vector<Json*> open_{};  ///< objects and arrays around the next value, outermost first
    Json* member_ = nullptr;     ///< of the innermost object: where its next value goes
};

bool isInt64(const Json& value) {
    return value.is_number_unsigned() ? std::in_range<int64_t>(value.get<uint64_t>())
                                      : value.is_number_integer();
}

/// The text with NaN, Infinity and -Infinity outside of strings replaced by null.
std::string withoutPythonNumbers(std::string_view text) {
    constexpr std::array<std::string_view, 3> kTokens = {"-Infinity", "Infinity", "NaN"};
    std::string clean;
    clean.reserve(text.size());
    bool inString = false;
    for (size_t at = 0; at < text.size(); ++at) {
        const auto token = std::find_if(kTokens.begin(), kTokens.end(), [&](std::string_view name) {
            return !inString && text.substr(at, name.size()) == name;
        });
        if (token != kTokens.end()) {
            clean += "null";
            at += token->size() - 1;
            continue;
        }
        clean += text[at];
        if (inString && text[at] == '\\' && at + 1 < text.size()) {
            clean += text[++at];
        } else if (text[at] == '"') {
            inString = !inString;
        }
    }
    return clean;
}

}  // namespace

Json parseJson(std::string_view text, std::string_view what, const JsonLimits& limits) {
    if (limits.readPythonNumbers) {
        JsonLimits strict = limits;
        strict.readPythonNumbers = false;
        return parseJson(withoutPythonNumbers(text), what, strict);
    }
    if (text.size() > limits.maxBytes) {
        throw Error(ErrorKind::Corrupt,
                    message("{} is {} large, at most {} are read",
                            what,
                            formatBytes(static_cast<Bytes>(text.size())),
                            formatBytes(static_cast<Bytes>(limits.maxBytes))));
    }
    if (const size_t at = text.find('\0'); at != std::string_view::npos) {
        // The parser takes a NUL for the end and would not look at what follows.
        throw Error(ErrorKind::Corrupt,
                    message("{} has a NUL character at {}", what, locationOf(text, at + 1)));
    }
    DocumentBuilder builder(text, what, limits.maxDepth);
    Json::sax_parse(text, &builder);
    return builder.take();
}

JsonReader::JsonReader(const Json& object, std::string what)
    : object_(object), what_(std::move(what)) {
    if (!object_.is_object()) {
        throw Error(ErrorKind::Corrupt,
                    message("{} must be a JSON object, it is a {}", what_, object_.type_name()));
    }
}

const Json* JsonReader::member(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
}

bool JsonReader::has(const char* key) const {
    return member(key) != nullptr;
}

void JsonReader::refuse(const char* key, const Message& wanted) const {
    throw Error(ErrorKind::Corrupt,
                message("{}: \"{}\" must be {}, it is {}",
                        what_,
                        key,
                        wanted,
                        member(key)->dump(-1, ' ', true).substr(0, 60)));
}

std::optional<int64_t> JsonReader::integer(const char* key) const {
    const Json* value = member(key);
    if (!value) {
        return std::nullopt;
    }
    if (!isInt64(*value)) {
        refuse(key, message("an integer"));
    }
    return value->get<int64_t>();
}

std::optional<double> JsonReader::number(const char* key) const {
    const Json* value = member(key);
    if (!value) {
        return std::nullopt;
    }
    if (!value->is_number()) {
        refuse(key, message("a number"));
    }
    return value->get<double>();
}

std::optional<bool> JsonReader::boolean(const char* key) const {
    const Json* value = member(key);
    if (!value) {
        return std::nullopt;
    }
    if (!value->is_boolean()) {
        refuse(key, message("true or false"));
    }
    return value->get<bool>();
}

std::optional<std::string> JsonReader::text(const char* key) const {
    const Json* value = member(key);
    if (!value) {
        return std::nullopt;
    }
    if (!value->is_string()) {
        refuse(key, message("a text"));
    }
    return value->get<std::string>();
}

std::optional<std::vector<int64_t>> JsonReader::integers(const char* key) const {
    const Json* value = member(key);
    if (!value) {
        return std::nullopt;
    }
    if (isInt64(*value)) {
        return std::vector<int64_t>{value->get<int64_t>()};
    }
    std::vector<int64_t> list;
    for (const Json& item : value->is_array() ? *value : Json::array({nullptr})) {
        if (!isInt64(item)) {
            refuse(key, message("a list of integers"));
        }
        list.push_back(item.get<int64_t>());
    }
    return list;
}

std::optional<std::vector<double>> JsonReader::numbers(const char* key) const {
    const Json* value = member(key);
    if (!value) {
        return std::nullopt;
    }
    std::vector<double> list;
    for (const Json& item : value->is_array() ? *value : Json::array({nullptr})) {
        if (!item.is_number()) {
            refuse(key, message("a list of numbers"));
        }
        list.push_back(item.get<double>());
    }
    return list;
}

std::optional<std::vector<std::string>> JsonReader::texts(const char* key) const {
    const Json* value = member(key);
    if (!value) {
        return std::nullopt;
    }
    std::vector<std::string> list;
    for (const Json& item : value->is_array() ? *value : Json::array({nullptr})) {
        if (!item.is_string()) {
            refuse(key, message("a list of texts"));
        }
        list.push_back(item.get<std::string>());
    }
    return list;
}

void requireKnownKeys(const Json& object,
                      std::string_view what,
                      std::span<const std::string_view> known) {
    for (const auto& [key, value] : object.items()) {
        if (std::ranges::find(known, key) != known.end()) {
            continue;
        }
        const std::vector<std::string> names(known.begin(), known.end());
        const std::string near = nearestName(key, names);
        throw Error(ErrorKind::InvalidInput,
                    message("{} is no key of the {}", quotedName(key), what),
                    near.empty() ? message("write one of {}", listSome(names, names.size()))
                                 : message("did you mean \"{}\"?", near),
                    key);
    }
}

std::optional<int64_t> integerWithin(const JsonReader& reader,
                                     const char* key,
                                     int64_t least,
                                     int64_t most) {
    const std::optional<int64_t> value = reader.integer(key);
    if (value && (*value < least || *value > most)) {
        throw Error(
            ErrorKind::InvalidInput,
            message("{}: \"{}\" is {}, it takes {} to {}", reader.what(), key, *value, least, most),
            message("choose a number between them"),
            key);
    }
    return value;
}

}  // namespace lowtide
