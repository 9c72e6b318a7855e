#pragma once

#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/files/gguf_metadata.hpp"

#include <string>

namespace lowtide::models {

/// Whether a file says that it holds the tokenizer of a T5.
[[nodiscard]] bool hasGgufPieces(const WeightFileHeader& file);
/// That tokenizer, which llama.cpp's converter keeps in the metadata, as the spiece.model that it
/// was made of: pieces, the unknown one, replaced characters. Unused pieces at the end, which fill
/// the table up, are left out. Error{Corrupt} names the key that does not fit.
/// Source: llama.cpp convert_hf_to_gguf.py, T5EncoderModel.
[[nodiscard]] std::string piecesInGguf(const files::GgufMetadata& metadata,
                                       const std::string& what);

}  // namespace lowtide::models
