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

std::vector<FactoredDelta> factored(std::span<const memory::WeightDelta* const> deltas,
                                    const std::function<at::Tensor(memory::WeightId)>& factorOf) {
    std::vector<FactoredDelta> found;
    for (const memory::WeightDelta* delta : deltas) {
        FactoredDelta& each = found.emplace_back(FactoredDelta{.delta = delta});
        for (const memory::DeltaFactor& factor : delta->factors) {
            each.factors.push_back(factorOf(factor.weight));
        }
    }
    return found;
}

}  // namespace lowtide::residency
