#pragma once

#include "plugin/memory/engine.hpp"
#include "plugin/residency/accounting.hpp"
#include "plugin/residency/component_residency.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::residency {

/// What outlives runs: components that were kept; what somebody held on to beyond its node remains
/// where it is until it is released.
struct Leftovers {
    std::vector<ComponentResidencyRef> kept;
    std::vector<ComponentResidencyRef> leased;

    void dropReleased() noexcept {
        std::erase_if(
            leased, [](const ComponentResidencyRef& residency) { return !residency->isLeased(); });
    }

    /// Whether a component of this tree is among them.
    [[nodiscard]] bool hold(const memory::ComponentTree& tree) const;
};

/// Whether the paths of weight files must still lead to the files that the plan was made from, or
/// what this run has open is used on.
enum class WeightFiles : uint8_t { Check, AsTheyAre };

/// The residency scope of one run: device weights exist between prepare() and finish(), except
/// those that were kept before or are kept by this run. Run thread only.
class Run {
public:
    Run(OpenDevices& devices,
        Accounting& accounting,
        Leftovers& leftovers,
        std::shared_ptr<const memory::Plan> plan,
        StopToken stop);
    /// As finish(Failed), unless it was finished.
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    /// Opens the files and takes over what was kept. Throws Error{Corrupt}, Error{Device}.
    void prepare(WeightFiles files);
    void enter(memory::NodeIndex node);
    /// Error{Corrupt} names a weight file of the node's components that is not the plan's any more.
    void confirm(memory::NodeIndex node) const;
    /// Error{Device} names a device of the plan that was lost. Each was asked whether it works.
    void requireDevices() const;
    void leave(memory::NodeIndex node) noexcept;
    void finish(memory::Outcome outcome) noexcept;
    /// Components that nobody leases leave their devices, by role or id ("all": every one); they
    /// come back when they are used. With `dropHost` their host copies are closed too. Returns the
    /// device bytes given back.
    Bytes offload(std::string_view component, bool dropHost);

    /// The residency of the tree where the running node computes with it, on its device or on its
    /// way. A tree that was not planned for the node gets a slot leaf by leaf. Error{Internal}
    /// names what the plan does not hold.
    [[nodiscard]] ComponentResidency& broughtResidency(const memory::ComponentTree& tree);
    /// The same, of one that has space for the leaf.
    [[nodiscard]] ComponentResidency& broughtResidency(const memory::ComponentTree& tree,
                                                       memory::LeafId leaf);
    /// nullptr when the component holds no memory now.
    [[nodiscard]] ComponentResidency* findActive(const memory::ComponentTree& tree) noexcept;
    /// Where the running node computes with the tree.
    [[nodiscard]] DeviceState& deviceOf(const memory::ComponentTree& tree);

    /// Weights of the running node that are read where their files are mapped: bytes of the budget
    /// that are no private pages of the process.
    [[nodiscard]] Bytes mappedOnHost() const { return mappedOnHost_; }

    [[nodiscard]] ActivationMeter& activations() { return meter_; }

    /// Of the running node; empty between nodes.
    [[nodiscard]] const std::string& nodeName() const;

    [[nodiscard]] const StopToken& stop() const noexcept { return stop_; }

private:
    void requireNoFailedAllocation() const;
    [[nodiscard]] ComponentResidencyRef makeResidency(uint32_t index);
    void adoptKept();
    void ensureArena(uint32_t index);
    void activate(uint32_t index);
    void endAlternation(uint32_t arriving);
    void giveBackArena(uint32_t index);
    [[nodiscard]] ComponentResidency& unplannedResidency(const memory::ComponentTree& tree);
    [[nodiscard]] const memory::PlannedComponent& anyPlanned(
        const memory::ComponentTree& tree) const;
    void attachTo(memory::NodeIndex node);
    void setCaps(memory::NodeIndex node);
    [[nodiscard]] Bytes mappedAt(memory::NodeIndex node, const memory::DeviceSpec& device) const;
    [[nodiscard]] Bytes stagedAt(memory::NodeIndex node, const memory::DeviceSpec& device) const;
    void recoverFailedDevices();
    void dropKeptOnLostDevices();
    void leaveSlot(uint32_t index);
    void leaveSlots(memory::NodeIndex node) noexcept;
    void forgetForwards() noexcept;
    void leaveUnplanned() noexcept;
    bool leftLeased(ComponentResidencyRef& residency);
    void keepOrLeave(uint32_t index);
    void dropUselessPins();
    void closeDroppedWeights();

    OpenDevices& devices_;
    Accounting& accounting_;
    Leftovers& leftovers_;
    std::shared_ptr<const memory::Plan> plan_;
    StopToken stop_;
    ActivationMeter meter_;
    StageClock clock_;
    std::vector<std::unique_ptr<CountedArena>> arenas_;  ///< per slot; null: not allocated
    std::vector<ComponentResidencyRef> residencies_;     ///< of the plan; null: not made
    std::vector<ComponentResidencyRef> unplanned_;       ///< of the running node
    std::optional<memory::NodeIndex> node_;
    Bytes mappedOnHost_ = 0;  ///< since the last node was entered
    bool isFinished_ = false;
};

}  // namespace lowtide::residency
