#include "examples/qtnodes_host/adapter/run_status.hpp"

#include "plugin/base/json.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::qtnodes_host {

namespace {

std::string textOf(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double numberOf(const Json& json, const char* key, double otherwise) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? found->get<double>() : otherwise;
}

const Json& listOf(const Json& json, const char* key) {
    static const Json kNone = Json::array();
    const auto found = json.find(key);
    return found != json.end() && found->is_array() ? *found : kNone;
}

Verdict verdictOf(const std::string& severity) {
    return severity == "error"     ? Verdict::Errors
           : severity == "warning" ? Verdict::Warnings
                                   : Verdict::Fine;
}

std::string sentence(const Json& issue) {
    const std::string hint = textOf(issue, "hint");
    return textOf(issue, "severity") + ": " + textOf(issue, "message") +
           (hint.empty() ? "" : "; " + hint);
}

}  // namespace

void RunStatus::setChecked(const Json& issues) {
    *this = RunStatus();
    for (const Json& issue : issues) {
        take(issue);
    }
}

void RunStatus::apply(const Json& event) {
    const std::string name = textOf(event, "event");
    if (name == "runStarted") {
        begin(event);
    } else if (name == "nodeCached" || name == "nodeFinished") {
        set(event, NodeStatus::Updated);
        for (const Json& file : listOf(event, "files")) {
            files_.push_back(file.get<std::string>());
        }
    } else if (name == "nodeStarted") {
        set(event, NodeStatus::Processing);
        line_ = textOf(event, "node");
        permille_ = -1;
    } else if (name == "nodeProgress") {
        progress(event);
    } else if (name == "nodeIssue" || name == "nodeFailed") {
        Json issue = event.value("issue", Json::object());
        issue["node"] = textOf(event, "node");
        take(issue);
        if (name == "nodeFailed") {
            set(event, NodeStatus::Failed);
        }
    } else if (name == "runFinished") {
        end(event);
    }
}

NodeMark RunStatus::markOf(const std::string& node) const {
    const auto found = marks_.find(node);
    return found == marks_.end() ? NodeMark() : found->second;
}

void RunStatus::begin(const Json& event) {
    for (auto& [node, mark] : marks_) {
        mark.status = NodeStatus::Nothing;
    }
    for (const Json& node : listOf(event, "nodes")) {
        marks_[node.get<std::string>()].status = NodeStatus::Pending;
    }
    isRunning_ = true;
    outcome_.clear();
    files_.clear();
}

void RunStatus::progress(const Json& event) {
    const double done = numberOf(event, "done", 0);
    const double total = numberOf(event, "total", 0);
    const double eta = numberOf(event, "eta", -1);
    permille_ = total > 0 ? static_cast<int>(std::clamp(done / total, 0.0, 1.0) * 1000) : -1;
    line_ = textOf(event, "node") + ": " + textOf(event, "phase");
    if (eta >= 0) {
        line_ += ", " + std::to_string(std::llround(eta)) + " s left";
    }
}

/// Nothing remains waiting after the end, whatever it was.
void RunStatus::end(const Json& event) {
    for (auto& [node, mark] : marks_) {
        if (mark.status == NodeStatus::Pending || mark.status == NodeStatus::Processing) {
            mark.status = NodeStatus::Nothing;
        }
    }
    for (const Json& issue : listOf(event, "issues")) {
        take(issue);
    }
    isRunning_ = false;
    permille_ = -1;
    outcome_ = textOf(event, "status");
    line_ = outcome_ == "ok" && numberOf(event, "executed", -1) == 0
                ? "ok: nothing changed, all results were kept"
                : outcome_;
}

/// An issue comes with the node's event and once more at the end: it is reported once. Notes are
/// not marks.
void RunStatus::take(const Json& issue) {
    const Verdict verdict = verdictOf(textOf(issue, "severity"));
    if (verdict == Verdict::Fine) {
        return;
    }
    const std::string node = textOf(issue, "node");
    const std::string reported = sentence(issue);
    if (node.empty()) {
        if (std::ranges::find(messages_, reported) == messages_.end()) {
            messages_.push_back(reported);
        }
        return;
    }
    NodeMark& mark = marks_[node];
    mark.verdict = std::max(mark.verdict, verdict);
    if (mark.message.find(reported) == std::string::npos) {
        mark.message += (mark.message.empty() ? "" : "\n") + reported;
    }
}

void RunStatus::set(const Json& event, NodeStatus status) {
    marks_[textOf(event, "node")].status = status;
}

}  // namespace lowtide::qtnodes_host
