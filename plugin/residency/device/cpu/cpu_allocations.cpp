#include "plugin/residency/device/cpu/cpu_allocations.hpp"

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/Exception.h>
#include <c10/util/ThreadLocalDebugInfo.h>

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

}  // namespace lowtide::residency
