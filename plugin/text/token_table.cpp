#include "plugin/text/token_table.hpp"

#include <bit>
#include <functional>

namespace lowtide::models {

namespace {

uint32_t hashOf(std::string_view text) {
    return static_cast<uint32_t>(std::hash<std::string_view>()(text));
}

}  // namespace

TokenTable::TokenTable(size_t most) : slots_(std::bit_ceil(most + most / 2 + 1)) {}

size_t TokenTable::slotOf(std::string_view text, uint32_t hash) const {
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    while (slots_[at].id >= 0 &&
           (slots_[at].hash != hash ||
            std::string_view(texts_).substr(slots_[at].begin, slots_[at].size) != text)) {
        at = (at + 1) & mask;
    }
    return at;
}

bool TokenTable::add(std::string_view text, TokenId id) {
    const uint32_t hash = hashOf(text);
    Slot& slot = slots_[slotOf(text, hash)];
    if (slot.id >= 0) {
        return false;
    }
    slot = {.hash = hash,
            .id = id,
            .begin = static_cast<uint32_t>(texts_.size()),
            .size = static_cast<uint32_t>(text.size())};
    texts_.append(text);
    return true;
}

TokenId TokenTable::idOf(std::string_view text) const {
    return slots_[slotOf(text, hashOf(text))].id;
}

}  // namespace lowtide::models
