#include "ui/canvas/view_history.hpp"

#include <cmath>

namespace lowtide::ui {

namespace {

constexpr size_t kMostPlaces = 64;

/// Scroll bars stand on whole pixels, so the same place comes back a little aside.
bool isSame(const ViewPlace& a, const ViewPlace& b) {
    const double away = std::hypot(a.centre.x - b.centre.x, a.centre.y - b.centre.y);
    return a.zoom == b.zoom && away * a.zoom < 2;
}

/// The last of `from` that is another view than `now`, which is kept in `to`.
std::optional<ViewPlace> moved(std::vector<ViewPlace>& from,
                               std::vector<ViewPlace>& to,
                               const ViewPlace& now) {
    while (!from.empty() && isSame(from.back(), now)) {
        from.pop_back();
    }
    if (from.empty()) {
        return std::nullopt;
    }
    const ViewPlace place = from.back();
    from.pop_back();
    to.push_back(now);
    return place;
}

}  // namespace

void ViewHistory::leave(const ViewPlace& now) {
    ahead_.clear();
    if (before_.empty() || !isSame(before_.back(), now)) {
        before_.push_back(now);
    }
    if (before_.size() > kMostPlaces) {
        before_.erase(before_.begin());
    }
}

std::optional<ViewPlace> ViewHistory::back(const ViewPlace& now) {
    return moved(before_, ahead_, now);
}

std::optional<ViewPlace> ViewHistory::forward(const ViewPlace& now) {
    return moved(ahead_, before_, now);
}

void ViewHistory::clear() {
    before_.clear();
    ahead_.clear();
}

}  // namespace lowtide::ui
