#pragma once

#include "plugin/memory/plan.hpp"
#include "plugin/memory/stage_traffic.hpp"
#include "plugin/residency/bookkeeping.hpp"
#include "plugin/residency/open_devices.hpp"

#include <chrono>
#include <map>
#include <string>

namespace lowtide::residency {

/// Measures one stage after the other: its time, what moved, what the lanes of the devices did. Run
/// thread only.
class StageClock {
public:
    /// Everything must outlive it.
    StageClock(const OpenDevices& devices, Bookkeeping& books, const memory::Plan& plan)
        : devices_(devices), books_(books), plan_(plan) {}

    void start();
    /// Adds the stage of `node`, begun with the last start(), to the traffic.
    void finish(memory::NodeIndex node);

private:
    [[nodiscard]] bool isCopiedTo(const std::string& device, memory::NodeIndex node) const;

    const OpenDevices& devices_;
    Bookkeeping& books_;
    const memory::Plan& plan_;
    std::chrono::steady_clock::time_point begin_;
    memory::Traffic before_;
    std::map<std::string, memory::LaneTimes> lanesBefore_;
};

}  // namespace lowtide::residency
