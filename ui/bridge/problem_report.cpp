#include "ui/bridge/problem_report.hpp"

#include "plugin/graph/issues.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/graph_outline.hpp"

#include <QDateTime>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace lowtide::ui {

namespace {

constexpr qsizetype kShortestText = 4;
constexpr qsizetype kShortestPiece = 8;
/// Long lists that say where bytes were at each moment; options that name what a person has.
constexpr std::array kLeftOut = {"timeline", "moves", "files"};
constexpr std::array kToldOptions = {
    "device", "as", "memoryBudget", "lowMemory", "previews", "repeat", "forceExecution"};

/// Prompts, in one piece and by their parts: messages quote them.
void hideTexts(const QStringList& texts, Scrubber::Known& known) {
    const QString with = QStringLiteral("<text>");
    for (const QString& text : texts) {
        if (text.size() >= kShortestText) {
            known.wholeTexts.emplace_back(text, with);
        }
        static const QRegularExpression ends(QStringLiteral("[,;.\\n()]"));
        for (const QString& part : text.split(ends, Qt::SkipEmptyParts)) {
            if (part.trimmed().size() >= kShortestPiece) {
                known.wholeTexts.emplace_back(part.trimmed(), with);
            }
        }
    }
}

/// As they stand in messages: with their folders, and the name alone.
void hideFiles(const QStringList& files, Scrubber::Known& known) {
    for (const QString& file : files) {
        const QString name = QFileInfo(file).fileName();
        const QString plain = scrubbedPath(name);
        if (plain != name && name.size() >= kShortestText) {
            known.wholeTexts.emplace_back(name, plain);
        }
        if (file.contains(QLatin1Char('/')) || file.contains(QLatin1Char('\\'))) {
            known.wholeTexts.emplace_back(file, scrubbedPath(file));
        }
    }
}

QStringList reportedFiles(const Json& report) {
    QStringList files;
    const Json& list = memberIn(report, "files");
    for (const Json& file : list.is_array() ? list : Json::array()) {
        files << QString::fromStdString(textIn(file, "path"));
    }
    return files;
}

Json thinned(const Json& report) {
    Json thin = report;
    for (const char* key : kLeftOut) {
        if (thin.is_object()) {
            thin.erase(key);
        }
    }
    return thin;
}

Json toldOptions(const Json& options) {
    Json told = Json::object();
    for (const char* key : kToldOptions) {
        if (options.is_object() && options.contains(key)) {
            told[key] = options[key];
        }
    }
    return told;
}

/// What engine and studio put in quotes may be a piece of a prompt that was cut.
QString withoutQuotes(QString text) {
    static const QRegularExpression quoted(
        QStringLiteral(R"rx("[^"\n]*[\s…][^"\n]*"|“[^”\n]*[\s…][^”\n]*”)rx"));
    return text.replace(quoted, QStringLiteral("\"<text>\""));
}

Json withoutQuotes(const Json& json) {
    if (json.is_string()) {
        return withoutQuotes(QString::fromStdString(json.get_ref<const std::string&>()))
            .toStdString();
    }
    Json plain = json;
    if (json.is_structured()) {
        for (Json& each : plain) {
            each = withoutQuotes(each);
        }
    }
    return plain;
}

Json linesOf(const std::vector<LogEntry>& log) {
    Json lines = Json::array();
    const size_t first = log.size() > kReportedLines ? log.size() - kReportedLines : 0;
    for (size_t i = first; i < log.size(); ++i) {
        lines.push_back(lineOf(log[i]).toStdString());
    }
    return lines;
}

}  // namespace

Json problemReport(const ReportFacts& facts,
                   const ReportChoices& choices,
                   const Scrubber::Known& machine) {
    Scrubber::Known known = machine;
    for (const QString& folder : facts.folders) {
        known.addFolder(folder);
    }
    if (!choices.hasTexts) {
        hideTexts(textsIn(facts.document, facts.types), known);
    }
    hideFiles(filesIn(facts.document, facts.types) + reportedFiles(facts.report), known);
    const std::map<std::string, std::string> ids = plainIds(facts.document, facts.types);
    for (const auto& [id, plain] : ids) {
        if (id != plain) {
            known.words.emplace_back(QString::fromStdString(id), QString::fromStdString(plain));
        }
    }
    Json told = Json::object();
    if (choices.hasPlan) {
        told["plan"] = thinned(facts.plan);
        told["issues"] = graph::toJson(facts.issues);
    }
    if (choices.hasRun && !facts.report.is_null()) {
        told["last_run"] = thinned(facts.report);
        told["options"] = toldOptions(facts.options);
    }
    if (choices.hasLog) {
        told["log"] = linesOf(facts.log);
    }
    told = choices.hasTexts ? told : withoutQuotes(told);
    if (choices.hasGraph) {
        told["graph"] = outlineOf(facts.document, facts.types, ids, choices.hasTexts);
    }
    const QString description = facts.description.trimmed();
    if (!description.isEmpty()) {
        told["description"] = description.toStdString();
    }
    const Scrubber scrubber(known);
    Json report = {{"lowtide_report", 1},
                   {"made", QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString()},
                   {"system", Scrubber(machine).scrubbed(facts.system)}};
    for (const auto& [part, json] : told.items()) {
        report[part] = scrubber.scrubbed(json);
    }
    return report;
}

}  // namespace lowtide::ui
