#pragma once
// The layouts of a plan: the smallest first, then what more the room allows, shared by those that
// live together.

#include "plugin/base/units.hpp"
#include "plugin/memory/plan.hpp"
#include "plugin/memory/plan_demand.hpp"
#include "plugin/memory/plan_intervals.hpp"
#include "plugin/memory/stream_clock.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lowtide::memory {

/// A component that lives beside others: what it takes, and what room does for its passes.
struct RoomClaim {
    Bytes least = 0;          ///< of its smallest layout
    Bytes most = 0;           ///< of its largest
    Seconds copies = 0;       ///< of one pass, in the smallest layout
    Seconds leastCopies = 0;  ///< of one pass, in the largest
    Seconds hidden = 0;       ///< copies of one pass that its compute hides
    int64_t passes = 1;
};

/// What each claim gets of `room`, between its least and its most; the room holds the least of all.
/// Bytes go first where a pass waits for copies, to those that save the most time with a byte
/// (copies shrink evenly with what stays); then to everybody in proportion to what it lacks.
[[nodiscard]] std::vector<Bytes> shareRoom(const std::vector<RoomClaim>& claims, Bytes room);

/// Ways to divide `room` that are worth trying: as shareRoom() has it first, then with all that it
/// can use for each claim in turn, since what is whole needs no ring.
[[nodiscard]] std::vector<std::vector<Bytes>> dividedRooms(const std::vector<RoomClaim>& claims,
                                                           Bytes room);

/// How every component lies, and what the run then takes.
struct Sizes {
    std::vector<ChosenLayout> layouts;  ///< one for each stay
    Demand demand;
};

/// Chooses layouts for the intervals of a run, from sizes to sizes.
class Sizer {
public:
    /// The request must outlive it.
    Sizer(const PlanRequest& request, Intervals intervals)
        : request_(request), intervals_(std::move(intervals)) {}

    /// Every layout as small as its policy allows.
    [[nodiscard]] Sizes smallest() const;
    [[nodiscard]] Sizes largest() const;
    /// Stays grow into what room their nodes leave, the first ones first; those that live together
    /// share theirs.
    [[nodiscard]] Sizes grown(Sizes sizes) const;
    /// Where nothing of a component moves between its passes, they can be done from a record. It
    /// keeps the memory of a pass beside what its nodes compute otherwise: only where there is
    /// room.
    [[nodiscard]] Sizes withReplays(Sizes sizes) const;
    /// Host memory for what streams again and again, out of what the host's budget leaves.
    [[nodiscard]] Sizes withPins(Sizes sizes) const;
    /// With predicted times. `smallest`: what sets the minimums.
    [[nodiscard]] Plan planOf(Sizes sizes, const Demand& smallest) const;

private:
    /// Of one pass, in the mean.
    struct PassTimes {
        Seconds copies = 0;
        Seconds compute = 0;
    };

    [[nodiscard]] Sizes measured(std::vector<ChosenLayout> layouts) const;
    /// With `room` for each.
    [[nodiscard]] Sizes laidOut(Bytes room) const;
    /// These stays laid out again, each in its room; the others as they are.
    [[nodiscard]] Sizes laidAgain(const Sizes& sizes,
                                  const std::vector<uint32_t>& stays,
                                  const std::vector<Bytes>& rooms) const;
    [[nodiscard]] Sizes grownTogether(const Sizes& sizes, const std::vector<uint32_t>& stays) const;
    [[nodiscard]] std::shared_ptr<const Layout> layoutIn(Bytes room,
                                                         uint32_t stay,
                                                         const Sizes& sizes) const;
    /// Predicted, of the node in which they live.
    [[nodiscard]] ChoiceCost costOf(const std::vector<uint32_t>& stays, const Sizes& sizes) const;
    /// Of a stay that has its smallest layout.
    [[nodiscard]] RoomClaim claimOf(uint32_t stay, const Sizes& sizes) const;
    /// With another layout than that of `sizes`.
    [[nodiscard]] PassTimes timesOf(uint32_t stay, const Layout& layout, const Sizes& sizes) const;
    /// In one node.
    [[nodiscard]] int64_t mostPassesOf(uint32_t stay) const;
    /// What is pinned for components that the run does not use, where a stay would pin more without
    /// it.
    [[nodiscard]] std::vector<PinnedComponent> unpinnedFor(const Sizes& sizes) const;
    /// What of the stay's bytes comes in every pass, as far as it may be pinned were it alone.
    [[nodiscard]] Bytes pinnableAtMost(uint32_t stay, const Layout& layout) const;
    /// What the stay may pin of whatever streams, beside what is pinned for others.
    [[nodiscard]] Bytes pinRoom(uint32_t stay, const Sizes& sizes) const;
    [[nodiscard]] Bytes pinnedOf(uint32_t component, const Sizes& sizes) const;
    /// What the nodes that hold the stay leave of its device.
    [[nodiscard]] Bytes leftFor(uint32_t stay, const Demand& demand) const;
    /// The first use of the stay: its policy holds.
    [[nodiscard]] const PlannedUse& useOf(uint32_t stay) const;
    [[nodiscard]] const ComponentWork* workOfUse(const PlannedUse& use) const;
    [[nodiscard]] std::vector<bool> leasedLeaves(uint32_t stay) const;
    [[nodiscard]] const PlanDevice& deviceOfStay(uint32_t stay) const;

    const PlanRequest& request_;
    const Intervals intervals_;
};

}  // namespace lowtide::memory
