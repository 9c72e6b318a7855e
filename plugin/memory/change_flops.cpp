#include "plugin/memory/change_flops.hpp"

#include "plugin/base/shape.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>

namespace lowtide::memory {

namespace {

constexpr double kOfAddition = 2;  ///< scaled and added
constexpr double kOfProduct = 2;   ///< multiplied and added, for each element and rank

double elementsOf(const Shape& shape) {
    return static_cast<double>(elementCount(shape).value());
}

double flopsOf(const ComponentTree& tree, const WeightChange& change) {
    const Shape& shape = tree.weights[change.weight].shape;
    const double elements = elementsOf(shape);
    const double rows = shape.empty() ? 1 : static_cast<double>(std::max<int64_t>(1, shape[0]));
    double ranks = 0;
    for (const ChangeFactor& factor : change.factors) {
        const double numbers = elementsOf(tree.weights[factor.weight].shape);
        if (numbers < elements) {
            ranks += numbers / (rows + elements / rows);
        }
    }
    return (kOfAddition + kOfProduct * ranks) * elements;
}

}  // namespace

std::vector<double> changeFlopsOfStorages(const ComponentTree& tree) {
    std::vector<double> flops(tree.storages.size(), 0);
    for (const WeightChange& change : tree.changes) {
        flops[tree.weights[change.weight].storage] += flopsOf(tree, change);
    }
    return flops;
}

}  // namespace lowtide::memory
