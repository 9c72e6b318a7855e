#pragma once
// The node types that can run, what their descriptions declare, and how what a node throws becomes
// an issue.

#include "plugin/base/issue.hpp"
#include "plugin/executor/node.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/snapshot.hpp"
#include "plugin/host_api/host.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::executor {

/// The node types that can run, and the catalog that graphs are read against. Immutable.
class NodeTypes {
public:
    /// Error{Internal} as the catalog's, and when a type lacks one of its two functions.
    explicit NodeTypes(std::vector<NodeType> types);

    [[nodiscard]] const graph::Catalog& catalog() const { return catalog_; }

    /// `desc` is one of the catalog's.
    [[nodiscard]] const NodeType& of(const NodeDesc& desc) const;

private:
    std::map<std::string, NodeType> types_;
    graph::Catalog catalog_;
};

/// The value of a node's parameter. Error{Internal} when the node's description has none of that
/// id.
[[nodiscard]] const Scalar& paramOf(const graph::SnapshotNode& node, std::string_view id);

/// Error{Internal} when the description has no such input or output: a node asked for a port that
/// it did not declare.
void requireInput(const NodeDesc& desc, std::string_view port);
void requireOutput(const NodeDesc& desc, std::string_view port);

/// Runs `action` and turns what it throws into an issue pinned to `node`: lowtide::Error by its
/// kind, anything else internal_error with its first line. The one place of the executor that
/// catches; nothing is held by an exception any more when it returns.
[[nodiscard]] std::optional<Issue> attempt(std::string_view node,
                                           const std::function<void()>& action);

/// Whether the issue is the end of a cancelled run.
[[nodiscard]] bool isCancel(const Issue& issue);

/// An issue about our own bug in a node.
[[nodiscard]] Issue nodeBug(std::string_view node, std::string_view item, Message problem);

}  // namespace lowtide::executor
