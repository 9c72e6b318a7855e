#pragma once

#include "plugin/base/units.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::models {

/// Tensors of a file that lie in the same type or encoding ("F16", "q4_k").
struct StoredShare {
    std::string storage;
    int64_t tensors = 0;
    Bytes bytes = 0;  ///< with what decoding needs besides
};

/// Bytes of a tensor with those of its companions.
[[nodiscard]] Bytes storedBytes(const TensorPlace& place);

/// Sums tensors by the type or encoding that they lie in.
class StoredShares {
public:
    void add(DType type, const std::optional<memory::Encoded>& encoded, Bytes bytes);

    /// The largest first.
    [[nodiscard]] std::vector<StoredShare> sorted() const;
    [[nodiscard]] Bytes bytes() const;

private:
    std::map<std::string, StoredShare> shares_;
};

}  // namespace lowtide::models
