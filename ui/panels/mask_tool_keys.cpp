// MaskTool by keys alone, and in words.
#include "ui/access/announce.hpp"
#include "ui/access/spoken.hpp"
#include "ui/panels/mask_tool.hpp"
#include "ui/panels/picture_view.hpp"

#include <QKeyEvent>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lowtide::ui {

namespace {

constexpr double kWayShare = 0.25;  ///< of the brush, for one press of an arrow

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
double maskedShare(const QImage& level) {
    double sum = 0;
    for (int y = 0; y < level.height(); ++y) {
        const uchar* row = level.constScanLine(y);
        sum = std::accumulate(row, row + level.width(), sum);
    }
    return sum / (255.0 * std::max(1, level.width() * level.height()));
}

}  // namespace

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
            return [this] { takeKind(StrokeKind::Paint); };
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
            return [this] { Q_EMIT accepted(); };
        case Qt::Key_Escape:
            return [this] { Q_EMIT closeAsked(); };
        default:
            return {};
    }
}

void MaskTool::takeKind(StrokeKind kind) {
    setKind(kind);
    announce(view_, brushText());
}

void MaskTool::takeBrush(const Brush& brush) {
    setBrush(brush);
    announce(view_, brushText());
}

/// From where the pointer is, or was last, or from the middle.
void MaskTool::moveByKey(const QPoint& way, bool isFine) {
    const QSizeF size = canvas_.mask().size();
    const double pixels = isFine ? 1 : std::max(1.0, std::round(brush_.diameter * kWayShare));
    const QPointF from = pointer_ ? view_.pixelAt(*pointer_)
                         : left_  ? *left_
                                  : QPointF(size.width(), size.height()) / 2;
    const QPointF to(std::clamp(from.x() + way.x() * pixels, 0.0, size.width()),
                     std::clamp(from.y() + way.y() * pixels, 0.0, size.height()));
    view_.bringIntoSight(to);
    const QPointF place = view_.placeOf(to);
    pointAt(place);
    if (isKeyDown_) {
        move(place, 1);
    }
    valueSpoken(view_);
}

/// A press of the space bar is one of the button at the place of the brush.
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
    return tr("%1 % of the picture are masked")
        .arg(std::lround(100 * maskedShare(canvas_.levels().back())));
}

QString MaskTool::brushText() const {
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
