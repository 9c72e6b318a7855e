#pragma once

#include "plugin/encodings/scales.hpp"
#include "plugin/residency/device/held_bytes.hpp"

namespace lowtide::residency {

/// Part of a tensor as it lies on a card: its blocks, at any alignment, and its companions whole.
struct StoredOnCard {
    struct Numbers {
        const std::byte* bytes = nullptr;
        DType type = DType::F32;
        int64_t count = 0;
    };

    const std::byte* blocks = nullptr;
    int64_t first = 0;  ///< of the tensor that the companions belong to
    int64_t count = 0;  ///< whole blocks
    int64_t blockElements = 1;
    int64_t columns = 1;
    float addedScale = 0;
    Numbers companions[3]{};
    int companionCount = 0;

    [[nodiscard]] LOWTIDE_ANYWHERE uint8_t byteAt(int64_t index) const noexcept {
        return static_cast<uint8_t>(blocks[index]);
    }

    [[nodiscard]] LOWTIDE_ANYWHERE float companionAt(int companion, int64_t index) const noexcept {
        return encodings::scaleAt(companions[companion].bytes, companions[companion].type, index);
    }

    [[nodiscard]] LOWTIDE_ANYWHERE uint8_t companionByteAt(int companion,
                                                           int64_t index) const noexcept {
        return static_cast<uint8_t>(companions[companion].bytes[index]);
    }
};

[[nodiscard]] inline StoredOnCard onCard(const HeldBytes& held) {
    const memory::Encoded& tensor = *held.tensor;
    StoredOnCard stored{.blocks = held.blocks,
                        .first = tensor.firstElement,
                        .count = held.elementCount,
                        .blockElements = tensor.blockElements,
                        .columns = tensor.columns,
                        .addedScale = tensor.addedScale,
                        .companionCount = static_cast<int>(held.companions.size())};
    for (size_t i = 0; i < held.companions.size(); ++i) {
        const memory::Companion& companion = tensor.companions[i];
        stored.companions[i] = {held.companions[i], companion.type, companion.elementCount};
    }
    return stored;
}

}  // namespace lowtide::residency
