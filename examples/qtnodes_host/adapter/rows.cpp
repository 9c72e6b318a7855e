#include "examples/qtnodes_host/adapter/rows.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/memory/policy.hpp"

namespace lowtide::qtnodes_host {

namespace {

constexpr const char* kPolicy = "policy";
constexpr const char* kComponents = "components";
constexpr const char* kPolicyTooltip =
    "How the weights may use memory: none, model, sequential, block, block:2, leaf or auto, then "
    "+stream, ,budget=SIZE, ,after=evict|drop|keep, @device. Empty: not stated.";

std::string typed(const ParamDesc& param, const Json& value) {
    if (value.is_string()) {
        return value.get<std::string>();
    }
    if (value.is_number_float() && param.kind == ParamKind::Float) {
        return formatNumber(value.get<double>());
    }
    return value.is_null() ? "" : value.dump();
}

Row rowOf(const ParamDesc& param, const Json& params) {
    const auto value = params.find(param.id);
    return {.kind = Row::Kind::Param,
            .id = param.id,
            .label = param.label,
            .tooltip = param.tooltip + " (" + graph::acceptedBy(param).str() + ")",
            .unit = param.unit == "none" ? "" : param.unit,
            .shape = param.kind,
            .choices = param.choices,
            .multiline = param.multiline,
            .advanced = param.advanced,
            .text = value == params.end() ? "" : typed(param, *value)};
}

/// What a user would type for a policy that stands in the document; a text is shown as it stands.
std::string typedPolicy(const Json& policy) {
    if (policy.is_null()) {
        return "";
    }
    try {
        return policy.is_string() ? policy.get<std::string>()
                                  : memory::toText(memory::policyFromJson(policy, "memory"));
    } catch (const Error&) {
        return policy.dump();
    }
}

/// The policy of the node itself: without its components.
Json ownPolicy(const Json& memory) {
    Json own = memory;
    if (own.is_object()) {
        own.erase(kComponents);
    }
    return own.is_object() && own.empty() ? Json() : own;
}

Json componentPolicies(const Json& memory) {
    const Json none = Json::object();
    const Json policies = memory.is_object() ? memory.value(kComponents, none) : none;
    return policies.is_object() ? policies : none;
}

Json joined(const Json& own, const Json& components) {
    if (components.empty()) {
        return own;
    }
    Json memory = own.is_object() ? own : Json::object();
    if (own.is_string()) {
        memory[kPolicy] = own;
    }
    memory[kComponents] = components;
    return memory;
}

Row policyRow(const std::string& component, const Json& policy) {
    return {.kind = Row::Kind::Policy,
            .id = component,
            .label = component.empty() ? "Memory" : "Memory of " + component,
            .tooltip = kPolicyTooltip,
            .text = typedPolicy(policy)};
}

std::optional<std::string> setParam(NodeState& node, const Row& row, std::string_view text) {
    const ParamDesc* param = graph::findParam(node.desc(), row.id);
    if (!param) {
        return "there is no parameter " + quotedName(row.id);
    }
    const bool isText = param->kind == ParamKind::Text;
    const Json value = graph::paramFromText(*param, isText ? std::string(text) : trim(text));
    const graph::ParamCheck check = graph::checkParam(*param, value);
    if (const auto* refusal = std::get_if<graph::ParamRefusal>(&check)) {
        return param->label + " " + refusal->reason.str() + "; " + refusal->hint.str();
    }
    node.setParam(param->id, graph::toJson(std::get<Scalar>(check)));
    return std::nullopt;
}

std::optional<std::string> setPolicy(NodeState& node, const Row& row, const std::string& text) {
    try {
        if (!text.empty()) {
            static_cast<void>(memory::parsePolicy(text));
        }
    } catch (const Error& error) {
        return error.message().str() + "; " + error.hint().str();
    }
    Json own = ownPolicy(node.node().memory);
    Json components = componentPolicies(node.node().memory);
    if (row.id.empty()) {
        own = text.empty() ? Json() : Json(text);
    } else if (text.empty()) {
        components.erase(row.id);
    } else {
        components[row.id] = text;
    }
    node.setMemory(joined(own, components));
    return std::nullopt;
}

}  // namespace

std::vector<Row> rowsOf(const NodeState& node) {
    std::vector<Row> rows;
    for (const ParamDesc& param : node.desc().params) {
        rows.push_back(rowOf(param, node.node().params));
    }
    const std::vector<std::string>& roles = node.desc().components;
    if (!roles.empty()) {
        rows.push_back(policyRow("", ownPolicy(node.node().memory)));
    }
    const Json components = componentPolicies(node.node().memory);
    for (size_t i = 0; roles.size() > 1 && i < roles.size(); ++i) {
        rows.push_back(policyRow(roles[i], components.value(roles[i], Json())));
    }
    return rows;
}

std::optional<std::string> setFromText(NodeState& node, const Row& row, std::string_view text) {
    return row.kind == Row::Kind::Param ? setParam(node, row, text)
                                        : setPolicy(node, row, trim(text));
}

}  // namespace lowtide::qtnodes_host
