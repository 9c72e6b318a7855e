#include "ui/document/journal.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "ui/document/opened_graph.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/language/module_texts.hpp"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QUuid>

#include <cstring>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int64_t kFormat = 1;
/// A journal is its document and one level around it.
constexpr JsonLimits kLimits = {.maxBytes = 128u << 20, .maxDepth = 66};

QString textMember(const JsonReader& reader, const char* key) {
    return QString::fromStdString(requiredText(reader, key));
}

os::Program writerOf(const Json& json) {
    const JsonReader journal(json, "journal");
    const Json* program = journal.member("program");
    if (journal.integer("journal") != kFormat || !program) {
        throw Error(ErrorKind::Corrupt, message("journal does not say who writes it"));
    }
    return programFrom(*program, "program of the journal");
}

Json jsonOf(const DocumentTab& tab) {
    Json json = {{"name", tab.name.toStdString()},
                 {"unsaved", tab.isUnsaved},
                 {"position", tab.position},
                 {"last_shown", tab.lastShown}};
    if (!tab.report.is_null()) {
        json["import"] = tab.report;
    }
    return json;
}

/// Those of earlier versions have none: they hold unsaved changes.
DocumentTab tabFrom(const Json* json) {
    if (!json) {
        return {};
    }
    const JsonReader reader(*json, "tab of the journal");
    const Json* report = reader.member("import");
    return {.name = QString::fromStdString(reader.text("name").value_or("")),
            .isUnsaved = reader.boolean("unsaved").value_or(true),
            .position = static_cast<int>(reader.integer("position").value_or(0)),
            .lastShown = reader.integer("last_shown").value_or(0),
            .report = report ? *report : Json()};
}

struct Recovery {
    Q_DECLARE_TR_FUNCTIONS(Recovery)
};

constexpr Bytes kLargestJournal = 128 * kMiB;
constexpr qint64 kHourSeconds = 3600;

QString problemOf(const QString& path, const Error& error) {
    const QString name = QFileInfo(path).fileName();
    const QString problem = errorText(error);
    if (error.kind() == ErrorKind::Unsupported) {  // a newer version of the program reads it
        return Recovery::tr(
                   "A newer version left unsaved changes in “%1”: %2. They are kept for it.")
            .arg(name, problem);
    }
    const QString aside = setBrokenAside(path);
    if (aside.isEmpty()) {
        return Recovery::tr("Unsaved changes in “%1” cannot be read: %2. The file was left there.")
            .arg(name, problem);
    }
    return Recovery::tr("Unsaved changes cannot be read: %1. The file was kept as “%2” in “%3”.")
        .arg(problem, QFileInfo(aside).fileName(), QFileInfo(aside).absolutePath());
}

/// What killed programs left half written, as files::OutputFile names it.
void removeHalfWritten(const QDir& folder) {
    const QStringList patterns{QStringLiteral(".*%1.*.tmp").arg(QLatin1String(kJournalSuffix))};
    const QDateTime limit = QDateTime::currentDateTimeUtc().addSecs(-kHourSeconds);
    for (const QFileInfo& info : folder.entryInfoList(patterns, QDir::Files | QDir::Hidden)) {
        if (info.lastModified() < limit) {
            QFile::remove(info.absoluteFilePath());
        }
    }
}

QString machineOf(const os::Program& program) {
    return program.machine.empty() ? Recovery::tr("another machine")
                                   : QString::fromStdString(program.machine);
}

/// Nothing while the program that writes it runs.
std::optional<Recovered> recoveredFrom(const QString& path) {
    const files::InputFile file(QFile::encodeName(path).toStdString());
    const std::string text = file.readAll(kLargestJournal);
    const os::Program program = programOf(text);
    const os::Life life =
        path.endsWith(QLatin1String(kLeftSuffix)) ? os::Life::Ended : os::lifeOf(program);
    if (life == os::Life::Running) {
        return std::nullopt;
    }
    JournalText journal = journalFrom(text);
    return Recovered{.journal = path,
                     .path = journal.path,
                     .graphFolder = journal.graphFolder,
                     .writtenAt = journal.writtenAt,
                     .document = std::move(journal.document),
                     .tab = journal.tab,
                     .perhapsOpenOn = life == os::Life::Ended ? QString() : machineOf(program)};
}

}  // namespace

std::string textOf(const JournalText& journal) {
    const Json json = {{"journal", kFormat},
                       {"program", toJson(journal.program)},
                       {"path", journal.path.toStdString()},
                       {"graph_folder", journal.graphFolder.toStdString()},
                       {"written_at", journal.writtenAt.toStdString()},
                       {"tab", jsonOf(journal.tab)},
                       {"document", graph::toJson(journal.document)}};
    try {
        return json.dump() + "\n";
    } catch (const Json::exception&) {
        throw Error(ErrorKind::InvalidInput, message("the graph holds a text that is not UTF-8"));
    }
}

os::Program programOf(const std::string& text) {
    return writerOf(parseJson(text, "journal", kLimits));
}

JournalText journalFrom(const std::string& text) {
    const Json json = parseJson(text, "journal", kLimits);
    const JsonReader reader(json, "journal");
    const Json* document = reader.member("document");
    if (!document) {
        throw Error(ErrorKind::Corrupt, message("journal holds no document"));
    }
    const QString path = textMember(reader, "path");
    const std::optional<std::string> folder = reader.text("graph_folder");
    return {.program = writerOf(json),
            .path = path,
            .graphFolder = folder ? QString::fromStdString(*folder) : graphFolderOf(path),
            .writtenAt = textMember(reader, "written_at"),
            .document = graph::documentFromJson(*document),
            .tab = tabFrom(reader.member("tab"))};
}

Journal::Journal(const QString& folder, const QString& path)
    : folder_(folder),
      file_(QStringLiteral("%1/%2%3").arg(
          folder, QUuid::createUuid().toString(QUuid::Id128), QLatin1String(kJournalSuffix))),
      path_(path),
      graphFolder_(graphFolderOf(path)) {}

bool Journal::write(const graph::Document& document, QString* reason) {
    try {
        const std::string text =
            textOf(JournalText{.program = os::thisProgram(),
                               .path = path_,
                               .graphFolder = graphFolder_,
                               .writtenAt = QDateTime::currentDateTimeUtc().toString(Qt::ISODate),
                               .document = document,
                               .tab = tab_});
        files::makeFolders(encoded(folder_));
        if (!replaced_.isEmpty()) {
            QFile::rename(std::exchange(replaced_, {}), file_);
        }
        files::writeFileAtomically(encoded(file_), text);
        hasFailed_ = false;
        return true;
    } catch (const Error& error) {
        if (reason && !hasFailed_) {
            *reason = errorText(error);
        }
        hasFailed_ = true;
        return false;
    }
}

void Journal::setPath(const QString& path, const QString& graphFolder) {
    path_ = path;
    graphFolder_ = graphFolder;
}

void Journal::clear() {
    QFile::remove(replaced_.isEmpty() ? file_ : replaced_);
}

void Journal::leave() {
    QString left = file_;
    left.chop(static_cast<qsizetype>(std::strlen(kJournalSuffix)));
    QFile::rename(file_, left + QLatin1String(kLeftSuffix));
}

/// Qt's rename replaces nothing; another program may take the name first.
QString setBrokenAside(const QString& path) {
    QString name = path + QStringLiteral(".broken");
    for (int number = 2; !QFile::rename(path, name); ++number) {
        if (!QFile::exists(name)) {
            return {};
        }
        name = path + QStringLiteral(".broken-%1").arg(number);
    }
    return name;
}

std::vector<Recovered> findRecovered(const QString& folder, std::vector<QString>* problems) {
    const QDir directory(folder);
    removeHalfWritten(directory);
    std::vector<Recovered> found;
    const QStringList patterns{QStringLiteral("*") + QLatin1String(kJournalSuffix)};
    for (const QFileInfo& info : directory.entryInfoList(patterns, QDir::Files, QDir::Time)) {
        try {
            if (std::optional<Recovered> recovered = recoveredFrom(info.absoluteFilePath())) {
                found.push_back(std::move(*recovered));
            }
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::NotFound) {
                continue;  // its program ended in order meanwhile
            }
            const QString problem = problemOf(info.absoluteFilePath(), error);
            if (problems) {
                problems->push_back(problem);
            }
        }
    }
    return found;
}

void discard(const Recovered& recovered) {
    QFile::remove(recovered.journal);
}

}  // namespace lowtide::ui
