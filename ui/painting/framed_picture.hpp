#pragma once

#include <QImage>
#include <QRect>

namespace lowtide::ui {

/// A picture that was cut or extended, and what of it is to be made anew.
struct FramedPicture {
    QImage picture;
    QImage mask;  ///< null: nothing is new
};

/// The part of a picture within `frame`, which may reach beyond it. What is new has the colours of
/// the nearest edge and is masked whole; from there the mask falls smoothly to nothing over
/// `overlap` pixels of the old picture. Pixels of the old picture stay as they are.
[[nodiscard]] FramedPicture framedPicture(const QImage& picture, const QRect& frame, int overlap);

}  // namespace lowtide::ui
