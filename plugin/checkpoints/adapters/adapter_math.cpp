#include "plugin/checkpoints/adapters/adapter_math.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/checkpoints/adapters/adapter_layers.hpp"
#include "plugin/checkpoints/adapters/change_kind.hpp"

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace lowtide::models {

/// The lengths that DoRA gives to the sum of a weight and its change: of each output (all its
/// inputs) or of each input (all outputs).
struct Magnitudes {
    at::Tensor values;  ///< as many as outputs or inputs
    bool areOfOutputs = true;
};

/// Of any kind that adds to a weight: `dora_scale` as LyCORIS and kohya write it, whose shape says
/// the axis ([O, 1, ...] or [1, I, 1, ...]), or `magnitude` as peft does (lora_magnitude_vector),
/// always of outputs, [O] or [1, O, 1, 1]. Nothing where the change is no DoRA.
[[nodiscard]] std::optional<Magnitudes> magnitudesOf(const Shape& weight,
                                                     const NamedFactors& factors);

/// W + strength (m (W + scale change) / length(W + scale change) - W), in place; W is a matrix
/// [O, inputs x kernel]. Strength 1 is LyCORIS' and peft's DoRA, others are ComfyUI's and A1111's
/// line from the checkpoint: LyCORIS scales m / length - 1 alone, so that its 0 is no checkpoint.
/// Lengths of outputs are those of the sum, as trainers have them; ComfyUI takes W's, A1111 knows
/// lengths of inputs alone. Source: LyCORIS 4.1.3 functional/general.py, with its epsilon.
void addDecomposed(at::Tensor& matrix,
                   int64_t inputs,
                   const RowChange& change,
                   const Magnitudes& magnitudes,
                   double scale,
                   double strength);

using residency::FactoredChange;

namespace {

bool beginsAtLine(const at::Tensor& tensor) {
    constexpr uintptr_t kLine = 64;
    return tensor.is_meta() || reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) % kLine == 0;
}

double factorOf(const FactoredChange& change) {
    return change.change->scale * change.change->strength;
}

/// A change that is no product.
void applyRows(at::Tensor& weight, const ChangeKind& kind, const FactoredChange& change) {
    const Shape shape = weight.sizes().vec();
    const NamedFactors factors(change);
    const std::unique_ptr<const RowChange> rowChange = kind.rows(factors);
    at::Tensor matrix = matrixOf(weight);
    if (const std::optional<Magnitudes> magnitudes = magnitudesOf(shape, factors)) {
        addDecomposed(matrix,
                      shape[1],
                      *rowChange,
                      *magnitudes,
                      change.change->scale,
                      change.change->strength);
        return;
    }
    const double factor = factorOf(change);
    forRows(matrix,
            [&](at::Tensor& rows, int64_t begin) { rowChange->addTo(rows, begin, factor); });
}

/// Rows `ids` of a factor.
at::Tensor gathered(const at::Tensor& factor, const at::Tensor& ids) {
    const at::Tensor rows = flat(factor);
    return factor.is_meta() ? at::empty({ids.numel(), rows.size(1)}, rows.options())
                            : at::index_select(rows, 0, ids);
}

/// The change of the rows alone: their factor is that of the ids.
FactoredChange ofRows(const ChangeKind& kind, const FactoredChange& change, const at::Tensor& ids) {
    FactoredChange rows = change;
    for (size_t i = 0; i < rows.factors.size(); ++i) {
        const std::string& name = change.change->factors[i].name;
        if (name == kind.rowFactor) {
            rows.factors[i] = gathered(rows.factors[i], ids);
        }
    }
    return rows;
}

void requireRows(const ChangeKind& kind, bool isDecomposed) {
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

void AdapterMath::apply(at::Tensor& weight, std::span<const FactoredChange> changes) const {
    LOWTIDE_ASSERT(weight.scalar_type() == at::kFloat && beginsAtLine(weight));
    at::Tensor matrix = matrixOf(weight);
    ProductPack pack;
    for (const FactoredChange& change : changes) {
        const ChangeKind& kind = changeKind(change.change->kind);
        const NamedFactors factors(change);
        if (!kind.pair || magnitudesOf(weight.sizes().vec(), factors)) {
            pack.applyTo(matrix);
            applyRows(weight, kind, change);
            continue;
        }
        FactorPair pair = kind.pair(factors);
        if (!pack.fits(pair)) {
            pack.applyTo(matrix);
        }
        pack.add(std::move(pair), factorOf(change));
    }
    pack.applyTo(matrix);
}

void AdapterMath::applyToRows(at::Tensor& rows,
                              const at::Tensor& ids,
                              std::span<const FactoredChange> changes) const {
    LOWTIDE_ASSERT(rows.scalar_type() == at::kFloat && rows.size(0) == ids.numel());
    ProductPack pack;
    for (const FactoredChange& change : changes) {
        const ChangeKind& kind = changeKind(change.change->kind);
        requireRows(kind, magnitudesOf(rows.sizes().vec(), NamedFactors(change)).has_value());
        const FactoredChange own = ofRows(kind, change, ids);
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
