#pragma once

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/host_api/host.hpp"
#include "ui/bridge/log_model.hpp"

#include <QRegularExpression>
#include <QString>
#include <QStringList>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::ui {

/// Takes out of texts what reveals who a user is and how their disk is laid out, for reports that
/// others read: paths of every kind lose their folders, and names of the machine and of the user
/// become "<host>" and "<user>". When in doubt it takes too much. Any thread.
class Redactor {
public:
    /// What is known to be private, and what takes its place; case does not matter, and what has
    /// only one letter is left alone.
    struct Known {
        std::vector<std::pair<QString, QString>> wholeTexts;  ///< anywhere
        std::vector<std::pair<QString, QString>> words;  ///< without letters or digits around them
        /// A folder: whatever lies in it is a path, also where names have spaces.
        void addFolder(const QString& path);
    };

    explicit Redactor(Known known);

    [[nodiscard]] QString scrubbed(const QString& text) const;
    /// Of every key and text in it.
    [[nodiscard]] Json scrubbed(const Json& json) const;

private:
    struct Replacement {
        QRegularExpression what;
        QString with;
    };

    [[nodiscard]] Json scrubbed(const Json& json, std::map<std::string, std::string>& done) const;

    std::vector<Replacement> texts_;
    std::vector<Replacement> words_;
};

/// Names of this machine and of the user who is logged in, and their home folder.
[[nodiscard]] Redactor::Known knownOfThisMachine();

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
