#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"
#include "ui/document/journal_text.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/language/module_texts.hpp"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>

namespace lowtide::ui {

namespace {

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

QString placeOf(const os::Program& program) {
    return program.machine.isEmpty() ? Recovery::tr("another machine") : program.machine;
}

/// Nothing while the program that writes it runs.
std::optional<Recovered> recoveredFrom(const QString& path) {
    const files::InputFile file(QFile::encodeName(path).toStdString());
    const std::string text = file.readAll(kLargestJournal);
    const os::Program program = programOf(text);
    const os::Life life = os::lifeOf(program);
    if (life == os::Life::Running) {
        return std::nullopt;
    }
    JournalText journal = journalFrom(text);
    return Recovered{.journal = path,
                     .path = journal.path,
                     .graphFolder = journal.graphFolder,
                     .writtenAt = journal.writtenAt,
                     .document = std::move(journal.document),
                     .perhapsOpenOn = life == os::Life::Ended ? QString() : placeOf(program)};
}

}  // namespace

QString nameForBroken(const QString& path) {
    QString name = path + QStringLiteral(".broken");
    for (int number = 2; QFile::exists(name); ++number) {
        name = path + QStringLiteral(".broken-%1").arg(number);
    }
    return name;
}

/// Qt's rename replaces nothing; another program may take the name first.
QString setBrokenAside(const QString& path) {
    QString name = nameForBroken(path);
    while (!QFile::rename(path, name)) {
        if (!QFile::exists(name)) {
            return {};
        }
        name = nameForBroken(path);
    }
    return name;
}

std::vector<Recovered> findRecovered(const QString& folder, std::vector<QString>* problems) {
    const QDir place(folder);
    removeHalfWritten(place);
    std::vector<Recovered> found;
    const QStringList patterns{QStringLiteral("*") + QLatin1String(kJournalSuffix)};
    for (const QFileInfo& info : place.entryInfoList(patterns, QDir::Files, QDir::Time)) {
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
