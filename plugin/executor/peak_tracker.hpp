#pragma once

#include "plugin/memory/ledger.hpp"

#include <map>
#include <string>
#include <string_view>

namespace lowtide::executor {

/// Peaks of each node and of the whole run: the ledger knows only the peaks since the last reset.
class PeakTracker {
public:
    explicit PeakTracker(memory::Ledger& ledger) : ledger_(ledger) {}

    void beginNode();
    /// The most that `device` held since beginNode.
    [[nodiscard]] Bytes endNode(std::string_view device);
    /// What the devices hold now, with the peaks of the whole run.
    [[nodiscard]] std::map<std::string, memory::DeviceLedger, std::less<>> snapshot();

private:
    void absorb();

    memory::Ledger& ledger_;
    std::map<std::string, memory::DeviceLedger, std::less<>> highest_;
};

}  // namespace lowtide::executor
