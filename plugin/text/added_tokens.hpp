#pragma once

#include "plugin/base/json_fwd.hpp"

#include <string>

namespace lowtide::models {

/// added_tokens_decoder of a tokenizer_config.json, {"151643": {"content": "<|endoftext|>", ...}},
/// as the list that tokenizer.json has under added_tokens. Error{Corrupt} with `what`.
[[nodiscard]] Json addedInDecoder(const Json& decoder, const std::string& what);

}  // namespace lowtide::models
