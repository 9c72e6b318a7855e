#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/unit/studio/panels/panel_bench.hpp"
#include "ui/panels/queue_panel.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace queue_panel_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 20000;
constexpr int kMany = 1000;
constexpr qint64 kMostMilliseconds = 500;  ///< ten times what a user sees as a pause

std::vector<quint64> everySecondOf(const std::vector<quint64>& ids) {
    std::vector<quint64> chosen;
    for (size_t i = 1; i < ids.size(); i += 2) {
        chosen.push_back(ids[i]);
    }
    return chosen;
}

Json waits(ScriptedRunner::Stage& stage) {
    stage.send({{"event", "runStarted"}, {"nodes", {"a", "b"}}, {"repetitions", 1}});
    stage.send({{"event", "nodeFinished"}, {"node", "a"}, {"ms", 10}});
    stage.waitAtGate();
    const bool isCancelled = stage.cancelled() != CancelMode::No;
    return {{"status", isCancelled ? "cancelled" : "ok"}, {"executed", 2}, {"ms", 1234}};
}

struct QueueOnBench {
    ScriptedRunner runner;
    RunQueue queue{runner};
    QueuePanel panel{queue};
    QListView* list = panel.findChild<QListView*>("runs");
    QueueRows* rows = qobject_cast<QueueRows*>(list->model());

    QueueOnBench() {
        runner.setScript("slow", waits);
        panel.resize(320, 400);
        panel.show();
    }

    QStringList titles() const {
        QStringList found;
        for (int row = 0; row < rows->rowCount({}); ++row) {
            found << rows->data(rows->index(row), Qt::DisplayRole).toString();
        }
        return found;
    }

    std::vector<quint64> addMany(int count) {
        std::vector<AskedRun> runs;
        for (int run = 0; run < count; ++run) {
            runs.push_back(
                {.title = QString::number(run), .graph = "g", .options = Json::object()});
        }
        return queue.addAll(std::move(runs));
    }

    void drag(quint64 id, int gap) {
        const std::unique_ptr<QMimeData> data(rows->mimeData({rows->indexOf(id)}));
        rows->dropMimeData(data.get(), Qt::MoveAction, gap, 0, {});
    }

    void press(const char* name) {
        QTest::mouseClick(panel.findChild<QToolButton*>(name), Qt::LeftButton);
    }

    void waitForEnd(quint64 id) const {
        QTRY_VERIFY_WITH_TIMEOUT(queue.find(id)->state > RunState::Running, kPatience);
    }
};

}  // namespace

class QueuePanelTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { PanelBench::useTheme(false); }

    void helps_whenThereIsNoRun() {
        QueueOnBench bench;
        QVERIFY(bench.panel.findChild<QLabel*>("noRuns")->isVisible());
        QVERIFY(!bench.list->isVisible());

        const quint64 id = bench.queue.add("one", "g", Json::object());
        bench.waitForEnd(id);

        QVERIFY(!bench.panel.findChild<QLabel*>("noRuns")->isVisible());
        QVERIFY(bench.list->isVisible());
    }

    /// As high as the row below the canvas is at first, in a window of 1440 by 900.
    void showsFourRunsBelowTheCanvas() {
        QueueOnBench bench;
        bench.panel.resize(740, 190);
        bench.queue.setPaused(true);
        for (int run = 0; run < 6; ++run) {
            bench.queue.add(QString("fox, seed %1").arg(run), "g", Json::object());
        }
        QTest::qWait(50);
        auto* list = bench.panel.findChild<QListView*>("runs");
        const auto rectOf = [&](int row) { return list->visualRect(list->model()->index(row, 0)); };
        QVERIFY(list->viewport()->rect().contains(rectOf(3)));
        QCOMPARE(test::textProblems(bench.panel), QStringList());
        test::keepScreenshot(bench.panel, "queue_wide");
    }

    void listsTheRunningOneFirst_thenTheNewestEnded() {
        QueueOnBench bench;
        const quint64 first = bench.queue.add("first", "g", Json::object());
        bench.waitForEnd(first);
        const quint64 second = bench.queue.add("second", "g", Json::object());
        bench.waitForEnd(second);
        bench.queue.add("running", "slow", Json::object());
        bench.queue.add("waiting", "g", Json::object());

        QCOMPARE(bench.titles(), (QStringList{"running", "waiting", "second", "first"}));
    }

    void movesAWaitingRun_whenItIsDragged_data() {
        testing::addTable<int, int, QStringList>(
            {"which", "gap", "titles"},
            {{"up", 4, 1, {"running", "c", "a", "b"}},
             {"down", 2, 4, {"running", "b", "c", "a"}},
             {"one down", 2, 3, {"running", "b", "a", "c"}},
             {"above the running one", 3, 0, {"running", "b", "a", "c"}},
             {"where it is", 3, 2, {"running", "a", "b", "c"}},
             {"the running one", 1, 3, {"running", "a", "b", "c"}},
             {"below all", 2, -1, {"running", "b", "c", "a"}}});
    }

    void movesAWaitingRun_whenItIsDragged() {
        QFETCH(int, which);
        QFETCH(int, gap);
        QFETCH(QStringList, titles);
        QueueOnBench bench;
        bench.queue.add("running", "slow", Json::object());
        for (const char* title : {"a", "b", "c"}) {
            bench.queue.add(title, title, Json::object());
        }

        bench.drag(static_cast<quint64>(which), gap);

        QCOMPARE(bench.titles(), titles);
    }

    void altArrowsMoveAWaitingRun() {
        QueueOnBench bench;
        bench.queue.add("at work", "slow", Json::object());
        bench.queue.add("a", "g", Json::object());
        bench.queue.add("b", "g", Json::object());
        const quint64 last = bench.queue.add("c", "g", Json::object());
        QTRY_COMPARE_WITH_TIMEOUT(bench.rows->rowCount({}), 4, kPatience);
        bench.list->setCurrentIndex(bench.rows->indexOf(last));
        bench.list->setFocus();
        QTRY_VERIFY(bench.list->hasFocus());

        QTest::keyClick(bench.list, Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(bench.titles(), QStringList({"at work", "a", "c", "b"}));
        QTest::keyClick(bench.list, Qt::Key_Up, Qt::AltModifier);
        QTest::keyClick(bench.list, Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(bench.titles(), QStringList({"at work", "c", "a", "b"}));
        QTest::keyClick(bench.list, Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(bench.titles(), QStringList({"at work", "a", "c", "b"}));
        bench.runner.openGate();
    }

    void pausesAndGoesOn() {
        QueueOnBench bench;
        bench.press("pause");
        QVERIFY(bench.queue.isPaused());
        const quint64 id = bench.queue.add("one", "g", Json::object());
        QTest::qWait(30);
        QCOMPARE(bench.queue.find(id)->state, RunState::Waiting);

        bench.press("pause");

        bench.waitForEnd(id);
        QCOMPARE(bench.queue.find(id)->state, RunState::Finished);
    }

    void cancelsTheSelectedRun() {
        QueueOnBench bench;
        const quint64 id = bench.queue.add("running", "slow", Json::object());
        bench.panel.select({id});
        QCOMPARE(bench.panel.selectedRun(), id);

        bench.press("cancel");

        bench.waitForEnd(id);
        QCOMPARE(bench.queue.find(id)->state, RunState::Cancelled);
        QCOMPARE(bench.panel.selectedRun(), id);  // the selection outlives the new order
    }

    void deleteTakesAWaitingRunAway() {
        QueueOnBench bench;
        bench.queue.setPaused(true);
        const quint64 id = bench.queue.add("waiting", "g", Json::object());
        bench.panel.select({id});
        bench.list->setFocus();
        QTRY_VERIFY(bench.list->hasFocus());

        QTest::keyClick(bench.list, Qt::Key_Delete);
        QVERIFY(!bench.queue.find(id) || bench.queue.find(id)->state == RunState::Cancelled);
        bench.panel.select({id});
        QTest::keyClick(bench.list, Qt::Key_Delete);

        QVERIFY(!bench.queue.find(id));
    }

    void manyRunsAreOneChangeOfTheList() {
        QueueOnBench bench;
        bench.queue.setPaused(true);
        QSignalSpy resets(bench.rows, &QAbstractItemModel::modelReset);

        const std::vector<quint64> ids = bench.addMany(kMany);
        QCOMPARE(resets.count(), 1);
        QCOMPARE(bench.rows->rowCount({}), kMany);
        bench.queue.takeBack(ids);
        QCOMPARE(resets.count(), 3);  // a second time because the list keeps some of them alone
        QCOMPARE(bench.rows->rowCount({}), static_cast<int>(RunHistory::kMostEnded));
        bench.panel.removeEnded();

        QCOMPARE(resets.count(), 4);
        QVERIFY(bench.queue.runs().empty());
    }

    /// Of a thousand every second one: they come together, in their order.
    void severalSelectedOnesMoveTogether() {
        QueueOnBench bench;
        bench.queue.setPaused(true);
        const std::vector<quint64> ids = bench.addMany(kMany);
        const std::vector<quint64> chosen = everySecondOf(ids);
        bench.panel.select(chosen);
        QCOMPARE(bench.panel.selectedRuns(), chosen);
        bench.list->setFocus();
        QTRY_VERIFY(bench.list->hasFocus());
        QElapsedTimer clock;
        clock.start();

        QTest::keyClick(bench.list, Qt::Key_Down, Qt::AltModifier);

        const qint64 byKey = clock.restart();
        QCOMPARE(bench.titles().mid(0, 4), (QStringList{"0", "2", "1", "3"}));
        QCOMPARE(bench.panel.selectedRuns(), chosen);
        QModelIndexList rows;
        for (const quint64 id : chosen) {
            rows << bench.rows->indexOf(id);
        }
        const std::unique_ptr<QMimeData> data(bench.rows->mimeData(rows));
        bench.rows->dropMimeData(data.get(), Qt::MoveAction, kMany, 0, {});
        qInfo("500 of 1000 moved by key in %lld ms, dropped in %lld ms", byKey, clock.elapsed());
        QCOMPARE(bench.titles().mid(0, 2), (QStringList{"0", "2"}));
        QCOMPARE(bench.titles().mid(kMany / 2, 2), (QStringList{"1", "3"}));
        QVERIFY(byKey < kMostMilliseconds && clock.elapsed() < kMostMilliseconds);
    }

    void severalSelectedOnesAreTakenAway() {
        QueueOnBench bench;
        bench.queue.setPaused(true);
        const std::vector<quint64> ids = bench.addMany(kMany);
        bench.panel.select(everySecondOf(ids));
        QVERIFY(bench.panel.findChild<QToolButton*>("cancel")->isEnabled());
        QVERIFY(!bench.panel.findChild<QToolButton*>("openGraph")->isEnabled());
        QVERIFY(!bench.panel.findChild<QToolButton*>("remove")->isEnabled());
        bench.list->setFocus();
        QTRY_VERIFY(bench.list->hasFocus());
        QElapsedTimer clock;
        clock.start();

        QTest::keyClick(bench.list, Qt::Key_Delete);

        const qint64 back = clock.restart();
        QCOMPARE(bench.titles().mid(0, 2), (QStringList{"0", "2"}));
        QCOMPARE(bench.rows->rowCount({}), kMany / 2 + static_cast<int>(RunHistory::kMostEnded));
        QTest::keyClick(bench.list, Qt::Key_Delete);
        qInfo("500 of 1000 taken back in %lld ms, removed in %lld ms", back, clock.elapsed());
        QCOMPARE(bench.rows->rowCount({}), kMany / 2);
        QVERIFY(back < kMostMilliseconds && clock.elapsed() < kMostMilliseconds);
    }

    void retriesAndRemoves() {
        QueueOnBench bench;
        const quint64 id = bench.queue.add("one", "g", Json::object());
        bench.waitForEnd(id);
        bench.panel.select({id});

        bench.press("retry");
        const quint64 again = bench.panel.selectedRun();
        QVERIFY(again != id);
        bench.waitForEnd(again);
        bench.press("remove");

        QVERIFY(!bench.queue.find(again));
        QCOMPARE(bench.panel.selectedRun(), id);  // the next one
        bench.panel.removeEnded();
        QVERIFY(bench.queue.runs().empty());
    }

    void runsAgain_alsoWhatWasKept() {
        QueueOnBench bench;
        const quint64 id = bench.queue.add("one", "g", Json{{"out", "x"}});
        bench.waitForEnd(id);
        bench.panel.select({id});

        bench.panel.runSelectedAgain();
        const quint64 again = bench.panel.selectedRun();

        QCOMPARE(bench.queue.find(again)->options, (Json{{"out", "x"}, {"forceExecution", true}}));
        bench.waitForEnd(again);
    }

    void asksForTheGraphOfARun() {
        QueueOnBench bench;
        QSignalSpy asked(&bench.panel, &QueuePanel::graphRequested);
        const quint64 id = bench.queue.add("one", "g", Json::object());
        bench.waitForEnd(id);
        bench.panel.select({id});

        bench.press("openGraph");

        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked[0][0].toULongLong(), id);
    }

    void reportsHowRunsEnded_data() {
        QTest::addColumn<int>("state");
        QTest::addColumn<int>("executed");
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, RunState state) -> QTestData& {
            return QTest::newRow(name) << static_cast<int>(state);
        };
        row("waiting", RunState::Waiting) << -1 << "waiting";
        row("running", RunState::Running) << -1 << "running, 45 %";
        row("done", RunState::Finished) << 6 << "done in 1.2 s";
        row("kept", RunState::Finished) << 0 << "nothing to do: every result was kept";
        row("failed", RunState::Failed) << 2 << "failed: the memory is used up";
        row("cancelled", RunState::Cancelled) << 2 << "cancelled after 1.2 s";
        row("taken back", RunState::Cancelled) << -1 << "cancelled before it began";
    }

    void reportsHowRunsEnded() {
        QFETCH(int, state);
        QFETCH(int, executed);
        QFETCH(QString, text);
        QueuedRun run;
        run.state = static_cast<RunState>(state);
        run.executed = executed;
        run.progress = 0.45;
        run.milliseconds = 1234;
        run.issues = {{.message = Message("the memory is used up")}};

        QCOMPARE(stateText(run), text);
    }

    void reportsForHowLongARunStillWorks() {
        QueuedRun run;
        run.state = RunState::Running;
        run.progress = 0.45;
        run.phase = "step 4 of 20";
        QCOMPARE(stateText(run), QString("running, 45 %, step 4 of 20"));

        run.secondsLeft = 12.2;

        QCOMPARE(stateText(run), QString("running, 45 %, step 4 of 20, about 12 s left"));
    }

    void looks_data() { testing::addTable<bool>({"isDark"}, {{"light", false}, {"dark", true}}); }

    void looks() {
        QFETCH(bool, isDark);
        PanelBench::useTheme(isDark);
        QueueOnBench bench;
        bench.runner.setScript("picture", [](ScriptedRunner::Stage& stage) {
            auto pixels = std::shared_ptr<uint8_t[]>(new uint8_t[96 * 64 * 3]);
            for (int i = 0; i < 96 * 64 * 3; ++i) {
                pixels[i] = static_cast<uint8_t>(i / 73);
            }
            stage.show("save",
                       {.widthPixels = 96, .heightPixels = 64, .channels = 3, .pixels = pixels});
            return Json{{"status", "ok"},
                        {"executed", 6},
                        {"ms", 12400},
                        {"files", {{{"node", "save"}, {"path", "lighthouse_00001.png"}}}}};
        });
        bench.waitForEnd(bench.queue.add("lighthouse, seed 42", "picture", Json::object()));
        bench.runner.setScript("kept", [](ScriptedRunner::Stage&) {
            return Json{{"status", "ok"}, {"executed", 0}};
        });
        bench.waitForEnd(bench.queue.add("lighthouse, seed 42", "kept", Json::object()));
        bench.runner.setRefusal({{"issues", {{{"message", "node save has no image to save"}}}}});
        bench.waitForEnd(bench.queue.add("a long title of a graph, seed 1234567890", "g", Json()));
        bench.runner.setRefusal(Json());
        bench.queue.add("harbour at night, seed 7", "slow", Json::object());
        const quint64 waiting = bench.queue.add("harbour at night, seed 8", "slow", Json::object());
        bench.panel.select({waiting});
        QTRY_VERIFY_WITH_TIMEOUT(bench.queue.running()->progress > 0, kPatience);

        test::keepScreenshot(bench.panel, QString("queue_%1").arg(QTest::currentDataTag()));
        const QStringList problems = test::textProblems(bench.panel);

        QVERIFY2(problems.isEmpty(), qPrintable(problems.join("\n")));
        PanelBench::useTheme(false);
    }
};

LOWTIDE_WINDOW_TEST(QueuePanelTest)

}  // namespace queue_panel_test

#include "queue_panel_test.moc"
