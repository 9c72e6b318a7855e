#include "ui/studio/run_notices.hpp"

#include "plugin/base/log.hpp"
#include "ui/access/announce.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/studio/error_dialog.hpp"
#include "ui/theme/figures.hpp"

#include <QApplication>
#include <QDBusObjectPath>
#include <QDBusUnixFileDescriptor>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMainWindow>
#include <QVariantMap>

#include <algorithm>
#include <memory>
#include <utility>

namespace lowtide::ui {

namespace {

/// The first of the warnings, and how many follow it; empty: there is none.
QString warningsIn(const Issues& issues) {
    QString first;
    int more = 0;
    for (const Issue& issue : issues) {
        if (issue.severity != Severity::Warning) {
            continue;
        }
        if (first.isEmpty()) {
            first = asSentence(QString::fromStdString(issue.message.str()));
        } else {
            ++more;
        }
    }
    return more == 0 ? first : RunNotices::tr("%1 (and %n more)", nullptr, more).arg(first);
}

constexpr qint64 kMomentMilliseconds = 700;

/// A key comes to the window with the panels last, when nobody below has accepted it.
bool isLast(const QObject* watched) {
    const auto* widget = qobject_cast<const QWidget*>(watched);
    return widget && widget->isWindow() &&
           (qobject_cast<const QMainWindow*>(watched) || qobject_cast<const QDockWidget*>(watched));
}

const BusTarget kPortalNotices = portal("Notification");
const BusTarget kNoticeService{QStringLiteral("org.freedesktop.Notifications"),
                               QStringLiteral("/org/freedesktop/Notifications"),
                               QStringLiteral("org.freedesktop.Notifications")};
const BusTarget kLogin{QStringLiteral("org.freedesktop.login1"),
                       QStringLiteral("/org/freedesktop/login1"),
                       QStringLiteral("org.freedesktop.login1.Manager")};
const BusTarget kScreenSaver{QStringLiteral("org.freedesktop.ScreenSaver"),
                             QStringLiteral("/org/freedesktop/ScreenSaver"),
                             QStringLiteral("org.freedesktop.ScreenSaver")};
const QString kProgram = QStringLiteral("Lowtide");
const QString kId = QStringLiteral("run");
const QString kShow = QStringLiteral("default");
constexpr uint kSuspend = 4;  ///< of the portal's flags

const auto kForget = [](const QDBusMessage&) {};

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

RunNotices::RunNotices(MainWindowWidgets& widgets, ViewerController& images)
    : widgets_(widgets),
      images_(images),
      run_(widgets.workspace.run),
      queue_(widgets.workspace.queue) {
    connect(&run_, &RunControl::upToDate, this, [this] {
        replace();
        showMessage(NoticeKind::Info,
                    tr("Nothing to do: everything is up to date."),
                    tr("Run again"),
                    [this] { run_.run(RunHow::Again); });
    });
    connect(&widgets_.workspace.model, &GraphModel::changed, this, [this](const Delta& delta) {
        if (delta.reset) {
            takeBack();
        }
    });
    connect(&run_, &RunControl::busyChanged, this, [this](bool isBusy) {
        // Not by a run that waited already: nobody would see what became of the one before.
        if (isBusy && queue_.running()->id > lastAsked_) {
            takeBack();
        }
    });
    connect(&run_, &RunControl::failed, this, &RunNotices::reportFailure);
    connect(&queue_, &RunQueue::ended, this, [this](quint64 id) {  // of earlier graphs, too
        const QueuedRun* run = queue_.find(id);
        if (run && run->state == RunState::Finished && run->executed != 0) {
            reportImages(*run);
        }
    });
}

void RunNotices::reportFailure(quint64 id) {
    const QueuedRun* run = queue_.find(id);
    const Issue* error = firstErrorIn(run->issues);
    QString text = error ? asSentence(QString::fromStdString(error->message.str()))
                         : tr("The run failed without saying why.");
    if (error && !error->hint.empty()) {
        text += QLatin1Char(' ') + asSentence(QString::fromStdString(error->hint.str()));
    }
    replace();
    showMessage(NoticeKind::Error, text, tr("Show"), [this] { widgets_.panels.show("issues"); });
}

void RunNotices::reportImages(const QueuedRun& run) {
    replace();
    if (!run.files.isEmpty()) {
        const QString file = run.files.back();
        const QString name = QFileInfo(file).fileName();
        const QString folder = QDir::toNativeSeparators(QFileInfo(file).absolutePath());
        const int count = static_cast<int>(run.files.size());
        const QString text = count == 1
                                 ? tr("Saved %1 in %2.").arg(name, folder)
                                 : tr("Saved %n images in %1, the last one is %2.", nullptr, count)
                                       .arg(folder, name);
        showMessage(NoticeKind::Success, text, tr("View"), [this, file] { images_.show(file); });
    } else if (!run.largest().isNull()) {
        showMessage(NoticeKind::Success,
                    tr("The image is there. No node of the graph saves it."),
                    tr("View"),
                    [this, id = run.id] { images_.showImageOf(id); });
    }
    showWarnings(run.issues);
}

/// A line of its own: what a run made is shown either way.
void RunNotices::showWarnings(const Issues& issues) {
    if (const QString warnings = warningsIn(issues); !warnings.isEmpty()) {
        showMessage(
            NoticeKind::Warning, warnings, tr("Show"), [this] { widgets_.panels.show("issues"); });
    }
}

/// The messages that follow take the place of those of the run before.
void RunNotices::replace() {
    for (const QueuedRun& run : queue_.runs()) {
        lastAsked_ = std::max(lastAsked_, run.id);
    }
    takeBack();
}

void RunNotices::showMessage(NoticeKind kind,
                             const QString& text,
                             const QString& button,
                             std::function<void()> act) {
    shown_.push_back(widgets_.notices.show(kind, text, button, std::move(act)));
}

/// What others report is kept.
void RunNotices::takeBack() {
    for (const quint64 notice : std::exchange(shown_, {})) {
        widgets_.notices.withdraw(notice);
    }
}

RunSpeaker::RunSpeaker(QWidget& window, const RunQueue& queue, QObject* parent)
    : QObject(parent), window_(window) {
    const auto report = [this, &queue](quint64 id) {
        if (const QueuedRun* run = queue.find(id)) {
            announceEnd(*run);
        }
    };
    connect(&queue, &RunQueue::ended, this, report);
    connect(&queue, &RunQueue::takenBack, this, [this, report](const std::vector<quint64>& ids) {
        if (ids.size() == 1) {
            report(ids.front());
        } else {
            announce(window_,
                     tr("%n runs were taken back.", nullptr, static_cast<int>(ids.size())));
        }
    });
}

QString endSentence(const QueuedRun& run) {
    const Issue* error = firstErrorIn(run.issues);
    if (run.state == RunState::Failed) {
        return joinedSentences(
            RunSpeaker::tr("The run “%1” failed.").arg(run.title),
            error ? asSentence(QString::fromStdString(error->message.str())) : QString(),
            " ");
    }
    if (run.state == RunState::Cancelled) {
        return RunSpeaker::tr("The run “%1” was cancelled.").arg(run.title);
    }
    const QString end = RunSpeaker::tr("The run “%1” finished in %2.")
                            .arg(run.title, secondsText(run.milliseconds / 1000));
    QStringList names;
    for (const QString& file : run.files) {
        names << QFileInfo(file).fileName();
    }
    return names.isEmpty()
               ? end
               : joinedSentences(end, RunSpeaker::tr("Saved %1.").arg(listed(names)), " ");
}

void RunSpeaker::announceEnd(const QueuedRun& run) {
    announce(window_,
             endSentence(run),
             run.state == RunState::Failed ? Urgency::Urgent : Urgency::Polite);
}

void RunSpeaker::announceIssues(int errors, int warnings) {
    const bool areMore = errors > std::exchange(errors_, errors);
    const bool areMoreWarnings = warnings > std::exchange(warnings_, warnings);
    if (areMore || areMoreWarnings) {
        announce(window_,
                 listed({tr("Issues: %n error(s)", nullptr, errors),
                         tr("%n warning(s)", nullptr, warnings)}));
    }
}

EscapeTwice::EscapeTwice(QObject* parent) : QObject(parent) {
    QCoreApplication::instance()->installEventFilter(this);
}

bool EscapeTwice::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) {
        return false;
    }
    const auto& key = static_cast<const QKeyEvent&>(*event);
    if (key.key() != Qt::Key_Escape) {
        since_.invalidate();
    } else if (!key.isAutoRepeat() && isLast(watched)) {
        count();
    }
    return false;
}

void EscapeTwice::count() {
    if (since_.isValid() && since_.elapsed() < kMomentMilliseconds) {
        since_.invalidate();
        Q_EMIT pressed();
    } else {
        since_.start();
    }
}

DesktopNotice::DesktopNotice(DesktopBus& bus, QObject* parent) : QObject(parent), bus_(bus) {
    bus_.whenConnected([this](QDBusConnection& connected) { listen(connected); });
}

/// From any sender: who the services are would have to be asked first.
void DesktopNotice::listen(QDBusConnection& bus) {
    const auto listenTo = [&](const BusTarget& target, const char* signal, const char* slot) {
        bus.connect(QString(), target.path, target.interface, QLatin1String(signal), this, slot);
    };
    listenTo(
        kPortalNotices, "ActionInvoked", SLOT(takePortalAction(QString, QString, QVariantList)));
    listenTo(kNoticeService, "ActionInvoked", SLOT(takeAction(uint, QString)));
    listenTo(kNoticeService, "ActivationToken", SLOT(takeToken(uint, QString)));
}

void DesktopNotice::show(const QString& title, const QString& text) {
    const QVariantMap notice{{QStringLiteral("title"), title},
                             {QStringLiteral("body"), text},
                             {QStringLiteral("default-action"), kShow}};
    bus_.ask(kPortalNotices.call("AddNotification", {kId, notice}),
             [this, title, text](const QDBusMessage& answer) {
                 if (answer.type() == QDBusMessage::ReplyMessage) {
                     by_ = By::Portal;
                 } else {
                     showByService(title, text);
                 }
             });
}

void DesktopNotice::showByService(const QString& title, const QString& text) {
    const QVariantList notice{kProgram,
                              shown_,
                              QStringLiteral("lowtide-studio"),
                              title,
                              text.toHtmlEscaped(),
                              QStringList{kShow, tr("Show")},
                              QVariantMap(),
                              -1};
    bus_.ask(kNoticeService.call("Notify", notice), [this](const QDBusMessage& answer) {
        if (answer.type() == QDBusMessage::ReplyMessage) {
            by_ = By::Service;
            shown_ = answer.arguments().value(0).toUInt();
        } else {
            Q_EMIT refused();
        }
    });
}

void DesktopNotice::takeBack() {
    const By by = std::exchange(by_, By::Nobody);
    if (by == By::Portal) {
        bus_.ask(kPortalNotices.call("RemoveNotification", {kId}), kForget);
    } else if (by == By::Service) {
        bus_.ask(kNoticeService.call("CloseNotification", {std::exchange(shown_, 0)}), kForget);
    }
}

void DesktopNotice::takePortalAction(const QString& id, const QString&, const QVariantList&) {
    if (by_ == By::Portal && id == kId) {
        by_ = By::Nobody;  // the desktop takes it away
        Q_EMIT activated();
    }
}

void DesktopNotice::takeAction(uint id, const QString&) {
    if (by_ == By::Service && id == shown_) {
        by_ = By::Nobody;
        shown_ = 0;
        Q_EMIT activated();
    }
}

/// Comes before the action; Qt takes it when the window asks to be in front. It has no other way
/// than the environment, which other threads read: nothing is written where nobody takes it.
void DesktopNotice::takeToken(uint id, const QString& token) {
    const bool isTaken = QGuiApplication::platformName().startsWith(QLatin1String("wayland"));
    if (isTaken && by_ == By::Service && id == shown_) {
        qputenv("XDG_ACTIVATION_TOKEN", token.toUtf8());
    }
}

SleepGuard::SleepGuard(DesktopBus& session, DesktopBus& system, QObject* parent)
    : QObject(parent), session_(session), system_(system) {}

void SleepGuard::hold(const QString& reason) {
    if (std::exchange(isWanted_, true)) {
        return;
    }
    const QVariantMap options{{QStringLiteral("reason"), reason}};
    const auto closeRequest = [this](const QVariant& answer) -> Undo {
        BusTarget request = portal("Request");
        request.path = answer.value<QDBusObjectPath>().path();
        return [this, request] { session_.ask(request.call("Close"), kForget); };
    };
    // It lasts until the descriptor is closed.
    const auto closeDescriptor = [](const QVariant& answer) -> Undo {
        auto held =
            std::make_shared<QDBusUnixFileDescriptor>(answer.value<QDBusUnixFileDescriptor>());
        return [held] { *held = QDBusUnixFileDescriptor(); };
    };
    const auto allowScreenSaver = [this](const QVariant& answer) -> Undo {
        return [this, cookie = answer.toUInt()] {
            session_.ask(kScreenSaver.call("UnInhibit", {cookie}), kForget);
        };
    };
    const QString what = QStringLiteral("sleep");
    const QString how = QStringLiteral("block");
    ask(++number_,
        {{&session_,
          portal("Inhibit").call("Inhibit", {QString(), kSuspend, options}),
          closeRequest},
         {&system_, kLogin.call("Inhibit", {what, kProgram, reason, how}), closeDescriptor},
         {&session_, kScreenSaver.call("Inhibit", {kProgram, reason}), allowScreenSaver}});
}

void SleepGuard::release() {
    isWanted_ = false;
    ++number_;
    if (const Undo undo = std::exchange(undo_, nullptr)) {
        undo();
    }
}

/// What came too late is undone at once.
void SleepGuard::keep(int number, Undo undo) {
    if (number == number_) {
        undo_ = std::move(undo);
    } else {
        undo();
    }
}

void SleepGuard::ask(int number, std::vector<Way> ways) {
    const Way& first = ways.front();
    first.bus->ask(first.call, [this, number, ways](const QDBusMessage& answer) {
        if (answer.type() == QDBusMessage::ReplyMessage && !answer.arguments().isEmpty()) {
            keep(number, ways.front().undoOf(answer.arguments().front()));
        } else if (ways.size() > 1) {
            ask(number, {ways.begin() + 1, ways.end()});
        } else if (!std::exchange(isRefusalReported_, true)) {
            log(Level::Info, "nothing here keeps the computer awake while runs are at work");
        }
    });
}

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
        reportEnd(id);
        adjustSleep();
    });
    connect(&queue_, &RunQueue::listChanged, this, &RunAttention::adjustSleep);
    connect(&queue_, &RunQueue::pausedChanged, this, &RunAttention::adjustSleep);
    connect(&settings_, &Settings::changed, this, &RunAttention::adjustSleep);
    connect(&notice_, &DesktopNotice::activated, this, [this] {
        bringWindow();
        Q_EMIT runAsked(notifiedRun_);
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

void RunAttention::reportEnd(quint64 id) {
    const QueuedRun* run = queue_.find(id);
    const Preferences& preferences = settings_.preferences();
    const double seconds = since_.isValid() ? static_cast<double>(since_.elapsed()) / 1000 : 0;
    if (!run || run->state == RunState::Cancelled || !preferences.notifiesOfRuns ||
        seconds < preferences.notifyAfterSeconds || QApplication::activeWindow()) {
        return;
    }
    notifiedRun_ = id;
    notice_.show(headingOf(*run), textOf(*run, seconds));
}

void RunAttention::adjustSleep() {
    const auto& runs = queue_.runs();
    const bool isMoreToCome =
        !queue_.isPaused() && std::any_of(runs.begin(), runs.end(), [](const QueuedRun& run) {
            return run.state == RunState::Waiting;
        });
    if (settings_.preferences().keepsAwake && (queue_.running() || isMoreToCome)) {
        sleep_.hold(tr("Images are being made"));
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
