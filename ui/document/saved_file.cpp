#include "ui/document/saved_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/log.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "ui/language/language.hpp"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>

#include <optional>
#include <string_view>

namespace lowtide::ui {

namespace {

constexpr qsizetype kMostBackups = 10;
constexpr qsizetype kHashDigits = 12;
constexpr qsizetype kLongestFolderName = 100;
constexpr Bytes kLargestBackup = 64 * kMiB;
const auto kTimeFormat = QStringLiteral("yyyyMMdd'T'HHmmsszzz'Z'");
const auto kBackupPattern = QStringLiteral("????????T?????????Z-??.json");

/// Files of one name in several folders have a folder each.
QString folderOf(const QString& path, const QString& backupFolder) {
    const QFileInfo info(path);
    const QByteArray fullPath = info.absoluteFilePath().toUtf8();
    const QByteArray hash = QCryptographicHash::hash(fullPath, QCryptographicHash::Sha256).toHex();
    return QStringLiteral("%1/%2-%3")
        .arg(backupFolder,
             info.completeBaseName().left(kLongestFolderName),
             QString::fromLatin1(hash.left(kHashDigits)));
}

/// By name, which begins with the time.
QStringList namesIn(const QString& folder) {
    return QDir(folder).entryList({kBackupPattern}, QDir::Files, QDir::Name | QDir::Reversed);
}

void writeBackup(const QString& folder, const QDateTime& time, const std::string& contents) {
    const QString stamp = time.toUTC().toString(kTimeFormat);
    int number = 0;
    static_cast<void>(files::writeNewFile(
        [&] {
            return encoded(
                folder + QStringLiteral("/%1-%2.json").arg(stamp).arg(number++, 2, 10, QChar('0')));
        },
        contents));
}

std::string contentsOf(const QString& path) {
    return files::InputFile(encoded(path)).readAll(kLargestBackup);
}

/// Keeps what stands in the file now, before `next` is written there, and removes the oldest beyond
/// ten. Nothing when there is no file, or when it or the newest backup would be the same. Errors as
/// files::OutputFile.
void keepBackup(const QString& path, std::string_view next, const QString& backupFolder) {
    if (!QFile::exists(path)) {
        return;
    }
    const std::string contents = contentsOf(path);
    const QString folder = folderOf(path, backupFolder);
    QStringList names = namesIn(folder);
    if (contents == next) {
        return;
    }
    if (!names.isEmpty() && contentsOf(folder + '/' + names.front()) == contents) {
        return;
    }
    files::makeFolders(encoded(folder));
    writeBackup(folder, QFileInfo(path).lastModified(), contents);
    names = namesIn(folder);
    for (qsizetype index = kMostBackups; index < names.size(); ++index) {
        QFile::remove(folder + '/' + names[index]);
    }
}

struct Saving {
    Q_DECLARE_TR_FUNCTIONS(Saving)
};

constexpr QFile::Permissions kMayWrite = QFile::WriteOwner | QFile::WriteGroup | QFile::WriteOther;

/// The file behind a link, so that saving does not replace the link.
QString targetOf(const QString& path) {
    const QFileInfo info(path);
    return info.isSymLink() && info.exists() ? info.canonicalFilePath() : path;
}

void refuseReadOnly(const QString& path) {
    if (QFile::exists(path) && !(QFile::permissions(path) & kMayWrite)) {
        const QString message =
            Saving::tr("“%1” is marked as read-only").arg(QFileInfo(path).fileName());
        throw Error(ErrorKind::InvalidInput,
                    Message(message.toStdString()),
                    Message(Saving::tr("Save the graph under another name.").toStdString()));
    }
}

/// A backup that cannot be made must not keep a user from saving.
void tryToKeepBackup(const QString& path, std::string_view next, const QString& backupFolder) {
    try {
        keepBackup(path, next, backupFolder);
    } catch (const Error& error) {
        log(Level::Warning, "no backup was made: " + error.message().str());
    }
}

struct Locks {
    Q_DECLARE_TR_FUNCTIONS(Locks)
};

constexpr qsizetype kLongestLockName = 200;
constexpr qint64 kLongestOwner = 4096;

/// One path for all names of a file: links and "." and ".." are followed.
QString lockPathOf(const QString& path) {
    const QFileInfo info(path);
    const QFileInfo target(info.exists() ? info.canonicalFilePath() : info.absoluteFilePath());
    const QString name =
        QFile::decodeName(QFile::encodeName(target.fileName()).left(kLongestLockName));
    return target.absolutePath() + QStringLiteral("/.") + name + QStringLiteral(".lock");
}

QString userName() {
    return qEnvironmentVariable("USER", qEnvironmentVariable("LOGNAME"));
}

std::string ownerText() {
    const os::Program program = os::thisProgram();
    return Json{{"process", program.number},
                {"machine", program.machine},
                {"person", userName().toStdString()},
                {"since", QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString()}}
               .dump(2) +
           "\n";
}

/// Who holds the lock, as far as its file states it.
QString ownerSentence(const QString& path, const QString& lockPath) {
    const QString name = QFileInfo(path).fileName();
    QFile file(lockPath);
    const QByteArray text =
        file.open(QIODevice::ReadOnly) ? file.read(kLongestOwner) : QByteArray();
    try {
        const Json json = parseJson(text.toStdString(), "lock");
        const JsonReader reader(json, "lock");
        const QString user = QString::fromStdString(reader.text("person").value_or(""));
        const QString machine = QString::fromStdString(reader.text("machine").value_or(""));
        const QDateTime since = QDateTime::fromString(
            QString::fromStdString(reader.text("since").value_or("")), Qt::ISODate);
        const int64_t process = reader.integer("process").value_or(0);
        if (process == QCoreApplication::applicationPid()) {
            return Locks::tr("“%1” is open in another window of this program.").arg(name);
        }
        return Locks::tr("“%1” is being edited by %2 on %3 (process %4, since %5).")
            .arg(name,
                 user.isEmpty() ? Locks::tr("another program") : user,
                 machine,
                 QString::number(process),
                 dateTimeText(since.toLocalTime()));
    } catch (const Error&) {
        return Locks::tr("“%1” is being edited by another program.").arg(name);
    }
}

}  // namespace

std::vector<Backup> backupsOf(const QString& path, const QString& backupFolder) {
    const QString folder = folderOf(path, backupFolder);
    std::vector<Backup> backups;
    for (const QString& name : namesIn(folder)) {
        QDateTime time = QDateTime::fromString(name.section('-', 0, 0), kTimeFormat);
        time.setTimeSpec(Qt::UTC);
        backups.push_back(
            {.path = folder + '/' + name, .savedAt = time.toString(Qt::ISODateWithMs)});
    }
    return backups;
}

void saveGraph(const QString& path, const graph::Document& document, const QString& backupFolder) {
    const std::string text = graph::toText(document);
    const QString target = targetOf(path);
    refuseReadOnly(target);
    const bool isNew = !QFile::exists(target);
    const QFile::Permissions permissions =
        isNew ? QFile::Permissions() : QFile::permissions(target);
    if (!isNew) {
        tryToKeepBackup(target, text, backupFolder);
    }
    try {
        files::writeFileAtomically(QFile::encodeName(target).toStdString(), text);
    } catch (const Error& error) {  // its hint is for the command
        throw Error(
            error.kind(),
            error.message(),
            Message(Saving::tr("Free some space, or save the graph in another folder. What was "
                               "saved before is still there.")
                        .toStdString()));
    }
    if (!isNew && QFile::permissions(target) != permissions) {
        QFile::setPermissions(target, permissions);
    }
}

Error namingFile(const Error& error, const files::InputFile& file) {
    return {error.kind(),
            message("{}: {}", quotedName(file.name()), error.message()),
            error.hint(),
            error.item()};
}

std::optional<files::FileIdentity> identityOf(const QString& path) {
    try {
        return files::InputFile(encoded(path)).identity();
    } catch (const Error&) {
        return std::nullopt;
    }
}

graph::Document loadGraph(const QString& path) {
    const files::InputFile file(encoded(path));
    const std::string text = graph::readGraphText(file);
    try {
        return graph::parseDocument(text);
    } catch (const Error& error) {
        throw namingFile(error, file);
    }
}

DocumentLock::DocumentLock(const QString& path) : path_(path), lockPath_(lockPathOf(path)) {}

QString DocumentLock::tryLock() {
    switch (lock_.tryLock(QFile::encodeName(lockPath_).toStdString())) {
        case os::LockState::Taken:
            return ownerSentence(path_, lockPath_);
        case os::LockState::Held:
            lock_.write(ownerText());
            break;
        case os::LockState::Unavailable:
            break;  // where no lock can be made nobody else has one
    }
    return {};
}

}  // namespace lowtide::ui
