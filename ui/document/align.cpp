#include "ui/document/arrange.hpp"
#include "ui/document/node_box.hpp"

#include <algorithm>
#include <limits>

namespace lowtide::ui {

namespace {

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

}  // namespace

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

}  // namespace lowtide::ui
