// The memory panel while a run goes on and after it, and what it gives back.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/memory_panel_bench.hpp"
#include "ui/panels/plan_bars.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace memory_panel_runs_test {

using namespace lowtide;
using namespace lowtide::ui;

class MemoryPanelRunsTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { PanelBench::useTheme(false); }

    void marksTheStageThatRuns() {
        PanelOnBench bench;
        bench.ask(planned());
        auto* bars = bench.find<PlanBars>("planBars");
        QTRY_VERIFY_WITH_TIMEOUT(bars->isVisible(), kPanelPatience);
        const auto painted = [&] { return bars->grab().toImage(); };
        const QImage idle = painted();
        bench.runner().setScript("g", [](ScriptedRunner::Stage& stage) {
            stage.send({{"event", "nodeStarted"}, {"node", "denoise"}});
            stage.waitAtGate();
            return Json{{"status", "ok"}, {"executed", 1}};
        });

        const quint64 run = bench.queue.add("title", "g", Json::object());
        QTRY_VERIFY_WITH_TIMEOUT(painted() != idle, kPanelPatience);
        bench.runner().openGate();
        QTRY_VERIFY_WITH_TIMEOUT(bench.queue.find(run)->state == RunState::Finished,
                                 kPanelPatience);
    }

    void comparesPredictedWithMeasured_afterTheRun() {
        PanelOnBench bench;
        bench.runner().setScript(graph::toText(bench.model.document()), playsTheRecordedRun);

        QVERIFY(!bench.find<QWidget>("details")->isVisible());
        bench.runToEnd();
        QVERIFY(bench.find<QWidget>("details")->isVisible());
        QVERIFY(!bench.find<QWidget>("timeline")->isVisible());
        auto* title = bench.find<QWidget>("details")->findChild<QToolButton*>("fold");
        QCOMPARE(title->text(), QString("Last run: peak 8.0 MiB, predicted 8.0 MiB"));
        bench.unfold();

        QVERIFY(bench.find<QWidget>("timeline")->isVisible());
        QVERIFY(bench.find<QWidget>("measured")->isVisible());
        QVERIFY(bench.find<QLabel>("measuredNote")
                    ->text()
                    .startsWith("Peak 8.0 MiB, predicted 8.0 MiB."));
        QCOMPARE(title->text(), QString("Last run"));
    }

    void reportsThatNothingWasToDo() {
        PanelOnBench bench;
        bench.runner().setScript(graph::toText(bench.model.document()), [](ScriptedRunner::Stage&) {
            return Json{{"status", "ok"}, {"executed", 0}};
        });

        bench.runToEnd();

        bench.unfold();
        QVERIFY(bench.find<QLabel>("measuredNote")->text().startsWith("Nothing to do"));
        QVERIFY(!bench.find<QWidget>("measured")->isVisible());
    }

    void warns_whenARunIsSlower() {
        PanelOnBench bench;
        double milliseconds = 1000;
        const auto script = [&milliseconds](ScriptedRunner::Stage&) {
            return Json{{"status", "ok"}, {"executed", 1}, {"ms", milliseconds}};
        };
        bench.runner().setScript(graph::toText(bench.model.document()), script);

        bench.runToEnd();
        QVERIFY(!bench.find<QWidget>("slower")->isVisible());
        milliseconds = 1400;
        bench.runToEnd();
        QVERIFY(bench.find<QWidget>("slower")->isVisible());
        bench.runToEnd();

        QVERIFY(!bench.find<QWidget>("slower")->isVisible());
    }

    void releasesComponents_data() {
        testing::addTable<QString, bool, QString>({"button", "isUnload", "released"},
                                                  {{"offload", "offload", false, "denoiser"},
                                                   {"unload", "unload", true, "denoiser"},
                                                   {"all", "releaseAll", false, "all"}});
    }

    void releasesComponents() {
        QFETCH(QString, button);
        QFETCH(bool, isUnload);
        QFETCH(QString, released);
        PanelOnBench bench;
        bench.runner().setMemory({{"fake",
                                   {{"total", 5},
                                    {"tags", {{"weights", 5}}},
                                    {"owners", {{"denoiser", {{"weights", 5}}}}}}}});
        bench.feed.askNow();
        QTRY_VERIFY_WITH_TIMEOUT(bench.find<QWidget>("chip_denoiser"), kPanelPatience);

        auto* pressed = bench.panel.findChild<QAbstractButton*>(button);
        QVERIFY(pressed && pressed->isEnabled());
        QTest::mouseClick(pressed, Qt::LeftButton);

        const std::vector<std::string> expected = {released.toStdString()};
        if (isUnload) {
            QTRY_COMPARE_WITH_TIMEOUT(bench.plugin.unloaded(), expected, kPanelPatience);
        } else {
            QTRY_COMPARE_WITH_TIMEOUT(bench.runner().released(), expected, kPanelPatience);
        }
    }

    void reportsThatNothingWasReleased() {
        PanelOnBench bench;
        bench.runner().setRelease(Status::Failed);
        auto* button = bench.find<QPushButton>("releaseAll");

        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(button->text(), QString("Releasing..."));
        QVERIFY(!button->isEnabled());

        auto* task = bench.find<QWidget>("chore");
        QTRY_VERIFY_WITH_TIMEOUT(task->isVisible(), kPanelPatience);
        QVERIFY(task->findChild<QLabel*>("text")->text().contains("a run is at work"));
        QCOMPARE(button->text(), QString("Release all"));
        QVERIFY(button->isEnabled());
    }

    void asksForMemory_onlyWhileItIsSeen() {
        PanelOnBench bench;
        QTRY_VERIFY_WITH_TIMEOUT(bench.runner().memoryCalls() > 0, kPanelPatience);
        bench.panel.hide();
        QTest::qWait(300);
        const int calls = bench.runner().memoryCalls();
        QTest::qWait(1300);
        QCOMPARE(bench.runner().memoryCalls(), calls);
    }
};

LOWTIDE_WINDOW_TEST(MemoryPanelRunsTest)

}  // namespace memory_panel_runs_test

#include "memory_panel_runs_test.moc"
