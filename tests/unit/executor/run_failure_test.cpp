#include "plugin/base/error.hpp"
#include "plugin/executor/graph_spec.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/executor/run_bench.hpp"
#include "tests/unit/executor/stub_world.hpp"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QRegularExpression>
#include <QtCore/QSet>
#include <QtCore/QTemporaryDir>
#include <QtTest/QtTest>

#include <stdexcept>

namespace run_failure_test {

using namespace lowtide;
using namespace lowtide::executor;

using Fault = std::function<void(Context&)>;

namespace {

const std::vector<std::string> kChain = {
    "a = test.source text=A", "b = test.join a:a", "c = test.join a:b", "out = test.save value:c"};

class FailingHooks final : public RunHooks {
public:
    explicit FailingHooks(std::string at) : at_(std::move(at)) {}

    void beforeRun(int) override { failAt("beforeRun"); }

    void beforeNode(std::string_view node) override { failAt("beforeNode " + std::string(node)); }

    void afterNode(std::string_view node, double) override {
        failAt("afterNode " + std::string(node));
    }

    void afterRun(memory::Outcome) override {
        ++ends;
        failAt("afterRun");
    }

    int ends = 0;

private:
    void failAt(const std::string& call) const {
        if (call == at_) {
            throw Error(ErrorKind::Corrupt, Message("the disk is full"));
        }
    }

    std::string at_;
};

}  // namespace

class RunFailureTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void pinsTheFaultToItsNode_data() {
        const testing::Rows<Fault, QString> row("fault", "issue");
        row(
            "error with item",
            [](Context&) {
                throw Error(ErrorKind::InvalidInput, Message("bad"), Message("do"), "steps");
            },
            "invalid_input c.steps");
        row(
            "std exception",
            [](Context&) { throw std::runtime_error("first\nsecond"); },
            "internal_error c.");
        row(
            "no exception type", [](Context&) { throw 5; }, "internal_error c.");
        row(
            "undeclared output",
            [](Context& context) { context.output("other", context.input("a")); },
            "internal_error c.other");
        row(
            "wrong type",
            [](Context& context) {
                context.output("value", std::make_shared<StubValue>("OTHER", "", "cpu", 1));
            },
            "internal_error c.value");
        row(
            "null value",
            [](Context& context) { context.output("value", nullptr); },
            "internal_error c.value");
        row(
            "undeclared input",
            [](Context& context) { static_cast<void>(context.input("z")); },
            "internal_error c.z");
        row(
            "undeclared parameter",
            [](Context& context) { static_cast<void>(context.text("z")); },
            "internal_error c.z");
    }

    void pinsTheFaultToItsNode() {
        QFETCH(Fault, fault);
        QFETCH(QString, issue);
        RunBench bench;
        bench.world.during["c"] = fault;

        const RunResult result = bench.run(graphFrom(kChain));

        QCOMPARE(result.status, Status::Failed);
        QCOMPARE(issuesOf(result), issue);
        QVERIFY(result.issues[0].message.str().find('\n') == std::string::npos);
        QCOMPARE(bench.observer->named("nodeFailed")[0]["node"], Json("c"));
        QCOMPARE(bench.observer->named("runFinished")[0]["status"], Json("failed"));
        QCOMPARE(bench.observer->lines().back(), QString("runFinished"));
        QCOMPARE(
            joined(bench.engine.takeCalls()),
            QString("begin, enter a, leave a, enter b, leave b, enter c, leave c, end failed"));
        QCOMPARE(bench.wiresOn("cpu"), Bytes(0));
    }

    /// A host acts on them: what the graph can change is no failure of the run.
    void reportsCodeAndFactsOfAnError_beforeTheRun() {
        RunBench bench;
        bench.world.duringSourceSpec = [](const SpecContext&) {
            throw CodedError(Error(ErrorKind::InvalidInput,
                                   Message("no size of the model"),
                                   Message("fit it"),
                                   "text"),
                             kImageSizeCode,
                             R"({"multiple":8})");
        };

        const RunResult result = bench.run(graphFrom(kChain));

        QCOMPARE(result.status, Status::Invalid);
        QCOMPARE(issuesOf(result), QString("picture_size a.text"));
        QCOMPARE(QString::fromStdString(result.issues[0].facts), QString(R"({"multiple":8})"));
        QCOMPARE(QString::fromStdString(result.issues[0].hint.str()), QString("fit it"));
    }

    void blamesANode_thatForgetsAnOutput() {
        RunBench bench;
        bench.world.silentNode = "c";

        const RunResult result = bench.run(graphFrom(kChain));

        QCOMPARE(result.status, Status::Failed);
        QCOMPARE(issuesOf(result), QString("internal_error c.value"));
    }

    void namesALostDevice_whateverFailedBecauseOfIt() {
        RunBench bench;
        bench.world.during["c"] = [&bench](Context&) {
            bench.engine.lost = "the device fake was lost: an illegal address";
            throw Error(ErrorKind::OutOfMemory,
                        Message("the memory is used up"));  // it is not tried again
        };

        const RunResult result = bench.run(graphFrom(kChain));

        QCOMPARE(result.status, Status::Failed);
        QCOMPARE(issuesOf(result), QString("device_failed c."));
        QCOMPARE(QString::fromStdString(result.issues[0].message.str()),
                 QString("the device fake was lost: an illegal address"));
        QCOMPARE(
            joined(bench.engine.takeCalls()),
            QString("begin, enter a, leave a, enter b, leave b, enter c, leave c, end failed"));
    }

    void keepsWhatWasFinished_andRunsCleanAfterwards() {
        RunBench bench;
        bench.world.valueDevice = "fake";
        bench.world.during["c"] = [](Context&) { throw Error(ErrorKind::Device, Message("lost")); };
        bench.run(graphFrom(kChain), {.device = memory::parseDeviceSpec("fake")});
        QCOMPARE(bench.wiresOn("fake"), Bytes(0));
        bench.world.during.clear();
        bench.engine.takeCalls();

        const RunResult result =
            bench.run(graphFrom(kChain), {.device = memory::parseDeviceSpec("fake")});

        QCOMPARE(result.status, Status::Ok);
        QCOMPARE(executed(result), QString("c out"));
        QCOMPARE(joined(bench.engine.takeCalls()),
                 QString("begin, enter c, leave c, enter out, leave out, end finished"));
        QCOMPARE(joined(bench.world.takeSaved()), QString("((A+-)+-)"));
    }

    void refusesBeforeTheFirstNode_whenASpecFails() {
        RunBench bench;
        bench.world.duringSourceSpec = [](const SpecContext&) {
            throw Error(
                ErrorKind::NotFound, Message("no such file"), Message("check the path"), "text");
        };

        const RunResult result = bench.run(graphFrom(kChain));

        QCOMPARE(result.status, Status::Invalid);
        QCOMPARE(issuesOf(result), QString("not_found a.text"));
        QCOMPARE(joined(bench.engine.takeCalls()), QString());
    }

    /// Not after hours of work.
    void refusesBeforeTheFirstNode_whenTheFolderTakesNoFiles() {
        const QTemporaryDir folder;
        QFile file(folder.filePath("file"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        RunBench bench;

        const RunResult result =
            bench.run(graphFrom({"a = test.source text=A", "out = test.write value:a"}),
                      {.outputFolder = folder.filePath("file").toStdString()});

        QCOMPARE(issuesOf(result), QString("invalid_input out."));
        QVERIFY(!joined(bench.engine.takeCalls()).contains("enter a"));
    }

    void leavesNothingInAFolder_thatTakesFiles() {
        const QTemporaryDir folder;
        RunBench bench;

        const RunResult result =
            bench.run(graphFrom({"a = test.source text=A", "out = test.write value:a"}),
                      {.outputFolder = folder.path().toStdString()});

        QCOMPARE(result.status, Status::Ok);
        QVERIFY(QDir(folder.path()).isEmpty());  // what was tried is gone; the node writes nothing
    }

    void refusesASpec_thatLeavesOutAnOutput() {
        StubWorld world;
        std::vector<NodeType> types = stubNodes(world);
        types.front().spec = [](const SpecContext&) { return NodeSpec{}; };
        const NodeTypes nodeTypes(std::move(types));
        const auto snapshot =
            graph::makeSnapshot(graph::documentFromJson(graphFrom(kChain)), nodeTypes.catalog());

        const auto graphSpec = makeGraphSpec(*snapshot, nodeTypes, "", "");

        const auto* issue = std::get_if<Issue>(&graphSpec);
        QVERIFY(issue);
        QCOMPARE(issue->node, std::string("a"));
        QCOMPARE(issue->item, std::string("value"));
    }

    void pinsAMissingDevice_toTheNodeThatNamesIt() {
        RunBench bench;
        Json graph = graphFrom(kChain);
        graph["nodes"]["b"]["memory"] = "model@cuda:1";

        const RunResult result = bench.run(graph);

        QCOMPARE(result.status, Status::Failed);
        QCOMPARE(issuesOf(result), QString("device_failed b."));
    }

    void endsWhatItBegan_wheneverTheEngineThrows_data() {
        const testing::Rows<QString, QString, QString> row("at", "issue", "calls");
        row("begin", "begin", "corrupt_file .", "");
        row("enter", "enter b", "corrupt_file b.", "begin, enter a, leave a, end failed");
        row("confirm",
            "confirm b",
            "corrupt_file b.",
            "begin, enter a, leave a, enter b, leave b, end failed");
    }

    void endsWhatItBegan_wheneverTheEngineThrows() {
        QFETCH(QString, at);
        QFETCH(QString, issue);
        QFETCH(QString, calls);
        RunBench bench;
        bench.engine.before = [&](std::string_view call) {
            if (call == at.toStdString()) {
                throw Error(ErrorKind::Corrupt, Message("the file changed"));
            }
        };

        const RunResult result = bench.run(graphFrom(kChain));

        QCOMPARE(result.status, Status::Failed);
        QCOMPARE(issuesOf(result), issue);
        QCOMPARE(joined(bench.engine.takeCalls()), calls);
        bench.engine.before = {};
        QCOMPARE(bench.run(graphFrom(kChain)).status, Status::Ok);
    }

    /// One after the other, until a run makes no more calls. Those that plan and report among them.
    void endsTheRun_whicheverCallOfTheEngineThrows() {
        const auto chain = graphFrom({"a = test.source text=A",
                                      "b = test.denoise a:a",
                                      "c = test.join a:b",
                                      "out = test.save value:c"});
        QSet<QString> thrown;
        for (int number = 1;; ++number) {
            RunBench bench;
            bench.world.components["test.join"] = networkOf(100);
            int calls = 0;
            QString at;
            bool isCollecting = false;
            bool wasCollecting = false;
            bench.engine.before = [&](std::string_view call) {
                isCollecting = call.starts_with("memoryState") || call.starts_with("collect") ||
                               (isCollecting && call == "pinnedComponents");
                if (++calls == number) {
                    at = QString::fromUtf8(call.data(), static_cast<qsizetype>(call.size()));
                    wasCollecting = isCollecting;
                    throw Error(ErrorKind::Internal, Message("the call failed"));
                }
            };
            const auto hooks = std::make_shared<FailingHooks>("nowhere");

            const RunResult result = bench.run(chain, {}, hooks);

            bench.engine.before = {};
            if (at.isEmpty()) {
                QCOMPARE(result.status, Status::Ok);
                break;
            }
            thrown << at.section(' ', 0, 0);
            QVERIFY2(result.status == (wasCollecting ? Status::Ok : Status::Failed),
                     qPrintable(at));
            QVERIFY2(!result.issues.empty() && result.issues[0].message == "the call failed",
                     qPrintable(at));
            QVERIFY2(hooks->ends <= 1, qPrintable(at));
            QCOMPARE(bench.wiresOn("cpu"), Bytes(0));
            QCOMPARE(bench.run(chain, {.forceExecution = true}).status, Status::Ok);
        }
        for (const char* call :
             {"traits", "profile", "begin", "confirm", "keptComponents", "pinnedComponents"}) {
            QVERIFY2(thrown.contains(call), call);
        }
    }

    void failsWithItsHooks_data() {
        const testing::Rows<QString, QString, int> row("at", "issue", "ends");
        row("beforeRun", "beforeRun", "corrupt_file .", 0);
        row("beforeNode", "beforeNode b", "corrupt_file b.", 1);
        row("afterNode", "afterNode b", "corrupt_file b.", 1);
        row("afterRun", "afterRun", "corrupt_file .", 1);
    }

    void failsWithItsHooks() {
        QFETCH(QString, at);
        QFETCH(QString, issue);
        QFETCH(int, ends);
        RunBench bench;
        const auto hooks = std::make_shared<FailingHooks>(at.toStdString());

        const RunResult result = bench.run(graphFrom(kChain), {}, hooks);

        QCOMPARE(result.status, Status::Failed);
        QCOMPARE(issuesOf(result), issue);
        QCOMPARE(hooks->ends, ends);
        QCOMPARE(bench.wiresOn("cpu"), Bytes(0));
    }

    void cancelsNow_afterTheRunningNode() {
        RunBench bench;
        bench.world.during["b"] = [&](Context&) { bench.queue.cancel(1, CancelMode::Now); };

        const RunResult result = bench.run(graphFrom(kChain));

        QCOMPARE(result.status, Status::Cancelled);
        QCOMPARE(executed(result), QString("a b"));
        QVERIFY(result.issues.empty());
        QVERIFY(bench.observer->named("nodeFailed").empty());
        QCOMPARE(joined(bench.engine.takeCalls()),
                 QString("begin, enter a, leave a, enter b, leave b, end cancelled"));
        QCOMPARE(bench.wiresOn("cpu"), Bytes(0));
        QCOMPARE(executed(bench.run(graphFrom(kChain))), QString("c out"));
    }

    void cancelsInsideANode() {
        RunBench bench;
        bench.world.during["b"] = [&](Context& context) {
            bench.queue.cancel(1, CancelMode::AfterThisImage);
            context.stop().throwIfStopped();
            context.stop().throwIfStoppedBetweenImages();
        };

        const RunResult result = bench.run(graphFrom(kChain));

        QCOMPARE(result.status, Status::Cancelled);
        QCOMPARE(executed(result), QString("a"));
        QCOMPARE(joined(bench.engine.takeCalls()),
                 QString("begin, enter a, leave a, enter b, leave b, end cancelled"));
    }

    void finishesTheImage_whenCancelledAfterIt() {
        RunBench bench;
        bench.world.during["b"] = [&](Context&) {
            bench.queue.cancel(1, CancelMode::AfterThisImage);
        };

        const RunResult result = bench.run(graphFrom(kChain), {.repeat = 3});

        QCOMPARE(result.status, Status::Cancelled);
        QCOMPARE(result.report["repetitions"].size(), size_t(1));
        QCOMPARE(executed(result), QString("a b c out"));
    }

    void keepsAFailedRunsErrorFirst() {
        RunBench bench;
        bench.world.during["b"] = [](Context&) { throw Error(ErrorKind::Device, Message("lost")); };

        const RunResult result =
            bench.run(graphFrom(kChain), {}, std::make_shared<FailingHooks>("afterRun"));

        QCOMPARE(issuesOf(result), QString("device_failed b."));
    }

    /// A bug of ours costs the run, not the host.
    void failsTheRun_whenAnAssertionFails() {
        RunBench bench;
        const int answer = 41;
        bench.world.during["c"] = [&](Context&) { LOWTIDE_ASSERT(answer == 42); };

        const RunResult result = bench.run(graphFrom(kChain));

        QCOMPARE(result.status, Status::Failed);
        QCOMPARE(issuesOf(result), QString("internal_error c."));
        const QRegularExpression position(
            R"(run_failure_test\.cpp:\d+: answer == 42 does not hold)");
        QVERIFY(position.match(QString::fromStdString(result.issues[0].message.str())).hasMatch());
        QVERIFY(!result.issues[0].hint.empty());
        QCOMPARE(bench.wiresOn("cpu"), Bytes(0));
        bench.world.during.erase("c");
        QCOMPARE(bench.run(graphFrom(kChain)).status, Status::Ok);
    }

    void failsTheRun_whenTheAccountingIsWrong() {
        RunBench bench;
        bench.world.during["c"] = [&](Context&) {
            bench.engine.ledger().add("cpu", memory::Tag::Workspace, "nobody", -5);
        };

        const RunResult result = bench.run(graphFrom(kChain));

        QCOMPARE(result.status, Status::Failed);
        QCOMPARE(issuesOf(result), QString("internal_error c."));
        QVERIFY(result.issues[0].message.str().find("nobody") != std::string::npos);
        QCOMPARE(bench.engine.ledger().bytesOn("cpu", memory::Tag::Workspace), Bytes(0));
        QCOMPARE(bench.wiresOn("cpu"), Bytes(0));
        bench.world.during.erase("c");
        QCOMPARE(bench.run(graphFrom(kChain)).status, Status::Ok);
    }
};

LOWTIDE_TEST(RunFailureTest)

}  // namespace run_failure_test

#include "run_failure_test.moc"
