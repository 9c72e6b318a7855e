#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace lowtide::residency {

/// Permission to read the device weights of one leaf. The tensors are valid while the lease lives
/// and must not outlive it; destroying it records the last use and never waits. Move-only.
class Lease {
public:
    /// What the residency does when the lease ends.
    class Holder {
    public:
        virtual ~Holder() = default;
    };

    /// For weight sources. `holder` may be null.
    Lease(std::vector<at::Tensor> tensors, std::unique_ptr<Holder> holder);
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&& other) noexcept;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease();

    /// The leaf's `index`-th weight: its shape in the tree, compute type, on the node's device.
    [[nodiscard]] const at::Tensor& operator[](size_t index) const { return tensors_[index]; }

    [[nodiscard]] size_t size() const noexcept { return tensors_.size(); }

private:
    std::vector<at::Tensor> tensors_;
    std::unique_ptr<Holder> holder_;
};

}  // namespace lowtide::residency
