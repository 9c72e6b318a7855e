#include "plugin/graph/issue_json.hpp"

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
    Json json = {{"severity", severityName(issue.severity)},
                 {"code", issue.code},
                 {"message", issue.message}};
    if (!issue.node.empty()) {
        json["node"] = issue.node;
    }
    if (!issue.item.empty()) {
        json["item"] = issue.item;
    }
    if (!issue.hint.empty()) {
        json["hint"] = issue.hint;
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

}  // namespace lowtide::graph
