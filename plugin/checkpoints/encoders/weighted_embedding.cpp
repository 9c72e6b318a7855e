#include "plugin/checkpoints/encoders/weighted_embedding.hpp"

#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace lowtide::models {

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
at::Tensor weightsOf(const std::vector<float>& weights, const at::Tensor& embeds) {
    return tensor::upload(at::tensor(weights), embeds.device()).view({1, -1, 1});
}

at::Tensor scaled(const at::Tensor& embeds, const PromptChunk& chunk) {
    const at::Tensor weighted = embeds * weightsOf(chunk.weights, embeds);
    return weighted * (embeds.mean() / weighted.mean());
}

}  // namespace

WeightedEmbedding::WeightedEmbedding(CutPrompt prompt,
                                     PromptWeights weights,
                                     const std::vector<int64_t>& empty,
                                     int clipSkip)
    : prompt_(std::move(prompt)), weights_(weights), isWeighted_(hasWeights(prompt_)) {
    addReading(PromptChunk::kNoPart, 1, clipSkip);
    if (isWeighted_ && weights_ == PromptWeights::Compel) {
        addHidden(clipSkip);
    }
    if (isWeighted_ && weights_ != PromptWeights::A1111) {
        rows_.push_back({.ids = empty, .clipSkip = clipSkip});
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
    if (isWeighted_ && weights_ == PromptWeights::ComfyUi) {
        return {.embeds = movedFromEmpty(outputs), .pooled = std::move(pooled)};
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
            moved.push_back(empty + (own - empty) * weightsOf(prompt_.chunks[i].weights, own));
        }
        at::Tensor all = joined(std::move(moved));
        sum = sum.defined() ? sum.add_(all, reading.fraction) : std::move(all);
        total += reading.fraction;
    }
    return sum.div_(total);
}

at::Tensor WeightedEmbedding::movedFromEmpty(
    const std::vector<ClipTextModel::Output>& outputs) const {
    const at::Tensor& empty = outputs.back().embeds;
    std::vector<at::Tensor> moved;
    for (size_t i = 0; i < prompt_.chunks.size(); ++i) {
        moved.push_back(awayFromEmpty(outputs[i].embeds, empty, prompt_.chunks[i].weights));
    }
    return joined(std::move(moved));
}

at::Tensor awayFromEmpty(const at::Tensor& states,
                         const at::Tensor& empty,
                         const std::vector<float>& weights) {
    at::Tensor moved = states.clone();  // what is not weighted keeps its bits
    for (auto run = weights.begin(); run != weights.end();) {
        const auto end =
            std::find_if(run + 1, weights.end(), [&](float each) { return each != *run; });
        if (*run != 1) {
            const int64_t position = run - weights.begin();
            const int64_t count = end - run;
            const at::Tensor from = empty.narrow(1, position, count);
            const at::Tensor away = states.narrow(1, position, count) - from;
            moved.narrow(1, position, count).copy_(away * *run + from);
        }
        run = end;
    }
    return moved;
}

}  // namespace lowtide::models
