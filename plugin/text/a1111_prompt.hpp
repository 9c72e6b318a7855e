#pragma once

#include "plugin/text/weighted_text.hpp"

#include <string_view>
#include <vector>

namespace lowtide::models {

/// Weights as A1111 writes them: (x) 1.1, [x] 1/1.1, (x:1.3), nested ones multiply; a backslash
/// makes brackets literal; the word BREAK begins a new chunk. A closing bracket without an opening
/// one is text; an opening one without a closing one lasts to the end. Neighbours of one weight are
/// one part; at least one part. Takes any bytes, never throws on them, linear time.
/// Differs from A1111: BREAK inside brackets breaks too (there: a word of weight -1.1); a weight
/// that is no number (1.2.3) is text (there: an exception); brackets nested more than 64 deep are
/// text. [a:b:0.5] and AND have no meaning.
/// Source: AUTOMATIC1111 stable-diffusion-webui 1.10, prompt_parser.parse_prompt_attention.
[[nodiscard]] std::vector<WeightedPart> parseA1111Prompt(std::string_view text);

}  // namespace lowtide::models
