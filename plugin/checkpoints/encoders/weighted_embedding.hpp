#pragma once
// What weights make of a CLIP encoder's states.

#include "plugin/checkpoints/encoders/prompt_tokens.hpp"
#include "plugin/nn/text/clip_text_model.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lowtide::models {

/// What the text encoder must read for a prompt of any number of chunks, and what is made of that:
/// embeds [1, chunks * T, width], pooled of the first chunk. Where every weight is 1 the bits are
/// those of the chunks as they are.
/// A1111: each chunk times its tokens' weights, then times the mean before over the mean after.
/// Compel: e + (z - e) w, where e is the empty prompt; for every part with a weight below 1 the
/// same with that part hidden from attention, and all of them averaged with the weights 1 and
/// tan((1 - w) pi / 2).
/// ComfyUI: (z - e) w + e for tokens whose weight is not 1; e as Compel's.
/// Sources: AUTOMATIC1111 stable-diffusion-webui 1.10, sd_emphasis.EmphasisOriginal; damian0815
/// compel 2.1, EmbeddingsProvider with DownweightMode.MASK; ComfyUI 0.33, as it behaves.
class WeightedEmbedding {
public:
    /// `empty`: the ids of the empty prompt, in one row; `clipSkip` as ClipTextModel::Row has it.
    WeightedEmbedding(CutPrompt prompt,
                      PromptWeights weights,
                      const std::vector<int64_t>& empty,
                      int clipSkip);

    /// For the encoder.
    [[nodiscard]] const std::vector<ClipTextModel::Row>& rows() const { return rows_; }

    /// Of what it made of rows(), one for each.
    [[nodiscard]] ClipTextModel::Output of(std::vector<ClipTextModel::Output> outputs) const;

private:
    /// The prompt's chunks with one part hidden, or none.
    struct Reading {
        std::vector<size_t> rows;  ///< of each chunk
        double fraction = 1;       ///< in the average
    };

    void addReading(int64_t hidden, double fraction, int clipSkip);
    void addHidden(int clipSkip);
    [[nodiscard]] at::Tensor blended(const std::vector<ClipTextModel::Output>& outputs) const;
    [[nodiscard]] at::Tensor movedFromEmpty(
        const std::vector<ClipTextModel::Output>& outputs) const;

    CutPrompt prompt_;
    PromptWeights weights_;
    bool isWeighted_;
    std::vector<ClipTextModel::Row> rows_;
    std::vector<Reading> readings_;  ///< the first one hides nothing
};

/// ComfyUI's weights: (z - e) w + e for tokens whose weight is not 1. `states` of a text and those
/// of the empty one, [1, T, D]; `weights` of the tokens that come first, 1 of the others.
[[nodiscard]] at::Tensor awayFromEmpty(const at::Tensor& states,
                                       const at::Tensor& empty,
                                       const std::vector<float>& weights);

}  // namespace lowtide::models
