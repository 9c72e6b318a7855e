#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/queue_bench.hpp"

#include <QtTest/QtTest>

namespace run_cancel_test {

using namespace lowtide;
using namespace lowtide::ui;

class RunCancelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void cancelsInEveryState_data() {
        const int after = static_cast<int>(CancelMode::AfterThisImage);
        const int now = static_cast<int>(CancelMode::Now);
        testing::addTable<int, bool, bool>({"mode", "isWaiting", "isAtOnce"},
                                           {{"waiting, after this image", after, true, false},
                                            {"waiting, now", now, true, false},
                                            {"before the module has it", now, false, true},
                                            {"running, after this image", after, false, false},
                                            {"running, now", now, false, false}});
    }

    void cancelsInEveryState() {
        QFETCH(int, mode);
        QFETCH(bool, isWaiting);
        QFETCH(bool, isAtOnce);
        ScriptedRunner runner;
        runner.setScript("first", waitsAtTheGate);
        runner.setScript("second", waitsAtTheGate);
        RunQueue queue(runner);
        QSignalSpy ended(&queue, &RunQueue::ended);
        QSignalSpy takenBack(&queue, &RunQueue::takenBack);
        const quint64 first = queue.add("first", "first", Json::object());
        const quint64 second = queue.add("second", "second", Json::object());
        if (!isAtOnce) {
            QTRY_COMPARE_WITH_TIMEOUT(runner.runningNow(), 1, kPatience);
        }

        const quint64 cancelled = isWaiting ? second : first;
        queue.cancel(cancelled, static_cast<CancelMode>(mode));

        if (isWaiting) {
            QCOMPARE(queue.find(second)->state, RunState::Cancelled);  // at once
            QCOMPARE(order(queue), (QList<quint64>{second, first}));
        }
        waitUntilEnded(queue, cancelled);
        QCOMPARE(queue.find(cancelled)->state, RunState::Cancelled);
        runner.openGate();
        waitUntilEnded(queue, isWaiting ? first : second);
        QCOMPARE(queue.find(isWaiting ? first : second)->state, RunState::Finished);
        QCOMPARE(takenBack.count(), isWaiting ? 1 : 0);
        QCOMPARE(ended.count(), isWaiting ? 1 : 2);
        queue.cancel(cancelled, CancelMode::Now);  // has ended: nothing happens
        QCOMPARE(takenBack.count() + ended.count(), 2);
    }

    void cancelNow_followsAfterThisImage() {
        ScriptedRunner runner;
        runner.setScript("g", [](ScriptedRunner::Stage& stage) {
            while (stage.cancelled() != CancelMode::Now) {
                std::this_thread::yield();
            }
            return Json{{"status", "cancelled"}, {"executed", 0}};
        });
        RunQueue queue(runner);
        const quint64 id = queue.add("title", "g", Json::object());
        QTRY_COMPARE_WITH_TIMEOUT(runner.runningNow(), 1, kPatience);

        queue.cancel(id, CancelMode::AfterThisImage);
        QTest::qWait(30);
        QCOMPARE(queue.find(id)->state, RunState::Running);
        queue.cancel(id, CancelMode::Now);

        waitUntilEnded(queue, id);
        QCOMPARE(queue.find(id)->state, RunState::Cancelled);
    }

    void cancelsAndWaits_whenItIsDestroyed() {
        ScriptedRunner runner;
        runner.setScript("g", waitsAtTheGate);
        {
            RunQueue queue(runner);
            queue.add("title", "g", Json::object());
            queue.add("next", "next", Json::object());
            QTRY_COMPARE_WITH_TIMEOUT(runner.runningNow(), 1, kPatience);
        }

        QCOMPARE(runner.runningNow(), 0);
        QCOMPARE(runner.cancelModeOf(1), CancelMode::Now);
        QCOMPARE(runner.startedGraphs(), (std::vector<std::string>{"g"}));
    }
};

LOWTIDE_TEST(RunCancelTest)

}  // namespace run_cancel_test

#include "run_cancel_test.moc"
