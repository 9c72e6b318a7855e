#include "plugin/base/json.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/bridge/node_status.hpp"

#include <QtTest/QtTest>

namespace node_statuses_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

const Json kStarted = {{"event", "runStarted"}, {"nodes", {"a", "b"}}, {"repetitions", 1}};
const Json kBegun = {{"event", "nodeStarted"}, {"node", "a"}, {"repetition", 1}};
const Json kStep = {{"event", "nodeProgress"},
                    {"node", "a"},
                    {"phase", "step"},
                    {"done", 3.0},
                    {"total", 20.0},
                    {"eta", 4.5}};
const Json kDone = {{"event", "nodeFinished"},
                    {"node", "a"},
                    {"ms", 12.5},
                    {"peakBytes", 4096},
                    {"files", {"a.png"}}};
const Json kKept = {{"event", "nodeCached"}, {"node", "a"}, {"files", {"a.png"}}};
const Json kFault = {{"severity", "error"},
                     {"code", "out_of_memory"},
                     {"node", "a"},
                     {"message", "the memory is used up"}};
const Json kFailed = {{"event", "nodeFailed"}, {"node", "a"}, {"issue", kFault}};
const Json kWarned = {{"event", "nodeIssue"},
                      {"node", "a"},
                      {"issue", {{"severity", "warning"}, {"code", "precision_retry"}}}};
const Json kOver = {{"event", "runFinished"}, {"status", "failed"}, {"issues", {kFault}}};
const Json kCancelled = {
    {"event", "runFinished"}, {"status", "cancelled"}, {"issues", Json::array()}};

const char* nameOf(NodeActivity activity) {
    switch (activity) {
        case NodeActivity::Idle:
            return "idle";
        case NodeActivity::Waiting:
            return "waiting";
        case NodeActivity::Running:
            return "running";
        case NodeActivity::Finished:
            return "finished";
        case NodeActivity::Cached:
            return "cached";
        case NodeActivity::Failed:
            return "failed";
    }
    return "";
}

Json samplePlan() {
    return Json::parse(R"({
        "devices": [{"device": "fake", "capacity": 100}, {"device": "cpu"}],
        "stages": [
            {"node": "a", "devices": {"cpu": {"total": 7}, "fake": {"total": 60}}},
            {"node": "b", "devices": {"cpu": {"total": 9}}},
            {"node": "c", "devices": {"fake": {"total": 5}}}],
        "stays": [
            {"role": "denoiser", "policy": "auto", "from": "a", "to": "a",
             "streamed_bytes_per_pass": 12},
            {"role": "text_encoder", "policy": "model", "from": "a", "to": "c",
             "streamed_bytes_per_pass": 0}],
        "precision": {"a": {"lossy": ["computes in half precision"]},
                      "c.detail": {"lossy": ["stored as f8"]},
                      "b": {"lossy": []}}})");
}

}  // namespace

class NodeStatusesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void followsEvents_data() {
        QTest::addColumn<QList<int>>("which");
        QTest::addColumn<QString>("activity");
        QTest::addColumn<int>("issues");
        // 0 runStarted, 1 nodeStarted, 2 progress, 3 finished, 4 cached, 5 failed, 6 issue, 7 end,
        // 8 cancelled
        QTest::newRow("nothing") << QList<int>{} << "idle" << 0;
        QTest::newRow("run began") << QList<int>{0} << "waiting" << 0;
        QTest::newRow("node began") << QList<int>{0, 1} << "running" << 0;
        QTest::newRow("a step") << QList<int>{0, 1, 2} << "running" << 0;
        QTest::newRow("done") << QList<int>{0, 1, 2, 3} << "finished" << 0;
        QTest::newRow("kept") << QList<int>{0, 4} << "cached" << 0;
        QTest::newRow("failed") << QList<int>{0, 1, 5} << "failed" << 1;
        QTest::newRow("failed, and the run too") << QList<int>{0, 1, 5, 7} << "failed" << 1;
        QTest::newRow("warned and done") << QList<int>{0, 1, 6, 3} << "finished" << 1;
        QTest::newRow("cancelled while waiting") << QList<int>{0, 8} << "idle" << 0;
        QTest::newRow("cancelled in a step") << QList<int>{0, 1, 2, 8} << "idle" << 0;
        QTest::newRow("cancelled when done") << QList<int>{0, 1, 3, 8} << "finished" << 0;
        QTest::newRow("again, in the next repetition") << QList<int>{0, 1, 3, 1} << "running" << 0;
    }

    void followsEvents() {
        QFETCH(QList<int>, which);
        QFETCH(QString, activity);
        QFETCH(int, issues);
        const std::vector<Json> events = {
            kStarted, kBegun, kStep, kDone, kKept, kFailed, kWarned, kOver, kCancelled};
        NodeStatuses statuses;

        for (const int event : which) {
            statuses.take(events[static_cast<size_t>(event)]);
        }

        QCOMPARE(QString(nameOf(statuses.of("a").activity)), activity);
        QCOMPARE(static_cast<int>(statuses.of("a").issues.size()), issues);
    }

    void reportsPhaseAndFigures() {
        NodeStatuses statuses;
        statuses.take(kStarted);
        statuses.take(kBegun);
        statuses.take(kStep);

        QCOMPARE(statuses.of("a").phase, QString("step 3 of 20"));
        QCOMPARE(statuses.of("a").done, 3.0);
        QCOMPARE(statuses.of("a").total, 20.0);
        QCOMPARE(statuses.of("a").secondsLeft.value_or(-1), 4.5);

        statuses.take(kDone);
        QVERIFY(statuses.of("a").phase.isEmpty());
        QCOMPARE(statuses.of("a").milliseconds, 12.5);
        QCOMPARE(statuses.of("a").peakBytes, uint64_t{4096});
        QCOMPARE(statuses.of("a").files, QStringList("a.png"));
    }

    void joinsIssuesOfCheckAndRun() {
        NodeStatuses statuses;
        const Issue checked = {.code = "unknown_parameter", .node = "a", .message = Message("x")};
        statuses.setChecked({checked});
        statuses.take(kFailed);
        QCOMPARE(statuses.of("a").issues.size(), size_t{2});

        statuses.setChecked({});
        QCOMPARE(statuses.of("a").issues.size(), size_t{1});
        QCOMPARE(statuses.of("a").issues[0].code, std::string("out_of_memory"));

        statuses.setChecked({checked});
        statuses.beginRun();
        QCOMPARE(statuses.of("a").issues.size(), size_t{1});
        QCOMPARE(statuses.of("a").issues[0].code, std::string("unknown_parameter"));
    }

    void takesBytesPoliciesAndLossyMarks_ofThePlan() {
        NodeStatuses statuses;
        statuses.setPlan(samplePlan());

        QCOMPARE(statuses.of("a").plannedBytes, uint64_t{60});
        QCOMPARE(statuses.of("b").plannedBytes, uint64_t{9});  // computes elsewhere
        QCOMPARE(statuses.of("a").policy, QString("auto: streams, model"));
        QCOMPARE(statuses.of("b").policy, QString());
        QCOMPARE(statuses.of("c").policy, QString("model"));
        QCOMPARE(statuses.of("a").lossy, QStringList("computes in half precision"));
        QCOMPARE(statuses.of("c").lossy, QStringList("stored as f8"));
        QVERIFY(statuses.of("b").lossy.isEmpty());
    }

    void forgetsThePlan_whenNoneHolds() {
        NodeStatuses statuses;
        statuses.setPlan(samplePlan());
        statuses.setPlan(samplePlan());
        QCOMPARE(statuses.of("a").lossy.size(), 1);

        statuses.setPlan(Json());

        QCOMPARE(statuses.of("a").plannedBytes, uint64_t{0});
        QVERIFY(statuses.of("a").policy.isEmpty());
        QVERIFY(statuses.of("a").lossy.isEmpty());
    }

    void keepsImages_untilTheyAreReplaced() {
        NodeStatuses statuses;
        statuses.takeImage("a", {QImage(4, 4, QImage::Format_RGB32)});

        statuses.beginRun();
        QCOMPARE(statuses.of("a").nodeImage.width(), 4);
        statuses.takeImage("a", {QImage(8, 8, QImage::Format_RGB32)});
        QCOMPARE(statuses.of("a").nodeImage.width(), 8);
        statuses.forget("a");
        QVERIFY(statuses.of("a").nodeImage.isNull());
    }

    void showsPreviews_untilTheRunEnds() {
        const NodeImage preview{.image = QImage(8, 8, QImage::Format_RGB32),
                                .step = ImageStep{.done = 3, .total = 20}};
        NodeStatuses statuses;
        statuses.takeImage("a", {QImage(4, 4, QImage::Format_RGB32)});
        statuses.takeImage("a", preview);
        QVERIFY2(!statuses.of("a").step, "no run is on its way");
        statuses.take(kStarted);
        statuses.take(kBegun);

        statuses.takeImage("a", preview);
        statuses.takeImage("a", preview);
        QCOMPARE(statuses.of("a").step->total, 20);
        QCOMPARE(statuses.of("a").nodeImage.width(), 8);
        statuses.take(kCancelled);

        QVERIFY(!statuses.of("a").step);
        QCOMPARE(statuses.of("a").nodeImage.width(), 4);
    }

    void reportsEachChangeOnce() {
        NodeStatuses statuses;
        QSignalSpy one(&statuses, &NodeStatuses::changed);
        QSignalSpy all(&statuses, &NodeStatuses::allChanged);

        statuses.take(kStarted);
        statuses.take(kBegun);
        statuses.take(kStep);
        statuses.take(kCancelled);

        QCOMPARE(one.count(), 2);
        QCOMPARE(all.count(), 2);
    }

    void survivesEventsOfWrongShape_data() {
        QTest::addColumn<QString>("event");
        QTest::newRow("null") << "null";
        QTest::newRow("a list") << "[1, 2]";
        QTest::newRow("no kind") << R"({"node": "a"})";
        QTest::newRow("numbers for texts") << R"({"event": "nodeFailed", "node": 7, "issue": 3})";
        QTest::newRow("texts for numbers")
            << R"({"event": "nodeFinished", "node": "a", "ms": "long", "files": [1, null]})";
        QTest::newRow("nodes are no list") << R"({"event": "runStarted", "nodes": 12})";
    }

    void survivesEventsOfWrongShape() {
        QFETCH(QString, event);
        NodeStatuses statuses;
        const Json json = Json::parse(event.toStdString());

        statuses.take(json);
        statuses.setPlan(json);

        QCOMPARE(statuses.of("a").milliseconds, 0.0);
    }
};

LOWTIDE_TEST(NodeStatusesTest)

}  // namespace node_statuses_test

#include "node_statuses_test.moc"
