#include "ui/panels/frame_tool.hpp"

#include "ui/access/announce.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QComboBox>
#include <QFormLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QSpinBox>

#include <cmath>
#include <optional>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr double kGrip = 9;  ///< pixels of the screen that take hold of an edge
constexpr double kHandle = 4.5;
constexpr QColor kDimmed(0, 0, 0, 140);
constexpr QColor kNew(255, 255, 255, 60);

Qt::CursorShape cursorFor(FrameEdges edges) {
    const bool isLeft = edges.testFlag(FrameEdge::Left);
    const bool isRight = edges.testFlag(FrameEdge::Right);
    const bool isTop = edges.testFlag(FrameEdge::Top);
    const bool isBottom = edges.testFlag(FrameEdge::Bottom);
    if ((isLeft && isTop) || (isRight && isBottom)) {
        return Qt::SizeFDiagCursor;
    }
    if ((isLeft && isBottom) || (isRight && isTop)) {
        return Qt::SizeBDiagCursor;
    }
    return isLeft || isRight   ? Qt::SizeHorCursor
           : isTop || isBottom ? Qt::SizeVerCursor
                               : Qt::SizeAllCursor;
}

constexpr int kFirstOverlap = 32;
constexpr int kMostOverlap = 512;
constexpr std::pair<int, int> kRatios[] = {
    {1, 1}, {5, 4}, {4, 3}, {3, 2}, {16, 9}, {21, 9}, {4, 5}, {3, 4}, {2, 3}, {9, 16}};

}  // namespace

FrameTool::FrameTool(ImageView& view, QObject* parent)
    : QObject(parent), view_(view), frame_(view.image().front().size()) {}

void FrameTool::notify() {
    view_.update();
    Q_EMIT changed();
}

void FrameTool::setRatio(std::optional<double> ratio) {
    frame_.setRatio(ratio);
    notify();
}

void FrameTool::setMultiple(int multiple) {
    frame_.setMultiple(multiple);
    notify();
}

void FrameTool::reset() {
    frame_.reset();
    notify();
}

QRectF FrameTool::frameRect() const {
    const QRect rect = frame_.rect();
    return {view_.positionOf(rect.topLeft()),
            view_.positionOf(QPointF(rect.right() + 1, rect.bottom() + 1))};
}

std::optional<FrameEdges> FrameTool::edgesAt(const QPointF& point) const {
    const QRectF frame = frameRect();
    if (!frame.adjusted(-kGrip, -kGrip, kGrip, kGrip).contains(point)) {
        return std::nullopt;
    }
    // Of a small frame the nearer of two edges is meant.
    FrameEdges edges;
    const double left = std::abs(point.x() - frame.left());
    const double right = std::abs(point.x() - frame.right());
    const double top = std::abs(point.y() - frame.top());
    const double bottom = std::abs(point.y() - frame.bottom());
    if (std::min(left, right) <= kGrip) {
        edges |= left < right ? FrameEdge::Left : FrameEdge::Right;
    }
    if (std::min(top, bottom) <= kGrip) {
        edges |= top < bottom ? FrameEdge::Top : FrameEdge::Bottom;
    }
    return edges;
}

bool FrameTool::take(QEvent& event) {
    switch (event.type()) {
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonDblClick:
        case QEvent::MouseMove:
        case QEvent::MouseButtonRelease:
            return takeMouse(static_cast<QMouseEvent&>(event));
        case QEvent::KeyPress:
            return takeKey(static_cast<QKeyEvent&>(event));
        default:
            return false;
    }
}

bool FrameTool::takeMouse(QMouseEvent& event) {
    const std::optional<FrameEdges> edges = edgesAt(event.position());
    if (event.type() == QEvent::MouseMove) {
        if (isDragged_) {
            frame_.dragTo(view_.pixelAt(event.position()));
            notify();
        } else {
            view_.setCursor(edges ? cursorFor(*edges) : Qt::ArrowCursor);
        }
        return isDragged_;
    }
    if (event.button() != Qt::LeftButton) {
        return false;
    }
    if (event.type() == QEvent::MouseButtonRelease) {
        return std::exchange(isDragged_, false);
    }
    view_.setFocus(Qt::MouseFocusReason);
    isDragged_ = edges.has_value();
    if (isDragged_) {
        frame_.take(*edges, view_.pixelAt(event.position()));
    }
    return isDragged_;
}

bool FrameTool::takeKey(QKeyEvent& event) {
    const int x = event.key() == Qt::Key_Right ? 1 : event.key() == Qt::Key_Left ? -1 : 0;
    const int y = event.key() == Qt::Key_Down ? 1 : event.key() == Qt::Key_Up ? -1 : 0;
    if (x != 0 || y != 0) {
        event.modifiers().testFlag(Qt::ShiftModifier) ? frame_.resize(x, y) : frame_.move(x, y);
        notify();
        announce(view_, spokenText());
        return true;
    }
    if (event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter) {
        Q_EMIT accepted();
        return true;
    }
    if (event.key() == Qt::Key_Escape) {
        Q_EMIT closeAsked();
        return true;
    }
    return false;
}

QString FrameTool::spokenText() const {
    const QRect rect = frame_.rect();
    return tr("The frame has %1 x %2 pixels, from %3, %4 on")
        .arg(rect.width())
        .arg(rect.height())
        .arg(rect.x())
        .arg(rect.y());
}

void FrameTool::paint(QPainter& painter, const QRect&) {
    const QSize size = frame_.image();
    const QRectF image(view_.positionOf({0, 0}),
                       view_.positionOf(QPointF(size.width(), size.height())));
    const QRectF frame = frameRect();
    QPainterPath kept;
    kept.addRect(frame);
    QPainterPath old;
    old.addRect(image);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillPath(old.subtracted(kept), kDimmed);
    painter.fillPath(kept.subtracted(old), kNew);
    painter.fillPath(kept.subtracted(old),
                     QBrush(Theme::current().colour("border.strong"), Qt::BDiagPattern));
    painter.setBrush(Qt::NoBrush);
    for (const auto& [colour, width] : {std::pair(Qt::black, 3.0), std::pair(Qt::white, 1.2)}) {
        painter.setPen(QPen(colour, width));
        painter.drawRect(frame);
    }
    painter.setPen(QPen(Qt::black, 1));
    painter.setBrush(Qt::white);
    const double xs[] = {frame.left(), frame.center().x(), frame.right()};
    const double ys[] = {frame.top(), frame.center().y(), frame.bottom()};
    for (const double x : xs) {
        for (const double y : ys) {
            if (QPointF(x, y) != frame.center()) {
                painter.drawRect(QRectF(x - kHandle, y - kHandle, 2 * kHandle, 2 * kHandle));
            }
        }
    }
    painter.restore();
}

FramePanel::FramePanel(QWidget* parent)
    : QWidget(parent),
      ratio_(named("frameRatio", new QComboBox(this))),
      multiple_(named("frameMultiple", new QComboBox(this))),
      overlap_(named("frameOverlap", new QSpinBox(this))),
      size_(makeText({}, "frameSize", this)),
      reported_(makeText({}, "frameTold", this, "small")),
      write_(makeButton({}, "frameWrite", this)) {
    setObjectName(QStringLiteral("framePanel"));
    auto* title = new QLabel(tr("Crop or extend"), this);
    title->setFont(Theme::current().font("strong"));
    QLabel* hint =
        makeText(tr("Drag edges and corners inwards to crop, beyond the image to extend it. Arrows "
                    "move the frame, with Shift they change its size."),
                 "",
                 this);
    ratio_->addItem(tr("Free"));
    ratio_->addItem(tr("As the image"));
    for (const auto& [width, height] : kRatios) {
        ratio_->addItem(tr("%1 : %2").arg(width).arg(height), double(width) / height);
    }
    multiple_->setToolTip(
        tr("Models want sides that are multiples: 8 for Stable Diffusion, up to 64 "
           "for others"));
    for (const int multiple : {8, 16, 32, 64}) {
        multiple_->addItem(tr("%1 px").arg(multiple), multiple);
    }
    overlap_->setRange(0, kMostOverlap);
    overlap_->setSuffix(tr(" px"));
    overlap_->setValue(kFirstOverlap);
    overlap_->setToolTip(
        tr("Over so many pixels of the old image the mask of what is new falls "
           "off, so that both join"));
    QPushButton* reset = makeButton(tr("Whole image"), "frameReset", this);
    QPushButton* close = makeButton(tr("Close"), "frameClose", this);
    close->setToolTip(tr("Back to the image, nothing is written (Esc)"));
    for (QPushButton* each : {write_, reset, close}) {
        each->setFocusPolicy(Qt::TabFocus);
    }
    auto* form = new QFormLayout;
    form->setVerticalSpacing(Theme::space(2));
    form->addRow(tr("Ratio"), ratio_);
    form->addRow(tr("Multiple of"), multiple_);
    form->addRow(tr("Overlap"), overlap_);
    columnIn(this,
             3,
             {3, 2, 3, 3},
             {title, hint, form, size_, reset, Cell::spring(), reported_, write_, close});
    connect(ratio_, &QComboBox::activated, this, [this](int index) {
        const QSizeF image = tool_->frame().image();
        const std::optional<double> own(image.width() / image.height());
        const QVariant ratio = ratio_->itemData(index);
        tool_->setRatio(index == 0        ? std::nullopt
                        : ratio.isValid() ? std::optional(ratio.toDouble())
                                          : own);
    });
    connect(multiple_, &QComboBox::activated, this, [this] {
        tool_->setMultiple(multiple_->currentData().toInt());
    });
    connect(reset, &QPushButton::clicked, this, [this] { tool_->reset(); });
    connect(write_, &QPushButton::clicked, this, &FramePanel::writeAsked);
    connect(close, &QPushButton::clicked, this, &FramePanel::closeAsked);
    setTool(nullptr);
}

void FramePanel::setTool(FrameTool* tool) {
    tool_ = tool;
    setEnabled(tool_ != nullptr);
    showMessage({});
    if (tool_) {
        ratio_->setCurrentIndex(0);
        tool_->setMultiple(multiple_->currentData().toInt());
        connect(tool_, &FrameTool::changed, this, &FramePanel::show);
        show();
    }
}

int FramePanel::overlap() const {
    return overlap_->value();
}

void FramePanel::showMessage(const QString& text) {
    showText(*reported_, text);
}

void FramePanel::show() {
    if (!tool_) {
        return;
    }
    const CropFrame& frame = tool_->frame();
    const QSize size = frame.rect().size();
    const QString pixels = tr("%1 x %2 pixels").arg(size.width()).arg(size.height());
    size_->setText(frame.isBeyond()
                       ? tr("%1; what is new has the colours of the edge and is masked").arg(pixels)
                       : pixels);
    overlap_->setEnabled(frame.isBeyond());
    write_->setText(frame.isBeyond() ? tr("Extend and mask") : tr("Crop"));
    write_->setToolTip(frame.isBeyond() ? tr("Write the larger image and paint its mask (Return)")
                                        : tr("Write this part as an image of its own (Return)"));
    write_->setEnabled(!frame.isWhole());
}

}  // namespace lowtide::ui
