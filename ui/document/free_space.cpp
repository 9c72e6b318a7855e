#include "ui/document/free_space.hpp"

#include "ui/document/groups.hpp"
#include "ui/document/patch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

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

/// Pushes down what the unit lies on where it is.
void makeSpaceAround(graph::Document& document,
                     const Groups& groups,
                     const std::string& unit,
                     const NodeSizes& sizes) {
    NodeBox own = unitBox(document, groups, unit, sizes);
    own.isPinned = false;
    std::vector<NodeBox> boxes;
    for (const std::string& other : groups.unitsIn(groups.of(unit))) {
        if (other != unit) {
            boxes.push_back(unitBox(document, groups, other, sizes));
        }
    }
    makeSpace(boxes, own);
    boxes.push_back(own);
    for (const NodeBox& box : boxes) {
        moveUnit(document, groups, box, sizes);
    }
}

/// The port as it is seen where the nodes and groups of `group` are: one of a group in it has a
/// nameInGroup().
graph::PortRef portAt(const Groups& groups, const graph::PortRef& port, const std::string& group) {
    std::string unit = port.node;
    while (!groups.of(unit).empty() && groups.of(unit) != group) {
        unit = groups.of(unit);
    }
    return unit == port.node ? port : graph::PortRef{unit, nameInGroup(port)};
}

/// A group moves with the bends of the wires in it.
void moveWithWires(graph::Document& document,
                   const Groups& groups,
                   const NodeBox& box,
                   const NodeSizes& sizes) {
    const Point before = unitBox(document, groups, box.id, sizes).topLeft;
    moveUnit(document, groups, box, sizes);
    const NodeIds nodes = groups.find(box.id) ? groups.nodesIn(box.id) : NodeIds();
    for (const graph::Link& link : document.links) {
        std::vector<Point> bends = reroutesOf(link);
        if (bends.empty() || !nodes.contains(link.from.node) || !nodes.contains(link.to.node)) {
            continue;
        }
        for (Point& bend : bends) {
            bend = {bend.x + box.topLeft.x - before.x, bend.y + box.topLeft.y - before.y};
        }
        setReroutes(document, link.to, std::move(bends));
    }
}

/// Arranges what is in a group (empty: in none), groups in it first: frames are as large as that.
class LevelArrangement {
public:
    LevelArrangement(graph::Document& document, const NodeIds& ids, const NodeSizes& sizes)
        : document_(document), groups_(document), ids_(ids), sizes_(sizes) {}

    void arrangeIn(const std::string& group) {
        const auto isChosen = [this](const std::string& node) {
            return ids_.empty() || ids_.contains(groups_.shownAs(node));
        };
        graph::Document level;
        NodeSizes sizes;
        NodeIds chosen;
        for (const std::string& unit : groups_.unitsIn(group)) {
            if (isOpen(unit)) {
                arrangeIn(unit);
            }
            const NodeBox box = unitBox(document_, groups_, unit, sizes_);
            setPosition(level.nodes[unit], box.topLeft);
            setPinned(level.nodes[unit], box.isPinned);
            sizes[unit] = box.size;
            if (std::ranges::all_of(groups_.nodesIn(unit), isChosen)) {
                chosen.insert(unit);
            }
        }
        for (const graph::Link& link : document_.links) {
            if (isIn(level, link, group)) {
                level.links.push_back(link);
                level.links.back().from = portAt(groups_, link.from, group);
                level.links.back().to = portAt(groups_, link.to, group);
            }
        }
        sortLinks(level);
        if (!chosen.empty()) {
            arrange(level, chosen, sizes);
            takeOver(level, group);
        }
        for (const auto& [unit, node] : level.nodes) {
            if (isOpen(unit) && !chosen.contains(unit) &&
                std::ranges::any_of(groups_.nodesIn(unit), isChosen)) {
                makeSpaceAround(document_, groups_, unit, sizes_);
            }
        }
    }

private:
    [[nodiscard]] bool isOpen(const std::string& unit) const {
        const Group* group = groups_.find(unit);
        return group && !group->isFolded;
    }

    /// Whether the wire runs between two of its units.
    [[nodiscard]] bool isIn(const graph::Document& level,
                            const graph::Link& link,
                            const std::string& group) const {
        const std::string from = portAt(groups_, link.from, group).node;
        const std::string to = portAt(groups_, link.to, group).node;
        return from != to && level.nodes.contains(from) && level.nodes.contains(to);
    }

    void takeOver(const graph::Document& level, const std::string& group) {
        for (const auto& [unit, node] : level.nodes) {
            moveWithWires(
                document_, groups_, {.id = unit, .topLeft = positionOf(node), .size = {}}, sizes_);
        }
        for (graph::Link& link : document_.links) {
            if (isIn(level, link, group)) {
                link.extra = linkInto(level, portAt(groups_, link.to, group))->extra;
            }
        }
    }

    graph::Document& document_;
    const Groups groups_;
    const NodeIds& ids_;
    const NodeSizes& sizes_;
};

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

void arrangeShown(graph::Document& document, const NodeIds& ids, const NodeSizes& sizes) {
    LevelArrangement(document, ids, sizes).arrangeIn({});
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
        makeSpaceAround(document, groups, at, sizes);
    }
}

}  // namespace lowtide::ui
