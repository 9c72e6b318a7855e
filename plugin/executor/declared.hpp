#pragma once

#include "plugin/graph/snapshot.hpp"

#include <string_view>

namespace lowtide::executor {

/// The value of a node's parameter. Error{Internal} when the node's description has none of that
/// id.
[[nodiscard]] const Scalar& paramOf(const graph::SnapshotNode& node, std::string_view id);

/// Error{Internal} when the description has no such input or output: a node asked for a port that
/// it did not declare.
void requireInput(const NodeDesc& desc, std::string_view port);
void requireOutput(const NodeDesc& desc, std::string_view port);

}  // namespace lowtide::executor
