#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
/// room than there, and decoded when it is asked for. The getters are empty for another type.
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
    [[nodiscard]] static GgufValue take(PieceCursor& cursor,
                                        uint32_t type,
                                        const std::string& what);

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

}  // namespace lowtide::files
