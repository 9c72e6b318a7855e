#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/recorded.hpp"
#include "ui/panels/measured_chart.hpp"
#include "ui/panels/timeline_chart.hpp"

#include <QtTest/QtTest>

namespace run_views_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

graph::Catalog sampleCatalog() {
    return graph::Catalog(
        {{.id = "test.sample",
          .label = "Sample",
          .params = {
              {.id = "seed", .label = "Seed", .kind = ParamKind::Seed, .defaultValue = uint64_t{1}},
              {.id = "steps",
               .label = "Steps",
               .kind = ParamKind::Int,
               .defaultValue = int64_t{20}}}}});
}

std::string graphWith(int seed, int steps, int x) {
    return Json{{"format", 1},
                {"nodes",
                 {{"a",
                   {{"type", "test.sample"},
                    {"v", 1},
                    {"position", {x, 0}},
                    {"params", {{"seed", seed}, {"steps", steps}}}}}}},
                {"links", Json::array()}}
        .dump();
}

/// The first one, with something else at its node.
std::string graphWith(const char* key, const Json& value) {
    Json graph = Json::parse(graphWith(1, 20, 0));
    graph["nodes"]["a"][key] = value;
    return graph.dump();
}

const Json kExecuted = {{"repetitions", {{{"executed", {"a"}}}}}};
const Json kKept = {{"repetitions", {{{"executed", Json::array()}}}}};

}  // namespace

class RunViewsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void followsARunByItsEvents();
    void takesTheCopyTimesOfTheReport();
    void comparesMeasuredWithPredicted();
    void measuresTheLastRepetition();
    void measuresNothing_whenAllWasKept();
    void knowsRunsOfOneKind_data();
    void knowsRunsOfOneKind();
    void reportsSlowRuns_data();
    void reportsSlowRuns();
    void forgetsTheOldestKind();
};

void RunViewsTest::followsARunByItsEvents() {
    TimelineRecorder recorder;
    recorder.begin(100);
    double now = 100;
    for (const Json& event : recordedEvents()) {
        recorder.take(event, now);
        now += 0.5;
    }

    const RunTimeline line = recorder.timeline(now);

    QCOMPARE(line.compute.size(), size_t{6});
    QCOMPARE(line.compute[3].node, std::string("denoise"));
    QVERIFY(line.compute[3].end > line.compute[3].begin);
    QVERIFY(!line.held.empty());
    QVERIFY(line.isLive);
}

void RunViewsTest::takesTheCopyTimesOfTheReport() {
    RunTimeline live;
    live.held = {{0.1, 5}};
    const RunTimeline line = timelineOf(recorded("report.json"), live);

    QCOMPARE(line.compute.size(), size_t{6});
    QVERIFY(!line.copies.empty());
    QVERIFY(!line.evictions.empty());
    QCOMPARE(line.collections.size(), size_t{2});
    QCOMPARE(line.collections[0].point, std::string("prompt encode"));
    QCOMPARE(line.held.size(), size_t{1});
    QVERIFY(!line.isLive);
    QVERIFY(line.seconds >= line.compute.back().end);
}

void RunViewsTest::comparesMeasuredWithPredicted() {
    const auto view = measuredViewOf(recorded("report.json"));
    QVERIFY(view);

    QCOMPARE(view->nodes.size(), size_t{6});
    const MeasuredNode& denoise = view->nodes[3];
    QCOMPARE(denoise.node, std::string("denoise"));
    QCOMPARE(denoise.peak, 8 * kMiB);
    QCOMPARE(denoise.plannedPeak.value_or(0), 8 * kMiB);
    QVERIFY(denoise.seconds > denoise.plannedSeconds.value_or(1000));  // no GPU is so slow
    QVERIFY(denoise.copySeconds.has_value());
    QVERIFY(!view->nodes[0].copySeconds.has_value());
    QCOMPARE(view->peak, 8 * kMiB);
    QCOMPARE(view->plannedPeak, 8 * kMiB);
    QCOMPARE(view->collections, 2);
    QVERIFY(view->saved > 0);
}

void RunViewsTest::measuresTheLastRepetition() {
    Json report = recorded("report.json");
    Json last = report["repetitions"][0];
    last["nodes"][3]["ms"] = 7000;
    for (Json& stage : last["traffic"]["stages"]) {
        stage["lanes"] = {{"fake", {{"copy", 1}, {"wait", 2}}},
                          {"disk", {{"copy", 3}, {"wait", 4}}}};
    }
    report["repetitions"].push_back(last);

    const MeasuredNode denoise = measuredViewOf(report)->nodes[3];

    QCOMPARE(denoise.seconds, 7.0);
    QCOMPARE(denoise.copySeconds.value_or(0), 4.0);
    QCOMPARE(denoise.waitSeconds, 6.0);
}

void RunViewsTest::measuresNothing_whenAllWasKept() {
    QVERIFY(!measuredViewOf(Json()));
    QVERIFY(!measuredViewOf({{"repetitions", Json::array()}}));
    QVERIFY(!measuredViewOf({{"repetitions", {{{"nodes", Json::array()}, {"cached", {"a"}}}}}}));
}

void RunViewsTest::knowsRunsOfOneKind_data() {
    QTest::addColumn<QString>("graph");
    QTest::addColumn<bool>("hasBudget");
    QTest::addColumn<bool>("wasKept");
    QTest::addColumn<bool>("isSame");
    const auto row = [](const char* name, const std::string& graph) -> QTestData& {
        return QTest::newRow(name) << QString::fromStdString(graph);
    };
    row("the same", graphWith(1, 20, 0)) << false << false << true;
    row("another seed", graphWith(2, 20, 0)) << false << false << true;
    row("another position", graphWith(1, 20, 99)) << false << false << true;
    row("other steps", graphWith(1, 10, 0)) << false << false << false;
    row("another memory policy", graphWith("memory", "block")) << false << false << false;
    row("another precision", graphWith("precision", "f16")) << false << false << false;
    row("muted", graphWith("mode", "muted")) << false << false << false;
    row("another budget", graphWith(1, 20, 0)) << true << false << false;
    row("kept results", graphWith(1, 20, 0)) << false << true << false;
}

void RunViewsTest::knowsRunsOfOneKind() {
    QFETCH(QString, graph);
    QFETCH(bool, hasBudget);
    QFETCH(bool, wasKept);
    QFETCH(bool, isSame);
    const graph::Catalog catalog = sampleCatalog();
    const Json budget = {{"memoryBudget", "1GiB"}};
    const Json none = Json::object();

    const std::string first = timeKeyOf(graphWith(1, 20, 0), none, kExecuted, catalog);
    const std::string second = timeKeyOf(
        graph.toStdString(), hasBudget ? budget : none, wasKept ? kKept : kExecuted, catalog);

    QVERIFY(!first.empty());
    QCOMPARE(first == second, isSame);
    QVERIFY(timeKeyOf("no graph", none, kExecuted, catalog).empty());
}

void RunViewsTest::reportsSlowRuns_data() {
    testing::addTable<double, double, bool>({"first", "second", "isReported"},
                                            {{"as long", 1000.0, 1000.0, false},
                                             {"1.3 times", 1000.0, 1300.0, false},
                                             {"a little more", 1000.0, 1301.0, true},
                                             {"both short", 1.0, 2.0, false},
                                             {"faster", 1000.0, 500.0, false},
                                             {"no time", 1000.0, 0.0, false}});
}

void RunViewsTest::reportsSlowRuns() {
    QFETCH(double, first);
    QFETCH(double, second);
    QFETCH(bool, isReported);
    RunTimes times;

    QVERIFY(!times.take("key", first));
    QVERIFY(!times.take("other key", 1));
    const auto slower = times.take("key", second);

    QCOMPARE(slower.has_value(), isReported);
    QCOMPARE(slower ? slower->lastMilliseconds : first, first);
}

void RunViewsTest::forgetsTheOldestKind() {
    RunTimes times;
    times.take("first", 1000);
    times.take("second", 1000);
    times.take("first", 1000);
    for (size_t i = 0; i + 1 < RunTimes::kMostKeys; ++i) {
        times.take(std::to_string(i), 1000);
    }
    QVERIFY(times.take("first", 2000));
    QVERIFY(!times.take("second", 2000));
}

LOWTIDE_TEST(RunViewsTest)

}  // namespace run_views_test

#include "run_views_test.moc"
