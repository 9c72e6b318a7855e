#include "ui/canvas/node_issues.hpp"

#include <QStringList>

#include <algorithm>

namespace lowtide::ui {

std::optional<Severity> NodeIssues::of(const std::string& item) const {
    const auto found = items.find(item);
    return found == items.end() ? std::nullopt : std::optional(found->second);
}

NodeIssues issuesOf(const Issues& issues) {
    NodeIssues result;
    for (const Issue& issue : issues) {
        if (issue.severity == Severity::Info) {
            continue;
        }
        result.worst = std::max(result.worst.value_or(Severity::Info), issue.severity);
        if (!issue.item.empty()) {
            const auto place = result.items.emplace(issue.item, issue.severity).first;
            place->second = std::max(place->second, issue.severity);
        }
    }
    return result;
}

QString issueText(const Issues& issues, const std::string& item) {
    QStringList sentences;
    for (const Issue& issue : issues) {
        if (item.empty() || issue.item == item) {
            const QString message = QString::fromStdString(issue.message.str());
            sentences << (issue.hint.empty()
                              ? message
                              : message + u'\n' + QString::fromStdString(issue.hint.str()));
        }
    }
    return sentences.join(QStringLiteral("\n\n"));
}

}  // namespace lowtide::ui
