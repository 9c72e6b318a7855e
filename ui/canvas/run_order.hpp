#pragma once

#include "plugin/graph/document.hpp"

#include <string>
#include <vector>

namespace lowtide::ui {

/// Every node of the graph, those that feed others before them; nodes that could run at the same
/// time in the order of their ids. Nodes of a circle come last.
[[nodiscard]] std::vector<std::string> runOrder(const graph::Document& document);

}  // namespace lowtide::ui
