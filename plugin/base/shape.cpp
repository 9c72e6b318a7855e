#include "plugin/base/shape.hpp"

namespace lowtide {

std::optional<int64_t> elementCount(std::span<const int64_t> shape) noexcept {
    int64_t count = 1;
    for (const int64_t size : shape) {
        if (size < 0 || __builtin_mul_overflow(count, size, &count)) {
            return std::nullopt;
        }
    }
    return count;
}

std::string toText(std::span<const int64_t> shape) {
    std::string text = "[";
    for (const int64_t size : shape) {
        text += (text.size() > 1 ? ", " : "") + std::to_string(size);
    }
    return text + "]";
}

}  // namespace lowtide
