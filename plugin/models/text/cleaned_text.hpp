#pragma once

#include <string>
#include <string_view>

namespace lowtide::models {

/// A prompt as WAN's pipelines clean it: HTML's names of characters are read twice, white space is
/// one space, none at both ends.
/// Source: diffusers 0.42.1, prompt_clean of pipeline_wan.py, without ftfy.
[[nodiscard]] std::string cleanedText(std::string_view text);

}  // namespace lowtide::models
