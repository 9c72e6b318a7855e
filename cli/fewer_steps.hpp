#pragma once
// The honest baseline of everything that makes sampling faster: the same time with fewer steps.

#include "plugin/base/json_fwd.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

#include <string>
#include <vector>

namespace lowtide::cli {

/// Milliseconds that the nodes with a number of steps took in one repetition of a report.
[[nodiscard]] double samplingMilliseconds(const Json& repetition, const graph::Catalog& catalog);

/// Settings ("node.param=value") that leave every node with a number of steps `fraction` of them,
/// at least one; where a schedule is split, first and last step move with it. Empty: no node has
/// fewer steps then.
[[nodiscard]] std::vector<std::string> fewerSteps(const graph::Document& document,
                                                  const graph::Catalog& catalog,
                                                  double fraction);

/// Whether a node has another number of steps in the two documents.
[[nodiscard]] bool stepsDiffer(const graph::Document& first,
                               const graph::Document& second,
                               const graph::Catalog& catalog);

}  // namespace lowtide::cli
