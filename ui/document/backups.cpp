#include "ui/document/backups.hpp"

#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "ui/document/encoded.hpp"
#include "ui/document/saved_file.hpp"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>

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
    const QByteArray place = info.absoluteFilePath().toUtf8();
    const QByteArray hash = QCryptographicHash::hash(place, QCryptographicHash::Sha256).toHex();
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

}  // namespace

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

}  // namespace lowtide::ui
