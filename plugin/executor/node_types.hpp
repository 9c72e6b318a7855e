#pragma once

#include "plugin/executor/node.hpp"
#include "plugin/graph/catalog.hpp"

#include <map>
#include <string>
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

}  // namespace lowtide::executor
