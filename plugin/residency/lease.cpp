#include "plugin/residency/lease.hpp"

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

}  // namespace lowtide::residency
