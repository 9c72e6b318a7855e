#include "plugin/models/text/weighted_embedding.hpp"

#include "plugin/models/blocks/pass.hpp"
#include "plugin/tensor/crossing.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lowtide::models {

namespace {

/// Nearer to 0 a weight counts as this: the tangent would be infinite.
constexpr double kSmallestShare = 1e-5;

bool hasWeights(const CutPrompt& prompt) {
    return std::any_of(prompt.chunks.begin(), prompt.chunks.end(), [](const PromptChunk& chunk) {
        return std::any_of(
            chunk.weights.begin(), chunk.weights.end(), [](float weight) { return weight != 1; });
    });
}

/// Where the tokens of `part` stand in the chunk.
std::vector<int64_t> placesOf(int64_t part, const PromptChunk& chunk) {
    std::vector<int64_t> places;
    for (size_t i = 0; i < chunk.parts.size(); ++i) {
        if (part != PromptChunk::kNoPart && chunk.parts[i] == part) {
            places.push_back(static_cast<int64_t>(i));
        }
    }
    return places;
}

bool occurs(int64_t part, const CutPrompt& prompt) {
    return std::any_of(prompt.chunks.begin(), prompt.chunks.end(), [&](const PromptChunk& chunk) {
        return std::find(chunk.parts.begin(), chunk.parts.end(), part) != chunk.parts.end();
    });
}

/// The chunks' outputs one behind the other, with the pooled state of the first.
ClipTextModel::Output joinedChunks(std::vector<at::Tensor> embeds, at::Tensor pooled) {
    return {.embeds = embeds.size() == 1 ? std::move(embeds.front()) : at::cat(embeds, 1),
            .pooled = std::move(pooled)};
}

}  // namespace

ClipTextModel::Output WeightedEmbedding::encode(const CutPrompt& prompt, PromptWeights weights) {
    if (!hasWeights(prompt)) {
        return plain(prompt);
    }
    return weights == PromptWeights::Compel ? blended(prompt) : scaled(prompt);
}

ClipTextModel::Output WeightedEmbedding::plain(const CutPrompt& prompt) {
    std::vector<at::Tensor> embeds;
    at::Tensor pooled;
    for (const PromptChunk& chunk : prompt.chunks) {
        ClipTextModel::Output output = text_.encode(pass_, chunk.ids, clipSkip_);
        embeds.push_back(std::move(output.embeds));
        pooled = pooled.defined() ? pooled : std::move(output.pooled);
    }
    return joinedChunks(std::move(embeds), std::move(pooled));
}

ClipTextModel::Output WeightedEmbedding::scaled(const CutPrompt& prompt) {
    std::vector<at::Tensor> embeds;
    at::Tensor pooled;
    for (const PromptChunk& chunk : prompt.chunks) {
        ClipTextModel::Output output = text_.encode(pass_, chunk.ids, clipSkip_);
        const at::Tensor weighted = output.embeds * weightsOf(chunk);
        embeds.push_back(weighted * (output.embeds.mean() / weighted.mean()));
        pooled = pooled.defined() ? pooled : std::move(output.pooled);
    }
    return joinedChunks(std::move(embeds), std::move(pooled));
}

ClipTextModel::Output WeightedEmbedding::blended(const CutPrompt& prompt) {
    const std::vector<int64_t> nothing = tokenizer_.tokenize("", "prompt").ids;
    const at::Tensor empty = text_.encode(pass_, nothing, clipSkip_).embeds;
    ClipTextModel::Output result = movedFrom(empty, prompt, PromptChunk::kNoPart);
    double total = 1;
    for (size_t i = 0; i < prompt.weights.size(); ++i) {
        const double weight = prompt.weights[i];
        const auto part = static_cast<int64_t>(i);
        if (weight >= 1 || !occurs(part, prompt)) {
            continue;
        }
        const double share =
            std::tan((1 - std::max(weight, kSmallestShare)) * std::numbers::pi / 2);
        result.embeds.add_(movedFrom(empty, prompt, part).embeds, share);
        total += share;
    }
    result.embeds.div_(total);
    return result;
}

ClipTextModel::Output WeightedEmbedding::movedFrom(const at::Tensor& empty,
                                                   const CutPrompt& prompt,
                                                   int64_t hidden) {
    std::vector<at::Tensor> embeds;
    at::Tensor pooled;
    for (const PromptChunk& chunk : prompt.chunks) {
        ClipTextModel::Output output =
            text_.encode(pass_, chunk.ids, clipSkip_, placesOf(hidden, chunk));
        embeds.push_back(empty + (output.embeds - empty) * weightsOf(chunk));
        pooled = pooled.defined() ? pooled : std::move(output.pooled);
    }
    return joinedChunks(std::move(embeds), std::move(pooled));
}

at::Tensor WeightedEmbedding::weightsOf(const PromptChunk& chunk) {
    return tensor::upload(at::tensor(chunk.weights), pass_.device()).view({1, -1, 1});
}

}  // namespace lowtide::models
