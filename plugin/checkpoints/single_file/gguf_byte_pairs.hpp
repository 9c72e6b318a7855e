#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/files/gguf_metadata.hpp"

#include <string>

namespace lowtide::models {

/// Whether a file says that it holds a byte-level tokenizer of Llama 3 or Qwen 2 and 3.
[[nodiscard]] bool hasGgufBytePairs(const WeightFileHeader& file);
/// That tokenizer, which llama.cpp's converter keeps in the metadata, as the tokenizer.json that it
/// was made of. Error{Corrupt} names the key that does not fit. Source: llama.cpp
/// convert_hf_to_gguf.py, tokenizer.ggml.pre "llama-bpe" and "qwen2".
[[nodiscard]] Json bytePairsInGguf(const files::GgufMetadata& metadata, const std::string& what);
/// Its tokenizer_config.json: the token that ends a text, and the one behind it where it has one.
[[nodiscard]] Json endTokensInGguf(const files::GgufMetadata& metadata, const std::string& what);

}  // namespace lowtide::models
