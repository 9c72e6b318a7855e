#pragma once

#include "plugin/graph/document.hpp"
#include "plugin/interop/prompt.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace lowtide::interop {

/// Which parameter of a graph has the value of a node and input there.
using ValueOrigins = std::map<std::pair<std::string, std::string>, graph::PortRef>;

/// Adds what a workflow has around its nodes: groups, those of `groupsUsed` and around them, with
/// the values that they show, notes and frames.
void addCanvasParts(const Prompt& prompt,
                    const ValueOrigins& origins,
                    const std::set<std::string>& groupsUsed,
                    graph::Document& document);

}  // namespace lowtide::interop
