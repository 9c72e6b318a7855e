#include "plugin/checkpoints/adapters/adapter_math.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/checkpoints/adapters/adapter_layers.hpp"
#include "plugin/checkpoints/adapters/delta_kind.hpp"

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace lowtide::models {

/// The lengths that DoRA gives to the sum of a weight and its delta: of each output (all its
/// inputs) or of each input (all outputs).
struct Magnitudes {
    at::Tensor values;  ///< as many as outputs or inputs
    bool areOfOutputs = true;
};

/// Of any kind that adds to a weight: `dora_scale` as LyCORIS and kohya write it, whose shape
/// determines the axis ([O, 1, ...] or [1, I, 1, ...]), or `magnitude` as peft does
/// (lora_magnitude_vector), always of outputs, [O] or [1, O, 1, 1]. Nothing where the delta is no
/// DoRA.
[[nodiscard]] std::optional<Magnitudes> magnitudesOf(const Shape& weight,
                                                     const NamedFactors& factors);

/// W + strength (m (W + scale delta) / length(W + scale delta) - W), in place; W is a matrix
/// [O, inputs x kernel]. Strength 1 is LyCORIS' and peft's DoRA, others are ComfyUI's and A1111's
/// line from the checkpoint: LyCORIS scales m / length - 1 alone, so that its 0 is no checkpoint.
/// Lengths of outputs are those of the sum, as trainers have them; ComfyUI takes W's, A1111 knows
/// lengths of inputs alone. Source: LyCORIS 4.1.3 functional/general.py, with its epsilon.
void addDecomposed(at::Tensor& matrix,
                   int64_t inputs,
                   const RowDelta& delta,
                   const Magnitudes& magnitudes,
                   double scale,
                   double strength);

using residency::FactoredDelta;

namespace {

bool beginsAtLine(const at::Tensor& tensor) {
    constexpr uintptr_t kLine = 64;
    return tensor.is_meta() || reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) % kLine == 0;
}

double factorOf(const FactoredDelta& delta) {
    return delta.delta->scale * delta.delta->strength;
}

/// A delta that is no product.
void applyRows(at::Tensor& weight, const DeltaKind& kind, const FactoredDelta& delta) {
    const Shape shape = weight.sizes().vec();
    const NamedFactors factors(delta);
    const std::unique_ptr<const RowDelta> rowDelta = kind.rows(factors);
    at::Tensor matrix = matrixOf(weight);
    if (const std::optional<Magnitudes> magnitudes = magnitudesOf(shape, factors)) {
        addDecomposed(
            matrix, shape[1], *rowDelta, *magnitudes, delta.delta->scale, delta.delta->strength);
        return;
    }
    const double factor = factorOf(delta);
    forRows(matrix, [&](at::Tensor& rows, int64_t begin) { rowDelta->addTo(rows, begin, factor); });
}

/// Rows `ids` of a factor.
at::Tensor gathered(const at::Tensor& factor, const at::Tensor& ids) {
    const at::Tensor rows = flat(factor);
    return factor.is_meta() ? at::empty({ids.numel(), rows.size(1)}, rows.options())
                            : at::index_select(rows, 0, ids);
}

/// The delta of the rows alone: their factor is that of the ids.
FactoredDelta ofRows(const DeltaKind& kind, const FactoredDelta& delta, const at::Tensor& ids) {
    FactoredDelta rows = delta;
    for (size_t i = 0; i < rows.factors.size(); ++i) {
        const std::string& name = delta.delta->factors[i].name;
        if (name == kind.rowFactor) {
            rows.factors[i] = gathered(rows.factors[i], ids);
        }
    }
    return rows;
}

void requireRows(const DeltaKind& kind, bool isDecomposed) {
    if (kind.rowFactor.empty() || isDecomposed) {
        throw Error(
            ErrorKind::Unsupported,
            isDecomposed
                ? message("a change of kind \"{}\" with DoRA cannot be made to single rows of an "
                          "embedding table",
                          kind.name)
                : message("a change of kind \"{}\" cannot be made to single rows of an embedding "
                          "table",
                          kind.name),
            message("choose an adapter without changes of token embeddings"));
    }
}

}  // namespace

void AdapterMath::apply(at::Tensor& weight, std::span<const FactoredDelta> deltas) const {
    LOWTIDE_ASSERT(weight.scalar_type() == at::kFloat && beginsAtLine(weight));
    at::Tensor matrix = matrixOf(weight);
    ProductPack pack;
    for (const FactoredDelta& delta : deltas) {
        const DeltaKind& kind = deltaKind(delta.delta->kind);
        const NamedFactors factors(delta);
        if (!kind.pair || magnitudesOf(weight.sizes().vec(), factors)) {
            pack.applyTo(matrix);
            applyRows(weight, kind, delta);
            continue;
        }
        FactorPair pair = kind.pair(factors);
        if (!pack.fits(pair)) {
            pack.applyTo(matrix);
        }
        pack.add(std::move(pair), factorOf(delta));
    }
    pack.applyTo(matrix);
}

void AdapterMath::applyToRows(at::Tensor& rows,
                              const at::Tensor& ids,
                              std::span<const FactoredDelta> deltas) const {
    LOWTIDE_ASSERT(rows.scalar_type() == at::kFloat && rows.size(0) == ids.numel());
    ProductPack pack;
    for (const FactoredDelta& delta : deltas) {
        const DeltaKind& kind = deltaKind(delta.delta->kind);
        requireRows(kind, magnitudesOf(rows.sizes().vec(), NamedFactors(delta)).has_value());
        const FactoredDelta own = ofRows(kind, delta, ids);
        if (!kind.pair) {
            pack.applyToEachRow(rows);
            applyRows(rows, kind, own);
            continue;
        }
        FactorPair pair = kind.pair(NamedFactors(own));
        if (!pack.fits(pair)) {
            pack.applyToEachRow(rows);
        }
        pack.add(std::move(pair), factorOf(own));
    }
    pack.applyToEachRow(rows);
}

const AdapterMath& adapterMath() {
    static const AdapterMath math;
    return math;
}

namespace {

constexpr double kLengthEpsilon = std::numeric_limits<float>::epsilon();

/// The rows with the delta.
at::Tensor summedRows(const at::Tensor& rows, int64_t begin, const RowDelta& delta, double scale) {
    at::Tensor sum = inF32(rows);
    delta.addTo(sum, begin, scale);
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
                        const RowDelta& delta,
                        const at::Tensor& magnitudes,
                        double scale) {
    at::Tensor lengths = at::zeros({inputs}, matrix.options());
    forRows(matrix, [&](at::Tensor& rows, int64_t begin) {
        at::Tensor sum = summedRows(rows, begin, delta, scale);
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
                   const RowDelta& delta,
                   const Magnitudes& magnitudes,
                   double scale,
                   double strength) {
    if (magnitudes.areOfOutputs) {
        const at::Tensor values = magnitudes.values.view({matrix.size(0), 1});
        forRows(matrix, [&](at::Tensor& rows, int64_t begin) {
            at::Tensor sum = summedRows(rows, begin, delta, scale);
            const at::Tensor lengths =
                at::linalg_vector_norm(sum, 2, {1}, true).add_(kLengthEpsilon);
            sum.mul_(rowsInF32(values, begin, rows.size(0)).div_(lengths));
            moveRows(rows, sum, strength);
        });
        return;
    }
    const at::Tensor factors = inputFactors(matrix, inputs, delta, magnitudes.values, scale);
    forRows(matrix, [&](at::Tensor& rows, int64_t begin) {
        at::Tensor sum = summedRows(rows, begin, delta, scale);
        sum.view({rows.size(0), inputs, -1}).mul_(factors.view({1, inputs, 1}));
        moveRows(rows, sum, strength);
    });
}

}  // namespace lowtide::models
