#pragma once

#include "ui/document/edits.hpp"

#include <map>

namespace lowtide::ui {

enum class Alignment { Left, Centre, Right, Top, Middle, Bottom };
enum class Axis { Horizontal, Vertical };

/// Sizes of nodes as they are painted, by id.
using NodeSizes = std::map<std::string, Point>;

void align(graph::Document& document, const NodeIds& ids, const NodeSizes& sizes, Alignment how);
/// Equal gaps between three nodes or more.
void distribute(graph::Document& document, const NodeIds& ids, const NodeSizes& sizes, Axis axis);
/// Layers from left to right in the direction of the wires, few crossings, no overlap; pinned nodes
/// stay. Empty `ids`: all nodes.
void arrange(graph::Document& document, const NodeIds& ids, const NodeSizes& sizes);

}  // namespace lowtide::ui
