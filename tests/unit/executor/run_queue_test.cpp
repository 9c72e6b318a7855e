#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/executor/run_bench.hpp"

#include <QtTest/QtTest>

#include <future>
#include <random>

namespace run_queue_test {

using namespace lowtide;
using namespace lowtide::executor;

namespace {

const std::vector<std::string> kShort = {"a = test.source text=A", "out = test.save value:a"};

/// A gate that a node waits at until the test opens it.
class Gate {
public:
    void open() { promise_.set_value(); }

    void wait() const { future_.wait(); }

private:
    std::promise<void> promise_;
    std::shared_future<void> future_ = promise_.get_future().share();
};

/// "a = test.source text=<text>" and a node that saves it.
Json savingGraph(const std::string& text) {
    return graphFrom({"a = test.source text=" + text, "out = test.save value:a"});
}

}  // namespace

class RunQueueTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void runsInTheOrderOfStarts() {
        RunBench bench;
        NotingObserver observer;
        std::vector<RunId> ids;
        for (const char* text : {"1", "2", "3"}) {
            ids.push_back(bench.queue.start(bench.request(savingGraph(text), {}, observer)));
        }

        for (const RunId id : ids) {
            QCOMPARE(bench.queue.wait(id).status, Status::Ok);
        }

        QCOMPARE(joined(bench.world.takeSaved()), QString("1, 2, 3"));
    }

    void endsAQueuedRunAtOnce_whenItIsCancelled() {
        RunBench bench;
        Gate gate;
        bench.world.during["a"] = [&](Context&) { gate.wait(); };
        NotingObserver observer;
        NotingObserver second;
        const RunId running = bench.queue.start(bench.request(savingGraph("1"), {}, observer));
        const RunId queued = bench.queue.start(bench.request(savingGraph("2"), {}, second));

        QVERIFY(bench.queue.cancel(queued, CancelMode::AfterThisImage));

        QCOMPARE(bench.queue.wait(queued).status, Status::Cancelled);  // the first one still runs
        QCOMPARE(second.lines(), QStringList("runFinished"));
        gate.open();
        QCOMPARE(bench.queue.wait(running).status, Status::Ok);
        QCOMPARE(joined(bench.world.takeSaved()), QString("1"));
    }

    void knowsNothingOfRunsThatAreOver() {
        RunBench bench;
        const RunResult result = bench.run(graphFrom(kShort));

        QVERIFY(!bench.queue.cancel(result.report["run"], CancelMode::Now));
        QVERIFY(!bench.queue.cancel(999, CancelMode::Now));
        QVERIFY_EXCEPTION_THROWN(static_cast<void>(bench.queue.wait(999)), Error);
        QCOMPARE(bench.queue.wait(result.report["run"]).status, Status::Ok);
    }

    void givesTheReportAway_atTheFirstWait() {
        RunBench bench;
        bench.world.during["out"] = [](Context&) {
            throw Error(ErrorKind::Device, Message("no paper"));
        };
        NotingObserver observer;
        const RunId run = bench.queue.start(bench.request(graphFrom(kShort), {}, observer));

        QVERIFY(bench.queue.wait(run).report.contains("plan"));

        const RunResult again = bench.queue.wait(run);
        QCOMPARE(again.status, Status::Failed);
        QCOMPARE(issuesOf(again), QString("device_failed out."));
        QCOMPARE(again.report["run"], Json(run));
        QCOMPARE(again.report["status"], Json("failed"));
        QCOMPARE(again.report["issues"].size(), size_t{1});
        QVERIFY(!again.report.contains("plan"));
    }

    void keepsReportsOfTheLastRunsOnly_whenNobodyWaits() {
        RunBench bench;
        NotingObserver observer;
        std::vector<RunId> runs;
        for (size_t i = 0; i <= RunQueue::kKeptReports; ++i) {
            runs.push_back(
                bench.queue.start(bench.request(savingGraph(std::to_string(i)), {}, observer)));
        }
        QVERIFY(bench.queue.wait(runs.back()).report.contains("plan"));  // by then all are over

        QVERIFY(!bench.queue.wait(runs.front()).report.contains("plan"));
        for (size_t i = 1; i + 1 < runs.size(); ++i) {
            QVERIFY(bench.queue.wait(runs[i]).report.contains("plan"));
        }
    }

    void letsObserversStartAndCancel() {
        RunBench bench;
        NotingObserver second;
        std::promise<RunId> started;
        NotingObserver observer;
        bench.world.during["out"] = [](Context& context) {
            while (context.stop().mode() == CancelMode::No) {
                std::this_thread::yield();
            }
            context.stop().throwIfStopped();
        };
        observer.onEvent = [&](const Json& event) {
            if (event["event"] == "nodeStarted" && event["node"] == "out") {
                started.set_value(bench.queue.start(bench.request(
                    graphFrom({"a = test.source text=B", "k = test.keep value:a"}), {}, second)));
                bench.queue.cancel(event["run"], CancelMode::Now);
            }
        };

        const RunId first = bench.queue.start(bench.request(graphFrom(kShort), {}, observer));

        QCOMPARE(bench.queue.wait(first).status, Status::Cancelled);
        QCOMPARE(bench.queue.wait(started.get_future().get()).status, Status::Ok);
    }

    void letsObserversWaitForTheirOwnRun() {
        RunBench bench;
        NotingObserver observer;
        std::promise<Status> status;
        observer.onEvent = [&](const Json& event) {
            if (event["event"] == "runFinished") {
                status.set_value(bench.queue.wait(event["run"]).status);
            }
        };

        static_cast<void>(bench.queue.start(bench.request(graphFrom(kShort), {}, observer)));

        QCOMPARE(status.get_future().get(), Status::Ok);
    }

    void isNotHeldUp_byASlowObserver() {
        RunBench bench;
        Gate gate;
        NotingObserver slow;
        slow.onEvent = [&](const Json&) { gate.wait(); };
        std::promise<void> reached;
        bench.world.during["out"] = [&](Context&) { reached.set_value(); };
        bench.world.during["a"] = [](Context& context) {
            for (int i = 0; i < 5000; ++i) {
                context.progress(std::to_string(i), i, 1);  // a phase each: none is rate-limited
            }
        };

        const RunId run = bench.queue.start(bench.request(graphFrom(kShort), {}, slow));

        QVERIFY(reached.get_future().wait_for(std::chrono::seconds(20)) ==
                std::future_status::ready);
        gate.open();
        QCOMPARE(bench.queue.wait(run).status, Status::Ok);
        QVERIFY(slow.named("nodeProgress").size() < 1000);
        QCOMPARE(slow.named("nodeFinished").size(), size_t(2));
    }

    void waitsUntilTheObserverHasSeenTheEnd() {
        for (int i = 0; i < 50; ++i) {
            RunBench bench;
            auto observer = std::make_unique<NotingObserver>();
            const RunId run = bench.queue.start(bench.request(graphFrom(kShort), {}, *observer));

            static_cast<void>(bench.queue.wait(run));

            QCOMPARE(observer->lines().back(), QString("runFinished"));
            observer.reset();
        }
    }

    void runsOneAtATime_whenTwoHostsStartAtOnce() {
        RunBench bench;
        std::atomic<int> inside = 0;
        std::atomic<int> most = 0;
        bench.world.during["a"] = [&](Context&) {
            most = std::max(most.load(), ++inside);
            std::this_thread::yield();
            --inside;
        };
        const auto host = [&](const std::string& name) {
            NotingObserver observer;
            for (int i = 0; i < 25; ++i) {
                const RunId run = bench.queue.start(
                    bench.request(savingGraph(name + std::to_string(i)), {}, observer));
                LOWTIDE_ASSERT(bench.queue.wait(run).status == Status::Ok);
            }
            LOWTIDE_ASSERT(observer.named("runFinished").size() == 25);
        };

        std::thread one(host, "one");
        std::thread two(host, "two");
        one.join();
        two.join();

        QCOMPARE(most.load(), 1);
        QCOMPARE(bench.world.takeSaved().size(), size_t(50));
    }

    void survivesAHundredRuns_withRandomCancels() {
        RunBench bench;
        std::mt19937 random(7);
        bench.world.during["a"] = [](Context& context) {
            for (int i = 0; i < 20; ++i) {
                context.stop().throwIfStopped();
                std::this_thread::yield();
            }
        };
        NotingObserver observer;
        std::vector<RunId> runs;
        for (int i = 0; i < 100; ++i) {
            runs.push_back(
                bench.queue.start(bench.request(savingGraph(std::to_string(i)), {}, observer)));
            if (random() % 2 == 0) {
                bench.queue.cancel(
                    runs[random() % runs.size()],
                    random() % 2 == 0 ? CancelMode::Now : CancelMode::AfterThisImage);
            }
        }

        size_t finished = 0;
        for (const RunId run : runs) {
            const Status status = bench.queue.wait(run).status;
            QVERIFY(status == Status::Ok || status == Status::Cancelled);
            finished += status == Status::Ok ? 1 : 0;
        }

        QCOMPARE(observer.named("runFinished").size(), size_t(100));
        QCOMPARE(bench.world.takeSaved().size(), finished);
        QCOMPARE(bench.wiresOn("cpu"), Bytes(0));
        const auto calls = bench.engine.takeCalls();
        const auto count = [&](const std::string& start) {
            return std::count_if(calls.begin(), calls.end(), [&](const auto& call) {
                return call.starts_with(start);
            });
        };
        QCOMPARE(count("begin"), count("end"));
        QCOMPARE(count("enter"), count("leave"));
    }

    void setsTheThreadUpOnce_onTheRunThread() {
        StubWorld world;
        FakeEngine engine;
        const NodeTypes types(stubNodes(world));
        std::vector<std::thread::id> setUp;
        std::vector<std::thread::id> ran;
        world.during["a"] = [&](Context&) { ran.push_back(std::this_thread::get_id()); };
        RunQueue queue(
            types, engine, {.threadSetUp = [&] { setUp.push_back(std::this_thread::get_id()); }});
        NotingObserver observer;
        const auto snapshot =
            graph::makeSnapshot(graph::documentFromJson(graphFrom(kShort)), types.catalog());

        for (int i = 0; i < 2; ++i) {
            static_cast<void>(queue.wait(queue.start({.snapshot = snapshot,
                                                      .options = {.forceExecution = true},
                                                      .observer = &observer})));
        }

        QCOMPARE(setUp.size(), size_t(1));
        QCOMPARE(ran, std::vector<std::thread::id>(2, setUp.front()));
        QVERIFY(setUp.front() != std::this_thread::get_id());
    }

    void givesPinnedMemoryBack_whenNobodyRunsForAWhile() {
        StubWorld world;
        FakeEngine engine;
        const NodeTypes types(stubNodes(world));
        engine.pin({.tree = "denoiser", .device = "fake", .bytes = kGiB});
        RunQueue queue(types, engine, {.unpinAfter = std::chrono::milliseconds(20)});

        QTRY_VERIFY(engine.pinnedComponents().empty());
        engine.pin({.tree = "denoiser", .device = "fake", .bytes = kGiB});
        QVERIFY(queue.tryCall([] {}));  // as a run does, it begins to wait again
        QTRY_VERIFY(engine.pinnedComponents().empty());
    }

    void failsEveryRun_whenTheThreadCannotBeSetUp() {
        StubWorld world;
        FakeEngine engine;
        const NodeTypes types(stubNodes(world));
        RunQueue queue(types, engine, {.threadSetUp = [] {
                           throw Error(ErrorKind::Device, Message("no threads"));
                       }});
        NotingObserver observer;
        const auto snapshot =
            graph::makeSnapshot(graph::documentFromJson(graphFrom(kShort)), types.catalog());

        const RunResult result =
            queue.wait(queue.start({.snapshot = snapshot, .observer = &observer}));

        QCOMPARE(result.status, Status::Failed);
        QCOMPARE(issuesOf(result), QString("device_failed ."));
    }

    void callsOnTheRunThread_whenIdleOnly() {
        RunBench bench;
        Gate gate;
        std::thread::id node;
        std::thread::id call;
        bench.world.during["a"] = [&](Context&) {
            node = std::this_thread::get_id();
            gate.wait();
        };
        NotingObserver observer;
        const RunId run = bench.queue.start(bench.request(graphFrom(kShort), {}, observer));

        QVERIFY(!bench.queue.tryCall([] {}));
        gate.open();
        static_cast<void>(bench.queue.wait(run));
        QTRY_VERIFY(bench.queue.tryCall([&] { call = std::this_thread::get_id(); }));
        QVERIFY(call == node);
        QVERIFY_EXCEPTION_THROWN(
            bench.queue.tryCall([] { throw Error(ErrorKind::Device, Message("no")); }), Error);
    }

    /// Callers come one behind the other, as fast as they can: what one call throws is that
    /// caller's.
    void givesEachCallerItsOwnError() {
        RunBench bench;
        std::atomic<int> lost = 0;
        std::atomic<int> foreign = 0;
        const auto call = [&](bool throws) {
            for (int made = 0; made < 3000;) {
                bool ran = false;
                bool caught = false;
                try {
                    bench.queue.tryCall([&] {
                        ran = true;
                        if (throws) {
                            throw Error(ErrorKind::Device, Message("mine"));
                        }
                    });
                } catch (const Error&) {
                    caught = true;
                }
                made += ran ? 1 : 0;
                lost += ran && throws && !caught ? 1 : 0;
                foreign += caught && !(throws && ran) ? 1 : 0;
            }
        };
        std::vector<std::thread> callers;
        for (int i = 0; i < 4; ++i) {
            callers.emplace_back(call, i % 2 == 0);
        }
        for (std::thread& caller : callers) {
            caller.join();
        }

        QCOMPARE(lost.load(), 0);
        QCOMPARE(foreign.load(), 0);
    }

    void stopCancelsEverything_andStartsNoMore() {
        RunBench bench;
        std::promise<void> reached;
        bench.world.during["a"] = [&](Context& context) {
            reached.set_value();
            while (context.stop().mode() != CancelMode::Now) {
                std::this_thread::yield();
            }
            context.stop().throwIfStopped();
        };
        NotingObserver observer;
        const RunId running = bench.queue.start(bench.request(graphFrom(kShort), {}, observer));
        const RunId queued = bench.queue.start(bench.request(graphFrom(kShort), {}, observer));
        reached.get_future().wait();

        bench.queue.stop();
        bench.queue.stop();

        QCOMPARE(bench.queue.wait(running).status, Status::Cancelled);
        QCOMPARE(bench.queue.wait(queued).status, Status::Cancelled);
        QCOMPARE(observer.named("runFinished").size(), size_t(2));
        QVERIFY_EXCEPTION_THROWN(
            static_cast<void>(bench.queue.start(bench.request(graphFrom(kShort), {}, observer))),
            Error);
        const auto refusal = testing::errorOf([&] { (void)bench.queue.tryCall([] {}); });
        QVERIFY(refusal && refusal->message().str().find("was stopped") != std::string::npos);
    }

    void letsAnObserverStop() {
        NotingObserver observer;
        RunBench bench;
        observer.onEvent = [&](const Json& event) {
            if (event["event"] == "nodeStarted") {
                bench.queue.stop();
            }
        };

        const RunId run = bench.queue.start(bench.request(graphFrom(kShort), {}, observer));

        const Status status = bench.queue.wait(run).status;
        QVERIFY(status == Status::Cancelled || status == Status::Ok);
    }

    void reportsMemoryWhileARunLasts() {
        RunBench bench;
        bench.engine.ledger().add("cpu", memory::Tag::Weights, "test", 4096);
        Gate gate;
        NotingObserver observer;
        std::atomic<int> reported = 0;
        observer.onEvent = [&](const Json& event) {
            if (event["event"] == "memory" && ++reported == 3) {
                gate.open();
            }
        };
        bench.world.during["a"] = [&](Context&) { gate.wait(); };
        const auto begin = std::chrono::steady_clock::now();

        static_cast<void>(
            bench.queue.wait(bench.queue.start(bench.request(graphFrom(kShort), {}, observer))));

        const auto lasted = std::chrono::steady_clock::now() - begin;
        QVERIFY(lasted >= std::chrono::milliseconds(390));
        QCOMPARE(observer.named("memory")[0]["allocated"], Json(4096));
        QCOMPARE(observer.named("memory")[0]["device"], Json("cpu"));
        const int heard = reported;
        QTest::qWait(450);
        QCOMPARE(reported.load(), heard);
    }

    void refusesRequestsThatCannotRun() {
        RunBench bench;
        NotingObserver observer;
        RunRequest noObserver = bench.request(graphFrom(kShort), {}, observer);
        noObserver.observer = nullptr;

        QVERIFY_EXCEPTION_THROWN(static_cast<void>(bench.queue.start(noObserver)), Error);
        QVERIFY_EXCEPTION_THROWN(static_cast<void>(bench.queue.start({.observer = &observer})),
                                 Error);
        QVERIFY_EXCEPTION_THROWN(static_cast<void>(bench.queue.start(
                                     bench.request(graphFrom(kShort), {.repeat = 0}, observer))),
                                 Error);
    }
};

LOWTIDE_TEST(RunQueueTest)

}  // namespace run_queue_test

#include "run_queue_test.moc"
