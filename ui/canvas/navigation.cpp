#include "ui/canvas/navigation.hpp"

#include <cmath>
#include <limits>
#include <set>

namespace lowtide::ui {

namespace {

constexpr double kAside = 2.5;  ///< how much more a step aside counts than one ahead

struct Steps {
    double ahead = 0;
    double aside = 0;
};

Steps stepsTo(QPointF from, QPointF to, FocusDirection direction) {
    const QPointF way = to - from;
    switch (direction) {
        case FocusDirection::Left:
            return {-way.x(), std::abs(way.y())};
        case FocusDirection::Right:
            return {way.x(), std::abs(way.y())};
        case FocusDirection::Up:
            return {-way.y(), std::abs(way.x())};
        case FocusDirection::Down:
            return {way.y(), std::abs(way.x())};
    }
    return {};
}

std::string topLeft(const NodeRects& rects) {
    std::string best;
    double least = std::numeric_limits<double>::max();
    for (const auto& [id, rect] : rects) {
        if (const double sum = rect.left() + rect.top(); sum < least) {
            least = sum;
            best = id;
        }
    }
    return best;
}

std::string nearest(const NodeRects& rects,
                    const std::set<std::string>& candidates,
                    const std::string& current,
                    FocusDirection direction,
                    bool mustBeAhead) {
    const auto start = rects.find(current);
    if (start == rects.end()) {
        return {};
    }
    std::string best;
    double least = std::numeric_limits<double>::max();
    for (const std::string& id : candidates) {
        const auto rect = rects.find(id);
        if (id == current || rect == rects.end()) {
            continue;
        }
        const Steps steps = stepsTo(start->second.center(), rect->second.center(), direction);
        if (mustBeAhead && steps.ahead <= 0) {
            continue;
        }
        if (const double cost = std::abs(steps.ahead) + kAside * steps.aside; cost < least) {
            least = cost;
            best = id;
        }
    }
    return best;
}

std::set<std::string> siblings(const graph::Document& document, const std::string& current) {
    std::set<graph::PortRef> sources;
    for (const graph::Link& link : document.links) {
        if (link.to.node == current) {
            sources.insert(link.from);
        }
    }
    std::set<std::string> found;
    for (const graph::Link& link : document.links) {
        if (sources.contains(link.from)) {
            found.insert(link.to.node);
        }
    }
    return found;
}

}  // namespace

std::string adjacentNode(const NodeRects& rects,
                         const std::string& current,
                         FocusDirection direction) {
    if (!rects.contains(current)) {
        return topLeft(rects);
    }
    std::set<std::string> all;
    for (const auto& [id, rect] : rects) {
        all.insert(id);
    }
    return nearest(rects, all, current, direction, true);
}

std::string nodeAlongWires(const graph::Document& document,
                           const NodeRects& rects,
                           const std::string& current,
                           FocusDirection direction) {
    if (direction == FocusDirection::Up || direction == FocusDirection::Down) {
        return nearest(rects, siblings(document, current), current, direction, true);
    }
    std::set<std::string> candidates;
    for (const graph::Link& link : document.links) {
        if (direction == FocusDirection::Right && link.from.node == current) {
            candidates.insert(link.to.node);
        }
        if (direction == FocusDirection::Left && link.to.node == current) {
            candidates.insert(link.from.node);
        }
    }
    return nearest(rects, candidates, current, direction, false);
}

}  // namespace lowtide::ui
