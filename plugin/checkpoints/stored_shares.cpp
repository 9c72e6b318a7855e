#include "plugin/checkpoints/stored_shares.hpp"

#include <algorithm>

namespace lowtide::models {

Bytes storedBytes(const TensorPlace& place) {
    Bytes bytes = place.bytes();
    if (place.encoded) {
        for (const memory::Companion& companion : place.encoded->companions) {
            bytes += companion.bytes();
        }
    }
    return bytes;
}

void StoredShares::add(DType type, const std::optional<memory::Encoded>& encoded, Bytes bytes) {
    const std::string storage = encoded ? encoded->encoding : std::string(nameOf(type));
    StoredShare& share = shares_[storage];
    share.storage = storage;
    ++share.tensors;
    share.bytes += bytes;
}

std::vector<StoredShare> StoredShares::sorted() const {
    std::vector<StoredShare> all;
    for (const auto& [name, share] : shares_) {
        all.push_back(share);
    }
    std::stable_sort(all.begin(), all.end(), [](const StoredShare& a, const StoredShare& b) {
        return a.bytes > b.bytes;
    });
    return all;
}

Bytes StoredShares::bytes() const {
    Bytes sum = 0;
    for (const auto& [name, share] : shares_) {
        sum += share.bytes;
    }
    return sum;
}

}  // namespace lowtide::models
