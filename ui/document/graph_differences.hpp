#pragma once

#include "plugin/graph/document.hpp"

#include <string>
#include <vector>

namespace lowtide::ui {

/// How one graph differs from another, in a node or as a whole.
struct GraphDifference {
    enum class What {
        Added,    ///< the node is in the second alone
        Removed,  ///< the node is in the first alone
        Param,
        Memory,
        Precision,
        Mode,
        Source,  ///< what feeds an input, as "node.port"
        Setting  ///< of the graph: "memory_budget", "device", ...
    };
    What what = What::Param;
    std::string node;  ///< empty: of the graph
    std::string item;  ///< parameter, input or setting
    Json before;       ///< null: not stated
    Json after;

    bool operator==(const GraphDifference&) const = default;
};

/// Node by node; nothing that a run does not see: positions, titles, frames, notes, the form.
[[nodiscard]] std::vector<GraphDifference> differencesBetween(const graph::Document& before,
                                                              const graph::Document& after);

}  // namespace lowtide::ui
