#include "tests/unit/residency/adapted.hpp"

#include "plugin/files/output_file.hpp"
#include "plugin/memory/adapted_tree.hpp"
#include "plugin/residency/scalar_type.hpp"
#include "tests/unit/residency/synthetic_model.hpp"

#include <ATen/ATen.h>

#include <set>
#include <utility>
#include <vector>

namespace lowtide::testing {

namespace {

constexpr int64_t kRank = 4;

constexpr int64_t kLayerRows = 6;
constexpr int64_t kLayerColumns = 10;

at::Tensor waves(int64_t rows, int64_t columns, double step, const AdapterSettings& settings) {
    return at::sin(at::arange(rows * columns, at::kFloat) * step + settings.phase)
        .view({rows, columns})
        .to(residency::scalarTypeOf(settings.type));
}

at::Tensor withOdd(at::Tensor values, const AdapterSettings& settings) {
    if (settings.odd) {
        values[-1][-1] = *settings.odd;
    }
    return values;
}

at::Tensor upOf(const Shape& shape, const AdapterSettings& settings) {
    return waves(shape[0], kRank, 0.7, settings);
}

at::Tensor downOf(const Shape& shape, const AdapterSettings& settings) {
    return withOdd(waves(kRank, shape[1], 0.3, settings), settings);
}

at::Tensor layerInFile(const AdapterSettings& settings) {
    return withOdd(waves(kLayerRows, kLayerColumns, 0.9, settings), settings);
}

at::Tensor inF32(const at::Tensor& factor) {
    return factor.to(at::kFloat);
}

/// Collects the bytes of an adapter's file.
class FactorFile {
public:
    memory::FactorLocation location(const std::string& name, const at::Tensor& values, DType type) {
        memory::FactorLocation factor{.name = name,
                                      .key = name + std::to_string(bytes_.size()),
                                      .file = 0,
                                      .fileOffset = static_cast<int64_t>(bytes_.size()),
                                      .type = type,
                                      .shape = values.sizes().vec()};
        bytes_.append(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
        return factor;
    }

    [[nodiscard]] std::vector<memory::WeightFile> write(const std::string& path) const {
        files::writeFileAtomically(path, bytes_);
        return {fileOf(path)};
    }

private:
    std::string bytes_ = "header..";
};

}  // namespace

void LowRankMath::apply(at::Tensor& weight,
                        std::span<const residency::FactoredDelta> deltas) const {
    for (const residency::FactoredDelta& each : deltas) {
        weight.addmm_(inF32(each.factors[0]), inF32(each.factors[1]), 1, each.delta->strength);
    }
}

void LowRankMath::applyToRows(at::Tensor& rows,
                              const at::Tensor& ids,
                              std::span<const residency::FactoredDelta> deltas) const {
    for (const residency::FactoredDelta& each : deltas) {
        rows.addmm_(inF32(each.factors[0]).index_select(0, ids),
                    inF32(each.factors[1]),
                    1,
                    each.delta->strength);
    }
}

std::shared_ptr<const memory::ComponentTree> adapted(const memory::ComponentTree& tree,
                                                     const std::string& path,
                                                     AdapterSettings settings) {
    memory::Adapted adapter;
    std::set<memory::StorageId> seen;  // a tied weight is changed once
    FactorFile file;
    for (memory::WeightId id = 0; id < tree.weights.size(); ++id) {
        const Shape& shape = tree.weights[id].shape;
        const bool isFirst = seen.insert(tree.weights[id].storage).second;
        if (shape.size() == 2 && isFirst) {
            adapter.deltas.push_back(
                {.weight = id,
                 .kind = "low_rank",
                 .factors = {file.location("up", upOf(shape, settings), settings.type),
                             file.location("down", downOf(shape, settings), settings.type)},
                 .strength = settings.strength});
        }
    }
    adapter.files = file.write(path);
    return std::make_shared<const memory::ComponentTree>(memory::patched(tree, adapter));
}

std::shared_ptr<const memory::ComponentTree> withLayers(const memory::ComponentTree& tree,
                                                        const std::string& path,
                                                        AdapterSettings settings) {
    memory::Composition layers;
    FactorFile file;
    for (memory::LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
        if (!tree.leaves[leaf].gathered) {
            layers.weights.push_back(
                {.leaf = leaf,
                 .location = file.location("layer", layerInFile(settings), settings.type)});
        }
    }
    layers.files = file.write(path);
    return std::make_shared<const memory::ComponentTree>(memory::composed(tree, layers));
}

at::Tensor layerOf(const AdapterSettings& settings) {
    return inF32(layerInFile(settings));
}

at::Tensor changed(const at::Tensor& hostWeight,
                   const memory::Weight& weight,
                   AdapterSettings settings) {
    at::Tensor exact = hostWeight.to(at::kFloat, false, true);
    if (weight.isTransposed) {
        exact = exact.t().contiguous().t();  // as it lies on a device: sums take other ways there
    }
    if (weight.shape.size() == 2) {
        const memory::WeightDelta delta{.kind = "low_rank", .strength = settings.strength};
        const residency::FactoredDelta factored{
            .delta = &delta,
            .factors = {upOf(weight.shape, settings), downOf(weight.shape, settings)}};
        LowRankMath().apply(exact, {&factored, 1});
    }
    return exact;
}

}  // namespace lowtide::testing
