#include "plugin/residency/device/cuda/cuda_memory.hpp"

#include "plugin/base/error.hpp"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/env.h>

#include <algorithm>

namespace lowtide::residency {

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);

class CudaArena final : public Arena {
public:
    explicit CudaArena(Bytes bytes)
        : data_(static_cast<std::byte*>(allocator::raw_alloc(static_cast<size_t>(bytes)))),
          bytes_(bytes) {}

    ~CudaArena() override { allocator::raw_delete(data_); }

    [[nodiscard]] std::byte* data() const override { return data_; }

    [[nodiscard]] Bytes size() const override { return bytes_; }

private:
    std::byte* data_;
    Bytes bytes_;
};

class PinnedArena final : public Arena {
public:
    explicit PinnedArena(Bytes bytes) : bytes_(bytes) {
        void* data = nullptr;
        C10_CUDA_CHECK(cudaHostAlloc(&data, static_cast<size_t>(bytes), cudaHostAllocDefault));
        data_ = static_cast<std::byte*>(data);
    }

    /// What a lost card answers changes nothing here.
    ~PinnedArena() override { static_cast<void>(cudaFreeHost(data_)); }

    [[nodiscard]] std::byte* data() const override { return data_; }

    [[nodiscard]] Bytes size() const override { return bytes_; }

private:
    std::byte* data_ = nullptr;
    Bytes bytes_;
};

c10::DeviceIndex indexOf(const CudaCard& card) {
    return static_cast<c10::DeviceIndex>(card.index);
}

c10::CachingDeviceAllocator::DeviceStats statsOf(const CudaCard& card) {
    return allocator::getDeviceStats(indexOf(card));
}

}  // namespace

CudaMemory::CudaMemory(const CudaCard& card) : card_(card) {
    at::globalContext().lazyInitDevice(c10::kCUDA);
}

std::unique_ptr<Arena> CudaMemory::allocate(Bytes bytes) const {
    const c10::cuda::CUDAGuard guard(indexOf(card_));
    try {
        return std::make_unique<CudaArena>(alignUp(bytes, memory::kSlotAlignment));
    } catch (const c10::OutOfMemoryError&) {
        throw Error(ErrorKind::OutOfMemory,
                    card_.name + ": " + formatBytes(bytes) + " for weights do not fit beside the " +
                        formatBytes(allocated()) + " in use; " + formatBytes(free()) + " are free",
                    "choose a memory policy that holds less, or end other programs on the card")
            .withBytesAsked(bytes);
    }
}

std::unique_ptr<Arena> CudaMemory::allocatePinned(Bytes bytes) const {
    const c10::cuda::CUDAGuard guard(indexOf(card_));
    try {
        return std::make_unique<PinnedArena>(bytes);
    } catch (const c10::Error& error) {
        throw Error(ErrorKind::OutOfMemory,
                    "the host has no " + formatBytes(bytes) +
                        " to pin for weights on their way to " + card_.name + ": " +
                        error.what_without_backtrace(),
                    "end other programs, or pin less (pin=SIZE in the memory policy)")
            .withBytesAsked(bytes);
    }
}

Bytes CudaMemory::free() const {
    const c10::cuda::CUDAGuard guard(indexOf(card_));
    size_t free = 0;
    size_t total = 0;
    C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return static_cast<Bytes>(free) + state().cached;
}

Bytes CudaMemory::allocated() const {
    return statsOf(card_).allocated_bytes[kAll].current;
}

Bytes CudaMemory::peakAllocated() const {
    return statsOf(card_).allocated_bytes[kAll].peak;
}

void CudaMemory::resetPeak() const {
    allocator::resetPeakStats(indexOf(card_));
}

void CudaMemory::cap(Bytes bytes) const {
    const double share = static_cast<double>(bytes) / static_cast<double>(card_.capacity);
    allocator::setMemoryFraction(bytes < 0 ? 1 : std::min(1.0, share), indexOf(card_));
}

AllocatorState CudaMemory::state() const {
    const auto stats = statsOf(card_);
    return {.retries = stats.num_alloc_retries,
            .outOfMemory = stats.num_ooms,
            .cached = stats.reserved_bytes[kAll].current - stats.allocated_bytes[kAll].current};
}

void CudaMemory::returnCached() const {
    allocator::emptyCache();
}

/// cuBLASLt has its own, unless the environment says that both share one (LibTorch, CUDABlas.cpp).
Bytes CudaMemory::productWorkspace() {
    const auto first = static_cast<Bytes>(at::cuda::getChosenWorkspaceSize());
    const std::optional<bool> isShared = c10::utils::check_env("TORCH_CUBLASLT_UNIFIED_WORKSPACE");
    const auto own = static_cast<Bytes>(at::cuda::getCUDABlasLtWorkspaceSize());
    return first + (isShared.value_or(false) ? 0 : own);
}

void CudaMemory::dropWorkspaces() {
    at::cuda::clearCublasWorkspaces();
}

}  // namespace lowtide::residency
