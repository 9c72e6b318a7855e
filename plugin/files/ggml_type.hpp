#pragma once

#include "plugin/base/units.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lowtide::files {

/// Element types of GGUF files, by the numbers that the files have. Quantised types store blocks
/// of elements along the innermost axis.
enum class GgmlType : uint32_t {
    F32 = 0,
    F16 = 1,
    Q4_0 = 2,
    Q4_1 = 3,
    Q5_0 = 6,
    Q5_1 = 7,
    Q8_0 = 8,
    Q8_1 = 9,
    Q2_K = 10,
    Q3_K = 11,
    Q4_K = 12,
    Q5_K = 13,
    Q6_K = 14,
    Q8_K = 15,
    IQ2_XXS = 16,
    IQ2_XS = 17,
    IQ3_XXS = 18,
    IQ1_S = 19,
    IQ4_NL = 20,
    IQ3_S = 21,
    IQ2_S = 22,
    IQ4_XS = 23,
    I8 = 24,
    I16 = 25,
    I32 = 26,
    I64 = 27,
    F64 = 28,
    IQ1_M = 29,
    BF16 = 30,
    TQ1_0 = 34,
    TQ2_0 = 35,
    MXFP4 = 39,
    NVFP4 = 40,
    Q1_0 = 41,
};

/// How a type is stored.
struct GgmlTypeInfo {
    GgmlType type = GgmlType::F32;
    std::string_view name;         ///< as the Python package gguf has it: "Q4_K"
    int64_t elementsPerBlock = 1;  ///< 1: a plain type
    Bytes bytesPerBlock = 0;
};

[[nodiscard]] const GgmlTypeInfo& infoOf(GgmlType type);
/// nullptr for a number that no type has.
[[nodiscard]] const GgmlTypeInfo* ggmlTypeOf(uint32_t number) noexcept;

/// Bytes of a tensor of this shape, outermost size first. Empty when they overflow, a size is
/// negative or the innermost size is no multiple of a block.
[[nodiscard]] std::optional<Bytes> byteCount(GgmlType type, std::span<const int64_t> shape);

}  // namespace lowtide::files
