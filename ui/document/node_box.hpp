#pragma once

#include "ui/document/arrange.hpp"

#include <vector>

namespace lowtide::ui {

/// Where a node is painted.
struct NodeBox {
    std::string id;
    Point topLeft;
    Point size;
    bool isPinned = false;

    [[nodiscard]] double right() const { return topLeft.x + size.x; }

    [[nodiscard]] double bottom() const { return topLeft.y + size.y; }

    /// Whether the two lie on each other, or nearer than `gap`.
    [[nodiscard]] bool touches(const NodeBox& other, double gap) const;
};

/// Of the nodes that there are, by id; one without a size has that of an ordinary node.
[[nodiscard]] std::vector<NodeBox> nodeBoxesOf(const graph::Document& document,
                                               const NodeIds& ids,
                                               const NodeSizes& sizes);

}  // namespace lowtide::ui
