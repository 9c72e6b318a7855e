#pragma once

#include "plugin/base/error.hpp"
#include "plugin/text/model_files.hpp"

#include <cstdint>
#include <string>

namespace lowtide::models {

/// Whether a tokenizer of so many tokens may be that of an embedding of `rows`: not more, and 95 %
/// of them at least, or all but what fills a small table up to a multiple of 64.
[[nodiscard]] bool fitsRows(int64_t tokens, int64_t rows);

/// Error{Corrupt} with both numbers where the tokenizer that `file` names does not fit the `rows`
/// of the text encoder `role`: it is another model's.
void requireVocabulary(const std::string& file,
                       const std::string& role,
                       int64_t tokens,
                       int64_t rows);

/// What `open` gives, a tokenizer that fits the `rows` of the text encoder `role`. What is wrong
/// with it is said of the parameter or port that the encoder comes from.
template <class Open>
auto openTokenizer(const ModelFiles& files,
                   const std::string& role,
                   int64_t rows,
                   const Open& open) {
    try {
        auto tokenizer = open();
        requireVocabulary(tokenizer.file(), role, tokenizer.vocabularySize(), rows);
        return tokenizer;
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), files.itemOf(role));
    }
}

}  // namespace lowtide::models
