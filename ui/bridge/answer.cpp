#include "ui/bridge/answer.hpp"

#include "ui/language/module_texts.hpp"

#include <algorithm>

namespace lowtide::ui {

Json answerOf(const std::string& text) {
    Json answer = Json::parse(text, nullptr, false);
    if (answer.is_object()) {
        return answer;
    }
    Json issue = {{"severity", "error"}, {"code", "internal_error"}};
    putMessage(issue,
               "message",
               message("the module's answer of {} bytes is no JSON object", text.size()));
    return {{"issues", Json::array({issue})}};
}

Issue issueFromJson(const Json& issue) {
    const std::string severity = textIn(issue, "severity");
    Issue read = {.severity = severity == "info"      ? Severity::Info
                              : severity == "warning" ? Severity::Warning
                                                      : Severity::Error,
                  .code = textIn(issue, "code"),
                  .node = textIn(issue, "node"),
                  .item = textIn(issue, "item"),
                  .message = messageIn(issue, "message"),
                  .hint = messageIn(issue, "hint"),
                  .facts = memberIn(issue, "facts").is_object() ? memberIn(issue, "facts").dump()
                                                                : std::string()};
    reword(read);
    return read;
}

Issues issuesFromJson(const Json& list) {
    Issues issues;
    if (list.is_array()) {
        for (const Json& each : list) {
            if (each.is_object()) {
                issues.push_back(issueFromJson(each));
            }
        }
    }
    return issues;
}

std::string firstMessageIn(const std::string& text) {
    const Issues issues =
        text.empty() ? Issues() : issuesFromJson(memberIn(answerOf(text), "issues"));
    if (issues.empty()) {
        return {};
    }
    const Issue& issue = issues.front();
    return issue.hint.empty() ? issue.message.str() : issue.message.str() + "; " + issue.hint.str();
}

Json factsOf(const Issue& issue) {
    Json facts = Json::parse(issue.facts, nullptr, false);
    return facts.is_object() ? facts : Json::object();
}

const Issue* firstErrorIn(const Issues& issues) {
    const auto found = std::find_if(issues.begin(), issues.end(), [](const Issue& issue) {
        return issue.severity == Severity::Error;
    });
    return found == issues.end() ? nullptr : &*found;
}

bool isSame(const Issue& left, const Issue& right) {
    return left.code == right.code && left.node == right.node && left.item == right.item &&
           left.message == right.message;
}

void addNew(Issues& issues, const Issues& more) {
    for (const Issue& issue : more) {
        const bool isKnown = std::any_of(
            issues.begin(), issues.end(), [&](const Issue& known) { return isSame(known, issue); });
        if (!isKnown) {
            issues.push_back(issue);
        }
    }
}

}  // namespace lowtide::ui
