#include "tests/unit/residency/adapted.hpp"

#include "plugin/files/output_file.hpp"
#include "plugin/memory/changed_tree.hpp"
#include "plugin/residency/scalar_type.hpp"
#include "tests/unit/residency/synthetic_model.hpp"

#include <ATen/ATen.h>

#include <set>
#include <utility>

namespace lowtide::testing {

namespace {

constexpr int64_t kRank = 4;

at::Tensor waves(int64_t rows, int64_t columns, double step, const AdapterSettings& settings) {
    return at::sin(at::arange(rows * columns, at::kFloat) * step + settings.phase)
        .view({rows, columns})
        .to(residency::scalarTypeOf(settings.type));
}

at::Tensor upOf(const Shape& shape, const AdapterSettings& settings) {
    return waves(shape[0], kRank, 0.7, settings);
}

at::Tensor downOf(const Shape& shape, const AdapterSettings& settings) {
    return waves(kRank, shape[1], 0.3, settings);
}

at::Tensor inF32(const at::Tensor& factor) {
    return factor.to(at::kFloat);
}

}  // namespace

void LowRankMath::apply(at::Tensor& weight,
                        std::span<const residency::FactoredChange> changes) const {
    for (const residency::FactoredChange& each : changes) {
        weight.addmm_(inF32(each.factors[0]), inF32(each.factors[1]), 1, each.change->strength);
    }
}

void LowRankMath::applyToRows(at::Tensor& rows,
                              const at::Tensor& ids,
                              std::span<const residency::FactoredChange> changes) const {
    for (const residency::FactoredChange& each : changes) {
        rows.addmm_(inF32(each.factors[0]).index_select(0, ids),
                    inF32(each.factors[1]),
                    1,
                    each.change->strength);
    }
}

std::shared_ptr<const memory::ComponentTree> adapted(const memory::ComponentTree& tree,
                                                     const std::string& path,
                                                     AdapterSettings settings) {
    memory::Adapted adapter;
    std::set<memory::StorageId> seen;  // a tied weight is changed once
    std::string bytes = "header..";
    const auto place = [&](const char* name, const at::Tensor& factor) {
        memory::FactorPlace placed{.name = name,
                                   .key = name + std::to_string(bytes.size()),
                                   .file = 0,
                                   .fileOffset = static_cast<int64_t>(bytes.size()),
                                   .type = settings.type,
                                   .shape = factor.sizes().vec()};
        bytes.append(static_cast<const char*>(factor.const_data_ptr()), factor.nbytes());
        return placed;
    };
    for (memory::WeightId id = 0; id < tree.weights.size(); ++id) {
        const Shape& shape = tree.weights[id].shape;
        const bool isFirst = seen.insert(tree.weights[id].storage).second;
        if (shape.size() == 2 && isFirst) {
            adapter.changes.push_back({.weight = id,
                                       .kind = "low_rank",
                                       .factors = {place("up", upOf(shape, settings)),
                                                   place("down", downOf(shape, settings))},
                                       .strength = settings.strength});
        }
    }
    files::writeFileAtomically(path, bytes);
    adapter.files = {fileOf(path)};
    return std::make_shared<const memory::ComponentTree>(memory::patched(tree, adapter));
}

at::Tensor changed(const at::Tensor& master,
                   const memory::Weight& weight,
                   AdapterSettings settings) {
    at::Tensor exact = master.to(at::kFloat, false, true);
    if (weight.isTransposed) {
        exact = exact.t().contiguous().t();  // as it lies on a device: sums take other ways there
    }
    if (weight.shape.size() == 2) {
        const memory::WeightChange change{.kind = "low_rank", .strength = settings.strength};
        const residency::FactoredChange factored{
            .change = &change,
            .factors = {upOf(weight.shape, settings), downOf(weight.shape, settings)}};
        LowRankMath().apply(exact, {&factored, 1});
    }
    return exact;
}

}  // namespace lowtide::testing
