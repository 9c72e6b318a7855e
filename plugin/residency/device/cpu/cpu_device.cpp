#include "plugin/residency/device/cpu/cpu_device.hpp"

#include "plugin/base/error.hpp"
#include "plugin/residency/copy_queue.hpp"
#include "plugin/residency/device/cpu/host_memory.hpp"
#include "plugin/residency/device/held_bytes.hpp"
#include "plugin/residency/scalar_type.hpp"

#include <ATen/ops/from_blob.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/Exception.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <cstdlib>
#include <cstring>

namespace lowtide::residency {

const std::shared_ptr<CpuAllocations>& CpuAllocations::ofProcess() {
    static const auto allocations = std::make_shared<CpuAllocations>();
    return allocations;
}

void CpuAllocations::attachThread() {
    constexpr auto kKind = c10::DebugInfoKind::PROFILER_STATE;
    if (!c10::ThreadLocalDebugInfo::get(kKind)) {
        c10::ThreadLocalDebugInfo::_push(kKind, ofProcess());
    }
}

bool CpuAllocations::fits(Bytes bytes) const noexcept {
    const Bytes limit = limit_;
    return limit < 0 || bytes_ + bytes <= limit;
}

void CpuAllocations::add(Bytes delta) noexcept {
    const Bytes now = bytes_ += delta;
    Bytes peak = peak_;
    while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
    }
}

void CpuAllocations::reportMemoryUsage(
    void* pointer, int64_t size, size_t totalAllocated, size_t totalReserved, c10::Device device) {
    if (!device.is_cpu()) {
        return;
    }
    // Mapped storages report too, with nothing allocated; a refusal below must only meet the CPU
    // allocator's own.
    const bool isFromAllocator = totalReserved == 0 && (size < 0 || totalAllocated > 0);
    if (size <= 0 || !isFromAllocator || fits(size)) {
        add(size);
        return;
    }
    // The allocator reports a block before anybody owns it, so a throw alone would leak it: first
    // give it back, as its deleter does. Source: c10/core/CPUAllocator.cpp of torch 2.11,
    // DefaultCPUAllocator::allocate and ReportAndDelete.
    addFailure();
    add(size);
    c10::profiledCPUMemoryReporter().Delete(pointer);
    c10::free_cpu(pointer);
    TORCH_CHECK_WITH(OutOfMemoryError,
                     false,
                     "cpu: a tensor of ",
                     size,
                     " bytes does not fit: ",
                     bytes_.load(),
                     " of ",
                     limit_.load(),
                     " bytes are used");
}

namespace {

struct FreeMemory {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
};

class CpuArena final : public Arena {
public:
    CpuArena(std::byte* data, Bytes size, std::shared_ptr<CpuAllocations> allocations)
        : data_(data), size_(size), allocations_(std::move(allocations)) {
        allocations_->add(size_);
    }

    ~CpuArena() override { allocations_->add(-size_); }

    [[nodiscard]] std::byte* data() const override { return data_.get(); }

    [[nodiscard]] Bytes size() const override { return size_; }

private:
    std::unique_ptr<std::byte, FreeMemory> data_;
    Bytes size_;
    std::shared_ptr<CpuAllocations> allocations_;
};

[[noreturn]] void refuse(Bytes bytes, Bytes used) {
    throw Error(ErrorKind::OutOfMemory,
                message("cpu: {} for weights do not fit next to the {} in use",
                        formatBytes(bytes),
                        formatBytes(used)),
                message("choose a memory policy that holds less, or raise the budget"))
        .withBytesAsked(bytes);
}

/// Compute is what the run thread does itself: it is done when the call returns, so its events are
/// complete at once.
class CpuDevice final : public Device, private DeviceExtras {
public:
    CpuDevice() { computeDone_->complete(nullptr); }

    [[nodiscard]] memory::DeviceInfo info() const override {
        const HostMemory memory = hostMemory();
        return {"cpu", "cpu", processorName(), memory.total, memory.available};
    }

    [[nodiscard]] memory::DeviceTraits traits() const override {
        return {.usesWeightsInPlace = true, .capacity = hostMemory().total};
    }

    [[nodiscard]] c10::Device torchDevice() const override { return c10::kCPU; }

    void attachThread() override { CpuAllocations::attachThread(); }

    [[nodiscard]] std::unique_ptr<Arena> allocate(Bytes bytes) override {
        const Bytes size = alignUp(bytes, memory::kSlotAlignment);
        void* data = allocations_->fits(size)
                         ? std::aligned_alloc(memory::kSlotAlignment, static_cast<size_t>(size))
                         : nullptr;
        if (!data) {
            allocations_->addFailure();
            refuse(bytes, allocations_->bytes());
        }
        return std::make_unique<CpuArena>(static_cast<std::byte*>(data), size, allocations_);
    }

    [[nodiscard]] at::Tensor view(std::byte* data,
                                  at::IntArrayRef sizes,
                                  at::ScalarType type) override {
        return at::from_blob(data, sizes, at::TensorOptions(type));
    }

    [[nodiscard]] std::optional<at::Tensor> decode(const HeldBytes& held,
                                                   at::IntArrayRef sizes,
                                                   DType type) override {
        at::Tensor values = at::empty(sizes, scalarTypeOf(type));
        expectLargeUse(values.data_ptr(), static_cast<Bytes>(values.nbytes()));
        decodeOnHost(held, type, static_cast<std::byte*>(values.data_ptr()));
        return values;
    }

    void copyIn(std::byte* target, Bytes bytes, ByteSource source, std::string) override {
        queue_.copy([target, bytes, source = std::move(source)] { source(target, 0, bytes); });
    }

    [[nodiscard]] EventRef markCopy() override {
        auto event = std::make_shared<QueueEvent>();
        queue_.mark(event);
        return event;
    }

    [[nodiscard]] EventRef markCompute() override { return computeDone_; }

    void copyWaits(const EventRef& event) override {
        auto point = std::static_pointer_cast<const QueueEvent>(event);
        if (!point->isComplete()) {
            queue_.waitFor(std::move(point));
        }
    }

    void computeWaits(const EventRef& event) override { hostWaits(event); }

    void hostWaits(const EventRef& event) override {
        queue_.await(static_cast<const QueueEvent&>(*event));
    }

    void drain() noexcept override { queue_.drain(); }

    [[nodiscard]] memory::CopyTimes copyTimes() const override { return queue_.times(); }

    [[nodiscard]] Bytes allocated() const override { return allocations_->bytes(); }

    [[nodiscard]] Bytes peakAllocated() const override { return allocations_->peak(); }

    void resetPeak() override { allocations_->resetPeak(); }

    void cap(Bytes bytes) override { allocations_->setLimit(bytes); }

    [[nodiscard]] AllocatorState allocatorState() const override {
        return {.outOfMemory = allocations_->failures()};
    }

    [[nodiscard]] DeviceExtras& extras() override { return *this; }

private:
    const std::shared_ptr<CpuAllocations> allocations_ = CpuAllocations::ofProcess();
    std::shared_ptr<QueueEvent> computeDone_ = std::make_shared<QueueEvent>();
    CopyQueue queue_;
};

}  // namespace

std::unique_ptr<Device> openCpuDevice() {
    return std::make_unique<CpuDevice>();
}

}  // namespace lowtide::residency
