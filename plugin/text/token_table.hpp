#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

using TokenId = int32_t;

inline constexpr TokenId kLargestTokenId = 1 << 24;

/// The ids of a vocabulary's tokens by their text. Vocabularies have up to 256,000, and each merge
/// of them looks for three: texts lie in one block, found through one list, so that nothing is
/// allocated for a token and a search follows no chain through the memory.
class TokenTable {
public:
    /// `most`: tokens that are added.
    explicit TokenTable(size_t most = 0);

    /// False, and nothing is changed: it has that text.
    bool add(std::string_view text, TokenId id);

    /// -1: there is no such token.
    [[nodiscard]] TokenId idOf(std::string_view text) const;

private:
    struct Slot {
        uint32_t hash = 0;
        TokenId id = -1;  ///< -1: the slot is free
        uint32_t begin = 0;
        uint32_t size = 0;
    };

    /// The slot of that text, or the free one where it would lie.
    [[nodiscard]] size_t slotOf(std::string_view text, uint32_t hash) const;

    std::string texts_;        ///< of all tokens, one after the other
    std::vector<Slot> slots_;  ///< a power of two, and never full
};

}  // namespace lowtide::models
