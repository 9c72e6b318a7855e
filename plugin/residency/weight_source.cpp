#include "plugin/residency/weight_source.hpp"

#include <utility>

namespace lowtide::residency {

Lease::Lease(std::vector<at::Tensor> tensors, std::unique_ptr<Holder> holder)
    : tensors_(std::move(tensors)), holder_(std::move(holder)) {}

Lease::Lease(Lease&& other) noexcept = default;

Lease& Lease::operator=(Lease&& other) noexcept {
    tensors_ = std::move(other.tensors_);
    holder_ = std::move(other.holder_);
    return *this;
}

// Here and above the tensors go before the holder lets their memory be reused.
Lease::~Lease() {
    tensors_.clear();
}

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
