#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/unit/studio/panels/panel_bench.hpp"
#include "ui/panels/issues_panel.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace issues_panel_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 20000;

Json tooFewSteps() {
    return {{"severity", "error"},
            {"code", "value_smaller_than_min"},
            {"node", "denoise"},
            {"item", "steps"},
            {"message", "steps is 0, the least is 1"},
            {"hint", "give a value from 1 to 100"}};
}

Json withIssues(const std::vector<Json>& issues) {
    return {{"issues", issues}};
}

struct IssuesOnBench : PanelBench {
    IssuesPanel panel{model, planning, queue};
    QListView* list = panel.findChild<QListView*>("issues");

    IssuesOnBench() {
        panel.resize(320, 400);
        panel.show();
    }

    void ask(const std::vector<Json>& issues) {
        runner().setAnswers(withIssues(issues), {{"issues", Json::array()}, {"plan", nullptr}});
        planning.askNow();
        [&] { QTRY_VERIFY_WITH_TIMEOUT(planning.planned().isFresh, kPatience); }();
    }

    void click(int row) {
        const QRect rect = list->visualRect(list->model()->index(row, 0));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, rect.center());
    }
};

}  // namespace

class IssuesPanelTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    /// Rows follow the plan's answer, which takes a while.
    void aRepairOfANodeThatIsGoneDoesNothing() {
        IssuesOnBench bench;
        bench.ask({tooFewSteps()});
        bench.click(0);
        auto* fix = bench.panel.findChild<QPushButton*>("fix_0");
        QVERIFY(fix);
        bench.model.apply("Remove", [](graph::Document& document) { document.nodes.clear(); });

        QTest::mouseClick(fix, Qt::LeftButton);

        QVERIFY(bench.model.document().nodes.empty());
        QVERIFY(!bench.panel.findChild<QPushButton*>("fix_0") ||
                !bench.panel.findChild<QPushButton*>("fix_0")->isVisible());
    }

    void initTestCase() { PanelBench::useTheme(false); }

    void reportsThatTheGraphCanRun();
    void listsErrorsFirst();
    void jumpsToTheNode();
    void fixesTheGraph_byAButton();
    void itsButtonRemainsWhileNothingDiffers();
    void asksForAConversion_byAButton();
    void copiesAReport();
    void knowsWhichSentencesAreCut();
    void addsWhatTheRunReported();
    void whatTheRunReportedOfANodeGoesWithItsNextChange();
    void looks_data();
    void looks();
};

void IssuesPanelTest::reportsThatTheGraphCanRun() {
    IssuesOnBench bench;
    bench.ask({});
    QVERIFY(bench.panel.findChild<QLabel*>("noIssues")->isVisible());
    QCOMPARE(bench.panel.errorCount(), 0);
    QVERIFY(!bench.panel.findChild<QToolButton*>("copyReport")->isEnabled());
}

void IssuesPanelTest::listsErrorsFirst() {
    IssuesOnBench bench;
    QSignalSpy counts(&bench.panel, &IssuesPanel::countsChanged);
    bench.ask({{{"severity", "info"}, {"code", "lossy"}, {"message", "half precision"}},
               {{"severity", "warning"}, {"code", "combination"}, {"message", "badly together"}},
               tooFewSteps()});

    QCOMPARE(bench.panel.errorCount(), 1);
    QCOMPARE(bench.panel.warningCount(), 1);
    QCOMPARE(bench.list->model()->index(0, 0).data().toString(),
             QString("Denoise, Steps: steps is 0, the least is 1"));
    QCOMPARE(counts.last()[0].toInt(), 1);
    QVERIFY(!bench.panel.findChild<QLabel*>("noIssues")->isVisible());
}

void IssuesPanelTest::jumpsToTheNode() {
    IssuesOnBench bench;
    bench.ask({tooFewSteps()});
    QSignalSpy jumped(&bench.panel, &IssuesPanel::jumpRequested);

    bench.click(0);

    QCOMPARE(jumped.count(), 1);
    QCOMPARE(jumped[0][0].value<std::string>(), std::string("denoise"));
    QCOMPARE(jumped[0][1].value<std::string>(), std::string("steps"));
}

void IssuesPanelTest::fixesTheGraph_byAButton() {
    IssuesOnBench bench;
    bench.model.apply("steps", [](graph::Document& document) {
        document.nodes.at("denoise").params["steps"] = 0;
    });
    bench.ask({tooFewSteps()});
    bench.click(0);
    auto* fix = bench.panel.findChild<QPushButton*>("fix_0");
    QVERIFY(fix);
    QCOMPARE(fix->text(), QString("Set Steps to 1"));

    QTest::mouseClick(fix, Qt::LeftButton);

    QCOMPARE(bench.model.node("denoise")->params["steps"], Json(1));
    QCOMPARE(bench.model.undoStack().count(), 2);
    bench.model.undoStack().undo();
    QCOMPARE(bench.model.node("denoise")->params["steps"], Json(0));
}

/// Fifteen times a second in a run: a press and its release meet one button, and the focus remains.
void IssuesPanelTest::itsButtonRemainsWhileNothingDiffers() {
    IssuesOnBench bench;
    bench.model.apply("steps", [](graph::Document& document) {
        document.nodes.at("denoise").params["steps"] = 0;
    });
    bench.ask({tooFewSteps()});
    bench.click(0);
    const QPointer<QPushButton> fix = bench.panel.findChild<QPushButton*>("fix_0");
    QVERIFY(fix);
    QTest::mousePress(fix, Qt::LeftButton);

    for (int i = 0; i < 3; ++i) {
        Q_EMIT bench.queue.runChanged(1);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QCoreApplication::processEvents();
    }
    QVERIFY(fix && fix->isVisible());
    QTest::mouseRelease(fix, Qt::LeftButton);

    QCOMPARE(bench.model.node("denoise")->params["steps"], Json(1));
}

void IssuesPanelTest::asksForAConversion_byAButton() {
    IssuesOnBench bench;
    bench.model.load(modelGraph());
    bench.panel.offerConversion();
    bench.ask({{{"severity", "error"},
                {"code", "memory_infeasible"},
                {"node", "denoise"},
                {"message", "node denoise needs 6.0 GiB"}}});
    bench.click(0);
    QSignalSpy asked(&bench.panel, &IssuesPanel::convertAsked);
    auto* fix = bench.panel.findChild<QPushButton*>("fix_0");
    QVERIFY(fix);

    QTest::mouseClick(fix, Qt::LeftButton);

    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked[0][0].value<NamedModel>().value, std::string("dream.safetensors"));
    QVERIFY(!bench.model.isModified());
}

void IssuesPanelTest::copiesAReport() {
    IssuesOnBench bench;
    bench.ask({tooFewSteps()});

    QTest::mouseClick(bench.panel.findChild<QToolButton*>("copyReport"), Qt::LeftButton);

    QCOMPARE(QGuiApplication::clipboard()->text(),
             QString("error denoise.steps [value_smaller_than_min]\nsteps is 0, the least is 1\n"
                     "give a value from 1 to 100\n\n"));
}

void IssuesPanelTest::knowsWhichSentencesAreCut() {
    QVERIFY(!isElided({.message = Message("full")}, 300));
    QVERIFY(isElided({.message = Message(std::string(200, 'w'))}, 300));
}

void IssuesPanelTest::addsWhatTheRunReported() {
    IssuesOnBench bench;
    bench.ask({tooFewSteps()});
    bench.runner().setScript("g", [](ScriptedRunner::Stage&) {
        const Json full = {{"code", "out_of_memory"}, {"node", "denoise"}, {"message", "full"}};
        return Json{{"status", "failed"}, {"executed", 1}, {"issues", {full, tooFewSteps()}}};
    });

    bench.queue.add("title", "g", Json::object());
    QTRY_COMPARE_WITH_TIMEOUT(bench.panel.errorCount(), 2, kPatience);  // one is known already

    bench.queue.add("next", "other", Json::object());
    QTRY_COMPARE_WITH_TIMEOUT(bench.panel.errorCount(), 1, kPatience);
}

void IssuesPanelTest::whatTheRunReportedOfANodeGoesWithItsNextChange() {
    IssuesOnBench bench;
    bench.ask({});
    bench.runner().setScript("g", [](ScriptedRunner::Stage&) {
        const Json tag = {{"severity", "warning"},
                          {"code", "prompt_syntax"},
                          {"node", "denoise"},
                          {"item", "steps"},
                          {"message", "read as words"}};
        const Json other = {{"code", "lossy"}, {"node", "decode"}, {"message", "full"}};
        return Json{{"status", "ok"}, {"executed", 1}, {"issues", {tag, other}}};
    });
    bench.queue.add("title", "g", Json::object());
    QTRY_COMPARE_WITH_TIMEOUT(bench.panel.warningCount(), 1, kPatience);

    bench.model.apply("steps", [](graph::Document& document) {
        document.nodes.at("denoise").params["steps"] = 12;
    });

    QCOMPARE(bench.panel.warningCount(), 0);
    QCOMPARE(bench.panel.errorCount(), 1);
}

void IssuesPanelTest::looks_data() {
    testing::addTable<bool>({"isDark"}, {{"light", false}, {"dark", true}});
}

void IssuesPanelTest::looks() {
    QFETCH(bool, isDark);
    PanelBench::useTheme(isDark);
    IssuesOnBench bench;
    bench.ask({tooFewSteps(),
               {{"severity", "warning"},
                {"code", "combination"},
                {"node", "denoise"},
                {"message", "f8 storage and a step cache go badly together on few steps"}},
               {{"severity", "info"},
                {"code", "lossy"},
                {"node", "decode"},
                {"message", "computes in half precision"}}});
    bench.click(0);

    test::keepScreenshot(bench.panel, QString("issues_%1").arg(QTest::currentDataTag()));
    const QStringList problems = test::textProblems(bench.panel);

    QVERIFY2(problems.isEmpty(), qPrintable(problems.join("\n")));
    PanelBench::useTheme(false);
}

LOWTIDE_WINDOW_TEST(IssuesPanelTest)

}  // namespace issues_panel_test

#include "issues_panel_test.moc"
