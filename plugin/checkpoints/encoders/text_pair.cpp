#include "plugin/checkpoints/encoders/text_pair.hpp"

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/encoders/prompt_tokens.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/text/clip_text_model.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

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
        double fraction = 1;       ///< in the average
    };

    void addReading(int64_t hidden, double fraction, int clipSkip);
    void addHidden(int clipSkip);
    [[nodiscard]] at::Tensor blended(const std::vector<ClipTextModel::Output>& outputs) const;

    CutPrompt prompt_;
    PromptWeights weights_;
    bool isWeighted_;
    std::vector<ClipTextModel::Row> rows_;
    std::vector<Reading> readings_;  ///< the first one hides nothing
};

namespace {

/// Nearer to 0 a weight counts as this: the tangent would be infinite.
constexpr double kSmallestFraction = 1e-5;

bool hasWeights(const CutPrompt& prompt) {
    return std::any_of(prompt.chunks.begin(), prompt.chunks.end(), [](const PromptChunk& chunk) {
        return std::any_of(
            chunk.weights.begin(), chunk.weights.end(), [](float weight) { return weight != 1; });
    });
}

/// Where the tokens of `part` stand in the chunk.
std::vector<int64_t> positionsOf(int64_t part, const PromptChunk& chunk) {
    std::vector<int64_t> positions;
    for (size_t i = 0; i < chunk.parts.size(); ++i) {
        if (part != PromptChunk::kNoPart && chunk.parts[i] == part) {
            positions.push_back(static_cast<int64_t>(i));
        }
    }
    return positions;
}

bool occurs(int64_t part, const CutPrompt& prompt) {
    return std::any_of(prompt.chunks.begin(), prompt.chunks.end(), [&](const PromptChunk& chunk) {
        return !positionsOf(part, chunk).empty();
    });
}

/// The chunks one behind the other.
at::Tensor joined(std::vector<at::Tensor> embeds) {
    return embeds.size() == 1 ? std::move(embeds.front()) : at::cat(embeds, 1);
}

/// [1, T, 1] where `embeds` lie.
at::Tensor weightsOf(const PromptChunk& chunk, const at::Tensor& embeds) {
    return tensor::upload(at::tensor(chunk.weights), embeds.device()).view({1, -1, 1});
}

at::Tensor scaled(const at::Tensor& embeds, const PromptChunk& chunk) {
    const at::Tensor weighted = embeds * weightsOf(chunk, embeds);
    return weighted * (embeds.mean() / weighted.mean());
}

}  // namespace

WeightedEmbedding::WeightedEmbedding(CutPrompt prompt,
                                     PromptWeights weights,
                                     const ClipTokenizer& tokenizer,
                                     int clipSkip)
    : prompt_(std::move(prompt)), weights_(weights), isWeighted_(hasWeights(prompt_)) {
    addReading(PromptChunk::kNoPart, 1, clipSkip);
    if (isWeighted_ && weights_ == PromptWeights::Compel) {
        addHidden(clipSkip);
        rows_.push_back({.ids = tokenizer.tokenize("", "prompt").ids, .clipSkip = clipSkip});
    }
}

void WeightedEmbedding::addHidden(int clipSkip) {
    for (size_t i = 0; i < prompt_.weights.size(); ++i) {
        const double weight = prompt_.weights[i];
        const auto part = static_cast<int64_t>(i);
        if (weight < 1 && occurs(part, prompt_)) {
            const double hidden = (1 - std::max(weight, kSmallestFraction)) * std::numbers::pi / 2;
            addReading(part, std::tan(hidden), clipSkip);
        }
    }
}

/// Chunks without the hidden part are read once.
void WeightedEmbedding::addReading(int64_t hidden, double fraction, int clipSkip) {
    Reading reading{.rows = {}, .fraction = fraction};
    for (size_t i = 0; i < prompt_.chunks.size(); ++i) {
        const PromptChunk& chunk = prompt_.chunks[i];
        std::vector<int64_t> unseen = positionsOf(hidden, chunk);
        if (unseen.empty() && !readings_.empty()) {
            reading.rows.push_back(readings_.front().rows[i]);
            continue;
        }
        reading.rows.push_back(rows_.size());
        rows_.push_back({.ids = chunk.ids,
                         .clipSkip = clipSkip,
                         .unseen = std::move(unseen),
                         .overrides = chunk.overrides});
    }
    readings_.push_back(std::move(reading));
}

ClipTextModel::Output WeightedEmbedding::of(std::vector<ClipTextModel::Output> outputs) const {
    at::Tensor pooled = outputs.front().pooled;
    if (isWeighted_ && weights_ == PromptWeights::Compel) {
        return {.embeds = blended(outputs), .pooled = std::move(pooled)};
    }
    std::vector<at::Tensor> embeds;
    for (size_t i = 0; i < prompt_.chunks.size(); ++i) {
        at::Tensor own = std::move(outputs[i].embeds);
        embeds.push_back(isWeighted_ ? scaled(own, prompt_.chunks[i]) : std::move(own));
    }
    return {.embeds = joined(std::move(embeds)), .pooled = std::move(pooled)};
}

at::Tensor WeightedEmbedding::blended(const std::vector<ClipTextModel::Output>& outputs) const {
    const at::Tensor& empty = outputs.back().embeds;
    at::Tensor sum;
    double total = 0;
    for (const Reading& reading : readings_) {
        std::vector<at::Tensor> moved;
        for (size_t i = 0; i < reading.rows.size(); ++i) {
            const at::Tensor& own = outputs[reading.rows[i]].embeds;
            moved.push_back(empty + (own - empty) * weightsOf(prompt_.chunks[i], own));
        }
        at::Tensor all = joined(std::move(moved));
        sum = sum.defined() ? sum.add_(all, reading.fraction) : std::move(all);
        total += reading.fraction;
    }
    return sum.div_(total);
}

namespace {

void putIds(const tensor::Record& record, const std::string& key, const std::vector<int64_t>& ids) {
    if (record.isOn()) {
        record.putNext(key, at::tensor(ids, at::kLong).unsqueeze(0));  // [1, T]
    }
}

void recordChunks(const tensor::Record& record, const CutPrompt& text, const std::string& suffix) {
    for (const PromptChunk& chunk : text.chunks) {
        putIds(record, "tokens" + suffix, chunk.ids);
        putIds(record, "tokens_mask" + suffix, chunk.mask);
    }
}

}  // namespace

TextPair::TextPair(const ClipTokenizer& tokenizer,
                   PromptWeights weights,
                   const NamedText& positive,
                   const NamedText& negative,
                   EmbeddingUse embeddings)
    : tokenizer_(tokenizer),
      weights_(weights),
      positiveText_(positive),
      negativeText_(negative),
      embeddings_(std::move(embeddings)) {
    PromptTokens tokens(tokenizer, embeddings_);
    positive_ = cutPrompt(tokens, weights, positive.text, positive.parameter);
    negative_ = cutPrompt(tokens, weights, negative.text, negative.parameter);
}

EmbeddingsNamed TextPair::embeddings() const {
    EmbeddingsNamed both = positive_.embeddings;
    both.add(negative_.embeddings);
    return both;
}

int64_t TextPair::tokensOf(const CutPrompt& text) const {
    return static_cast<int64_t>(text.chunks.size()) * tokenizer_.length();
}

TextCount TextPair::countOf(const CutPrompt& cut, const NamedText& named) const {
    constexpr int64_t kAround = 2;  // begin and end
    TextCount count{.parameter = named.parameter,
                    .role = {},
                    .encoder = {},
                    .chunks = {},
                    .capacity = tokenizer_.length() - kAround,
                    .cutTokens = cut.cutTokens};
    for (const PromptChunk& chunk : cut.chunks) {
        count.chunks.push_back(std::count(chunk.mask.begin(), chunk.mask.end(), 1) - kAround);
    }
    if (cut.cutTokens > 0) {
        PromptTokens tokens(tokenizer_, embeddings_);
        count.readBytes = bytesRead(named.text, [&](std::string_view beginning) {
            return cutPrompt(tokens, weights_, std::string(beginning), named.parameter).cutTokens >
                   0;
        });
    }
    return count;
}

std::vector<TextCount> TextPair::counts(std::string_view role, const std::string& encoder) const {
    std::vector<TextCount> both{countOf(positive_, positiveText_),
                                countOf(negative_, negativeText_)};
    for (TextCount& count : both) {
        count.role = role;
        count.encoder = encoder;
    }
    return both;
}

void TextPair::evenOut(TextPair& first, TextPair& second) {
    LOWTIDE_ASSERT(first.tokenizer_.length() == second.tokenizer_.length());
    for (CutPrompt TextPair::*branch : {&TextPair::positive_, &TextPair::negative_}) {
        const size_t chunks =
            std::max((first.*branch).chunks.size(), (second.*branch).chunks.size());
        first.fillUp(first.*branch, chunks);
        second.fillUp(second.*branch, chunks);
    }
}

void TextPair::fillUp(CutPrompt& text, size_t chunks) const {
    if (text.chunks.size() < chunks) {
        PromptTokens tokens(tokenizer_);
        text.chunks.resize(chunks, cutPrompt(tokens, weights_, "", "prompt").chunks.front());
    }
}

TextPair::Outputs TextPair::encode(Forward& forward,
                                   const ClipTextModel& encoder,
                                   const std::string& suffix,
                                   CondUncond condUncond) const {
    recordChunks(forward.record(), positive_, suffix);
    const WeightedEmbedding positive(positive_, weights_, tokenizer_, positiveText_.clipSkip);
    if (condUncond == CondUncond::Positive) {
        return {.positive = positive.of(encoder.encode(forward, positive.rows())), .negative = {}};
    }
    recordChunks(forward.record(), negative_, suffix);
    const WeightedEmbedding negative(negative_, weights_, tokenizer_, negativeText_.clipSkip);
    std::vector<ClipTextModel::Row> rows = positive.rows();
    rows.insert(rows.end(), negative.rows().begin(), negative.rows().end());
    std::vector<ClipTextModel::Output> outputs = encoder.encode(forward, rows);
    const auto middle = outputs.begin() + static_cast<ptrdiff_t>(positive.rows().size());
    return {.positive = positive.of({outputs.begin(), middle}),
            .negative = negative.of({middle, outputs.end()})};
}

}  // namespace lowtide::models
