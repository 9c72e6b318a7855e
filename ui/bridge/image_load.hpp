#pragma once

#include "plugin/base/error.hpp"
#include "plugin/base/stop_token.hpp"
#include "plugin/image/image_file.hpp"
#include "plugin/video/video_file.hpp"

#include <QImage>
#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <vector>

namespace lowtide::ui {

/// Most pixels of a side that are shown.
inline constexpr int kLargestShownSide = 16384;

/// An image that is shown: its pixels, then each time half as many a side, so that a small view of
/// it costs little and does not flicker.
using ImageLevels = std::vector<QImage>;

/// A view of the same pixels, which live as long as it does; null where there are none, or they are
/// of no known kind.
[[nodiscard]] QImage asImage(const Image8& image);
/// The other way, without transparency: shared, where rows have no padding.
[[nodiscard]] Image8 asImage8(const QImage& image);
/// The levels down to 512 pixels; empty for a null image.
[[nodiscard]] ImageLevels levelsOf(const QImage& image);

/// The image as it is, or smaller: `side` pixels a side at most.
[[nodiscard]] QImage boundedBy(const QImage& image, int side);

/// The levels of decoded pixels, which are shared, not copied.
[[nodiscard]] ImageLevels levelsOf(const Image8& image);

/// An image file as it was read, or the first frame of a video file.
struct LoadedImage {
    QString path;
    ImageLevels levels;
    QSize size{};  ///< pixels of what it shows; empty: those of the first level
    std::vector<image::ImageText> texts;
    bool isForeign = false;  ///< they hold something of another program, for an import
    std::shared_ptr<const video::VideoHeader> video{};  ///< nullptr: a single image
    QString problem;                                    ///< why it cannot be shown; empty: it can

    /// The graph that it carries; empty: none.
    [[nodiscard]] std::string graphText() const;
};

/// What went wrong and what to do, as a sentence for users.
[[nodiscard]] QString sentenceOf(const Error& error);

/// Reads an image or video file. What is wrong with it becomes its problem.
[[nodiscard]] LoadedImage loadImage(const QString& path, const StopToken& stop = {});
/// The same on another thread; `done` is called on the GUI thread unless `context` is gone or it
/// was stopped by then.
void loadImageLater(const QString& path,
                    QObject* context,
                    std::function<void(const LoadedImage&)> done,
                    const StopToken& stop = {});

}  // namespace lowtide::ui
