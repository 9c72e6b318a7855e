#pragma once

#include <cstdint>
#include <vector>

namespace lowtide::models {

/// A prompt as ids, padded to the tokenizer's length.
struct TokenizedPrompt {
    std::vector<int64_t> ids;
    std::vector<int64_t> mask;  ///< 1 for tokens, 0 for padding
    int64_t cutTokens = 0;      ///< tokens at the end that did not fit
};

}  // namespace lowtide::models
