#include "plugin/residency/device/fake/fake_memory.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <unordered_map>

namespace lowtide::residency {

namespace {

constexpr auto kMemoryReports = c10::DebugInfoKind::PROFILER_STATE;

}  // namespace

/// Passes on what is freed here and was taken before.
class GpuScratch::Reports final : public c10::MemoryReportingInfoBase {
public:
    explicit Reports(FakeMemory& memory) : memory_(memory) {}

    void reportMemoryUsage(void* pointer,
                           int64_t size,
                           size_t totalAllocated,
                           size_t totalReserved,
                           c10::Device device) override {
        if (size > 0 && device.is_cpu()) {
            blocks_[pointer] = size;
            memory_.addScratch(size);
        } else if (const auto own = blocks_.find(pointer); own != blocks_.end()) {
            memory_.addScratch(-own->second);
            blocks_.erase(own);
        } else if (before_) {
            before_->reportMemoryUsage(pointer, size, totalAllocated, totalReserved, device);
        }
    }

    [[nodiscard]] bool memoryProfilingEnabled() const override { return true; }

    /// Not as an allocation that could be refused: the memory is taken.
    void handOver() {
        constexpr size_t kIsMapped = 1;
        for (const auto& [pointer, size] : blocks_) {
            memory_.addScratch(-size);
            if (before_) {
                before_->reportMemoryUsage(pointer, size, 0, kIsMapped, c10::Device(c10::kCPU));
            }
        }
        blocks_.clear();
    }

private:
    FakeMemory& memory_;
    c10::MemoryReportingInfoBase* const before_ =
        static_cast<c10::MemoryReportingInfoBase*>(c10::ThreadLocalDebugInfo::get(kMemoryReports));
    std::unordered_map<void*, int64_t> blocks_;
};

GpuScratch::GpuScratch(FakeMemory& memory)
    : reports_(std::make_shared<Reports>(memory)), guard_(kMemoryReports, reports_) {}

GpuScratch::~GpuScratch() {
    reports_->handOver();
}

namespace {

using memory::AllocationKind;

/// A rehearsal that goes on for long reports no more numbers than this.
constexpr size_t kMostOnWires = 10000;

/// How long a driver takes to find memory beyond the GPU.
constexpr std::chrono::milliseconds kSpillDelay(1);

}  // namespace

struct FakeMemory::Block {
    FakeMemory* memory;
    Bytes bytes;
    AllocationKind kind;
    bool isSpilled = false;
    void* data = nullptr;
};

FakeMemory& fakeMemory(c10::DeviceIndex index) {
    static const auto kGpus = [] {
        std::array<FakeMemory*, kFakeGpus> gpus{};
        for (c10::DeviceIndex i = 0; i < kFakeGpus; ++i) {
            gpus[static_cast<size_t>(i)] = std::make_unique<FakeMemory>(i).release();
        }
        return gpus;
    }();
    TORCH_CHECK(index >= 0 && index < kFakeGpus, "fake: there is no GPU ", static_cast<int>(index));
    return *kGpus[static_cast<size_t>(index)];
}

FakeMemory& fakeMemoryOf(c10::Device device) {
    return fakeMemory(device.has_index()
                          ? device.index()
                          : c10::impl::getDeviceGuardImpl(kFakeTorchType)->getDevice().index());
}

std::string FakeMemory::id() const {
    return memory::DeviceSpec{.kind = "fake", .index = device_.index()}.id();
}

void poison(void* data, Bytes bytes) {
    std::memset(data, 0xFF, static_cast<size_t>(bytes));
}

c10::DataPtr FakeMemory::allocate(size_t bytes) {
    c10::DataPtr data = tryAllocate(static_cast<Bytes>(bytes), AllocationKind::Activation);
    TORCH_CHECK_WITH(OutOfMemoryError,
                     bytes == 0 || data,
                     id(),
                     ": ",
                     bytes,
                     " bytes do not fit next to ",
                     allocated(),
                     " bytes in use of ",
                     capacity());
    return data;
}

c10::DataPtr FakeMemory::tryAllocate(Bytes bytes, AllocationKind kind) {
    auto block = std::make_unique<Block>(Block{this, alignUp(bytes, memory::kSlotAlignment), kind});
    if (bytes == 0 || !reserve(*block)) {
        return {nullptr, device_};
    }
    if (block->isSpilled) {
        std::this_thread::sleep_for(kSpillDelay);
    }
    void* data = block->data;
    return {data, block.release(), &FakeMemory::free, device_};
}

bool FakeMemory::admit(AllocationKind kind) {
    const std::lock_guard lock(mutex_);
    return !isToFail(kind);
}

void FakeMemory::free(void* context) {
    const std::unique_ptr<Block> block(static_cast<Block*>(context));
    FakeMemory& memory = *block->memory;
    poison(block->data, block->bytes);
    {
        const std::lock_guard lock(memory.mutex_);
        memory.allocated_ -= block->bytes;
        memory.spilledRanges_.erase(rangeOf(block->data, 0).begin);
        if (block->kind == AllocationKind::Activation) {
            memory.liveActivations_.erase(block.get());
        }
    }
    std::free(block->data);
}

/// Counts the allocation; whether it is the one that fails.
bool FakeMemory::isToFail(AllocationKind kind) {
    const auto countOf = [&](AllocationKind of) {
        return counts_.allocations[static_cast<size_t>(of)];
    };
    ++counts_.allocations[static_cast<size_t>(kind)];
    const bool isOnGpu = kind == AllocationKind::Arena || kind == AllocationKind::Activation;
    const bool isMeant = failing_.kind ? *failing_.kind == kind : isOnGpu;
    const int64_t number =
        failing_.kind ? countOf(kind)
                      : countOf(AllocationKind::Arena) + countOf(AllocationKind::Activation);
    const bool fails = isMeant && failing_.number > 0 && number >= failing_.number &&
                       number <= std::max(failing_.number, failing_.last);
    failures_ += fails ? 1 : 0;
    return fails;
}

/// The block's memory, when the limits leave space for it.
bool FakeMemory::reserve(Block& block) {
    const std::lock_guard lock(mutex_);
    if (isToFail(block.kind)) {
        return false;
    }
    const Bytes all = capacity_ + spill_;
    const Bytes most = limit_ < 0 ? all : std::min(all, limit_);
    block.data = allocated_ + block.bytes > most
                     ? nullptr
                     : std::aligned_alloc(memory::kSlotAlignment, static_cast<size_t>(block.bytes));
    if (!block.data) {
        ++failures_;
        return false;
    }
    poison(block.data, block.bytes);
    allocated_ += block.bytes;
    peak_ = std::max(peak_, allocated_);
    counts_.spilled = std::max(counts_.spilled, allocated_ - capacity_);
    block.isSpilled = allocated_ > capacity_;
    if (block.isSpilled) {
        const ByteRange range = rangeOf(block.data, block.bytes);
        spilledRanges_.emplace(range.begin, range.end);
    }
    if (block.kind == AllocationKind::Activation) {
        liveActivations_.emplace(&block, counts_.allocations[static_cast<size_t>(block.kind)]);
    }
    return true;
}

void FakeMemory::copy_data(void* target, const void* source, size_t bytes) const {
    default_copy_data(target, source, bytes);
}

void FakeMemory::setSize(Bytes capacity, Bytes spill) {
    const std::lock_guard lock(mutex_);
    capacity_ = capacity;
    spill_ = spill;
    limit_ = -1;
    failing_ = {};
    counts_ = {};
    counts_.spilled = std::max<Bytes>(0, allocated_ - capacity);
    liveActivations_.clear();
    onWires_.clear();
    peak_ = allocated_;
    counters_ = {};
}

void FakeMemory::setFailing(const memory::FailingAllocation& failing) {
    const std::lock_guard lock(mutex_);
    failing_ = failing;
    counts_.allocations = {};
}

void FakeMemory::setLostAt(int64_t call) {
    const std::lock_guard lock(mutex_);
    lostAt_ = call;
    calls_ = 0;
}

void FakeMemory::noteCall() {
    {
        const std::lock_guard lock(mutex_);
        ++calls_;
    }
    const std::string why = loss();
    TORCH_CHECK(why.empty(), why);
}

std::string FakeMemory::loss() const {
    const std::lock_guard lock(mutex_);
    const bool isLost = lostAt_ > 0 && calls_ >= lostAt_;
    return isLost ? id() + ": the GPU was to be lost at call " + std::to_string(lostAt_)
                  : std::string();
}

void FakeMemory::setLimit(Bytes bytes) {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
}

void FakeMemory::resetPeak() {
    const std::lock_guard lock(mutex_);
    peak_ = allocated_;
    for (const auto& [block, number] : liveActivations_) {
        if (onWires_.size() < kMostOnWires) {
            onWires_.insert(number);
        }
    }
}

Bytes FakeMemory::capacity() const {
    const std::lock_guard lock(mutex_);
    return capacity_;
}

Bytes FakeMemory::allocated() const {
    const std::lock_guard lock(mutex_);
    return allocated_;
}

Bytes FakeMemory::peak() const {
    const std::lock_guard lock(mutex_);
    return peak_;
}

memory::RehearsalCounts FakeMemory::rehearsal() const {
    const std::lock_guard lock(mutex_);
    memory::RehearsalCounts counts = counts_;
    counts.held = allocated_;
    counts.activationsOnWires.assign(onWires_.begin(), onWires_.end());
    return counts;
}

void FakeMemory::touch(ByteRange range) {
    const std::lock_guard lock(mutex_);
    for (const auto& [begin, end] : spilledRanges_) {
        const auto* first = std::max(begin, range.begin);
        const auto* last = std::min(end, range.end);
        counts_.spilledTouched += first < last ? last - first : 0;
    }
}

int64_t FakeMemory::failures() const {
    const std::lock_guard lock(mutex_);
    return failures_;
}

void FakeMemory::addScratch(Bytes delta) {
    const std::lock_guard lock(mutex_);
    scratch_ += delta;
    counters_.scratch = std::max(counters_.scratch, scratch_);
}

void FakeMemory::countOperator() {
    const std::lock_guard lock(mutex_);
    ++counters_.operators;
}

void FakeMemory::countTransfer(bool isToDevice, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    ++counters_.copies;
    (isToDevice ? counters_.toDevice : counters_.toHost) += bytes;
}

FakeCounters FakeMemory::counters() const {
    const std::lock_guard lock(mutex_);
    return counters_;
}

}  // namespace lowtide::residency
