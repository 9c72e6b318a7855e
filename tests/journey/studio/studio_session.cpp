#include "tests/journey/studio/studio_session.hpp"

#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/spoken_language.hpp"
#include "ui/door/os.hpp"
#include "ui/door/plugin_door.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <time.h>

namespace lowtide::testing {

namespace {

constexpr int kStartMilliseconds = 120000;
constexpr int kRunMilliseconds = 300000;
constexpr int kBeatMilliseconds = 5;
constexpr size_t kBusiest = 5;

/// Of this thread.
double cpuMilliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

}  // namespace

ui::Places placesIn(const QString& folder) {
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
            .pictures = folder + "/pictures"};
}

StudioSession::StudioSession(const QString& folder, const QString& graph)
    : places_(placesIn(folder)), settings_(places_.settings) {
    door::keepBigBlocks();  // as the program does
    door::shortenSpins();
    settings_.change([](ui::Preferences& preferences) {
        preferences.isFirstStartDone = true;
        preferences.theme = "light";
        preferences.language = test::spokenLanguage();
    });
    appearance_.use("light");
    window_ = std::make_unique<ui::StudioWindow>(
        ui::StudioSetup{.open = []() -> Plugin& { return door::startPlugin({}); },
                        .places = places_,
                        .arguments = {.graph = graph}},
        settings_,
        appearance_);
    window_->show();
}

StudioSession::~StudioSession() = default;

bool StudioSession::isReady() {
    return window_->desk() ||
           QTest::qWaitFor([this] { return window_->desk() != nullptr; }, kStartMilliseconds);
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
    if (QThread::currentThread() != thread() || depth_ > 0) {
        return QApplication::notify(receiver, event);
    }
    Busy busy{.what = QStringLiteral("%1 of %2 %3")
                          .arg(QMetaEnum::fromType<QEvent::Type>().valueToKey(event->type()),
                               receiver->metaObject()->className(),
                               receiver->objectName())};
    QElapsedTimer clock;
    clock.start();
    const double begin = cpuMilliseconds();
    ++depth_;
    const bool isTaken = QApplication::notify(receiver, event);
    --depth_;
    busy.cpuMilliseconds = cpuMilliseconds() - begin;
    busy.milliseconds = static_cast<double>(clock.nsecsElapsed()) * 1e-6;
    const auto place = std::find_if(busy_.begin(), busy_.end(), [&](const Busy& each) {
        return each.cpuMilliseconds < busy.cpuMilliseconds;
    });
    busy_.insert(place, std::move(busy));
    busy_.resize(std::min(busy_.size(), kBusiest));
    return isTaken;
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
