#pragma once
// CLIP's text transformer: its settings, the layers (those of its tower for images too), and what
// it gives.

#include "plugin/base/json_fwd.hpp"
#include "plugin/nn/blocks/attention.hpp"
#include "plugin/text/prompt_chunks.hpp"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lowtide {
class JsonReader;
}

namespace lowtide::models {

struct ClipLayerSizes {
    int64_t width = 0;
    int64_t innerWidth = 0;
    int64_t heads = 1;
    double epsilon = 1e-5;
    bool quickGelu = true;
};

/// A pre-norm layer of CLIP's towers. Source: transformers 5.23 CLIPEncoderLayer.
struct ClipLayer {
    LayerNorm norm1;
    Attention attention;
    LayerNorm norm2;
    Linear inner;
    Linear outer;
    bool quickGelu = true;

    ClipLayer(NetworkBuilder& builder, const std::string& name, const ClipLayerSizes& sizes);
    /// Of texts: a token sees those before it. `sights`: of each row of x [R, T, D], as
    /// Attention::applyToRows takes them; a row's bits do not depend on the others.
    [[nodiscard]] at::Tensor applyToTexts(Forward& forward,
                                          const at::Tensor& x,
                                          const std::vector<at::Tensor>& sights) const;
    /// Of images: every part of one sees all others. x [N, T, D].
    [[nodiscard]] at::Tensor applyToImages(Forward& forward, const at::Tensor& x) const;

private:
    [[nodiscard]] at::Tensor activated(const at::Tensor& x) const;
};

/// Whether a config's "hidden_act" is CLIP's own approximation of GELU. Error{Unsupported} for
/// another one than that and "gelu".
[[nodiscard]] bool isQuickGelu(const JsonReader& reader);

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
    int64_t projectionWidth = 512;  ///< of the pooled state, where it is projected
    double epsilon = 1e-5;
    bool quickGelu = true;
};

/// Error{Corrupt} for impossible values, Error{Unsupported} for another activation.
[[nodiscard]] ClipTextConfig readClipTextConfig(const Json& json, const std::string& what);

/// Which state of the text model the denoiser reads.
enum class ClipTextState : uint8_t {
    Last,        ///< the last one after the final norm: Stable Diffusion 1.x and 2.x
    Penultimate  ///< the one before the last layer as it is: Stable Diffusion XL
};

/// What a family takes of its text model.
struct ClipTextUse {
    std::string role;  ///< of the component, and before recorded names
    ClipTextState state = ClipTextState::Last;
    bool projectsPooled = false;  ///< CLIPTextModelWithProjection: text_projection, without bias
};

/// CLIP's text transformer: pre-norm layers with a causal mask. Source: Radford et al. 2021;
/// transformers 5.23 CLIPTextModel and CLIPTextModelWithProjection. The tree is made from headers;
/// weights are read through the forward.
class ClipTextModel {
public:
    struct Output;

    /// One text for the encoder.
    struct Row {
        std::vector<int64_t> ids;       ///< as many as the tokenizer gives, at most `positions`
        int clipSkip = -1;              ///< n: the state n layers before the one of ClipTextState
        std::vector<int64_t> unseen{};  ///< indices of tokens, never the first, that none sees
        std::vector<TokenOverride> overrides{};  ///< their ids are not looked at
    };

    /// Keys may begin with "text_model." (published files) or not (transformers >= 5.6).
    ClipTextModel(const ClipTextConfig& config, const WeightMap& weights, ClipTextUse use);

    [[nodiscard]] const ClipTextConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// Some rows of one length in each forward: weights come once for them. Each row has the bits
    /// that it has alone. Records ROLE.hidden.i, .last_hidden_state and .pooled of every row.
    /// Error{InvalidInput} on "clip_skip" when there are not so many layers.
    [[nodiscard]] std::vector<Output> encode(Forward& forward, std::span<const Row> rows) const;

private:
    struct Layers {
        Embedding tokens;
        Embedding positions;
        std::vector<ClipLayer> layers;
        LayerNorm finalNorm;
        std::optional<Linear> projection;

        Layers(NetworkBuilder& builder,
               const std::string& prefix,
               const ClipTextConfig& config,
               bool projectsPooled);
    };

    void checkClipSkip(int clipSkip) const;
    /// The state that clip skip chooses, 0 for the embeddings; nothing: the last one, normed.
    [[nodiscard]] std::optional<int64_t> chosenState(int clipSkip) const;
    [[nodiscard]] int64_t pooledPosition(const Row& row) const;
    /// Token rows and vectors of all rows: [R, T, D].
    [[nodiscard]] at::Tensor embedded(Forward& forward, std::span<const Row> rows) const;
    /// The last state of all rows [R, T, D]; what is chosen of each row's others, in `chosen`.
    [[nodiscard]] at::Tensor runLayers(Forward& forward,
                                       std::span<const Row> rows,
                                       std::vector<at::Tensor>& chosen) const;
    /// The normed states at the end tokens, projected: [R, 1, projectionWidth].
    [[nodiscard]] at::Tensor projected(Forward& forward,
                                       std::span<const Row> rows,
                                       const at::Tensor& last) const;
    [[nodiscard]] std::vector<Output> encodeTogether(Forward& forward,
                                                     std::span<const Row> rows) const;

    ClipTextConfig config_;
    ClipTextUse use_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

/// What the text model gives.
struct ClipTextModel::Output {
    at::Tensor embeds;  ///< [1, T, width]: the chosen state
    at::Tensor pooled;  ///< [1, width]: the normed last state at the end token; where it is
                        ///< projected [1, projectionWidth]
};

}  // namespace lowtide::models
