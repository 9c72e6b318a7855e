#include "ui/bridge/model_pictures.hpp"

#include "ui/bridge/background.hpp"
#include "ui/bridge/picture_load.hpp"

#include <QFileInfo>

#include <algorithm>

namespace lowtide::ui {

namespace {

/// "folder/x" for "folder/x.safetensors"; a folder's own path.
QString pictureStem(const std::string& path) {
    const QFileInfo file(QString::fromStdString(path));
    return file.isDir() ? file.filePath() + QLatin1Char('/') + file.fileName()
                        : file.path() + QLatin1Char('/') + file.completeBaseName();
}

QImage smallModelPicture(const QString& path) {
    const LoadedPicture loaded = loadPicture(path);
    return loaded.levels.empty() ? QImage()
                                 : loaded.levels.back().scaled(ModelPictures::kPixels,
                                                               ModelPictures::kPixels,
                                                               Qt::KeepAspectRatio,
                                                               Qt::SmoothTransformation);
}

}  // namespace

QStringList pictureNamesFor(const std::string& path) {
    const QString stem = pictureStem(path);
    QStringList names;
    for (const char* ending : {".preview.png",
                               ".png",
                               ".preview.jpg",
                               ".preview.jpeg",
                               ".jpg",
                               ".jpeg",
                               ".preview.webp",
                               ".webp"}) {
        names << stem + QLatin1String(ending);
    }
    return names;
}

QStringList noteNamesFor(const std::string& path) {
    const QString stem = pictureStem(path);
    return {stem + QStringLiteral(".txt"), stem + QStringLiteral(".md")};
}

ModelPictures::ModelPictures(const ModelShelf& shelf, QObject* parent)
    : QObject(parent), shelf_(shelf), pictures_(kMostPictures) {
    pool_.setMaxThreadCount(1);
    connect(&shelf_, &ModelShelf::changed, this, [this](const std::string& path) {
        forget(path);
        Q_EMIT made(path);
    });
}

ModelPictures::~ModelPictures() {
    pool_.waitForDone();
}

std::optional<QImage> ModelPictures::known(const FoundModel& model) const {
    const QImage* known = pictures_.object(QString::fromStdString(model.file.path));
    return known ? std::optional(*known) : std::nullopt;
}

QImage ModelPictures::find(const FoundModel& model) {
    const std::string& path = model.file.path;
    if (const std::optional<QImage> read = known(model)) {
        return *read;
    }
    if (asked_.insert(path).second) {
        waiting_.push_front({path, shelf_.pictureOf(model)});
        if (waiting_.size() > kMostWaiting) {
            asked_.erase(waiting_.back().path);
            waiting_.pop_back();
        }
        readNext();
    }
    return {};
}

void ModelPictures::forget(const std::string& path) {
    pictures_.remove(QString::fromStdString(path));
}

void ModelPictures::forgetAll() {
    pictures_.clear();
}

void ModelPictures::readNext() {
    if (isReading_ || waiting_.empty()) {
        return;
    }
    isReading_ = true;
    const Wanted wanted = waiting_.front();
    waiting_.pop_front();
    later(
        this,
        [wanted] {
            QStringList names = pictureNamesFor(wanted.path);
            if (!wanted.chosen.isEmpty()) {
                names.prepend(wanted.chosen);
            }
            for (const QString& name : std::as_const(names)) {
                if (const QImage picture =
                        QFileInfo(name).isFile() ? smallModelPicture(name) : QImage();
                    !picture.isNull()) {
                    return picture;
                }
            }
            return QImage();
        },
        [this, path = wanted.path](const QImage& picture) { take(path, picture); },
        pool_);
}

void ModelPictures::take(const std::string& path, const QImage& picture) {
    isReading_ = false;
    if (picture.isNull() && earlier_) {
        const QString name = QFileInfo(QString::fromStdString(path)).fileName();
        earlier_(name, [this, path](const QImage& made) { keep(path, made); });
    } else {
        keep(path, picture);
    }
    readNext();
}

/// That there is none is kept too.
void ModelPictures::keep(const std::string& path, const QImage& picture) {
    asked_.erase(path);
    const QImage small =
        picture.isNull()
            ? QImage()
            : picture.scaled(kPixels, kPixels, Qt::KeepAspectRatio, Qt::SmoothTransformation);
    pictures_.insert(QString::fromStdString(path), new QImage(small));
    if (!picture.isNull()) {
        Q_EMIT made(path);
    }
}

}  // namespace lowtide::ui
