#include "plugin/checkpoints/adapters/dora.hpp"

#include "plugin/checkpoints/adapters/layer_parts.hpp"

#include <ATen/ATen.h>

#include <limits>

namespace lowtide::models {

namespace {

constexpr double kLengthEpsilon = std::numeric_limits<float>::epsilon();

/// The rows with the change.
at::Tensor summedRows(const at::Tensor& rows,
                      int64_t begin,
                      const RowChange& change,
                      double scale) {
    at::Tensor sum = inF32(rows);
    change.addTo(sum, begin, scale);
    return sum;
}

void moveRows(at::Tensor& rows, at::Tensor& target, double strength) {
    if (strength == 1) {
        rows.copy_(target);
    } else {
        rows.add_(target.sub_(rows), strength);
    }
}

/// What each input is multiplied by: its magnitude by the length of its column.
at::Tensor inputFactors(const at::Tensor& matrix,
                        int64_t inputs,
                        const RowChange& change,
                        const at::Tensor& magnitudes,
                        double scale) {
    at::Tensor lengths = at::zeros({inputs}, matrix.options());
    forRows(matrix, [&](at::Tensor& rows, int64_t begin) {
        at::Tensor sum = summedRows(rows, begin, change, scale);
        sum.mul_(sum);
        lengths.add_(sum.view({rows.size(0), inputs, -1}).sum(at::IntArrayRef({0, 2})));
    });
    lengths.sqrt_().add_(kLengthEpsilon);
    return inF32(magnitudes.view({inputs})).div_(lengths);
}

}  // namespace

std::optional<Magnitudes> magnitudesOf(const Shape& weight, const NamedFactors& factors) {
    if (const at::Tensor* const scale = factors.find("dora_scale")) {
        return Magnitudes{*scale, areOutputLengths(scale->sizes().vec(), weight)};
    }
    if (const at::Tensor* const magnitude = factors.find("magnitude")) {
        return Magnitudes{*magnitude, true};
    }
    return std::nullopt;
}

void addDecomposed(at::Tensor& matrix,
                   int64_t inputs,
                   const RowChange& change,
                   const Magnitudes& magnitudes,
                   double scale,
                   double strength) {
    if (magnitudes.areOfOutputs) {
        const at::Tensor values = magnitudes.values.view({matrix.size(0), 1});
        forRows(matrix, [&](at::Tensor& rows, int64_t begin) {
            at::Tensor sum = summedRows(rows, begin, change, scale);
            const at::Tensor lengths =
                at::linalg_vector_norm(sum, 2, {1}, true).add_(kLengthEpsilon);
            sum.mul_(rowsInF32(values, begin, rows.size(0)).div_(lengths));
            moveRows(rows, sum, strength);
        });
        return;
    }
    const at::Tensor factors = inputFactors(matrix, inputs, change, magnitudes.values, scale);
    forRows(matrix, [&](at::Tensor& rows, int64_t begin) {
        at::Tensor sum = summedRows(rows, begin, change, scale);
        sum.view({rows.size(0), inputs, -1}).mul_(factors.view({1, inputs, 1}));
        moveRows(rows, sum, strength);
    });
}

}  // namespace lowtide::models
