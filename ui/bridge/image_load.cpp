#include "ui/bridge/image_load.hpp"

#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/image/animation.hpp"
#include "plugin/image/image_header.hpp"
#include "plugin/interop/import.hpp"
#include "plugin/video/video_file.hpp"
#include "ui/bridge/background.hpp"
#include "ui/document/opened_graph.hpp"
#include "ui/language/module_texts.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <span>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr Bytes kLargestFile = 2 * kGiB;
constexpr int kSmallestLevel = 512;
constexpr const char* kGraphKey = "lowtide_graph";

void checkSize(const image::ImageSize& size, const std::string& name) {
    if (std::max(size.widthPixels, size.heightPixels) > kLargestShownSide) {
        throw Error(ErrorKind::Unsupported,
                    message("{} has {} x {} pixels, at most {} a side are shown",
                            name,
                            size.widthPixels,
                            size.heightPixels,
                            kLargestShownSide),
                    message("open it in another program, or make it smaller"));
    }
}

void loadStill(const files::InputFile& file, LoadedImage& loaded) {
    const std::string bytes = file.readAll(kLargestFile);
    const auto view = std::as_bytes(std::span(bytes));
    checkSize(image::readImageHeader(image::sourceOf(view), file.name()).size, file.name());
    image::DecodedImage decoded = image::decodeImage(view, file.name());
    loaded.levels = levelsOf(decoded.image);
    loaded.texts = std::move(decoded.texts);
}

void loadVideo(const files::InputFile& file, const StopToken& stop, LoadedImage& loaded) {
    const auto header = std::make_shared<const video::VideoHeader>(video::headerOf(file, "", stop));
    checkSize(header->size, file.name());
    if (const auto first = video::openFramesFrom(file, *header, 0, "")->next(stop)) {
        loaded.levels = levelsOf(*first);
    }
    const image::ByteSource source{.size = static_cast<uint64_t>(file.identity().size),
                                   .read = [&](std::span<std::byte> target, uint64_t offset) {
                                       file.read(target, static_cast<Bytes>(offset));
                                   }};
    loaded.texts =
        image::isAnimation(source) ? image::readImageTexts(source, file.name()) : header->texts;
    loaded.video = header;
}

}  // namespace

QImage asImage(const Image8& image) {
    const bool isKnown = image.channels == 1 || image.channels == 3 || image.channels == 4;
    if (!image.pixels || !isKnown || image.widthPixels < 1 || image.heightPixels < 1) {
        return {};
    }
    const auto format = image.channels == 1   ? QImage::Format_Grayscale8
                        : image.channels == 3 ? QImage::Format_RGB888
                                              : QImage::Format_RGBA8888;
    auto* owner = new std::shared_ptr<const uint8_t[]>(image.pixels);
    return {image.pixels.get(),
            image.widthPixels,
            image.heightPixels,
            qsizetype{image.widthPixels} * image.channels,
            format,
            [](void* held) { delete static_cast<std::shared_ptr<const uint8_t[]>*>(held); },
            owner};
}

Image8 asImage8(const QImage& image) {
    constexpr int kChannels = 3;
    const auto kept = std::make_shared<QImage>(image.convertToFormat(QImage::Format_RGB888));
    const auto row = static_cast<size_t>(kept->width()) * kChannels;
    std::shared_ptr<const uint8_t[]> pixels(kept, kept->constBits());
    if (static_cast<size_t>(kept->bytesPerLine()) != row) {
        const auto packed = std::make_shared<uint8_t[]>(row * static_cast<size_t>(kept->height()));
        for (int y = 0; y < kept->height(); ++y) {
            std::copy_n(kept->constScanLine(y), row, packed.get() + static_cast<size_t>(y) * row);
        }
        pixels = packed;
    }
    return {.widthPixels = kept->width(),
            .heightPixels = kept->height(),
            .channels = kChannels,
            .pixels = pixels};
}

ImageLevels levelsOf(const QImage& image) {
    ImageLevels levels;
    for (QImage level = image; !level.isNull();) {
        levels.push_back(level);
        const QSize half((level.width() + 1) / 2, (level.height() + 1) / 2);
        const bool isSmall = std::max(level.width(), level.height()) <= kSmallestLevel;
        level = isSmall ? QImage()
                        : level.scaled(half, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    }
    return levels;
}

QImage boundedBy(const QImage& image, int side) {
    return image.width() <= side && image.height() <= side
               ? image
               : image.scaled(side, side, Qt::KeepAspectRatio, Qt::SmoothTransformation);
}

ImageLevels levelsOf(const Image8& image) {
    return levelsOf(asImage(image));
}

std::string LoadedImage::graphText() const {
    const auto found = std::find_if(texts.begin(), texts.end(), [](const image::ImageText& text) {
        return text.key == kGraphKey;
    });
    return found == texts.end() ? std::string() : found->text;
}

QString sentenceOf(const Error& error) {
    return errorSentences(error, ". ");
}

LoadedImage loadImage(const QString& path, const StopToken& stop) {
    LoadedImage loaded{.path = path, .levels = {}, .size = {}, .texts = {}, .problem = {}};
    try {
        const files::InputFile file(path.toStdString());
        isVideo(path) ? loadVideo(file, stop, loaded) : loadStill(file, loaded);
        loaded.isForeign = !interop::carriedForeignText(loaded.texts).empty();
    } catch (const Error& error) {
        loaded.problem = sentenceOf(error);
    } catch (const std::bad_alloc&) {
        loaded.problem =
            QCoreApplication::translate("Viewer", "There is not enough memory to show %1.")
                .arg(path);
    }
    return loaded;
}

void loadImageLater(const QString& path,
                    QObject* context,
                    std::function<void(const LoadedImage&)> done,
                    const StopToken& stop) {
    later(
        context,
        [path, stop] { return loadImage(path, stop); },
        [done = std::move(done), stop](const LoadedImage& loaded) {
            if (stop.mode() == CancelMode::No) {
                done(loaded);
            }
        });
}

}  // namespace lowtide::ui
