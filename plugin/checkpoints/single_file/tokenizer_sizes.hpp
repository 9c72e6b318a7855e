#pragma once
// How many tokens a tokenizer holds, seen without making it. Each reads what its form of
// TokenizerForm names; nothing: the files are of another kind. Error{Corrupt} for no such file.

#include "plugin/checkpoints/single_file/single_file.hpp"

#include <cstdint>
#include <optional>

namespace lowtide::models {

/// spiece.model, with the sentinels that tokenizer_config.json asks for.
[[nodiscard]] std::optional<int64_t> tokensOfPieces(const FileDocuments& found);
/// tokenizer.json of T5's kind.
[[nodiscard]] std::optional<int64_t> tokensOfUnigramJson(const FileDocuments& found);
/// tokenizer.json of byte pairs.
[[nodiscard]] std::optional<int64_t> tokensOfBytePairJson(const FileDocuments& found);
/// vocab.json, without the few tokens that other files add.
[[nodiscard]] std::optional<int64_t> tokensOfVocabulary(const FileDocuments& found);

}  // namespace lowtide::models
