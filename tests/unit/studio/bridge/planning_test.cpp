#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/scripted_runner.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/document/edits.hpp"

#include <QtTest/QtTest>

namespace planning_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 20000;

graph::Catalog sampleCatalog() {
    return graph::Catalog({{.id = "test.source",
                            .label = "Source",
                            .outputs = {{.id = "value", .label = "Value", .type = "TEXT"}},
                            .params = {{.id = "steps",
                                        .label = "Steps",
                                        .kind = ParamKind::Int,
                                        .defaultValue = int64_t{20}}}}});
}

/// A graph of one node, and a module that answers questions about it.
struct Bench {
    graph::Catalog catalog = sampleCatalog();
    GraphModel model{catalog};
    ScriptedRunner runner;
    std::string node;

    Bench() {
        graph::Document document;
        node = addNode(document, catalog.nodes()[0], {});
        model.load(document);
    }

    void setSteps(int steps) {
        model.apply("steps", [&](graph::Document& document) {
            document.nodes.at(node).params["steps"] = steps;
        });
    }
};

Json planOf(int bytes) {
    return {{"issues", Json::array()}, {"plan", {{"bytes", bytes}}}};
}

const Json kFine = {{"issues", Json::array()}};

}  // namespace

class PlanningTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void asksOnce_whenEditsCameQuickly() {
        Bench bench;
        bench.runner.setAnswers(kFine, planOf(1));
        Planning planning(bench.runner, bench.model);
        QSignalSpy answered(&planning, &Planning::answered);

        for (int steps = 1; steps <= 5; ++steps) {
            bench.setSteps(steps);
            QTest::qWait(20);
        }
        QCOMPARE(answered.count(), 0);
        QVERIFY(!planning.planned().isFresh);

        QTRY_COMPARE_WITH_TIMEOUT(answered.count(), 1, kPatience);
        QCOMPARE(bench.runner.askedGraphs().size(), size_t{1});
        QCOMPARE(bench.runner.askedGraphs()[0], graph::toText(bench.model.document()));
        QVERIFY(planning.planned().isFresh);
        QCOMPARE(planning.planned().plan["bytes"], Json(1));
    }

    void asksAgain_whenTheMeaningChanges() {
        Bench bench;
        Planning planning(bench.runner, bench.model);
        QSignalSpy answered(&planning, &Planning::answered);
        planning.askNow();
        QTRY_COMPARE_WITH_TIMEOUT(answered.count(), 1, kPatience);

        bench.setSteps(7);
        QVERIFY(!planning.planned().isFresh);

        QTRY_COMPARE_WITH_TIMEOUT(answered.count(), 2, kPatience);
    }

    void asksNothing_whenANodeMoves() {
        Bench bench;
        Planning planning(bench.runner, bench.model);
        QSignalSpy answered(&planning, &Planning::answered);
        planning.askNow();
        QTRY_COMPARE_WITH_TIMEOUT(answered.count(), 1, kPatience);

        bench.model.apply("move", [&](graph::Document& document) {
            setPosition(document.nodes.at(bench.node), {400, 300});
        });
        QTest::qWait(400);

        QCOMPARE(bench.runner.askedGraphs().size(), size_t{1});
        QVERIFY(planning.planned().isFresh);
    }

    void givesTheNewestAnswer_whenTheGraphChangedMeanwhile() {
        Bench bench;
        bench.runner.setAnswers(kFine, planOf(1), Status::Ok, 300);
        Planning planning(bench.runner, bench.model);
        QSignalSpy answered(&planning, &Planning::answered);
        planning.askNow();
        QTRY_COMPARE_WITH_TIMEOUT(bench.runner.askedGraphs().size(), size_t{1}, kPatience);

        bench.setSteps(9);

        QTRY_COMPARE_WITH_TIMEOUT(answered.count(), 1, kPatience);
        QCOMPARE(bench.runner.askedGraphs().back(), graph::toText(bench.model.document()));
        QVERIFY(planning.planned().isFresh);
    }

    void asksWithTheOptions() {
        Bench bench;
        Planning planning(bench.runner, bench.model);
        QSignalSpy answered(&planning, &Planning::answered);

        planning.setOptions({{"device", "fake:8GiB"}});
        QTRY_COMPARE_WITH_TIMEOUT(answered.count(), 1, kPatience);
        planning.setOptions({{"device", "fake:8GiB"}});  // the same
        QTest::qWait(400);

        QCOMPARE(answered.count(), 1);
        QCOMPARE(planning.options()["device"], Json("fake:8GiB"));
    }

    void plansForACard_insteadOfTheDevice() {
        Bench bench;
        Planning planning(bench.runner, bench.model);
        QSignalSpy answered(&planning, &Planning::answered);
        planning.setOptions({{"device", "fake:8GiB"}, {"graphFolder", "f"}});
        QTRY_COMPARE_WITH_TIMEOUT(answered.count(), 1, kPatience);

        planning.planFor("RTX 4060");
        QTRY_COMPARE_WITH_TIMEOUT(answered.count(), 2, kPatience);
        QCOMPARE(planning.options(), (Json{{"as", "RTX 4060"}, {"graphFolder", "f"}}));
        planning.setOptions(
            {{"device", "cpu"}, {"graphFolder", "g"}});  // as a file is saved elsewhere
        QTRY_COMPARE_WITH_TIMEOUT(answered.count(), 3, kPatience);
        QCOMPARE(planning.options(), (Json{{"as", "RTX 4060"}, {"graphFolder", "g"}}));
        QCOMPARE(planning.card(), std::string("RTX 4060"));

        planning.planFor("");
        QCOMPARE(planning.options(), (Json{{"device", "cpu"}, {"graphFolder", "g"}}));
        QTRY_COMPARE_WITH_TIMEOUT(answered.count(), 4, kPatience);
    }

    void asksNoPlan_whenTheCheckFails() {
        Bench bench;
        bench.runner.setAnswers({{"issues", {{{"code", "prompt_no_outputs"}, {"message", "m"}}}}},
                                planOf(1));
        Planning planning(bench.runner, bench.model);
        planning.askNow();

        QTRY_VERIFY_WITH_TIMEOUT(planning.planned().isFresh, kPatience);
        QVERIFY(planning.planned().plan.is_null());
        QCOMPARE(planning.planned().issues.size(), size_t{1});
    }

    void explainsWhyThereIsNoPlan() {
        Bench bench;
        bench.runner.setAnswers(kFine,
                                {{"issues",
                                  {{{"code", "memory_infeasible"},
                                    {"node", "denoise"},
                                    {"message", "needs"},
                                    {"hint", "set"}}}}},
                                Status::Invalid);
        Planning planning(bench.runner, bench.model);
        planning.askNow();

        QTRY_VERIFY_WITH_TIMEOUT(planning.planned().isFresh, kPatience);
        QVERIFY(planning.planned().plan.is_null());
        QCOMPARE(planning.planned().issues[0].hint.str(), std::string("set"));
    }

    void plansBeyondTheBudget_whenTheRunDoesNotFit() {
        Bench bench;
        bench.runner.setAnswers(kFine,
                                {{"issues",
                                  {{{"code", "memory_infeasible"},
                                    {"message", "too large"},
                                    {"facts", {{"budget", 20897792}, {"device", "fake"}}}}}}},
                                Status::Invalid);
        bench.runner.setPlanWithin({{"bytes", 20897792}});
        Planning planning(bench.runner, bench.model);
        planning.askNow();

        QTRY_VERIFY_WITH_TIMEOUT(planning.planned().isFresh, kPatience);
        QVERIFY(planning.planned().plan.is_null());
        QCOMPARE(planning.planned().beyond, (Json{{"bytes", 20897792}}));
        QCOMPARE(bench.runner.lastBudget(), std::string("fake=20897792"));
    }

    void waitsForARunToEnd_whenTheModuleIsBusy() {
        Bench bench;
        bench.runner.setAnswers(kFine,
                                {{"issues", {{{"code", "busy"}, {"message", "a run is at work"}}}}},
                                Status::Invalid);
        Planning planning(bench.runner, bench.model);
        QSignalSpy answered(&planning, &Planning::answered);
        planning.askNow();

        QTRY_VERIFY_WITH_TIMEOUT(answered.count() >= 1, kPatience);
        QVERIFY(planning.planned().issues.empty());  // no fault of the graph
        QVERIFY(!planning.planned().isFresh);
        bench.runner.setAnswers(kFine, planOf(5));

        QTRY_VERIFY_WITH_TIMEOUT(planning.planned().isFresh, kPatience);
        QCOMPARE(planning.planned().plan["bytes"], Json(5));
    }

    void neverHoldsUpTheGuiThread() {
        Bench bench;
        bench.runner.setAnswers(kFine, planOf(1), Status::Ok, 2000);
        Planning planning(bench.runner, bench.model);
        QElapsedTimer clock;
        clock.start();

        planning.askNow();
        bench.setSteps(3);

        QVERIFY2(clock.elapsed() < 1000, qPrintable(QString::number(clock.elapsed())));
        QTRY_VERIFY_WITH_TIMEOUT(planning.planned().isFresh, kPatience);
    }

    void isDestroyed_whileItAsks() {
        Bench bench;
        bench.runner.setAnswers(kFine, planOf(1), Status::Ok, 200);
        {
            Planning planning(bench.runner, bench.model);
            planning.askNow();
            QTRY_COMPARE_WITH_TIMEOUT(bench.runner.askedGraphs().size(), size_t{1}, kPatience);
        }
        QTest::qWait(50);
        QCOMPARE(bench.runner.askedGraphs().size(), size_t{1});
    }
};

LOWTIDE_TEST(PlanningTest)

}  // namespace planning_test

#include "planning_test.moc"
