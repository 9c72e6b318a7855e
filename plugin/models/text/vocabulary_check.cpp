#include "plugin/models/text/vocabulary_check.hpp"

#include "plugin/base/error.hpp"

namespace lowtide::models {

void requireVocabulary(const Checkpoint& checkpoint,
                       const std::string& role,
                       int64_t tokens,
                       int64_t known) {
    if (tokens > known) {
        throw Error(ErrorKind::Corrupt,
                    checkpoint.nameOf(role) + ": the tokenizer has " + std::to_string(tokens) +
                        " tokens, the text encoder (" + role + ") knows " + std::to_string(known),
                    "choose a tokenizer and an encoder of one checkpoint",
                    checkpoint.itemOf(role));
    }
}

}  // namespace lowtide::models
