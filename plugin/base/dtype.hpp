#pragma once

#include "plugin/base/units.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace lowtide {

/// Element types of weights and tensors; names as in safetensors headers.
/// F8E8M0: a power of two, of scales alone.
enum class DType : uint8_t {
    F64,
    F32,
    F16,
    BF16,
    F8E4M3,
    F8E5M2,
    F8E8M0,
    I64,
    I32,
    I16,
    I8,
    U8,
    Bool
};

[[nodiscard]] Bytes sizeOf(DType type) noexcept;
/// "F32", "BF16", "F8_E4M3", ...
[[nodiscard]] std::string_view nameOf(DType type) noexcept;
[[nodiscard]] std::optional<DType> dtypeFromName(std::string_view name) noexcept;
[[nodiscard]] bool isFloating(DType type) noexcept;

}  // namespace lowtide
