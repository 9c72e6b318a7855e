#include "ui/panels/playback.hpp"

#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QLabel>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

#include <algorithm>
#include <array>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kMillisecondsPerSecond = 1000;
constexpr double kSecondsPerMinute = 60;

/// "0.75 s", "1:05.25 min": all times of a video of that length look alike.
QString fillPlaceholder(double seconds, double length) {
    if (length < kSecondsPerMinute) {
        return FrameBar::tr("%1 s").arg(seconds, 0, 'f', 2);
    }
    const double minutes = std::floor(seconds / kSecondsPerMinute);
    return FrameBar::tr("%1:%2 min")
        .arg(minutes, 0, 'f', 0)
        .arg(seconds - minutes * kSecondsPerMinute, 5, 'f', 2, QLatin1Char('0'));
}

constexpr double kUsualRate = 16;  ///< of a file that states no time

int within(const VideoFrames& video, int frame) {
    return std::min(frame, video.count() - 1);
}

}  // namespace

FrameBar::FrameBar(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("frameBar"));
    play_ = makeIconButton("play", {}, "play", this);
    slider_ = named("frame", new QSlider(Qt::Horizontal, this));
    slider_->setAccessibleName(tr("Frame"));
    slider_->setToolTip(
        tr("Frame: Left and Right step, Home and End go to the first and the last"));
    text_ = named("frameText", new QLabel(this));
    text_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.setSingleShot(true);
    rowIn(this, 2, {2, 1, 3, 1}, {play_, {slider_, 1}, text_});
    connect(play_, &QToolButton::clicked, this, [this] { setPlaying(!isPlaying()); });
    connect(slider_, &QSlider::valueChanged, this, &FrameBar::take);
    connect(&timer_, &QTimer::timeout, this, &FrameBar::playOn);
    addKeys();
    setPlaying(false);
}

void FrameBar::addKeys() {
    const auto key = [this](Qt::Key pressed, auto act) {
        auto* shortcut =
            new QShortcut(pressed, parentWidget(), this, act, Qt::WidgetWithChildrenShortcut);
        shortcut->setEnabled(false);
        keys_.push_back(shortcut);
    };
    key(Qt::Key_Space, [this] { setPlaying(!isPlaying()); });
    keys_.front()->setAutoRepeat(false);
    key(Qt::Key_Left, [this] { step(-1); });
    key(Qt::Key_Right, [this] { step(1); });
    key(Qt::Key_Home, [this] { step(-frames_); });
    key(Qt::Key_End, [this] { step(frames_); });
}

void FrameBar::setVideo(int frames, double rate, int frame) {
    setPlaying(false);
    frames_ = frames;
    rate_ = rate;
    shown_ = frame;
    const QSignalBlocker quiet(slider_);
    slider_->setRange(0, std::max(0, frames - 1));
    slider_->setPageStep(std::max(1, frames / 10));
    slider_->setValue(frame);
    // Digits are of one width, so the last frame's text is the widest.
    text_->setMinimumWidth(text_->fontMetrics().horizontalAdvance(textOf(frames - 1)));
    text_->setText(textOf(frame));
}

int FrameBar::frame() const {
    return slider_->value();
}

void FrameBar::setPlaying(bool isPlaying) {
    if (isPlaying) {
        clock_.start();
        due_ = kMillisecondsPerSecond / rate_;
        timer_.start(static_cast<int>(due_));
    } else {
        timer_.stop();
    }
    play_->setIcon(Theme::current().icon(isPlaying ? "pause" : "play"));
    setTip(*play_, isPlaying ? tr("Pause (Space)") : tr("Play (Space)"));
}

void FrameBar::playOn() {
    if (!slider_->isSliderDown() && shown_ == frame()) {
        slider_->setValue((frame() + 1) % frames_);
    }
    const auto now = static_cast<double>(clock_.elapsed());
    due_ = std::max(due_ + kMillisecondsPerSecond / rate_, now);
    timer_.start(static_cast<int>(std::lround(due_ - now)));
}

void FrameBar::step(int by) {
    setPlaying(false);
    slider_->setValue(frame() + by);
}

void FrameBar::take(int frame) {
    text_->setText(textOf(frame));
    Q_EMIT frameWanted(frame);
}

QString FrameBar::textOf(int frame) const {
    return tr("%1 / %2 · %3")
        .arg(frame + 1)
        .arg(frames_)
        .arg(fillPlaceholder(frame / rate_, frames_ / rate_));
}

void FrameBar::showEvent(QShowEvent* event) {
    for (QShortcut* each : keys_) {
        each->setEnabled(true);
    }
    QWidget::showEvent(event);
}

void FrameBar::hideEvent(QHideEvent* event) {
    setPlaying(false);
    for (QShortcut* each : keys_) {
        each->setEnabled(false);
    }
    QWidget::hideEvent(event);
}

FramesInStep::FramesInStep(QObject* parent) : QObject(parent) {}

FramesInStep::Video FramesInStep::opened(const LoadedImage& image) {
    if (!image.video) {
        return nullptr;
    }
    auto video = std::make_unique<VideoFrames>(image, kMostBytes);
    connect(video.get(), &VideoFrames::arrived, this, &FramesInStep::showWhatIsThere);
    connect(video.get(), &VideoFrames::failed, this, &FramesInStep::fail);
    return video;
}

void FramesInStep::open(const LoadedImage& image) {
    if (shown_ && shown_->isOf(image)) {
        return;
    }
    awaited_.reset();
    shown_ = opened(image);
    frame_ = compared_ ? std::clamp(frame_, 0, std::max(0, count() - 1)) : 0;
    divideMemory();
}

void FramesInStep::keep() {
    awaited_.reset();
    compared_ = std::move(shown_);
}

void FramesInStep::drop() {
    awaited_.reset();
    compared_.reset();
    frame_ = std::min(frame_, std::max(0, count() - 1));
    divideMemory();
}

void FramesInStep::divideMemory() {
    const Bytes most = shown_ && compared_ ? kMostBytes / 2 : kMostBytes;
    for (const Video* video : {&shown_, &compared_}) {
        if (*video) {
            (*video)->setMost(most);
        }
    }
}

int FramesInStep::count() const {
    return std::max(shown_ ? shown_->count() : 0, compared_ ? compared_->count() : 0);
}

double FramesInStep::rate() const {
    const double rate = shown_ ? shown_->rate() : compared_ ? compared_->rate() : 0;
    return rate > 0 ? rate : kUsualRate;
}

void FramesInStep::want(int frame) {
    wanted_ = std::clamp(frame, 0, std::max(0, count() - 1));
    if (!awaited_ && count() > 0) {
        begin();
    }
}

void FramesInStep::begin() {
    awaited_ = wanted_;
    for (const Video* video : {&shown_, &compared_}) {
        if (*video && awaited_) {
            (*video)->want(within(**video, *awaited_));
        }
    }
    showWhatIsThere();
}

void FramesInStep::showWhatIsThere() {
    if (!awaited_) {
        return;
    }
    std::array<ImageLevels, 2> levels;
    const std::array<const Video*, 2> videos = {&shown_, &compared_};
    for (size_t i = 0; i < videos.size(); ++i) {
        if (const VideoFrames* video = videos[i]->get()) {
            const ImageLevels* found = video->find(within(*video, *awaited_));
            if (!found) {
                return;
            }
            levels[i] = *found;
        }
    }
    frame_ = *awaited_;
    awaited_.reset();
    Q_EMIT shown(frame_, levels[0], levels[1]);
    if (!awaited_ && wanted_ != frame_) {
        begin();
    }
}

void FramesInStep::fail(const QString& problem) {
    if (awaited_) {
        frame_ = *awaited_;
        awaited_.reset();
        wanted_ == frame_ ? Q_EMIT failed(problem) : begin();
    }
}

}  // namespace lowtide::ui
