#pragma once

#include "ui/painting/mask_canvas.hpp"
#include "ui/painting/mask_ops.hpp"
#include "ui/panels/image_view.hpp"

#include <QObject>
#include <QPointF>
#include <QPolygonF>

#include <deque>
#include <functional>
#include <optional>
#include <vector>

class QKeyEvent;
class QMouseEvent;
class QPainterPath;
class QTabletEvent;
class QWheelEvent;

namespace lowtide::ui {

class ImageView;

/// With what a mask is painted: strokes, shapes that are drawn around a part, and a fill of pixels
/// that are alike.
enum class PaintTool { Brush, Rectangle, Lasso, Fill };

/// A mask that is shown together with the one that is painted.
struct OtherMask {
    std::vector<QImage> levels;  ///< of its MaskCanvas
    OverlayLook look;
};

/// Paints a mask over the image of a view, with mouse, pen and keys: arrows move the pointer, the
/// space bar is its button. Shapes and what changes the whole mask are done on another thread;
/// strokes that begin meanwhile wait for it.
class MaskTool : public QObject, public ImageTool {
    Q_OBJECT

public:
    static constexpr double kUsualTolerance = 0.1;

    /// `view` must outlive it and show the image that the mask belongs to.
    MaskTool(ImageView& view, const MaskCanvas& canvas, QObject* parent);

    [[nodiscard]] const MaskCanvas& canvas() const { return canvas_; }

    /// Paints another mask of the same size from now on. Only while it is not busy.
    void setCanvas(const MaskCanvas& canvas);
    /// What is shown: masks below the one that is painted, and whether that is.
    void setShown(std::vector<OtherMask> others, bool isOwn);
    /// Until a mask that it paints changes, undo does this instead; empty: a step of the mask.
    void offerUndo(std::function<void()> act);

    [[nodiscard]] const std::function<void()>& offeredUndo() const { return offered_; }

    [[nodiscard]] bool canUndo() const { return offered_ || canvas_.history().canUndo(); }

    [[nodiscard]] const Brush& brush() const { return brush_; }

    [[nodiscard]] StrokeKind kind() const { return kind_; }

    [[nodiscard]] PaintTool paintTool() const { return paintTool_; }

    /// How far a channel may differ from that of the pixel that was pressed, 0 to 1.
    [[nodiscard]] double tolerance() const { return tolerance_; }

    [[nodiscard]] const OverlayLook& look() const { return look_; }

    /// Whether a change of the whole mask is being made.
    [[nodiscard]] bool isBusy() const { return isBusy_; }

    void setBrush(const Brush& brush);
    void setKind(StrokeKind kind);
    /// A shape that is being drawn is dropped.
    void setPaintTool(PaintTool tool);
    void setTolerance(double tolerance);
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
    /// Brush, tool, kind of stroke, or how the mask is shown.
    void settingsChanged();
    void busyChanged(bool isBusy);
    /// Return, Escape.
    void accepted();
    void closeAsked();

private:
    /// A rectangle or a lasso that is being drawn.
    struct Shape {
        StrokeKind kind = StrokeKind::Paint;
        QPolygonF corners{};     ///< pixels of the image; of a rectangle two that face each other
        bool isHeld = true;      ///< the button is down
        qsizetype before = 0;    ///< corners that were there when it went down
        QPointF pressedAt{};     ///< in the widget
        bool isDragged = false;  ///< it was moved since
    };

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
    void takePaintTool(PaintTool tool);
    void takeBrush(const Brush& brush);
    void moveByKey(const QPoint& way, bool isFine);
    void pressKey();
    void liftKey();
    void press(const QPointF& position, double pressure, bool isOther, Qt::KeyboardModifiers keys);
    void move(const QPointF& position, double pressure);
    void release();
    void pressShape(const QPointF& position, StrokeKind kind);
    void moveShape(const QPointF& position, bool isSquare);
    void releaseShape();
    /// The shape becomes a part of the mask, or of what is not masked.
    void closeShape();
    void dropShape();
    void fillAt(const QPointF& position, StrokeKind kind);
    [[nodiscard]] QPainterPath pathOf(const Shape& shape) const;
    [[nodiscard]] QRect shapeRect() const;
    void paintMask(QPainter& painter,
                   const QRect& part,
                   const std::vector<QImage>& levels,
                   const OverlayLook& look) const;
    void paintShape(QPainter& painter) const;
    void paintBrush(QPainter& painter) const;
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
    std::vector<OtherMask> others_;
    bool isShown_ = true;
    std::function<void()> offered_;  ///< what undo does; empty: a step of the mask
    StrokeKind kind_ = StrokeKind::Paint;
    PaintTool paintTool_ = PaintTool::Brush;
    double tolerance_ = kUsualTolerance;
    std::optional<Shape> shape_;
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
