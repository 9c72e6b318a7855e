#pragma once

#include <QImage>

#include <optional>

namespace lowtide::ui {

/// When a picture of something unfinished looked so, in units of the node's work.
struct PictureStep {
    int done = 0;
    int total = 0;
};

/// A picture that a node showed, at most EventBuffer::kPicturePixels a side.
struct NodePicture {
    QImage image;
    std::optional<PictureStep> step{};  ///< set: a preview; else what the node made
    QSize size{};                       ///< pixels of what the node made; empty: those of `image`
    QImage
        whole{};  ///< what the node made, where that is larger and EventBuffer::kWholeBytes hold it

    [[nodiscard]] const QImage& largest() const { return whole.isNull() ? image : whole; }
};

}  // namespace lowtide::ui
