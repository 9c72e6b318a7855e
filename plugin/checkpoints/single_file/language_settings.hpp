#pragma once
// Language models alone: settings that shapes tell, names of llama.cpp's files. Torch-free.

#include "plugin/base/json_fwd.hpp"
#include "plugin/checkpoints/single_file/beside_file.hpp"
#include "plugin/nn/blocks/tensor_view.hpp"

#include <string>
#include <string_view>

namespace lowtide::models {

/// As transformers' config.json states them; of Qwen 3 where heads have norms of their own, else of
/// Llama 3.1, whose rotations no tensor tells. Names as transformers has them, without "model.".
[[nodiscard]] Json languageModelSettings(const TensorView& tensors);

/// Error{Unsupported} for one whose heads no shape tells and nobody stated.
void checkLanguageHeads(const Json& settings, const std::string& what, const BesideFile& beside);

/// "layers.0.self_attn.q_proj.weight" -> "blk.0.attn_q.weight". Source: llama.cpp
/// gguf-py/gguf/constants.py.
[[nodiscard]] std::string ggufLanguageName(std::string_view name);

}  // namespace lowtide::models
