#include "plugin/memory/stream_clock.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/group_stream.hpp"

#include <algorithm>

namespace lowtide::memory {

namespace {

/// Two lanes: copies in order, each after the last use of what it overwrites; compute in order,
/// each use after its group has arrived.
class Clock {
public:
    Clock(const Layout& layout, int64_t passes, const DeviceProfile& profile)
        : layout_(layout),
          profile_(profile),
          stream_(layout, passes),
          ready_(layout.groups.size(), 0),
          lastUse_(layout.groups.size(), 0) {}

    void bringResidents(const std::vector<GroupUse>& pass) {
        std::vector<bool> isBrought(layout_.groups.size(), false);
        for (const GroupUse& use : pass) {
            if (layout_.groups[use.group].isResident && !isBrought[use.group]) {
                isBrought[use.group] = true;
                copy(use.group);
            }
        }
    }

    void runPass(const std::vector<GroupUse>& pass) {
        stream_.beginPass({});
        for (const GroupUse& use : pass) {
            const auto steps = stream_.use(use.group);
            LOWTIDE_ASSERT(steps.has_value());  // nothing is leased
            take(*steps);
            const Seconds begin = std::max(computeFree_, ready_[use.group]);
            computeFree_ = begin + use.compute;
            lastUse_[use.group] = computeFree_;
            times_.compute += use.compute;
        }
    }

    void begin() { take(stream_.prefetch()); }

    StreamTimes& times() {
        times_.total = computeFree_;
        times_.misses = stream_.misses();
        return times_;
    }

private:
    void take(const std::vector<StreamStep>& steps) {
        for (const StreamStep& step : steps) {
            if (step.kind == StreamStep::Kind::Evict) {
                copyFree_ = std::max(copyFree_, lastUse_[step.group]);
            } else {
                copyFree_ = layout_.prefetches ? copyFree_ : std::max(copyFree_, computeFree_);
                copy(step.group);
            }
        }
    }

    void copy(GroupId group) {
        const Bytes bytes = layout_.groups[group].contentBytes;
        const Seconds seconds =
            profile_.copyOverhead + static_cast<double>(bytes) / profile_.copyBytesPerSecond;
        copyFree_ += seconds;
        ready_[group] = copyFree_;
        times_.copy += seconds;
        times_.moved += bytes;
    }

    const Layout& layout_;
    const DeviceProfile& profile_;
    GroupStream stream_;
    std::vector<Seconds> ready_;
    std::vector<Seconds> lastUse_;
    Seconds copyFree_ = 0;
    Seconds computeFree_ = 0;
    StreamTimes times_;
};

}  // namespace

Seconds StreamTimes::boundPerPass(int64_t passes) const {
    return std::max(compute, copy) / static_cast<double>(passes);
}

std::vector<GroupUse> groupUses(const Layout& layout,
                                const ComponentWork& work,
                                const DeviceProfile& profile) {
    std::vector<GroupUse> uses;
    for (const LeafUse& use : work.pass) {
        const Seconds seconds = profile.leafOverhead + use.flops / profile.flopsPerSecond;
        bool isFirst = true;
        for (const GroupId group : layout.leafGroups[use.leaf]) {
            if (uses.empty() || uses.back().group != group) {
                uses.push_back({.group = group});
            }
            uses.back().compute += isFirst ? seconds : 0;
            isFirst = false;
        }
    }
    return uses;
}

StreamTimes timePasses(const Layout& layout,
                       const std::vector<GroupUse>& pass,
                       int64_t passes,
                       const DeviceProfile& profile) {
    Clock clock(layout, passes, profile);
    clock.bringResidents(pass);
    clock.begin();
    StreamTimes first;
    for (int64_t i = 0; i < passes; ++i) {
        clock.runPass(pass);
        if (i == 0) {
            first = clock.times();
        }
    }
    StreamTimes times = clock.times();
    times.firstPass = first.total;
    times.movedFirst = first.moved;
    times.missesFirst = first.misses;
    return times;
}

}  // namespace lowtide::memory
