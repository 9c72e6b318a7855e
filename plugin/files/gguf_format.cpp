#include "plugin/files/gguf_format.hpp"

#include "plugin/base/text.hpp"

#include <algorithm>
#include <bit>

namespace lowtide::files {

namespace {

constexpr Bytes kDefaultAlignment = 32;
constexpr Bytes kLeastAlignment = 8;

}  // namespace

std::optional<Bytes> alignmentIn(const GgufMetadata& metadata) {
    const GgufValue* value = metadata.find(kAlignmentKey);
    if (!value) {
        return kDefaultAlignment;
    }
    const Bytes alignment = value->integer().value_or(0);
    const bool isUsable = value->type() == GgufValueType::Uint32 && alignment >= kLeastAlignment &&
                          std::has_single_bit(static_cast<uint64_t>(alignment));
    return isUsable ? std::optional(alignment) : std::nullopt;
}

std::string problemOfName(std::string_view name, size_t mostBytes) {
    if (name.size() > mostBytes) {
        return "is " + std::to_string(name.size()) + " bytes long, at most " +
               std::to_string(mostBytes) + " are allowed";
    }
    return isValidUtf8(name) ? "" : "is not UTF-8";
}

std::string problemOfShape(GgmlType type, std::span<const int64_t> shape) {
    const GgmlTypeInfo& info = infoOf(type);
    const int64_t row = shape.empty() ? 1 : shape.back();
    if (shape.size() > kMostGgufSizes) {
        return "has " + std::to_string(shape.size()) + " sizes, at most " +
               std::to_string(kMostGgufSizes) + " are allowed";
    }
    if (std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 1; })) {
        return "has the shape " + toText(shape) + ", each size must be from 1 to 2^63 - 1";
    }
    if (row % info.elementsPerBlock != 0) {
        return "has rows of " + std::to_string(row) + " elements, but " + std::string(info.name) +
               " stores blocks of " + std::to_string(info.elementsPerBlock);
    }
    if (!byteCount(type, shape)) {
        return "takes more than 2^63 - 1 bytes as " + std::string(info.name) + " " + toText(shape);
    }
    return "";
}

}  // namespace lowtide::files
