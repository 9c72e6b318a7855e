#pragma once

#include "ui/painting/mask_canvas.hpp"
#include "ui/painting/mask_ops.hpp"
#include "ui/panels/image_view.hpp"

#include <QObject>
#include <QPointF>

#include <deque>
#include <functional>
#include <optional>

class QKeyEvent;
class QMouseEvent;
class QTabletEvent;
class QWheelEvent;

namespace lowtide::ui {

class ImageView;

/// Paints a mask over the image of a view, with mouse, pen and keys: arrows move the brush, the
/// space bar is its button. What changes the whole mask
/// is done on another thread; strokes that begin meanwhile wait for it.
class MaskTool : public QObject, public ImageTool {
    Q_OBJECT

public:
    /// `view` must outlive it and show the image that the mask belongs to.
    MaskTool(ImageView& view, const QImage& mask, QObject* parent);

    [[nodiscard]] const MaskCanvas& canvas() const { return canvas_; }

    [[nodiscard]] const Brush& brush() const { return brush_; }

    [[nodiscard]] StrokeKind kind() const { return kind_; }

    [[nodiscard]] const OverlayLook& look() const { return look_; }

    /// Whether a change of the whole mask is being made.
    [[nodiscard]] bool isBusy() const { return isBusy_; }

    void setBrush(const Brush& brush);
    void setKind(StrokeKind kind);
    void setLook(const OverlayLook& look);

    void invert();
    void fill(uchar level);
    void grow(int pixels);
    void feather(double sigma);
    void undo();
    void redo();

    void paint(QPainter& painter, const QRect& part) override;
    [[nodiscard]] bool take(QEvent& event) override;
    [[nodiscard]] QString spokenText() const override;

Q_SIGNALS:
    /// The mask is another one, or a step can be undone or not.
    void changed();
    /// Brush, kind of stroke, or how the mask is shown.
    void settingsChanged();
    void busyChanged(bool isBusy);
    /// Return, Escape.
    void accepted();
    void closeAsked();

private:
    void change(std::function<void(MaskCanvas&)> act);
    void inOrder(std::function<void()> act);
    bool takeMouse(QMouseEvent& event);
    bool takeTablet(QTabletEvent& event);
    bool takeWheel(QWheelEvent& event);
    bool takeKey(QKeyEvent& event);
    bool takeKeyRelease(const QKeyEvent& event);
    /// What the key does; nothing: it is none of the mask's.
    [[nodiscard]] std::function<void()> actOf(const QKeyEvent& event);
    void takeKind(StrokeKind kind);
    void takeBrush(const Brush& brush);
    void moveByKey(const QPoint& way, bool isFine);
    void pressKey();
    void liftKey();
    void press(const QPointF& position, double pressure, bool isOther, Qt::KeyboardModifiers keys);
    void move(const QPointF& position, double pressure);
    void release();
    void pointAt(const std::optional<QPointF>& position);
    [[nodiscard]] BrushPoint pointOf(const QPointF& position, double pressure) const;
    [[nodiscard]] QRect cursorRect() const;
    void showChanged(const QRect& pixels);
    [[nodiscard]] QString maskedText() const;
    [[nodiscard]] QString brushText() const;

    ImageView& view_;
    MaskCanvas canvas_;
    Brush brush_;
    OverlayLook look_;
    StrokeKind kind_ = StrokeKind::Paint;
    bool isPressed_ = false;
    bool isSizing_ = false;  ///< a drag that sets size (sideways) and hardness (upwards)
    bool isPen_ = false;
    bool isKeyDown_ = false;  ///< the space bar paints
    QPointF pressedAt_;
    Brush pressedBrush_;
    std::optional<QPointF> lastEnd_;  ///< of the stroke before, for straight lines; pixels
    std::optional<QPointF> pointer_;  ///< in the widget; nothing: it is elsewhere
    std::optional<QPointF> left_;     ///< pixel over which it was last
    bool isBusy_ = false;
    std::deque<std::function<void()>> waiting_;
};

}  // namespace lowtide::ui
