#include "plugin/memory/group_stream.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>

namespace lowtide::memory {

GroupStream::GroupStream(const Layout& layout, int64_t forwards)
    : layout_(layout),
      ringBuffer_({.slots = std::vector<std::optional<Slot>>(layout.groups.size())}),
      leases_(layout.groups.size(), 0),
      forwardsLeft_(forwards > 0 ? forwards : -1) {
    for (const auto& [number, order] : layout.otherOrders) {
        orders_[number] = streamingOf(order);
    }
    orders_[0] = streamingOf(layout.order);
}

void GroupStream::beginForward(const ForwardHint& hint) {
    if (!seen_.empty()) {
        orders_[forward_.pattern] = std::move(seen_);
        seen_.clear();
    }
    forward_ = hint;
    forwardsLeft_ -= forwardsLeft_ > 0 ? 1 : 0;
    if (!orders_.contains(hint.pattern)) {
        orders_[hint.pattern] = orders_[0];
    }
    next_ = 0;
    for (const GroupId group : ringBuffer_.groups) {
        const bool isWanted = std::find(order().begin(), order().end(), group) != order().end();
        ringBuffer_.slots[group]->isSpent = ringBuffer_.slots[group]->isSpent || !isWanted;
    }
}

const std::vector<GroupId>& GroupStream::order() const {
    return orders_.at(forward_.pattern);
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
        ringBuffer_.slots[group]->isSpent = false;
    }
    if (layout_.prefetches) {
        bringAhead(steps);
    }
    return true;
}

/// Follows the forward: what was in use is left behind, and so is what the known order has before
/// `groups`. The first use of a forward counts also where the forward before ended with the same
/// groups.
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

/// To the next position of `group` in the known order, if it has one.
void GroupStream::follow(GroupId group) {
    const std::vector<GroupId>& known = order();
    for (size_t step = 0; step < known.size(); ++step) {
        const size_t index = (next_ + step) % known.size();
        if (known[index] != group) {
            continue;
        }
        for (size_t skipped = 0; skipped < step; ++skipped) {
            spend(known[(next_ + skipped) % known.size()]);
        }
        next_ = index + 1;
        return;
    }
}

void GroupStream::spend(GroupId group) {
    if (ringBuffer_.slots[group]) {
        ringBuffer_.slots[group]->isSpent = true;
    }
}

/// All that is in use and not there, or nothing.
bool GroupStream::bringCurrent(Steps& steps) {
    const std::vector<GroupId>& wanted = current_;
    const auto missing = std::count_if(
        wanted.begin(), wanted.end(), [&](GroupId group) { return !ringBuffer_.slots[group]; });
    const std::optional<RingBuffer> before =
        missing > 1 ? std::optional(ringBuffer_) : std::nullopt;
    for (const GroupId group : wanted) {
        if (!ringBuffer_.slots[group] && !bring(group, Force::SpentOnly, steps) &&
            !bring(group, Force::Unleased, steps)) {
            if (before) {
                ringBuffer_ = *before;
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
    ringBuffer_.slots[group].reset();
    std::erase(ringBuffer_.groups, group);
}

std::optional<Bytes> GroupStream::offsetOf(GroupId group) const {
    return ringBuffer_.slots[group] ? std::optional(ringBuffer_.slots[group]->offset)
                                    : std::nullopt;
}

void GroupStream::clear() {
    for (const GroupId group : ringBuffer_.groups) {
        ringBuffer_.slots[group].reset();
    }
    ringBuffer_.groups.clear();
    ringBuffer_.head = 0;
    current_.clear();
}

/// What comes next, until something that is still wanted is in the way. The last groups of a
/// forward are followed by the first of the next one.
void GroupStream::bringAhead(Steps& steps) {
    const std::vector<GroupId>& own = order();
    const auto next = orders_.find(forward_.next);
    const std::vector<GroupId>& following = next == orders_.end() ? own : next->second;
    const size_t end = own.size() + (forwardsLeft_ == 0 ? 0 : following.size());
    for (size_t index = next_; index < end; ++index) {
        const GroupId group = index < own.size() ? own[index] : following[index - own.size()];
        if (ringBuffer_.slots[group]) {
            ringBuffer_.slots[group]->isSpent = false;
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
           (force == Force::Unleased || ringBuffer_.slots[group]->isSpent);
}

bool GroupStream::overlaps(GroupId inRingBuffer, Bytes offset, Bytes bytes) const {
    const Bytes begin = ringBuffer_.slots[inRingBuffer]->offset;
    return begin < offset + bytes && offset < begin + layout_.groups[inRingBuffer].bytes;
}

bool GroupStream::isFree(Bytes offset, Bytes bytes, Force force) const {
    return std::all_of(ringBuffer_.groups.begin(), ringBuffer_.groups.end(), [&](GroupId group) {
        return !overlaps(group, offset, bytes) || mayEvict(group, force);
    });
}

/// Behind the newest group, else at the beginning, else (on demand only) behind any other.
std::optional<Bytes> GroupStream::findSpace(GroupId group, Force force) const {
    const Bytes bytes = layout_.groups[group].bytes;
    for (const Bytes offset : {ringBuffer_.head, Bytes{0}}) {
        if (offset + bytes > layout_.ringBufferBytes) {
            continue;
        }
        if (isFree(offset, bytes, force)) {
            return offset;
        }
        if (force == Force::SpentOnly) {
            return std::nullopt;  // it comes when this position is left behind
        }
    }
    for (const GroupId other : ringBuffer_.groups) {
        const Bytes offset = ringBuffer_.slots[other]->offset + layout_.groups[other].bytes;
        if (force == Force::Unleased && offset + bytes <= layout_.ringBufferBytes &&
            isFree(offset, bytes, force)) {
            return offset;
        }
    }
    return std::nullopt;
}

/// Below the most groups that may be in the ring buffer, the oldest first.
bool GroupStream::makeFewer(Force force, Steps& steps) {
    while (layout_.mostInRingBuffer > 0 &&
           ringBuffer_.groups.size() >= static_cast<size_t>(layout_.mostInRingBuffer)) {
        const auto oldest = std::find_if(ringBuffer_.groups.begin(),
                                         ringBuffer_.groups.end(),
                                         [&](GroupId group) { return mayEvict(group, force); });
        if (oldest == ringBuffer_.groups.end()) {
            return false;
        }
        evict(*oldest, steps);
    }
    return true;
}

bool GroupStream::bring(GroupId group, Force force, Steps& steps) {
    const std::optional<Bytes> offset = findSpace(group, force);
    if (!offset || !makeFewer(force, steps)) {
        return false;
    }
    const Bytes bytes = layout_.groups[group].bytes;
    for (size_t index = 0; index < ringBuffer_.groups.size();) {
        if (overlaps(ringBuffer_.groups[index], *offset, bytes)) {
            evict(ringBuffer_.groups[index], steps);
        } else {
            ++index;
        }
    }
    ringBuffer_.slots[group] = Slot{.offset = *offset};
    ringBuffer_.groups.push_back(group);
    ringBuffer_.head = *offset + bytes;
    steps.push_back({StreamStep::Kind::Bring, group, *offset});
    return true;
}

void GroupStream::evict(GroupId group, Steps& steps) {
    steps.push_back({StreamStep::Kind::Evict, group, ringBuffer_.slots[group]->offset});
    forget(group);
}

UploadOrder::UploadOrder(const Layout& layout) : earlier_(layout.groups.size(), 0) {
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

std::span<const GroupId> UploadOrder::before(GroupId group) {
    const size_t first = next_;
    next_ = std::max(next_, earlier_[group]);
    return std::span(residents_).subspan(first, next_ - first);
}

std::span<const GroupId> UploadOrder::after(GroupId group) {
    return group == last_ ? rest() : std::span<const GroupId>();
}

std::span<const GroupId> UploadOrder::rest() {
    const size_t first = next_;
    next_ = residents_.size();
    return std::span(residents_).subspan(first);
}

}  // namespace lowtide::memory
