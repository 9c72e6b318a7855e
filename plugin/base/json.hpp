#pragma once
// JSON from outside with limits, members with the wanted type, and options that callers write.

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/message.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide {

/// What nlohmann's parser reads a std::string and a std::string_view (or a char*) through.
using JsonStringInput = decltype(nlohmann::detail::input_adapter(std::declval<std::string&>()));
using JsonViewInput = decltype(nlohmann::detail::input_adapter(std::declval<std::string_view&>()));

struct JsonLimits {
    size_t maxBytes = 64u << 20;
    int maxDepth = 64;
    /// Reads NaN, Infinity and -Infinity, which Python's writer leaves in model configs, as null:
    /// not stated.
    bool readPythonNumbers = false;
};

/// Parses UTF-8 JSON from outside. `what` names the source in messages ("graph",
/// "unet/config.json"). Errors: Error{Corrupt} with line and column for malformed, too large, too
/// deep or non-UTF-8 text and duplicate keys.
[[nodiscard]] Json parseJson(std::string_view text,
                             std::string_view what,
                             const JsonLimits& limits = {});

/// Members of a JSON object with the type that is wanted. Absent or null gives nothing; another
/// type is Error{Corrupt} that names `what` and the key.
class JsonReader {
public:
    /// `object` must outlive the reader. Error{Corrupt} when it is no object.
    JsonReader(const Json& object, std::string what);

    [[nodiscard]] bool has(const char* key) const;
    [[nodiscard]] std::optional<int64_t> integer(const char* key) const;
    [[nodiscard]] std::optional<double> number(const char* key) const;
    [[nodiscard]] std::optional<bool> boolean(const char* key) const;
    [[nodiscard]] std::optional<std::string> text(const char* key) const;
    /// A list of integers; a single integer counts as a list of one.
    [[nodiscard]] std::optional<std::vector<int64_t>> integers(const char* key) const;
    [[nodiscard]] std::optional<std::vector<double>> numbers(const char* key) const;
    [[nodiscard]] std::optional<std::vector<std::string>> texts(const char* key) const;
    /// The raw member or nullptr.
    [[nodiscard]] const Json* member(const char* key) const;

    [[nodiscard]] const std::string& what() const { return what_; }

private:
    [[noreturn]] void refuse(const char* key, const Message& wanted) const;

    const Json& object_;
    std::string what_;
};

/// Refuses what a caller wrote and nobody reads. Error{InvalidInput} names the first key of
/// `object` that is not `known`, and the nearest one.
void requireKnownKeys(const Json& object,
                      std::string_view what,
                      std::span<const std::string_view> known);

/// JsonReader::integer of at least `least` and at most `most`; Error{InvalidInput} names key, value
/// and bounds.
[[nodiscard]] std::optional<int64_t> integerWithin(const JsonReader& reader,
                                                   const char* key,
                                                   int64_t least,
                                                   int64_t most);

}  // namespace lowtide

// Compiled once, with optimisation, in json.cpp: each source that reads or writes JSON would
// compile them again, and in a test program, which is compiled without it, those copies would win.
#define LOWTIDE_JSON_INSTANCES(linkage)                                                        \
    linkage template class std::vector<nlohmann::json>;                                        \
    linkage template class std::map<std::string, nlohmann::json, std::less<>>;                 \
    linkage template class nlohmann::basic_json<>;                                             \
    linkage template class nlohmann::detail::serializer<nlohmann::json>;                       \
    linkage template class nlohmann::detail::json_sax_dom_parser<nlohmann::json>;              \
    linkage template class nlohmann::detail::lexer<nlohmann::json, lowtide::JsonStringInput>;  \
    linkage template class nlohmann::detail::lexer<nlohmann::json, lowtide::JsonViewInput>;    \
    linkage template class nlohmann::detail::parser<nlohmann::json, lowtide::JsonStringInput>; \
    linkage template class nlohmann::detail::parser<nlohmann::json, lowtide::JsonViewInput>;

LOWTIDE_JSON_INSTANCES(extern)
