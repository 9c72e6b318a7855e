#pragma once

#include "plugin/residency/bookkeeping.hpp"
#include "plugin/residency/open_devices.hpp"

#include <string>

namespace lowtide::residency {

/// Activations of the running node: what its devices hold beyond what they held when it was
/// entered. Arenas are told; the wires that stay behind are counted by the executor.
class ActivationMeter {
public:
    ActivationMeter(OpenDevices& devices, Bookkeeping& books) : devices_(devices), books_(books) {}

    void start(std::string node);

    /// Memory for weights came (negative: went) while the node runs.
    static void noteArena(DeviceState& device, Bytes bytes) { device.bytesAtEnter += bytes; }

    /// Sets the ledger to what is held now.
    void note();
    /// Sets the ledger to the most that was held; then to nothing. Nothing happens where no node
    /// runs: what comes to the host between nodes is counted by the executor.
    void finish() noexcept;

private:
    OpenDevices& devices_;
    Bookkeeping& books_;
    std::string node_;
    bool isRunning_ = false;
};

}  // namespace lowtide::residency
