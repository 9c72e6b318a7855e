#include "service/comfy_prompt.hpp"

#include "plugin/base/text.hpp"
#include "plugin/graph/issues.hpp"
#include "service/comfy_messages.hpp"

#include <algorithm>
#include <set>

namespace lowtide::service {

namespace {

Response refusedPrompt(const std::string& type,
                       const std::string& problem,
                       const std::string& details,
                       const Json& nodeErrors = Json::object()) {
    return jsonResponse({{"error",
                          {{"type", type},
                           {"message", problem},
                           {"details", details},
                           {"extra_info", Json::object()}}},
                         {"node_errors", nodeErrors}},
                        400);
}

/// The node that an input is wired to; empty: it has a value.
std::string sourceOf(const Json& input) {
    const bool isLink = input.is_array() && input.size() == 2 && input[0].is_string() &&
                        input[1].is_number_integer();
    return isLink ? input[0].get<std::string>() : "";
}

/// A node and all that it needs.
std::set<std::string> needsOf(const Json& prompt, const std::string& node) {
    std::set<std::string> needs;
    std::vector<std::string> open = {node};
    while (!open.empty()) {
        const std::string id = open.back();
        open.pop_back();
        const bool isKnown = prompt.contains(id) && prompt[id].is_object();
        if (!isKnown || !needs.insert(id).second) {
            continue;
        }
        const Json inputs = prompt[id].value("inputs", Json::object());
        for (const auto& [name, input] : inputs.items()) {
            if (const std::string source = sourceOf(input); !source.empty()) {
                open.push_back(source);
            }
        }
    }
    return needs;
}

/// Errors by the nodes of a prompt.
class NodeErrors {
public:
    NodeErrors(const ComfyMessages& names,
               const Json& prompt,
               const std::vector<std::string>& outputs)
        : names_(names) {
        for (const std::string& output : outputs) {
            for (const std::string& node : needsOf(prompt, output)) {
                dependents_[node].push_back(output);
            }
        }
    }

    void add(const std::string& node, Json error) {
        if (!json_.contains(node)) {
            json_[node] = {{"errors", Json::array()},
                           {"dependent_outputs", dependents_[node]},
                           {"class_type", names_.classOf(node)}};
        }
        json_[node]["errors"].push_back(std::move(error));
    }

    [[nodiscard]] const Json& json() const { return json_; }

    /// One error a line, for clients that show no node.
    [[nodiscard]] std::string text() const {
        std::vector<std::string> lines;
        for (const auto& [node, entry] : json_.items()) {
            for (const Json& error : entry.at("errors")) {
                const auto details = error.at("details").get<std::string>();
                lines.push_back("node " + node + " (" + names_.classOf(node) +
                                "): " + error.at("message").get<std::string>() +
                                (details.empty() ? "" : "; " + details));
            }
        }
        return join(lines, "\n");
    }

private:
    const ComfyMessages& names_;
    std::map<std::string, std::vector<std::string>> dependents_;
    Json json_ = Json::object();
};

/// An issue of ours: its codes are ComfyUI's words where both have one.
Json issueError(const Json& issue, const ComfyNodes& nodes, const std::string& className) {
    const std::string item = nodes.inputOf(className, issue.value("item", std::string()));
    const auto hint = issue.value("hint", std::string());
    return {{"type", issue.value("code", std::string("custom_validation_failed"))},
            {"message", issue.value("message", std::string())},
            {"details", item + (item.empty() || hint.empty() ? "" : ": ") + hint},
            {"extra_info", item.empty() ? Json::object() : Json{{"input_name", item}}}};
}

/// What an import could not make.
Json missingError(const Json& entry) {
    const auto kind = entry.value("kind", std::string());
    const auto name = entry.value(kind == "node" ? "class" : "name", std::string());
    const auto reasons = entry.value("why", std::vector<std::string>());
    const bool isFile = kind == "model" || kind == "file";
    return {{"type", isFile ? "value_not_in_list" : "custom_validation_failed"},
            {"message",
             kind == "node"     ? "Lowtide has no node for " + name
             : kind == "family" ? "Lowtide does not run models of the family " + name
                                : name + " is not there"},
            {"details", join(reasons, "; ")},
            {"extra_info", isFile ? Json{{"received_value", name}} : Json::object()}};
}

/// Ids of the nodes of a graph that end it.
std::vector<std::string> outputsOf(const Json& graph, const graph::Catalog& catalog) {
    std::vector<std::string> outputs;
    for (const auto& [id, node] : graph.at("nodes").items()) {
        const NodeDesc* const desc = catalog.find(node.value("type", std::string()));
        if (desc && desc->output) {
            outputs.push_back(id);
        }
    }
    return outputs;
}

/// Of a node without a class, as the editor sends what it does not know.
std::optional<Response> refusedShape(const Json& body) {
    if (!body.is_object() || !body.contains("prompt") || !body.at("prompt").is_object()) {
        return refusedPrompt("no_prompt", "No prompt provided", "No prompt provided");
    }
    for (const auto& [id, node] : body.at("prompt").items()) {
        const bool hasClass =
            node.is_object() && node.contains("class_type") && node.at("class_type").is_string();
        if (!hasClass) {
            return refusedPrompt(
                "invalid_prompt",
                "Cannot execute because a node is missing the class_type property.",
                "Node ID '#" + id + "'");
        }
    }
    if (body.at("prompt").empty()) {
        return refusedPrompt("prompt_no_outputs", "Prompt has no outputs", "");
    }
    return std::nullopt;
}

/// Those that a client asked for alone; all of them where it named none.
std::vector<std::string> targetsIn(const Json& body,
                                   const std::vector<std::string>& outputs,
                                   const ComfyMessages& names) {
    const Json* const targets = JsonReader(body, "prompt").member("partial_execution_targets");
    if (!targets || !targets->is_array()) {
        return outputs;
    }
    std::vector<std::string> chosen = outputs;
    std::erase_if(chosen, [&](const std::string& output) {
        return std::ranges::find(*targets, Json(names.nodeOf(output))) == targets->end();
    });
    return chosen;
}

}  // namespace

Json neededPart(const Json& prompt, const std::string& node) {
    Json part = Json::object();
    for (const std::string& id : needsOf(prompt, node)) {
        part[id] = prompt[id];
        part[id].erase("_meta");
    }
    return part;
}

TakenPrompt takePrompt(const Json& body,
                       const GraphIntake& intake,
                       const ComfyNodes& nodes,
                       Runner& runner) {
    TakenPrompt taken;
    taken.refused = refusedShape(body);
    if (taken.refused) {
        return taken;
    }
    const Json& prompt = body.at("prompt");
    const ComfyMessages names({}, prompt);
    const Answer imported = intake.imported(prompt.dump());
    if (imported.status != Status::Ok) {
        const Json issue = imported.result.at("issues").at(0);
        taken.refused = refusedPrompt("prompt_outputs_failed_validation",
                                      issue.value("message", std::string()),
                                      issue.value("hint", std::string()));
        return taken;
    }
    const Json& report = imported.result.at("report");
    std::vector<std::string> outputs =
        targetsIn(body, outputsOf(imported.result.at("graph"), intake.catalog()), names);
    std::vector<std::string> comfyOutputs;
    for (const std::string& output : outputs) {
        comfyOutputs.push_back(names.nodeOf(output));
    }
    NodeErrors errors(names, prompt, comfyOutputs);
    std::set<std::string> checked;
    bool isRefused = false;
    for (const std::string& output : comfyOutputs) {
        for (const std::string& id : needsOf(prompt, output)) {
            if (!checked.insert(id).second) {
                continue;
            }
            for (Json& error : nodes.valueErrors(names.classOf(id), prompt[id])) {
                errors.add(id, std::move(error));
                isRefused = true;
            }
        }
    }
    for (const Json& entry : report.at("missing")) {
        errors.add(entry.value("id", std::string()), missingError(entry));
    }
    if (outputs.empty()) {
        taken.refused = errors.json().empty()
                            ? refusedPrompt("prompt_no_outputs", "Prompt has no outputs", "")
                            : refusedPrompt("prompt_outputs_failed_validation",
                                            "Prompt outputs failed validation",
                                            errors.text(),
                                            errors.json());
        return taken;
    }
    std::erase_if(outputs, [&](const std::string& output) {
        return std::ranges::find(report.at("runs"), Json(output)) == report.at("runs").end();
    });
    TakenGraph graph = intake.take(imported.result.at("graph"), {{"until", outputs}});
    graph.options["previews"] = true;
    Json issues = Json::array();
    for (const Issue& issue : graph.issues) {
        issues.push_back(graph::toJson(issue));
    }
    if (!outputs.empty() && issues.empty() && !isRefused) {
        const Answer answer = answerOf([&](std::string& text) {
            return runner.check(graph.graph, graph.options.dump(), text);
        });
        issues = answer.result.value("issues", Json::array());
    }
    isRefused = isRefused || outputs.empty();
    for (const Json& issue : issues) {
        if (issue.value("severity", std::string("error")) == "error") {
            const std::string node = names.nodeOf(issue.value("node", std::string()));
            errors.add(node, issueError(issue, nodes, names.classOf(node)));
            isRefused = true;
        }
    }
    if (isRefused) {
        taken.refused = refusedPrompt("prompt_outputs_failed_validation",
                                      "Prompt outputs failed validation",
                                      errors.text(),
                                      errors.json());
        return taken;
    }
    taken.graph = std::move(graph.graph);
    taken.options = std::move(graph.options);
    taken.outputs = std::move(comfyOutputs);
    taken.nodeErrors = errors.json();
    return taken;
}

}  // namespace lowtide::service
