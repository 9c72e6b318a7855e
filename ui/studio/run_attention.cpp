#include "ui/studio/run_attention.hpp"

#include "plugin/base/log.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/theme/figures.hpp"

#include <QApplication>
#include <QDBusObjectPath>
#include <QDBusUnixFileDescriptor>
#include <QGuiApplication>
#include <QVariantMap>

#include <algorithm>
#include <memory>

namespace lowtide::ui {

namespace {

const QString kPortal = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPortalPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kPortalNotices = QStringLiteral("org.freedesktop.portal.Notification");
const QString kService = QStringLiteral("org.freedesktop.Notifications");
const QString kServicePath = QStringLiteral("/org/freedesktop/Notifications");
const QString kId = QStringLiteral("run");
const QString kShow = QStringLiteral("default");

QDBusMessage portalCall(const char* method) {
    return QDBusMessage::createMethodCall(
        kPortal, kPortalPath, kPortalNotices, QLatin1String(method));
}

QDBusMessage serviceCall(const char* method) {
    return QDBusMessage::createMethodCall(kService, kServicePath, kService, QLatin1String(method));
}

constexpr uint kSuspend = 4;  ///< of the portal's flags

bool isAnswer(const QDBusMessage& message) {
    return message.type() == QDBusMessage::ReplyMessage && !message.arguments().isEmpty();
}

const auto kForget = [](const QDBusMessage&) {};

QDBusMessage screenSaverCall(const char* method) {
    const QString name = QStringLiteral("org.freedesktop.ScreenSaver");
    return QDBusMessage::createMethodCall(
        name, QStringLiteral("/org/freedesktop/ScreenSaver"), name, QLatin1String(method));
}

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

DesktopNotice::DesktopNotice(DesktopBus& bus, QObject* parent) : QObject(parent), bus_(bus) {
    bus_.whenConnected([this](QDBusConnection& connected) { listen(connected); });
}

/// From any sender: who the services are would have to be asked first.
void DesktopNotice::listen(QDBusConnection& bus) {
    const QString action = QStringLiteral("ActionInvoked");
    bus.connect(QString(),
                kPortalPath,
                kPortalNotices,
                action,
                this,
                SLOT(takePortalAction(QString, QString, QVariantList)));
    bus.connect(QString(), kServicePath, kService, action, this, SLOT(takeAction(uint, QString)));
    bus.connect(QString(),
                kServicePath,
                kService,
                QStringLiteral("ActivationToken"),
                this,
                SLOT(takeToken(uint, QString)));
}

void DesktopNotice::show(const QString& title, const QString& text) {
    QDBusMessage call = portalCall("AddNotification");
    call << kId
         << QVariantMap{{QStringLiteral("title"), title},
                        {QStringLiteral("body"), text},
                        {QStringLiteral("default-action"), kShow}};
    bus_.ask(call, [this, title, text](const QDBusMessage& answer) {
        if (answer.type() == QDBusMessage::ReplyMessage) {
            by_ = By::Portal;
        } else {
            showByService(title, text);
        }
    });
}

void DesktopNotice::showByService(const QString& title, const QString& text) {
    QDBusMessage call = serviceCall("Notify");
    call << QStringLiteral("Lowtide") << shown_ << QStringLiteral("lowtide-studio") << title
         << text.toHtmlEscaped() << QStringList{kShow, tr("Show")} << QVariantMap() << -1;
    bus_.ask(call, [this](const QDBusMessage& answer) {
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
        bus_.ask(portalCall("RemoveNotification") << kId, [](const QDBusMessage&) {});
    } else if (by == By::Service) {
        bus_.ask(serviceCall("CloseNotification") << std::exchange(shown_, 0),
                 [](const QDBusMessage&) {});
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
    if (!std::exchange(isWanted_, true)) {
        askPortal(++number_, reason);
    }
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

void SleepGuard::askPortal(int number, const QString& reason) {
    const QString portal = QStringLiteral("org.freedesktop.portal.Desktop");
    QDBusMessage call =
        QDBusMessage::createMethodCall(portal,
                                       QStringLiteral("/org/freedesktop/portal/desktop"),
                                       QStringLiteral("org.freedesktop.portal.Inhibit"),
                                       QStringLiteral("Inhibit"));
    call << QString() << kSuspend << QVariantMap{{QStringLiteral("reason"), reason}};
    session_.ask(call, [this, number, reason, portal](const QDBusMessage& answer) {
        if (!isAnswer(answer)) {
            askLogin(number, reason);
            return;
        }
        const QString request = answer.arguments().front().value<QDBusObjectPath>().path();
        keep(number, [this, request, portal] {
            session_.ask(
                QDBusMessage::createMethodCall(portal,
                                               request,
                                               QStringLiteral("org.freedesktop.portal.Request"),
                                               QStringLiteral("Close")),
                kForget);
        });
    });
}

void SleepGuard::askLogin(int number, const QString& reason) {
    QDBusMessage call =
        QDBusMessage::createMethodCall(QStringLiteral("org.freedesktop.login1"),
                                       QStringLiteral("/org/freedesktop/login1"),
                                       QStringLiteral("org.freedesktop.login1.Manager"),
                                       QStringLiteral("Inhibit"));
    call << QStringLiteral("sleep") << QStringLiteral("Lowtide") << reason
         << QStringLiteral("block");
    system_.ask(call, [this, number, reason](const QDBusMessage& answer) {
        if (!isAnswer(answer)) {
            askScreenSaver(number, reason);
            return;
        }
        // It lasts until the descriptor is closed.
        auto held = std::make_shared<QDBusUnixFileDescriptor>(
            answer.arguments().front().value<QDBusUnixFileDescriptor>());
        keep(number, [held] { *held = QDBusUnixFileDescriptor(); });
    });
}

void SleepGuard::askScreenSaver(int number, const QString& reason) {
    const QDBusMessage call = screenSaverCall("Inhibit") << QStringLiteral("Lowtide") << reason;
    session_.ask(call, [this, number](const QDBusMessage& answer) {
        if (isAnswer(answer)) {
            const uint cookie = answer.arguments().front().toUInt();
            keep(number,
                 [this, cookie] { session_.ask(screenSaverCall("UnInhibit") << cookie, kForget); });
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
        !queue_.isPaused() && std::ranges::any_of(runs, [](const QueuedRun& run) {
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
