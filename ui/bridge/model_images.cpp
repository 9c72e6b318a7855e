#include "ui/bridge/model_images.hpp"

#include "ui/bridge/background.hpp"
#include "ui/bridge/image_load.hpp"

#include <QFileInfo>

#include <algorithm>

namespace lowtide::ui {

namespace {

/// "folder/x" for "folder/x.safetensors"; a folder's own path.
QString imageStem(const std::string& path) {
    const QFileInfo file(QString::fromStdString(path));
    return file.isDir() ? file.filePath() + QLatin1Char('/') + file.fileName()
                        : file.path() + QLatin1Char('/') + file.completeBaseName();
}

/// Files next to a model that may be its image, in order: "x.preview.png", "x.png", ... for
/// "x.safetensors"; of a folder those in it.
QStringList imageNamesFor(const std::string& path) {
    const QString stem = imageStem(path);
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

QImage smallModelImage(const QString& path) {
    const LoadedImage loaded = loadImage(path);
    return loaded.levels.empty() ? QImage()
                                 : loaded.levels.back().scaled(ModelImages::kPixels,
                                                               ModelImages::kPixels,
                                                               Qt::KeepAspectRatio,
                                                               Qt::SmoothTransformation);
}

}  // namespace

QStringList noteNamesFor(const std::string& path) {
    const QString stem = imageStem(path);
    return {stem + QStringLiteral(".txt"), stem + QStringLiteral(".md")};
}

ModelImages::ModelImages(const ModelShelf& shelf, QObject* parent)
    : QObject(parent), shelf_(shelf), images_(kMostImages) {
    pool_.setMaxThreadCount(1);
    connect(&shelf_, &ModelShelf::changed, this, [this](const std::string& path) {
        forget(path);
        Q_EMIT made(path);
    });
}

ModelImages::~ModelImages() {
    pool_.waitForDone();
}

std::optional<QImage> ModelImages::known(const FoundModel& model) const {
    const QImage* known = images_.object(QString::fromStdString(model.file.path));
    return known ? std::optional(*known) : std::nullopt;
}

QImage ModelImages::find(const FoundModel& model) {
    const std::string& path = model.file.path;
    if (const std::optional<QImage> read = known(model)) {
        return *read;
    }
    if (asked_.insert(path).second) {
        waiting_.push_front({path, shelf_.imageOf(model)});
        if (waiting_.size() > kMostWaiting) {
            asked_.erase(waiting_.back().path);
            waiting_.pop_back();
        }
        readNext();
    }
    return {};
}

void ModelImages::forget(const std::string& path) {
    images_.remove(QString::fromStdString(path));
}

void ModelImages::forgetAll() {
    images_.clear();
}

void ModelImages::readNext() {
    if (isReading_ || waiting_.empty()) {
        return;
    }
    isReading_ = true;
    const Wanted wanted = waiting_.front();
    waiting_.pop_front();
    later(
        this,
        [wanted] {
            QStringList names = imageNamesFor(wanted.path);
            if (!wanted.chosen.isEmpty()) {
                names.prepend(wanted.chosen);
            }
            for (const QString& name : std::as_const(names)) {
                if (const QImage image =
                        QFileInfo(name).isFile() ? smallModelImage(name) : QImage();
                    !image.isNull()) {
                    return image;
                }
            }
            return QImage();
        },
        [this, path = wanted.path](const QImage& image) { take(path, image); },
        pool_);
}

void ModelImages::take(const std::string& path, const QImage& image) {
    isReading_ = false;
    if (image.isNull() && earlier_) {
        const QString name = QFileInfo(QString::fromStdString(path)).fileName();
        earlier_(name, [this, path](const QImage& made) { keep(path, made); });
    } else {
        keep(path, image);
    }
    readNext();
}

/// That there is none is kept too.
void ModelImages::keep(const std::string& path, const QImage& image) {
    asked_.erase(path);
    const QImage small =
        image.isNull()
            ? QImage()
            : image.scaled(kPixels, kPixels, Qt::KeepAspectRatio, Qt::SmoothTransformation);
    images_.insert(QString::fromStdString(path), new QImage(small));
    if (!image.isNull()) {
        Q_EMIT made(path);
    }
}

}  // namespace lowtide::ui
