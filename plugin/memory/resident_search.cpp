#include "plugin/memory/planner.hpp"
#include "plugin/memory/stream_clock.hpp"

#include <algorithm>
#include <optional>

namespace lowtide::memory {

namespace {

constexpr size_t kMostForAllSubsets = 12;  ///< groups of which every subset is tried
constexpr size_t kMostStrides = 48;        ///< else so many evenly spread choices are
constexpr int64_t kTimedPasses = 3;        ///< then every further pass takes as long as the last

/// Looks for the residents with which the passes take the shortest time.
class Search {
public:
    Search(Layout layout, const LayoutRequest& request)
        : request_(request), layout_(std::move(layout)), groups_(streamableGroups(layout_)) {
        if (request.work) {
            uses_ = groupUses(layout_, *request.work, request.profile);
        } else {
            for (const GroupId group : layout_.order) {
                uses_.push_back({group, request.profile.leafOverhead});
            }
        }
    }

    Layout best() {
        std::vector<bool> nobody(layout_.groups.size(), false);
        Layout smallest = layout_;
        placeGroups(smallest, nobody, request_.room, kMostRingFloors);
        if (smallest.bytes() > request_.room) {
            return smallest;
        }
        tryResidents(nobody);
        if (groups_.size() <= kMostForAllSubsets) {
            tryAllSubsets();
        } else {
            tryStrides(smallest);
        }
        return std::move(*best_);
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

    /// Evenly spread residents out of different shares of the room; the ring gets the rest.
    void tryStrides(const Layout& smallest) {
        const Bytes spare = request_.room - smallest.residentBytes;
        for (size_t i = 1; i <= kMostStrides; ++i) {
            const auto share = static_cast<double>(i) / kMostStrides;
            tryResidents(
                stridedResidents(layout_, static_cast<Bytes>(share * static_cast<double>(spare))));
        }
    }

    void tryResidents(const std::vector<bool>& resident) {
        Layout layout = layout_;
        placeGroups(layout, resident, request_.room, kMostRingFloors);
        if (layout.bytes() > request_.room) {
            return;
        }
        const Seconds seconds = secondsOf(layout);
        if (!best_ || seconds < bestSeconds_) {
            bestSeconds_ = seconds;
            best_ = std::move(layout);
        }
    }

    Seconds secondsOf(const Layout& layout) const {
        const int64_t passes = request_.work ? request_.work->passes : 1;
        const int64_t timed = std::min(passes, kTimedPasses);
        const Seconds seconds = timePasses(layout, uses_, timed, request_.profile).total;
        if (timed == passes) {
            return seconds;
        }
        const Seconds before = timePasses(layout, uses_, timed - 1, request_.profile).total;
        return seconds + static_cast<double>(passes - timed) * (seconds - before);
    }

    const LayoutRequest& request_;
    Layout layout_;
    std::vector<GroupId> groups_;  ///< that a pass uses, each once
    std::vector<GroupUse> uses_;
    std::optional<Layout> best_;
    Seconds bestSeconds_ = 0;
};

}  // namespace

Layout fastestLayout(Layout layout, const LayoutRequest& request) {
    Layout whole = layout;
    makeAllResident(whole);
    return whole.bytes() <= request.room ? whole : Search(std::move(layout), request).best();
}

}  // namespace lowtide::memory
