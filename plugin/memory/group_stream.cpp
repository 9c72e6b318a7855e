#include "plugin/memory/group_stream.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>

namespace lowtide::memory {

GroupStream::GroupStream(const Layout& layout, int64_t passes)
    : layout_(layout),
      ring_({.slots = std::vector<std::optional<Slot>>(layout.groups.size())}),
      leases_(layout.groups.size(), 0),
      passesLeft_(passes > 0 ? passes : -1) {
    for (const auto& [number, order] : layout.otherOrders) {
        orders_[number] = streamingOf(order);
    }
    orders_[0] = streamingOf(layout.order);
}

void GroupStream::beginPass(const PassHint& hint) {
    if (!seen_.empty()) {
        orders_[pass_.pattern] = std::move(seen_);
        seen_.clear();
    }
    pass_ = hint;
    passesLeft_ -= passesLeft_ > 0 ? 1 : 0;
    if (!orders_.contains(hint.pattern)) {
        orders_[hint.pattern] = orders_[0];
    }
    next_ = 0;
    for (const GroupId group : ring_.groups) {
        const bool isWanted = std::find(order().begin(), order().end(), group) != order().end();
        ring_.slots[group]->isSpent = ring_.slots[group]->isSpent || !isWanted;
    }
}

const std::vector<GroupId>& GroupStream::order() const {
    return orders_.at(pass_.pattern);
}

std::vector<GroupId> GroupStream::streamingOf(std::span<const GroupId> groups) const {
    std::vector<GroupId> streaming;
    for (const GroupId group : groups) {
        if (!layout_.groups[group].isResident) {
            streaming.push_back(group);
        }
    }
    return streaming;
}

std::optional<std::vector<StreamStep>> GroupStream::use(std::span<const GroupId> groups) {
    std::optional<Steps> steps(std::in_place);
    if (!use(groups, *steps)) {
        steps.reset();
    }
    return steps;
}

bool GroupStream::use(std::span<const GroupId> groups, Steps& steps) {
    steps.clear();
    if (groups.empty()) {
        return true;
    }
    moveTo(groups);
    if (!bringCurrent(steps)) {
        return false;
    }
    for (const GroupId group : current_) {
        ring_.slots[group]->isSpent = false;
    }
    if (layout_.prefetches) {
        bringAhead(steps);
    }
    return true;
}

/// Follows the pass: what was in use is left behind, and so is what the known order has before
/// `groups`. The first use of a pass counts also where the pass before ended with the same groups.
void GroupStream::moveTo(std::span<const GroupId> groups) {
    asked_.clear();
    for (const GroupId group : groups) {
        if (!layout_.groups[group].isResident) {
            asked_.push_back(group);
        }
    }
    if (current_ == asked_ && !seen_.empty()) {
        return;
    }
    for (const GroupId group : current_) {
        spend(group);
    }
    current_.swap(asked_);
    for (const GroupId group : current_) {
        seen_.push_back(group);
        follow(group);
    }
}

/// To the next place of `group` in the known order, if it has one.
void GroupStream::follow(GroupId group) {
    const std::vector<GroupId>& known = order();
    for (size_t step = 0; step < known.size(); ++step) {
        const size_t place = (next_ + step) % known.size();
        if (known[place] != group) {
            continue;
        }
        for (size_t skipped = 0; skipped < step; ++skipped) {
            spend(known[(next_ + skipped) % known.size()]);
        }
        next_ = place + 1;
        return;
    }
}

void GroupStream::spend(GroupId group) {
    if (ring_.slots[group]) {
        ring_.slots[group]->isSpent = true;
    }
}

/// All that is in use and not there, or nothing.
bool GroupStream::bringCurrent(Steps& steps) {
    const std::vector<GroupId>& wanted = current_;
    const auto missing = std::count_if(
        wanted.begin(), wanted.end(), [&](GroupId group) { return !ring_.slots[group]; });
    const std::optional<Ring> before = missing > 1 ? std::optional(ring_) : std::nullopt;
    for (const GroupId group : wanted) {
        if (!ring_.slots[group] && !bring(group, Force::SpentOnly, steps) &&
            !bring(group, Force::Unleased, steps)) {
            if (before) {
                ring_ = *before;
            }
            return false;
        }
    }
    misses_ += layout_.prefetches ? missing : 0;
    return true;
}

void GroupStream::lease(GroupId group) {
    ++leases_[group];
}

void GroupStream::release(GroupId group) {
    LOWTIDE_ASSERT(leases_[group] > 0);
    --leases_[group];
}

std::vector<StreamStep> GroupStream::prefetch() {
    Steps steps;
    if (layout_.prefetches) {
        bringAhead(steps);
    }
    return steps;
}

void GroupStream::forget(GroupId group) {
    ring_.slots[group].reset();
    std::erase(ring_.groups, group);
}

std::optional<Bytes> GroupStream::offsetOf(GroupId group) const {
    return ring_.slots[group] ? std::optional(ring_.slots[group]->offset) : std::nullopt;
}

void GroupStream::clear() {
    for (const GroupId group : ring_.groups) {
        ring_.slots[group].reset();
    }
    ring_.groups.clear();
    ring_.head = 0;
    current_.clear();
}

/// What comes next, until something that is still wanted is in the way. The last groups of a pass
/// are followed by the first of the next one.
void GroupStream::bringAhead(Steps& steps) {
    const std::vector<GroupId>& own = order();
    const auto next = orders_.find(pass_.next);
    const std::vector<GroupId>& following = next == orders_.end() ? own : next->second;
    const size_t end = own.size() + (passesLeft_ == 0 ? 0 : following.size());
    for (size_t place = next_; place < end; ++place) {
        const GroupId group = place < own.size() ? own[place] : following[place - own.size()];
        if (ring_.slots[group]) {
            ring_.slots[group]->isSpent = false;
        } else if (!bring(group, Force::SpentOnly, steps)) {
            return;
        }
    }
}

bool GroupStream::isCurrent(GroupId group) const {
    return std::find(current_.begin(), current_.end(), group) != current_.end();
}

bool GroupStream::mayEvict(GroupId group, Force force) const {
    return leases_[group] == 0 && !isCurrent(group) &&
           (force == Force::Unleased || ring_.slots[group]->isSpent);
}

bool GroupStream::overlaps(GroupId inRing, Bytes offset, Bytes bytes) const {
    const Bytes begin = ring_.slots[inRing]->offset;
    return begin < offset + bytes && offset < begin + layout_.groups[inRing].bytes;
}

bool GroupStream::isFree(Bytes offset, Bytes bytes, Force force) const {
    return std::all_of(ring_.groups.begin(), ring_.groups.end(), [&](GroupId group) {
        return !overlaps(group, offset, bytes) || mayEvict(group, force);
    });
}

/// Behind the newest group, else at the beginning, else (on demand only) behind any other.
std::optional<Bytes> GroupStream::findRoom(GroupId group, Force force) const {
    const Bytes bytes = layout_.groups[group].bytes;
    for (const Bytes offset : {ring_.head, Bytes{0}}) {
        if (offset + bytes > layout_.ringBytes) {
            continue;
        }
        if (isFree(offset, bytes, force)) {
            return offset;
        }
        if (force == Force::SpentOnly) {
            return std::nullopt;  // its turn comes when this place is left behind
        }
    }
    for (const GroupId other : ring_.groups) {
        const Bytes offset = ring_.slots[other]->offset + layout_.groups[other].bytes;
        if (force == Force::Unleased && offset + bytes <= layout_.ringBytes &&
            isFree(offset, bytes, force)) {
            return offset;
        }
    }
    return std::nullopt;
}

/// Below the most groups that may be in the ring, the oldest first.
bool GroupStream::makeFewer(Force force, Steps& steps) {
    while (layout_.mostInRing > 0 &&
           ring_.groups.size() >= static_cast<size_t>(layout_.mostInRing)) {
        const auto oldest = std::find_if(ring_.groups.begin(),
                                         ring_.groups.end(),
                                         [&](GroupId group) { return mayEvict(group, force); });
        if (oldest == ring_.groups.end()) {
            return false;
        }
        evict(*oldest, steps);
    }
    return true;
}

bool GroupStream::bring(GroupId group, Force force, Steps& steps) {
    const std::optional<Bytes> offset = findRoom(group, force);
    if (!offset || !makeFewer(force, steps)) {
        return false;
    }
    const Bytes bytes = layout_.groups[group].bytes;
    for (size_t place = 0; place < ring_.groups.size();) {
        if (overlaps(ring_.groups[place], *offset, bytes)) {
            evict(ring_.groups[place], steps);
        } else {
            ++place;
        }
    }
    ring_.slots[group] = Slot{.offset = *offset};
    ring_.groups.push_back(group);
    ring_.head = *offset + bytes;
    steps.push_back({StreamStep::Kind::Bring, group, *offset});
    return true;
}

void GroupStream::evict(GroupId group, Steps& steps) {
    steps.push_back({StreamStep::Kind::Evict, group, ring_.slots[group]->offset});
    forget(group);
}

Arrivals::Arrivals(const Layout& layout) : earlier_(layout.groups.size(), 0) {
    std::vector<bool> isKnown(layout.groups.size(), false);
    for (const GroupId group : layout.order) {
        if (isKnown[group]) {
            continue;
        }
        isKnown[group] = true;
        earlier_[group] = residents_.size();
        if (layout.groups[group].isResident) {
            residents_.push_back(group);
        } else {
            last_ = group;
        }
    }
}

std::span<const GroupId> Arrivals::before(GroupId group) {
    const size_t first = next_;
    next_ = std::max(next_, earlier_[group]);
    return std::span(residents_).subspan(first, next_ - first);
}

std::span<const GroupId> Arrivals::after(GroupId group) {
    return group == last_ ? rest() : std::span<const GroupId>();
}

std::span<const GroupId> Arrivals::rest() {
    const size_t first = next_;
    next_ = residents_.size();
    return std::span(residents_).subspan(first);
}

}  // namespace lowtide::memory
