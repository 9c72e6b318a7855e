#include "plugin/residency/bookkeeping.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"

#include <utility>

namespace lowtide::residency {

void TrafficCounter::reset() {
    const std::lock_guard lock(mutex_);
    traffic_ = {};
    patterns_.clear();
    currentPattern_ = nullptr;
}

void TrafficCounter::addCopy(Bytes toDevice, Bytes read) {
    const std::lock_guard lock(mutex_);
    traffic_.bytesToDevice += toDevice;
    traffic_.bytesRead += read;
    ++traffic_.copies;
    if (currentPattern_) {
        currentPattern_->moved += toDevice;
    }
}

void TrafficCounter::addRead(Bytes bytes) {
    const std::lock_guard lock(mutex_);
    traffic_.bytesRead += bytes;
}

void TrafficCounter::addRows(Bytes toDevice, Bytes read) {
    const std::lock_guard lock(mutex_);
    traffic_.rowBytesToDevice += toDevice;
    traffic_.bytesRead += read;
}

void TrafficCounter::addLease() {
    const std::lock_guard lock(mutex_);
    ++traffic_.leases;
}

void TrafficCounter::addMiss() {
    const std::lock_guard lock(mutex_);
    ++traffic_.misses;
}

void TrafficCounter::beginPass(uint32_t pattern) {
    const std::lock_guard lock(mutex_);
    currentPattern_ = &patterns_[pattern];
    ++currentPattern_->passes;
}

void TrafficCounter::endPass() {
    const std::lock_guard lock(mutex_);
    currentPattern_ = nullptr;
}

void TrafficCounter::beginStage() {
    const std::lock_guard lock(mutex_);
    patterns_.clear();
    currentPattern_ = nullptr;
}

void TrafficCounter::addStage(memory::StageTraffic stage) {
    const std::lock_guard lock(mutex_);
    stage.patterns = std::move(patterns_);
    patterns_.clear();
    currentPattern_ = nullptr;
    traffic_.stages.push_back(std::move(stage));
}

memory::Traffic TrafficCounter::snapshot() const {
    const std::lock_guard lock(mutex_);
    return traffic_;
}

const ChangeMath& Bookkeeping::mathOf(const memory::ComponentTree& tree) const {
    if (!changes) {
        throw Error(ErrorKind::Internal,
                    "adapters change the weights of the " + tree.role +
                        ", but this engine was made without their mathematics");
    }
    return *changes;
}

}  // namespace lowtide::residency
