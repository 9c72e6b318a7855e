#include "ui/painting/crop_frame.hpp"

#include "ui/painting/mask_ops.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace lowtide::ui {

namespace {

constexpr int kLeastSide = 8;

int nearestMultiple(double side, int multiple) {
    return static_cast<int>(std::lround(side / multiple)) * multiple;
}

/// RGB or RGBA of 8 bits, as PNG files have it.
QImage plain(const QImage& image) {
    return image.convertToFormat(image.hasAlphaChannel() ? QImage::Format_RGBA8888
                                                         : QImage::Format_RGB888);
}

QImage extended(const QImage& image, const QRect& frame) {
    QImage result(frame.size(), image.format());
    const auto pixelBytes = static_cast<size_t>(image.depth() / 8);
    for (int y = 0; y < frame.height(); ++y) {
        const uchar* from = image.constScanLine(std::clamp(frame.top() + y, 0, image.height() - 1));
        uchar* to = result.scanLine(y);
        for (int x = 0; x < frame.width(); ++x) {
            const int column = std::clamp(frame.left() + x, 0, image.width() - 1);
            std::memcpy(to + static_cast<size_t>(x) * pixelBytes,
                        from + static_cast<size_t>(column) * pixelBytes,
                        pixelBytes);
        }
    }
    return result;
}

/// How far pixels of one axis of the frame lie inside of the image, from those edges at which it
/// goes on; 0: outside.
std::vector<double> depthsOf(int first, int count, int side) {
    std::vector<double> depths(static_cast<size_t>(count));
    const bool goesOnBefore = first < 0;
    const bool goesOnBehind = first + count > side;
    for (int i = 0; i < count; ++i) {
        const int at = first + i;
        double depth = at < 0 || at >= side ? 0 : HUGE_VAL;
        depth = goesOnBefore && depth > 0 ? std::min(depth, at + 0.5) : depth;
        depth = goesOnBehind && depth > 0 ? std::min(depth, side - at - 0.5) : depth;
        depths[static_cast<size_t>(i)] = depth;
    }
    return depths;
}

uchar levelAt(double depth, int overlap) {
    if (depth <= 0) {
        return 255;
    }
    if (depth >= overlap) {
        return 0;
    }
    const double left = 1 - depth / overlap;
    return static_cast<uchar>(std::lround(255 * left * left * (3 - 2 * left)));
}

}  // namespace

CropFrame::CropFrame(const QSize& image) : image_(image), rect_(QPoint(0, 0), image) {
    reset();
}

bool CropFrame::isBeyond() const {
    return !QRect(QPoint(0, 0), image_).contains(rect_);
}

bool CropFrame::isWhole() const {
    return rect_ == QRect(QPoint(0, 0), image_);
}

void CropFrame::reset() {
    rect_ = QRect(QPoint(0, 0), image_);
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

/// As large as the frame was, about its middle; never beyond the image by that alone.
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
    // What is not dragged does not move; an axis that only the ratio resizes keeps its middle.
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

/// A frame without any of the image would be made of nothing.
void CropFrame::keepTouching() {
    rect_.moveLeft(std::clamp(rect_.left(), 1 - rect_.width(), image_.width() - 1));
    rect_.moveTop(std::clamp(rect_.top(), 1 - rect_.height(), image_.height() - 1));
}

FramedImage framedImage(const QImage& image, const QRect& frame, int overlap) {
    const QImage given = plain(image);
    if (given.rect().contains(frame)) {
        return {given.copy(frame), {}};
    }
    const std::vector<double> across = depthsOf(frame.left(), frame.width(), given.width());
    const std::vector<double> down = depthsOf(frame.top(), frame.height(), given.height());
    QImage mask = filledMask(frame.size(), 0);
    for (int y = 0; y < frame.height(); ++y) {
        uchar* row = mask.scanLine(y);
        for (int x = 0; x < frame.width(); ++x) {
            row[x] = levelAt(std::min(across[static_cast<size_t>(x)], down[static_cast<size_t>(y)]),
                             overlap);
        }
    }
    return {extended(given, frame), mask};
}

}  // namespace lowtide::ui
