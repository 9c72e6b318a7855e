#pragma once
// Names of weights of T5 encoders, from those of transformers, which our network uses. Torch-free.

#include <string>
#include <string_view>

namespace lowtide::models {

/// "encoder.block.0.layer.0.SelfAttention.q.weight" -> "blocks.0.attn.q.weight". Source: Wan 2.1
/// wan/modules/t5.py.
[[nodiscard]] std::string wanTextName(std::string_view name);

/// The same -> "enc.blk.0.attn_q.weight". Source: llama.cpp gguf-py/gguf/constants.py.
[[nodiscard]] std::string ggufTextName(std::string_view name);

}  // namespace lowtide::models
