#pragma once
// What a run counts: traffic, the activations of a node, the times of a stage; and what all parts
// of residency write down.

#include "plugin/memory/engine.hpp"
#include "plugin/memory/ledger.hpp"
#include "plugin/memory/measurements.hpp"
#include "plugin/memory/plan.hpp"
#include "plugin/residency/host_weight_store.hpp"
#include "plugin/residency/open_devices.hpp"
#include "plugin/residency/pinned_copies.hpp"
#include "plugin/residency/weight_source.hpp"

#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace lowtide::residency {

/// Counters that the run thread adds to and any thread reads.
class TrafficCounter {
public:
    void reset();
    void addCopy(Bytes toDevice, Bytes read);
    void addRead(Bytes bytes);
    /// Rows of a gathered table.
    void addRows(Bytes toDevice, Bytes read);
    void addLease();
    void addMiss();
    /// A forward of an access pattern begins: what is copied from now on is its.
    void beginForward(uint32_t pattern);
    /// What is copied from now on belongs to no forward.
    void endForward();
    void beginStage();
    /// With the patterns since beginStage().
    void addStage(memory::StageTraffic stage);
    [[nodiscard]] memory::Traffic snapshot() const;

private:
    mutable std::mutex mutex_;
    memory::Traffic traffic_;
    memory::PatternsTraffic patterns_;                  ///< of the stage
    memory::PatternTraffic* currentPattern_ = nullptr;  ///< among them
};

/// What every part of residency writes down or reads from: one of each per engine.
struct Accounting {
    memory::Ledger ledger;
    TrafficCounter traffic;
    HostWeightStore hostWeights;
    PinnedStore pins;
    std::shared_ptr<const DeltaMath> deltas{};  ///< null: no tree has any

    /// For a tree with deltas. Error{Internal} where no mathematics was supplied.
    [[nodiscard]] const DeltaMath& mathOf(const memory::ComponentTree& tree) const;

    /// For what must not throw: an error of `work` becomes the ledger's fault, which ends the run.
    template <typename Work>
    void noteThrown(const Work& work) noexcept {
        try {
            work();
        } catch (const std::exception& error) {
            ledger.noteFault(error.what());
        } catch (...) {
            ledger.noteFault("an exception of an unknown type was thrown");
        }
    }
};

/// Activations of the running node: what its devices hold beyond what they held when it was
/// entered. Arenas are reported; the wires that remain behind are counted by the executor.
class ActivationMeter {
public:
    ActivationMeter(OpenDevices& devices, Accounting& accounting)
        : devices_(devices), accounting_(accounting) {}

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
    Accounting& accounting_;
    std::string node_;
    bool isRunning_ = false;
};

/// Measures one stage after the other: its time, what moved, what the copy queues of the devices
/// did. Run thread only.
class StageClock {
public:
    /// Everything must outlive it.
    StageClock(const OpenDevices& devices, Accounting& accounting, const memory::Plan& plan)
        : devices_(devices), accounting_(accounting), plan_(plan) {}

    void start();
    /// Adds the stage of `node`, begun with the last start(), to the traffic.
    void finish(memory::NodeIndex node);

private:
    [[nodiscard]] bool isCopiedTo(const std::string& device, memory::NodeIndex node) const;

    const OpenDevices& devices_;
    Accounting& accounting_;
    const memory::Plan& plan_;
    std::chrono::steady_clock::time_point begin_;
    memory::Traffic before_;
    std::map<std::string, memory::CopyTimes> timesBefore_;
};

}  // namespace lowtide::residency
