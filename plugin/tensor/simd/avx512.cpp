#include "plugin/tensor/simd/attention_loops.hpp"
#include "plugin/tensor/simd/group_norm_loops.hpp"
#include "plugin/tensor/simd/linear_loops.hpp"
#include "plugin/tensor/simd/pieces.hpp"
#include "plugin/tensor/simd/row_norm_loops.hpp"
#include "plugin/tensor/simd/winograd_loops.hpp"

namespace lowtide::tensor::simd {

const Pieces& avx512Pieces() {
    static constexpr Pieces kPieces = {.winograd = {.vectorWidth = kVectorWidth,
                                                    .transform = transformTiles,
                                                    .convolve = convolveParts},
                                       .attention = {.queriesOfPart = kPanels * kColumns,
                                                     .numbersOfThread = attentionNumbers,
                                                     .attend = attendParts},
                                       .groupNorm = {.sum = sumBlocks, .apply = applyBlocks},
                                       .normRows = normRows,
                                       .linear = kLinearPieces};
    return kPieces;
}

}  // namespace lowtide::tensor::simd
