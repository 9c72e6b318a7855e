#include "plugin/residency/activation_meter.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::residency {

void ActivationMeter::start(std::string node) {
    node_ = std::move(node);
    isRunning_ = true;
    for (const auto& [id, device] : devices_.working()) {
        device->device->dropWorkspaces();  // each node counts its own
        device->bytesAtEnter = device->device->allocated();
        device->device->resetPeak();
    }
}

void ActivationMeter::note() {
    for (const auto& [id, device] : devices_.working()) {
        const Bytes more = device->device->allocated() - device->bytesAtEnter;
        books_.ledger.set(id, memory::Tag::Activations, node_, std::max<Bytes>(0, more));
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
        books_.noteThrown([&, &id = id] {
            books_.ledger.set(id, memory::Tag::Activations, node_, std::max<Bytes>(0, more));
        });
        books_.noteThrown(
            [&, &id = id] { books_.ledger.set(id, memory::Tag::Activations, node_, 0); });
    }
}

}  // namespace lowtide::residency
