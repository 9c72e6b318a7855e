#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/text/model_files.hpp"

#include <string>

namespace lowtide::models {

/// The tokenizer of Qwen 2, 2.5 and 3 that `component` has as vocab.json and merges.txt, as the
/// tokenizer.json that transformers 5.23 makes of them (Qwen2Tokenizer). Added tokens are those of
/// tokenizer_config.json, else of added_tokens.json, else the three of every Qwen, whose ids follow
/// the vocabulary's. Error{Unsupported} where tokenizer_config.json names another tokenizer.
[[nodiscard]] Json qwenJson(ModelFiles& files, const std::string& component);

}  // namespace lowtide::models
