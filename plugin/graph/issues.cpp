#include "plugin/graph/issues.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/graph/wiring.hpp"
#include "plugin/memory/collection.hpp"
#include "plugin/memory/component_parts.hpp"
#include "plugin/memory/device_spec.hpp"
#include "plugin/memory/policy.hpp"
#include "plugin/memory/precision.hpp"

#include <algorithm>

namespace lowtide::graph {

namespace {

const char* severityName(Severity severity) {
    switch (severity) {
        case Severity::Info:
            return "info";
        case Severity::Warning:
            return "warning";
        case Severity::Error:
            return "error";
    }
    return "error";
}

}  // namespace

Json toJson(const Issue& issue) {
    Json json = {{"severity", severityName(issue.severity)}, {"code", issue.code}};
    putMessage(json, "message", issue.message);
    if (!issue.node.empty()) {
        json["node"] = issue.node;
    }
    if (!issue.item.empty()) {
        json["item"] = issue.item;
    }
    if (!issue.hint.empty()) {
        putMessage(json, "hint", issue.hint);
    }
    if (Json facts = Json::parse(issue.facts, nullptr, false); facts.is_object()) {
        json["facts"] = std::move(facts);
    }
    return json;
}

Json toJson(const Issues& issues) {
    Json json = Json::array();
    for (const Issue& issue : issues) {
        json.push_back(toJson(issue));
    }
    return json;
}

namespace {

template <typename Item>
std::vector<std::string> idsOf(const std::vector<Item>& items) {
    std::vector<std::string> ids;
    for (const Item& item : items) {
        ids.push_back(item.id);
    }
    return ids;
}

/// "did you mean "steps"?" or "there are: steps, cfg".
Message whatThereIs(const std::string& name, const std::vector<std::string>& known) {
    if (known.empty()) {
        return message("there are none");
    }
    const std::string near = nearestName(name, known);
    return near.empty() ? message("there are: {}", listSome(known))
                        : message("did you mean \"{}\"?", near);
}

/// The same for hosts: `near` or `known`.
Json factsOfThereIs(const std::string& name, const std::vector<std::string>& known) {
    const std::string near = nearestName(name, known);
    Json facts = Json::object();
    putMessage(
        facts, near.empty() ? "known" : "near", near.empty() ? listSome(known) : Message(near));
    return facts;
}

Json with(Json facts, const Json& more) {
    facts.update(more);
    return facts;
}

Message quoted(const PortRef& port) {
    return message("{} of node {}", quotedName(port.port), port.node);
}

/// One pass over one document; each check adds its issues.
class Validation {
public:
    Validation(const Document& document, const Catalog& catalog)
        : document_(document), catalog_(catalog), wiring_(document, catalog) {}

    Issues run() {
        checkSettings();
        checkCycles();
        for (const auto& [id, node] : document_.nodes) {
            if (node.mode == NodeMode::Active) {
                checkNode(id, node);
            }
        }
        checkLinks();
        checkExposed();
        if (wiring_.pulled().empty()) {
            add(Severity::Error,
                "prompt_no_outputs",
                {},
                message("the graph has no output node that is active"),
                message("add a node that saves or shows the result"));
        }
        return std::move(issues_);
    }

private:
    void add(Severity severity,
             std::string code,
             const PortRef& at,
             Message message,
             Message hint,
             const Json& facts = {}) {
        issues_.push_back({severity,
                           std::move(code),
                           at.node,
                           at.port,
                           std::move(message),
                           std::move(hint),
                           facts.is_null() ? std::string() : facts.dump()});
    }

    Severity severityAt(const std::string& node) const {
        return wiring_.pulled().contains(node) ? Severity::Error : Severity::Warning;
    }

    void addAt(std::string code,
               const PortRef& at,
               Message message,
               Message hint,
               const Json& facts = {}) {
        add(severityAt(at.node), std::move(code), at, std::move(message), std::move(hint), facts);
    }

    void checkSettings() {
        if (document_.memoryBudget && !memory::isMemoryBudget(*document_.memoryBudget)) {
            add(Severity::Error,
                "invalid_budget",
                {"", "memory_budget"},
                message("the graph's memory budget {} is no size",
                        quotedName(*document_.memoryBudget)),
                message("write a size such as 8GiB or 512MiB"),
                {{"value", *document_.memoryBudget}});
        }
        checkSetting("invalid_device", "device", [&] {
            if (document_.device) {
                static_cast<void>(memory::parseDeviceSpec(*document_.device));
            }
        });
        checkSetting("invalid_collection", "gc_threshold", [&] {
            if (document_.collectionThreshold) {
                static_cast<void>(
                    memory::checkedThreshold(*document_.collectionThreshold, "the percentage"));
            }
        });
        checkSetting("invalid_collection", "low_memory", [&] {
            if (document_.lowMemory) {
                static_cast<void>(memory::parseLowMemory(*document_.lowMemory));
            }
        });
    }

    /// A setting of the whole graph that `read` refuses.
    template <typename Read>
    void checkSetting(const char* code, const char* key, const Read& read) {
        try {
            read();
        } catch (const Error& error) {
            add(Severity::Error,
                code,
                {"", key},
                message("the graph's {}: {}", key, error.message()),
                error.hint());
        }
    }

    void checkCycles() {
        for (const std::vector<std::string>& circle : wiring_.cycles()) {
            add(severityAt(circle.front()),
                "dependency_cycle",
                {circle.front(), ""},
                message("nodes feed each other in a circle: {} -> {}",
                        join(circle, " -> "),
                        circle.front()),
                message("remove one of the links between them"),
                {{"circle", join(circle, " -> ") + " -> " + circle.front()}});
        }
    }

    void checkNode(const std::string& id, const DocumentNode& node) {
        const NodeDesc* desc = catalog_.find(node.type);
        if (!desc) {
            const std::string near = catalog_.nearest(node.type);
            addAt("missing_node_type",
                  {id, ""},
                  message(
                      "node {} has the type {}, which is not installed", id, quotedName(node.type)),
                  near.empty() ? message("install what brings this node type, or bypass the node")
                               : message("did you mean \"{}\"?", near),
                  near.empty() ? Json{{"type", node.type}}
                               : Json{{"type", node.type}, {"near", near}});
            return;
        }
        if (node.version > desc->version) {
            add(Severity::Warning,
                "newer_node_version",
                {id, ""},
                message("node {} was saved by version {} of {}, this is version {}",
                        id,
                        node.version,
                        desc->id,
                        desc->version),
                message("its result may differ; use a newer version of this program"),
                {{"type", desc->id}, {"version", node.version}, {"known", desc->version}});
        }
        checkParams(id, node, *desc);
        checkInputs(id, *desc);
        checkPolicy(id, node, *desc);
        checkPrecision(id, node, *desc);
    }

    void checkParams(const std::string& id, const DocumentNode& node, const NodeDesc& desc) {
        for (const auto& [name, value] : node.params.items()) {
            const ParamDesc* param = findParam(desc, name);
            if (!param) {
                add(Severity::Warning,
                    "unknown_parameter",
                    {id, name},
                    message("node {} ({}) has no parameter {}; its value is kept and not used",
                            id,
                            desc.id,
                            quotedName(name)),
                    whatThereIs(name, idsOf(desc.params)),
                    with(factsOfThereIs(name, idsOf(desc.params)), {{"type", desc.id}}));
                continue;
            }
            const ParamCheck check = checkParam(*param, value);
            if (const auto* refusal = std::get_if<ParamRefusal>(&check)) {
                addAt(
                    refusal->code,
                    {id, name},
                    message("the value of {} of node {} {}", quotedName(name), id, refusal->reason),
                    refusal->hint,
                    with(paramFacts(*param, value), {{"type", desc.id}}));
            }
        }
        for (const ParamDesc& param : desc.params) {
            if (std::holds_alternative<std::monostate>(param.defaultValue) &&
                !node.params.contains(param.id)) {
                addAt("required_input_missing",
                      {id, param.id},
                      message("node {} needs a value for {}", id, quotedName(param.id)),
                      message("give {}", acceptedBy(param)),
                      with(paramFacts(param, nullptr), {{"case", "value"}, {"type", desc.id}}));
            }
        }
    }

    void checkInputs(const std::string& id, const NodeDesc& desc) {
        for (const PortDesc& input : desc.inputs) {
            const PortRef* source = wiring_.source({id, input.id});
            if (source) {
                checkType(*source, {id, input.id}, input);
            } else if (!input.optional && !isLinkedToNothing({id, input.id})) {
                addAt("required_input_missing",
                      {id, input.id},
                      message("the input {} {}", quoted({id, input.id}), whyEmpty({id, input.id})),
                      message("connect an output of type {}", input.type),
                      with(whyEmptyFacts({id, input.id}),
                           {{"takes", input.type}, {"type", desc.id}}));
            }
        }
    }

    /// Whether the link comes from a node that does not exist, which checkLinks reports.
    bool isLinkedToNothing(const PortRef& input) const {
        const PortRef* source = wiring_.linkInto(input);
        return source && !document_.nodes.contains(source->node);
    }

    Message whyEmpty(const PortRef& input) const {
        const PortRef* source = wiring_.linkInto(input);
        return source
                   ? message("gets nothing, because node {} or one before it is muted or bypassed",
                             source->node)
                   : message("is not connected");
    }

    Json whyEmptyFacts(const PortRef& input) const {
        const PortRef* source = wiring_.linkInto(input);
        return source ? Json{{"case", "muted"}, {"source", source->node}} : Json{{"case", "input"}};
    }

    void checkType(const PortRef& source, const PortRef& at, const PortDesc& input) {
        const std::string type = wiring_.typeOf(source);
        if (input.type == "*" || type == "*" || type == input.type) {
            return;
        }
        addAt("return_type_mismatch",
              at,
              message("the input {} takes {}, the output {} gives {}",
                      quoted(at),
                      input.type,
                      quoted(source),
                      type),
              message("connect an output of type {}", input.type),
              {{"takes", input.type},
               {"given", type},
               {"source", source.node},
               {"output", source.port}});
    }

    void checkPolicy(const std::string& id, const DocumentNode& node, const NodeDesc& desc) {
        if (node.memory.is_null() || (node.memory.is_object() && node.memory.empty())) {
            return;
        }
        if (desc.components.empty()) {
            addAt(kPolicyComponentCode,
                  {id, "memory"},
                  message("node {} ({}) runs no network, so it has no memory policy", id, desc.id),
                  message("remove its \"memory\" entry"));
            return;
        }
        try {
            const auto policy = memory::policyFromJson(node.memory, "node " + id + ": memory");
            for (const auto& [role, entry] : policy.components) {
                checkRole(id, role, desc, "memory");
            }
        } catch (const Error& error) {
            addAt("invalid_policy", {id, "memory"}, error.message(), error.hint());
        }
    }

    void checkPrecision(const std::string& id, const DocumentNode& node, const NodeDesc& desc) {
        if (node.precision.is_null() || (node.precision.is_object() && node.precision.empty())) {
            return;
        }
        if (desc.components.empty()) {
            addAt(kPrecisionComponentCode,
                  {id, "precision"},
                  message("node {} ({}) runs no network, so it has no precision", id, desc.id),
                  message("remove its \"precision\" entry"));
            return;
        }
        try {
            const auto choice =
                memory::precisionFromJson(node.precision, "node " + id + ": precision");
            for (const auto& [role, entry] : choice.components) {
                checkRole(id, role, desc, "precision");
            }
        } catch (const Error& error) {
            addAt("invalid_precision", {id, "precision"}, error.message(), error.hint());
        }
    }

    /// `entry`: "memory" or "precision".
    void checkRole(const std::string& id,
                   const std::string& role,
                   const NodeDesc& desc,
                   const std::string& entry) {
        if (!memory::matchesAnyRole(desc.components, role)) {
            addAt(entry == "memory" ? kPolicyComponentCode : kPrecisionComponentCode,
                  {id, entry},
                  message("the {} of node {} names the component {}, which the node does not run",
                          entry == "memory" ? message("memory policy") : message("precision"),
                          id,
                          quotedName(role)),
                  whatThereIs(role, desc.components));
        }
    }

    void checkLinks() {
        const Link* previous = nullptr;
        for (const Link& link : document_.links) {
            checkEnds(link);
            if (previous && previous->to == link.to) {
                addAt("bad_linked_input",
                      link.to,
                      message("the input {} has several links: from {} and from {}",
                              quoted(link.to),
                              quoted(previous->from),
                              quoted(link.from)),
                      message("keep one of them"));
            }
            previous = &link;
        }
    }

    void checkEnds(const Link& link) {
        const auto from = document_.nodes.find(link.from.node);
        const auto to = document_.nodes.find(link.to.node);
        if (to == document_.nodes.end()) {
            add(Severity::Warning,
                "bad_linked_input",
                link.from,
                message("a link from {} leads to node {}, which does not exist",
                        quoted(link.from),
                        link.to.node),
                message("remove the link"));
            return;
        }
        const NodeDesc* target = catalog_.find(to->second.type);
        if (target && !findInput(*target, link.to.port)) {
            addAt("bad_linked_input",
                  link.to,
                  findParam(*target, link.to.port)
                      ? message(
                            "node {} ({}) has no input {}, which is a parameter and takes no link",
                            link.to.node,
                            target->id,
                            quotedName(link.to.port))
                      : message("node {} ({}) has no input {}",
                                link.to.node,
                                target->id,
                                quotedName(link.to.port)),
                  whatThereIs(link.to.port, idsOf(target->inputs)));
        }
        if (from == document_.nodes.end()) {
            addAt("bad_linked_input",
                  link.to,
                  message("the input {} is linked to node {}, which does not exist",
                          quoted(link.to),
                          link.from.node),
                  message("remove the link"));
            return;
        }
        const NodeDesc* source = catalog_.find(from->second.type);
        if (source && !findOutput(*source, link.from.port)) {
            addAt("bad_linked_input",
                  link.to,
                  message("the input {} is linked to {}, which is no output of node {} ({})",
                          quoted(link.to),
                          quotedName(link.from.port),
                          link.from.node,
                          source->id),
                  whatThereIs(link.from.port, idsOf(source->outputs)));
        }
    }

    static bool canShow(const NodeDesc& desc, const std::string& item) {
        return findParam(desc, item) || (item == kExposedPrecision && !desc.components.empty());
    }

    void checkExposed() {
        for (const ExposedParam& exposed : document_.exposed) {
            const auto node = document_.nodes.find(exposed.node);
            const NodeDesc* desc =
                node == document_.nodes.end() ? nullptr : catalog_.find(node->second.type);
            if (node == document_.nodes.end() || (desc && !canShow(*desc, exposed.param))) {
                add(Severity::Warning,
                    "unknown_parameter",
                    {exposed.node, exposed.param},
                    message("the graph exposes {} of node {}, which does not exist",
                            quotedName(exposed.param),
                            exposed.node),
                    message("remove it from the exposed parameters"));
            }
        }
    }

    const Document& document_;
    const Catalog& catalog_;
    Wiring wiring_;
    Issues issues_;
};

}  // namespace

Issues validate(const Document& document, const Catalog& catalog) {
    return Validation(document, catalog).run();
}

bool hasErrors(const Issues& issues) {
    return std::any_of(issues.begin(), issues.end(), [](const Issue& issue) {
        return issue.severity == Severity::Error;
    });
}

}  // namespace lowtide::graph
