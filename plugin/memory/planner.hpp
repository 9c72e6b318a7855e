#pragma once
// Memory policies that are built: each gives the layout that suits the space.

#include "plugin/memory/device_profile.hpp"
#include "plugin/memory/layout.hpp"
#include "plugin/memory/policy.hpp"
#include "plugin/memory/stage_work.hpp"

#include <span>
#include <string>
#include <vector>

namespace lowtide::memory {

/// For how long a component of a policy holds device memory.
enum class Lifetime : uint8_t {
    Run,    ///< from its first use to the end of the run
    Burst,  ///< from its stage until another such component has its turn
    Stage,  ///< while nodes run that use it
    Uses,   ///< from its first use to its last while everything fits, else as Turn
};

/// What a planner is asked: how a component shall lie on a device.
struct LayoutRequest {
    const ComponentTree& tree;
    const DeviceTraits& traits;
    const DeviceProfile& profile;
    const Policy& policy;
    const ComponentWork* work = nullptr;  ///< nullptr: nothing is known of its forwards
    Bytes space = 0;                      ///< that it may take
    Bytes pinnable = 0;                   ///< of the host, for what streams
    /// Flags per leaf: those that are leased while it holds memory; nullptr: any of them may be.
    const std::vector<bool>* leased = nullptr;
};

/// A memory policy that is built: a row of planners().
struct PlannerType {
    std::string name;
    Message summary;  ///< one sentence for a user
    Lifetime lifetime = Lifetime::Run;
    bool mayStream = false;    ///< "+stream" is understood
    bool takesBudget = false;  ///< a budget of its own decides what is resident
    bool mayPin = false;       ///< weights come again, out of pinned host memory where there is any
    bool mayKeep = false;      ///< the component is whole, so that after=keep means something
    /// The fastest layout within `space`; where none is small enough, the smallest.
    Layout (*lay)(const LayoutRequest& request) = nullptr;
};

/// All planners that are built, by name.
[[nodiscard]] std::span<const PlannerType> planners();
/// nullptr when there is none.
[[nodiscard]] const PlannerType* findPlanner(std::string_view name);

/// Ring buffer sizes in units of the floor: beyond this a larger one is of no use, even where
/// neighbours differ much in size (UNets).
inline constexpr double kMostRingBufferFloors = 2.5;

/// Takes the order of a forward from `request.work`, if it is known, and whether files are read
/// where they lie from its device. Groups of which nothing is leased have no storages and no bytes.
void applyRequest(Layout& layout, const LayoutRequest& request);

/// Gives residents slots for what is resident alone: what comes wider, to be changed by adapters,
/// does so at its leaf's first lease and in a tensor of its own.
void narrowResidents(Layout& layout, const ComponentTree& tree);

/// The groups that a forward uses and that may stream: of the order, each once, without shared
/// ones.
[[nodiscard]] std::vector<GroupId> streamableGroups(const Layout& layout);

/// Residents that are spread evenly over the order of a forward.
class StridedResidents {
public:
    explicit StridedResidents(const Layout& layout);
    /// Flags per group: as many bytes of groups as `bytes` allows.
    [[nodiscard]] std::vector<bool> within(Bytes bytes) const;

private:
    size_t groupCount_;
    std::vector<GroupId> candidates_;
    std::vector<Bytes> taken_;  ///< by `count` residents, from 1
};

/// The whole component, resident.
[[nodiscard]] Layout wholeLayout(const LayoutRequest& request);
/// `layout` with a ring buffer, and residents only out of the policy's own budget.
[[nodiscard]] Layout streamedLayout(Layout layout, const LayoutRequest& request);
/// The residents and the ring buffer within `request.space` with which the forwards take the
/// shortest time: out of all choices where there are at most twelve groups, else out of evenly
/// spread ones. The smallest ring buffer where the space is too small for any.
[[nodiscard]] Layout fastestLayout(Layout layout, const LayoutRequest& request);

}  // namespace lowtide::memory
