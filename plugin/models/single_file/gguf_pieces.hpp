#pragma once

#include "plugin/files/gguf_metadata.hpp"

#include <optional>
#include <string>

namespace lowtide::models {

/// The tokenizer that llama.cpp's converter keeps in the metadata of a T5, as the spiece.model that
/// it was made of: pieces, the unknown one, replaced characters. Unused ones at the end, which fill
/// the table up, are left out. Nothing where there is none of T5. Error{Corrupt} names the key that
/// does not fit. Source: llama.cpp convert_hf_to_gguf.py, T5EncoderModel.
[[nodiscard]] std::optional<std::string> piecesInGguf(const files::GgufMetadata& metadata,
                                                      const std::string& what);

}  // namespace lowtide::models
