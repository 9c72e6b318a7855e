#pragma once
// softmax(q k^T / sqrt(width)) v without its matrix of scores, in pieces that threads can share.
// Blocks begin at fixed places: how pieces are shared changes no bit. Torch-free.
// Source: Dao et al. 2022 (FlashAttention), with queries along the vectors.

#include <cstdint>

namespace lowtide::tensor::simd {

/// One argument: [batch, heads, rows, width] with numbers of a row side by side.
struct AttentionRows {
    const float* data = nullptr;
    int64_t batchStep = 0;  ///< in numbers
    int64_t headStep = 0;
    int64_t rowStep = 0;
};

struct Attention {
    int64_t batch = 0;
    int64_t heads = 0;
    int64_t queries = 0;
    int64_t keys = 0;
    int64_t width = 0;  ///< of a head
    AttentionRows q;
    AttentionRows k;
    AttentionRows v;
    float* result = nullptr;  ///< [batch, queries, heads, width]
};

/// The pieces, for one instruction set.
struct AttentionPieces {
    int64_t queriesOfPart;
    /// Numbers of scratch memory of a thread, for heads of that width.
    int64_t (*numbersOfThread)(int64_t width);
    /// Parts [begin, end) of all; part i is part i % n of the queries of head i / n, where n parts
    /// hold all queries.
    void (*attend)(const Attention&, int64_t begin, int64_t end, float* ofThread);
};

}  // namespace lowtide::tensor::simd
