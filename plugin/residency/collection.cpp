#include "plugin/residency/collection.hpp"

#include <algorithm>

namespace lowtide::residency {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{2};
constexpr Bytes kWorthTrimming = 64 * kMiB;
/// What an operator may add to the heap before anybody looks again: glibc's aligned blocks leave
/// holes that the next one does not fill.
constexpr Bytes kGrowsBetweenLooks = 128 * kMiB;

}  // namespace

memory::MemoryState Collector::stateOf(const Device& device) const {
    const ProcessMemory process = processMemory();
    const AllocatorState allocator = device.allocatorState();
    memory::MemoryState state{.deviceUsed = device.allocated() + allocator.cached,
                              .deviceCapacity = device.traits().capacity,
                              .hostUsed = process.resident,
                              .hostTotal = hostMemory().total,
                              .deviceCollectable = allocator.cached,
                              .hostCollectable = collectableHeap(process),
                              .retries = allocator.retries,
                              .outOfMemory = allocator.outOfMemory,
                              .deviceIsHost = device.torchDevice().is_cpu()};
    if (state.deviceIsHost) {
        state.deviceUsed = state.hostUsed;
        state.deviceCapacity = state.hostTotal;
        state.deviceCollectable = state.hostCollectable;
    }
    return state;
}

/// Pages that came since the last collection and that no block in use explains. Whether blocks with
/// a map of their own were touched is not known; the larger of both answers is never too small.
Bytes Collector::collectableHeap(const ProcessMemory& now) const {
    const Bytes pages = now.residentPrivate - afterLast_.residentPrivate;
    const Bytes inHeap = now.heapUsed - afterLast_.heapUsed;
    const Bytes mapped = now.heapMapped - afterLast_.heapMapped;
    const Bytes unexplained = pages - inHeap - std::min<Bytes>(0, mapped);
    return std::clamp<Bytes>(unexplained, 0, now.heapFree);
}

Bytes Collector::collectOn(Device& device) {
    const memory::MemoryState before = stateOf(device);
    device.extras().returnCached();
    trimHeap();
    afterLast_ = processMemory();
    const memory::MemoryState after = stateOf(device);
    const Bytes host = before.hostUsed - after.hostUsed;
    return before.deviceIsHost ? host : host + before.deviceUsed - after.deviceUsed;
}

void Collector::keepBelow(Bytes most) {
    const auto now = std::chrono::steady_clock::now();
    if (now - lastLook_ < kBetweenLooks) {
        return;
    }
    lastLook_ = now;
    if (residentPrivateNow() + kGrowsBetweenLooks > most &&
        collectableHeap(processMemory()) > kWorthTrimming) {
        trimHeap();
        afterLast_ = processMemory();
    }
}

}  // namespace lowtide::residency
