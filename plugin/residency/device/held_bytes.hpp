#pragma once
// What is held encoded, where a device has it; decoded on the host.

#include "plugin/base/units.hpp"
#include "plugin/encodings/encodings.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lowtide::residency {

/// A storage that is held encoded, where a device has it.
struct HeldBytes {
    const memory::Encoded* tensor = nullptr;
    int64_t elementCount = 0;
    std::byte* blocks = nullptr;
    std::vector<std::byte*> companions{};  ///< whole

    /// Of its first elements, whole blocks.
    [[nodiscard]] Bytes bytesOf(int64_t elements) const {
        return elements / tensor->blockElements * tensor->blockBytes;
    }
};

/// A part of one that lies in host memory, as an encoding takes it.
class HeldPart {
public:
    /// `part`: from the first block that is held.
    HeldPart(const HeldBytes& held, encodings::Part part);
    HeldPart(const HeldPart&) = delete;
    HeldPart& operator=(const HeldPart&) = delete;

    [[nodiscard]] const encodings::StoredPart& stored() const { return stored_; }

private:
    std::vector<std::span<const std::byte>> companions_;
    encodings::StoredPart stored_;
};

/// Writes all elements as `type` to `target`, aligned to it, on ATen's threads, each of which
/// takes 8 KiB, or a block's numbers, where the type is not f32.
void decodeOnHost(const HeldBytes& held, DType type, std::byte* target);

}  // namespace lowtide::residency
