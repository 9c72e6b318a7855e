#include "plugin/graph/overrides.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/memory/component_parts.hpp"
#include "plugin/memory/policy.hpp"
#include "plugin/memory/precision.hpp"

namespace lowtide::graph {

namespace {

/// "node.item=value" taken apart. A node's id may hold dots: the longest id that exists wins.
struct Target {
    std::string nodeId;
    DocumentNode* node = nullptr;
    const NodeDesc* desc = nullptr;
    std::string item;  ///< empty: the node itself
    std::string value;
};

[[noreturn]] void refuseOverride(const std::string& text,
                                 const Message& problem,
                                 const Message& hint) {
    throw Error(ErrorKind::InvalidInput, message("\"{}\": {}", text, problem), hint);
}

Message suggestion(const std::string& name, const std::vector<std::string>& known) {
    const std::string near = nearestName(name, known);
    return near.empty() ? message("there are: {}", listSome(known, 40))
                        : message("did you mean \"{}\"?", near);
}

template <typename Entries>
std::vector<std::string> namesOf(const Entries& entries) {
    std::vector<std::string> names;
    for (const auto& entry : entries) {
        if constexpr (requires { entry.first; }) {
            names.push_back(entry.first);
        } else {
            names.push_back(entry.id);
        }
    }
    return names;
}

Target targetOf(Document& document,
                const Catalog& catalog,
                const std::string& text,
                const Message& hint) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) {
        refuseOverride(text, message("has no \"=\""), hint);
    }
    const std::string path = trim(text.substr(0, equals));
    Target target;
    target.value = text.substr(equals + 1);
    for (auto& [id, node] : document.nodes) {
        const bool isNode = path == id || path.starts_with(id + ".");
        if (isNode && id.size() > target.nodeId.size()) {
            target.nodeId = id;
            target.node = &node;
        }
    }
    if (!target.node) {
        const std::string name = path.substr(0, path.find('.'));
        refuseOverride(text,
                       message("the graph has no node \"{}\"", name),
                       suggestion(name, namesOf(document.nodes)));
    }
    target.item = path == target.nodeId ? "" : path.substr(target.nodeId.size() + 1);
    target.desc = catalog.find(target.node->type);
    if (!target.desc) {
        refuseOverride(
            text, message("the node's type \"{}\" is not installed", target.node->type), {});
    }
    return target;
}

void setParam(Document& document, const Catalog& catalog, const std::string& text) {
    const Target target = targetOf(document, catalog, text, message("write node.param=value"));
    const ParamDesc* param = findParam(*target.desc, target.item);
    if (!param) {
        refuseOverride(text,
                       message("node {} ({}) has no parameter \"{}\"",
                               target.nodeId,
                               target.desc->id,
                               target.item),
                       suggestion(target.item, namesOf(target.desc->params)));
    }
    const Json value = paramFromText(*param, target.value);
    const ParamCheck check = checkParam(*param, value);
    if (const auto* refusal = std::get_if<ParamRefusal>(&check)) {
        refuseOverride(
            text,
            message("the value of {}.{} {}", target.nodeId, target.item, refusal->reason),
            refusal->hint);
    }
    target.node->params[target.item] = value;
}

void setPolicy(Document& document, const Catalog& catalog, const std::string& text) {
    const Target target =
        targetOf(document, catalog, text, message("write node=policy or node.component=policy"));
    const std::vector<std::string>& roles = target.desc->components;
    if (roles.empty()) {
        refuseOverride(text,
                       message("node {} ({}) runs no network, so it has no memory policy",
                               target.nodeId,
                               target.desc->id),
                       {});
    }
    const memory::Policy policy = memory::parsePolicy(target.value);
    Json& saved = target.node->memory;
    if (target.item.empty()) {
        saved = memory::toJson(policy);
        return;
    }
    if (!memory::matchesAnyRole(roles, target.item)) {
        refuseOverride(text,
                       message("node {} ({}) runs no component \"{}\"",
                               target.nodeId,
                               target.desc->id,
                               target.item),
                       suggestion(target.item, roles));
    }
    memory::Policy whole =
        saved.is_null() ? memory::Policy{}
                        : memory::policyFromJson(saved, "node " + target.nodeId + ": memory");
    whole.components[target.item] = policy;
    saved = memory::toJson(whole);
}

void setPrecision(Document& document, const Catalog& catalog, const std::string& text) {
    const Target target = targetOf(document, catalog, text, message("write node=precision"));
    if (target.desc->components.empty()) {
        refuseOverride(text,
                       message("node {} ({}) runs no network, so it has no precision",
                               target.nodeId,
                               target.desc->id),
                       {});
    }
    if (!target.item.empty()) {
        refuseOverride(text,
                       message("a precision is given for a whole node"),
                       message("write node=precision; the graph's file may name components"));
    }
    target.node->precision = memory::toText(memory::parsePrecision(target.value));
}

void endWith(Document& document, const std::string& node) {
    const auto found = document.nodes.find(node);
    if (found == document.nodes.end()) {
        throw Error(ErrorKind::InvalidInput,
                    message("there is no node \"{}\" with which the run could end", node),
                    suggestion(node, namesOf(document.nodes)));
    }
    if (found->second.mode != NodeMode::Active) {
        throw Error(ErrorKind::InvalidInput,
                    message("the run cannot end with node {}, which is muted or bypassed", node),
                    message("make it active, or name another node"));
    }
    document.until.insert(node);
}

}  // namespace

Document applyOverrides(Document document, const Catalog& catalog, const Overrides& overrides) {
    for (const std::string& text : overrides.params) {
        setParam(document, catalog, text);
    }
    for (const std::string& text : overrides.policies) {
        setPolicy(document, catalog, text);
    }
    for (const std::string& text : overrides.precisions) {
        setPrecision(document, catalog, text);
    }
    if (overrides.isExact) {
        document.isExact = true;
    }
    for (const std::string& node : overrides.until) {
        endWith(document, node);
    }
    return document;
}

}  // namespace lowtide::graph
