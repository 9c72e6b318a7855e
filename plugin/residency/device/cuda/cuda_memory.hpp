#pragma once

#include "plugin/residency/device/cuda/cuda_driver.hpp"
#include "plugin/residency/device/device.hpp"

namespace lowtide::residency {

/// Memory of one card, from LibTorch's caching allocator, and pinned host memory for its copies.
class CudaMemory {
public:
    /// The first use of a card makes its context.
    explicit CudaMemory(const CudaCard& card);

    /// Error{OutOfMemory} with the bytes asked for.
    [[nodiscard]] std::unique_ptr<Arena> allocate(Bytes bytes) const;
    [[nodiscard]] std::unique_ptr<Arena> allocatePinned(Bytes bytes) const;

    /// What others have not taken, with what the allocator keeps without need.
    [[nodiscard]] Bytes free() const;
    [[nodiscard]] Bytes allocated() const;
    [[nodiscard]] Bytes peakAllocated() const;
    void resetPeak() const;
    /// Bounds what the allocator takes from the card, which is never less than what it gives out.
    void cap(Bytes bytes) const;
    [[nodiscard]] AllocatorState state() const;
    void returnCached() const;

    /// What cuBLAS takes of the allocator at its first product after they were dropped.
    [[nodiscard]] static Bytes productWorkspace();
    /// Those of all cards.
    static void dropWorkspaces();

private:
    CudaCard card_;
};

}  // namespace lowtide::residency
