#include "plugin/residency/stage_clock.hpp"

#include <algorithm>

namespace lowtide::residency {

using memory::NodeIndex;

void StageClock::start() {
    begin_ = std::chrono::steady_clock::now();
    books_.traffic.beginStage();
    before_ = books_.traffic.snapshot();
    for (const auto& [id, device] : devices_.working()) {  // also those that this run leaves alone
        device->unlessLost(
            [&, &state = *device] { lanesBefore_[state.id] = state.device->laneTimes(); });
    }
}

void StageClock::finish(NodeIndex node) {
    const auto end = std::chrono::steady_clock::now();
    const memory::Traffic now = books_.traffic.snapshot();
    memory::StageTraffic stage{.node = plan_.stages[node].node,
                               .seconds = std::chrono::duration<double>(end - begin_).count(),
                               .bytesToDevice = now.bytesToDevice - before_.bytesToDevice,
                               .misses = now.misses - before_.misses};
    for (const auto& [id, device] : devices_.working()) {
        const memory::LaneTimes before = lanesBefore_[id];
        memory::LaneTimes times = before;
        device->unlessLost([&, &state = *device] { times = state.device->laneTimes(); });
        const memory::LaneTimes own{.copy = times.copy - before.copy,
                                    .wait = times.wait - before.wait};
        if (own.copy > 0 || isCopiedTo(id, node)) {
            stage.lanes[id] = own;
        }
    }
    books_.traffic.addStage(std::move(stage));
}

/// Whether the node runs a network whose weights do not lie on the device already where their file
/// is mapped.
bool StageClock::isCopiedTo(const std::string& device, NodeIndex node) const {
    return std::any_of(plan_.uses.begin(), plan_.uses.end(), [&](const memory::PlannedUse& use) {
        const memory::PlannedComponent& component = plan_.components[use.component];
        return use.node == node && component.device.id() == device &&
               plan_.stays[use.stay].layout->arenaBytes() > 0;
    });
}

}  // namespace lowtide::residency
