#pragma once

#include "plugin/residency/device/fake/fake_device.hpp"
#include "plugin/residency/device/fake/hazard_checker.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/Device.h>

#include <map>
#include <mutex>
#include <set>
#include <string>

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
    [[nodiscard]] c10::DataPtr tryAllocate(Bytes bytes, memory::AllocationKind kind);
    /// Whether an allocation that takes no memory of the card (Staging, Wire) succeeds.
    [[nodiscard]] bool admit(memory::AllocationKind kind);

    /// Another card: limits and counters begin anew, what is allocated stays.
    void setSize(Bytes capacity, Bytes spill);
    /// From now on; the numbers begin anew.
    void setFailing(const memory::FailingAllocation& failing);
    /// From now on; calls are counted anew. 0: the card is not lost.
    void setLostAt(int64_t call);
    /// The card is asked for something. c10::Error from the call on at which it is lost.
    void noteCall();
    /// What noteCall() says; empty while the card is there.
    [[nodiscard]] std::string loss() const;
    /// Upper bound on allocated() below the capacity, or -1 for none.
    void setLimit(Bytes bytes);
    /// Begins a stage: tensors that are there come from another one.
    void resetPeak();
    [[nodiscard]] Bytes capacity() const;
    [[nodiscard]] Bytes allocated() const;
    [[nodiscard]] Bytes peak() const;
    [[nodiscard]] memory::RehearsalCounts rehearsal() const;
    /// Bytes of the card are read or written.
    void touch(ByteRange range);
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
    [[nodiscard]] bool reserve(Block& block);
    [[nodiscard]] bool isToFail(memory::AllocationKind kind);

    mutable std::mutex mutex_;
    Bytes capacity_ = 0;
    Bytes spill_ = 0;
    Bytes limit_ = -1;
    memory::FailingAllocation failing_;
    int64_t lostAt_ = 0;
    int64_t calls_ = 0;
    Bytes allocated_ = 0;
    Bytes peak_ = 0;
    memory::RehearsalCounts counts_;
    std::map<const Block*, int64_t> liveActivations_;  ///< with their numbers
    std::set<int64_t> onWires_;                        ///< as RehearsalCounts has them
    std::map<const std::byte*, const std::byte*> spilledRanges_;
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
