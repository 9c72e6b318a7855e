#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/output_file.hpp"
#include "ui/document/backups.hpp"
#include "ui/document/saved_file.hpp"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

namespace lowtide::ui {

namespace {

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
                    message.toStdString(),
                    Saving::tr("Save the graph under another name.").toStdString());
    }
}

/// A backup that cannot be made must not keep a person from saving.
void tryToKeepBackup(const QString& path, std::string_view next, const QString& backupFolder) {
    try {
        keepBackup(path, next, backupFolder);
    } catch (const Error& error) {
        log(Level::Warning, "no backup was made: " + error.message().str());
    }
}

}  // namespace

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
        throw Error(error.kind(),
                    error.message(),
                    Saving::tr("Free some space, or save the graph in another folder. What was "
                               "saved before is still there.")
                        .toStdString());
    }
    if (!isNew && QFile::permissions(target) != permissions) {
        QFile::setPermissions(target, permissions);
    }
}

}  // namespace lowtide::ui
