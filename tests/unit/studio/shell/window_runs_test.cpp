// A window while runs wait, are at work, and have ended.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/canvas/graph_scene.hpp"

#include <algorithm>

namespace window_runs_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

Json waitsAtTheGate(ScriptedRunner::Stage& stage) {
    stage.send({{"event", "runStarted"}, {"nodes", {"denoise"}}, {"repetitions", 1}});
    stage.waitAtGate();
    return {{"status", stage.cancelled() == CancelMode::No ? "ok" : "cancelled"}, {"executed", 1}};
}

/// A window whose graph is run by a script.
struct Running : Working {
    explicit Running(const ScriptedRunner::Script& script = waitsAtTheGate) { play(script); }

    void play(const ScriptedRunner::Script& script) {
        plugin.script().setScript(graph::toText(model().document()), script);
    }

    [[nodiscard]] RunControl& run() { return work().run; }

    [[nodiscard]] NoticeBar& notices() { return widgets().notices; }

    void begin() {
        action("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(run().isBusy(), kPatience);
    }

    void end() {
        plugin.script().openGate();
        QTRY_VERIFY_WITH_TIMEOUT(!run().isBusy(), kPatience);
    }
};

void clickInto(QWidget& widget) {
    test::click(widget, widget.rect().center());
}

}  // namespace

class WindowRunsTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void escapesThatCloseSomethingDoNotCancel() {
        Running studio;
        GraphView& canvas = studio.widgets().canvas;
        studio.begin();

        canvas.setFocus();
        test::press(Qt::Key_Tab);  // the list of nodes
        test::press(Qt::Key_Escape);
        canvas.select({"encode"});
        canvas.setFocus();
        test::press(Qt::Key_Return);  // the prompt
        QVERIFY(canvas.viewport()->findChild<QWidget*>("rowEditor"));
        test::press(Qt::Key_Escape);
        QTest::qWait(100);  // a cancelled run ends within
        QVERIFY(studio.run().isBusy());

        studio.widgets().inspector.findChild<QPlainTextEdit*>()->setFocus();
        test::press(Qt::Key_Escape);
        test::press(Qt::Key_Escape);
        QTest::qWait(100);
        QVERIFY(studio.run().isBusy());
        studio.end();
    }

    void twoEscapesOnTheCanvasCancel() {
        Running studio;
        studio.begin();
        QVERIFY(studio.action("run.cancel").isEnabled());
        studio.widgets().canvas.setFocus();
        test::press(Qt::Key_Escape);
        test::press(Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!studio.run().isBusy(), kPatience);
        QCOMPARE(studio.work().queue.runs().back().state, RunState::Cancelled);
    }

    void aDoubleClickOnRunCancelsNothing() {
        Running studio;
        studio.widgets().panels.show("generate");
        auto* run = studio.window->findChild<QWidget*>("generateForm")->findChild<QWidget*>("run");
        test::doubleClick(*run, run->rect().center());
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.plugin.script().startedGraphs().size(), size_t{1}, kPatience);
        QTest::qWait(100);  // a cancelled run ends within
        QVERIFY(studio.run().isBusy());
        QCOMPARE(studio.work().queue.runs().size(), size_t{2});
        studio.end();
    }

    void closingAsksForRuns() {
        Running studio;
        for (int run = 0; run < 3; ++run) {
            studio.action("run.start").trigger();
        }
        answer("runsAtWork", [](QDialog& box) {
            const QString text = qobject_cast<QMessageBox*>(&box)->text();
            QVERIFY2(text.contains("2"), qPrintable(text));
            clickInto(*qobject_cast<QMessageBox*>(&box)->button(QMessageBox::Cancel));
        });
        QVERIFY(!studio.window->close());
        answer("runsAtWork",
               [](QDialog& box) { clickInto(*box.findChild<QPushButton*>("endRuns")); });
        QVERIFY(studio.window->close());
    }

    void aRehearsalIsAskedForOnce() {
        Running studio;
        studio.plugin.script().setAnswers(
            {{"issues", Json::array()}},
            {{"issues", Json::array()},
             {"plan", {{"devices", Json::array()}, {"stages", {{{"seconds", 11}}}}}}});
        studio.model().apply("Device",
                             [](graph::Document& document) { document.device = "fake:4GiB"; });
        studio.play(waitsAtTheGate);
        QTRY_VERIFY_WITH_TIMEOUT(studio.work().planning.planned().isFresh, kPatience);
        answer("rehearsal", [](QDialog& box) {
            const auto* question = qobject_cast<QMessageBox*>(&box);
            QVERIFY2(question->text().contains("4 GiB"), qPrintable(question->text()));
            QVERIFY2(question->informativeText().contains("about 11 s"),
                     qPrintable(question->informativeText()));
            test::press(Qt::Key_Escape);
        });
        studio.action("run.start").trigger();
        QVERIFY(studio.work().queue.runs().empty());
        answer("rehearsal",
               [](QDialog& box) { clickInto(*box.findChild<QPushButton*>("rehearse")); });
        studio.begin();
        studio.action("run.start").trigger();  // no more questions
        studio.work().run.finishAsked();
        QCOMPARE(studio.work().queue.runs().size(), size_t{2});
        studio.end();
    }

    void whatIsRefusedAnywayIsNotRehearsed() {
        Running studio;
        const Json issue = {{"severity", "error"}, {"message", "it does not fit"}};
        studio.plugin.script().setAnswers({{"issues", {issue}}}, Json::object());
        studio.model().apply("Device",
                             [](graph::Document& document) { document.device = "fake:4GiB"; });
        QTRY_VERIFY_WITH_TIMEOUT(studio.work().planning.planned().isFresh, kPatience);
        studio.action("run.start").trigger();
        studio.work().run.finishAsked();
        QCOMPARE(studio.work().queue.runs().size(), size_t{1});
    }

    /// The brightest thing in the window, whatever is open.
    void runAloneHasTheColourOfAccents() {
        Running studio;
        for (const char* panel : {"view.generate", "view.presets", "view.models", "view.viewer"}) {
            studio.action(panel).trigger();
        }
        QStringList primary;
        for (const auto* button : studio.window->findChildren<QAbstractButton*>()) {
            const auto* push = qobject_cast<const QPushButton*>(button);
            if (button->property("primary").toBool() || (push && push->isDefault())) {
                primary << button->text();
            }
        }
        QCOMPARE(primary, QStringList{"Run"});
    }

    void noButtonMovesWhenARunBegins() {
        Running studio;
        auto* bar = studio.window->findChild<QToolBar*>("toolBar");
        const auto positions = [&] {
            std::vector<QRect> found;
            for (const char* id :
                 {"run.start", "run.here", "edit.undo", "edit.redo", "view.fit_all"}) {
                found.push_back(bar->widgetForAction(&studio.action(id))->geometry());
            }
            found.push_back(bar->findChild<QWidget*>("cancel")->geometry());
            return found;
        };
        QTest::qWait(50);  // the bar is laid out
        const std::vector<QRect> before = positions();
        const QRect canvas = studio.widgets().canvas.geometry();

        studio.begin();
        QTRY_VERIFY(bar->findChild<QWidget*>("runStrip")->isVisible());
        QTest::qWait(50);
        QVERIFY(positions() == before);
        QCOMPARE(bar->findChild<QToolButton*>("cancel")->text(), QString("Cancel"));
        studio.notices().show(NoticeKind::Success, "Saved.");
        QTest::qWait(50);
        QCOMPARE(studio.widgets().canvas.geometry(), canvas);
        QCOMPARE(test::textProblems(*studio.window), QStringList());
        test::keepScreenshot(*studio.window, "window_running_notice");
        studio.end();
    }

    void whatIsRemovedFromTheQueueCanBeUndoneFromAnywhere() {
        Running studio;
        studio.action("run.pause").trigger();
        for (int run = 0; run < 3; ++run) {
            studio.action("run.start").trigger();
        }
        const auto waiting = [&] {
            return std::ranges::count(
                studio.work().queue.runs(), RunState::Waiting, &QueuedRun::state);
        };
        studio.widgets().panels.show("queue");
        QTest::mouseClick(studio.window->findChild<QToolButton*>("clearWaiting"), Qt::LeftButton);
        QCOMPARE(waiting(), 0);
        QVERIFY(studio.work().queue.runs().empty());
        QCOMPARE(studio.notices().text(), QString("3 waiting runs were cancelled."));
        studio.action("view.viewer").trigger();
        QTest::mouseClick(studio.notices().findChild<QPushButton*>("noticeButton"), Qt::LeftButton);
        QCOMPARE(waiting(), 3);
        QVERIFY(!studio.notices().isVisible());
    }

    void theQueuesKeyLeadsToItsRuns() {
        Running studio;
        studio.action("run.pause").trigger();
        studio.action("run.start").trigger();
        studio.action("view.queue").trigger();
        QTRY_VERIFY(studio.window->findChild<QListView*>("openRuns")->hasFocus());
    }

    void whatWasReportedOfARunGoesWithTheNext() {
        Running studio([](ScriptedRunner::Stage&) {
            return Json{{"status", "failed"},
                        {"issues", {{{"severity", "error"}, {"message", "the GPU is gone"}}}}};
        });
        studio.action("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(studio.notices().isVisible(), kPatience);
        QVERIFY2(studio.notices().text().contains("gone"), qPrintable(studio.notices().text()));

        studio.play(waitsAtTheGate);
        studio.begin();
        QTRY_VERIFY_WITH_TIMEOUT(!studio.notices().isVisible(), kPatience);
        studio.end();
    }

    /// Seeds 1, 2, 3, then 1 again: the node shows "kept", and shows the first image.
    void whatIsKeptShowsItsOwnImage() {
        QTemporaryDir made;
        for (const auto& [name, colour] : {std::pair("1.png", Qt::red), {"2.png", Qt::blue}}) {
            QImage image(700, 20, QImage::Format_RGB888);
            image.fill(colour);
            QVERIFY(image.save(made.filePath(name)));
        }
        QString name = "1.png";
        Running studio([&](ScriptedRunner::Stage& stage) {
            stage.send({{"event", "runStarted"}, {"nodes", {"denoise"}}, {"repetitions", 1}});
            stage.send({{"event", "nodeCached"},
                        {"node", "denoise"},
                        {"files", {made.filePath(name).toStdString()}}});
            return Json{{"status", "ok"}, {"executed", 0}};
        });
        NodeStatuses& statuses = studio.work().statuses;
        for (const auto& [next, colour] : {std::pair("2.png", Qt::blue), {"1.png", Qt::red}}) {
            name = next;
            studio.action("run.start").trigger();
            const auto shows = [&statuses, shown = QColor(colour)] {
                const QImage& image = statuses.of("denoise").nodeImage;
                return !image.isNull() && image.pixelColor(5, 5) == shown;
            };
            QTRY_VERIFY_WITH_TIMEOUT(shows(), kPatience);
            QCOMPARE(statuses.of("denoise").shownSize, QSize(700, 20));
            QVERIFY(statuses.of("denoise").nodeImage.width() <= 512);
            QTRY_VERIFY_WITH_TIMEOUT(!studio.work().run.isBusy(), kPatience);
        }
    }

    void releasingTakesBackWhatWasKept() {
        Running studio([](ScriptedRunner::Stage& stage) {
            stage.send({{"event", "runStarted"}, {"nodes", {"denoise"}}, {"repetitions", 1}});
            stage.send({{"event", "nodeCached"}, {"node", "denoise"}, {"repetition", 1}});
            return Json{{"status", "ok"}, {"executed", 0}};
        });
        NodeStatuses& statuses = studio.work().statuses;
        studio.action("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(studio.notices().text().contains("up to date"), kPatience);
        QTRY_COMPARE(statuses.of("denoise").activity, NodeActivity::Cached);

        QTest::mouseClick(studio.window->findChild<QPushButton*>("releaseAll"), Qt::LeftButton);

        QTRY_COMPARE_WITH_TIMEOUT(statuses.of("denoise").activity, NodeActivity::Idle, kPatience);
        QVERIFY(!studio.notices().isVisible());
    }

    void anotherGraphHasNoIssuesOfTheLastRun() {
        Running studio([](ScriptedRunner::Stage& stage) {
            stage.send({{"event", "runStarted"}, {"nodes", {"encode"}}, {"repetitions", 1}});
            return Json{{"status", "ok"},
                        {"executed", 1},
                        {"issues",
                         {{{"severity", "warning"},
                           {"node", "encode"},
                           {"message", "the prompt was cut off"}}}}};
        });
        const auto* issues = studio.window->findChild<QListView*>("issues");
        studio.action("run.start").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(issues->model()->rowCount(), 1, kPatience);
        studio.action("file.new").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(issues->model()->rowCount(), 0, kPatience);
    }

    void aRunIsFollowedByOnePlan() {
        Running studio([](ScriptedRunner::Stage&) {
            return Json{{"status", "ok"}, {"executed", 1}};
        });
        Planning& planning = studio.work().planning;
        const auto asked = [&] { return studio.plugin.script().askedGraphs().size(); };
        const auto settle = [&] {
            QTRY_VERIFY_WITH_TIMEOUT(planning.planned().isFresh, kPatience);
            QTest::qWait(400);  // a second question would have begun
            QTRY_VERIFY_WITH_TIMEOUT(planning.planned().isFresh, kPatience);
        };
        settle();
        const size_t first = asked();
        planning.askNow();
        settle();
        const size_t ofOnePlan = asked() - first;
        const size_t before = asked();
        studio.action("run.start").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.plugin.script().startedGraphs().size(), size_t{1}, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!studio.run().isBusy(), kPatience);
        settle();
        QCOMPARE(asked() - before, ofOnePlan);
    }

    void aNewGraphIsInSight() {
        Working studio;
        GraphView& canvas = studio.widgets().canvas;
        canvas.invoke("view.zoom_actual");
        canvas.centerOn(5000, 5000);
        studio.action("file.new").trigger();
        const auto isInSight = [&] {
            const QRectF shown = canvas.mapToScene(canvas.viewport()->rect()).boundingRect();
            return shown.contains(dynamic_cast<GraphScene*>(canvas.scene())->contentRect());
        };
        QTRY_VERIFY(isInSight());
    }

    void returnAfterFindingANodeOpensItsValues() {
        Working studio;
        GraphView& canvas = studio.widgets().canvas;
        studio.widgets().inspector.setFocus();
        answer("findNode", [](QDialog& dialog) {
            auto* words = dialog.findChild<QLineEdit*>("words");
            QTest::keyClicks(words, "denoise");
            QTest::keyClick(words, Qt::Key_Return);
        });
        studio.action("edit.find").trigger();
        QCOMPARE(canvas.selectedNodes(), std::set<std::string>{"denoise"});
        studio.window->activateWindow();  // as a desktop does when the dialog has closed
        QVERIFY(QTest::qWaitForWindowActive(&*studio.window));
        QTRY_VERIFY(canvas.hasFocus());
        test::press(Qt::Key_Return);
        QVERIFY(canvas.viewport()->findChild<QWidget*>("rowEditor"));
    }

    void shiftTabLeavesTheCanvas() {
        Working studio;
        GraphView& canvas = studio.widgets().canvas;
        canvas.setFocus();
        QTRY_VERIFY(canvas.hasFocus());
        test::press(Qt::Key_Backtab, Qt::ShiftModifier);
        QVERIFY(!canvas.hasFocus());
        QVERIFY(QApplication::focusWidget() && !canvas.isAncestorOf(QApplication::focusWidget()));
    }

    void aRehearsedCardIsAsLargeAsItIsStated() {
        const Json devices = {{{"id", "fake"}, {"kind", "fake"}, {"free", 8 * kGiB}}};
        const MemoryNow now{.ledger = {{"fake", {{"total", kGiB}}}}, .devices = devices};
        const QString line = memoryLine(now, 4 * kGiB);
        QVERIFY2(line.contains("3.0 GiB are free"), qPrintable(line));
    }
};

LOWTIDE_WINDOW_TEST(WindowRunsTest)

}  // namespace window_runs_test

#include "window_runs_test.moc"
