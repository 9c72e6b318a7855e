#pragma once
// Everything that is wrong with a graph, and issues as JSON.

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

namespace lowtide::graph {

/// {"severity", "code", "node", "item", "message", "hint"}; node, item and hint only where there is
/// one. `messageParts` and `hintParts` have the formats and arguments of both (docs/events.md).
[[nodiscard]] Json toJson(const Issue& issue);
[[nodiscard]] Json toJson(const Issues& issues);

/// Codes of a policy or a precision for a component that a node does not run; found with the model
/// known, they are the executor's too.
inline constexpr const char* kPolicyComponentCode = "policy_without_components";
inline constexpr const char* kPrecisionComponentCode = "precision_without_components";

/// Everything that is wrong with a graph, node by node. What an output node pulls is an error, the
/// rest a warning; without an error makeSnapshot accepts the graph. Codes: missing_node_type,
/// required_input_missing, bad_linked_input, return_type_mismatch, invalid_input_type,
/// value_smaller_than_min, value_bigger_than_max, value_not_in_list, unknown_parameter,
/// newer_node_version, dependency_cycle, prompt_no_outputs, invalid_policy,
/// policy_without_components, invalid_budget, invalid_device.
[[nodiscard]] Issues validate(const Document& document, const Catalog& catalog);

[[nodiscard]] bool hasErrors(const Issues& issues);

}  // namespace lowtide::graph
