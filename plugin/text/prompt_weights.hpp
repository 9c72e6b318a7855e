#pragma once

#include <cstdint>
#include <string>

namespace lowtide::models {

/// How a prompt says what counts more, and what the numbers do.
enum class PromptWeights : uint8_t {
    None,    ///< brackets are text; one chunk, the rest is cut, as diffusers does it
    A1111,   ///< a1111_prompt.hpp; chunks; embeddings are scaled, their mean is kept
    Compel,  ///< compel_prompt.hpp; chunks; away from the empty prompt, or from the one without it
};

/// By the names "none", "a1111", "compel". Error{InvalidInput} on "weights".
[[nodiscard]] PromptWeights promptWeightsNamed(const std::string& name);

}  // namespace lowtide::models
