#pragma once

#include "plugin/models/text/clip_text_output.hpp"
#include "plugin/models/text/prompt_weights.hpp"

namespace lowtide::models {

/// The text encoder over a prompt of any number of chunks: embeds [1, chunks * T, width], pooled of
/// the first chunk. Where every weight is 1 the bits are those of the chunks as they are.
/// A1111: each chunk times its tokens' weights, then times the mean before over the mean after.
/// Compel: e + (z - e) w, where e is the empty prompt; for every part with a weight below 1 the
/// same with that part hidden from attention, and all of them averaged with the weights 1 and
/// tan((1 - w) pi / 2); a pass over all chunks for each such part.
/// Sources: AUTOMATIC1111 stable-diffusion-webui 1.10, sd_emphasis.EmphasisOriginal; damian0815
/// compel 2.1, EmbeddingsProvider with DownweightMode.MASK.
class WeightedEmbedding {
public:
    /// All of them must outlive it. `clipSkip` as ClipTextModel::encode takes it.
    WeightedEmbedding(Pass& pass,
                      const ClipTextModel& text,
                      const ClipTokenizer& tokenizer,
                      int clipSkip)
        : pass_(pass), text_(text), tokenizer_(tokenizer), clipSkip_(clipSkip) {}

    [[nodiscard]] ClipTextModel::Output encode(const CutPrompt& prompt, PromptWeights weights);

private:
    [[nodiscard]] ClipTextModel::Output plain(const CutPrompt& prompt);
    [[nodiscard]] ClipTextModel::Output scaled(const CutPrompt& prompt);
    [[nodiscard]] ClipTextModel::Output blended(const CutPrompt& prompt);
    /// All chunks moved away from `empty`, part `hidden` out of sight.
    [[nodiscard]] ClipTextModel::Output movedFrom(const at::Tensor& empty,
                                                  const CutPrompt& prompt,
                                                  int64_t hidden);
    /// [1, T, 1] on the encoder's device.
    [[nodiscard]] at::Tensor weightsOf(const PromptChunk& chunk);

    Pass& pass_;
    const ClipTextModel& text_;
    const ClipTokenizer& tokenizer_;
    const int clipSkip_;
};

}  // namespace lowtide::models
