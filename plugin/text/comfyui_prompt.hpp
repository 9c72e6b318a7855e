#pragma once
// Weights of words as ComfyUI reads them.

#include "plugin/text/prompt_weights.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// The number that all of `text` is for Python's float(): " 1.2 ", "1e1", "1_0", "-inf", "nan",
/// digits and white space of any script. Empty: it is none. Takes any bytes.
[[nodiscard]] std::optional<double> pythonNumber(std::string_view text);

/// Weights as ComfyUI reads them: (x) is 1.1 times what surrounds it, (x:1.3) is 1.3 whatever
/// surrounds it. A backslash makes a round bracket literal; square ones, BREAK and AND are text. A
/// closing bracket without an opening one keeps what follows from being weighted; an opening one
/// without a closing one is text, unless the text ends in a closing bracket, which then closes it.
/// Neighbours of one weight are parts of their own, without empty ones, so that there may be none;
/// a weight may be infinite or no number. Brackets nested more than 64 deep are text. Takes any
/// bytes, never throws on them, linear time. Source: ComfyUI 0.33, sd1_clip.py, as it behaves.
[[nodiscard]] std::vector<WeightedPart> parseComfyUiPrompt(std::string_view text);

}  // namespace lowtide::models
