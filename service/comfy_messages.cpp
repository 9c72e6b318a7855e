#include "service/comfy_messages.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::service {

namespace {

/// The error of a list of issues that a user should see, or null.
Json errorIn(const Json& issues) {
    const auto error = std::ranges::find_if(issues, [](const Json& issue) {
        return issue.value("severity", std::string("error")) == "error";
    });
    return error == issues.end() ? Json() : *error;
}

/// "message\nhint\n", as clients show it.
std::string exceptionText(const Json& issue) {
    const std::string hint = issue.value("hint", std::string());
    return issue.value("message", std::string("the run failed")) + "\n" +
           (hint.empty() ? "" : hint + "\n");
}

}  // namespace

ComfyMessages::ComfyMessages(std::string id, Json prompt)
    : id_(std::move(id)), prompt_(std::move(prompt)) {}

std::vector<ComfyMessage> ComfyMessages::take(const Json& event, int64_t now) {
    std::vector<ComfyMessage> messages;
    const auto kind = event.value("event", std::string());
    const std::string node = nodeOf(event.value("node", std::string()));
    const Json files = event.value("files", Json::array());
    if (kind == "runStarted") {
        start(now, messages);
        return messages;
    }
    if (kind == "nodeCached") {
        cached_.push_back(node);
        if (!files.empty() || outputs_.contains(node)) {
            sendCached(now, messages);
            finish(node, files, messages);
        }
        return messages;
    }
    if (kind.starts_with("node") && kind != "nodeIssue") {
        sendCached(now, messages);
    }
    if (kind == "nodeStarted") {
        begin(node, messages);
    } else if (kind == "nodeProgress") {
        progress(event, messages);
    } else if (kind == "nodeFinished") {
        executed_.push_back(node);
        finish(node, files, messages);
    } else if (kind == "runFinished") {
        end(event, now, messages);
    }
    return messages;
}

void ComfyMessages::start(int64_t now, std::vector<ComfyMessage>& messages) {
    hasStarted_ = true;
    keep("execution_start", {{"prompt_id", id_}, {"timestamp", now}}, messages);
}

/// One message for those that were reused in a row; the first one always.
void ComfyMessages::sendCached(int64_t now, std::vector<ComfyMessage>& messages) {
    if (hasSentCached_ && cached_.empty()) {
        return;
    }
    hasSentCached_ = true;
    keep("execution_cached",
         {{"nodes", std::exchange(cached_, {})}, {"prompt_id", id_}, {"timestamp", now}},
         messages);
}

void ComfyMessages::begin(const std::string& node, std::vector<ComfyMessage>& messages) {
    Json state = nodeFields(node);
    state["value"] = 0.0;
    state["max"] = 1.0;
    state["state"] = "running";
    states_[node] = std::move(state);
    messages.push_back(stateMessage(false));
    if (std::exchange(current_, node) != node) {
        messages.push_back(
            {"executing", {{"node", node}, {"display_node", node}, {"prompt_id", id_}}});
    }
}

void ComfyMessages::progress(const Json& event, std::vector<ComfyMessage>& messages) {
    const std::string node = nodeOf(event.value("node", std::string()));
    const auto value = static_cast<int64_t>(event.value("done", 0.0));
    const auto most = static_cast<int64_t>(event.value("total", 0.0));
    const auto state = states_.find(node);
    if (state == states_.end() || most <= 0) {
        return;
    }
    state->second["value"] = value;
    state->second["max"] = most;
    messages.push_back(stateMessage(true));
    messages.push_back(
        {"progress", {{"value", value}, {"max", most}, {"prompt_id", id_}, {"node", node}}, true});
}

void ComfyMessages::finish(const std::string& node,
                           const Json& files,
                           std::vector<ComfyMessage>& messages) {
    for (const Json& file : files) {
        show(node, comfyFile(file.get<std::string>(), "output"));
    }
    if (const auto output = outputs_.find(node); output != outputs_.end()) {
        messages.push_back({"executed",
                            {{"node", node},
                             {"display_node", node},
                             {"output", output->second},
                             {"prompt_id", id_}}});
    }
    Json& state = states_.try_emplace(node, nodeFields(node)).first->second;
    state["max"] = state.value("max", Json(1.0));
    state["value"] = state["max"];
    state["state"] = "finished";
    messages.push_back(stateMessage(false));
}

void ComfyMessages::end(const Json& event, int64_t now, std::vector<ComfyMessage>& messages) {
    if (!hasStarted_) {
        start(now, messages);
    }
    const auto status = event.value("status", std::string());
    if (status == "ok") {
        sendCached(now, messages);
        isCompleted_ = true;
        keep("execution_success", {{"prompt_id", id_}, {"timestamp", now}}, messages);
        return;
    }
    const Json issue = errorIn(event.value("issues", Json::array()));
    const std::string blamed =
        issue.is_object() ? nodeOf(issue.value("node", std::string())) : std::string();
    const std::string node = blamed.empty() ? current_ : blamed;
    Json data = {{"prompt_id", id_},
                 {"node_id", node},
                 {"node_type", classOf(node)},
                 {"executed", executed_},
                 {"timestamp", now}};
    if (status == "cancelled") {
        keep("execution_interrupted", std::move(data), messages);
        return;
    }
    if (const auto state = states_.find(node); state != states_.end()) {
        state->second["state"] = "error";
        messages.push_back(stateMessage(false));
    }
    data["exception_message"] = issue.is_object() ? exceptionText(issue) : "the run failed\n";
    data["exception_type"] =
        "lowtide." + (issue.is_object() ? issue.value("code", std::string("error")) : "error");
    data["traceback"] = Json::array();
    data["current_inputs"] = Json::object();
    data["current_outputs"] = executed_;
    keep("execution_error", std::move(data), messages);
}

void ComfyMessages::keep(std::string type, Json data, std::vector<ComfyMessage>& messages) {
    kept_.push_back(Json::array({type, data}));
    messages.push_back({std::move(type), std::move(data)});
}

ComfyMessage ComfyMessages::stateMessage(bool mayBeMissed) const {
    return {"progress_state", {{"prompt_id", id_}, {"nodes", states_}}, mayBeMissed};
}

void ComfyMessages::show(const std::string& node, const Json& image) {
    Json& output = outputs_.try_emplace(nodeOf(node), Json::object()).first->second;
    output["images"].push_back(image);
    if (const auto name = image.value("filename", std::string());
        name.ends_with(".mp4") || name.ends_with(".webm")) {
        output["animated"] = {true};
    }
}

/// Ids of further nodes are "5_fit": the longest id that such a name begins with.
std::string ComfyMessages::nodeOf(const std::string& node) const {
    for (size_t end = node.size(); end != node.npos && end > 0; end = node.rfind('_', end - 1)) {
        if (prompt_.contains(node.substr(0, end))) {
            return node.substr(0, end);
        }
    }
    return node;
}

std::string ComfyMessages::classOf(const std::string& comfyNode) const {
    const auto node = prompt_.find(comfyNode);
    return node != prompt_.end() && node->is_object() && node->contains("class_type") &&
                   node->at("class_type").is_string()
               ? node->at("class_type").get<std::string>()
               : "";
}

Json ComfyMessages::nodeFields(const std::string& comfyNode) const {
    return {{"node_id", comfyNode},
            {"prompt_id", id_},
            {"display_node_id", comfyNode},
            {"parent_node_id", nullptr},
            {"real_node_id", comfyNode}};
}

Json ComfyMessages::history() const {
    Json meta = Json::object();
    for (const auto& [node, output] : outputs_) {
        meta[node] = {{"node_id", node},
                      {"display_node", node},
                      {"parent_node", nullptr},
                      {"real_node_id", node}};
    }
    return {{"outputs", Json(outputs_)},
            {"meta", meta},
            {"status",
             {{"status_str", isCompleted_ ? "success" : "error"},
              {"completed", isCompleted_},
              {"messages", kept_}}}};
}

Json comfyFile(const std::string& name, const std::string& type) {
    const size_t slash = name.rfind('/');
    return {{"filename", name.substr(slash + 1)},
            {"subfolder", slash == name.npos ? "" : name.substr(0, slash)},
            {"type", type}};
}

}  // namespace lowtide::service
