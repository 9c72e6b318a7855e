// What a desktop hears of runs, on a bus of the test's own with services that record every call.
#include "plugin/base/log.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/bridge/log_model.hpp"
#include "ui/studio/desktop_bus.hpp"
#include "ui/studio/run_notices.hpp"

#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusConnectionInterface>
#include <QDBusObjectPath>
#include <QDBusUnixFileDescriptor>
#include <QDBusVirtualObject>
#include <QtTest/QtTest>

#include <fcntl.h>
#include <unistd.h>

namespace run_attention_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

/// A bus of the test's own, with the desktop services that the test names: they record every call.
class PrivateBus : public QDBusVirtualObject {
public:
    explicit PrivateBus(const QStringList& services) {
        daemon_.start("dbus-daemon", {"--session", "--nofork", "--nopidfile", "--print-address"});
        [&] { QVERIFY2(daemon_.waitForStarted(), "dbus-daemon is missing (package dbus)"); }();
        while (!daemon_.canReadLine() && daemon_.waitForReadyRead()) {
        }
        address = QString::fromUtf8(daemon_.readLine()).trimmed();
        QDBusConnection bus = QDBusConnection::connectToBus(address, name());
        [&] { QVERIFY(bus.registerVirtualObject("/", this, QDBusConnection::SubPath)); }();
        for (const QString& service : services) {
            [&] { QVERIFY(bus.registerService(service)); }();
        }
    }

    ~PrivateBus() override {
        QDBusConnection::disconnectFromBus(name());
        daemon_.kill();
        daemon_.waitForFinished();
        closeEnd();
    }

    [[nodiscard]] DesktopAddresses addresses() const { return {address, address}; }

    [[nodiscard]] QDBusConnection bus() const { return QDBusConnection(name()); }

    /// How often that method was called: "Inhibit".
    [[nodiscard]] qsizetype countOf(const QString& member) const {
        return std::count_if(calls.begin(), calls.end(), [&](const QDBusMessage& call) {
            return call.member() == member;
        });
    }

    [[nodiscard]] QDBusMessage last(const QString& member) const {
        const auto found = std::find_if(calls.rbegin(), calls.rend(), [&](const auto& call) {
            return call.member() == member;
        });
        return found == calls.rend() ? QDBusMessage() : *found;
    }

    /// logind's descriptor: whether nobody holds the other end any more.
    [[nodiscard]] bool isLockReleased() const {
        char byte = 0;
        return lockEnd_ >= 0 && ::read(lockEnd_, &byte, 1) == 0;
    }

    void press(const QString& path, const QString& interface, const QVariantList& values) {
        QDBusMessage signal = QDBusMessage::createSignal(path, interface, "ActionInvoked");
        signal.setArguments(values);
        bus().send(signal);
    }

    QString introspect(const QString&) const override { return {}; }

    bool handleMessage(const QDBusMessage& message, const QDBusConnection& connection) override {
        if (message.interface() == "org.freedesktop.DBus.Introspectable") {
            return false;
        }
        calls.push_back(message);
        connection.send(answerTo(message));
        return true;
    }

    QString address;
    std::vector<QDBusMessage> calls;
    bool refusesAll = false;

private:
    QDBusMessage answerTo(const QDBusMessage& call) {
        const QString interface = call.interface();
        if (refusesAll) {
            return call.createErrorReply(QDBusError::AccessDenied, "not today");
        }
        if (interface == "org.freedesktop.portal.Inhibit") {
            return call.createReply(
                QVariant::fromValue(QDBusObjectPath("/org/freedesktop/portal/desktop/request/1")));
        }
        if (interface == "org.freedesktop.login1.Manager") {
            closeEnd();
            std::array<int, 2> ends{};
            [&] { QCOMPARE(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0); }();
            lockEnd_ = ends[0];
            const QDBusUnixFileDescriptor held(ends[1]);
            ::close(ends[1]);
            return call.createReply(QVariant::fromValue(held));
        }
        if (interface == "org.freedesktop.ScreenSaver" && call.member() == "Inhibit") {
            return call.createReply(17U);
        }
        return call.member() == "Notify" ? call.createReply(5U) : call.createReply();
    }

    static QString name() { return QStringLiteral("private-services"); }

    void closeEnd() {
        if (lockEnd_ >= 0) {
            ::close(lockEnd_);
        }
        lockEnd_ = -1;
    }

    QProcess daemon_;
    int lockEnd_ = -1;
};

const QString kFakePortal = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kFakeNotices = QStringLiteral("org.freedesktop.Notifications");
const QString kFakeLogin = QStringLiteral("org.freedesktop.login1");
const QString kFakeScreenSaver = QStringLiteral("org.freedesktop.ScreenSaver");

constexpr const char* kWorking = "{\"work\": 1}";

Json worksUntilTheGateOpens(ScriptedRunner::Stage& stage) {
    stage.send({{"event", "runStarted"}, {"nodes", {"denoise"}}, {"repetitions", 1}});
    stage.waitAtGate();
    return {{"status", stage.cancelled() == CancelMode::No ? "ok" : "cancelled"}, {"executed", 1}};
}

Json fails(ScriptedRunner::Stage&) {
    return {{"status", "failed"},
            {"issues", {{{"severity", "error"}, {"message", "no memory is left"}}}}};
}

/// A queue before a desktop.
struct Bench {
    explicit Bench(const QStringList& services) : desktop(services) {
        settings.change([](Preferences& preferences) { preferences.notifyAfterSeconds = 0; });
        runner.setScript(kWorking, worksUntilTheGateOpens);
        attention.emplace(queue, settings, desktop.addresses(), window);
    }

    void begin() {
        queue.add("lighthouse, seed 42", kWorking, Json::object());
        QTRY_VERIFY(queue.running());
    }

    void end() {
        runner.openGate();
        QTRY_VERIFY(!queue.running());
    }

    void runToItsEnd() {
        begin();
        end();
    }

    PrivateBus desktop;
    QTemporaryDir folder;
    Settings settings{folder.filePath("s.json")};
    ScriptedRunner runner;
    RunQueue queue{runner};
    QWidget window;
    std::optional<RunAttention> attention;
};

}  // namespace

class RunAttentionTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void theDesktopIsNotifiedWhenALongRunEnds_andAPressShowsIt() {
        Bench bench({kFakePortal});
        QSignalSpy asked(&*bench.attention, &RunAttention::runAsked);
        bench.runToItsEnd();
        QTRY_COMPARE(bench.desktop.countOf("AddNotification"), 1);
        const auto reported =
            qdbus_cast<QVariantMap>(bench.desktop.last("AddNotification").arguments().at(1));
        QCOMPARE(reported["title"].toString(), "The run has finished");
        QVERIFY(reported["body"].toString().startsWith("lighthouse, seed 42, "));
        QTest::qWait(50);  // its answer
        bench.desktop.press("/org/freedesktop/portal/desktop",
                            "org.freedesktop.portal.Notification",
                            {"run", "default", QVariantList()});
        QTRY_COMPARE(asked.count(), 1);
        QCOMPARE(asked.front().front().toULongLong(), bench.queue.runs().back().id);
        QVERIFY(bench.window.isVisible());
    }

    void withoutAPortalTheNotificationServiceIsAsked() {
        Bench bench({kFakeNotices});
        QSignalSpy asked(&*bench.attention, &RunAttention::runAsked);
        bench.runToItsEnd();
        QTRY_COMPARE(bench.desktop.countOf("Notify"), 1);
        QCOMPARE(bench.desktop.last("Notify").arguments().at(3).toString(), "The run has finished");
        QTest::qWait(50);
        bench.desktop.press("/org/freedesktop/Notifications", kFakeNotices, {4U, "default"});
        QTest::qWait(50);
        QCOMPARE(asked.count(), 0);  // the number is that of another program's
        bench.desktop.press("/org/freedesktop/Notifications", kFakeNotices, {5U, "default"});
        QTRY_COMPARE(asked.count(), 1);
    }

    void aFailureIsReportedWithItsReason() {
        Bench bench({kFakePortal});
        bench.runner.setScript("{\"bad\": 1}", fails);
        bench.queue.add("storm", "{\"bad\": 1}", Json::object());
        QTRY_COMPARE(bench.desktop.countOf("AddNotification"), 1);
        const auto reported =
            qdbus_cast<QVariantMap>(bench.desktop.last("AddNotification").arguments().at(1));
        QCOMPARE(reported["title"].toString(), "The run failed");
        QCOMPARE(reported["body"].toString(), "storm: no memory is left");
    }

    void nothingIsReported_data() {
        testing::addRows("why", {"short", "cancelled", "switched off", "looked at"});
    }

    void nothingIsReported() {
        QFETCH(QString, why);
        Bench bench({kFakePortal});
        bench.settings.change([&](Preferences& preferences) {
            preferences.notifyAfterSeconds = why == "short" ? 30 : 0;
            preferences.notifiesOfRuns = why != "switched off";
        });
        if (why == "looked at") {
            bench.window.show();
            test::bringToFront(bench.window);
        }
        bench.begin();
        if (why == "cancelled") {
            bench.queue.cancel(bench.queue.running()->id, CancelMode::Now);
        }
        bench.end();
        QTRY_COMPARE(bench.desktop.countOf("Close"), 1);  // of the sleep: the bus works
        QTest::qWait(50);
        QCOMPARE(bench.desktop.countOf("AddNotification"), 0);
    }

    void noSleepWhileARunIsAtWork_byThePortal() {
        Bench bench({kFakePortal, kFakeLogin, kFakeScreenSaver});
        QTest::qWait(50);
        QCOMPARE(bench.desktop.countOf("Inhibit"), 0);
        bench.begin();
        QTRY_COMPARE(bench.desktop.countOf("Inhibit"), 1);
        const QVariantList asked = bench.desktop.last("Inhibit").arguments();
        QCOMPARE(asked.at(1).toUInt(), 4U);  // suspend alone: the screen may go dark
        QVERIFY(!qdbus_cast<QVariantMap>(asked.at(2))["reason"].toString().isEmpty());
        QCOMPARE(bench.desktop.countOf("Close"), 0);
        bench.end();
        QTRY_COMPARE(bench.desktop.countOf("Close"), 1);
        QCOMPARE(bench.desktop.last("Close").path(), "/org/freedesktop/portal/desktop/request/1");
        QCOMPARE(bench.desktop.countOf("Inhibit"), 1);  // nobody else was asked
    }

    void betweenRunsThatWaitItIsHeldToo_andNotWhilePaused() {
        Bench bench({kFakePortal});
        bench.begin();
        bench.queue.add("second", kWorking, Json::object());
        bench.end();
        QTRY_VERIFY(!bench.queue.running());
        QTRY_COMPARE(bench.desktop.countOf("Close"), 1);
        QCOMPARE(bench.desktop.countOf("Inhibit"), 1);
        bench.queue.setPaused(true);
        bench.queue.add("third", kWorking, Json::object());
        QTest::qWait(50);
        QCOMPARE(bench.desktop.countOf("Inhibit"), 1);
        bench.queue.setPaused(false);
        QTRY_COMPARE(bench.desktop.countOf("Inhibit"), 2);
    }

    void withoutAPortalLogindHoldsIt_untilItsDescriptorCloses() {
        Bench bench({kFakeLogin});
        bench.begin();
        QTRY_COMPARE(bench.desktop.countOf("Inhibit"), 1);
        const QVariantList asked = bench.desktop.last("Inhibit").arguments();
        QCOMPARE(asked.at(0).toString(), "sleep");
        QCOMPARE(asked.at(3).toString(), "block");
        QTest::qWait(50);
        QVERIFY(!bench.desktop.isLockReleased());
        bench.end();
        QTRY_VERIFY(bench.desktop.isLockReleased());
    }

    void elseTheScreenSaverDoes() {
        Bench bench({kFakeScreenSaver});
        bench.begin();
        QTRY_COMPARE(bench.desktop.countOf("Inhibit"), 1);
        bench.end();
        QTRY_COMPARE(bench.desktop.countOf("UnInhibit"), 1);
        QCOMPARE(bench.desktop.last("UnInhibit").arguments().front().toUInt(), 17U);
    }

    void switchedOffNobodyIsAsked_andSwitchingItOffReleases() {
        Bench bench({kFakePortal});
        bench.begin();
        QTRY_COMPARE(bench.desktop.countOf("Inhibit"), 1);
        bench.settings.change([](Preferences& preferences) { preferences.keepsAwake = false; });
        QTRY_COMPARE(bench.desktop.countOf("Close"), 1);
        bench.end();
        QTest::qWait(50);
        QCOMPARE(bench.desktop.countOf("Inhibit"), 1);
    }

    /// However the program ends: the desktop releases what a connection that has gone asked for.
    void theConnectionGoesWithTheWindow() {
        Bench bench({kFakePortal});
        bench.begin();
        QTRY_COMPARE(bench.desktop.countOf("Inhibit"), 1);
        const QString caller = bench.desktop.last("Inhibit").service();
        QVERIFY(bench.desktop.bus().interface()->isServiceRegistered(caller));
        bench.attention.reset();
        QTRY_VERIFY(!bench.desktop.bus().interface()->isServiceRegistered(caller));
        bench.end();
    }

    void aDesktopThatRefusesEverythingHarmsNothing() {
        Bench bench({kFakePortal, kFakeNotices, kFakeLogin, kFakeScreenSaver});
        bench.desktop.refusesAll = true;
        bench.runToItsEnd();
        QTRY_COMPARE(bench.desktop.countOf("AddNotification"), 1);
        QTRY_COMPARE(bench.desktop.countOf("Notify"), 1);
        bench.runToItsEnd();
    }

    void withoutABusItIsSilent_andReportsItOnce() {
        LogModel history;
        QCoreApplication::processEvents();
        history.clear();  // of what other tests wrote
        QTemporaryDir folder;
        Settings settings(folder.filePath("s.json"));
        settings.change([](Preferences& preferences) { preferences.notifyAfterSeconds = 0; });
        ScriptedRunner runner;
        RunQueue queue(runner);
        QWidget window;
        RunAttention attention(queue, settings, {"unix:path=/nowhere", ""}, window);
        for (int run = 0; run < 3; ++run) {
            queue.add("x", kWorking, Json::object());
        }
        runner.openGate();
        const auto countOf = [&](const char* text) {
            return std::count_if(
                history.entries().begin(), history.entries().end(), [&](const LogEntry& entry) {
                    return entry.text.startsWith(text);
                });
        };
        QTRY_VERIFY(!queue.running());
        QTRY_COMPARE(countOf("nothing here keeps the computer awake"), 1);
        QTest::qWait(50);
        QCOMPARE(countOf("no session bus"), 1);
        QCOMPARE(countOf("no system bus"), 1);
    }

    void theWindowShowsTheImage_whenTheNotificationIsPressed() {
        PrivateBus desktop({kFakePortal});
        SmallPlugin plugin;
        Opened opened([&]() -> Plugin& { return plugin; });
        opened.settings.change(
            [](Preferences& preferences) { preferences.notifyAfterSeconds = 0; });
        opened.make([&]() -> Plugin& { return plugin; }, desktop.addresses());
        QTRY_VERIFY_WITH_TIMEOUT(opened.window->controller(), kPatience);
        StudioWindow& window = *opened.window;
        const QString file = opened.folder.filePath("made.png");
        QImage image(64, 64, QImage::Format_RGB32);
        image.fill(Qt::red);
        QVERIFY(image.save(file));
        plugin.script().setScript(
            graph::toText(window.workspace()->model.document()),
            [file](ScriptedRunner::Stage& stage) {
                stage.send({{"event", "runStarted"}, {"nodes", {"save"}}, {"repetitions", 1}});
                return Json{
                    {"status", "ok"},
                    {"executed", 1},
                    {"files",
                     {{{"node", "save"}, {"path", file.toStdString()}, {"repetition", 0}}}}};
            });
        window.hide();  // nobody looks
        window.actions().at("run.start").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(desktop.countOf("AddNotification"), 1, kPatience);
        QTest::qWait(50);
        desktop.press("/org/freedesktop/portal/desktop",
                      "org.freedesktop.portal.Notification",
                      {"run", "default", QVariantList()});
        QTRY_VERIFY(window.isVisible());
        QTRY_COMPARE(window.findChild<QTabWidget*>("centre")->currentWidget(),
                     &window.controller()->widgets().viewer);
        opened.window.reset();
    }
};

LOWTIDE_WINDOW_TEST(RunAttentionTest)

}  // namespace run_attention_test

#include "run_attention_test.moc"
