#include "ui/panels/image_view.hpp"

#include "ui/language/language.hpp"
#include "ui/theme/style_paint.hpp"
#include "ui/theme/theme.hpp"

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kLeastZoom = 0.01;
constexpr double kMostZoom = 32;
constexpr double kZoomStep = 1.25;
constexpr double kNotch = 120;    ///< of a wheel
constexpr double kWipeReach = 8;  ///< distance in pixels at which the line is grabbed
constexpr double kSharpFrom = 2;  ///< from this zoom on pixels are shown as squares
constexpr double kWipeKeyStep = 0.02;

}  // namespace

ImageView::ImageView(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("pictureView"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Image"));
    connect(&Themed::instance(), &Themed::changed, this, [this] { update(); });
}

void ImageView::setImage(ImageLevels levels) {
    const QSize before = levels_.empty() ? QSize() : levels_.front().size();
    levels_ = std::move(levels);
    if (levels_.empty()) {
        compared_.clear();
    } else if (levels_.front().size() != before || isFitted_) {
        fit();
    }
    update();
}

void ImageView::setCompared(ImageLevels levels) {
    const bool wasSplit = isSplit();
    compared_ = std::move(levels);
    if (isFitted_ && wasSplit != isSplit()) {
        fit();
    }
    update();
}

void ImageView::setCaptions(const CompareCaptions& captions) {
    captions_ = captions;
    update();
}

void ImageView::setWay(CompareWay way) {
    if (way == way_) {
        return;
    }
    way_ = way;
    if (isFitted_) {
        fit();
    }
    update();
    Q_EMIT wayChanged(way);
}

void ImageView::setSubject(const QString& subject) {
    setAccessibleName(subject.isEmpty() ? tr("Image") : tr("Image %1").arg(subject));
}

QString ImageView::spokenText() const {
    if (levels_.empty()) {
        return tr("No image is shown.");
    }
    const QSize size = levels_.front().size();
    QStringList parts = {tr("%1 x %2 pixels").arg(size.width()).arg(size.height()),
                         tr("shown at %1 %").arg(std::lround(zoom_ * 100))};
    if (isComparing()) {
        parts << (way_ == CompareWay::SideBySide ? tr("two images, side by side")
                  : way_ == CompareWay::Difference
                      ? tr("two images, their difference")
                      : tr("two images, the line at %1 %").arg(std::lround(wipe_ * 100)));
        if (!captions_.left.isEmpty()) {
            parts << tr("%1 on the left").arg(captions_.left)
                  << tr("%1 on the right").arg(captions_.right);
        }
    }
    if (tool_) {
        parts << tool_->spokenText();
    }
    return listed(parts);
}

QRectF ImageView::area() const {
    return isSplit() ? QRectF(0, 0, width() / 2.0, height()) : QRectF(rect());
}

QPointF ImageView::inFirst(const QPointF& point) const {
    const double half = width() / 2.0;
    return isSplit() && point.x() >= half ? point - QPointF(half, 0) : point;
}

void ImageView::fit() {
    isFitted_ = true;
    if (!levels_.empty()) {
        centre_ = QRectF(levels_.front().rect()).center();
        zoom_ = fittedZoom();
    }
    update();
    Q_EMIT zoomChanged(zoom_);
}

void ImageView::zoomTo(double zoom) {
    zoomAbout(zoom, area().center());
}

void ImageView::zoomBy(int steps) {
    zoomTo(zoom_ * std::pow(kZoomStep, steps));
}

double ImageView::zoom() const {
    return zoom_;
}

void ImageView::setWipe(double wipe) {
    wipe_ = std::clamp(wipe, 0.0, 1.0);
    update();
}

QPointF ImageView::positionOf(const QPointF& pixel) const {
    return area().center() + (pixel - centre_) * zoom_ / devicePixelRatioF();
}

QPointF ImageView::pixelAt(const QPointF& at) const {
    return centre_ + (at - area().center()) * devicePixelRatioF() / zoom_;
}

void ImageView::bringIntoSight(const QPointF& pixel) {
    const QPointF at = positionOf(pixel);
    const QRectF all = area();
    const QPointF nearest(std::clamp(at.x(), all.left(), all.right()),
                          std::clamp(at.y(), all.top(), all.bottom()));
    if (at != nearest) {
        centre_ += (at - nearest) * devicePixelRatioF() / zoom_;
        isFitted_ = false;
        update();
    }
}

void ImageView::setTool(ImageTool* tool) {
    tool_ = tool;
    drag_ = Drag::None;
    setCursor(Qt::ArrowCursor);
    update();
}

bool ImageView::event(QEvent* event) {
    return (tool_ && !levels_.empty() && tool_->take(*event)) || QWidget::event(event);
}

QSize ImageView::sizeHint() const {
    return {512, 384};
}

QRectF ImageView::frame() const {
    const QSizeF size = levels_.front().size();
    return {positionOf({0, 0}), size * zoom_ / devicePixelRatioF()};
}

double ImageView::fittedZoom() const {
    const QSizeF size = levels_.front().size();
    const QSizeF most = area().size() * devicePixelRatioF();
    return std::clamp(std::min(most.width() / size.width(), most.height() / size.height()),
                      kLeastZoom,
                      kMostZoom);
}

double ImageView::wipeX() const {
    return frame().left() + wipe_ * frame().width();
}

bool ImageView::isOnWipe(const QPointF& point) const {
    return isComparing() && way_ == CompareWay::Wipe && std::abs(point.x() - wipeX()) <= kWipeReach;
}

void ImageView::zoomAbout(double zoom, const QPointF& point) {
    if (levels_.empty()) {
        return;
    }
    const QPointF fromMiddle = (inFirst(point) - area().center()) * devicePixelRatioF();
    const QPointF pixel = centre_ + fromMiddle / zoom_;
    zoom_ = std::clamp(zoom, kLeastZoom, kMostZoom);
    centre_ = pixel - fromMiddle / zoom_;
    isFitted_ = false;
    keepInSight();
    update();
    Q_EMIT zoomChanged(zoom_);
}

void ImageView::keepInSight() {
    const QSizeF size = levels_.front().size();
    centre_.setX(std::clamp(centre_.x(), 0.0, size.width()));
    centre_.setY(std::clamp(centre_.y(), 0.0, size.height()));
}

void ImageView::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current().colour("canvas"));
    paintImages(painter, event->rect());
    if (hasFocus() && isReachedByKeys_) {
        paintFocusRing(painter, rect(), 0);
    }
}

void ImageView::focusInEvent(QFocusEvent* event) {
    isReachedByKeys_ = event->reason() == Qt::TabFocusReason ||
                       event->reason() == Qt::BacktabFocusReason ||
                       event->reason() == Qt::ShortcutFocusReason;
    QWidget::focusInEvent(event);
}

void ImageView::paintImages(QPainter& painter, const QRect& part) const {
    if (levels_.empty()) {
        return;
    }
    if (!isComparing()) {
        paintLevels(painter, levels_, rect());
    } else if (way_ == CompareWay::SideBySide) {
        paintSides(painter);
    } else if (way_ == CompareWay::Difference) {
        paintDifference(painter);
    } else {
        paintWipe(painter);
    }
    if (isComparing()) {
        paintCaptions(painter);
    }
    if (tool_) {
        tool_->paint(painter, part);
    }
}

void ImageView::paintSides(QPainter& painter) const {
    const QRectF half = area();
    painter.save();
    painter.setClipRect(half);
    paintLevels(painter, levels_, half);
    painter.setClipping(false);
    painter.translate(half.width(), 0);
    painter.setClipRect(half);
    paintLevels(painter, compared_, half);
    painter.restore();
    painter.setPen(QPen(Theme::current().colour("border"), 1));
    painter.drawLine(QPointF(half.right(), 0), QPointF(half.right(), half.bottom()));
}

/// Black where they are the same.
void ImageView::paintDifference(QPainter& painter) const {
    QImage both(size() * devicePixelRatioF(), QImage::Format_ARGB32_Premultiplied);
    both.setDevicePixelRatio(devicePixelRatioF());
    both.fill(Qt::transparent);
    QPainter over(&both);
    paintLevels(over, levels_, rect());
    over.setCompositionMode(QPainter::CompositionMode_Difference);
    paintLevels(over, compared_, rect());
    over.end();
    painter.drawImage(QPointF(0, 0), both);
}

void ImageView::paintLevels(QPainter& painter,
                            const ImageLevels& levels,
                            const QRectF& clip) const {
    const QRectF whole = frame();
    const QRectF target = whole & clip;
    if (target.isEmpty()) {
        return;
    }
    const double devicePixels = whole.width() * devicePixelRatioF();
    size_t level = 0;
    while (level + 1 < levels.size() && levels[level + 1].width() >= devicePixels) {
        ++level;
    }
    const QImage& image = levels[level];
    const QSizeF scale(image.width() / whole.width(), image.height() / whole.height());
    const QRectF source((target.x() - whole.x()) * scale.width(),
                        (target.y() - whole.y()) * scale.height(),
                        target.width() * scale.width(),
                        target.height() * scale.height());
    if (image.hasAlphaChannel()) {
        painter.fillRect(target, Theme::current().colour("surface"));
        painter.fillRect(target, QBrush(Theme::current().colour("canvas.grid"), Qt::Dense4Pattern));
    }
    painter.setRenderHint(QPainter::SmoothPixmapTransform, zoom_ < kSharpFrom);
    painter.drawImage(target, image, source);
}

void ImageView::paintWipe(QPainter& painter) const {
    const QRectF all = rect();
    const double x = wipeX();
    paintLevels(painter, levels_, QRectF(all.topLeft(), QPointF(x, all.bottom())));
    paintLevels(painter, compared_, QRectF(QPointF(x, all.top()), all.bottomRight()));
    const QRectF whole = frame();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(Theme::current().colour("shadow"), 3));
    painter.drawLine(QPointF(x, whole.top()), QPointF(x, whole.bottom()));
    painter.setPen(QPen(Theme::current().colour("tooltip.text"), 1));
    painter.drawLine(QPointF(x, whole.top()), QPointF(x, whole.bottom()));
    const QPointF middle(x, std::clamp(whole.center().y(), 0.0, double(height())));
    painter.setPen(QPen(Theme::current().colour("tooltip.text"), 2));
    painter.setBrush(Theme::current().colour("accent"));
    painter.drawEllipse(middle, kWipeReach, kWipeReach);
}

/// Each at its end of the view, where the images leave most space.
void ImageView::paintCaptions(QPainter& painter) const {
    const QRectF left(0, 0, width() / 2.0, height());
    paintCaption(painter, captions_.left, left, false);
    paintCaption(painter, captions_.right, left.translated(left.width(), 0), !isSplit());
}

void ImageView::paintCaption(QPainter& painter,
                             const QString& text,
                             const QRectF& half,
                             bool isEnd) const {
    if (text.isEmpty()) {
        return;
    }
    const Theme& theme = Theme::current();
    const double inset = Theme::space(2);
    const double padding = Theme::space(1);
    const QFontMetricsF metrics(font());
    const double most = half.width() - 2 * inset - 2 * padding;
    const QString shown = metrics.elidedText(text, Qt::ElideMiddle, most);
    QRectF ground(0,
                  half.top() + inset,
                  std::ceil(metrics.horizontalAdvance(shown)) + 2 * padding,
                  metrics.height() + 2 * padding);
    ground.moveLeft(isEnd ? half.right() - inset - ground.width() : half.left() + inset);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.colour("tooltip"));
    painter.drawRoundedRect(ground, theme.size("radius"), theme.size("radius"));
    painter.setPen(theme.colour("tooltip.text"));
    painter.drawText(ground, Qt::AlignCenter, shown);
    painter.restore();
}

void ImageView::resizeEvent(QResizeEvent*) {
    if (isFitted_) {
        fit();
    }
}

void ImageView::wheelEvent(QWheelEvent* event) {
    const double notches = event->angleDelta().y() / kNotch;
    zoomAbout(zoom_ * std::pow(kZoomStep, notches), event->position());
    event->accept();
}

void ImageView::mousePressEvent(QMouseEvent* event) {
    lastPoint_ = event->position();
    if (event->button() == Qt::LeftButton && isOnWipe(lastPoint_)) {
        drag_ = Drag::Wipe;
    } else if (event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton) {
        drag_ = levels_.empty() ? Drag::None : Drag::Pan;
    }
}

void ImageView::mouseMoveEvent(QMouseEvent* event) {
    const QPointF point = event->position();
    if (drag_ == Drag::Wipe) {
        setWipe((point.x() - frame().left()) / frame().width());
    } else if (drag_ == Drag::Pan) {
        centre_ -= (point - lastPoint_) * devicePixelRatioF() / zoom_;
        isFitted_ = false;
        keepInSight();
        update();
    } else if (!tool_) {
        setCursor(isOnWipe(point) ? Qt::SplitHCursor : Qt::ArrowCursor);
    }
    lastPoint_ = point;
}

void ImageView::mouseReleaseEvent(QMouseEvent*) {
    drag_ = Drag::None;
}

void ImageView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && !levels_.empty()) {
        Q_EMIT doubleClicked();
    }
}

void ImageView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoomBy(1);
        case Qt::Key_Minus:
            return zoomBy(-1);
        case Qt::Key_F:
        case Qt::Key_Home:
            return fit();
        case Qt::Key_1:
            return zoomTo(1);
        case Qt::Key_W:
            return setWay(CompareWay::Wipe);
        case Qt::Key_S:
            return setWay(CompareWay::SideBySide);
        case Qt::Key_D:
            return setWay(CompareWay::Difference);
        case Qt::Key_Left:
        case Qt::Key_Right:
            if (isComparing() && way_ == CompareWay::Wipe) {
                const double by = event->key() == Qt::Key_Left ? -kWipeKeyStep : kWipeKeyStep;
                return setWipe(wipe_ + by);
            }
            break;
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

}  // namespace lowtide::ui
