#include "plugin/memory/group_stream.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>

namespace lowtide::memory {

GroupStream::GroupStream(const Layout& layout, int64_t passes)
    : layout_(layout),
      slots_(layout.groups.size()),
      leases_(layout.groups.size(), 0),
      passesLeft_(passes > 0 ? passes : -1) {
    orders_ = layout.otherOrders;
    orders_[0] = layout.order;
    cursor_ = layout.order.empty() ? 0 : layout.order.size() - 1;
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
    cursor_ = order().empty() ? 0 : order().size() - 1;
    for (const GroupId group : inRing_) {
        const bool isWanted = std::find(order().begin(), order().end(), group) != order().end();
        slots_[group]->isSpent = slots_[group]->isSpent || !isWanted;
    }
}

const std::vector<GroupId>& GroupStream::order() const {
    return orders_.at(pass_.pattern);
}

std::optional<std::vector<StreamStep>> GroupStream::use(GroupId group) {
    moveTo(group);
    Steps steps;
    if (!layout_.groups[group].isResident && !slots_[group]) {
        if (!bring(group, Force::SpentOnly, steps) && !bring(group, Force::Unleased, steps)) {
            return std::nullopt;
        }
        misses_ += layout_.prefetches ? 1 : 0;
    }
    if (slots_[group]) {
        slots_[group]->isSpent = false;
    }
    if (layout_.prefetches) {
        bringAhead(steps);
    }
    return steps;
}

/// Follows the pass: to the next place of `group` in the known order, if it has one.
void GroupStream::moveTo(GroupId group) {
    if (current_ == group) {
        return;
    }
    if (current_ && slots_[*current_]) {
        slots_[*current_]->isSpent = true;
    }
    current_ = group;
    seen_.push_back(group);
    const std::vector<GroupId>& known = order();
    for (size_t step = 1; step <= known.size(); ++step) {
        const size_t place = (cursor_ + step) % known.size();
        if (known[place] != group) {
            continue;
        }
        for (size_t skipped = 1; skipped < step; ++skipped) {
            std::optional<Slot>& slot = slots_[known[(cursor_ + skipped) % known.size()]];
            if (slot) {
                slot->isSpent = true;
            }
        }
        cursor_ = place;
        return;
    }
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
    slots_[group].reset();
    std::erase(inRing_, group);
}

std::optional<Bytes> GroupStream::offsetOf(GroupId group) const {
    return slots_[group] ? std::optional(slots_[group]->offset) : std::nullopt;
}

void GroupStream::clear() {
    for (const GroupId group : inRing_) {
        slots_[group].reset();
    }
    inRing_.clear();
    head_ = 0;
    current_.reset();
}

/// What comes next, until something that is still wanted is in the way. The last groups of a pass
/// are followed by the first of the next one.
void GroupStream::bringAhead(Steps& steps) {
    const std::vector<GroupId>& own = order();
    const auto next = orders_.find(pass_.next);
    const std::vector<GroupId>& following = next == orders_.end() ? own : next->second;
    const size_t end = own.size() + (passesLeft_ == 0 ? 0 : following.size());
    for (size_t place = cursor_ + 1; place < end; ++place) {
        const GroupId group = place < own.size() ? own[place] : following[place - own.size()];
        if (layout_.groups[group].isResident) {
            continue;
        }
        if (slots_[group]) {
            slots_[group]->isSpent = false;
        } else if (!bring(group, Force::SpentOnly, steps)) {
            return;
        }
    }
}

bool GroupStream::mayEvict(GroupId group, Force force) const {
    return leases_[group] == 0 && group != current_ &&
           (force == Force::Unleased || slots_[group]->isSpent);
}

bool GroupStream::overlaps(GroupId inRing, Bytes offset, Bytes bytes) const {
    const Bytes begin = slots_[inRing]->offset;
    return begin < offset + bytes && offset < begin + layout_.groups[inRing].bytes;
}

bool GroupStream::isFree(Bytes offset, Bytes bytes, Force force) const {
    return std::all_of(inRing_.begin(), inRing_.end(), [&](GroupId group) {
        return !overlaps(group, offset, bytes) || mayEvict(group, force);
    });
}

/// Behind the newest group, else at the beginning, else (on demand only) behind any other.
std::optional<Bytes> GroupStream::findRoom(GroupId group, Force force) const {
    const Bytes bytes = layout_.groups[group].bytes;
    std::vector<Bytes> offsets = {head_, 0};
    if (force == Force::Unleased) {
        for (const GroupId other : inRing_) {
            offsets.push_back(slots_[other]->offset + layout_.groups[other].bytes);
        }
    }
    for (const Bytes offset : offsets) {
        if (offset + bytes <= layout_.ringBytes && isFree(offset, bytes, force)) {
            return offset;
        }
        if (force == Force::SpentOnly && offset + bytes <= layout_.ringBytes) {
            return std::nullopt;  // its turn comes when this place is left behind
        }
    }
    return std::nullopt;
}

/// Below the most groups that may be in the ring, the oldest first.
bool GroupStream::makeFewer(Force force, Steps& steps) {
    while (layout_.mostInRing > 0 && inRing_.size() >= static_cast<size_t>(layout_.mostInRing)) {
        const auto oldest = std::find_if(
            inRing_.begin(), inRing_.end(), [&](GroupId group) { return mayEvict(group, force); });
        if (oldest == inRing_.end()) {
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
    const std::vector<GroupId> inRing = inRing_;
    for (const GroupId other : inRing) {
        if (overlaps(other, *offset, bytes)) {
            evict(other, steps);
        }
    }
    slots_[group] = Slot{.offset = *offset};
    inRing_.push_back(group);
    head_ = *offset + bytes;
    steps.push_back({StreamStep::Kind::Bring, group, *offset});
    return true;
}

void GroupStream::evict(GroupId group, Steps& steps) {
    steps.push_back({StreamStep::Kind::Evict, group, slots_[group]->offset});
    forget(group);
}

}  // namespace lowtide::memory
