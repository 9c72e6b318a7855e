#pragma once
// The CPU as a device, and the counter of its tensors.

#include "plugin/base/units.hpp"
#include "plugin/residency/device/device.hpp"

#include <c10/core/Allocator.h>

#include <atomic>
#include <memory>

namespace lowtide::residency {

/// Counts the CPU tensors of the threads that it is attached to, through ATen's memory reports, and
/// arenas through add(). A tensor that dies on a thread without a counter remains counted.
class CpuAllocations final : public c10::MemoryReportingInfoBase {
public:
    /// The one counter of the process, as ATen's CPU allocator is one: a tensor may outlive the
    /// engine that made it.
    [[nodiscard]] static const std::shared_ptr<CpuAllocations>& ofProcess();

    /// Counts on this thread until the thread ends. Nothing happens where a counter or a profiler
    /// is attached already.
    static void attachThread();

    [[nodiscard]] Bytes bytes() const noexcept { return bytes_; }

    [[nodiscard]] Bytes peak() const noexcept { return peak_; }

    void resetPeak() noexcept { peak_ = bytes_.load(); }

    /// Upper bound on bytes(), or -1 for none. A tensor beyond it is refused with
    /// c10::OutOfMemoryError.
    void setLimit(Bytes bytes) noexcept { limit_ = bytes; }

    /// Whether `bytes` more are within the limit.
    [[nodiscard]] bool fits(Bytes bytes) const noexcept;
    void add(Bytes delta) noexcept;

    /// An allocation was refused.
    void addFailure() noexcept { ++failures_; }

    [[nodiscard]] int64_t failures() const noexcept { return failures_; }

    void reportMemoryUsage(void* pointer,
                           int64_t size,
                           size_t totalAllocated,
                           size_t totalReserved,
                           c10::Device device) override;

    [[nodiscard]] bool memoryProfilingEnabled() const override { return true; }

private:
    std::atomic<Bytes> bytes_{0};
    std::atomic<Bytes> peak_{0};
    std::atomic<Bytes> limit_{-1};
    std::atomic<int64_t> failures_{0};
};

/// The CPU as a device: weights are used where their files are mapped or in arenas of host memory;
/// tensors are counted on attached threads.
[[nodiscard]] std::unique_ptr<Device> openCpuDevice();

}  // namespace lowtide::residency
