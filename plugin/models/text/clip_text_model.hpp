#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/models/blocks/attention.hpp"

#include <memory>
#include <string>
#include <vector>

namespace lowtide::models {

/// Settings of text_encoder/config.json. Missing ones get the defaults of transformers'
/// CLIPTextConfig.
struct ClipTextConfig {
    int64_t vocabularySize = 49408;
    int64_t width = 512;
    int64_t innerWidth = 2048;
    int64_t layers = 12;
    int64_t heads = 8;
    int64_t positions = 77;
    int64_t endToken = 49407;
    double epsilon = 1e-5;
    bool quickGelu = true;
};

/// Error{Corrupt} for impossible values, Error{Unsupported} for another activation.
[[nodiscard]] ClipTextConfig readClipTextConfig(const Json& json, const std::string& what);

/// CLIP's text transformer: pre-norm layers with a causal mask. Source: Radford et al. 2021;
/// transformers 5.23 CLIPTextModel. The tree is made from headers; weights are read through the
/// pass.
class ClipTextModel {
public:
    struct Output;

    /// Keys may begin with "text_model." (published files) or not (transformers >= 5.6).
    ClipTextModel(const ClipTextConfig& config, const WeightMap& weights);

    [[nodiscard]] const ClipTextConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// `ids` as many as the tokenizer gives, at most `positions`. `clipSkip` n: the state n layers
    /// before the last, then the final norm. Records text_encoder.hidden.i, .last_hidden_state and
    /// .pooled. Tokens at the places `unseen`, never the first one, are seen by none.
    /// Error{InvalidInput} on "clip_skip" when there are not so many layers.
    [[nodiscard]] Output encode(Pass& pass,
                                const std::vector<int64_t>& ids,
                                int clipSkip,
                                const std::vector<int64_t>& unseen = {}) const;

private:
    struct Layer {
        LayerNorm norm1;
        Attention attention;
        LayerNorm norm2;
        Linear inner;
        Linear outer;

        Layer(NetworkBuilder& builder, const std::string& name, const ClipTextConfig& config);
        /// `sight` [T, T] is added to the scores; undefined: a token sees those before it.
        [[nodiscard]] at::Tensor apply(Pass& pass,
                                       const at::Tensor& x,
                                       const at::Tensor& sight,
                                       bool quickGelu) const;
    };

    struct Layers {
        Embedding tokens;
        Embedding positions;
        std::vector<Layer> layers;
        LayerNorm finalNorm;

        Layers(NetworkBuilder& builder, const std::string& prefix, const ClipTextConfig& config);
    };

    [[nodiscard]] int64_t pooledPosition(const std::vector<int64_t>& ids) const;

    ClipTextConfig config_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

}  // namespace lowtide::models
