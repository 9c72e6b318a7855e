#pragma once

#include "plugin/base/json.hpp"

#include <string>
#include <string_view>

namespace lowtide::models {

/// How a published tokenizer of byte pairs cuts a text, as its tokenizer.json states it.
struct BytePairKind {
    std::string_view name;  ///< as llama.cpp has it
    const char* expression;
    bool composes = false;         ///< Unicode NFC first
    bool takesWholeWords = false;  ///< ignore_merges
    bool begins = false;           ///< with the token that begins a text
};

/// "llama-bpe" or "qwen2"; nullptr for others.
[[nodiscard]] const BytePairKind* bytePairKind(std::string_view name);

/// The tokenizer.json of a kind, but for what it puts around a text. `vocabulary`: token -> id;
/// `merges`: a list, best first; `added`: as added_tokens.
[[nodiscard]] Json byteLevelJson(const BytePairKind& kind,
                                 Json vocabulary,
                                 Json merges,
                                 Json added);

}  // namespace lowtide::models
