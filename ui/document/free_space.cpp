#include "ui/document/free_space.hpp"

#include "ui/document/groups.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>

namespace lowtide::ui {

namespace {

constexpr double kSpaceGap = 24;  ///< between a new node and others
constexpr double kSpaceGrid = 8;
constexpr double kSpaceStep = 32;
constexpr int kNearSteps = 12;  ///< farther away a new node would be looked for

bool liesFree(const NodeBox& box, const std::vector<NodeBox>& others) {
    return std::ranges::none_of(
        others, [&](const NodeBox& other) { return box.touches(other, kSpaceGap); });
}

double onSpaceGrid(double value) {
    return std::round(value / kSpaceGrid) * kSpaceGrid;
}

/// The nearest free point so many steps from `at`; of equal ones that to the right and below.
std::optional<Point> freeAtDistance(const std::vector<NodeBox>& boxes,
                                    Point size,
                                    Point at,
                                    int steps) {
    std::optional<Point> best;
    int least = std::numeric_limits<int>::max();
    for (int right = steps; right >= -steps; --right) {
        const int next = std::abs(right) == steps ? 1 : 2 * steps;  // an edge, or its two ends
        for (int down = steps; down >= -steps; down -= next) {
            const int distance = right * right + down * down;
            const Point point{onSpaceGrid(at.x + right * kSpaceStep),
                              onSpaceGrid(at.y + down * kSpaceStep)};
            if (distance < least && liesFree({.id = {}, .topLeft = point, .size = size}, boxes)) {
                least = distance;
                best = point;
            }
        }
    }
    return best;
}

std::optional<Point> nearestFree(const std::vector<NodeBox>& boxes, Point size, Point at) {
    if (liesFree({.id = {}, .topLeft = at, .size = size}, boxes)) {
        return at;
    }
    for (int steps = 1; steps <= kNearSteps; ++steps) {
        if (const std::optional<Point> point = freeAtDistance(boxes, size, at, steps)) {
            return point;
        }
    }
    return std::nullopt;
}

bool overlapsAny(const NodeBox& box, const std::vector<NodeBox>& others) {
    return std::ranges::any_of(others, [&](const NodeBox& other) { return box.touches(other, 0); });
}

/// Down until it lies on none of them, with space above and below.
void moveBelow(NodeBox& box, const std::vector<NodeBox>& others) {
    const auto lies = [&](NodeBox other) {
        other.topLeft.y -= kSpaceGap;
        other.size.y += 2 * kSpaceGap;
        return box.touches(other, 0);
    };
    for (auto hit = std::ranges::find_if(others, lies); hit != others.end();
         hit = std::ranges::find_if(others, lies)) {
        box.topLeft.y = std::ceil((hit->bottom() + kSpaceGap) / kSpaceGrid) * kSpaceGrid;
    }
}

bool isAbove(const NodeBox& a, const NodeBox& b) {
    return std::tie(a.topLeft.y, a.topLeft.x, a.id) < std::tie(b.topLeft.y, b.topLeft.x, b.id);
}

/// Pushes down what the new node would lie on, and what that would lie on in turn. Those that lie
/// on each other already and are not pushed remain so.
void makeSpace(std::vector<NodeBox>& boxes, NodeBox& added) {
    std::vector<NodeBox> settled;
    std::ranges::copy_if(boxes, std::back_inserter(settled), &NodeBox::isPinned);
    std::erase_if(boxes, [](const NodeBox& box) { return box.isPinned; });
    moveBelow(added, settled);
    settled.push_back(added);
    std::vector<NodeBox> pushed{added};
    std::ranges::sort(boxes, isAbove);
    for (NodeBox& box : boxes) {
        if (overlapsAny(box, pushed)) {
            moveBelow(box, settled);
            pushed.push_back(box);
        }
        settled.push_back(box);
    }
}

}  // namespace

std::string addNodeNear(graph::Document& document,
                        const NodeDesc& desc,
                        Point at,
                        CanvasSizes& sizes) {
    const Groups groups(document);
    std::vector<NodeBox> boxes = shownBoxes(document, groups, sizes.nodes);
    NodeBox added{.id = {}, .topLeft = at, .size = sizes.ofNew ? sizes.ofNew(desc) : kNewNodeSize};
    if (const std::optional<Point> point = nearestFree(boxes, added.size, at)) {
        added.topLeft = *point;
    } else {
        makeSpace(boxes, added);
        for (const NodeBox& box : boxes) {
            moveUnit(document, groups, box, sizes.nodes);
        }
    }
    const std::string id = addNode(document, desc, added.topLeft);
    sizes.nodes[id] = added.size;
    return id;
}

void spreadApart(graph::Document& document, const NodeSizes& sizes) {
    const Groups groups(document);
    std::vector<NodeBox> boxes = shownBoxes(document, groups, sizes);
    std::ranges::sort(boxes, isAbove);
    std::vector<NodeBox> settled;
    for (NodeBox& box : boxes) {
        if (overlapsAny(box, settled)) {
            moveBelow(box, settled);
            moveUnit(document, groups, box, sizes);
        }
        settled.push_back(box);
    }
}

void foldGroup(graph::Document& document,
               const std::string& id,
               bool isFolded,
               const NodeSizes& sizes) {
    const Groups before(document);
    if (before.find(id) == nullptr) {
        return;
    }
    Group group = *before.find(id);
    group.isFolded = isFolded;
    putGroup(document, group);
    const Groups groups(document);
    for (std::string at = id; !at.empty(); at = groups.of(at)) {  // the one around it grew, too
        NodeBox own = unitBox(document, groups, at, sizes);
        own.isPinned = false;
        std::vector<NodeBox> others;
        for (const std::string& unit : groups.unitsIn(groups.of(at))) {
            if (unit != at) {
                others.push_back(unitBox(document, groups, unit, sizes));
            }
        }
        makeSpace(others, own);
        others.push_back(own);
        for (const NodeBox& box : others) {
            moveUnit(document, groups, box, sizes);
        }
    }
}

}  // namespace lowtide::ui
