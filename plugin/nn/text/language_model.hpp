#pragma once
// Decoder-only language models whose states are read as those of a text encoder, and their
// settings.

#include "plugin/base/json_fwd.hpp"
#include "plugin/nn/blocks/attention.hpp"
#include "plugin/nn/blocks/layers.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
    bool rotatesNeighbours =
        false;                  ///< pairs of rotations stand side by side, as llama.cpp has them
    bool hasHeadNorms = false;  ///< Qwen 3: queries and keys are normed, each head for itself
};

/// Errors: Unsupported names the setting that is not built, Corrupt the one that cannot be.
[[nodiscard]] LanguageModelConfig readLanguageModelConfig(const Json& json,
                                                          const std::string& what);

/// A decoder-only language model whose states are read as those of a text encoder: pre-norm layers,
/// a token sees those before it, some heads share keys and values. States are f32 between the
/// layers, whatever computes. Source: Grattafiori et al. 2024; Yang et al. 2025; transformers 5.23
/// LlamaModel and Qwen3Model. The tree is made from headers; weights are read through the forward.
class LanguageModel {
public:
    /// `role`: of the component, and before recorded names.
    LanguageModel(const LanguageModelConfig& config,
                  const WeightMap& weights,
                  std::string_view role);

    [[nodiscard]] const LanguageModelConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// States number `first` to `last` of each token: 0 are its embeddings, i what the i-th layer
    /// made; the last layer's are normed. Layers behind `last` do not run. One text in each row,
    /// behind it padding that no token of the text sees. ids int64 [R, T] on the CPU, `lengths`:
    /// tokens of each row, at least 1. Records ROLE.hidden.i of every row, of all states that were
    /// made. Returns [R, last - first + 1, T, width] f32.
    [[nodiscard]] at::Tensor encode(Forward& forward,
                                    const at::Tensor& ids,
                                    std::span<const int64_t> lengths,
                                    int64_t first,
                                    int64_t last) const;

private:
    struct Layer {
        RmsNorm attentionNorm;
        Linear query;
        Linear key;
        Linear value;
        Linear out;
        std::optional<RmsNorm> queryNorm;
        std::optional<RmsNorm> keyNorm;
        RmsNorm feedNorm;
        Linear gate;
        Linear inner;
        Linear outer;

        Layer(NetworkBuilder& builder, const std::string& name, const LanguageModelConfig& config);
    };

    struct Layers {
        Embedding tokens;
        std::vector<Layer> layers;
        RmsNorm finalNorm;

        Layers(NetworkBuilder& builder, const LanguageModelConfig& config);
    };

    /// `sights`: for each row [T, T], added to the scores of every head.
    [[nodiscard]] at::Tensor attend(Forward& forward,
                                    const Layer& layer,
                                    const at::Tensor& hidden,
                                    const Rotation& rotation,
                                    const std::vector<at::Tensor>& sights) const;
    void applyLayer(Forward& forward,
                    const Layer& layer,
                    at::Tensor& hidden,
                    const Rotation& rotation,
                    const std::vector<at::Tensor>& sights) const;

    LanguageModelConfig config_;
    std::string role_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

/// Of tokens in a row, computed in f32 as transformers does; [1, T, 1, headWidth / 2].
[[nodiscard]] Rotation textRotation(int64_t count, const LanguageModelConfig& config);

}  // namespace lowtide::models
