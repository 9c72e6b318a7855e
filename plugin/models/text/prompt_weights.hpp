#pragma once

#include "plugin/models/text/prompt_chunks.hpp"
#include "plugin/models/text/prompt_tokens.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

/// How a prompt says what counts more, and what the numbers do.
enum class PromptWeights : uint8_t {
    None,    ///< brackets are text; one chunk, the rest is cut, as diffusers does it
    A1111,   ///< a1111_prompt.hpp; chunks; embeddings are scaled, their mean is kept
    Compel,  ///< compel_prompt.hpp; chunks; away from the empty prompt, or from the one without it
};

/// By the names "none", "a1111", "compel". Error{InvalidInput} on "weights".
[[nodiscard]] PromptWeights promptWeightsNamed(const std::string& name);

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
