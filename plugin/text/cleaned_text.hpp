#pragma once

#include <string>
#include <string_view>

namespace lowtide::models {

/// A prompt as WAN's pipelines clean it: mended, then HTML's names of characters are read twice,
/// white space is one space, none at both ends. What is no UTF-8 is left alone.
/// Source: diffusers 0.42.1, prompt_clean of pipeline_wan.py, with ftfy 6.3.1.
[[nodiscard]] std::string cleanedText(std::string_view text);

}  // namespace lowtide::models
