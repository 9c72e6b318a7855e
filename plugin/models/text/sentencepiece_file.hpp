#pragma once

#include "plugin/models/text/unigram_model.hpp"

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

}  // namespace lowtide::models
