#include "plugin/residency/change_math.hpp"

namespace lowtide::residency {

std::vector<FactoredChange> factored(std::span<const memory::WeightChange* const> changes,
                                     const std::function<at::Tensor(memory::WeightId)>& factorOf) {
    std::vector<FactoredChange> found;
    for (const memory::WeightChange* change : changes) {
        FactoredChange& each = found.emplace_back(FactoredChange{.change = change});
        for (const memory::ChangeFactor& factor : change->factors) {
            each.factors.push_back(factorOf(factor.weight));
        }
    }
    return found;
}

}  // namespace lowtide::residency
