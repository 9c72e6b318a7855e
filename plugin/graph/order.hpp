#pragma once

#include "plugin/graph/wiring.hpp"

#include <string>
#include <vector>

namespace lowtide::graph {

/// The pulled nodes in an order in which each comes after its sources. Of the ready nodes goes
/// first: an output that runs no network, then one that runs the networks of the last stage on the
/// same model, then one that runs none, then one of the same model, then any; equal ones by id. So
/// no component is switched needlessly. The pulled nodes must have no circle and known types.
[[nodiscard]] std::vector<std::string> orderNodes(const Document& document,
                                                  const Catalog& catalog,
                                                  const Wiring& wiring);

}  // namespace lowtide::graph
