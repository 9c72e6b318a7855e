#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/text/unigram_model.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// What tokenizers take of a spiece.model.
struct SentencePieces {
    std::vector<UnigramPiece> pieces;
    int64_t unknown = 0;
    std::string characterMap;  ///< precompiled_charsmap
};

/// Reads a serialized ModelProto. Error{Corrupt} with `what` where it is cut off or no such
/// message, Error{Unsupported} for a model that is no unigram one. Source: sentencepiece's
/// sentencepiece_model.proto.
[[nodiscard]] SentencePieces readSentencePieces(std::string_view bytes, const std::string& what);

/// Tokens that transformers puts behind the pieces of T5's kind where nothing else is said.
inline constexpr int64_t kUsualSentinels = 100;

/// How many of them a tokenizer_config.json asks for (extra_ids). Error{Corrupt} with `what`.
[[nodiscard]] int64_t sentinelsIn(const Json& settings, const std::string& what);

}  // namespace lowtide::models
