#pragma once

#include <QString>

class QEvent;
class QPainter;
class QRect;

namespace lowtide::ui {

/// What a person does to the picture that a PictureView shows: drawn over it, and asked first about
/// what the mouse, the pen and the keys do.
class PictureTool {
public:
    PictureTool() = default;
    PictureTool(const PictureTool&) = delete;
    PictureTool& operator=(const PictureTool&) = delete;
    virtual ~PictureTool() = default;

    /// `part` of the widget is painted anew.
    virtual void paint(QPainter& painter, const QRect& part) = 0;
    /// Whether the view has nothing left to do about it.
    [[nodiscard]] virtual bool take(QEvent& event) = 0;
    /// What is done to the picture, in words for assistive technology.
    [[nodiscard]] virtual QString spokenText() const = 0;
};

}  // namespace lowtide::ui
