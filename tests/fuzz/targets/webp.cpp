#include "tests/fuzz/image_guarantees.hpp"
#include "tests/fuzz/target.hpp"

namespace lowtide::fuzz::webp_target {

/// WebP files; seeds make them so, other formats get here by chance alone.
bool runInput(std::span<const std::byte> bytes) {
    return readImageFile({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

[[maybe_unused]] const bool isEntered = enterTarget("webp", runInput);

}  // namespace lowtide::fuzz::webp_target
