#include "ui/panels/mask_tool.hpp"

#include "ui/access/announce.hpp"
#include "ui/access/spoken.hpp"
#include "ui/bridge/background.hpp"
#include "ui/painting/mask_shapes.hpp"

#include <QApplication>
#include <QKeyEvent>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QTabletEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr double kEighthsPerNotch = 120;
constexpr double kLeastPressure = 0.05;
constexpr double kPixelsPerHardness = 200;  ///< of a drag, for all of it

/// Mouse events that Qt makes of a pen's come after those; they paint nothing again.
bool isOfPen(const QMouseEvent& event) {
    return event.source() != Qt::MouseEventNotSynthesized;
}

constexpr qsizetype kFewestCorners = 3;  ///< that have an inside
constexpr double kCloseDistance = 8;     ///< from the first corner, in the widget
constexpr double kCornerRadius = 4;
constexpr double kCornerDistance = 2;  ///< between corners of a drawn lasso, in the widget
constexpr int kShapeMargin = 6;        ///< of lines and corners

constexpr double kStepFraction = 0.25;  ///< of the brush, for one press of an arrow

QPoint wayOf(const QKeyEvent& event) {
    switch (event.key()) {
        case Qt::Key_Left:
            return {-1, 0};
        case Qt::Key_Right:
            return {1, 0};
        case Qt::Key_Up:
            return {0, -1};
        case Qt::Key_Down:
            return {0, 1};
        default:
            return {};
    }
}

/// Of all pixels, from 0 to 1; of the smallest level, whose pixels are means.
double maskedFraction(const QImage& level) {
    double sum = 0;
    for (int y = 0; y < level.height(); ++y) {
        const uchar* row = level.constScanLine(y);
        sum = std::accumulate(row, row + level.width(), sum);
    }
    return sum / (255.0 * std::max(1, level.width() * level.height()));
}

}  // namespace

MaskTool::MaskTool(ImageView& view, const MaskCanvas& canvas, QObject* parent)
    : QObject(parent), view_(view), canvas_(canvas) {}

void MaskTool::setCanvas(const MaskCanvas& canvas) {
    dropShape();
    canvas_ = canvas;
    isPressed_ = false;
    lastEnd_.reset();
    view_.update();
    Q_EMIT settingsChanged();
}

void MaskTool::setShown(std::vector<OtherMask> others, bool isOwn) {
    others_ = std::move(others);
    isShown_ = isOwn;
    view_.update();
}

void MaskTool::offerUndo(std::function<void()> act) {
    offered_ = std::move(act);
    Q_EMIT settingsChanged();
}

void MaskTool::setBrush(const Brush& brush) {
    view_.update(cursorRect());
    brush_ = brush;
    view_.update(cursorRect());
    Q_EMIT settingsChanged();
}

void MaskTool::setKind(StrokeKind kind) {
    kind_ = kind;
    Q_EMIT settingsChanged();
}

void MaskTool::setPaintTool(PaintTool tool) {
    dropShape();
    view_.update(cursorRect());
    paintTool_ = tool;
    view_.update(cursorRect());
    Q_EMIT settingsChanged();
}

void MaskTool::setTolerance(double tolerance) {
    tolerance_ = tolerance;
    Q_EMIT settingsChanged();
}

void MaskTool::setLook(const OverlayLook& look) {
    look_ = look;
    view_.update();
    Q_EMIT settingsChanged();
}

void MaskTool::inOrder(std::function<void()> act) {
    if (isBusy_) {
        waiting_.push_back(std::move(act));
    } else {
        act();
    }
}

void MaskTool::change(std::function<void(MaskCanvas&)> act) {
    inOrder([this, act = std::move(act)] {
        offered_ = nullptr;
        canvas_.end();
        isPressed_ = false;
        isBusy_ = true;
        Q_EMIT busyChanged(true);
        later(
            this,
            [canvas = canvas_, act]() mutable {
                act(canvas);
                return canvas;
            },
            [this](const MaskCanvas& canvas) {
                canvas_ = canvas;
                isBusy_ = false;
                view_.update();
                Q_EMIT changed();
                while (!isBusy_ && !waiting_.empty()) {
                    const std::function<void()> next = waiting_.front();
                    waiting_.pop_front();
                    next();
                }
                if (!isBusy_) {
                    announce(view_, maskedText());
                    Q_EMIT busyChanged(false);
                }
            });
    });
}

void MaskTool::invert() {
    change([](MaskCanvas& canvas) { canvas.replace(inverted(canvas.mask())); });
}

void MaskTool::fill(uchar level) {
    change(
        [level](MaskCanvas& canvas) { canvas.replace(filledMask(canvas.mask().size(), level)); });
}

void MaskTool::grow(int pixels) {
    change([pixels](MaskCanvas& canvas) { canvas.replace(grown(canvas.mask(), pixels)); });
}

void MaskTool::feather(double sigma) {
    change([sigma](MaskCanvas& canvas) { canvas.replace(feathered(canvas.mask(), sigma)); });
}

void MaskTool::undo() {
    if (const std::function<void()> act = std::exchange(offered_, nullptr)) {
        act();
        return;
    }
    change([](MaskCanvas& canvas) { canvas.undo(); });
}

void MaskTool::redo() {
    change([](MaskCanvas& canvas) { canvas.redo(); });
}

bool MaskTool::take(QEvent& event) {
    switch (event.type()) {
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonDblClick:
        case QEvent::MouseMove:
        case QEvent::MouseButtonRelease:
            return takeMouse(static_cast<QMouseEvent&>(event));
        case QEvent::TabletPress:
        case QEvent::TabletMove:
        case QEvent::TabletRelease:
            return takeTablet(static_cast<QTabletEvent&>(event));
        case QEvent::Wheel:
            return takeWheel(static_cast<QWheelEvent&>(event));
        case QEvent::ShortcutOverride:  // keys of the window mean the mask here
            if (takeKey(static_cast<QKeyEvent&>(event))) {
                event.accept();
                return true;
            }
            return false;
        case QEvent::KeyPress:
            return takeKey(static_cast<QKeyEvent&>(event));
        case QEvent::KeyRelease:
            return takeKeyRelease(static_cast<QKeyEvent&>(event));
        case QEvent::FocusOut:
            liftKey();
            return false;
        case QEvent::Leave:
            pointAt(std::nullopt);
            return false;
        default:
            return false;
    }
}

/// The left button paints, the right one does the other of painting and erasing; the middle one is
/// the view's, which moves the image.
bool MaskTool::takeMouse(QMouseEvent& event) {
    if (isOfPen(event)) {
        return true;
    }
    pointAt(event.position());
    const bool isPaint = event.button() == Qt::LeftButton;
    const bool isOther = event.button() == Qt::RightButton;
    if (event.type() == QEvent::MouseMove) {
        if (shape_ && shape_->isHeld) {
            moveShape(event.position(), event.modifiers().testFlag(Qt::ShiftModifier));
            return true;
        }
        if (isPressed_) {
            move(event.position(), 1);
        }
        return isPressed_;
    }
    if (!isPaint && !isOther) {
        return false;
    }
    view_.setFocus(Qt::MouseFocusReason);
    if (event.type() == QEvent::MouseButtonDblClick && shape_) {
        closeShape();
        return true;
    }
    event.type() == QEvent::MouseButtonRelease
        ? release()
        : press(event.position(), 1, isOther, event.modifiers());
    return true;
}

bool MaskTool::takeTablet(QTabletEvent& event) {
    pointAt(event.position());
    const bool isEraser = event.pointerType() == QPointingDevice::PointerType::Eraser;
    isPen_ = true;
    if (event.type() == QEvent::TabletPress) {
        view_.setFocus(Qt::MouseFocusReason);
        const bool isOther = isEraser != (event.button() == Qt::RightButton);
        press(event.position(), event.pressure(), isOther, event.modifiers());
    } else if (event.type() == QEvent::TabletRelease) {
        release();
    } else if (shape_ && shape_->isHeld) {
        moveShape(event.position(), event.modifiers().testFlag(Qt::ShiftModifier));
    } else if (isPressed_) {
        move(event.position(), event.pressure());
    }
    event.accept();
    return true;
}

/// Ctrl: size, Shift: hardness; without them the view zooms.
bool MaskTool::takeWheel(QWheelEvent& event) {
    const double notches = (event.angleDelta().y() + event.angleDelta().x()) / kEighthsPerNotch;
    if (event.modifiers().testFlag(Qt::ControlModifier)) {
        setBrush(brush_.resized(notches));
    } else if (event.modifiers().testFlag(Qt::ShiftModifier)) {
        setBrush(brush_.hardened(notches));
    } else {
        return false;
    }
    event.accept();
    return true;
}

BrushPoint MaskTool::pointOf(const QPointF& position, double pressure) const {
    const double fraction = std::clamp(pressure, kLeastPressure, 1.0);
    return {.at = view_.pixelAt(position),
            .radius = brush_.diameter / 2 * fraction,
            .opacity = brush_.opacity * (isPen_ ? fraction : 1)};
}

/// Shift: a straight line from the end of the stroke before. Alt: sets the brush instead; the other
/// tools take away where they add.
void MaskTool::press(const QPointF& position,
                     double pressure,
                     bool isOther,
                     Qt::KeyboardModifiers keys) {
    if (paintTool_ != PaintTool::Brush) {
        const bool adds =
            (kind_ == StrokeKind::Paint) != (isOther || keys.testFlag(Qt::AltModifier));
        const StrokeKind kind = adds ? StrokeKind::Paint : StrokeKind::Erase;
        paintTool_ == PaintTool::Fill ? fillAt(position, kind) : pressShape(position, kind);
        return;
    }
    isPressed_ = true;
    pressedAt_ = position;
    pressedBrush_ = brush_;
    isSizing_ = keys.testFlag(Qt::AltModifier);
    if (isSizing_) {
        return;
    }
    const bool paints = (kind_ == StrokeKind::Paint) != isOther;
    const BrushPoint point = pointOf(position, pressure);
    BrushPoint first = point;
    first.at = keys.testFlag(Qt::ShiftModifier) && lastEnd_ ? *lastEnd_ : point.at;
    const Brush brush = brush_;
    inOrder([this, paints, brush, first, point] {
        offered_ = nullptr;
        showChanged(
            canvas_.begin(paints ? StrokeKind::Paint : StrokeKind::Erase, brush.hardness, first));
        showChanged(canvas_.extend(point));
    });
}

void MaskTool::move(const QPointF& position, double pressure) {
    if (isSizing_) {
        const QPointF by = position - pressedAt_;
        Brush brush = pressedBrush_;
        brush.diameter =
            std::clamp(std::round(brush.diameter +
                                  2 * (view_.pixelAt(position) - view_.pixelAt(pressedAt_)).x()),
                       Brush::kLeast,
                       Brush::kMost);
        brush.hardness = std::clamp(brush.hardness - by.y() / kPixelsPerHardness, 0.0, 1.0);
        setBrush(brush);
        return;
    }
    inOrder([this, point = pointOf(position, pressure)] { showChanged(canvas_.extend(point)); });
    lastEnd_ = view_.pixelAt(position);
}

void MaskTool::release() {
    releaseShape();
    if (!std::exchange(isPressed_, false)) {
        return;
    }
    if (std::exchange(isSizing_, false)) {
        return;
    }
    if (pointer_) {
        lastEnd_ = view_.pixelAt(*pointer_);
    }
    isPen_ = false;
    inOrder([this] {
        canvas_.end();
        Q_EMIT changed();
    });
}

/// A click on the first corner closes the lasso.
void MaskTool::pressShape(const QPointF& position, StrokeKind kind) {
    const QPointF pixel = view_.pixelAt(position);
    if (paintTool_ == PaintTool::Rectangle || !shape_) {
        shape_ = Shape{.kind = kind, .corners = {pixel, pixel}, .pressedAt = position};
        if (paintTool_ == PaintTool::Lasso) {
            shape_->corners.removeLast();
        }
        return;
    }
    const QPointF first = view_.positionOf(shape_->corners.front());
    if (shape_->corners.size() >= kFewestCorners &&
        QLineF(first, position).length() <= kCloseDistance) {
        closeShape();
        return;
    }
    shape_->isHeld = true;
    shape_->isDragged = false;
    shape_->before = shape_->corners.size();
    shape_->pressedAt = position;
    shape_->corners << pixel;
    view_.update(shapeRect());
}

/// `isSquare`: of a rectangle.
void MaskTool::moveShape(const QPointF& position, bool isSquare) {
    const QRect before = shapeRect();
    QPointF pixel = view_.pixelAt(position);
    shape_->isDragged = shape_->isDragged || QLineF(shape_->pressedAt, position).length() >=
                                                 QApplication::startDragDistance();
    if (paintTool_ == PaintTool::Lasso) {
        if (shape_->isDragged) {
            addCorner(
                shape_->corners, pixel, kCornerDistance * view_.devicePixelRatioF() / view_.zoom());
        }
    } else {
        const QPointF first = shape_->corners.front();
        if (isSquare) {
            const QPointF by = pixel - first;
            const double side = std::max(std::abs(by.x()), std::abs(by.y()));
            pixel = first + QPointF(std::copysign(side, by.x()), std::copysign(side, by.y()));
        }
        shape_->corners.back() = pixel;
    }
    view_.update(before | shapeRect());
}

/// What was drawn in one go is closed; after a click the lasso waits for more corners.
void MaskTool::releaseShape() {
    if (!shape_ || !std::exchange(shape_->isHeld, false)) {
        return;
    }
    if (paintTool_ == PaintTool::Rectangle || (shape_->isDragged && shape_->before == 0)) {
        closeShape();
    }
}

void MaskTool::closeShape() {
    const QRect shown = shapeRect();
    const std::optional<Shape> done = std::exchange(shape_, std::nullopt);
    view_.update(shown);
    const QPainterPath path = pathOf(*done);
    if (path.boundingRect().isEmpty()) {
        return;  // a click, or a line
    }
    change([path, kind = done->kind, opacity = brush_.opacity](MaskCanvas& canvas) {
        const QImage cover = shapeCover(canvas.mask().size(), path);
        canvas.replace(covered(canvas.mask(), cover, kind, opacity));
    });
}

void MaskTool::dropShape() {
    const QRect shown = shapeRect();
    shape_.reset();
    view_.update(shown);
}

void MaskTool::fillAt(const QPointF& position, StrokeKind kind) {
    const QPointF pixel = view_.pixelAt(position);
    const QPoint seed(qFloor(pixel.x()), qFloor(pixel.y()));
    const int tolerance = static_cast<int>(std::lround(255 * tolerance_));
    change([image = view_.image().front(), seed, tolerance, kind, opacity = brush_.opacity](
               MaskCanvas& canvas) {
        const QImage cover = floodCover(image, seed, tolerance);
        canvas.replace(covered(canvas.mask(), cover, kind, opacity));
    });
}

/// In pixels of the image. A lasso that crosses itself covers all that it goes around.
QPainterPath MaskTool::pathOf(const Shape& shape) const {
    QPainterPath path;
    path.setFillRule(Qt::WindingFill);
    if (paintTool_ == PaintTool::Rectangle) {
        path.addRect(QRectF(shape.corners.front(), shape.corners.back()).normalized());
    } else if (shape.corners.size() >= kFewestCorners) {
        path.addPolygon(shape.corners);
        path.closeSubpath();
    }
    return path;
}

/// In the widget, with the line to the pointer.
QRect MaskTool::shapeRect() const {
    if (!shape_) {
        return {};
    }
    const QRectF corners = shape_->corners.boundingRect();
    const QPointF first = view_.positionOf(corners.topLeft());
    const QPointF last = view_.positionOf(corners.bottomRight());
    const QPointF pointer = pointer_.value_or(first);
    const QRectF shown(QPointF(std::min(first.x(), pointer.x()), std::min(first.y(), pointer.y())),
                       QPointF(std::max(last.x(), pointer.x()), std::max(last.y(), pointer.y())));
    return shown.toAlignedRect().adjusted(-kShapeMargin, -kShapeMargin, kShapeMargin, kShapeMargin);
}

/// Seen on every image, in dark and light.
void MaskTool::paintShape(QPainter& painter) const {
    QPolygonF shown;
    for (const QPointF& corner : shape_->corners) {
        shown << view_.positionOf(corner);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    for (const QPen& pen : {QPen(Qt::black, 1.5), QPen(Qt::white, 1.5, Qt::DashLine)}) {
        painter.setPen(pen);
        if (paintTool_ == PaintTool::Rectangle) {
            painter.drawRect(QRectF(shown.front(), shown.back()).normalized());
            continue;
        }
        painter.drawPolyline(shown);
        if (pointer_ && !shape_->isHeld) {
            painter.drawLine(shown.back(), *pointer_);
        }
    }
    if (paintTool_ == PaintTool::Lasso && !shape_->isHeld) {
        painter.setPen(QPen(Qt::black, 1));
        painter.setBrush(Qt::white);
        painter.drawEllipse(shown.front(), kCornerRadius, kCornerRadius);
    }
}

void MaskTool::showChanged(const QRect& pixels) {
    if (pixels.isEmpty()) {
        return;
    }
    const QRectF position(view_.positionOf(pixels.topLeft()),
                          view_.positionOf(QPointF(pixels.right() + 1, pixels.bottom() + 1)));
    view_.update(position.toAlignedRect().adjusted(-2, -2, 2, 2));
    Q_EMIT changed();
}

void MaskTool::pointAt(const std::optional<QPointF>& position) {
    view_.update(cursorRect() | shapeRect());
    if (pointer_ && !position) {
        left_ = view_.pixelAt(*pointer_);
    }
    pointer_ = position;
    view_.update(cursorRect() | shapeRect());
    view_.setCursor(position ? Qt::CrossCursor : Qt::ArrowCursor);
}

QRect MaskTool::cursorRect() const {
    if (!pointer_ || paintTool_ != PaintTool::Brush) {
        return {};
    }
    const double reach = brush_.diameter / 2 * view_.zoom() / view_.devicePixelRatioF() + 3;
    return QRectF(pointer_->x() - reach, pointer_->y() - reach, 2 * reach, 2 * reach)
        .toAlignedRect();
}

void MaskTool::paint(QPainter& painter, const QRect& part) {
    for (const OtherMask& other : others_) {
        paintMask(painter, part, other.levels, other.look);
    }
    if (isShown_) {
        paintMask(painter, part, canvas_.levels(), look_);
    }
    if (shape_) {
        paintShape(painter);
    }
    if (pointer_ && paintTool_ == PaintTool::Brush) {
        paintBrush(painter);
    }
}

void MaskTool::paintMask(QPainter& painter,
                         const QRect& part,
                         const std::vector<QImage>& levels,
                         const OverlayLook& look) const {
    const QSize size = levels.front().size();
    const QRectF whole(view_.positionOf({0, 0}),
                       view_.positionOf(QPointF(size.width(), size.height())));
    const double ratio = view_.devicePixelRatioF();
    // Whole pixels of the screen, so that neighbours that are painted apart join.
    const QRect shown = (whole.toAlignedRect() & part);
    const QRect device(
        QPoint(qFloor(shown.left() * ratio), qFloor(shown.top() * ratio)),
        QPoint(qCeil((shown.right() + 1) * ratio) - 1, qCeil((shown.bottom() + 1) * ratio) - 1));
    if (!shown.isEmpty()) {
        const QPointF from = view_.pixelAt(QPointF(device.topLeft()) / ratio);
        const QPointF to = view_.pixelAt(QPointF(device.right() + 1, device.bottom() + 1) / ratio);
        QImage overlay =
            maskOverlay(levels, QRectF(from, to), device.size(), device.topLeft(), look);
        overlay.setDevicePixelRatio(ratio);
        painter.save();
        painter.setClipRect(whole, Qt::IntersectClip);
        painter.drawImage(QPointF(device.topLeft()) / ratio, overlay);
        painter.restore();
    }
}

void MaskTool::paintBrush(QPainter& painter) const {
    const double radius = brush_.diameter / 2 * view_.zoom() / view_.devicePixelRatioF();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    for (const auto& [colour, width] : {std::pair(Qt::black, 3.0), std::pair(Qt::white, 1.2)}) {
        painter.setPen(QPen(colour, width));
        painter.drawEllipse(*pointer_, radius, radius);
    }
    if (brush_.hardness < 1) {
        painter.setPen(QPen(Qt::white, 1, Qt::DotLine));
        painter.drawEllipse(*pointer_, radius * brush_.hardness, radius * brush_.hardness);
    }
}

/// Also asked whether it would take the key, before a shortcut of the window does.
bool MaskTool::takeKey(QKeyEvent& event) {
    const std::function<void()> act = actOf(event);
    if (act && event.type() == QEvent::KeyPress) {
        act();
    }
    return act != nullptr;
}

std::function<void()> MaskTool::actOf(const QKeyEvent& event) {
    const bool isShifted = event.modifiers().testFlag(Qt::ShiftModifier);
    if (event.matches(QKeySequence::Undo)) {
        return [this] { undo(); };
    }
    if (event.matches(QKeySequence::Redo) ||
        event.keyCombination() == (Qt::ControlModifier | Qt::Key_Y) ||
        event.keyCombination() == (Qt::ControlModifier | Qt::ShiftModifier | Qt::Key_Z)) {
        return [this] { redo(); };
    }
    if (event.modifiers().testAnyFlags(Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) {
        return {};
    }
    if (const QPoint way = wayOf(event); !way.isNull()) {
        return [this, way, isShifted] { moveByKey(way, isShifted); };
    }
    switch (event.key()) {
        case Qt::Key_Space:
            return [this, isFirst = !event.isAutoRepeat()] {
                if (isFirst) {
                    pressKey();
                }
            };
        case Qt::Key_B:
            return [this] {
                setPaintTool(PaintTool::Brush);
                takeKind(StrokeKind::Paint);
            };
        case Qt::Key_R:
            return [this] { takePaintTool(PaintTool::Rectangle); };
        case Qt::Key_L:
            return [this] { takePaintTool(PaintTool::Lasso); };
        case Qt::Key_G:
            return [this] { takePaintTool(PaintTool::Fill); };
        case Qt::Key_E:
            return [this] { takeKind(StrokeKind::Erase); };
        case Qt::Key_X:
            return [this] {
                takeKind(kind_ == StrokeKind::Paint ? StrokeKind::Erase : StrokeKind::Paint);
            };
        case Qt::Key_BracketLeft:
            return [this, isShifted] {
                takeBrush(isShifted ? brush_.hardened(-1) : brush_.resized(-1));
            };
        case Qt::Key_BracketRight:
            return [this, isShifted] {
                takeBrush(isShifted ? brush_.hardened(1) : brush_.resized(1));
            };
        case Qt::Key_BraceLeft:
            return [this] { takeBrush(brush_.hardened(-1)); };
        case Qt::Key_BraceRight:
            return [this] { takeBrush(brush_.hardened(1)); };
        case Qt::Key_I:
            return [this] { invert(); };
        case Qt::Key_Delete:
            return [this] { fill(0); };
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return shape_ ? std::function<void()>([this] { closeShape(); })
                          : [this] { Q_EMIT accepted(); };
        case Qt::Key_Escape:
            return shape_ ? std::function<void()>([this] { dropShape(); })
                          : [this] { Q_EMIT closeAsked(); };
        default:
            return {};
    }
}

void MaskTool::takeKind(StrokeKind kind) {
    setKind(kind);
    announce(view_, brushText());
}

void MaskTool::takePaintTool(PaintTool tool) {
    setPaintTool(tool);
    announce(view_, brushText());
}

void MaskTool::takeBrush(const Brush& brush) {
    setBrush(brush);
    announce(view_, brushText());
}

/// From where the pointer is, or was last, or from the middle.
void MaskTool::moveByKey(const QPoint& way, bool isFine) {
    const QSizeF size = canvas_.mask().size();
    const double pixels = isFine ? 1 : std::max(1.0, std::round(brush_.diameter * kStepFraction));
    const QPointF from = pointer_ ? view_.pixelAt(*pointer_)
                         : left_  ? *left_
                                  : QPointF(size.width(), size.height()) / 2;
    const QPointF to(std::clamp(from.x() + way.x() * pixels, 0.0, size.width()),
                     std::clamp(from.y() + way.y() * pixels, 0.0, size.height()));
    view_.bringIntoSight(to);
    const QPointF position = view_.positionOf(to);
    pointAt(position);
    if (isKeyDown_ && shape_) {
        moveShape(position, false);
    } else if (isKeyDown_) {
        move(position, 1);
    }
    valueSpoken(view_);
}

/// A press of the space bar is one of the button at the position of the brush.
void MaskTool::pressKey() {
    if (isPressed_) {
        return;
    }
    if (!pointer_) {
        moveByKey({}, false);
    }
    isKeyDown_ = true;
    press(*pointer_, 1, false, Qt::NoModifier);
}

void MaskTool::liftKey() {
    if (std::exchange(isKeyDown_, false)) {
        release();
        inOrder([this] { announce(view_, maskedText()); });
    }
}

bool MaskTool::takeKeyRelease(const QKeyEvent& event) {
    const bool isLifted = event.key() == Qt::Key_Space && !event.isAutoRepeat() && isKeyDown_;
    if (isLifted) {
        liftKey();
    }
    return isLifted;
}

QString MaskTool::maskedText() const {
    return tr("%1 % of the image is masked")
        .arg(std::lround(100 * maskedFraction(canvas_.levels().back())));
}

QString MaskTool::brushText() const {
    const bool adds = kind_ == StrokeKind::Paint;
    switch (paintTool_) {
        case PaintTool::Brush:
            break;
        case PaintTool::Rectangle:
            return adds ? tr("The rectangle masks") : tr("The rectangle unmasks");
        case PaintTool::Lasso:
            return adds ? tr("The lasso masks") : tr("The lasso unmasks");
        case PaintTool::Fill:
            return (adds ? tr("Fill masks, tolerance %1 %") : tr("Fill unmasks, tolerance %1 %"))
                .arg(std::lround(100 * tolerance_));
    }
    const QString text = kind_ == StrokeKind::Paint ? tr("The brush paints, %1 pixels, %2 % hard")
                                                    : tr("The brush erases, %1 pixels, %2 % hard");
    return text.arg(std::lround(brush_.diameter)).arg(std::lround(100 * brush_.hardness));
}

QString MaskTool::spokenText() const {
    QStringList parts = {maskedText(), brushText()};
    if (pointer_) {
        const QPoint at = view_.pixelAt(*pointer_).toPoint();
        parts << tr("at %1, %2").arg(at.x()).arg(at.y());
    }
    return parts.join(QStringLiteral(", "));
}

}  // namespace lowtide::ui
