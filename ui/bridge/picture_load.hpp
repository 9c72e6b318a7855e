#pragma once

#include "plugin/image/picture_file.hpp"

#include <QImage>
#include <QObject>
#include <QString>

#include <functional>
#include <vector>

namespace lowtide::ui {

/// Most pixels of a side that are shown.
inline constexpr int kLargestShownSide = 16384;

/// A picture that is shown: its pixels, then each time half as many a side, so that a small view of
/// it costs little and does not flicker.
using PictureLevels = std::vector<QImage>;

/// The levels down to 512 pixels; empty for a null picture.
[[nodiscard]] PictureLevels levelsOf(const QImage& picture);

/// A picture file as it was read.
struct LoadedPicture {
    QString path;
    PictureLevels levels;
    QSize size{};  ///< pixels of what it shows; empty: those of the first level
    std::vector<image::PictureText> texts;
    QString problem;  ///< why it cannot be shown; empty: it can

    /// The graph that it carries; empty: none.
    [[nodiscard]] std::string graphText() const;
};

/// Reads a picture file. What is wrong with it becomes its problem.
[[nodiscard]] LoadedPicture loadPicture(const QString& path);
/// The same on another thread; `done` is called on the GUI thread unless `context` is gone by then.
void loadPictureLater(const QString& path,
                      QObject* context,
                      std::function<void(const LoadedPicture&)> done);

}  // namespace lowtide::ui
