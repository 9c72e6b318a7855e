#pragma once
// The layouts of a plan: the smallest first, then what more the room allows, shared by those that
// live together.

#include "plugin/base/units.hpp"
#include "plugin/memory/plan.hpp"
#include "plugin/memory/plan_intervals.hpp"
#include "plugin/memory/stream_clock.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
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

/// Ways to divide `room` that are worth trying, as shareRoom() has it first: a little more and less
/// for each, and all that it can use, since what is whole needs no ring.
[[nodiscard]] std::vector<std::vector<Bytes>> dividedRooms(const std::vector<RoomClaim>& claims,
                                                           Bytes room);

/// Gives sizes to a sketch: the smallest layouts first, then what more the room allows.
class Sizer {
public:
    /// The request must outlive it.
    Sizer(const PlanRequest& request, StaySketch sketch);

    /// Every layout as small as its policy allows.
    void makeSmallest();
    void makeLargest();
    /// Lets stays grow into what room their nodes leave, the first ones first; those that live
    /// together share theirs.
    void grow();
    /// Host memory for what streams again and again, out of what the host's budget leaves.
    void pin();
    /// Where nothing of a component moves between its passes, they can be done from a record. It
    /// keeps the memory of a pass beside what its nodes compute otherwise: only where there is
    /// room.
    void chooseReplays();
    void predictTimes();

    void takeMinimumsOf(const Sizer& smallest) { minimums_ = smallest.minimums_; }

    [[nodiscard]] const Plan& plan() const { return plan_; }

    [[nodiscard]] Plan take();

private:
    /// Of one pass, in the mean.
    struct PassTimes {
        Seconds copies = 0;
        Seconds compute = 0;
    };

    using Layouts = std::vector<std::shared_ptr<const Layout>>;

    void makePlaces();
    void lay(uint32_t index, Bytes room);
    void growTogether(const std::vector<uint32_t>& stays);
    void layTogether(const std::vector<uint32_t>& stays, const std::vector<Bytes>& shares);
    /// Predicted, of the node in which they live.
    [[nodiscard]] ChoiceCost costOf(const std::vector<uint32_t>& stays);
    /// With the layout that the stay has as its smallest one.
    [[nodiscard]] RoomClaim claimOf(uint32_t index);
    [[nodiscard]] PassTimes timesOf(const PlannedStay& stay) const;
    /// In one node.
    [[nodiscard]] int64_t mostPassesOf(const PlannedStay& stay) const;
    void unpinOthersFor(const PlannedStay& stay);
    /// What of the stay's bytes comes in every pass, as far as it may be pinned were it alone.
    [[nodiscard]] Bytes pinnableAtMost(const PlannedStay& stay) const;
    /// What the stay may pin of whatever streams, beside what is pinned for others.
    [[nodiscard]] Bytes pinRoom(const PlannedStay& stay) const;
    [[nodiscard]] Bytes pinnedOf(uint32_t component) const;
    /// What the nodes that hold the stay leave of a device.
    [[nodiscard]] Bytes leftOn(const DeviceSpec& spec, const PlannedStay& stay) const;
    /// What the nodes from `first` on leave of the host: pinned memory stays to the end.
    [[nodiscard]] Bytes hostLeftFrom(NodeIndex first) const;
    [[nodiscard]] Bytes leftAt(NodeIndex node, const DeviceSpec& spec) const;
    /// What the stay may take: at each of its nodes, what the others leave.
    [[nodiscard]] Bytes roomFor(const PlannedStay& stay) const;
    /// The first use of the stay: its policy holds.
    [[nodiscard]] const PlannedUse& useOf(const PlannedStay& stay) const;
    [[nodiscard]] bool isOf(const PlannedStay& stay, const PlannedUse& use) const;
    [[nodiscard]] const ComponentWork* workOfUse(const PlannedUse& use) const;
    [[nodiscard]] int64_t passesOf(const PlannedStay& stay) const;
    [[nodiscard]] std::vector<bool> leasedLeaves(const PlannedStay& stay) const;
    [[nodiscard]] const PlanDevice& deviceOfStay(const PlannedStay& stay) const;

    const PlanRequest& request_;
    std::vector<const PlannerType*> planners_;
    std::vector<std::vector<uint32_t>> together_;
    Plan plan_;
    std::map<std::string, Bytes> minimums_;  ///< per device
};

}  // namespace lowtide::memory
