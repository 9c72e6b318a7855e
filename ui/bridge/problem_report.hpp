#pragma once

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/host_api/host.hpp"
#include "ui/bridge/log_model.hpp"
#include "ui/bridge/redactor.hpp"

#include <QString>
#include <QStringList>

#include <map>
#include <string>
#include <vector>

namespace lowtide::ui {

/// Types of nodes by the name that a document gives them.
using KnownTypes = std::map<std::string, NodeDesc>;

/// Everything that a report may be made of.
struct ReportFacts {
    Json system = Json::object();  ///< versions, processor, cards
    graph::Document document{};
    KnownTypes types{};  ///< that its nodes have, as far as they are known
    Issues issues{};
    Json plan{};
    Json options{};  ///< of the last run
    Json report{};   ///< of the last run; null: there is none
    std::vector<LogEntry> log{};
    QStringList folders{};  ///< that are known to be the user's
    QString description{};  ///< what the user writes about it
};

/// What of it goes into the report.
struct ReportChoices {
    bool hasGraph = true;
    bool hasPlan = true;
    bool hasRun = true;
    bool hasLog = true;
    bool hasTexts = false;  ///< prompts and other texts of the graph
};

/// Newest lines of the log in a report.
inline constexpr size_t kReportedLines = 300;

/// A report of a problem for others to read: without folders, and without names of the machine and
/// of the user (`machine`); without prompts, titles and notes unless `hasTexts`. Node ids that
/// somebody chose are replaced by those of their types. Any thread.
[[nodiscard]] Json problemReport(const ReportFacts& facts,
                                 const ReportChoices& choices,
                                 const Redactor::Known& machine);

}  // namespace lowtide::ui
