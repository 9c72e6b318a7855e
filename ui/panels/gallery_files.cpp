#include "ui/panels/gallery_files.hpp"

#include "ui/bridge/background.hpp"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

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

/// Older ones stay in the wastebasket.
constexpr size_t kMostRemovals = 50;

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

GalleryRemoval::GalleryRemoval(RunLibrary& library, QObject* parent)
    : QObject(parent), library_(library) {}

void GalleryRemoval::remove(std::vector<PictureRecord> pictures) {
    later(
        this,
        [pictures = std::move(pictures)] {
            std::vector<Removed> removed;
            for (const PictureRecord& picture : pictures) {
                removed.push_back({.picture = picture, .moved = moveToWastebasket(picture)});
            }
            return removed;
        },
        [this](std::vector<Removed> removed) {
            const auto stayed =
                std::stable_partition(removed.begin(), removed.end(), [](const Removed& each) {
                    return each.moved.problem.isEmpty();
                });
            const std::vector<Removed> staying(stayed, removed.end());
            removed.erase(stayed, removed.end());
            if (!removed.empty()) {
                tell(std::move(removed));
            }
            for (const Removed& each : staying) {  // last: it is what a person has to see
                Q_EMIT refused(each.moved.problem);
            }
        });
}

void GalleryRemoval::tell(std::vector<Removed> pictures) {
    std::vector<int64_t> gone;
    for (const Removed& each : pictures) {
        gone.push_back(each.picture.id);
    }
    library_.forgetPictures(gone);
    const auto moved = std::count_if(pictures.begin(), pictures.end(), [](const Removed& each) {
        return !each.moved.inWastebasket.isEmpty();
    });
    removed_.push_back(std::move(pictures));
    if (removed_.size() > kMostRemovals) {
        removed_.pop_front();
    }
    Q_EMIT removed(moved > 0
                       ? tr("%n pictures are in the wastebasket.", nullptr, static_cast<int>(moved))
                       : tr("%n pictures without a file are taken from the list.",
                            nullptr,
                            static_cast<int>(gone.size())));
}

/// A picture whose file stays in the wastebasket stays away from the list, too.
void GalleryRemoval::undo() {
    if (removed_.empty()) {
        return;
    }
    const std::vector<Removed> last = std::move(removed_.back());
    removed_.pop_back();
    later(
        this,
        [last] {
            std::vector<std::pair<PictureRecord, QString>> back;
            for (const Removed& each : last) {
                back.emplace_back(each.picture, takeFromWastebasket(each.moved, each.picture.path));
            }
            return back;
        },
        [this](const std::vector<std::pair<PictureRecord, QString>>& back) {
            std::vector<PictureRecord> pictures;
            for (const auto& [picture, problem] : back) {
                if (problem.isEmpty()) {
                    pictures.push_back(picture);
                }
            }
            if (!pictures.empty()) {
                library_.restorePictures(pictures);
                Q_EMIT returned(tr("%n pictures are back.", nullptr, int(pictures.size())));
            }
            for (const auto& [picture, problem] : back) {
                if (!problem.isEmpty()) {
                    Q_EMIT refused(problem);
                }
            }
        });
}

}  // namespace lowtide::ui
