#pragma once

#include "plugin/graph/catalog.hpp"
#include "ui/document/arrange.hpp"

#include <functional>
#include <string>

namespace lowtide::ui {

inline constexpr Point kNewNodeSize{224, 200};

/// How large nodes are painted: those of the graph, and one of a type that is to be added.
struct CanvasSizes {
    NodeSizes nodes{};
    std::function<Point(const NodeDesc& desc)> ofNew{};  ///< empty: kNewNodeSize
};

/// Adds a node where no other one lies: at the point, else near it. Where nothing near is free, it
/// lies there all the same and the others are pushed down; pinned ones are not, it goes below them.
/// `sizes` learns its size. Returns its id.
std::string addNodeNear(graph::Document& document,
                        const NodeDesc& desc,
                        Point at,
                        CanvasSizes& sizes);
/// Moves down what the canvas shows on something else, as of a graph for nodes of other sizes.
void spreadApart(graph::Document& document, const NodeSizes& sizes);
/// arrange() of nodes and folded groups that the canvas shows. Each group is laid out by itself: an
/// open one keeps its nodes, and no other lies in its frame.
void arrangeShown(graph::Document& document, const NodeIds& ids, const NodeSizes& sizes);
/// Shows the group as one node, or opens it where it is. What it would lie on then is pushed down,
/// as by a new node. `sizes`: also of folded groups.
void foldGroup(graph::Document& document,
               const std::string& id,
               bool isFolded,
               const NodeSizes& sizes);

}  // namespace lowtide::ui
