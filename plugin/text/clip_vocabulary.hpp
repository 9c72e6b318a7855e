#pragma once

#include "plugin/base/json.hpp"

#include <string>
#include <string_view>

namespace lowtide::models {

/// The two files of a CLIP tokenizer.
struct ClipVocabulary {
    Json tokens;         ///< vocab.json: token -> id
    std::string merges;  ///< merges.txt
};

/// CLIP's vocabulary of `size` tokens, made of its merges (resources/clip/merges.txt): bytes, bytes
/// at the end of a word, merges, begin and end of text. A smaller text encoder knows the first
/// merges only; a larger one has rows that no text reaches. Error{Unsupported} below 514 tokens.
/// Source: OpenAI CLIP, simple_tokenizer.py.
[[nodiscard]] ClipVocabulary clipVocabulary(std::string_view merges,
                                            int64_t size,
                                            const std::string& what);

}  // namespace lowtide::models
