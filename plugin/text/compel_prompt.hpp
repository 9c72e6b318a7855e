#pragma once

#include "plugin/text/weighted_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// A prompt in Compel's grammar.
struct CompelPrompt {
    std::vector<WeightedPart> parts;  ///< at least one; no breaks
    /// The first operator that is not built, as it is written (".blend", ".and", ".swap",
    /// "withLora"); empty: none. Then the parts mean nothing.
    std::string unsupported;
};

/// Weights as Compel writes them: word++ is 1.1^2, word-- 0.9^2, (some words)1.3, (a b)+, "a b"-,
/// (a b).attend(1.2); nested ones multiply. An operator follows its word or bracket without a
/// space, and a word has one only where it begins behind a space or an operator. \( \) \" \+ and so
/// on are literal; brackets and quotes without a partner are text. Neighbours of one weight are one
/// part. Takes any bytes, never throws on them, linear time.
/// Source: damian0815 compel 2.1, prompt_parser.py.
[[nodiscard]] CompelPrompt parseCompelPrompt(std::string_view text);

}  // namespace lowtide::models
