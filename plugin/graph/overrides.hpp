#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

#include <string>
#include <vector>

namespace lowtide::graph {

/// Values given in addition to the graph, in the order in which they are applied.
struct Overrides {
    std::vector<std::string> params;        ///< "node.param=value"
    std::vector<std::string> policies;      ///< "node=leaf+stream", "node.component=none"
    std::vector<std::string> until{};       ///< nodes with which the run ends; empty: the outputs
    std::vector<std::string> precisions{};  ///< "node=speed,storage=bf16"
    bool isExact = false;                   ///< lossy choices are refused, whatever the graph has
};

/// The document with the values in place, read by their parameters' kinds. A policy replaces what
/// the node stated, a component's policy only its own entry. Errors: Error{InvalidInput} names the
/// text, the value and what exists or is accepted.
[[nodiscard]] Document applyOverrides(Document document,
                                      const Catalog& catalog,
                                      const Overrides& overrides);

}  // namespace lowtide::graph
