#include "tests/fixtures/test_program.hpp"
#include "tests/unit/executor/run_bench.hpp"

#include <QtTest/QtTest>

namespace collections_test {

using namespace lowtide;
using namespace lowtide::executor;

namespace {

/// A card that is `percent` full, with much to collect.
memory::MemoryState gpuAt(int percent) {
    return {.deviceUsed = percent * kGiB,
            .deviceCapacity = 100 * kGiB,
            .hostUsed = kGiB,
            .hostTotal = 100 * kGiB,
            .deviceCollectable = kGiB,
            .hostCollectable = kMiB};
}

/// A source, one stage for each collection point, and a save.
std::vector<std::string> allPoints() {
    std::vector<std::string> lines = {"a = test.source text=A"};
    std::string last = "a";
    for (const std::string& point : kCollectionPoints) {
        const std::string id = "s" + std::to_string(lines.size());
        lines.push_back(id + " = " + typeOfPoint(point) + " a:" + last);
        last = id;
    }
    lines.push_back("out = test.save value:" + last);
    return lines;
}

const std::vector<std::string> kTwoStages = {"a = test.source text=A",
                                             "d = test.decode a:a",
                                             "u = test.upscale a:d",
                                             "out = test.save value:u"};

QString points(const RunResult& result) {
    QStringList names;
    for (const Json& record : result.report["collections"]["records"]) {
        names << QString::fromStdString(record["point"].get<std::string>());
    }
    return names.join(", ");
}

int64_t skipped(const RunResult& result) {
    return result.report["collections"]["skipped"].get<int64_t>();
}

}  // namespace

/// The automatic collection points and what control nodes do.
class CollectionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void eachPointFiresOnce_inOrder() {
        RunBench bench;
        bench.engine.state = gpuAt(80);

        const RunResult result = bench.run(graphFrom(allPoints()));

        QStringList expected;
        for (const std::string& point : kCollectionPoints) {
            expected << QString::fromStdString(point);
        }
        QCOMPARE(points(result), expected.join(", "));
        QStringList events;
        for (const Json& event : result.report["timeline"]) {
            if (event["what"] == "collect") {
                events << QString::fromStdString(event["subject"].get<std::string>());
            }
        }
        QCOMPARE(events, expected);
        QCOMPARE(result.report["collections"]["points"], Json(kCollectionPoints.size()));
    }

    /// Of several behind one another the last one's value is what stages use.
    void adaptersUnloadBehindTheLastStageThatUsesThem() {
        RunBench bench;
        bench.engine.state = gpuAt(80);

        const RunResult result = bench.run(graphFrom({"a = test.source text=A",
                                                      "l = test.adapter a:a",
                                                      "m = test.adapter a:l",
                                                      "d = test.denoise a:m",
                                                      "e = test.decode a:m",
                                                      "u = test.upscale a:d",
                                                      "x = test.save value:e",
                                                      "y = test.save value:u"}));

        QCOMPARE(points(result).count("adapter load"), 2);
        QCOMPARE(points(result).count("adapter unload"), 1);
        const QStringList order = points(result).split(", ");
        const qsizetype last = std::max(order.indexOf("denoise"), order.indexOf("decode"));
        QCOMPARE(order.indexOf("adapter unload"), last + 1);
    }

    void firesBehindItsStage() {
        RunBench bench;
        bench.engine.state = gpuAt(80);

        bench.run(graphFrom(kTwoStages));

        QCOMPARE(joined(bench.engine.takeCalls()),
                 QString("begin, enter a, leave a, enter d, leave d, collect cpu, enter u, "
                         "leave u, collect cpu, enter out, leave out, end finished"));
    }

    void doesNotFire_whenItsStageDoesNotExecute() {
        RunBench bench;
        bench.run(graphFrom(kTwoStages));
        bench.engine.state = gpuAt(80);

        const RunResult again = bench.run(graphFrom({"a = test.source text=A",
                                                     "d = test.decode a:a",
                                                     "u = test.upscale a:d",
                                                     "v = test.join a:u",
                                                     "out = test.save value:v"}));

        QCOMPARE(executed(again), QString("v out"));
        QCOMPARE(points(again), QString());
    }

    /// A kept value lies on the host: the stage behind it computes there, and the run opened a
    /// GPU.
    void asksTheHost_behindAValueThatWasKept() {
        RunBench bench;
        const RunOptions onGpu = {.device = memory::parseDeviceSpec("fake")};
        bench.run(
            graphFrom({"a = test.source text=A", "d = test.decode a:a", "k = test.keep value:d"}),
            onGpu);
        bench.engine.state = gpuAt(80);

        const RunResult result = bench.run(graphFrom(kTwoStages), onGpu);

        QCOMPARE(result.status, Status::Ok);
        QCOMPARE(executed(result), QString("u out"));
        QCOMPARE(points(result), QString("upscale"));
        QCOMPARE(result.report["collections"]["records"].at(0)["device"], Json("cpu"));
    }

    void isLeftOut_belowTheThreshold() {
        RunBench bench;
        bench.engine.state = gpuAt(69);

        const RunResult result = bench.run(graphFrom(kTwoStages));

        QCOMPARE(points(result), QString());
        QCOMPARE(skipped(result), int64_t{0});
        QCOMPARE(result.report["collections"]["points"], Json(2));
    }

    void countsWhatItSkips() {
        RunBench bench;
        bench.engine.state = gpuAt(80);
        bench.engine.state.deviceCollectable = 0;
        bench.engine.state.hostCollectable = 0;

        const RunResult result = bench.run(graphFrom(kTwoStages));

        QCOMPARE(points(result), QString());
        QCOMPARE(skipped(result), int64_t{2});
        QVERIFY(!joined(bench.engine.takeCalls()).contains("collect"));
    }

    void measuresWhatWasSaved() {
        RunBench bench;
        bench.engine.state = gpuAt(80);
        bench.engine.onCollect = [](memory::MemoryState& state) {
            state.deviceUsed -= 3 * kGiB;
            state.hostUsed -= kMiB;
            state.deviceCollectable = 0;
            state.hostCollectable = 0;
        };

        const RunResult result = bench.run(graphFrom(kTwoStages));

        const Json& record = result.report["collections"]["records"].at(0);
        QCOMPARE(record["gc"]["saved"], Json(3 * kGiB + kMiB));
        QCOMPARE(record["before"]["gpu"], Json(80 * kGiB));
        QCOMPARE(record["after"]["gpu"], Json(77 * kGiB));
        QCOMPARE(skipped(result), int64_t{1});  // the second point finds nothing
        for (const Json& event : result.report["timeline"]) {
            if (event["what"] == "collect") {
                QCOMPARE(event["bytes"], Json(3 * kGiB + kMiB));
                QCOMPARE(event["node"], Json("d"));
            }
        }
    }

    void answersAFailedAllocationOnce_alsoOfAnEarlierRun() {
        RunBench bench;
        bench.engine.state = gpuAt(10);
        bench.engine.state.outOfMemory = 1;  // nothing of this run

        QCOMPARE(points(bench.run(graphFrom(kTwoStages), {.forceExecution = true})),
                 QString("decode"));
        QCOMPARE(points(bench.run(graphFrom(kTwoStages), {.forceExecution = true})), QString());
        bench.world.during["u"] = [&](Context&) { bench.engine.state.outOfMemory = 2; };
        QCOMPARE(points(bench.run(graphFrom(kTwoStages), {.forceExecution = true})),
                 QString("upscale"));
    }

    void takesTheOptionsBeforeTheGraphsSettings() {
        RunBench bench;
        bench.engine.state = gpuAt(40);
        Json graph = graphFrom(kTwoStages);
        QCOMPARE(points(bench.run(graph, {.forceExecution = true})), QString());

        graph["gc_threshold"] = 40;
        QCOMPARE(points(bench.run(graph, {.forceExecution = true})), QString("decode, upscale"));
        QCOMPARE(points(bench.run(graph, {.forceExecution = true, .collectionThreshold = 41})),
                 QString());
        graph = graphFrom(kTwoStages);
        graph["low_memory"] = "on";
        QCOMPARE(points(bench.run(graph, {.forceExecution = true})), QString("decode, upscale"));
        QCOMPARE(
            points(bench.run(graph, {.forceExecution = true, .lowMemory = memory::LowMemory::Off})),
            QString());
        bench.engine.deviceName = "Card [ZLUDA]";
        QCOMPARE(points(bench.run(graph, {.forceExecution = true})), QString());
    }

    void refusesSettingsThatAreNone() {
        RunBench bench;
        for (const auto& [key, value] :
             {std::pair<std::string, Json>("gc_threshold", 101), {"low_memory", "maybe"}}) {
            Json graph = graphFrom(kTwoStages);
            graph[key] = value;
            QVERIFY_EXCEPTION_THROWN(bench.run(graph), Error);
        }
    }

    void dropsResultsOfOtherGraphs_underPressure() {
        RunBench bench;
        bench.run(graphFrom({"x = test.source text=X", "k = test.keep value:x"}));
        QCOMPARE(bench.queue.cache().bytes(), Bytes(10));
        bench.world.valueBytes = 100;

        bench.engine.state = gpuAt(80);
        const RunResult result = bench.run(graphFrom(kTwoStages));

        const Json& record = result.report["collections"]["records"].at(0);
        QCOMPARE(record["gc"]["collected"], Json(1));
        QCOMPARE(executed(bench.run(graphFrom(kTwoStages))), QString());
        QCOMPARE(
            executed(bench.run(graphFrom({"x = test.source text=X", "k = test.keep value:x"}))),
            QString("x k"));
    }

    void unpinsWhereTheHostIsFull_data() {
        const testing::Rows<int, int, bool> row("device", "host", "unpins");
        row("both have space", 10, 10, false);
        row("the device is full", 90, 10, false);
        row("the host is full", 10, 90, true);
    }

    /// Copies of weights on the host cost the device nothing.
    void unpinsWhereTheHostIsFull() {
        QFETCH(int, device);
        QFETCH(int, host);
        QFETCH(bool, unpins);
        RunBench bench;
        bench.engine.pin({.tree = "denoiser", .device = "fake", .bytes = kGiB});
        bench.engine.state = gpuAt(device);
        bench.engine.state.hostUsed = host * kGiB;

        const RunResult result = bench.run(graphFrom(kTwoStages));

        QCOMPARE(joined(bench.engine.takeCalls()).contains("unpin denoiser"), unpins);
        QCOMPARE(bench.engine.pinnedComponents().empty(), unpins);
        if (unpins) {
            QCOMPARE(result.report["collections"]["records"].at(0)["gc"]["collected"], Json(1));
        }
    }

    void aCollectionThatFailsIsReportedAndCostsNothing() {
        RunBench bench;
        bench.engine.state = gpuAt(80);
        bench.engine.before = [](std::string_view call) {
            if (call == "collect cpu") {
                throw Error(ErrorKind::Device, Message("the GPU does not answer"));
            }
        };

        const RunResult result = bench.run(graphFrom(kTwoStages));

        QCOMPARE(result.status, Status::Ok);
        QCOMPARE(issuesOf(result), QString("device_failed d.\ndevice_failed u."));
        QVERIFY(result.issues[0].severity == Severity::Warning);
    }

    void aNodeCollectsByItsOwnThreshold_orInAnyCase() {
        RunBench bench;
        const std::vector<std::string> graph = {
            "a = test.source text=A", "p = test.pass value:a", "out = test.save value:p"};
        bench.engine.state = gpuAt(40);
        std::optional<int> threshold;
        bool force = false;
        bench.world.during["p"] = [&](Context& context) {
            context.controls().collect(threshold, force);
        };
        const auto ran = [&] {
            const RunResult result = bench.run(graphFrom(graph), {.forceExecution = true});
            return result.report["controls"].at(0)["ran"].get<bool>();
        };

        QVERIFY(!ran());
        threshold = 40;
        QVERIFY(ran());
        threshold = 41;
        QVERIFY(!ran());
        force = true;
        QVERIFY(ran());
        force = false;
        bench.engine.state.deviceCapacity = 5 * kGiB;  // a small GPU, 8 times full
        bench.engine.state.deviceUsed = kGiB;
        QVERIFY(!ran());  // the node's own number holds
        threshold.reset();
        QVERIFY(ran());
    }

    void aNodeOffloadsBetweenStages() {
        RunBench bench;
        bench.engine.state = gpuAt(10);
        bench.world.during["p"] = [](Context& context) {
            context.controls().offload(std::vector<std::string>{"text_encoder", "id"}, false);
            context.controls().offload(std::vector<std::string>{"all"}, true);
        };

        const RunResult result = bench.run(graphFrom(
            {"a = test.source text=A", "p = test.pass value:a", "out = test.save value:p"}));

        QCOMPARE(joined(bench.engine.takeCalls()),
                 QString("begin, enter a, leave a, enter p, offload text_encoder, offload id, "
                         "drop all, leave p, enter out, leave out, end finished"));
        const Json& controls = result.report["controls"];
        QCOMPARE(controls.at(0)["action"], Json("evict"));
        QCOMPARE(controls.at(0)["bytes"], Json(2000));
        QCOMPARE(controls.at(0)["before"]["host"], Json(kGiB));
        QCOMPARE(controls.at(1)["action"], Json("drop"));
        QStringList events;
        for (const Json& event : result.report["timeline"]) {
            if (event["what"] == "offload") {
                events << QString::fromStdString(event["subject"].get<std::string>());
            }
        }
        QCOMPARE(events, QStringList({"text_encoder", "id", "all"}));
    }
};

LOWTIDE_TEST(CollectionsTest)

}  // namespace collections_test

#include "collections_test.moc"
