#include "plugin/base/json.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include "examples/qtnodes_host/adapter/run_status.hpp"

namespace run_status_test {

using namespace lowtide;
using namespace lowtide::qtnodes_host;

namespace {

Json nodeEvent(const char* name, const char* node) {
    return {{"event", name}, {"run", 1}, {"node", node}};
}

Json issue(const char* severity, const char* node, const char* message) {
    Json json = {{"severity", severity}, {"message", message}, {"hint", "do that"}};
    if (*node) {
        json["node"] = node;
    }
    return json;
}

RunStatus startedRun() {
    RunStatus status;
    status.apply({{"event", "runStarted"}, {"nodes", {"load", "denoise", "save"}}});
    return status;
}

}  // namespace

class RunStatusTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void nodesWaitFromTheStart() {
        const RunStatus status = startedRun();

        QCOMPARE(status.markOf("denoise").status, NodeStatus::Pending);
        QCOMPARE(status.markOf("elsewhere").status, NodeStatus::Nothing);
        QVERIFY(status.isRunning());
    }

    void mapsEachEvent_data() {
        const testing::Rows<QByteArray, int> add("name", "status");

        const auto row = [&](const char* name, NodeStatus status) {
            add(name, QByteArray(name), static_cast<int>(status));
        };
        row("nodeStarted", NodeStatus::Processing);
        row("nodeCached", NodeStatus::Updated);
        row("nodeFinished", NodeStatus::Updated);
        row("nodeFailed", NodeStatus::Failed);
        row("nodeIssue", NodeStatus::Pending);
        row("memory", NodeStatus::Pending);
        row("of tomorrow", NodeStatus::Pending);
    }

    void mapsEachEvent() {
        QFETCH(QByteArray, name);
        QFETCH(int, status);
        RunStatus run = startedRun();

        run.apply(nodeEvent(name.constData(), "denoise"));

        QCOMPARE(static_cast<int>(run.markOf("denoise").status), status);
        QCOMPARE(run.markOf("save").status, NodeStatus::Pending);
    }

    void reportsProgressAndTimeLeft() {
        RunStatus status = startedRun();
        status.apply(nodeEvent("nodeStarted", "denoise"));
        QCOMPARE(status.permille(), -1);
        Json progress = nodeEvent("nodeProgress", "denoise");
        progress.update({{"phase", "step"}, {"done", 5}, {"total", 20}, {"eta", 2.6}});

        status.apply(progress);

        QCOMPARE(status.permille(), 250);
        QCOMPARE(status.line(), std::string("denoise: step, 3 s left"));

        progress["eta"] = nullptr;
        progress["total"] = 0;
        status.apply(progress);
        QCOMPARE(status.permille(), -1);
        QCOMPARE(status.line(), std::string("denoise: step"));
    }

    void nothingWaitsAfterACancelledRun() {
        RunStatus status = startedRun();
        status.apply(nodeEvent("nodeFinished", "load"));
        status.apply(nodeEvent("nodeStarted", "denoise"));

        status.apply({{"event", "runFinished"}, {"status", "cancelled"}, {"executed", 1}});

        QCOMPARE(status.markOf("load").status, NodeStatus::Updated);
        QCOMPARE(status.markOf("denoise").status, NodeStatus::Nothing);
        QCOMPARE(status.markOf("save").status, NodeStatus::Nothing);
        QCOMPARE(status.outcome(), std::string("cancelled"));
        QVERIFY(!status.isRunning());
    }

    void reportsAFailureOnce_atItsNode() {
        RunStatus status = startedRun();
        Json failed = nodeEvent("nodeFailed", "denoise");
        failed["issue"] = issue("error", "denoise", "too large");
        status.apply(failed);

        status.apply(
            {{"event", "runFinished"},
             {"status", "failed"},
             {"issues",
              {failed["issue"], issue("warning", "", "slow"), issue("info", "load", "a note")}}});

        QCOMPARE(status.markOf("denoise"),
                 (NodeMark{NodeStatus::Failed, Verdict::Errors, "error: too large; do that"}));
        QCOMPARE(status.messages(), std::vector<std::string>{"warning: slow; do that"});
        QCOMPARE(status.markOf("load").verdict, Verdict::Fine);
    }

    void marksWhatTheCheckFound_andForgetsTheRunBefore() {
        RunStatus status = startedRun();
        status.apply(nodeEvent("nodeFinished", "load"));

        status.setChecked({issue("warning", "save", "odd"), issue("error", "save", "missing")});

        QCOMPARE(status.markOf("load").status, NodeStatus::Nothing);
        QCOMPARE(status.markOf("save").verdict, Verdict::Errors);
        QCOMPARE(status.markOf("save").message,
                 std::string("warning: odd; do that\nerror: missing; do that"));
    }

    void reportsThatNothingHadToRun() {
        RunStatus status = startedRun();

        status.apply({{"event", "runFinished"}, {"status", "ok"}, {"executed", 0}});

        QVERIFY(status.line().find("nothing changed") != std::string::npos);
    }

    void listsFiles_alsoThoseThatWereKept() {
        RunStatus status = startedRun();
        Json finished = nodeEvent("nodeFinished", "save");
        finished["files"] = {"a.png"};
        Json cached = nodeEvent("nodeCached", "save_2");
        cached["files"] = {"b.png"};

        status.apply(finished);
        status.apply(cached);

        QCOMPARE(status.files(), (std::vector<std::string>{"a.png", "b.png"}));
    }
};

LOWTIDE_TEST(RunStatusTest)

}  // namespace run_status_test

#include "run_status_test.moc"
