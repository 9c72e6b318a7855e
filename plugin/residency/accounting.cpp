#include "plugin/residency/accounting.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>
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

void TrafficCounter::beginForward(uint32_t pattern) {
    const std::lock_guard lock(mutex_);
    currentPattern_ = &patterns_[pattern];
    ++currentPattern_->forwards;
}

void TrafficCounter::endForward() {
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

const DeltaMath& Accounting::mathOf(const memory::ComponentTree& tree) const {
    if (!deltas) {
        throw Error(ErrorKind::Internal,
                    message("adapters change the weights of the {}, but this engine was made "
                            "without their mathematics",
                            tree.role));
    }
    return *deltas;
}

void ActivationMeter::start(std::string node) {
    node_ = std::move(node);
    isRunning_ = true;
    for (const auto& [id, device] : devices_.working()) {
        device->device->extras().dropWorkspaces();  // each node counts its own
        device->bytesAtEnter = device->device->allocated();
        device->device->resetPeak();
    }
}

void ActivationMeter::note() {
    for (const auto& [id, device] : devices_.working()) {
        const Bytes more = device->device->allocated() - device->bytesAtEnter;
        accounting_.ledger.set(id, memory::Tag::Activations, node_, std::max<Bytes>(0, more));
    }
}

void ActivationMeter::finish() noexcept {
    if (!std::exchange(isRunning_, false)) {
        return;
    }
    for (const auto& [id, device] : devices_.all()) {
        Bytes more = 0;
        device->unlessLost(
            [&, &state = *device] { more = state.device->peakAllocated() - state.bytesAtEnter; });
        accounting_.noteThrown([&, &id = id] {
            accounting_.ledger.set(id, memory::Tag::Activations, node_, std::max<Bytes>(0, more));
        });
        accounting_.noteThrown(
            [&, &id = id] { accounting_.ledger.set(id, memory::Tag::Activations, node_, 0); });
    }
}

using memory::NodeIndex;

void StageClock::start() {
    begin_ = std::chrono::steady_clock::now();
    accounting_.traffic.beginStage();
    before_ = accounting_.traffic.snapshot();
    for (const auto& [id, device] : devices_.working()) {  // also those that this run leaves alone
        device->unlessLost(
            [&, &state = *device] { timesBefore_[state.id] = state.device->copyTimes(); });
    }
}

void StageClock::finish(NodeIndex node) {
    const auto end = std::chrono::steady_clock::now();
    const memory::Traffic now = accounting_.traffic.snapshot();
    memory::StageTraffic stage{.node = plan_.stages[node].node,
                               .seconds = std::chrono::duration<double>(end - begin_).count(),
                               .bytesToDevice = now.bytesToDevice - before_.bytesToDevice,
                               .misses = now.misses - before_.misses};
    for (const auto& [id, device] : devices_.working()) {
        const memory::CopyTimes before = timesBefore_[id];
        memory::CopyTimes times = before;
        device->unlessLost([&, &state = *device] { times = state.device->copyTimes(); });
        const memory::CopyTimes own{.copy = times.copy - before.copy,
                                    .wait = times.wait - before.wait};
        if (own.copy > 0 || isCopiedTo(id, node)) {
            stage.copyQueues[id] = own;
        }
    }
    accounting_.traffic.addStage(std::move(stage));
}

/// Whether the node runs a network whose weights do not lie on the device already where their file
/// is mapped.
bool StageClock::isCopiedTo(const std::string& device, NodeIndex node) const {
    return std::any_of(plan_.uses.begin(), plan_.uses.end(), [&](const memory::PlannedUse& use) {
        const memory::PlannedComponent& component = plan_.components[use.component];
        return use.node == node && component.device.id() == device &&
               plan_.residencies[use.residency].layout->arenaBytes() > 0;
    });
}

}  // namespace lowtide::residency
