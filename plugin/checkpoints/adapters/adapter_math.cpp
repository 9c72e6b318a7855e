#include "plugin/checkpoints/adapters/adapter_math.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/adapters/dora.hpp"
#include "plugin/checkpoints/adapters/product_change.hpp"

#include <ATen/ATen.h>

#include <cstdint>
#include <string>

namespace lowtide::models {

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
        throw Error(ErrorKind::Unsupported,
                    "a change of kind \"" + kind.name + "\"" + (isDecomposed ? " with DoRA" : "") +
                        " cannot be made to single rows of an embedding table",
                    "choose an adapter without changes of token embeddings");
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

}  // namespace lowtide::models
