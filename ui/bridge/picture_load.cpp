#include "ui/bridge/picture_load.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/image/picture_header.hpp"
#include "ui/bridge/later.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <span>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr Bytes kLargestFile = 2 * kGiB;
constexpr int kSmallestLevel = 512;
constexpr const char* kGraphKey = "lowtide_graph";

void checkSize(std::span<const std::byte> bytes, const std::string& name) {
    const image::PictureSize size = image::readPictureHeader(image::sourceOf(bytes), name).size;
    if (std::max(size.widthPixels, size.heightPixels) > kLargestShownSide) {
        throw Error(ErrorKind::Unsupported,
                    name + " has " + std::to_string(size.widthPixels) + " x " +
                        std::to_string(size.heightPixels) + " pixels, at most " +
                        std::to_string(kLargestShownSide) + " a side are shown",
                    "open it in another program, or make it smaller");
    }
}

/// A view of the same bytes, which live as long as the picture.
QImage imageOf(const Image8& picture) {
    const auto format = picture.channels == 1   ? QImage::Format_Grayscale8
                        : picture.channels == 3 ? QImage::Format_RGB888
                                                : QImage::Format_RGBA8888;
    auto* owner = new std::shared_ptr<const uint8_t[]>(picture.pixels);
    return {picture.pixels.get(),
            picture.widthPixels,
            picture.heightPixels,
            qsizetype{picture.widthPixels} * picture.channels,
            format,
            [](void* held) { delete static_cast<std::shared_ptr<const uint8_t[]>*>(held); },
            owner};
}

}  // namespace

PictureLevels levelsOf(const QImage& picture) {
    PictureLevels levels;
    for (QImage level = picture; !level.isNull();) {
        levels.push_back(level);
        const QSize half((level.width() + 1) / 2, (level.height() + 1) / 2);
        const bool isSmall = std::max(level.width(), level.height()) <= kSmallestLevel;
        level = isSmall ? QImage()
                        : level.scaled(half, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    }
    return levels;
}

std::string LoadedPicture::graphText() const {
    const auto found = std::find_if(texts.begin(), texts.end(), [](const image::PictureText& text) {
        return text.key == kGraphKey;
    });
    return found == texts.end() ? std::string() : found->text;
}

LoadedPicture loadPicture(const QString& path) {
    LoadedPicture loaded{.path = path, .levels = {}, .size = {}, .texts = {}, .problem = {}};
    try {
        const files::InputFile file(path.toStdString());
        const std::string bytes = file.readAll(kLargestFile);
        const auto view = std::as_bytes(std::span(bytes));
        checkSize(view, file.name());
        image::DecodedPicture decoded = image::decodePicture(view, file.name());
        loaded.levels = levelsOf(imageOf(decoded.picture));
        loaded.texts = std::move(decoded.texts);
    } catch (const Error& error) {
        loaded.problem = QString::fromStdString(error.message());
        if (!error.hint().empty()) {
            loaded.problem += QStringLiteral(". ") + QString::fromStdString(error.hint());
        }
    } catch (const std::bad_alloc&) {
        loaded.problem =
            QCoreApplication::translate("Viewer", "There is not enough memory to show %1.")
                .arg(path);
    }
    return loaded;
}

void loadPictureLater(const QString& path,
                      QObject* context,
                      std::function<void(const LoadedPicture&)> done) {
    later(
        context, [path] { return loadPicture(path); }, std::move(done));
}

}  // namespace lowtide::ui
