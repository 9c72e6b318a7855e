#include "ui/panels/gallery_files.hpp"

#include "ui/bridge/background.hpp"

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

MovedFile kept(const ImageRecord& image, const QString& problem) {
    return {.image = image.id, .path = image.path, .problem = problem};
}

/// What a wastebasket notes of a file that lies in it.
QString infoOf(const QFileInfo& thrown) {
    QDir around = thrown.dir();
    around.cdUp();
    return around.filePath(QStringLiteral("info/%1.trashinfo").arg(thrown.fileName()));
}

/// Older ones remain in the wastebasket.
constexpr size_t kMostRemovals = 50;

}  // namespace

MovedFile moveToWastebasket(const ImageRecord& image) {
    const QString name = QFileInfo(image.path).fileName();
    const auto notMoved = [&](const QString& why) {
        return kept(
            image,
            GalleryRemoval::tr("“%1” cannot be moved to the wastebasket: %2. It remains where "
                               "it is.")
                .arg(name, why));
    };
    QFile file(image.path);
    if (!file.exists()) {
        return {.image = image.id, .path = {}, .problem = {}};
    }
    const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    if (!QDir().mkpath(data)) {
        return notMoved(GalleryRemoval::tr("its folder “%1” cannot be made").arg(data));
    }
    if (!file.moveToTrash()) {
        return notMoved(file.errorString());
    }
    if (QDir::isAbsolutePath(file.fileName())) {
        return {.image = image.id,
                .path = {},
                .problem = {},
                .before = {},
                .inWastebasket = file.fileName()};
    }
    // Qt 6.4 moves it to where the program was started if it finds no wastebasket.
    const QFileInfo lost(QDir::current(), file.fileName());
    QFile::rename(lost.absoluteFilePath(), image.path);
    QDir around = lost.dir();
    around.cdUp();
    QFile::remove(infoOf(lost));
    around.rmdir(QStringLiteral("info"));
    around.rmdir(QStringLiteral("files"));
    return notMoved(GalleryRemoval::tr("there is none"));
}

QString takeFromWastebasket(const MovedFile& moved, const QString& path) {
    const QFileInfo target(path);
    if (moved.inWastebasket.isEmpty()) {
        return {};
    }
    if (target.exists()) {
        return GalleryRemoval::tr(
                   "There is a file “%1” again. The one that was removed remains in the "
                   "wastebasket.")
            .arg(target.fileName());
    }
    QFile file(moved.inWastebasket);
    if (!file.exists()) {
        return GalleryRemoval::tr("“%1” is not in the wastebasket any more.")
            .arg(target.fileName());
    }
    if (!QDir().mkpath(target.absolutePath()) || !file.rename(path)) {
        return GalleryRemoval::tr(
                   "“%1” cannot be taken from the wastebasket: %2. It remains there.")
            .arg(target.fileName(), file.errorString());
    }
    QFile::remove(infoOf(QFileInfo(moved.inWastebasket)));
    return {};
}

MovedFile renameFile(const ImageRecord& image, const QString& name) {
    const QFileInfo before(image.path);
    const QString wanted = name.trimmed();
    if (wanted.isEmpty() || wanted.contains(QLatin1Char('/')) || wanted.startsWith(u'.')) {
        return kept(
            image,
            GalleryRemoval::tr("“%1” is no name for a file. Choose one without “/” that does "
                               "not begin with a dot.")
                .arg(wanted));
    }
    const QString ending = QLatin1Char('.') + before.suffix();
    const QString whole = wanted.endsWith(ending, Qt::CaseInsensitive) ? wanted : wanted + ending;
    const QString path = before.dir().filePath(whole);
    MovedFile moved{.image = image.id, .path = path, .problem = {}, .before = image.path};
    if (path == image.path) {
        return moved;
    }
    std::error_code problem;
    std::filesystem::create_hard_link(image.path.toStdString(), path.toStdString(), problem);
    moved.hasBoth = !problem;
    if (moved.hasBoth) {
        return moved;
    }
    QFile file(image.path);
    if (QFileInfo::exists(path)) {
        return kept(
            image,
            GalleryRemoval::tr("There is a file “%1” already. Choose another name.").arg(whole));
    }
    if (!file.rename(path)) {  // where no file can have two names
        return kept(image,
                    GalleryRemoval::tr("“%1” cannot be renamed: %2.")
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

void GalleryRemoval::remove(std::vector<ImageRecord> images) {
    later(
        this,
        [images = std::move(images)] {
            std::vector<Removed> removed;
            for (const ImageRecord& image : images) {
                removed.push_back({.image = image, .moved = moveToWastebasket(image)});
            }
            return removed;
        },
        [this](std::vector<Removed> removed) {
            const auto unmoved =
                std::stable_partition(removed.begin(), removed.end(), [](const Removed& each) {
                    return each.moved.problem.isEmpty();
                });
            const std::vector<Removed> remaining(unmoved, removed.end());
            removed.erase(unmoved, removed.end());
            if (!removed.empty()) {
                showMessage(std::move(removed));
            }
            for (const Removed& each : remaining) {  // last: it is what the user has to see
                Q_EMIT refused(each.moved.problem);
            }
        });
}

void GalleryRemoval::showMessage(std::vector<Removed> images) {
    std::vector<int64_t> gone;
    for (const Removed& each : images) {
        gone.push_back(each.image.id);
    }
    library_.changeImages([gone](RunStore& store) { store.forgetImages(gone); });
    const auto moved = std::ranges::count_if(
        images, [](const Removed& each) { return !each.moved.inWastebasket.isEmpty(); });
    removed_.push_back(std::move(images));
    if (removed_.size() > kMostRemovals) {
        removed_.pop_front();
    }
    Q_EMIT removed(moved > 0
                       ? tr("%n images are in the wastebasket.", nullptr, static_cast<int>(moved))
                       : tr("%n images without a file are taken from the list.",
                            nullptr,
                            static_cast<int>(gone.size())));
}

/// An image whose file remains in the wastebasket is kept off the list, too.
void GalleryRemoval::undo() {
    if (removed_.empty()) {
        return;
    }
    const std::vector<Removed> last = std::move(removed_.back());
    removed_.pop_back();
    later(
        this,
        [last] {
            std::vector<std::pair<ImageRecord, QString>> back;
            for (const Removed& each : last) {
                back.emplace_back(each.image, takeFromWastebasket(each.moved, each.image.path));
            }
            return back;
        },
        [this](const std::vector<std::pair<ImageRecord, QString>>& back) {
            std::vector<ImageRecord> images;
            for (const auto& [image, problem] : back) {
                if (problem.isEmpty()) {
                    images.push_back(image);
                }
            }
            if (!images.empty()) {
                library_.restoreImages(images);
                Q_EMIT returned(tr("%n images are back.", nullptr, int(images.size())));
            }
            for (const auto& [image, problem] : back) {
                if (!problem.isEmpty()) {
                    Q_EMIT refused(problem);
                }
            }
        });
}

}  // namespace lowtide::ui
