#include "plugin/checkpoints/encoders/text_pair.hpp"

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/encoders/prompt_tokens.hpp"
#include "plugin/checkpoints/encoders/weighted_embedding.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/text/clip_text_model.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace lowtide::models {

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
    const std::vector<int64_t> empty = tokenizer_.tokenize("", "prompt").ids;
    const WeightedEmbedding positive(positive_, weights_, empty, positiveText_.clipSkip);
    if (condUncond == CondUncond::Positive) {
        return {.positive = positive.of(encoder.encode(forward, positive.rows())), .negative = {}};
    }
    recordChunks(forward.record(), negative_, suffix);
    const WeightedEmbedding negative(negative_, weights_, empty, negativeText_.clipSkip);
    std::vector<ClipTextModel::Row> rows = positive.rows();
    rows.insert(rows.end(), negative.rows().begin(), negative.rows().end());
    std::vector<ClipTextModel::Output> outputs = encoder.encode(forward, rows);
    const auto middle = outputs.begin() + static_cast<ptrdiff_t>(positive.rows().size());
    return {.positive = positive.of({outputs.begin(), middle}),
            .negative = negative.of({middle, outputs.end()})};
}

}  // namespace lowtide::models
