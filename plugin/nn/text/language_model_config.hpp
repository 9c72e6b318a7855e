#pragma once

#include "plugin/base/json_fwd.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace lowtide::models {

/// How Llama 3.1 stretches the slow frequencies of its rotations. Source: transformers 5.23,
/// rope type "llama3".
struct RotaryScaling {
    double factor = 1;
    double lowFrequency = 1;
    double highFrequency = 4;
    double trainedPositions = 8192;  ///< original_max_position_embeddings
};

/// Settings of config.json of a decoder-only language model, Llama 3 or Qwen 3. Missing ones get
/// the defaults of transformers' LlamaConfig or Qwen3Config.
struct LanguageModelConfig {
    int64_t vocabularySize = 32000;
    int64_t width = 4096;
    int64_t innerWidth = 11008;
    int64_t layers = 32;
    int64_t heads = 32;
    int64_t keyHeads = 32;  ///< num_key_value_heads: so many that several heads share
    int64_t headWidth = 128;
    int64_t positions = 2048;
    double epsilon = 1e-6;
    double rotaryBase = 10000;
    std::optional<RotaryScaling> rotaryScaling{};
    bool turnsNeighbours = false;  ///< pairs of rotations stand side by side, as llama.cpp has them
    bool hasHeadNorms = false;     ///< Qwen 3: queries and keys are normed, each head for itself
};

/// Errors: Unsupported names the setting that is not built, Corrupt the one that cannot be.
[[nodiscard]] LanguageModelConfig readLanguageModelConfig(const Json& json,
                                                          const std::string& what);

}  // namespace lowtide::models
