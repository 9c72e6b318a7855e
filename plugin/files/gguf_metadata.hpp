#pragma once
// What a GGUF header holds in addition to tensors: keys with typed getters, and their values.

#include "plugin/base/message.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::files {

class PieceCursor;

/// Types of metadata values, by the numbers that the files have.
enum class GgufValueType : uint32_t {
    Uint8 = 0,
    Int8 = 1,
    Uint16 = 2,
    Int16 = 3,
    Uint32 = 4,
    Int32 = 5,
    Float32 = 6,
    Bool = 7,
    String = 8,
    Array = 9,
    Uint64 = 10,
    Int64 = 11,
    Float64 = 12,
};

/// "UINT8", "STRING", ...: as the Python package gguf names them.
[[nodiscard]] std::string_view nameOf(GgufValueType type) noexcept;

/// One value of a file's metadata. Kept as the bytes of the file, so that large arrays take no more
/// space than there, and decoded when it is asked for. The getters are empty for another type.
class GgufValue {
public:
    /// One of the integer types. Error{Internal} when the number does not fit, here and below.
    [[nodiscard]] static GgufValue ofInteger(GgufValueType type, int64_t number);
    /// Float32 or Float64.
    [[nodiscard]] static GgufValue ofNumber(GgufValueType type, double number);
    [[nodiscard]] static GgufValue ofBoolean(bool value);
    [[nodiscard]] static GgufValue ofText(std::string_view text);
    /// All elements must have the type.
    [[nodiscard]] static GgufValue ofArray(GgufValueType elementType,
                                           std::span<const GgufValue> elements);
    /// Takes the value that lies at the cursor. Error{Corrupt}, Error{Unsupported}: it ends early,
    /// a type is unknown, a Bool is neither 0 nor 1, an array holds more elements than bytes
    /// follow, or arrays are nested deeper than 8 levels. `what` begins the messages.
    [[nodiscard]] static GgufValue take(PieceCursor& cursor, uint32_t type, const Message& what);

    [[nodiscard]] GgufValueType type() const { return type_; }

    /// As the file has them, without the type.
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

    /// Empty also for a Uint64 from 2^63 on.
    [[nodiscard]] std::optional<int64_t> integer() const;
    /// Of any number type.
    [[nodiscard]] std::optional<double> number() const;
    [[nodiscard]] std::optional<bool> boolean() const;
    /// Any bytes: the format does not make them UTF-8. quotedName() shows them in messages.
    [[nodiscard]] std::optional<std::string> text() const;
    [[nodiscard]] std::optional<std::vector<GgufValue>> elements() const;

private:
    GgufValue(GgufValueType type, std::string bytes);

    GgufValueType type_;
    std::string bytes_;
};

/// Keys and values in the order of the file. The getters are empty where the key is absent; a value
/// of another type is Error{Corrupt} that names file, key and type.
class GgufMetadata {
public:
    using Entry = std::pair<std::string, GgufValue>;

    GgufMetadata() = default;
    /// `subject` begins the messages: "\"model.gguf\"".
    explicit GgufMetadata(std::string subject);

    /// Replaces the value of a key that is there, else appends.
    void set(const std::string& key, GgufValue value);

    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

    /// nullptr when the key is absent.
    [[nodiscard]] const GgufValue* find(std::string_view key) const;

    /// Of any integer type, to 2^63 - 1.
    [[nodiscard]] std::optional<int64_t> integer(std::string_view key) const;
    /// Of any number type.
    [[nodiscard]] std::optional<double> number(std::string_view key) const;
    [[nodiscard]] std::optional<bool> boolean(std::string_view key) const;
    /// Any bytes, as GgufValue::text().
    [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
    /// An array, not a single value; here and below.
    [[nodiscard]] std::optional<std::vector<int64_t>> integers(std::string_view key) const;
    [[nodiscard]] std::optional<std::vector<std::string>> texts(std::string_view key) const;

private:
    std::string subject_ = "GGUF metadata";
    std::vector<Entry> entries_;
    std::map<std::string, size_t, std::less<>> positions_;
};

}  // namespace lowtide::files
