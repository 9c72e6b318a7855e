#include "ui/document/node_box.hpp"

namespace lowtide::ui {

namespace {

constexpr Point kOrdinarySize{200, 120};

}  // namespace

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
