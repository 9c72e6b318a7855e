#include "plugin/checkpoints/adapters/product_change.hpp"

#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace lowtide::models {

namespace kernels = tensor::kernels;

ProductChange::ProductChange(const FactorPair& pair)
    : left_(pair.left), right_(inF32(pair.right)) {}

void ProductChange::addTo(at::Tensor& rows, int64_t begin, double factor) const {
    kernels::addProduct(rows, rowsInF32(left_, begin, rows.size(0)), right_, factor);
}

at::Tensor ProductChange::rows(int64_t begin, int64_t count) const {
    return kernels::linear(rowsInF32(left_, begin, count), right_.t(), {});
}

at::Tensor rightOfCore(const at::Tensor& core, const at::Tensor& inputSide) {
    const int64_t i = core.size(0);
    const int64_t j = inputSide.size(0);
    const at::Tensor rows = inF32(core.view({i, j, -1}).permute({0, 2, 1}));           // [i, k, j]
    const at::Tensor product = kernels::linear(rows, inF32(flat(inputSide)).t(), {});  // [i, k, q]
    return inF32(product.permute({0, 2, 1})).view({i, -1});
}

at::Tensor flat(const at::Tensor& factor) {
    return factor.view({factor.size(0), -1});
}

bool ProductPack::fits(const FactorPair& pair) const {
    constexpr int64_t kMostRank = 256;
    return parts_.empty() || rank_ + pair.left.size(1) <= kMostRank;
}

void ProductPack::add(FactorPair pair, double factor) {
    rank_ += pair.left.size(1);
    parts_.push_back({std::move(pair), factor});
}

void ProductPack::applyTo(at::Tensor& matrix) {
    if (!parts_.empty()) {
        const FactorPair pair = joined(matrix);
        kernels::addProduct(matrix, pair.left, pair.right, 1);
    }
    parts_.clear();
    rank_ = 0;
}

void ProductPack::applyToEachRow(at::Tensor& matrix) {
    if (!parts_.empty()) {
        const FactorPair pair = joined(matrix);
        const at::Tensor each = pair.left.unsqueeze(1);  // [n, 1, r]
        matrix.add_(kernels::linearOfRows(each, pair.right.t(), {}).squeeze(1));
    }
    parts_.clear();
    rank_ = 0;
}

FactorPair ProductPack::joined(const at::Tensor& matrix) const {
    FactorPair all;
    all.left = at::empty({matrix.size(0), rank_}, matrix.options());
    int64_t begin = 0;
    for (const Part& part : parts_) {
        const int64_t rank = part.pair.left.size(1);
        all.left.narrow(1, begin, rank).copy_(part.pair.left).mul_(part.factor);
        begin += rank;
    }
    all.right = at::empty({rank_, matrix.size(1)}, matrix.options());
    begin = 0;
    for (const Part& part : parts_) {
        const int64_t rank = part.pair.right.size(0);
        all.right.narrow(0, begin, rank).copy_(part.pair.right);
        begin += rank;
    }
    return all;
}

}  // namespace lowtide::models
