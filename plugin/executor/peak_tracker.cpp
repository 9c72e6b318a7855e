#include "plugin/executor/peak_tracker.hpp"

#include <algorithm>

namespace lowtide::executor {

void PeakTracker::absorb() {
    for (const auto& [device, now] : ledger_.snapshot()) {
        memory::DeviceLedger& highest = highest_[device];
        highest.peak = std::max(highest.peak, now.peak);
        for (size_t tag = 0; tag < memory::kTagCount; ++tag) {
            highest.peakByTag[tag] = std::max(highest.peakByTag[tag], now.peakByTag[tag]);
        }
    }
}

void PeakTracker::beginNode() {
    absorb();
    ledger_.resetPeaks();
}

Bytes PeakTracker::endNode(std::string_view device) {
    absorb();
    return ledger_.peakOn(device);
}

std::map<std::string, memory::DeviceLedger, std::less<>> PeakTracker::snapshot() {
    absorb();
    auto devices = ledger_.snapshot();
    for (auto& [device, now] : devices) {
        now.peak = highest_[device].peak;
        now.peakByTag = highest_[device].peakByTag;
    }
    return devices;
}

}  // namespace lowtide::executor
