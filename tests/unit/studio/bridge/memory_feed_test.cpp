#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/scripted_runner.hpp"
#include "ui/bridge/device_memory.hpp"

#include <QtTest/QtTest>

namespace memory_feed_test {

using namespace lowtide;
using namespace lowtide::ui;

class MemoryFeedTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void asksNothing_whileNobodyWatches() {
        ScriptedRunner runner;
        MemoryFeed feed(runner);
        QTest::qWait(450);
        QCOMPARE(runner.memoryCalls(), 0);

        feed.setRunning(true);
        QTRY_VERIFY_WITH_TIMEOUT(runner.memoryCalls() > 0, 20000);
        feed.setRunning(false);
        QTest::qWait(300);
        const int calls = runner.memoryCalls();
        QTest::qWait(600);
        QCOMPARE(runner.memoryCalls(), calls);
    }

    void asksFiveTimesASecond_whileARunLasts() {
        ScriptedRunner runner;
        MemoryFeed feed(runner);
        QElapsedTimer clock;
        clock.start();

        feed.setRunning(true);
        QTest::qWait(1100);
        const auto most = static_cast<int>(clock.elapsed() / 200 + 1);

        QVERIFY(runner.memoryCalls() >= 2);
        QVERIFY2(runner.memoryCalls() <= most, qPrintable(QString::number(runner.memoryCalls())));
    }

    void asksOnceASecond_whileSomebodyWatches() {
        ScriptedRunner runner;
        MemoryFeed feed(runner);
        feed.setWatched(true);
        QTRY_COMPARE_WITH_TIMEOUT(runner.memoryCalls(), 1, 20000);
        QTest::qWait(500);
        QCOMPARE(runner.memoryCalls(), 1);
        QTRY_COMPARE_WITH_TIMEOUT(runner.memoryCalls(), 2, 20000);
    }

    void reportsOnlyWhatDiffers() {
        ScriptedRunner runner;
        runner.setMemory({{"cpu", {{"total", 1}}}});
        MemoryFeed feed(runner);
        QSignalSpy changed(&feed, &MemoryFeed::changed);

        feed.setRunning(true);
        QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 1, 20000);
        QTRY_VERIFY_WITH_TIMEOUT(runner.memoryCalls() > 3, 20000);
        QCOMPARE(changed.count(), 1);
        runner.setMemory({{"cpu", {{"total", 2}}}});

        QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 2, 20000);
        QCOMPARE(feed.now().ledger, (Json{{"cpu", {{"total", 2}}}}));
    }

    void looksOnceMore_whenARunHasEnded() {
        ScriptedRunner runner;
        MemoryFeed feed(runner);
        feed.setRunning(true);
        QTRY_VERIFY_WITH_TIMEOUT(runner.memoryCalls() > 0, 20000);
        runner.setMemory({{"cpu", {{"total", 3}}}});

        feed.setRunning(false);

        QTRY_COMPARE_WITH_TIMEOUT(feed.now().ledger, (Json{{"cpu", {{"total", 3}}}}), 20000);
        QTRY_VERIFY_WITH_TIMEOUT(feed.now().devices.is_array(), 20000);
    }
};

LOWTIDE_TEST(MemoryFeedTest)

}  // namespace memory_feed_test

#include "memory_feed_test.moc"
