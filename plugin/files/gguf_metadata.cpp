#include "plugin/files/gguf_metadata.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

namespace lowtide::files {

namespace {

[[noreturn]] void refuseType(const std::string& subject,
                             std::string_view key,
                             const GgufValue& value,
                             const char* wanted) {
    throw Error(ErrorKind::Corrupt,
                subject + ", key " + quotedName(key) + ": " + wanted +
                    " is needed, not a value of type " + std::string(nameOf(value.type())),
                "use a file whose metadata is right, or write this one again");
}

/// What `get` gives of a value that is there, which must be something.
template <class Result>
std::optional<Result> wantedOf(const std::string& subject,
                               std::string_view key,
                               const GgufValue* value,
                               std::optional<Result> (GgufValue::*get)() const,
                               const char* wanted) {
    if (!value) {
        return std::nullopt;
    }
    std::optional<Result> result = (value->*get)();
    if (!result) {
        refuseType(subject, key, *value, wanted);
    }
    return result;
}

/// The same of each element of an array.
template <class Result>
std::optional<std::vector<Result>> allWantedOf(const std::string& subject,
                                               std::string_view key,
                                               const GgufValue* value,
                                               std::optional<Result> (GgufValue::*get)() const,
                                               const char* wanted) {
    const auto elements = wantedOf(subject, key, value, &GgufValue::elements, wanted);
    if (!elements) {
        return std::nullopt;
    }
    std::vector<Result> results;
    for (const GgufValue& element : *elements) {
        results.push_back(*wantedOf(subject, key, &element, get, wanted));
    }
    return results;
}

}  // namespace

GgufMetadata::GgufMetadata(std::string subject) : subject_(std::move(subject)) {}

void GgufMetadata::set(const std::string& key, GgufValue value) {
    const auto [place, isNew] = places_.emplace(key, entries_.size());
    if (isNew) {
        entries_.emplace_back(key, std::move(value));
    } else {
        entries_[place->second].second = std::move(value);
    }
}

const GgufValue* GgufMetadata::find(std::string_view key) const {
    const auto place = places_.find(key);
    return place == places_.end() ? nullptr : &entries_[place->second].second;
}

std::optional<int64_t> GgufMetadata::integer(std::string_view key) const {
    return wantedOf(subject_, key, find(key), &GgufValue::integer, "an integer below 2^63");
}

std::optional<double> GgufMetadata::number(std::string_view key) const {
    return wantedOf(subject_, key, find(key), &GgufValue::number, "a number");
}

std::optional<bool> GgufMetadata::boolean(std::string_view key) const {
    return wantedOf(subject_, key, find(key), &GgufValue::boolean, "a BOOL");
}

std::optional<std::string> GgufMetadata::text(std::string_view key) const {
    return wantedOf(subject_, key, find(key), &GgufValue::text, "a STRING");
}

std::optional<std::vector<int64_t>> GgufMetadata::integers(std::string_view key) const {
    return allWantedOf(
        subject_, key, find(key), &GgufValue::integer, "an ARRAY of integers below 2^63");
}

std::optional<std::vector<std::string>> GgufMetadata::texts(std::string_view key) const {
    return allWantedOf(subject_, key, find(key), &GgufValue::text, "an ARRAY of STRING");
}

}  // namespace lowtide::files
