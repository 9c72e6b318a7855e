#pragma once
// What sizes are counted in: bytes and seconds, element types, shapes.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide {

using Bytes = int64_t;
using Seconds = double;

inline constexpr Bytes kKiB = 1024;
inline constexpr Bytes kMiB = 1024 * kKiB;
inline constexpr Bytes kGiB = 1024 * kMiB;

/// Reads "8GiB", "512 MiB", "1.5G", "64k", "4096" (bytes). G and GiB are both 2^30. Empty when it
/// is no size or negative.
[[nodiscard]] std::optional<Bytes> parseBytes(std::string_view text);

/// "1.5 GiB", "64.0 MiB", "12 B": for users, not for files.
[[nodiscard]] std::string formatBytes(Bytes bytes);

/// Rounds up to a multiple of `alignment` (a power of two).
[[nodiscard]] constexpr Bytes alignUp(Bytes bytes, Bytes alignment) {
    return (bytes + alignment - 1) & ~(alignment - 1);
}

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

/// Sizes of a tensor, outermost first; empty is a scalar.
using Shape = std::vector<int64_t>;

/// Product of the sizes; empty when one is negative or the product overflows int64_t.
[[nodiscard]] std::optional<int64_t> elementCount(std::span<const int64_t> shape) noexcept;
/// "[2, 4, 64, 64]".
[[nodiscard]] std::string toText(std::span<const int64_t> shape);

}  // namespace lowtide
