#include "plugin/files/ggml_type.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <limits>

namespace lowtide::files {

namespace {

/// Source: ggml's block types. The Python package gguf 0.19.0 has the same but for Q8_1: it still
/// counts two floats (40 bytes) where ggml has two halves. Files do not hold that type.
constexpr GgmlTypeInfo kGgmlTypes[] = {
    {GgmlType::F32, "F32", 1, 4},
    {GgmlType::F16, "F16", 1, 2},
    {GgmlType::Q4_0, "Q4_0", 32, 18},
    {GgmlType::Q4_1, "Q4_1", 32, 20},
    {GgmlType::Q5_0, "Q5_0", 32, 22},
    {GgmlType::Q5_1, "Q5_1", 32, 24},
    {GgmlType::Q8_0, "Q8_0", 32, 34},
    {GgmlType::Q8_1, "Q8_1", 32, 36},
    {GgmlType::Q2_K, "Q2_K", 256, 84},
    {GgmlType::Q3_K, "Q3_K", 256, 110},
    {GgmlType::Q4_K, "Q4_K", 256, 144},
    {GgmlType::Q5_K, "Q5_K", 256, 176},
    {GgmlType::Q6_K, "Q6_K", 256, 210},
    {GgmlType::Q8_K, "Q8_K", 256, 292},
    {GgmlType::IQ2_XXS, "IQ2_XXS", 256, 66},
    {GgmlType::IQ2_XS, "IQ2_XS", 256, 74},
    {GgmlType::IQ3_XXS, "IQ3_XXS", 256, 98},
    {GgmlType::IQ1_S, "IQ1_S", 256, 50},
    {GgmlType::IQ4_NL, "IQ4_NL", 32, 18},
    {GgmlType::IQ3_S, "IQ3_S", 256, 110},
    {GgmlType::IQ2_S, "IQ2_S", 256, 82},
    {GgmlType::IQ4_XS, "IQ4_XS", 256, 136},
    {GgmlType::I8, "I8", 1, 1},
    {GgmlType::I16, "I16", 1, 2},
    {GgmlType::I32, "I32", 1, 4},
    {GgmlType::I64, "I64", 1, 8},
    {GgmlType::F64, "F64", 1, 8},
    {GgmlType::IQ1_M, "IQ1_M", 256, 56},
    {GgmlType::BF16, "BF16", 1, 2},
    {GgmlType::TQ1_0, "TQ1_0", 256, 54},
    {GgmlType::TQ2_0, "TQ2_0", 256, 66},
    {GgmlType::MXFP4, "MXFP4", 32, 17},
    {GgmlType::NVFP4, "NVFP4", 64, 36},
    {GgmlType::Q1_0, "Q1_0", 128, 18},
};

}  // namespace

const GgmlTypeInfo& infoOf(GgmlType type) {
    const GgmlTypeInfo* info = ggmlTypeOf(static_cast<uint32_t>(type));
    LOWTIDE_ASSERT(info);
    return *info;
}

const GgmlTypeInfo* ggmlTypeOf(uint32_t number) noexcept {
    const auto* const found =
        std::find_if(std::begin(kGgmlTypes), std::end(kGgmlTypes), [&](const GgmlTypeInfo& info) {
            return static_cast<uint32_t>(info.type) == number;
        });
    return found == std::end(kGgmlTypes) ? nullptr : found;
}

std::optional<Bytes> byteCount(GgmlType type, std::span<const int64_t> shape) {
    const GgmlTypeInfo& info = infoOf(type);
    const auto elements = elementCount(shape);
    const int64_t innermost = shape.empty() ? 1 : shape.back();
    if (!elements || innermost % info.elementsPerBlock != 0) {
        return std::nullopt;
    }
    const int64_t blocks = *elements / info.elementsPerBlock;
    if (blocks > std::numeric_limits<Bytes>::max() / info.bytesPerBlock) {
        return std::nullopt;
    }
    return blocks * info.bytesPerBlock;
}

}  // namespace lowtide::files
