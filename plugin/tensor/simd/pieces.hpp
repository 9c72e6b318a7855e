#pragma once
// The pieces of our own operators, compiled for each instruction set. Torch-free.

#include "plugin/tensor/simd/attention.hpp"
#include "plugin/tensor/simd/group_norm.hpp"
#include "plugin/tensor/simd/winograd.hpp"

namespace lowtide::tensor::simd {

struct Pieces {
    WinogradPieces winograd;
    AttentionPieces attention;
    GroupNormPieces groupNorm;
};

/// Only for processors that have the instructions: AVX2 with FMA, and AVX-512 F, BW, DQ, VL.
[[nodiscard]] const Pieces& avx2Pieces();
[[nodiscard]] const Pieces& avx512Pieces();

}  // namespace lowtide::tensor::simd
