#include "plugin/files/gguf_metadata.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/readable_bytes.hpp"

#include <bit>
#include <utility>

namespace lowtide::files {

namespace {

constexpr int kLengthOfText = 8;
constexpr int kDeepestArray = 8;
/// Of an array: the type of its elements and their number.
constexpr size_t kArrayStart = 12;

struct ValueTypeInfo {
    std::string_view name;
    int leastBytes;  ///< of a number: all it has
    bool isSigned = false;
};

/// By number.
constexpr ValueTypeInfo kValueTypes[] = {
    {"UINT8", 1},
    {"INT8", 1, true},
    {"UINT16", 2},
    {"INT16", 2, true},
    {"UINT32", 4},
    {"INT32", 4, true},
    {"FLOAT32", 4},
    {"BOOL", 1},
    {"STRING", kLengthOfText},
    {"ARRAY", kArrayStart},
    {"UINT64", 8},
    {"INT64", 8, true},
    {"FLOAT64", 8},
};

const ValueTypeInfo& valueTypeInfo(GgufValueType type) {
    return kValueTypes[static_cast<size_t>(type)];
}

bool isInteger(GgufValueType type) {
    using enum GgufValueType;
    return type != Float32 && type != Float64 && type != Bool && type != String && type != Array;
}

GgufValueType knownType(uint32_t number, const Message& what) {
    if (number >= std::size(kValueTypes)) {
        throw Error(ErrorKind::Unsupported,
                    message("{}: its value has the type {}, but GGUF knows the types 0 to {}",
                            what,
                            number,
                            std::size(kValueTypes) - 1),
                    message("the file is damaged or newer than this program: download it again, or "
                            "use another file"));
    }
    return static_cast<GgufValueType>(number);
}

std::string takeBytes(PieceCursor& cursor, GgufValueType type, const Message& what, int depth);

std::string takeArray(PieceCursor& cursor, const Message& what, int depth) {
    if (depth == kDeepestArray) {
        throw Error(ErrorKind::Unsupported,
                    message("{}: its arrays are nested deeper than {} levels", what, kDeepestArray),
                    message("use a file without that key"));
    }
    std::string bytes = cursor.text(kArrayStart);
    const std::string_view start = bytes;
    const GgufValueType type =
        knownType(static_cast<uint32_t>(fromLittleEndian(start.substr(0, 4))), what);
    const uint64_t count = fromLittleEndian(start.substr(4));
    const auto each = static_cast<uint64_t>(valueTypeInfo(type).leastBytes);
    if (count > cursor.left() / each) {
        refuseDamaged(what,
                      message("its array claims {} values of type {}, but only {} bytes follow",
                              count,
                              nameOf(type),
                              cursor.left()));
    }
    if (type != GgufValueType::String && type != GgufValueType::Array &&
        type != GgufValueType::Bool) {
        return bytes + cursor.text(count * each);
    }
    for (uint64_t i = 0; i < count; ++i) {
        bytes += takeBytes(cursor, type, what, depth + 1);
    }
    return bytes;
}

std::string takeBytes(PieceCursor& cursor, GgufValueType type, const Message& what, int depth) {
    if (type == GgufValueType::Array) {
        return takeArray(cursor, what, depth);
    }
    std::string bytes = cursor.text(static_cast<uint64_t>(valueTypeInfo(type).leastBytes));
    if (type == GgufValueType::String) {
        const uint64_t length = fromLittleEndian(bytes);
        return std::move(bytes) + cursor.text(length);
    }
    if (type == GgufValueType::Bool && static_cast<uint8_t>(bytes[0]) > 1) {
        refuseDamaged(
            what,
            message("it holds a BOOL of {}, 0 or 1 is needed", static_cast<uint8_t>(bytes[0])));
    }
    return bytes;
}

}  // namespace

std::string_view nameOf(GgufValueType type) noexcept {
    return valueTypeInfo(type).name;
}

GgufValue::GgufValue(GgufValueType type, std::string bytes)
    : type_(type), bytes_(std::move(bytes)) {}

GgufValue GgufValue::ofInteger(GgufValueType type, int64_t number) {
    LOWTIDE_ASSERT(isInteger(type));
    GgufValue value(type,
                    toLittleEndian(static_cast<uint64_t>(number), valueTypeInfo(type).leastBytes));
    LOWTIDE_ASSERT(value.integer() == number);
    return value;
}

GgufValue GgufValue::ofNumber(GgufValueType type, double number) {
    if (type == GgufValueType::Float32) {
        return {type, toLittleEndian(std::bit_cast<uint32_t>(static_cast<float>(number)), 4)};
    }
    LOWTIDE_ASSERT(type == GgufValueType::Float64);
    return {type, toLittleEndian(std::bit_cast<uint64_t>(number), 8)};
}

GgufValue GgufValue::ofBoolean(bool value) {
    return {GgufValueType::Bool, toLittleEndian(value ? 1 : 0, 1)};
}

GgufValue GgufValue::ofText(std::string_view text) {
    return {GgufValueType::String, toLittleEndian(text.size(), kLengthOfText) + std::string(text)};
}

GgufValue GgufValue::ofArray(GgufValueType elementType, std::span<const GgufValue> elements) {
    std::string bytes = toLittleEndian(static_cast<uint64_t>(elementType), 4);
    bytes += toLittleEndian(elements.size(), 8);
    for (const GgufValue& element : elements) {
        LOWTIDE_ASSERT(element.type() == elementType);
        bytes += element.bytes();
    }
    return {GgufValueType::Array, std::move(bytes)};
}

GgufValue GgufValue::take(PieceCursor& cursor, uint32_t type, const Message& what) {
    const GgufValueType known = knownType(type, what);
    return {known, takeBytes(cursor, known, what, 0)};
}

std::optional<int64_t> GgufValue::integer() const {
    if (!isInteger(type_)) {
        return std::nullopt;
    }
    const uint64_t number = fromLittleEndian(bytes_);
    if (!valueTypeInfo(type_).isSigned) {
        return std::in_range<int64_t>(number) ? std::optional(static_cast<int64_t>(number))
                                              : std::nullopt;
    }
    const size_t unused = 64 - 8 * bytes_.size();
    return static_cast<int64_t>(number << unused) >> unused;
}

std::optional<double> GgufValue::number() const {
    switch (type_) {
        case GgufValueType::Float32:
            return std::bit_cast<float>(static_cast<uint32_t>(fromLittleEndian(bytes_)));
        case GgufValueType::Float64:
            return std::bit_cast<double>(fromLittleEndian(bytes_));
        case GgufValueType::Uint64:
            return static_cast<double>(fromLittleEndian(bytes_));
        default:
            break;
    }
    const auto whole = integer();
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::optional<bool> GgufValue::boolean() const {
    return type_ == GgufValueType::Bool ? std::optional(bytes_[0] != 0) : std::nullopt;
}

std::optional<std::string> GgufValue::text() const {
    return type_ == GgufValueType::String ? std::optional(bytes_.substr(kLengthOfText))
                                          : std::nullopt;
}

std::optional<std::vector<GgufValue>> GgufValue::elements() const {
    if (type_ != GgufValueType::Array) {
        return std::nullopt;
    }
    const Message what = message("an array");
    const MemoryBytes memory(std::as_bytes(std::span(bytes_)), what.str());
    PieceCursor cursor(memory, what.str(), memory.size());
    const auto type = static_cast<uint32_t>(cursor.number(4));
    const uint64_t count = cursor.number(8);
    std::vector<GgufValue> values;
    for (uint64_t i = 0; i < count; ++i) {
        values.push_back(take(cursor, type, what));
    }
    return values;
}

namespace {

[[noreturn]] void refuseType(const std::string& subject,
                             std::string_view key,
                             const GgufValue& value,
                             const Message& wanted) {
    throw Error(ErrorKind::Corrupt,
                message("{}, key {}: {} is needed, not a value of type {}",
                        subject,
                        quotedName(key),
                        wanted,
                        nameOf(value.type())),
                message("use a file whose metadata is right, or write this one again"));
}

/// What `get` gives of a value that is there, which must be something.
template <class Result>
std::optional<Result> wantedOf(const std::string& subject,
                               std::string_view key,
                               const GgufValue* value,
                               std::optional<Result> (GgufValue::*get)() const,
                               const Message& wanted) {
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
                                               const Message& wanted) {
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
    const auto [entry, isNew] = positions_.emplace(key, entries_.size());
    if (isNew) {
        entries_.emplace_back(key, std::move(value));
    } else {
        entries_[entry->second].second = std::move(value);
    }
}

const GgufValue* GgufMetadata::find(std::string_view key) const {
    const auto entry = positions_.find(key);
    return entry == positions_.end() ? nullptr : &entries_[entry->second].second;
}

std::optional<int64_t> GgufMetadata::integer(std::string_view key) const {
    return wantedOf(
        subject_, key, find(key), &GgufValue::integer, message("an integer below 2^63"));
}

std::optional<double> GgufMetadata::number(std::string_view key) const {
    return wantedOf(subject_, key, find(key), &GgufValue::number, message("a number"));
}

std::optional<bool> GgufMetadata::boolean(std::string_view key) const {
    return wantedOf(subject_, key, find(key), &GgufValue::boolean, message("a BOOL"));
}

std::optional<std::string> GgufMetadata::text(std::string_view key) const {
    return wantedOf(subject_, key, find(key), &GgufValue::text, message("a STRING"));
}

std::optional<std::vector<int64_t>> GgufMetadata::integers(std::string_view key) const {
    return allWantedOf(
        subject_, key, find(key), &GgufValue::integer, message("an ARRAY of integers below 2^63"));
}

std::optional<std::vector<std::string>> GgufMetadata::texts(std::string_view key) const {
    return allWantedOf(subject_, key, find(key), &GgufValue::text, message("an ARRAY of STRING"));
}

}  // namespace lowtide::files
