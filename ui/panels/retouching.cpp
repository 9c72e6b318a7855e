#include "ui/panels/retouching.hpp"

#include "ui/painting/mask_ops.hpp"
#include "ui/panels/frame_tool.hpp"
#include "ui/panels/mask_panel.hpp"
#include "ui/panels/picture_view.hpp"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kKeepMilliseconds = 1000;
constexpr double kFirstShare = 0.08;  ///< of the picture's shorter side, for the first brush
constexpr int kRoomSteps = -2;        ///< smaller, to have room around a frame
constexpr double kMostShown = 0.7;    ///< of the view; a smaller picture has room

}  // namespace

Retouching::Retouching(PictureView& view, QObject* parent)
    : QObject(parent),
      view_(view),
      maskPanel_(new MaskPanel(nullptr)),
      framePanel_(new FramePanel(nullptr)) {
    brush_.diameter = 0;
    keep_.setSingleShot(true);
    keep_.setInterval(kKeepMilliseconds);
    connect(&keep_, &QTimer::timeout, this, &Retouching::keepNow);
    connect(maskPanel_, &MaskPanel::useAsked, this, &Retouching::useMask);
    connect(maskPanel_, &MaskPanel::closeAsked, this, &Retouching::end);
    connect(framePanel_, &FramePanel::writeAsked, this, &Retouching::acceptFrame);
    connect(framePanel_, &FramePanel::closeAsked, this, &Retouching::end);
}

Retouching::~Retouching() {
    close();
    background_.finish();
}

QWidget* Retouching::maskPanel() const {
    return maskPanel_;
}

QWidget* Retouching::framePanel() const {
    return framePanel_;
}

void Retouching::setFolder(const QString& folder) {
    unfinished_ = UnfinishedMasks(folder);
    isKeeping_ = !folder.isEmpty();
}

void Retouching::setPicture(const LoadedPicture& picture) {
    const QImage shown = picture.levels.empty() ? QImage() : picture.levels.front();
    const QString path = picture.video ? QString() : picture.path;
    const bool isSame = path.isEmpty() ? shown.cacheKey() == picture_.cacheKey()
                                       : path == path_ && shown.size() == picture_.size();
    if (!isSame) {
        end();
    }
    picture_ = shown;
    path_ = path;
}

QString Retouching::refusal() const {
    const qint64 pixels = qint64{picture_.width()} * picture_.height();
    return pixels > kMostMaskPixels
               ? tr("the picture has %1 x %2 pixels, more than %3 million; make it smaller first")
                     .arg(picture_.width())
                     .arg(picture_.height())
                     .arg(kMostMaskPixels / 1000000)
               : QString();
}

void Retouching::begin(Work work, const QString& ofKept) {
    if (work == work_ || (work != Work::None && (picture_.isNull() || !refusal().isEmpty()))) {
        return;
    }
    if (work != Work::None && path_.isEmpty()) {
        Q_EMIT fileWanted(picture_, work);
        return;
    }
    close();
    work_ = work;
    if (work_ == Work::Mask) {
        beginMask(ofKept);
    } else if (work_ == Work::Frame) {
        beginFrame();
    }
    Q_EMIT workChanged();
}

void Retouching::close() {
    if (keep_.isActive()) {
        keepNow();
    }
    view_.setTool(nullptr);
    maskPanel_->setTool(nullptr);
    framePanel_->setTool(nullptr);
    if (mask_) {
        brush_ = mask_->brush();
        look_ = mask_->look();
        leave(std::exchange(mask_, nullptr));
    }
    if (frame_) {
        std::exchange(frame_, nullptr)->deleteLater();
    }
    work_ = Work::None;
}

void Retouching::beginMask(const QString& ofKept) {
    const QSize size = picture_.size();
    if (!isKeeping_) {
        paintOn(filledMask(size, 0));
        return;
    }
    background_.run([this, kept = unfinished_, path = path_, size, ofKept]() -> Background::Answer {
        QImage mask = kept.of(path, size);
        const bool isKept = !mask.isNull();
        if (!isKept) {
            mask = filledMask(size, 0);
        }
        return [this, mask, isKept, path, ofKept] {
            if (work_ == Work::Mask && path == path_ && !mask_) {
                paintOn(mask);
                if (isKept) {
                    tell(ofKept.isEmpty() ? tr("This mask was kept when you last painted on the "
                                               "picture; Clear begins anew.")
                                          : ofKept);
                }
            }
        };
    });
}

void Retouching::paintOn(const QImage& mask) {
    mask_ = new MaskTool(view_, mask, this);
    Brush brush = brush_;
    if (brush.diameter < Brush::kLeast) {
        const int side = std::min(mask.width(), mask.height());
        brush = Brush{.diameter = std::clamp(side * kFirstShare, 4.0, Brush::kMost)};
    }
    mask_->setBrush(brush);
    mask_->setLook(look_);
    maskPanel_->setTool(mask_);
    view_.setTool(mask_);
    view_.setFocus(Qt::OtherFocusReason);
    connect(mask_, &MaskTool::changed, this, &Retouching::keepSoon);
    connect(mask_, &MaskTool::accepted, this, &Retouching::useMask);
    connect(mask_, &MaskTool::closeAsked, this, &Retouching::end);
}

void Retouching::beginFrame() {
    frame_ = new FrameTool(view_, this);
    framePanel_->setTool(frame_);
    view_.fit();
    const QSizeF shown = QSizeF(picture_.size()) * view_.zoom() / view_.devicePixelRatioF();
    if (shown.width() > kMostShown * view_.width() ||
        shown.height() > kMostShown * view_.height()) {
        view_.zoomBy(kRoomSteps);
    }
    view_.setTool(frame_);
    view_.setFocus(Qt::OtherFocusReason);
    connect(frame_, &FrameTool::accepted, this, &Retouching::acceptFrame);
    connect(frame_, &FrameTool::closeAsked, this, &Retouching::end);
}

void Retouching::tell(const QString& text) {
    work_ == Work::Frame ? framePanel_->tell(text) : maskPanel_->tell(text);
}

void Retouching::keepSoon() {
    if (isKeeping_ && !keep_.isActive()) {
        keep_.start();
    }
}

void Retouching::keepNow() {
    keep_.stop();
    if (mask_) {
        keep(path_, mask_->canvas().mask());
    }
}

void Retouching::keep(const QString& path, const QImage& mask) {
    if (!isKeeping_) {
        return;
    }
    background_.run([this, kept = unfinished_, path, mask]() -> Background::Answer {
        const QString problem = kept.keep(path, mask);
        if (problem.isEmpty()) {
            return {};
        }
        return [this, problem] {
            tell(tr("The mask cannot be kept for later: %1. Use it before you leave the picture.")
                     .arg(problem));
        };
    });
}

/// The tool may be what asked for it; what it is making is kept before it goes.
void Retouching::leave(MaskTool* tool) {
    if (!tool->isBusy()) {
        tool->deleteLater();
        return;
    }
    connect(tool, &MaskTool::busyChanged, this, [this, tool, path = path_](bool isBusy) {
        if (!isBusy) {
            keep(path, tool->canvas().mask());
            tool->deleteLater();
        }
    });
}

void Retouching::useMask() {
    if (!mask_ || mask_->isBusy()) {
        return;
    }
    if (isBlank(mask_->canvas().mask())) {
        tell(tr("Nothing is masked yet: paint over what is to be made anew."));
        return;
    }
    Q_EMIT maskUsed(path_, mask_->canvas().mask());
}

void Retouching::acceptFrame() {
    if (frame_ && !frame_->frame().isWhole()) {
        tell(tr("Writing..."));
        Q_EMIT frameAccepted(picture_, frame_->frame().rect(), framePanel_->overlap());
    }
}

}  // namespace lowtide::ui
