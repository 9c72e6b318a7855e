#pragma once

#include "plugin/models/checkpoint.hpp"

#include <cstdint>
#include <string>

namespace lowtide::models {

/// Error{Corrupt} where the tokenizer of the text encoder `role` makes tokens that it does not
/// know: they are another model's.
void requireVocabulary(const Checkpoint& checkpoint,
                       const std::string& role,
                       int64_t tokens,
                       int64_t known);

}  // namespace lowtide::models
