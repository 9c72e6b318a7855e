#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace lowtide::models {

/// Vectors that stand where rows of a text encoder's token table would: a textual inversion.
struct TokenVectors {
    int64_t width = 0;
    std::vector<float> values;  ///< [count, width]

    [[nodiscard]] int64_t count() const { return static_cast<int64_t>(values.size()) / width; }
};

using TokenVectorsRef = std::shared_ptr<const TokenVectors>;

}  // namespace lowtide::models
