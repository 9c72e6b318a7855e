#include "ui/studio/graph_import.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/document/json_members.hpp"
#include "ui/language/module_texts.hpp"

#include <QDir>

#include <algorithm>
#include <memory>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr size_t kMostExactNames = 12;

std::vector<std::string> inputFoldersOf(const QStringList& modelFolders) {
    std::vector<std::string> folders;
    for (const QString& folder : modelFolders) {
        for (const char* input : {"/input", "/../input"}) {
            folders.push_back(QDir::cleanPath(folder + QLatin1String(input)).toStdString());
        }
    }
    return folders;
}

Error refusalIn(const Json& answer) {
    const Issues issues = issuesFromJson(memberIn(answer, "issues"));
    const Issue* first = firstErrorIn(issues);
    return first != nullptr ? Error(ErrorKind::InvalidInput, first->message, first->hint)
                            : Error(ErrorKind::Internal, message("the module imported nothing"));
}

/// A list of entries that may be anything.
const Json& entriesIn(const Json& report, const char* list) {
    static const Json kNone = Json::array();
    const Json& entries = memberIn(report, list);
    return entries.is_array() ? entries : kNone;
}

std::string classOf(const Json& entry) {
    const std::string name = textIn(entry, "class");
    return name.empty() ? textIn(entry, "name") : name;
}

/// At the node where there is one, else with the name that it has in the file.
Issue issueOf(const Json& entry,
              Severity severity,
              const char* code,
              const graph::Document& document) {
    const std::string id = textIn(entry, "id");
    const std::string node = document.nodes.contains(id) ? id : std::string();
    const Message why = joined(messagesIn(entry, "why"), "; ");
    return {.severity = severity,
            .code = code,
            .node = node,
            .item = {},
            .message = message("{}: {}", classOf(entry), why),
            .hint = {},
            .facts = {}};
}

Issue exactIssue(const Json& exact) {
    std::vector<std::string> names;
    for (const Json& entry : exact) {
        names.push_back(classOf(entry));
    }
    std::ranges::sort(names);
    const auto twice = std::ranges::unique(names);
    names.erase(twice.begin(), twice.end());
    return {.severity = Severity::Info,
            .code = "import_exact",
            .node = {},
            .item = {},
            .message = plural(static_cast<int64_t>(exact.size()),
                              "{} node of the file is imported exactly: {}",
                              "{} nodes of the file are imported exactly: {}",
                              exact.size(),
                              listSome(names, kMostExactNames)),
            .hint = {},
            .facts = {}};
}

bool isOfFile(const Json& entry) {
    const std::string kind = textIn(entry, "kind");
    return kind == "model" || kind == "file";
}

}  // namespace

Importer importerOf(const Engine& engine,
                    const ModelLibrary& models,
                    const QStringList& modelFolders) {
    if (!engine.canCall("importGraph")) {
        return {};
    }
    Json names = models.isScanning() ? Json() : Json::array();
    for (const FoundModel& model :
         models.isScanning() ? std::vector<FoundModel>() : models.models()) {
        if (!model.value.empty()) {
            names.push_back(model.value);
        }
    }
    std::vector<NodeDesc> nodes = engine.catalog().nodes();  // texts of that one may change
    return [&plugin = engine.plugin(),
            catalog = std::make_shared<const graph::Catalog>(std::move(nodes)),
            names = std::move(names),
            inputs = inputFoldersOf(modelFolders)](const std::string& text, const QString& folder) {
        std::vector<std::string> folders = inputs;
        if (!folder.isEmpty()) {
            folders.insert(folders.begin(), folder.toStdString());
        }
        Json request = {{"text", text}, {"imageFolders", folders}};
        if (!names.is_null()) {
            request["models"] = names;
        }
        std::string result;
        const std::string asked = request.dump(-1, ' ', false, Json::error_handler_t::replace);
        const Status status = plugin.call("importGraph", asked, nullptr, result);
        const Json answer = answerOf(result);
        if (status != Status::Ok) {
            throw refusalIn(answer);
        }
        ImportedGraph imported{.document = graph::documentFromJson(memberIn(answer, "graph")),
                               .report = memberIn(answer, "report")};
        settleImport(imported.document, *catalog);
        return imported;
    };
}

Issues importIssues(const Json& report, const graph::Document& document) {
    Issues issues;
    for (const Json& entry : entriesIn(report, "missing")) {
        if (textIn(entry, "kind") == "family") {
            issues.push_back(issueOf(entry, Severity::Warning, "import_family", document));
        }
    }
    for (const Json& entry : entriesIn(report, "near")) {
        issues.push_back(issueOf(entry, Severity::Warning, "import_near", document));
    }
    for (const Json& entry : entriesIn(report, "left_out")) {
        issues.push_back(issueOf(entry, Severity::Info, "import_left_out", document));
    }
    if (const Json& exact = entriesIn(report, "exact"); !exact.empty()) {
        issues.push_back(exactIssue(exact));
    }
    return reworded(std::move(issues));
}

QString importSentence(const Json& report, const QString& name, const graph::Document& document) {
    const auto countOf = [&](const char* list) {
        return static_cast<int>(entriesIn(report, list).size());
    };
    QStringList parts = {ImportReports::tr("%n exact", nullptr, countOf("exact"))};
    if (const int near = countOf("near"); near > 0) {
        parts << ImportReports::tr("%n near", nullptr, near);
    }
    if (const int missing = countOf("missing"); missing > 0) {
        parts << ImportReports::tr("%n missing", nullptr, missing);
    }
    QString sentence =
        ImportReports::tr("Imported “%1”: %2.").arg(name, parts.join(QStringLiteral(", ")));
    const auto muted = std::ranges::count_if(document.nodes, [](const auto& entry) {
        return entry.second.mode == graph::NodeMode::Muted;
    });
    if (muted > 0) {
        sentence += u' ' + ImportReports::tr(
                               "%n outputs are muted: they need a node that is not "
                               "here.",
                               nullptr,
                               static_cast<int>(muted));
    }
    return sentence;
}

ImportReports::ImportReports(MainWindowWidgets& widgets, LocateFile& locate, QObject* parent)
    : QObject(parent), widgets_(widgets), file_(widgets.workspace.file), locate_(locate) {
    connect(&file_, &DocumentFile::moved, this, &ImportReports::showIssues);
    connect(&file_, &DocumentFile::imported, this, &ImportReports::reportImport);
    GraphModel& model = widgets.workspace.model;
    connect(&model, &GraphModel::closed, this, [this](DocumentId id) { issues_.erase(id); });
    showIssues();
}

void ImportReports::showIssues() {
    const GraphModel& model = widgets_.workspace.model;
    const auto [known, isNew] = issues_.try_emplace(model.shown());
    if (isNew) {
        known->second = importIssues(file_.report(), model.document());
    }
    widgets_.issues.setImport(known->second);
}

void ImportReports::reportImport() {
    showIssues();
    const Json& report = file_.report();
    const Json& missing = entriesIn(report, "missing");
    const bool isExact = missing.empty() && entriesIn(report, "near").empty();
    const bool lacksFiles = std::ranges::any_of(missing, isOfFile);
    widgets_.showGraph();
    if (!isExact) {
        widgets_.panels.show("issues");
    }
    widgets_.notices.showOfDocument(
        missing.empty() ? NoticeKind::Info : NoticeKind::Warning,
        importSentence(report, file_.name(), widgets_.workspace.model.document()),
        lacksFiles ? tr("Find files...") : QString(),
        lacksFiles ? std::function<void()>([this] { locate_.locate(std::string()); })
                   : std::function<void()>());
}

}  // namespace lowtide::ui
