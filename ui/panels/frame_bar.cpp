#include "ui/panels/frame_bar.hpp"

#include "ui/theme/theme.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kMillisecondsPerSecond = 1000;
constexpr double kSecondsPerMinute = 60;

/// "0.75 s", "1:05.25 min": all times of a video of that length look alike.
QString placeText(double seconds, double length) {
    if (length < kSecondsPerMinute) {
        return FrameBar::tr("%1 s").arg(seconds, 0, 'f', 2);
    }
    const double minutes = std::floor(seconds / kSecondsPerMinute);
    return FrameBar::tr("%1:%2 min")
        .arg(minutes, 0, 'f', 0)
        .arg(seconds - minutes * kSecondsPerMinute, 5, 'f', 2, QLatin1Char('0'));
}

}  // namespace

FrameBar::FrameBar(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("frameBar"));
    play_ = new QToolButton(this);
    play_->setObjectName(QStringLiteral("play"));
    play_->setAutoRaise(true);
    slider_ = new QSlider(Qt::Horizontal, this);
    slider_->setObjectName(QStringLiteral("frame"));
    slider_->setAccessibleName(tr("Frame"));
    slider_->setToolTip(
        tr("Frame: Left and Right step, Home and End go to the first and the last"));
    text_ = new QLabel(this);
    text_->setObjectName(QStringLiteral("frameText"));
    text_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.setSingleShot(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Theme::space(2), Theme::space(1), Theme::space(3), Theme::space(1));
    row->setSpacing(Theme::space(2));
    row->addWidget(play_);
    row->addWidget(slider_, 1);
    row->addWidget(text_);
    connect(play_, &QToolButton::clicked, this, [this] { setPlaying(!isPlaying()); });
    connect(slider_, &QSlider::valueChanged, this, &FrameBar::take);
    connect(&timer_, &QTimer::timeout, this, &FrameBar::playOn);
    addKeys();
    setPlaying(false);
}

void FrameBar::addKeys() {
    const auto key = [this](Qt::Key pressed, auto act) {
        auto* shortcut = new QShortcut(QKeySequence(pressed), parentWidget());
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        shortcut->setEnabled(false);
        connect(shortcut, &QShortcut::activated, this, act);
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
    const QString text = isPlaying ? tr("Pause (Space)") : tr("Play (Space)");
    play_->setIcon(Theme::current().icon(isPlaying ? "pause" : "play"));
    play_->setToolTip(text);
    play_->setAccessibleName(text);
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
        .arg(placeText(frame / rate_, frames_ / rate_));
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

}  // namespace lowtide::ui
