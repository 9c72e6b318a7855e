#include "tests/journey/studio/studio_session.hpp"

#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/spoken_language.hpp"
#include "ui/loader/os.hpp"
#include "ui/loader/plugin_loader.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <time.h>

namespace lowtide::testing {

namespace {

constexpr int kStartMilliseconds = 120000;
constexpr int kRunMilliseconds = 300000;
constexpr int kBeatMilliseconds = 5;
constexpr size_t kBusiest = 5;
/// A user sees a pause from some 50 ms on; ten times the goal is refused.
constexpr double kMostBusyMilliseconds = 500;
/// Names what acts in place of a user: its time is not the studio's.
constexpr const char* kUser = "user";

/// Of this thread.
double cpuMilliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// Menus and dialogs of which nobody takes an entry any more.
void leaveLoops() {
    while (QWidget* popup = QApplication::activePopupWidget()) {
        if (!popup->close()) {
            break;
        }
    }
    if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget())) {
        dialog->reject();
    }
}

}  // namespace

ui::AppFolders appFoldersIn(const QString& folder) {
    return {.resources = sourcePath("resources"),
            .settings = folder + "/settings.json",
            .presets = folder + "/presets",
            .nodes = folder + "/nodes.json",
            .journals = folder + "/journal",
            .backups = folder + "/backups",
            .wildcards = folder + "/wildcards",
            .styles = folder + "/styles.json",
            .runs = folder + "/runs",
            .pasted = folder + "/pasted",
            .images = folder + "/pictures"};
}

StudioSession::StudioSession(const QString& folder, const QString& graph, const QStringList& models)
    : appFolders_(appFoldersIn(folder)), settings_(appFolders_.settings) {
    loader::keepBigBlocks();  // as the program does
    loader::shortenSpins();
    settings_.change([&models](ui::Preferences& preferences) {
        preferences.isFirstStartDone = true;
        preferences.modelFolders = models;
        preferences.theme = "light";
        preferences.language = test::spokenLanguage();
    });
    appearance_.use("light");
    window_ = std::make_unique<ui::StudioWindow>(
        ui::StudioSetup{.open = [folders = ui::engineFolders(settings_.preferences(), {})]()
                            -> Plugin& { return loader::startPlugin({.modelFolders = folders}); },
                        .appFolders = appFolders_,
                        .arguments = {.graph = graph}},
        settings_,
        appearance_);
    window_->show();
}

StudioSession::~StudioSession() = default;

bool StudioSession::isReady() {
    const auto isOpen = [this] {  // what was open at the last end, too
        return window_->controller() && !workspace().file.isBusy();
    };
    return QTest::qWaitFor(isOpen, kStartMilliseconds);
}

ui::QueuedRun StudioSession::runToEnd(const char* action) {
    quint64 ended = 0;
    const auto connection = QObject::connect(
        &workspace().queue, &ui::RunQueue::ended, &workspace().queue, [&ended](quint64 id) {
            ended = id;
        });
    window_->actions().at(action).trigger();
    const bool isOver = QTest::qWaitFor([&] { return ended != 0; }, kRunMilliseconds);
    QObject::disconnect(connection);
    const ui::QueuedRun* run = isOver ? workspace().queue.find(ended) : nullptr;
    return run ? *run : ui::QueuedRun();
}

bool WatchedApplication::notify(QObject* receiver, QEvent* event) {
    if (QThread::currentThread() != thread()) {
        return QApplication::notify(receiver, event);
    }
    if (receiver->objectName() == QLatin1String(kUser)) {
        return deliver(receiver, event);
    }
    // What is sent from within an event is a part of it, what a loop opened by it delivers is not.
    const int level = thread()->loopLevel();
    if (!outer_.empty() && outer_.back().level >= level) {
        return deliver(receiver, event);
    }
    Busy busy{.what = QStringLiteral("%1 of %2 %3")
                          .arg(QMetaEnum::fromType<QEvent::Type>().valueToKey(event->type()),
                               receiver->metaObject()->className(),
                               receiver->objectName())};
    QElapsedTimer clock;
    clock.start();
    const double begin = cpuMilliseconds();
    outer_.push_back({.level = level});
    const bool isTaken = deliver(receiver, event);
    const Outer inner = outer_.back();
    outer_.pop_back();
    const double cpu = cpuMilliseconds() - begin;
    const double wall = static_cast<double>(clock.nsecsElapsed()) * 1e-6;
    if (!outer_.empty()) {
        outer_.back().innerCpu += cpu;
        outer_.back().innerWall += wall;
    }
    busy.cpuMilliseconds = cpu - inner.innerCpu;
    busy.milliseconds = wall - inner.innerWall;
    const auto found = std::find_if(busy_.begin(), busy_.end(), [&](const Busy& each) {
        return each.cpuMilliseconds < busy.cpuMilliseconds;
    });
    busy_.insert(found, std::move(busy));
    busy_.resize(std::min(busy_.size(), kBusiest));
    return isTaken;
}

bool WatchedApplication::deliver(QObject* receiver, QEvent* event) {
    try {
        return QApplication::notify(receiver, event);
    } catch (const std::exception& error) {
        QTest::qFail(error.what(), __FILE__, __LINE__);
        leaveLoops();
        return true;
    }
}

void beginWatch() {
    dynamic_cast<WatchedApplication&>(*qApp).forget();
}

void endWatch() {
    const auto& busiest = dynamic_cast<WatchedApplication&>(*qApp).busiest();
    if (busiest.empty()) {
        return;
    }
    const WatchedApplication::Busy& worst = busiest.front();
    qInfo("the GUI thread was busy for %.0f ms at most (%.0f ms with what else ran), with %s",
          worst.cpuMilliseconds,
          worst.milliseconds,
          qPrintable(worst.what));
    QVERIFY2(worst.cpuMilliseconds < kMostBusyMilliseconds, qPrintable(worst.what));
}

Heartbeat::Heartbeat() {
    timer_.setTimerType(Qt::PreciseTimer);
    QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] {
        longest_ = std::max(longest_, since_.restart() - kBeatMilliseconds);
    });
    since_.start();
    timer_.start(kBeatMilliseconds);
}

void answerDialog(const char* name, std::function<void(QDialog&)> act) {
    auto* timer = new QTimer(qApp);
    timer->setObjectName(kUser);
    QObject::connect(timer, &QTimer::timeout, qApp, [timer, name, act = std::move(act)] {
        auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
        if (!dialog) {
            return;
        }
        timer->stop();  // `act` may wait
        timer->deleteLater();
        QCOMPARE(dialog->objectName(), QString(name));
        act(*dialog);
    });
    timer->start(20);
}

}  // namespace lowtide::testing
