#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/queue_bench.hpp"

#include <QtTest/QtTest>

namespace run_queue_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

Json keptEverything(ScriptedRunner::Stage& stage) {
    stage.send({{"event", "runStarted"}, {"nodes", {"a"}}, {"repetitions", 1}});
    stage.send({{"event", "nodeCached"}, {"node", "a"}, {"repetition", 1}, {"files", {"x.png"}}});
    return {{"status", "ok"}, {"executed", 0}};
}

/// A hundred milliseconds of a thousand events each, sent as fast as they can be.
Json floods(ScriptedRunner::Stage& stage) {
    stage.send({{"event", "runStarted"}, {"nodes", {"a"}}, {"repetitions", 1}});
    stage.send({{"event", "nodeStarted"}, {"node", "a"}, {"repetition", 1}});
    for (int i = 1; i <= 100000; ++i) {
        stage.send({{"event", "nodeProgress"},
                    {"node", "a"},
                    {"phase", "step"},
                    {"done", i},
                    {"total", 100000}});
    }
    stage.send({{"event", "nodeFinished"}, {"node", "a"}, {"repetition", 1}, {"ms", 1.0}});
    return {{"status", "ok"}, {"executed", 1}};
}

Image8 greyImage(int width, int height) {
    const auto bytes = static_cast<size_t>(width) * static_cast<size_t>(height) * 3;
    auto pixels = std::shared_ptr<uint8_t[]>(new uint8_t[bytes]);
    std::fill_n(pixels.get(), bytes, uint8_t{128});
    return {.widthPixels = width, .heightPixels = height, .channels = 3, .pixels = pixels};
}

std::vector<std::string> kinds(const QSignalSpy& events) {
    std::vector<std::string> found;
    for (const QList<QVariant>& each : events) {
        found.push_back(each.at(1).value<Json>().at("event").get<std::string>());
    }
    return found;
}

}  // namespace

class RunQueueTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void handsOneRunAtATimeToTheModule() {
        ScriptedRunner runner;
        RunQueue queue(runner);
        for (const char* graph : {"1", "2", "3"}) {
            queue.add(graph, graph, Json::object());
        }

        waitUntilEnded(queue, 3);

        QCOMPARE(runner.startedGraphs(), (std::vector<std::string>{"1", "2", "3"}));
        QCOMPARE(runner.mostAtOnce(), 1);
        QCOMPARE(queue.running(), nullptr);
    }

    void reportsEventsInOrder_andTheEndLast() {
        ScriptedRunner runner;
        runner.setScript("g", [](ScriptedRunner::Stage& stage) {
            stage.send({{"event", "runStarted"}, {"nodes", {"a"}}, {"repetitions", 1}});
            stage.send({{"event", "nodeStarted"}, {"node", "a"}, {"repetition", 1}});
            stage.send({{"event", "nodeProgress"}, {"node", "a"}, {"done", 1}, {"total", 2}});
            stage.send({{"event", "nodeFinished"}, {"node", "a"}, {"files", {"a.png"}}, {"ms", 5}});
            return Json{{"status", "ok"}, {"executed", 1}, {"ms", 12.5}};
        });
        RunQueue queue(runner);
        QSignalSpy events(&queue, &RunQueue::event);
        bool wasEndedFirst = false;
        connect(&queue, &RunQueue::event, &queue, [&](quint64 id, const Json&) {
            wasEndedFirst = wasEndedFirst || queue.find(id)->state != RunState::Running;
        });

        const quint64 id = queue.add("title", "g", Json::object());
        waitUntilEnded(queue, id);

        QCOMPARE(kinds(events),
                 (std::vector<std::string>{
                     "runStarted", "nodeStarted", "nodeProgress", "nodeFinished", "runFinished"}));
        QVERIFY(!wasEndedFirst);
        QCOMPARE(queue.find(id)->files, QStringList("a.png"));
        QCOMPARE(queue.find(id)->milliseconds, 12.5);
        QCOMPARE(queue.find(id)->progress, 1.0);
    }

    void reportsThatNothingWasToDo() {
        ScriptedRunner runner;
        runner.setScript("g", keptEverything);
        RunQueue queue(runner);

        const quint64 id = queue.add("title", "g", Json::object());
        QCOMPARE(queue.find(id)->executed, -1);
        waitUntilEnded(queue, id);

        QCOMPARE(queue.find(id)->executed, 0);
        QCOMPARE(queue.find(id)->state, RunState::Finished);
        QCOMPARE(queue.find(id)->files, QStringList("x.png"));
    }

    void showsTheIssues_whenStartIsRefused() {
        ScriptedRunner runner;
        runner.setRefusal({{"issues",
                            {{{"severity", "error"},
                              {"code", "value_smaller_than_min"},
                              {"node", "denoise"},
                              {"item", "steps"},
                              {"message", "steps is 0"}}}}});
        RunQueue queue(runner);
        QSignalSpy ended(&queue, &RunQueue::ended);

        const quint64 id = queue.add("title", "g", Json::object());
        waitUntilEnded(queue, id);

        QCOMPARE(queue.find(id)->state, RunState::Failed);
        QCOMPARE(queue.find(id)->issues.size(), size_t{1});
        QCOMPARE(queue.find(id)->issues[0].item, std::string("steps"));
        QCOMPARE(queue.find(id)->executed, -1);
        QVERIFY(queue.find(id)->report.is_null());
        QCOMPARE(ended.count(), 1);
    }

    void forgetsHowFarANodeWas_whenItEnds() {
        ScriptedRunner runner;
        runner.setScript("g", [](ScriptedRunner::Stage& stage) {
            stage.send({{"event", "nodeProgress"},
                        {"node", "a"},
                        {"phase", "step"},
                        {"done", 4},
                        {"total", 20},
                        {"eta", 12.0}});
            stage.send({{"event", "nodeFinished"}, {"node", "a"}, {"ms", 1.0}});
            return Json{{"status", "ok"}, {"executed", 1}};
        });
        RunQueue queue(runner);
        QStringList phases;
        connect(&queue, &RunQueue::event, this, [&](quint64 id, const Json&) {
            const QueuedRun* run = queue.find(id);
            phases << run->phase + (run->secondsLeft ? ", some seconds" : "");
        });

        waitUntilEnded(queue, queue.add("title", "g", Json::object()));

        QCOMPARE(phases, (QStringList{"step 4 of 20, some seconds", "", ""}));
    }

    void losesNoEnd_inAFloodOfEvents() {
        ScriptedRunner runner;
        runner.setScript("g", floods);
        RunQueue queue(runner);
        QSignalSpy events(&queue, &RunQueue::event);
        QElapsedTimer sinceBeat;
        qint64 longest = 0;
        QTimer heart;
        connect(&heart, &QTimer::timeout, &queue, [&] {
            longest = std::max(longest, sinceBeat.restart());
        });
        sinceBeat.start();
        heart.start(5);

        const quint64 id = queue.add("title", "g", Json::object());
        waitUntilEnded(queue, id);

        const std::vector<std::string> reported = kinds(events);
        QCOMPARE(reported.front(), std::string("runStarted"));
        QCOMPARE(reported[reported.size() - 2], std::string("nodeFinished"));
        QCOMPARE(reported.back(), std::string("runFinished"));
        QVERIFY2(reported.size() < 2000, qPrintable(QString::number(reported.size())));
        qInfo("100000 events came as %zu; the GUI thread was held up %lld ms at most",
              reported.size(),
              static_cast<long long>(longest));
    }

    void ends_whenTheEventOfTheEndIsLost() {
        ScriptedRunner runner;
        runner.setScript("g", [](ScriptedRunner::Stage& stage) {
            stage.send({{"event", "runStarted"}, {"nodes", {"a"}}, {"repetitions", 1}});
            stage.show("a", greyImage(8, 8));
            return Json{{"status", "ok"}, {"executed", 1}, {"endIsLost", true}};
        });
        RunQueue queue(runner);
        QSignalSpy events(&queue, &RunQueue::event);

        const quint64 id = queue.add("title", "g", Json::object());
        const quint64 next = queue.add("next", "next", Json::object());
        waitUntilEnded(queue, id);

        QCOMPARE(queue.find(id)->state, RunState::Finished);
        QCOMPARE(queue.find(id)->progress, 1.0);
        QCOMPARE(kinds(events).back(), std::string("runFinished"));
        QCOMPARE(queue.find(id)->nodeImage.image.size(), QSize(8, 8));
        waitUntilEnded(queue, next);
    }

    void keepsImages_scaledDown() {
        ScriptedRunner runner;
        runner.setScript("g", [](ScriptedRunner::Stage& stage) {
            stage.show("a", greyImage(64, 64));
            stage.show("a", greyImage(2048, 1024));
            stage.show("b", Image8{});
            return Json{{"status", "ok"}, {"executed", 1}};
        });
        RunQueue queue(runner);
        QSignalSpy images(&queue, &RunQueue::nodeImage);

        const quint64 id = queue.add("title", "g", Json::object());
        waitUntilEnded(queue, id);

        QVERIFY(images.count() >= 1);
        QCOMPARE(queue.find(id)->nodeImage.image.size(), QSize(512, 256));
        QCOMPARE(queue.find(id)->nodeImage.image.pixelColor(10, 10), QColor(128, 128, 128));
        QVERIFY(!queue.find(id)->nodeImage.step);
        QCOMPARE(queue.find(id)->nodeImage.size, QSize(2048, 1024));
        QCOMPARE(queue.find(id)->nodeImage.whole.size(), QSize(2048, 1024));
    }

    void makesPreviewsAsLargeAsTheResult_data() {
        testing::addTable<int, QSize>({"scale", "size"},
                                      {{"of latents", 8, QSize(256, 128)},
                                       {"larger than is shown", 64, QSize(512, 256)},
                                       {"no scale", 0, QSize(32, 16)},
                                       {"absurd", 2000000000, QSize(512, 256)}});
    }

    void makesPreviewsAsLargeAsTheResult() {
        QFETCH(int, scale);
        QFETCH(QSize, size);
        ScriptedRunner runner;
        runner.setScript("g", [scale](ScriptedRunner::Stage& stage) {
            stage.send({{"event", "nodePreview"},
                        {"node", "a"},
                        {"live", true},
                        {"done", 3},
                        {"total", 20},
                        {"scale", scale}});
            stage.show("a", greyImage(32, 16));
            return Json{{"status", "ok"}, {"executed", 1}};
        });
        RunQueue queue(runner);
        std::vector<NodeImage> shown;
        connect(
            &queue, &RunQueue::nodeImage, this, [&](quint64, const std::string&, const auto& each) {
                shown.push_back(each);
            });

        const quint64 id = queue.add("title", "g", Json::object());
        waitUntilEnded(queue, id);

        QCOMPARE(shown.size(), 1U);
        QCOMPARE(shown.front().image.size(), size);
        QVERIFY(shown.front().step);
        QCOMPARE(shown.front().step->done, 3);
        QCOMPARE(shown.front().step->total, 20);
        QVERIFY(queue.find(id)->nodeImage.image.isNull());  // nothing was made
    }

    void holdsRunsBack_whilePaused() {
        ScriptedRunner runner;
        RunQueue queue(runner);
        queue.setPaused(true);
        const quint64 id = queue.add("title", "g", Json::object());

        QTest::qWait(50);
        QCOMPARE(queue.find(id)->state, RunState::Waiting);
        QVERIFY(runner.startedGraphs().empty());
        queue.setPaused(false);

        waitUntilEnded(queue, id);
        QCOMPARE(queue.find(id)->state, RunState::Finished);
    }

    void ordersWaitingRuns() {
        ScriptedRunner runner;
        RunQueue queue(runner);
        queue.setPaused(true);
        for (const char* graph : {"1", "2", "3", "4"}) {
            queue.add(graph, graph, Json::object());
        }

        queue.moveWaiting({4}, 0);
        QCOMPARE(order(queue), (QList<quint64>{4, 1, 2, 3}));
        queue.moveWaiting({1}, 99);
        QCOMPARE(order(queue), (QList<quint64>{4, 2, 3, 1}));
        queue.moveWaiting({2}, -5);
        QCOMPARE(order(queue), (QList<quint64>{2, 4, 3, 1}));
        queue.setPaused(false);
        waitUntilEnded(queue, 1);

        QCOMPARE(runner.startedGraphs(), (std::vector<std::string>{"2", "4", "3", "1"}));
        queue.moveWaiting({2}, 2);  // has ended
        QCOMPARE(order(queue), (QList<quint64>{2, 4, 3, 1}));
    }

    void putsARunInFront() {
        ScriptedRunner runner;
        runner.setScript("first", waitsAtTheGate);
        RunQueue queue(runner);
        const quint64 first = queue.add("first", "first", Json::object());
        const quint64 last = queue.add("last", "last", Json::object());

        const quint64 front = queue.add("front", "front", Json::object(), true);

        QCOMPARE(order(queue), (QList<quint64>{first, front, last}));
        runner.openGate();
        waitUntilEnded(queue, last);
        QCOMPARE(runner.startedGraphs(), (std::vector<std::string>{"first", "front", "last"}));
    }

    void runsTheSameAgain_onRetry() {
        ScriptedRunner runner;
        RunQueue queue(runner);
        const quint64 id = queue.add("title", "g", Json{{"out", "x"}});
        waitUntilEnded(queue, id);

        const quint64 again = queue.addAgain({*queue.find(id)}).front();
        waitUntilEnded(queue, again);

        QCOMPARE(queue.find(again)->graph, std::string("g"));
        QCOMPARE(queue.find(again)->options, (Json{{"out", "x"}}));
        QCOMPARE(queue.find(again)->title, QString("title"));
    }

    void removesEndedRunsOnly() {
        ScriptedRunner runner;
        runner.setScript("g", waitsAtTheGate);
        RunQueue queue(runner);
        const quint64 id = queue.add("title", "g", Json::object());

        queue.remove({id});
        QVERIFY(queue.find(id));
        runner.openGate();
        waitUntilEnded(queue, id);
        queue.remove({id});

        QVERIFY(!queue.find(id));
        queue.remove({id});
        QVERIFY(queue.runs().empty());
    }

    void startsTheNextRun_afterAFailedOne() {
        ScriptedRunner runner;
        runner.setScript("bad", [](ScriptedRunner::Stage& stage) {
            const Json issue = {{"code", "out_of_memory"}, {"node", "a"}, {"message", "full"}};
            stage.send({{"event", "nodeFailed"}, {"node", "a"}, {"issue", issue}});
            return Json{{"status", "failed"}, {"executed", 1}, {"issues", {issue}}};
        });
        RunQueue queue(runner);
        const quint64 bad = queue.add("bad", "bad", Json::object());
        const quint64 good = queue.add("good", "good", Json::object());

        waitUntilEnded(queue, good);

        QCOMPARE(queue.find(bad)->state, RunState::Failed);
        QCOMPARE(queue.find(bad)->issues.size(), size_t{1});  // once, though it was reported twice
        QCOMPARE(queue.find(good)->state, RunState::Finished);
    }
};

LOWTIDE_TEST(RunQueueTest)

}  // namespace run_queue_test

#include "run_queue_test.moc"
