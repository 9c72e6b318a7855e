#pragma once
// The fake GPU's memory, and host memory that plays a kernel's scratch.

#include "plugin/residency/device/fake/fake_device.hpp"
#include "plugin/residency/device/fake/hazard_checker.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/Device.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace lowtide::residency {

class FakeMemory;

/// While one lives, what its thread takes of ATen's host memory plays memory of a GPU's kernels:
/// the fake device counts it as scratch, and nobody counts it as the host's. What is left at the
/// end is the host's from then on.
class GpuScratch {
public:
    explicit GpuScratch(FakeMemory& memory);
    ~GpuScratch();
    GpuScratch(const GpuScratch&) = delete;
    GpuScratch& operator=(const GpuScratch&) = delete;

private:
    class Reports;

    std::shared_ptr<Reports> reports_;
    c10::DebugInfoGuard guard_;
};

inline constexpr auto kFakeTorchType = c10::DeviceType::PrivateUse1;

/// As many as the kind "fake" has.
inline constexpr c10::DeviceIndex kFakeGpus = 8;

/// One fake GPU's memory: blocks of host memory in multiples of kSlotAlignment, NaN when given out
/// and when freed. Thread-safe.
class FakeMemory final : public c10::Allocator {
public:
    explicit FakeMemory(c10::DeviceIndex index) : device_(kFakeTorchType, index) {}

    [[nodiscard]] c10::Device torchDevice() const noexcept { return device_; }

    /// As DeviceSpec::id() has it: "fake", "fake:1".
    [[nodiscard]] std::string id() const;

    /// c10::OutOfMemoryError beyond the limits.
    c10::DataPtr allocate(size_t bytes) override;

    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }

    void copy_data(void* target, const void* source, size_t bytes) const override;

    /// nullptr beyond the limits, without throwing.
    [[nodiscard]] c10::DataPtr tryAllocate(Bytes bytes, memory::AllocationKind kind);
    /// Whether an allocation that takes no memory of the GPU (Staging, Wire) succeeds.
    [[nodiscard]] bool admit(memory::AllocationKind kind);

    /// Another GPU: limits and counters begin again, what is allocated is kept.
    void setSize(Bytes capacity, Bytes spill);
    /// From now on; the numbers begin again.
    void setFailing(const memory::FailingAllocation& failing);
    /// From now on; the count of calls starts over. 0: the GPU is not lost.
    void setLostAt(int64_t call);
    /// The GPU is asked for something. c10::Error from the call on at which it is lost.
    void noteCall();
    /// What noteCall() throws; empty while the GPU is there.
    [[nodiscard]] std::string loss() const;
    /// Upper bound on allocated() below the capacity, or -1 for none.
    void setLimit(Bytes bytes);
    /// Begins a stage: tensors that are there come from another one.
    void resetPeak();
    [[nodiscard]] Bytes capacity() const;
    [[nodiscard]] Bytes allocated() const;
    [[nodiscard]] Bytes peak() const;
    [[nodiscard]] memory::RehearsalCounts rehearsal() const;
    /// Bytes of the GPU are read or written.
    void touch(ByteRange range);
    /// Allocations that were refused since the process began.
    [[nodiscard]] int64_t failures() const;

    [[nodiscard]] HazardChecker& hazards() noexcept { return hazards_; }

    /// Host memory that operators take in addition to tensors of the GPU (negative: give back).
    void addScratch(Bytes delta);
    void countOperator();
    /// A tensor copy between host and device.
    void countTransfer(bool isToDevice, Bytes bytes);
    [[nodiscard]] FakeCounters counters() const;

private:
    struct Block;
    static void free(void* block);
    [[nodiscard]] bool reserve(Block& block);
    [[nodiscard]] bool isToFail(memory::AllocationKind kind);

    const c10::Device device_;
    mutable std::mutex mutex_;
    Bytes scratch_ = 0;
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

/// The process's fake GPU of that index. ATen keeps pointers to them for tensors of any age, so
/// they are never destroyed.
[[nodiscard]] FakeMemory& fakeMemory(c10::DeviceIndex index);

/// That of a tensor or an argument; without an index the thread's current one.
[[nodiscard]] FakeMemory& fakeMemoryOf(c10::Device device);

/// Makes bytes NaN in every floating type (0xFF).
void poison(void* data, Bytes bytes);

}  // namespace lowtide::residency
