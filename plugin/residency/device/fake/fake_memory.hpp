#pragma once

#include "plugin/residency/device/fake/fake_device.hpp"
#include "plugin/residency/device/fake/hazard_checker.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/Device.h>

#include <mutex>

namespace lowtide::residency {

inline const c10::Device kFakeTorchDevice{c10::DeviceType::PrivateUse1, 0};

/// The fake card's memory: blocks of host memory in multiples of kSlotAlignment, NaN when given out
/// and when freed. Thread-safe.
class FakeMemory final : public c10::Allocator {
public:
    /// c10::OutOfMemoryError beyond the limits.
    c10::DataPtr allocate(size_t bytes) override;

    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }

    void copy_data(void* target, const void* source, size_t bytes) const override;

    /// nullptr beyond the limits, without throwing.
    [[nodiscard]] c10::DataPtr tryAllocate(Bytes bytes);

    /// Another card: limits and counters begin anew, what is allocated stays.
    void setSize(Bytes capacity, Bytes spill);
    /// The allocation of this number from now on fails, once; 0: none.
    void failAt(int64_t number);
    /// Upper bound on allocated() below the capacity, or -1 for none.
    void setLimit(Bytes bytes);
    void resetPeak();
    [[nodiscard]] Bytes capacity() const;
    [[nodiscard]] Bytes allocated() const;
    [[nodiscard]] Bytes peak() const;
    [[nodiscard]] Bytes spilled() const;
    /// Allocations that were refused since the process began.
    [[nodiscard]] int64_t failures() const;

    [[nodiscard]] HazardChecker& hazards() noexcept { return hazards_; }

    void countOperator();
    /// A tensor copy between host and device.
    void countTransfer(bool isToDevice, Bytes bytes);
    [[nodiscard]] FakeCounters counters() const;

private:
    struct Block;
    static void free(void* block);
    [[nodiscard]] bool reserve(Bytes bytes);

    mutable std::mutex mutex_;
    Bytes capacity_ = 0;
    Bytes spill_ = 0;
    Bytes limit_ = -1;
    int64_t untilFailure_ = 0;  ///< allocations; 0: none will
    Bytes allocated_ = 0;
    Bytes peak_ = 0;
    Bytes spilled_ = 0;
    int64_t failures_ = 0;
    FakeCounters counters_;
    HazardChecker hazards_;
};

/// The process's one fake card. ATen keeps a pointer to it for tensors of any age, so it is never
/// destroyed.
[[nodiscard]] FakeMemory& fakeMemory();

/// Makes bytes NaN in every floating type (0xFF).
void poison(void* data, Bytes bytes);

}  // namespace lowtide::residency
