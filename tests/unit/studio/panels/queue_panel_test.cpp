#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/unit/studio/panels/panel_bench.hpp"
#include "ui/panels/queue_panel.hpp"
#include "ui/theme/responsive_layout.hpp"

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
    QListView* open = panel.findChild<QListView*>("openRuns");
    QListView* ended = panel.findChild<QListView*>("endedRuns");
    QueueRows* openRows = qobject_cast<QueueRows*>(open->model());
    QueueRows* endedRows = qobject_cast<QueueRows*>(ended->model());

    QueueOnBench() {
        runner.setScript("slow", waits);
        panel.resize(320, 400);
        panel.show();
    }

    /// Of both lists.
    QStringList titles() const {
        QStringList found;
        for (const QueueRows* rows : {openRows, endedRows}) {
            for (int row = 0; row < rows->rowCount({}); ++row) {
                found << rows->data(rows->index(row), Qt::DisplayRole).toString();
            }
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
        const std::unique_ptr<QMimeData> data(openRows->mimeData({openRows->indexOf(id)}));
        openRows->dropMimeData(data.get(), Qt::MoveAction, gap, 0, {});
    }

    void press(const char* name) {
        QTest::mouseClick(panel.findChild<QToolButton*>(name), Qt::LeftButton);
    }

    void waitForEnd(quint64 id) const {
        QTRY_VERIFY_WITH_TIMEOUT(queue.find(id)->state > RunState::Running, kPatience);
    }

    /// Of so many runs, called by their numbers from 0.
    std::vector<quint64> endMany(int count) {
        const std::vector<quint64> ids = addMany(count);
        waitForEnd(ids.back());
        return ids;
    }

    void focus(QListView& list) {
        list.setFocus();
        QTRY_VERIFY(list.hasFocus());
    }
};

}  // namespace

class QueuePanelTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { PanelBench::useTheme(false); }

    void helps_whenThereIsNoRun() {
        QueueOnBench bench;
        auto* text = bench.panel.findChild<QLabel*>("noRuns");
        QVERIFY(text->isVisible());
        QVERIFY2(text->text().startsWith("No runs yet"), qPrintable(text->text()));
        QVERIFY(!bench.open->isVisible() && !bench.ended->isVisible());

        const quint64 id = bench.queue.add("one", "g", Json::object());
        bench.waitForEnd(id);

        QCOMPARE(text->text(), QString("No runs are waiting."));
        QVERIFY(bench.ended->isVisible());
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
        const auto rectOf = [&](int row) {
            return bench.open->visualRect(bench.openRows->index(row));
        };
        QVERIFY(bench.open->viewport()->rect().contains(rectOf(3)));
        QCOMPARE(test::textProblems(bench.panel), QStringList());
        test::keepScreenshot(bench.panel, "queue_wide");
    }

    /// Whatever is selected and seen of the history.
    void whatRunsAndWaitsIsAlwaysInSight() {
        for (const QSize size : {QSize(320, 400), QSize(740, 190), QSize(320, 220)}) {
            QueueOnBench bench;
            bench.panel.resize(size);
            const std::vector<quint64> old = bench.endMany(30);
            bench.panel.select({old.front()});
            bench.ended->scrollToBottom();
            QTest::qWait(50);
            QVERIFY(bench.ended->verticalScrollBar()->value() > 0);

            bench.queue.add("running", "slow", Json::object());
            bench.queue.add("waiting", "g", Json::object());
            QTest::qWait(50);

            const QRect running = bench.open->visualRect(bench.openRows->index(0));
            QVERIFY(bench.open->viewport()->rect().contains(running));
            QVERIFY(!bench.open->viewport()->visibleRegion().isEmpty());
            QCOMPARE(bench.panel.selectedRun(), old.front());
            test::keepScreenshot(bench.panel,
                                 QString("queue_%1_%2").arg(size.width()).arg(size.height()));
        }
    }

    /// The newest ones are seen by who looks at the top, and nothing moves for who does not.
    void aRunThatEndsMovesNothingThatIsReadFurtherDown() {
        QueueOnBench bench;
        bench.endMany(30);
        QTest::qWait(50);
        QVERIFY(bench.ended->verticalScrollBar()->value() == 0);
        bench.endMany(1);
        QTest::qWait(50);
        QCOMPARE(bench.ended->verticalScrollBar()->value(), 0);

        bench.ended->scrollTo(bench.endedRows->index(12), QAbstractItemView::PositionAtTop);
        const QString first = bench.ended->indexAt(QPoint(1, 1)).data().toString();
        bench.endMany(3);
        QTest::qWait(50);
        QCOMPARE(bench.ended->indexAt(QPoint(1, 1)).data().toString(), first);
    }

    void aLowPanelHasNoScrollBarNextToThoseOfItsLists() {
        ScriptedRunner runner;
        RunQueue queue(runner);
        auto* panel = new QueuePanel(queue);
        ScrolledPart part(panel);
        queue.setPaused(true);
        std::vector<AskedRun> runs;
        for (int run = 0; run < 20; ++run) {
            runs.push_back({.title = "fox", .graph = "g", .options = Json::object()});
        }
        const std::vector<quint64> ids = queue.addAll(std::move(runs));
        queue.takeBack({ids[0], ids[1]});
        part.show();
        for (const QSize size : {QSize(740, 190), QSize(740, 100), QSize(300, 200)}) {
            part.resize(size);
            QTest::qWait(50);
            QVERIFY(!part.verticalScrollBar()->isVisible());
            QVERIFY(!part.horizontalScrollBar()->isVisible());
            QVERIFY(panel->findChild<QListView*>("openRuns")->isVisible());
            QVERIFY(panel->findChild<QListView*>("endedRuns")->isVisible());
            QCOMPARE(test::textProblems(part), QStringList());
        }
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
        QTRY_COMPARE_WITH_TIMEOUT(bench.openRows->rowCount({}), 4, kPatience);
        bench.open->setCurrentIndex(bench.openRows->indexOf(last));
        bench.focus(*bench.open);

        QTest::keyClick(bench.open, Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(bench.titles(), QStringList({"at work", "a", "c", "b"}));
        QTest::keyClick(bench.open, Qt::Key_Up, Qt::AltModifier);
        QTest::keyClick(bench.open, Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(bench.titles(), QStringList({"at work", "c", "a", "b"}));
        QTest::keyClick(bench.open, Qt::Key_Down, Qt::AltModifier);
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
        QCOMPARE(bench.panel.selectedRun(), quint64{0});  // nothing happens to it by the next key
    }

    void deleteCancelsAWaitingRun_whichWaitsAgainWhereItDid() {
        QueueOnBench bench;
        QSignalSpy removed(&bench.panel, &QueuePanel::removed);
        QSignalSpy returned(&bench.panel, &QueuePanel::returned);
        bench.queue.setPaused(true);
        const std::vector<quint64> ids = bench.addMany(4);
        bench.panel.select({ids[1], ids[2]});
        bench.focus(*bench.open);

        QTest::keyClick(bench.open, Qt::Key_Delete);
        QCOMPARE(bench.titles(), (QStringList{"0", "3"}));
        QCOMPARE(removed.count(), 1);
        bench.queue.add("later", "g", Json::object());
        bench.queue.add("first", "g", Json::object(), true);
        QTest::keyClick(bench.open, Qt::Key_Z, Qt::ControlModifier);

        QCOMPARE(bench.titles(), (QStringList{"first", "0", "1", "2", "3", "later"}));
        QCOMPARE(returned.count(), 1);
        bench.panel.undoRemove();  // once
        QCOMPARE(bench.openRows->rowCount({}), 6);
    }

    void deleteRemovesAnEndedRun_whichReturnsToItsPosition() {
        QueueOnBench bench;
        QSignalSpy removed(&bench.panel, &QueuePanel::removed);
        const std::vector<quint64> ids = bench.endMany(4);
        bench.panel.select({ids[1], ids[3]});
        bench.focus(*bench.ended);

        QTest::keyClick(bench.ended, Qt::Key_Delete);
        QCOMPARE(bench.titles(), (QStringList{"2", "0"}));
        QCOMPARE(removed.count(), 1);
        bench.waitForEnd(bench.queue.add("later", "g", Json::object()));
        QTest::keyClick(bench.ended, Qt::Key_Z, Qt::ControlModifier);

        QCOMPARE(bench.titles(), (QStringList{"later", "3", "2", "1", "0"}));
        QCOMPARE(bench.panel.selectedRuns(), (std::vector<quint64>{ids[3], ids[1]}));
    }

    /// Pressed once too often, Delete meets nothing of the other list.
    void deleteRemainsInItsList() {
        QueueOnBench bench;
        bench.endMany(3);
        bench.queue.setPaused(true);
        const std::vector<quint64> ids = bench.addMany(3);
        bench.panel.select({ids[1]});
        bench.focus(*bench.open);

        QTest::keyClick(bench.open, Qt::Key_Delete);
        QCOMPARE(bench.panel.selectedRun(), ids[2]);
        QTest::keyClick(bench.open, Qt::Key_Delete);
        QCOMPARE(bench.panel.selectedRun(), ids[0]);
        QTest::keyClick(bench.open, Qt::Key_Delete);
        QCOMPARE(bench.panel.selectedRun(), quint64{0});
        QVERIFY(!bench.ended->hasFocus());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Delete);
        QCOMPARE(bench.endedRows->rowCount({}), 3);
    }

    void oneListHasASelection() {
        QueueOnBench bench;
        const std::vector<quint64> old = bench.endMany(2);
        bench.queue.setPaused(true);
        const std::vector<quint64> ids = bench.addMany(2);
        bench.panel.select({old[0]});
        QVERIFY(bench.panel.findChild<QToolButton*>("remove")->isEnabled());
        bench.panel.select({ids[0]});
        QCOMPARE(bench.panel.selectedRuns(), std::vector<quint64>{ids[0]});
        QVERIFY(!bench.ended->selectionModel()->hasSelection());
        QVERIFY(!bench.panel.findChild<QToolButton*>("remove")->isEnabled());
    }

    void bothListsAreClearedWithAWayBack() {
        QueueOnBench bench;
        QSignalSpy asked(&bench.panel, &QueuePanel::clearWaitingAsked);
        bench.endMany(2);
        bench.queue.setPaused(true);
        bench.addMany(3);
        const QStringList all = bench.titles();

        bench.press("clearWaiting");
        QCOMPARE(asked.count(), 1);
        bench.panel.clearWaiting();
        QCOMPARE(bench.titles(), (QStringList{"1", "0"}));
        QVERIFY(!bench.panel.findChild<QToolButton*>("clearWaiting")->isEnabled());
        bench.panel.undoRemove();
        QCOMPARE(bench.titles(), all);
        bench.press("clearHistory");
        QCOMPARE(bench.titles(), (QStringList{"0", "1", "2"}));
        bench.panel.undoRemove();
        QCOMPARE(bench.titles(), all);
    }

    void manyRunsAreOneChangeOfTheLists() {
        QueueOnBench bench;
        bench.queue.setPaused(true);
        QSignalSpy open(bench.openRows, &QAbstractItemModel::modelReset);
        QSignalSpy ended(bench.endedRows, &QAbstractItemModel::modelReset);

        const std::vector<quint64> ids = bench.addMany(kMany);
        QCOMPARE(open.count(), 1);
        QCOMPARE(bench.openRows->rowCount({}), kMany);
        bench.queue.takeBack(ids);
        QCOMPARE(open.count(), 2);
        QCOMPARE(ended.count(), 2);  // a second time because the list keeps some of them alone
        QCOMPARE(bench.endedRows->rowCount({}), static_cast<int>(RunHistory::kMostEnded));
        bench.panel.clearHistory();

        QCOMPARE(ended.count(), 3);
        QVERIFY(bench.queue.runs().empty());
    }

    /// None is a pause that a user notices: a run that ends, all taken away, all there again.
    void tenThousandWaitingRunsAreNoMatter() {
        constexpr int kVeryMany = 10'000;
        QueueOnBench bench;
        const quint64 running = bench.queue.add("running", "slow", Json::object());
        bench.addMany(kVeryMany);
        bench.open->verticalScrollBar()->setValue(5);
        QTest::qWait(50);
        bench.queue.setPaused(true);
        QElapsedTimer clock;
        clock.start();
        bench.queue.cancel(running, CancelMode::Now);
        bench.waitForEnd(running);
        const qint64 end = clock.restart();
        bench.panel.clearWaiting();
        const qint64 clear = clock.restart();
        QCOMPARE(bench.openRows->rowCount({}), 0);
        bench.panel.undoRemove();
        const qint64 undo = clock.elapsed();
        QCOMPARE(bench.openRows->rowCount({}), kVeryMany);
        QCOMPARE(bench.titles().first(), QString("0"));
        qInfo("of 10,000: one ended in %lld ms, all taken away in %lld ms, back in %lld ms",
              end,
              clear,
              undo);
        QVERIFY(end < kMostMilliseconds && clear < kMostMilliseconds && undo < kMostMilliseconds);
    }

    /// Of a thousand every second one: they come together, in their order.
    void severalSelectedOnesMoveTogether() {
        QueueOnBench bench;
        bench.queue.setPaused(true);
        const std::vector<quint64> ids = bench.addMany(kMany);
        const std::vector<quint64> chosen = everySecondOf(ids);
        bench.panel.select(chosen);
        QCOMPARE(bench.panel.selectedRuns(), chosen);
        bench.focus(*bench.open);
        QElapsedTimer clock;
        clock.start();

        QTest::keyClick(bench.open, Qt::Key_Down, Qt::AltModifier);

        const qint64 byKey = clock.restart();
        QCOMPARE(bench.titles().mid(0, 4), (QStringList{"0", "2", "1", "3"}));
        QCOMPARE(bench.panel.selectedRuns(), chosen);
        QModelIndexList rows;
        for (const quint64 id : chosen) {
            rows << bench.openRows->indexOf(id);
        }
        const std::unique_ptr<QMimeData> data(bench.openRows->mimeData(rows));
        bench.openRows->dropMimeData(data.get(), Qt::MoveAction, kMany, 0, {});
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
        bench.focus(*bench.open);
        QElapsedTimer clock;
        clock.start();

        QTest::keyClick(bench.open, Qt::Key_Delete);

        const qint64 away = clock.restart();
        QCOMPARE(bench.titles().mid(0, 2), (QStringList{"0", "2"}));
        QCOMPARE(bench.titles().size(), kMany / 2);
        bench.panel.undoRemove();
        qInfo("500 of 1000 taken away in %lld ms, back in %lld ms", away, clock.elapsed());
        QCOMPARE(bench.titles().mid(0, 4), (QStringList{"0", "1", "2", "3"}));
        QCOMPARE(bench.titles().size(), kMany);
        QVERIFY(away < kMostMilliseconds && clock.elapsed() < kMostMilliseconds);
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
        bench.panel.select({again});
        bench.press("remove");

        QVERIFY(!bench.queue.find(again));
        QCOMPARE(bench.panel.selectedRun(), id);  // the next one
        bench.panel.clearHistory();
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
