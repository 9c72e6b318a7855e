#pragma once

#include "plugin/checkpoints/encoders/cut_prompt.hpp"
#include "plugin/nn/text/clip_text_output.hpp"

namespace lowtide::models {

/// What the text encoder must read for a prompt of any number of chunks, and what is made of that:
/// embeds [1, chunks * T, width], pooled of the first chunk. Where every weight is 1 the bits are
/// those of the chunks as they are.
/// A1111: each chunk times its tokens' weights, then times the mean before over the mean after.
/// Compel: e + (z - e) w, where e is the empty prompt; for every part with a weight below 1 the
/// same with that part hidden from attention, and all of them averaged with the weights 1 and
/// tan((1 - w) pi / 2).
/// Sources: AUTOMATIC1111 stable-diffusion-webui 1.10, sd_emphasis.EmphasisOriginal; damian0815
/// compel 2.1, EmbeddingsProvider with DownweightMode.MASK.
class WeightedEmbedding {
public:
    /// `clipSkip` as ClipTextModel::Row has it.
    WeightedEmbedding(CutPrompt prompt,
                      PromptWeights weights,
                      const ClipTokenizer& tokenizer,
                      int clipSkip);

    /// For the encoder.
    [[nodiscard]] const std::vector<ClipTextModel::Row>& rows() const { return rows_; }

    /// Of what it made of rows(), one for each.
    [[nodiscard]] ClipTextModel::Output of(std::vector<ClipTextModel::Output> outputs) const;

private:
    /// The prompt's chunks with one part hidden, or none.
    struct Reading {
        std::vector<size_t> rows;  ///< of each chunk
        double share = 1;          ///< in the average
    };

    void addReading(int64_t hidden, double share, int clipSkip);
    void addHidden(int clipSkip);
    [[nodiscard]] at::Tensor blended(const std::vector<ClipTextModel::Output>& outputs) const;

    CutPrompt prompt_;
    PromptWeights weights_;
    bool isWeighted_;
    std::vector<ClipTextModel::Row> rows_;
    std::vector<Reading> readings_;  ///< the first one hides nothing
};

}  // namespace lowtide::models
