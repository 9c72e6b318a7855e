#include "ui/painting/crop_frame.hpp"

#include "ui/painting/mask_ops.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr int kLeastSide = 8;

int nearestMultiple(double side, int multiple) {
    return static_cast<int>(std::lround(side / multiple)) * multiple;
}

}  // namespace

CropFrame::CropFrame(const QSize& picture) : picture_(picture), rect_(QPoint(0, 0), picture) {
    reset();
}

bool CropFrame::isBeyond() const {
    return !QRect(QPoint(0, 0), picture_).contains(rect_);
}

bool CropFrame::isWhole() const {
    return rect_ == QRect(QPoint(0, 0), picture_);
}

void CropFrame::reset() {
    rect_ = QRect(QPoint(0, 0), picture_);
    settle();
}

void CropFrame::setRatio(std::optional<double> ratio) {
    ratio_ = ratio;
    settle();
}

void CropFrame::setMultiple(int multiple) {
    multiple_ = std::max(1, multiple);
    settle();
}

/// As large as the frame was, about its middle; never beyond the picture by that alone.
void CropFrame::settle() {
    QSizeF wanted = rect_.size();
    if (ratio_) {
        const double width = std::min(wanted.width(), wanted.height() * *ratio_);
        wanted = {width, width / *ratio_};
    }
    const auto floored = [this](double side) {
        return std::max(multiple_, static_cast<int>(side / multiple_ + 1e-9) * multiple_);
    };
    const QSize size =
        allowed({double(floored(wanted.width())), double(floored(wanted.height()))}, true);
    const QPoint centre(rect_.left() + (rect_.width() - size.width()) / 2,
                        rect_.top() + (rect_.height() - size.height()) / 2);
    rect_ = QRect(centre, size);
}

QSize CropFrame::allowed(const QSizeF& wanted, bool widthLeads) const {
    const int least = (kLeastSide + multiple_ - 1) / multiple_ * multiple_;
    const int most = kMostSide / multiple_ * multiple_;
    const auto side = [&](double length) {
        return std::clamp(nearestMultiple(length, multiple_), least, most);
    };
    QSizeF size(std::clamp(wanted.width(), double(least), double(most)),
                std::clamp(wanted.height(), double(least), double(most)));
    if (ratio_) {
        const double lowest = std::max<double>(least, least * *ratio_);
        const double highest = std::min<double>(most, most * *ratio_);
        const double width =
            std::clamp(widthLeads ? wanted.width() : wanted.height() * *ratio_, lowest, highest);
        size = {width, width / *ratio_};
    }
    // Rounded up to multiples it must still be within the limit.
    const double pixels = (size.width() + multiple_) * (size.height() + multiple_);
    if (pixels > double(kMostMaskPixels)) {
        size *= std::sqrt(double(kMostMaskPixels) / pixels);
    }
    return {side(size.width()), side(size.height())};
}

void CropFrame::take(FrameEdges edges, const QPointF& at) {
    edges_ = edges;
    takenAt_ = at;
    takenRect_ = rect_;
}

void CropFrame::dragTo(const QPointF& at) {
    const QPointF by = at - takenAt_;
    if (!edges_) {
        rect_ = takenRect_.translated(by.toPoint());
        keepTouching();
        return;
    }
    const bool movesX = edges_.testAnyFlags(FrameEdge::Left | FrameEdge::Right);
    const bool movesY = edges_.testAnyFlags(FrameEdge::Top | FrameEdge::Bottom);
    const double width = takenRect_.width() + (edges_.testFlag(FrameEdge::Left) ? -by.x()
                                               : movesX                         ? by.x()
                                                                                : 0);
    const double height = takenRect_.height() + (edges_.testFlag(FrameEdge::Top) ? -by.y()
                                                 : movesY                        ? by.y()
                                                                                 : 0);
    const bool widthLeads = movesX && (!movesY || !ratio_ || width / *ratio_ >= height);
    const QSize size = allowed({width, height}, widthLeads);
    // What is not dragged stays; where a ratio moves the other side too, its middle does.
    const int left = edges_.testFlag(FrameEdge::Left) ? takenRect_.right() + 1 - size.width()
                     : movesX                         ? takenRect_.left()
                              : takenRect_.left() + (takenRect_.width() - size.width()) / 2;
    const int top = edges_.testFlag(FrameEdge::Top) ? takenRect_.bottom() + 1 - size.height()
                    : movesY                        ? takenRect_.top()
                             : takenRect_.top() + (takenRect_.height() - size.height()) / 2;
    rect_ = QRect(QPoint(left, top), size);
    keepTouching();
}

void CropFrame::move(int stepsX, int stepsY) {
    rect_.translate(stepsX * multiple_, stepsY * multiple_);
    keepTouching();
}

void CropFrame::resize(int stepsX, int stepsY) {
    const QSizeF wanted(rect_.width() + stepsX * multiple_, rect_.height() + stepsY * multiple_);
    rect_.setSize(allowed(wanted, stepsX != 0));
    keepTouching();
}

/// A frame without any of the picture would be made of nothing.
void CropFrame::keepTouching() {
    rect_.moveLeft(std::clamp(rect_.left(), 1 - rect_.width(), picture_.width() - 1));
    rect_.moveTop(std::clamp(rect_.top(), 1 - rect_.height(), picture_.height() - 1));
}

}  // namespace lowtide::ui
