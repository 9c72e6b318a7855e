#include "plugin/residency/device/fake/fake_memory.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace lowtide::residency {

struct FakeMemory::Block {
    FakeMemory* memory;
    void* data;
    Bytes bytes;
};

FakeMemory& fakeMemory() {
    static FakeMemory& memory = *std::make_unique<FakeMemory>().release();
    return memory;
}

void poison(void* data, Bytes bytes) {
    std::memset(data, 0xFF, static_cast<size_t>(bytes));
}

c10::DataPtr FakeMemory::allocate(size_t bytes) {
    c10::DataPtr data = tryAllocate(static_cast<Bytes>(bytes));
    TORCH_CHECK_WITH(OutOfMemoryError,
                     bytes == 0 || data,
                     "fake: ",
                     bytes,
                     " bytes do not fit beside ",
                     allocated(),
                     " bytes in use of ",
                     capacity());
    return data;
}

c10::DataPtr FakeMemory::tryAllocate(Bytes bytes) {
    const Bytes rounded = alignUp(bytes, memory::kSlotAlignment);
    if (bytes == 0 || !reserve(rounded)) {
        return {nullptr, kFakeTorchDevice};
    }
    void* data = std::aligned_alloc(memory::kSlotAlignment, static_cast<size_t>(rounded));
    auto block = std::make_unique<Block>(Block{this, data, rounded});
    if (!data) {
        const std::lock_guard lock(mutex_);
        allocated_ -= rounded;
        ++failures_;
        return {nullptr, kFakeTorchDevice};
    }
    poison(data, rounded);
    return {data, block.release(), &FakeMemory::free, kFakeTorchDevice};
}

void FakeMemory::free(void* context) {
    const std::unique_ptr<Block> block(static_cast<Block*>(context));
    poison(block->data, block->bytes);
    std::free(block->data);
    const std::lock_guard lock(block->memory->mutex_);
    block->memory->allocated_ -= block->bytes;
}

bool FakeMemory::reserve(Bytes bytes) {
    const std::lock_guard lock(mutex_);
    const Bytes all = capacity_ + spill_;
    const Bytes most = limit_ < 0 ? all : std::min(all, limit_);
    const bool fails = untilFailure_ > 0 && --untilFailure_ == 0;
    if (fails || allocated_ + bytes > most) {
        ++failures_;
        return false;
    }
    allocated_ += bytes;
    peak_ = std::max(peak_, allocated_);
    spilled_ = std::max(spilled_, allocated_ - capacity_);
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
    spilled_ = std::max<Bytes>(0, allocated_ - capacity);
    peak_ = allocated_;
    counters_ = {};
}

void FakeMemory::failAt(int64_t number) {
    const std::lock_guard lock(mutex_);
    untilFailure_ = number;
}

void FakeMemory::setLimit(Bytes bytes) {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
}

void FakeMemory::resetPeak() {
    const std::lock_guard lock(mutex_);
    peak_ = allocated_;
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

Bytes FakeMemory::spilled() const {
    const std::lock_guard lock(mutex_);
    return spilled_;
}

int64_t FakeMemory::failures() const {
    const std::lock_guard lock(mutex_);
    return failures_;
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
