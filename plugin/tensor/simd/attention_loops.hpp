#pragma once
// The pieces of attention.hpp with the vectors of the including file.

#include "plugin/tensor/simd/pieces.hpp"
#include "plugin/tensor/simd/product.hpp"

namespace lowtide::tensor::simd {
namespace {

constexpr int64_t kKeys = 56;   ///< of a block, a multiple of kMostRows (16 lanes)
constexpr int64_t kPanels = 4;  ///< of queries of a part, each kColumns queries

/// Scratch memory of a thread. Queries lie along the vectors, so a row below is one key or one
/// channel for kColumns queries.
struct AttentionScratch {
    float* queries;  ///< [panel][channel]
    float* sums;     ///< [panel][channel], of the values
    float* most;     ///< [panel], the largest score so far
    float* totals;   ///< [panel], of the weights
    float* scores;   ///< [key of the block]

    AttentionScratch(float* memory, int64_t width)
        : queries(memory),
          sums(queries + kPanels * width * kColumns),
          most(sums + kPanels * width * kColumns),
          totals(most + kPanels * kColumns),
          scores(totals + kPanels * kColumns) {}
};

inline int64_t attentionNumbers(int64_t width) {
    return (2 * kPanels * width + 2 * kPanels + kKeys) * kColumns;
}

/// The queries of one head that a part takes.
struct HeadPart {
    const float* q;
    const float* k;
    const float* v;
    float* result;
    int64_t queries;
};

inline HeadPart headPartOf(const Attention& work, int64_t index) {
    constexpr int64_t kQueries = kPanels * kColumns;
    const int64_t partsOfHead = (work.queries + kQueries - 1) / kQueries;
    const int64_t first = index % partsOfHead * kQueries;
    const int64_t head = index / partsOfHead % work.heads;
    const int64_t image = index / partsOfHead / work.heads;
    const auto start = [&](const AttentionRows& rows) {
        return rows.data + image * rows.batchStep + head * rows.headStep;
    };
    return {start(work.q) + first * work.q.rowStep,
            start(work.k),
            start(work.v),
            work.result + ((image * work.queries + first) * work.heads + head) * work.width,
            work.queries - first < kQueries ? work.queries - first : kQueries};
}

/// Turns the queries, scaled so that powers of two of the scores are the weights.
inline void takeQueries(const Attention& work, const HeadPart& part, AttentionScratch& scratch) {
    const auto scale =
        static_cast<float>(kLog2OfE / __builtin_sqrt(static_cast<double>(work.width)));
    for (int64_t first = 0; first < kPanels * kColumns; first += kVectorWidth) {
        float* out = scratch.queries + first / kColumns * work.width * kColumns + first % kColumns;
        for (int64_t channel = 0; channel < work.width; channel += kVectorWidth) {
            Vector square[kVectorWidth];
            for (int64_t i = 0; i < kVectorWidth; ++i) {
                const float* query = part.q + (first + i) * work.q.rowStep + channel;
                square[i] = first + i < part.queries ? loadSome(query, work.width - channel) * scale
                                                     : Vector{};
            }
            transpose(square);
            for (int64_t i = 0; i < kVectorWidth && channel + i < work.width; ++i) {
                store(out + (channel + i) * kColumns, square[i]);
            }
        }
    }
}

/// The largest score of each query, of those before and of `keys` more. Two keys at a time: a chain
/// of comparisons would wait for each.
inline void findMost(const float* scores, int64_t keys, Vector (&most)[2]) {
    const auto larger = [](Vector a, Vector b) { return a > b ? a : b; };
    Vector second[2] = {most[0], most[1]};
    int64_t key = 0;
    for (; key + 1 < keys; key += 2, scores += 2 * kColumns) {
        most[0] = larger(most[0], load(scores));
        most[1] = larger(most[1], load(scores + kVectorWidth));
        second[0] = larger(second[0], load(scores + kColumns));
        second[1] = larger(second[1], load(scores + kColumns + kVectorWidth));
    }
    if (key < keys) {
        most[0] = larger(most[0], load(scores));
        most[1] = larger(most[1], load(scores + kVectorWidth));
    }
    most[0] = larger(most[0], second[0]);
    most[1] = larger(most[1], second[1]);
}

/// Makes scores weights: 2^(score - the largest so far), and gives the factor by which older sums
/// shrink.
inline void weigh(float* scores, int64_t keys, float* most, float* totals, Vector (&shrink)[2]) {
    Vector now[2] = {load(most), load(most + kVectorWidth)};
    const Vector before[2] = {now[0], now[1]};
    findMost(scores, keys, now);
    Vector sums[2] = {};
    for (int64_t key = 0; key < keys; ++key, scores += kColumns) {
        const Vector left = exp2(load(scores) - now[0]);
        const Vector right = exp2(load(scores + kVectorWidth) - now[1]);
        store(scores, left);
        store(scores + kVectorWidth, right);
        sums[0] += left;
        sums[1] += right;
    }
    for (int half = 0; half < 2; ++half) {
        shrink[half] = exp2(before[half] - now[half]);
        store(most + half * kVectorWidth, now[half]);
        float* total = totals + half * kVectorWidth;
        store(total, load(total) * shrink[half] + sums[half]);
    }
}

inline void addBlock(const Attention& work,
                     const HeadPart& part,
                     int64_t firstKey,
                     int64_t keys,
                     int64_t panel,
                     AttentionScratch& scratch) {
    multiply({.a = part.k + firstKey * work.k.rowStep,
              .aRow = work.k.rowStep,
              .aStep = 1,
              .b = scratch.queries + panel * work.width * kColumns,
              .bStep = kColumns,
              .depth = work.width,
              .c = scratch.scores,
              .cRow = kColumns,
              .adds = false},
             keys);
    Vector shrink[2];
    weigh(scratch.scores,
          keys,
          scratch.most + panel * kColumns,
          scratch.totals + panel * kColumns,
          shrink);
    float* sums = scratch.sums + panel * work.width * kColumns;
    for (int64_t channel = 0; channel < work.width; ++channel) {
        float* sum = sums + channel * kColumns;
        store(sum, load(sum) * shrink[0]);
        store(sum + kVectorWidth, load(sum + kVectorWidth) * shrink[1]);
    }
    multiply({.a = part.v + firstKey * work.v.rowStep,
              .aRow = 1,
              .aStep = work.v.rowStep,
              .b = scratch.scores,
              .bStep = kColumns,
              .depth = keys,
              .c = sums,
              .cRow = kColumns,
              .adds = true},
             work.width);
}

/// Divides by the weights and turns the sums back into rows.
inline void giveResults(const Attention& work,
                        const HeadPart& part,
                        const AttentionScratch& scratch) {
    const int64_t rowStep = work.heads * work.width;
    for (int64_t first = 0; first < part.queries; first += kVectorWidth) {
        const int64_t panel = first / kColumns;
        const int64_t lane = first % kColumns;
        const Vector factor = 1.0F / load(scratch.totals + panel * kColumns + lane);
        for (int64_t channel = 0; channel < work.width; channel += kVectorWidth) {
            const int64_t channels = work.width - channel;
            Vector square[kVectorWidth];
            for (int64_t i = 0; i < kVectorWidth; ++i) {
                const int64_t row = panel * work.width + channel + i;
                square[i] =
                    i < channels ? load(scratch.sums + row * kColumns + lane) * factor : Vector{};
            }
            transpose(square);
            for (int64_t i = 0; i < kVectorWidth && first + i < part.queries; ++i) {
                storeSome(part.result + (first + i) * rowStep + channel, square[i], channels);
            }
        }
    }
}

inline void attendParts(const Attention& work, int64_t begin, int64_t end, float* ofThread) {
    AttentionScratch scratch(ofThread, work.width);
    for (int64_t index = begin; index < end; ++index) {
        const HeadPart part = headPartOf(work, index);
        takeQueries(work, part, scratch);
        for (int64_t i = 0; i < kPanels * work.width * kColumns; ++i) {
            scratch.sums[i] = 0;
        }
        for (int64_t i = 0; i < kPanels * kColumns; ++i) {
            scratch.most[i] = -__builtin_inff();
            scratch.totals[i] = 0;
        }
        const int64_t panels = (part.queries + kColumns - 1) / kColumns;
        for (int64_t firstKey = 0; firstKey < work.keys; firstKey += kKeys) {
            const int64_t keys = work.keys - firstKey < kKeys ? work.keys - firstKey : kKeys;
            for (int64_t panel = 0; panel < panels; ++panel) {
                addBlock(work, part, firstKey, keys, panel, scratch);
            }
        }
        giveResults(work, part, scratch);
    }
}

}  // namespace
}  // namespace lowtide::tensor::simd
