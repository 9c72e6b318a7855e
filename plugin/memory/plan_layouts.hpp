#pragma once
// The layouts of a plan: the smallest first, then what more the space allows, shared by those that
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

/// A component that lives next to others: what it takes, and what space does for its forwards.
struct SpaceClaim {
    Bytes least = 0;          ///< of its smallest layout
    Bytes most = 0;           ///< of its largest
    Seconds copies = 0;       ///< of one forward, in the smallest layout
    Seconds leastCopies = 0;  ///< of one forward, in the largest
    Seconds hidden = 0;       ///< copies of one forward that its compute hides
    int64_t forwards = 1;
};

/// What each claim gets of `space`, between its least and its most; the space holds the least of
/// all. Bytes go first where a forward waits for copies, to those that save the most time with a
/// byte (copies shrink evenly with what is resident); then to everybody in proportion to what it
/// lacks.
[[nodiscard]] std::vector<Bytes> divideSpace(const std::vector<SpaceClaim>& claims, Bytes space);

/// Ways to divide `space` that are worth trying: as divideSpace() has it first, then with all that
/// it can use for each claim in turn, since what is whole needs no ring buffer.
[[nodiscard]] std::vector<std::vector<Bytes>> spaceDivisions(const std::vector<SpaceClaim>& claims,
                                                             Bytes space);

/// How every component lies, and what the run then takes.
struct Sizes {
    std::vector<ChosenLayout> layouts;  ///< one for each residency
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
    /// Residencies grow into what space their nodes leave, the first ones first; those that live
    /// together divide theirs.
    [[nodiscard]] Sizes grown(Sizes sizes) const;
    /// Where nothing of a component moves between its forwards, they can be done from a record. It
    /// keeps the memory of a forward in addition to what its nodes compute otherwise: only where
    /// there is space.
    [[nodiscard]] Sizes withReplays(Sizes sizes) const;
    /// Host memory for what streams again and again, out of what the host's budget leaves.
    [[nodiscard]] Sizes withPins(Sizes sizes) const;
    /// With predicted times. `smallest`: what sets the minimums.
    [[nodiscard]] Plan planOf(Sizes sizes, const Demand& smallest) const;

private:
    /// Of one forward, in the mean.
    struct ForwardTimes {
        Seconds copies = 0;
        Seconds compute = 0;
    };

    [[nodiscard]] Sizes measured(std::vector<ChosenLayout> layouts) const;
    /// With `space` for each.
    [[nodiscard]] Sizes laidOut(Bytes space) const;
    /// These residencies laid out again, each in its space; the others as they are.
    [[nodiscard]] Sizes laidAgain(const Sizes& sizes,
                                  const std::vector<uint32_t>& residencies,
                                  const std::vector<Bytes>& spaces) const;
    [[nodiscard]] Sizes grownTogether(const Sizes& sizes,
                                      const std::vector<uint32_t>& residencies) const;
    [[nodiscard]] std::shared_ptr<const Layout> layoutIn(Bytes space,
                                                         uint32_t residency,
                                                         const Sizes& sizes) const;
    /// Predicted, of the node in which they live.
    [[nodiscard]] ChoiceCost costOf(const std::vector<uint32_t>& residencies,
                                    const Sizes& sizes) const;
    /// Of a residency that has its smallest layout.
    [[nodiscard]] SpaceClaim claimOf(uint32_t residency, const Sizes& sizes) const;
    /// With another layout than that of `sizes`.
    [[nodiscard]] ForwardTimes timesOf(uint32_t residency,
                                       const Layout& layout,
                                       const Sizes& sizes) const;
    /// In one node.
    [[nodiscard]] int64_t mostForwardsOf(uint32_t residency) const;
    /// What is pinned for components that the run does not use, where a residency would pin more
    /// without it.
    [[nodiscard]] std::vector<PinnedComponent> unpinnedFor(const Sizes& sizes) const;
    /// What of the residency's bytes comes in every forward, as far as it may be pinned were it
    /// alone.
    [[nodiscard]] Bytes pinnableAtMost(uint32_t residency, const Layout& layout) const;
    /// What the residency may pin of whatever streams, in addition to what is pinned for others.
    [[nodiscard]] Bytes pinSpace(uint32_t residency, const Sizes& sizes) const;
    [[nodiscard]] Bytes pinnedOf(uint32_t component, const Sizes& sizes) const;
    /// What the nodes that hold the residency leave of its device.
    [[nodiscard]] Bytes leftFor(uint32_t residency, const Demand& demand) const;
    /// The first use of the residency: its policy holds.
    [[nodiscard]] const PlannedUse& useOf(uint32_t residency) const;
    [[nodiscard]] const ComponentWork* workOfUse(const PlannedUse& use) const;
    [[nodiscard]] std::vector<bool> leasedLeaves(uint32_t residency) const;
    [[nodiscard]] const PlanDevice& deviceOfResidency(uint32_t residency) const;

    const PlanRequest& request_;
    const Intervals intervals_;
};

}  // namespace lowtide::memory
