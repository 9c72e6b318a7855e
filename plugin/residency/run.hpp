#pragma once

#include "plugin/memory/engine.hpp"
#include "plugin/residency/component_state.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::residency {

using ComponentRef = std::unique_ptr<ComponentState>;

/// The residency scope of one run: device weights exist between prepare() and finish(), except
/// those that were kept before or are kept by this run. Run thread only.
class Run {
public:
    /// `kept` are the components that earlier runs left on devices; the run takes from and gives to
    /// it.
    Run(OpenDevices& devices,
        Bookkeeping& books,
        std::vector<ComponentRef>& kept,
        std::shared_ptr<const memory::Plan> plan,
        StopToken stop);
    /// As finish(Failed), unless it was finished.
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    /// Checks the files and allocates every arena. Throws Error{Corrupt}, Error{OutOfMemory},
    /// Error{Device}.
    void prepare();
    void enter(memory::NodeIndex node);
    void leave(memory::NodeIndex node) noexcept;
    void finish(memory::Outcome outcome) noexcept;

    /// The tree's component where the running node computes with it. Error{Internal} names what the
    /// plan does not hold.
    [[nodiscard]] ComponentState& component(const memory::ComponentTree& tree) {
        return *member(tree).component;
    }

    /// The same, on its device or on its way.
    [[nodiscard]] ComponentState& broughtComponent(const memory::ComponentTree& tree);
    /// nullptr when the plan does not hold it.
    [[nodiscard]] const ComponentState* find(const memory::ComponentTree& tree) const noexcept;
    /// Sets the running node's activations in the ledger to what its devices hold now.
    void noteActivations();

    [[nodiscard]] const StopToken& stop() const noexcept { return stop_; }

private:
    /// One entry of the plan.
    struct Member {
        ComponentRef component;
        bool sharesRegion = false;  ///< at most one of these is on a device at once
    };

    [[nodiscard]] std::string nodeName() const;
    [[nodiscard]] std::vector<uint32_t> plannedFor(memory::NodeIndex node) const;
    [[nodiscard]] bool isAloneInNode(uint32_t index) const;
    void adoptOrMake(const memory::PlannedComponent& planned);
    void allocateArena(DeviceState& device);
    [[nodiscard]] std::optional<uint32_t> indexOf(const memory::ComponentTree& tree) const noexcept;
    [[nodiscard]] Member& member(const memory::ComponentTree& tree);
    void bring(Member& member);
    void makeRoomFor(const ComponentState& arriving);
    void startMeasuring();
    void noteActivationPeaks();
    void forgetActivations();
    void recoverFailedDevices();
    void keepOrEvict(uint32_t index);
    void closeDroppedMasters();

    OpenDevices& devices_;
    Bookkeeping& books_;
    std::vector<ComponentRef>& kept_;
    std::shared_ptr<const memory::Plan> plan_;
    StopToken stop_;
    std::vector<Member> members_;  ///< as in the plan
    std::optional<memory::NodeIndex> node_;
    bool isFinished_ = false;
};

}  // namespace lowtide::residency
