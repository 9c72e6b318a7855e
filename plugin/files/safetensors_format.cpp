#include "plugin/files/safetensors_format.hpp"

#include <limits>

namespace lowtide::files {

std::optional<Bytes> byteCount(DType type, std::span<const int64_t> shape) noexcept {
    const auto elements = elementCount(shape);
    if (!elements || *elements > std::numeric_limits<Bytes>::max() / sizeOf(type)) {
        return std::nullopt;
    }
    return *elements * sizeOf(type);
}

}  // namespace lowtide::files
