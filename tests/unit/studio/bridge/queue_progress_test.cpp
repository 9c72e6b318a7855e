// How far a queue is, and for how long it still works, from what is known.
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/queue_bench.hpp"
#include "tests/unit/studio/shell/small_plugin.hpp"
#include "ui/bridge/queue_progress.hpp"
#include "ui/bridge/run_maker.hpp"
#include "ui/bridge/run_queue.hpp"

namespace queue_progress_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr size_t kWork = 7;
constexpr size_t kOtherWork = 8;

QueuedRun runOf(RunState state, size_t work = kWork) {
    QueuedRun run;
    run.state = state;
    run.work = work;
    return run;
}

/// A run of that work that took ten seconds.
QueuedRun measured(size_t work = kWork) {
    QueuedRun run = runOf(RunState::Finished, work);
    run.executed = 3;
    run.milliseconds = 10'000;
    return run;
}

WorkTimes timesOf(std::initializer_list<QueuedRun> runs) {
    WorkTimes times;
    for (const QueuedRun& run : runs) {
        times.take(run);
    }
    return times;
}

}  // namespace

class QueueProgressTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void whatWasMeasuredIsTakenForTheSameWork() {
        QueuedRun kept = measured();
        kept.executed = 0;
        kept.milliseconds = 5;
        QueuedRun cancelled = measured();
        cancelled.state = RunState::Cancelled;
        cancelled.milliseconds = 50;
        const WorkTimes times = timesOf({measured(), kept, cancelled, measured(0)});

        QCOMPARE(times.of(runOf(RunState::Waiting)), std::optional(10.0));
        QCOMPARE(times.of(runOf(RunState::Waiting, kOtherWork)), std::optional<double>());
        QCOMPARE(times.of(runOf(RunState::Waiting, 0)), std::optional<double>());
    }

    void aPlanIsTakenUntilSomethingWasMeasured() {
        QueuedRun planned = runOf(RunState::Waiting);
        planned.plannedSeconds = 4;
        QCOMPARE(WorkTimes().of(planned), std::optional(4.0));
        QCOMPARE(timesOf({measured()}).of(planned), std::optional(10.0));
    }

    void theTimesOfAllThatWaitAreAdded() {
        const WorkTimes times = timesOf({measured()});
        std::deque<QueuedRun> runs = {measured(),
                                      runOf(RunState::Running),
                                      runOf(RunState::Waiting),
                                      runOf(RunState::Waiting)};
        QCOMPARE(waitingRuns(runs, times).count, 2);
        QCOMPARE(waitingRuns(runs, times).seconds, std::optional(20.0));

        runs.push_back(runOf(RunState::Waiting, kOtherWork));
        QCOMPARE(waitingRuns(runs, times).count, 3);
        QCOMPARE(waitingRuns(runs, times).seconds, std::optional<double>());
    }

    void theRunAtWorkIsOneOfAllSinceNothingWasLeft() {
        QueuedRun running = runOf(RunState::Running);
        running.progress = 0.25;
        running.phase = "step 5 of 20";
        const QueueProgress progress =
            queueProgress(&running, 4, 2, {.count = 7, .seconds = 70}, timesOf({measured()}));
        QCOMPARE(progress.number, 3);
        QCOMPARE(progress.total, 10);
        QCOMPARE(progress.fraction, 0.25);
        QCOMPARE(progress.phase, QString("step 5 of 20"));
        QCOMPARE(progress.secondsLeft, std::optional(76.0));
    }

    void whatWaitsIsCountedWhereNoneIsAtWork() {
        const QueueProgress progress = queueProgress(nullptr, 0, 3, {.count = 7}, WorkTimes());
        QCOMPARE(progress.number, 0);
        QCOMPARE(progress.total, 7);
        QCOMPARE(progress.secondsLeft, std::optional<double>());
    }

    /// Past its time a run takes as long as its phase is estimated to, without a phase no longer.
    void aRunThatTakesLongerIsNotForetoldToHaveEnded() {
        QueuedRun running = runOf(RunState::Running);
        const WorkTimes times = timesOf({measured()});
        QCOMPARE(queueProgress(&running, 30, 0, {}, times).secondsLeft, std::optional(0.0));
        running.secondsLeft = 6;
        QCOMPARE(queueProgress(&running, 30, 0, {}, times).secondsLeft, std::optional(6.0));
        QCOMPARE(queueProgress(&running, 30, 0, {}, WorkTimes()).secondsLeft, std::optional(6.0));
    }

    void nothingIsForetoldWhereNothingIsKnown() {
        const QueuedRun running = runOf(RunState::Running);
        QVERIFY(!queueProgress(&running, 3, 0, {}, WorkTimes()).secondsLeft);
        QVERIFY(!queueProgress(&running, 3, 0, {.count = 1, .seconds = {}}, timesOf({measured()}))
                     .secondsLeft);
    }

    void aQueueCountsFromWhenNothingWasLeft() {
        ScriptedRunner runner;
        runner.setScript("slow", waitsAtTheGate);
        RunQueue queue(runner);
        waitUntilEnded(queue, queue.add("before", "quick", Json::object()));
        queue.setPaused(true);
        std::vector<AskedRun> asked;
        for (const char* graph : {"quick", "slow", "slow"}) {
            asked.push_back({.title = graph, .graph = graph, .options = Json::object()});
        }
        const std::vector<quint64> ids = queue.addAll(std::move(asked));
        QCOMPARE(queue.progress().number, 0);
        QCOMPARE(queue.progress().total, 3);

        queue.setPaused(false);
        waitUntilEnded(queue, ids[0]);
        QTRY_COMPARE_WITH_TIMEOUT(queue.progress().number, 2, kPatience);
        QCOMPARE(queue.progress().total, 3);
        queue.takeBack({ids[2]});
        QCOMPARE(queue.progress().total, 2);
        runner.openGate();
        waitUntilEnded(queue, ids[1]);
        QTRY_COMPARE_WITH_TIMEOUT(queue.progress().total, 0, kPatience);
    }

    void whatIsHeldHasNoEnd() {
        ScriptedRunner runner;
        runner.setScript("slow", waitsAtTheGate);
        RunQueue queue(runner);
        std::vector<AskedRun> asked;
        for (int run = 0; run < 2; ++run) {
            asked.push_back({.title = "slow",
                             .graph = "slow",
                             .options = Json::object(),
                             .plannedSeconds = 100});
        }
        const std::vector<quint64> ids = queue.addAll(std::move(asked));
        QVERIFY(queue.progress().secondsLeft && *queue.progress().secondsLeft > 100);
        queue.setPaused(true);
        QVERIFY(!queue.progress().secondsLeft);
        queue.setPaused(false);
        runner.openGate();
        waitUntilEnded(queue, ids[1]);
    }

    /// Seeds and prompts make other images in the same time, all else may not.
    void worksDifferByWhatTakesTime() {
        const std::vector<NodeDesc> nodes = smallNodes();
        const graph::Catalog catalog(nodes);
        graph::Document document;
        document.nodes["encode"].type = "prompt.encode";
        document.nodes["denoise"].type = "denoise.sample";
        const size_t work = workOf(document, catalog);
        QVERIFY(work != 0);

        graph::Document same = document;
        same.nodes["encode"].params["prompt"] = "a fox";
        same.nodes["denoise"].params["seed"] = 5;
        same.nodes["denoise"].position = {1, 2};
        QCOMPARE(workOf(same, catalog), work);

        graph::Document other = document;
        other.nodes["denoise"].params["steps"] = 50;
        QVERIFY(workOf(other, catalog) != work);
        other = document;
        other.nodes["denoise"].memory = "leaf";
        QVERIFY(workOf(other, catalog) != work);
    }
};

LOWTIDE_TEST(QueueProgressTest)

}  // namespace queue_progress_test

#include "queue_progress_test.moc"
