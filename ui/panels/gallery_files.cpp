#include "ui/panels/gallery_files.hpp"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include <filesystem>
#include <system_error>

namespace lowtide::ui {

namespace {

class MovedWords {
    Q_DECLARE_TR_FUNCTIONS(GalleryFiles)
};

MovedFile kept(const PictureRecord& picture, const QString& problem) {
    return {.picture = picture.id, .path = picture.path, .problem = problem};
}

/// What a wastebasket notes of a file that lies in it.
QString infoOf(const QFileInfo& thrown) {
    QDir around = thrown.dir();
    around.cdUp();
    return around.filePath(QStringLiteral("info/%1.trashinfo").arg(thrown.fileName()));
}

}  // namespace

MovedFile moveToWastebasket(const PictureRecord& picture) {
    const QString name = QFileInfo(picture.path).fileName();
    const auto stays = [&](const QString& why) {
        return kept(picture,
                    MovedWords::tr("“%1” cannot be moved to the wastebasket: %2. It stays where "
                                   "it is.")
                        .arg(name, why));
    };
    QFile file(picture.path);
    if (!file.exists()) {
        return {.picture = picture.id, .path = {}, .problem = {}};
    }
    const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    if (!QDir().mkpath(data)) {
        return stays(MovedWords::tr("its folder “%1” cannot be made").arg(data));
    }
    if (!file.moveToTrash()) {
        return stays(file.errorString());
    }
    if (QDir::isAbsolutePath(file.fileName())) {
        return {.picture = picture.id,
                .path = {},
                .problem = {},
                .before = {},
                .inWastebasket = file.fileName()};
    }
    // Qt 6.4 moves it to where the program was started if it finds no wastebasket.
    const QFileInfo lost(QDir::current(), file.fileName());
    QFile::rename(lost.absoluteFilePath(), picture.path);
    QDir around = lost.dir();
    around.cdUp();
    QFile::remove(infoOf(lost));
    around.rmdir(QStringLiteral("info"));
    around.rmdir(QStringLiteral("files"));
    return stays(MovedWords::tr("there is none"));
}

QString takeFromWastebasket(const MovedFile& moved, const QString& path) {
    const QFileInfo place(path);
    if (moved.inWastebasket.isEmpty()) {
        return {};
    }
    if (place.exists()) {
        return MovedWords::tr(
                   "There is a file “%1” again. The one that was removed stays in the "
                   "wastebasket.")
            .arg(place.fileName());
    }
    QFile file(moved.inWastebasket);
    if (!file.exists()) {
        return MovedWords::tr("“%1” is not in the wastebasket any more.").arg(place.fileName());
    }
    if (!QDir().mkpath(place.absolutePath()) || !file.rename(path)) {
        return MovedWords::tr("“%1” cannot be taken from the wastebasket: %2. It stays there.")
            .arg(place.fileName(), file.errorString());
    }
    QFile::remove(infoOf(QFileInfo(moved.inWastebasket)));
    return {};
}

MovedFile renameFile(const PictureRecord& picture, const QString& name) {
    const QFileInfo before(picture.path);
    const QString wanted = name.trimmed();
    if (wanted.isEmpty() || wanted.contains(QLatin1Char('/')) || wanted.startsWith(u'.')) {
        return kept(picture,
                    MovedWords::tr("“%1” is no name for a file. Choose one without “/” that does "
                                   "not begin with a dot.")
                        .arg(wanted));
    }
    const QString ending = QLatin1Char('.') + before.suffix();
    const QString whole = wanted.endsWith(ending, Qt::CaseInsensitive) ? wanted : wanted + ending;
    const QString path = before.dir().filePath(whole);
    MovedFile moved{.picture = picture.id, .path = path, .problem = {}, .before = picture.path};
    if (path == picture.path) {
        return moved;
    }
    std::error_code problem;
    std::filesystem::create_hard_link(picture.path.toStdString(), path.toStdString(), problem);
    moved.hasBoth = !problem;
    if (moved.hasBoth) {
        return moved;
    }
    QFile file(picture.path);
    if (QFileInfo::exists(path)) {
        return kept(
            picture,
            MovedWords::tr("There is a file “%1” already. Choose another name.").arg(whole));
    }
    if (!file.rename(path)) {  // where no file can have two names
        return kept(picture,
                    MovedWords::tr("“%1” cannot be renamed: %2.")
                        .arg(before.fileName(), file.errorString()));
    }
    return moved;
}

void endRename(const MovedFile& moved) {
    if (moved.hasBoth && moved.path != moved.before) {
        QFile::remove(moved.before);
    }
}

}  // namespace lowtide::ui
