#pragma once

#include "plugin/checkpoints/encoders/prompt_tokens.hpp"
#include "plugin/text/prompt_chunks.hpp"
#include "plugin/text/prompt_weights.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

/// A prompt as the text encoder reads it.
struct CutPrompt {
    std::vector<PromptChunk> chunks;  ///< at least one
    std::vector<double> weights;      ///< of the parts that PromptChunk::parts counts
    int64_t cutTokens = 0;            ///< left out at the end: of None alone
    EmbeddingsNamed embeddings{};
};

/// Error{InvalidInput} on parameter `item` when the text is no UTF-8 or a weight is beyond
/// +-1000; Error{Unsupported} for an operator of Compel that is not built; errors of embeddings.
[[nodiscard]] CutPrompt cutPrompt(PromptTokens& tokens,
                                  PromptWeights weights,
                                  const std::string& text,
                                  const std::string& item);

}  // namespace lowtide::models
