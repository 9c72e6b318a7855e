#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "examples/qtnodes_host/adapter/node_state.hpp"

namespace lowtide::qtnodes_host {

/// One value of a node that a user may set, as an editor needs it.
struct Row {
    enum class Kind : uint8_t { Param, Policy };

    Kind kind = Kind::Param;
    std::string id;  ///< the parameter, or the component whose policy it is; empty: the whole node
    std::string label;
    std::string tooltip;
    std::string unit;
    ParamKind shape = ParamKind::Text;  ///< which editor suits it
    std::vector<ChoiceDesc> choices;
    bool multiline = false;
    bool advanced = false;
    std::string text;  ///< the value now, as it would be typed
};

/// The parameters in the order of their description, then the memory policies: of the node, and of
/// each component where there are several.
[[nodiscard]] std::vector<Row> rowsOf(const NodeState& node);

/// Sets what was typed for a row. Returns why not, with what is accepted; the node is then as
/// before. An empty text takes a policy back.
[[nodiscard]] std::optional<std::string> setFromText(NodeState& node,
                                                     const Row& row,
                                                     std::string_view text);

}  // namespace lowtide::qtnodes_host
