#pragma once

#include "plugin/base/error.hpp"
#include "plugin/base/stop_token.hpp"
#include "plugin/image/picture_file.hpp"
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

/// A picture that is shown: its pixels, then each time half as many a side, so that a small view of
/// it costs little and does not flicker.
using PictureLevels = std::vector<QImage>;

/// The levels down to 512 pixels; empty for a null picture.
[[nodiscard]] PictureLevels levelsOf(const QImage& picture);

/// The picture as it is, or smaller: `side` pixels a side at most.
[[nodiscard]] QImage boundedBy(const QImage& picture, int side);

/// The levels of decoded pixels, which are shared, not copied.
[[nodiscard]] PictureLevels levelsOf(const Image8& picture);

/// A picture file as it was read, or the first frame of a video file.
struct LoadedPicture {
    QString path;
    PictureLevels levels;
    QSize size{};  ///< pixels of what it shows; empty: those of the first level
    std::vector<image::PictureText> texts;
    std::shared_ptr<const video::VideoHeader> video{};  ///< nullptr: a single picture
    QString problem;                                    ///< why it cannot be shown; empty: it can

    /// The graph that it carries; empty: none.
    [[nodiscard]] std::string graphText() const;
};

/// What went wrong and what to do, as a sentence for people.
[[nodiscard]] QString sentenceOf(const Error& error);

/// Reads a picture or video file. What is wrong with it becomes its problem.
[[nodiscard]] LoadedPicture loadPicture(const QString& path, const StopToken& stop = {});
/// The same on another thread; `done` is called on the GUI thread unless `context` is gone or it
/// was stopped by then.
void loadPictureLater(const QString& path,
                      QObject* context,
                      std::function<void(const LoadedPicture&)> done,
                      const StopToken& stop = {});

}  // namespace lowtide::ui
