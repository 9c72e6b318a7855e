#include "ui/studio/run_attention.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/theme/figures.hpp"

#include <QApplication>

#include <algorithm>

namespace lowtide::ui {

namespace {

QString headingOf(const QueuedRun& run) {
    return run.state == RunState::Failed ? RunAttention::tr("The run failed")
                                         : RunAttention::tr("The run has finished");
}

QString textOf(const QueuedRun& run, double seconds) {
    const Issue* error = run.state == RunState::Failed ? firstErrorIn(run.issues) : nullptr;
    return error ? RunAttention::tr("%1: %2").arg(run.title,
                                                  QString::fromStdString(error->message.str()))
                 : RunAttention::tr("%1, %2").arg(run.title, secondsText(seconds));
}

}  // namespace

RunAttention::RunAttention(const RunQueue& queue,
                           const Settings& settings,
                           const DesktopAddresses& desktop,
                           QWidget& window,
                           QObject* parent)
    : QObject(parent),
      queue_(queue),
      settings_(settings),
      window_(window),
      session_(desktop.session, QStringLiteral("session bus")),
      system_(desktop.system, QStringLiteral("system bus")),
      notice_(session_),
      sleep_(session_, system_) {
    connect(&queue_, &RunQueue::started, this, [this] {
        since_.start();
        adjustSleep();
    });
    connect(&queue_, &RunQueue::ended, this, [this](quint64 id) {
        tellEnd(id);
        adjustSleep();
    });
    connect(&queue_, &RunQueue::listChanged, this, &RunAttention::adjustSleep);
    connect(&queue_, &RunQueue::pausedChanged, this, &RunAttention::adjustSleep);
    connect(&settings_, &Settings::changed, this, &RunAttention::adjustSleep);
    connect(&notice_, &DesktopNotice::activated, this, [this] {
        bringWindow();
        Q_EMIT runAsked(told_);
    });
    connect(&notice_, &DesktopNotice::refused, this, [this] { QApplication::alert(&window_); });
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        if (now) {
            notice_.takeBack();  // who is here sees it
        }
    });
}

RunAttention::~RunAttention() {
    notice_.takeBack();
    sleep_.release();
}

void RunAttention::tellEnd(quint64 id) {
    const QueuedRun* run = queue_.find(id);
    const Preferences& preferences = settings_.preferences();
    const double seconds = since_.isValid() ? static_cast<double>(since_.elapsed()) / 1000 : 0;
    if (!run || run->state == RunState::Cancelled || !preferences.notifiesOfRuns ||
        seconds < preferences.notifyAfterSeconds || QApplication::activeWindow()) {
        return;
    }
    told_ = id;
    notice_.show(headingOf(*run), textOf(*run, seconds));
}

void RunAttention::adjustSleep() {
    const auto& runs = queue_.runs();
    const bool isMoreToCome =
        !queue_.isPaused() && std::any_of(runs.begin(), runs.end(), [](const QueuedRun& run) {
            return run.state == RunState::Waiting;
        });
    if (settings_.preferences().keepsAwake && (queue_.running() || isMoreToCome)) {
        sleep_.hold(tr("Pictures are being made"));
    } else {
        sleep_.release();
    }
}

void RunAttention::bringWindow() {
    window_.setWindowState(window_.windowState() & ~Qt::WindowMinimized);
    window_.show();
    window_.raise();
    window_.activateWindow();
}

}  // namespace lowtide::ui
