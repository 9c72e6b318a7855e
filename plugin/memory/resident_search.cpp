#include "plugin/memory/choice_cost.hpp"
#include "plugin/memory/planner.hpp"
#include "plugin/memory/stream_clock.hpp"

#include <algorithm>
#include <optional>

namespace lowtide::memory {

namespace {

constexpr size_t kMostForAllSubsets = 12;  ///< groups of which every subset is tried
constexpr size_t kMostStrides = 48;        ///< else so many evenly spread choices are
constexpr int64_t kTimedPasses = 3;        ///< then every further pass takes as long as the last
constexpr int64_t kTimedOfSequence = 6;    ///< where passes differ: a few of each

/// Looks for the residents with which the passes take the shortest time.
class Search {
public:
    Search(Layout layout, const LayoutRequest& request)
        : request_(request), layout_(std::move(layout)), groups_(streamableGroups(layout_)) {
        if (request.work) {
            uses_ = groupUses(layout_, request.work->pass, request.profile);
        } else {
            for (const GroupId& group : layout_.order) {
                uses_.push_back({std::span(&group, 1), request.profile.leafOverhead});
            }
        }
        if (request.work && !request.work->sequence.empty()) {
            patterns_.emplace(layout_, *request.work, request.profile);
        }
    }

    Layout best() {
        std::vector<bool> nobody(layout_.groups.size(), false);
        Layout smallest = layout_;
        placeGroups(smallest, nobody, request_.room, kMostRingFloors);
        if (smallest.bytes() > request_.room) {
            return smallest;
        }
        scratch_ = layout_;
        tryResidents(nobody);
        if (groups_.size() <= kMostForAllSubsets) {
            tryAllSubsets();
        } else {
            const std::vector<bool> favoured = usedByOtherPatterns();
            const StridedResidents strides(layout_);
            tryStrides(smallest, strides, nobody);
            if (favoured != nobody) {
                tryStrides(smallest, strides, favoured);
            }
        }
        placeGroups(layout_, residents_[bestChoice(costs_)], request_.room, kMostRingFloors);
        narrowResidents(layout_, request_.tree);
        return std::move(layout_);
    }

private:
    void tryAllSubsets() {
        for (uint32_t subset = 1; subset < (1u << groups_.size()); ++subset) {
            std::vector<bool> resident(layout_.groups.size(), false);
            for (size_t i = 0; i < groups_.size(); ++i) {
                resident[groups_[i]] = (subset >> i & 1u) != 0;
            }
            tryResidents(resident);
        }
    }

    /// What short passes need too, which leave less time to copy it.
    [[nodiscard]] std::vector<bool> usedByOtherPatterns() const {
        std::vector<bool> used(layout_.groups.size(), false);
        for (const auto& [number, order] : layout_.otherOrders) {
            for (const GroupId group : order) {
                used[group] = true;
            }
        }
        return used;
    }

    /// Evenly spread residents out of different shares of the room beside the `favoured` ones; the
    /// ring gets the rest.
    void tryStrides(const Layout& smallest,
                    const StridedResidents& strides,
                    const std::vector<bool>& favoured) {
        Bytes spare = request_.room - smallest.residentBytes;
        for (GroupId group = 0; group < favoured.size(); ++group) {
            spare -= favoured[group] ? layout_.groups[group].bytes : 0;
        }
        for (size_t i = 0; i <= kMostStrides && spare > 0; ++i) {
            const auto share = static_cast<double>(i) / kMostStrides;
            std::vector<bool> resident =
                strides.within(static_cast<Bytes>(share * static_cast<double>(spare)));
            for (GroupId group = 0; group < favoured.size(); ++group) {
                resident[group] = resident[group] || favoured[group];
            }
            tryResidents(resident);
        }
    }

    void tryResidents(std::vector<bool> resident) {
        if (!residents_.empty() && residents_.back() == resident) {
            return;
        }
        placeGroups(scratch_, resident, request_.room, kMostRingFloors);
        if (scratch_.bytes() > request_.room) {
            return;
        }
        costs_.push_back(costOf(scratch_));
        residents_.push_back(std::move(resident));
    }

    [[nodiscard]] ChoiceCost costOf(const Layout& layout) const {
        const int64_t passes = request_.work ? request_.work->passes : 1;
        const int64_t timed = std::min(passes, patterns_ ? kTimedOfSequence : kTimedPasses);
        StreamClock clock(layout, passes, request_.profile, {.most = request_.pinnable});
        clock.arrive(false);
        StreamTimes before;
        for (int64_t pass = 0; pass < timed; ++pass) {
            before = clock.times();
            const PassHint hint = patterns_ ? request_.work->hint(pass) : PassHint();
            clock.runPass(patterns_ ? patterns_->of(hint.pattern) : uses_, hint);
        }
        const StreamTimes after = clock.times();
        const auto others = static_cast<double>(patterns_ ? 0 : passes - timed);
        return {.seconds = after.total + others * (after.total - before.total),
                .moved = static_cast<double>(after.moved) +
                         others * static_cast<double>(after.moved - before.moved)};
    }

    const LayoutRequest& request_;
    Layout layout_;
    Layout scratch_;               ///< the same with the residents that are tried
    std::vector<GroupId> groups_;  ///< that a pass uses, each once
    std::vector<GroupUse> uses_;
    std::optional<PassUses> patterns_;          ///< where passes differ
    std::vector<std::vector<bool>> residents_;  ///< that were tried
    std::vector<ChoiceCost> costs_;             ///< of them
};

}  // namespace

Layout fastestLayout(Layout layout, const LayoutRequest& request) {
    Layout whole = layout;
    makeAllResident(whole);
    narrowResidents(whole, request.tree);
    return whole.bytes() <= request.room ? whole : Search(std::move(layout), request).best();
}

}  // namespace lowtide::memory
