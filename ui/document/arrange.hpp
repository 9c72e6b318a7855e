#pragma once

#include "ui/document/edits.hpp"

#include <map>
#include <vector>

namespace lowtide::ui {

enum class Alignment { Left, Centre, Right, Top, Middle, Bottom };
enum class Axis { Horizontal, Vertical };

/// Sizes of nodes as they are painted, by id.
using NodeSizes = std::map<std::string, Point>;

void align(graph::Document& document, const NodeIds& ids, const NodeSizes& sizes, Alignment how);
/// Equal gaps between three nodes or more.
void distribute(graph::Document& document, const NodeIds& ids, const NodeSizes& sizes, Axis axis);
/// Layers from left to right in the direction of the wires, few crossings, no overlap; pinned nodes
/// are not moved. Empty `ids`: all nodes.
void arrange(graph::Document& document, const NodeIds& ids, const NodeSizes& sizes);

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
