#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace lowtide::models {

/// What a change does to a weight's matrix [O, N], some rows at a time.
class RowChange {
public:
    RowChange() = default;
    virtual ~RowChange() = default;
    RowChange(const RowChange&) = delete;
    RowChange& operator=(const RowChange&) = delete;

    /// Adds `factor` times the change to `rows` [n, N], f32, which hold the weight's rows from
    /// `begin` on. Beside them it takes memory of about their size.
    virtual void addTo(at::Tensor& rows, int64_t begin, double factor) const = 0;
};

/// A weight as its matrix [O, N], over the same memory: [O, I, ...] is [O, I ...], [O] is [O, 1].
[[nodiscard]] at::Tensor matrixOf(const at::Tensor& weight);

/// Rows `begin` to `begin + count` of a matrix in f32, a copy of their own.
[[nodiscard]] at::Tensor rowsInF32(const at::Tensor& matrix, int64_t begin, int64_t count);

/// Calls `work(rows, begin)` for all rows of a matrix, so many at a time that they are half a
/// million numbers: which ones depends on the shape alone.
void forRows(const at::Tensor& matrix,
             const std::function<void(at::Tensor& rows, int64_t begin)>& work);

}  // namespace lowtide::models
