#include "plugin/memory/arrivals.hpp"

#include <algorithm>

namespace lowtide::memory {

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
