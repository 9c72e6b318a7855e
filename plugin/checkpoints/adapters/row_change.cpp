#include "plugin/checkpoints/adapters/row_change.hpp"

#include "plugin/checkpoints/adapters/named_factors.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::models {

at::Tensor matrixOf(const at::Tensor& weight) {
    if (weight.dim() == 2) {
        return weight;  // also turned
    }
    return weight.view({weight.size(0), weight.numel() / weight.size(0)});
}

at::Tensor rowsInF32(const at::Tensor& matrix, int64_t begin, int64_t count) {
    return inF32(matrix.narrow(0, begin, count));
}

void forRows(const at::Tensor& matrix,
             const std::function<void(at::Tensor& rows, int64_t begin)>& work) {
    constexpr int64_t kNumbers = 1 << 19;
    constexpr int64_t kFewestRows = 16;
    const int64_t step = std::max(kNumbers / matrix.size(1), kFewestRows);
    for (int64_t begin = 0; begin < matrix.size(0); begin += step) {
        at::Tensor rows = matrix.narrow(0, begin, std::min(step, matrix.size(0) - begin));
        work(rows, begin);
    }
}

}  // namespace lowtide::models
