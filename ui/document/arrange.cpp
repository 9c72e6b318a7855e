#include "ui/document/arrange.hpp"

#include "ui/document/layers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace lowtide::ui {

namespace {

constexpr double kGrid = 8;
constexpr double kGapBetweenParts = 80;
/// What remains free between nodes after rounding to the grid.
constexpr double kLeastGap = 24;
/// Nearer than this a wire seems to touch a node.
constexpr double kClearance = 16;
constexpr int kSamples = 48;

/// The nodes that are moved, and the wires between them.
struct Moved {
    std::vector<NodeBox> boxes;
    std::vector<Edge> edges;
    std::vector<graph::PortRef> targets;  ///< of each edge
    std::vector<std::vector<Point>> via;  ///< of each edge
};

double snapped(double value) {
    return std::round(value / kGrid) * kGrid;
}

Moved movedNodes(const graph::Document& document, std::vector<NodeBox> boxes) {
    Moved moved{.boxes = std::move(boxes)};
    std::map<std::string, size_t> indices;
    for (size_t index = 0; index < moved.boxes.size(); ++index) {
        indices[moved.boxes[index].id] = index;
    }
    for (const graph::Link& link : document.links) {
        const auto from = indices.find(link.from.node);
        const auto to = indices.find(link.to.node);
        if (from != indices.end() && to != indices.end() && from != to) {
            moved.edges.emplace_back(from->second, to->second);
            moved.targets.push_back(link.to);
        }
    }
    moved.via.resize(moved.edges.size());
    return moved;
}

/// Groups of nodes that wires join, the one with the first id first.
std::vector<std::vector<size_t>> partsOf(const Moved& moved) {
    std::vector<std::vector<size_t>> neighbours(moved.boxes.size());
    for (const auto& [from, to] : moved.edges) {
        neighbours[from].push_back(to);
        neighbours[to].push_back(from);
    }
    std::vector<bool> isSeen(moved.boxes.size(), false);
    std::vector<std::vector<size_t>> parts;
    for (size_t first = 0; first < moved.boxes.size(); ++first) {
        if (isSeen[first]) {
            continue;
        }
        isSeen[first] = true;
        std::vector<size_t> part{first};
        for (size_t next = 0; next < part.size(); ++next) {
            for (const size_t neighbour : neighbours[part[next]]) {
                if (!isSeen[neighbour]) {
                    isSeen[neighbour] = true;
                    part.push_back(neighbour);
                }
            }
        }
        std::sort(part.begin(), part.end());
        parts.push_back(std::move(part));
    }
    return parts;
}

/// The points at which a wire enters and leaves the columns that it crosses.
std::vector<Point> waypointsOf(const Layers& layers, const LayerPositions& positions, size_t edge) {
    std::vector<Point> waypoints;
    for (const size_t bend : layers.bendsOf[edge]) {
        const double y = positions.topLefts[bend].y;
        const Point column = positions.columns[layers.layerOf[bend]];
        if (waypoints.empty() || waypoints.back().y != y) {
            waypoints.push_back({column.x, y});
            waypoints.push_back({column.y, y});
        } else {
            waypoints.back().x = column.y;  // straight on
        }
    }
    return waypoints;
}

/// Lays out one part with its top left at `corner`; returns its height.
double layOutPart(Moved& moved, const std::vector<size_t>& part, Point corner) {
    std::vector<size_t> numberOf(moved.boxes.size(), std::numeric_limits<size_t>::max());
    std::vector<Point> sizes;
    for (size_t number = 0; number < part.size(); ++number) {
        numberOf[part[number]] = number;
        sizes.push_back(moved.boxes[part[number]].size);
    }
    std::vector<Edge> edges;
    std::vector<size_t> edgeOf;
    for (size_t edge = 0; edge < moved.edges.size(); ++edge) {
        if (numberOf[moved.edges[edge].first] < part.size()) {
            edges.emplace_back(numberOf[moved.edges[edge].first],
                               numberOf[moved.edges[edge].second]);
            edgeOf.push_back(edge);
        }
    }
    const Layers layers = makeLayers(part.size(), edges);
    const LayerPositions positions = positionLayers(layers, sizes);
    for (size_t number = 0; number < part.size(); ++number) {
        moved.boxes[part[number]].topLeft = {snapped(corner.x + positions.topLefts[number].x),
                                             snapped(corner.y + positions.topLefts[number].y)};
    }
    for (size_t edge = 0; edge < edges.size(); ++edge) {
        for (const Point waypoint : waypointsOf(layers, positions, edge)) {
            moved.via[edgeOf[edge]].push_back(
                {snapped(corner.x + waypoint.x), snapped(corner.y + waypoint.y)});
        }
    }
    return positions.height;
}

/// Nodes without wires stand in rows, about as wide as high.
double layOutSingles(Moved& moved, const std::vector<size_t>& singles, Point corner) {
    const auto perRow = static_cast<size_t>(std::ceil(std::sqrt(singles.size())));
    Point next = corner;
    double rowHeight = 0;
    for (size_t index = 0; index < singles.size(); ++index) {
        if (index > 0 && index % perRow == 0) {
            next = {corner.x, next.y + rowHeight + kGapBetweenParts / 2};
            rowHeight = 0;
        }
        NodeBox& box = moved.boxes[singles[index]];
        box.topLeft = {snapped(next.x), snapped(next.y)};
        next.x += box.size.x + kGapBetweenParts / 2;
        rowHeight = std::max(rowHeight, box.size.y);
    }
    return next.y + rowHeight - corner.y;
}

/// Pushes what would lie on an obstacle, or on a node that was pushed there, downward.
void pushAside(std::vector<NodeBox>& boxes, std::vector<NodeBox> obstacles) {
    std::vector<NodeBox*> byHeight;
    for (NodeBox& box : boxes) {
        byHeight.push_back(&box);
    }
    std::sort(byHeight.begin(), byHeight.end(), [](const NodeBox* a, const NodeBox* b) {
        return std::tie(a->topLeft.y, a->topLeft.x, a->id) <
               std::tie(b->topLeft.y, b->topLeft.x, b->id);
    });
    for (NodeBox* box : byHeight) {
        const auto lies = [&](const NodeBox& other) { return box->touches(other, kLeastGap); };
        for (auto hit = std::find_if(obstacles.begin(), obstacles.end(), lies);
             hit != obstacles.end();
             hit = std::find_if(obstacles.begin(), obstacles.end(), lies)) {
            box->topLeft.y = std::ceil((hit->bottom() + kLeastGap) / kGrid) * kGrid;
        }
        obstacles.push_back(*box);
    }
}

/// Whether the curve from point to point touches a box but those two, or comes nearer than `gap`.
bool isCovered(Point start,
               Point end,
               const std::vector<NodeBox>& boxes,
               const std::string& from,
               const std::string& to,
               double gap) {
    const double reach = (end.x - start.x) / 2;
    for (int sample = 1; sample < kSamples; ++sample) {
        const double t = static_cast<double>(sample) / kSamples;
        const double rest = 1 - t;
        const double eased = 3 * rest * t * t + t * t * t;
        const NodeBox point{
            .id = {},
            .topLeft = {rest * rest * rest * start.x + 3 * rest * rest * t * (start.x + reach) +
                            3 * rest * t * t * (end.x - reach) + t * t * t * end.x,
                        start.y + (end.y - start.y) * eased},
            .size = {}};
        const bool isBehind = std::any_of(boxes.begin(), boxes.end(), [&](const NodeBox& box) {
            return box.id != from && box.id != to && box.touches(point, gap);
        });
        if (isBehind) {
            return true;
        }
    }
    return false;
}

/// Whether a wire through those points would run behind another node.
bool isHidden(const Moved& moved,
              size_t edge,
              const std::vector<NodeBox>& boxes,
              const std::vector<Point>& via,
              double gap) {
    const NodeBox& from = moved.boxes[moved.edges[edge].first];
    const NodeBox& to = moved.boxes[moved.edges[edge].second];
    std::vector<Point> points{Point{from.right(), from.topLeft.y + wireHeight(from.size)}};
    points.insert(points.end(), via.begin(), via.end());
    points.push_back({to.topLeft.x, to.topLeft.y + wireHeight(to.size)});
    for (size_t at = 1; at < points.size(); ++at) {
        if (isCovered(points[at - 1], points[at], boxes, from.id, to.id, gap)) {
            return true;
        }
    }
    return false;
}

struct Bounds {
    Point least{std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
    Point most{std::numeric_limits<double>::lowest(), std::numeric_limits<double>::lowest()};
};

Bounds boundsOf(const std::vector<NodeBox>& boxes) {
    Bounds bounds;
    for (const NodeBox& box : boxes) {
        bounds.least = {std::min(bounds.least.x, box.topLeft.x),
                        std::min(bounds.least.y, box.topLeft.y)};
        bounds.most = {std::max(bounds.most.x, box.right()), std::max(bounds.most.y, box.bottom())};
    }
    return bounds;
}

Point aligned(const NodeBox& box, const Bounds& bounds, Alignment how) {
    switch (how) {
        case Alignment::Left:
            return {bounds.least.x, box.topLeft.y};
        case Alignment::Right:
            return {bounds.most.x - box.size.x, box.topLeft.y};
        case Alignment::Centre:
            return {(bounds.least.x + bounds.most.x - box.size.x) / 2, box.topLeft.y};
        case Alignment::Top:
            return {box.topLeft.x, bounds.least.y};
        case Alignment::Bottom:
            return {box.topLeft.x, bounds.most.y - box.size.y};
        case Alignment::Middle:
            return {box.topLeft.x, (bounds.least.y + bounds.most.y - box.size.y) / 2};
    }
    return box.topLeft;
}

constexpr Point kOrdinarySize{200, 120};

}  // namespace

void arrange(graph::Document& document, const NodeIds& ids, const NodeSizes& sizes) {
    NodeIds all;
    for (const auto& [id, node] : document.nodes) {
        all.insert(id);
    }
    std::vector<NodeBox> chosen;
    std::vector<NodeBox> obstacles;
    Point corner{std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
    for (NodeBox& box : nodeBoxesOf(document, all, sizes)) {
        if (box.isPinned || (!ids.empty() && !ids.contains(box.id))) {
            obstacles.push_back(std::move(box));
        } else {
            corner = {std::min(corner.x, box.topLeft.x), std::min(corner.y, box.topLeft.y)};
            chosen.push_back(std::move(box));
        }
    }
    if (chosen.empty()) {
        return;
    }
    corner = {snapped(corner.x), snapped(corner.y)};
    Moved moved = movedNodes(document, std::move(chosen));
    std::vector<size_t> singles;
    for (const std::vector<size_t>& part : partsOf(moved)) {
        if (part.size() == 1) {
            singles.push_back(part.front());
        } else {
            corner.y += layOutPart(moved, part, corner) + kGapBetweenParts;
        }
    }
    layOutSingles(moved, singles, corner);
    pushAside(moved.boxes, obstacles);
    for (const NodeBox& box : moved.boxes) {
        setPosition(document.nodes.at(box.id), box.topLeft);
    }
    obstacles.insert(obstacles.end(), moved.boxes.begin(), moved.boxes.end());
    for (size_t edge = 0; edge < moved.edges.size(); ++edge) {
        // What was pushed may lie on the waypoints now: the canvas finds another way.
        const bool needsWaypoints = !moved.via[edge].empty() &&
                                    isHidden(moved, edge, obstacles, {}, kClearance) &&
                                    !isHidden(moved, edge, obstacles, moved.via[edge], 0);
        setReroutes(
            document, moved.targets[edge], needsWaypoints ? moved.via[edge] : std::vector<Point>());
    }
}

void align(graph::Document& document, const NodeIds& ids, const NodeSizes& sizes, Alignment how) {
    const std::vector<NodeBox> boxes = nodeBoxesOf(document, ids, sizes);
    if (boxes.size() < 2) {
        return;
    }
    const Bounds bounds = boundsOf(boxes);
    for (const NodeBox& box : boxes) {
        if (!box.isPinned) {
            setPosition(document.nodes.at(box.id), aligned(box, bounds, how));
        }
    }
}

void distribute(graph::Document& document, const NodeIds& ids, const NodeSizes& sizes, Axis axis) {
    std::vector<NodeBox> boxes = nodeBoxesOf(document, ids, sizes);
    std::erase_if(boxes, [](const NodeBox& box) { return box.isPinned; });
    if (boxes.size() < 3) {
        return;
    }
    const auto component = axis == Axis::Horizontal ? &Point::x : &Point::y;
    std::stable_sort(boxes.begin(), boxes.end(), [&](const NodeBox& a, const NodeBox& b) {
        return a.topLeft.*component < b.topLeft.*component;
    });
    double used = 0;
    for (const NodeBox& box : boxes) {
        used += box.size.*component;
    }
    const double start = boxes.front().topLeft.*component;
    const double end = boxes.back().topLeft.*component + boxes.back().size.*component;
    const double gap = (end - start - used) / static_cast<double>(boxes.size() - 1);
    double next = start;
    for (NodeBox& box : boxes) {
        box.topLeft.*component = next;
        next += box.size.*component + gap;
        setPosition(document.nodes.at(box.id), box.topLeft);
    }
}

bool NodeBox::touches(const NodeBox& other, double gap) const {
    return topLeft.x < other.right() + gap && other.topLeft.x < right() + gap &&
           topLeft.y < other.bottom() + gap && other.topLeft.y < bottom() + gap;
}

std::vector<NodeBox> nodeBoxesOf(const graph::Document& document,
                                 const NodeIds& ids,
                                 const NodeSizes& sizes) {
    std::vector<NodeBox> boxes;
    for (const std::string& id : ids) {
        const auto node = document.nodes.find(id);
        if (node == document.nodes.end()) {
            continue;
        }
        const auto size = sizes.find(id);
        boxes.push_back({.id = id,
                         .topLeft = positionOf(node->second),
                         .size = size == sizes.end() ? kOrdinarySize : size->second,
                         .isPinned = isPinned(node->second)});
    }
    return boxes;
}

}  // namespace lowtide::ui
