#include "plugin/residency/device/fake/hazard_checker.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::residency {

namespace {

/// One missing wait is found by every operator behind it; the first faults show which.
constexpr size_t kMostFaults = 100;

size_t indexOf(Agent agent) {
    return static_cast<size_t>(agent);
}

void join(Clock& clock, const Clock& other) {
    for (size_t i = 0; i < kAgentCount; ++i) {
        clock[i] = std::max(clock[i], other[i]);
    }
}

}  // namespace

void HazardChecker::watch(ByteRange range) {
    const std::lock_guard lock(mutex_);
    Segment segment;
    segment.end = range.end;
    segments_.emplace(range.begin, std::move(segment));
}

void HazardChecker::unwatch(ByteRange range) {
    const std::lock_guard lock(mutex_);
    auto at = segments_.lower_bound(range.begin);
    while (at != segments_.end() && at->first < range.end) {
        const Segment& segment = at->second;
        if (segment.writer == Agent::Copy &&
            !isOrdered(Agent::Host, Agent::Copy, segment.lastWrite)) {
            addFault("memory was freed before the host waited for " + segment.lastWrite.what);
        }
        at = segments_.erase(at);
    }
}

void HazardChecker::begin(Agent agent) {
    const std::lock_guard lock(mutex_);
    Clock& clock = clocks_[indexOf(agent)];
    join(clock, clocks_[indexOf(Agent::Host)]);
    ++clock[indexOf(agent)];
}

void HazardChecker::access(Agent agent, ByteRange range, Access access, const std::string& what) {
    const std::lock_guard lock(mutex_);
    splitAt(range.begin);
    splitAt(range.end);
    const Mark mark{clocks_[indexOf(agent)][indexOf(agent)], what};
    for (auto at = segments_.lower_bound(range.begin);
         at != segments_.end() && at->first < range.end;
         ++at) {
        Segment& segment = at->second;
        check(agent, segment, access, what);
        if (access == Access::Write) {
            segment.writer = agent;
            segment.lastWrite = mark;
            segment.lastReads = {};
        } else {
            segment.lastReads[indexOf(agent)] = mark;
        }
    }
}

Clock HazardChecker::clockOf(Agent agent) const {
    const std::lock_guard lock(mutex_);
    return clocks_[indexOf(agent)];
}

void HazardChecker::wait(Agent agent, const Clock& clock) {
    const std::lock_guard lock(mutex_);
    join(clocks_[indexOf(agent)], clock);
}

std::vector<std::string> HazardChecker::faults() const {
    const std::lock_guard lock(mutex_);
    return faults_;
}

void HazardChecker::forgetFaults() {
    const std::lock_guard lock(mutex_);
    faults_.clear();
}

/// Makes `at` a boundary between segments where it lies inside one.
void HazardChecker::splitAt(const std::byte* at) {
    const auto next = segments_.upper_bound(at);
    if (next == segments_.begin()) {
        return;
    }
    Segment& holder = std::prev(next)->second;
    if (std::prev(next)->first == at || holder.end <= at) {
        return;
    }
    segments_.emplace(at, holder);
    holder.end = at;
}

bool HazardChecker::isOrdered(Agent later, Agent earlier, const Mark& mark) const {
    return later == earlier || clocks_[indexOf(later)][indexOf(earlier)] >= mark.time;
}

void HazardChecker::check(Agent agent,
                          const Segment& segment,
                          Access access,
                          const std::string& what) {
    if (!isOrdered(agent, segment.writer, segment.lastWrite)) {
        addFault(what + " is not ordered after " + segment.lastWrite.what);
    }
    if (access == Access::Read) {
        return;
    }
    for (size_t reader = 0; reader < kAgentCount; ++reader) {
        const Mark& read = segment.lastReads[reader];
        if (!isOrdered(agent, static_cast<Agent>(reader), read)) {
            addFault(what + " may overtake " + read.what);
        }
    }
}

void HazardChecker::addFault(std::string fault) {
    const bool isKnown = std::find(faults_.begin(), faults_.end(), fault) != faults_.end();
    if (!isKnown && faults_.size() < kMostFaults) {
        faults_.push_back(std::move(fault));
    }
}

}  // namespace lowtide::residency
