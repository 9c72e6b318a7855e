#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/document/edits.hpp"
#include "ui/studio/memory_strip.hpp"

namespace window_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kLaidOut = 5000;  ///< milliseconds until everything has its size, on a busy machine

Json drawsOne(ScriptedRunner::Stage& stage) {
    stage.send({{"event", "runStarted"}, {"nodes", {"denoise"}}, {"repetitions", 1}});
    return {{"status", "ok"}, {"executed", 1}};
}

}  // namespace

class WindowTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void everyTextFitsInBothSchemes_data() {
        QTest::addColumn<QString>("scheme");
        QTest::newRow("light") << "light";
        QTest::newRow("dark") << "dark";
        QTest::newRow("light, high contrast") << "light_contrast";
        QTest::newRow("dark, high contrast") << "dark_contrast";
    }

    void everyTextFitsInBothSchemes() {
        QFETCH(QString, scheme);
        Working studio;
        studio.appearance.use(scheme);
        QStringList problems;
        for (const char* panel :
             {"presets", "models", "inspector", "generate", "memory", "queue", "issues", "log"}) {
            studio.widgets().panels.show(panel);
            QStringList here;
            static_cast<void>(QTest::qWaitFor(
                [&] { return (here = test::textProblems(*studio.window)).isEmpty(); }, kLaidOut));
            problems += here;
        }
        test::keepScreenshot(*studio.window, "window_" + scheme);
        problems.removeDuplicates();
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
    }

    /// While they go, one after the other reports that the selection changed.
    void severalChosenNodesAreDeleted() {
        Working studio;
        GraphView& canvas = studio.widgets().canvas;
        studio.action("view.graph").trigger();
        studio.action("edit.select_all").trigger();
        QVERIFY(canvas.selectedNodes().size() > 1);
        QSignalSpy reported(&canvas, &GraphView::selectionChanged);
        const auto areThere = [&] {
            for (const std::string& id : canvas.selectedNodes()) {
                QVERIFY2(studio.model().node(id), id.c_str());
            }
        };
        const auto connection = connect(&canvas, &GraphView::selectionChanged, this, areThere);
        studio.action("edit.delete").trigger();
        disconnect(connection);
        QVERIFY(!reported.isEmpty());
        QVERIFY(studio.model().document().nodes.empty());
        studio.model().undoStack().undo();
        QVERIFY(studio.model().document().nodes.size() > 1);
    }

    void titleAndMarkFollowTheDocument() {
        Working studio;
        studio.model().apply("Steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 3;
        });
        QVERIFY(studio.window->isWindowModified());
        QCOMPARE(test::saveAs(studio.work().file, studio.folder.filePath("fox.json")), QString());
        QVERIFY(studio.window->windowTitle().startsWith("fox"));
        QVERIFY(!studio.window->isWindowModified());
    }

    void closingAsksForNothing_andTheNextStartHasIt() {
        Working studio;
        studio.model().apply("Steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 3;
        });
        QVERIFY(studio.window->close());
        studio.window.reset();
        studio.make([&]() -> Plugin& { return studio.plugin; });
        QTRY_VERIFY_WITH_TIMEOUT(studio.window->controller(), kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.model().node("denoise")->params.at("steps"), Json(3), kPatience);
        QVERIFY(studio.window->isWindowModified());
        QCOMPARE(studio.work().file.documents().size(), size_t{1});
    }

    void theSeedThatIsShownIsTheOneThatIsUsed() {
        Working studio;
        studio.work().run.setRandom([] { return uint64_t{4711}; });
        studio.model().apply("Mode", [](graph::Document& document) {
            setSeedMode(document.nodes.at("denoise"), "seed", SeedMode::Random);
        });
        studio.action("run.start").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.plugin.script().startedGraphs().size(), size_t{1}, kPatience);
        const Json sent = Json::parse(studio.plugin.script().startedGraphs().front());
        const Json shown = studio.model().node("denoise")->params.at("seed");
        QCOMPARE(shown, Json(4711));
        QCOMPARE(sent.at("nodes").at("denoise").at("params").at("seed"), shown);
    }

    void nothingToDoIsReportedAndOffersToRunAgain() {
        Working studio;
        const std::string graph = graph::toText(studio.model().document());
        studio.plugin.script().setScript(graph, [](ScriptedRunner::Stage&) {
            return Json{{"status", "ok"}, {"executed", 0}};
        });
        studio.action("run.start").trigger();
        auto& bar = studio.widgets().notices;
        QTRY_VERIFY_WITH_TIMEOUT(bar.isVisible(), kPatience);
        QVERIFY2(bar.text().contains("up to date"), qPrintable(bar.text()));
        studio.plugin.script().setScript(graph, drawsOne);
        QTest::mouseClick(bar.findChild<QPushButton*>("noticeButton"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.plugin.script().startedGraphs().size(), size_t{2}, kPatience);
        const RunQueue& queue = studio.work().queue;
        QCOMPARE(queue.runs().back().options.at("forceExecution"), Json(true));
    }

    void aWarningOfTheRunIsShownWithWhatItSaved() {
        Working studio;
        studio.plugin.script().setScript(
            graph::toText(studio.model().document()), [](ScriptedRunner::Stage&) {
                const auto warning = [](const char* message) {
                    return Json{{"severity", "warning"},
                                {"code", "prompt_cut"},
                                {"node", "encode"},
                                {"message", message}};
                };
                return Json{{"status", "ok"},
                            {"executed", 1},
                            {"files", {"/out/fox_1.png"}},
                            {"issues", {warning("936 tokens are left out"), warning("more")}}};
            });
        auto& bar = studio.widgets().notices;

        studio.action("run.start").trigger();

        QTRY_VERIFY_WITH_TIMEOUT(bar.isVisible(), kPatience);
        QVERIFY2(bar.text().contains("fox_1.png"), qPrintable(bar.text()));
        QVERIFY2(bar.text().contains("936 tokens are left out. (and 1 more)"),
                 qPrintable(bar.text()));
    }

    void aRunAtTheFrontComesBeforeThoseThatWait() {
        Working studio;
        RunQueue& queue = studio.work().queue;
        queue.setPaused(true);
        studio.action("run.start").trigger();
        const quint64 first = queue.runs().back().id;
        studio.action("run.front").trigger();
        QCOMPARE(queue.runs().size(), size_t{2});
        QCOMPARE(queue.runs().back().id, first);
    }

    void anotherDocumentShowsNoImageOfTheLast() {
        Working studio;
        NodeStatuses& statuses = studio.work().statuses;
        statuses.takeImage("denoise", {QImage(4, 4, QImage::Format_RGB32)});
        QVERIFY(!statuses.of("denoise").nodeImage.isNull());
        studio.action("file.new").trigger();
        QVERIFY(statuses.of("denoise").nodeImage.isNull());
    }

    void anotherDocumentTakesBackWhatWasReportedOfARun() {
        Working studio;
        studio.plugin.script().setScript(graph::toText(studio.model().document()),
                                         [](ScriptedRunner::Stage&) {
                                             return Json{{"status", "ok"}, {"executed", 0}};
                                         });
        auto& bar = studio.widgets().notices;
        studio.action("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(bar.isVisible(), kPatience);
        studio.model().apply("Steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 3;
        });
        studio.model().undoStack().undo();
        QVERIFY(bar.isVisible());
        studio.action("file.new").trigger();
        QVERIFY(!bar.isVisible());
        bar.show(NoticeKind::Warning, "of the settings");
        studio.action("file.new").trigger();
        QVERIFY(bar.isVisible());
    }

    void anotherDocumentHearsNothingOfARunOfTheLast() {
        Working studio;
        studio.plugin.script().setScript(
            graph::toText(studio.model().document()), [](ScriptedRunner::Stage& stage) {
                stage.waitAtGate();
                stage.send({{"event", "nodeFinished"}, {"node", "denoise"}, {"ms", 5}});
                return Json{{"status", "ok"}, {"executed", 0}};
            });
        RunControl& run = studio.work().run;
        studio.action("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(run.isBusy(), kPatience);
        studio.action("file.new").trigger();
        studio.plugin.script().openGate();
        QTRY_VERIFY_WITH_TIMEOUT(!run.isBusy(), kPatience);
        QVERIFY(!studio.widgets().notices.isVisible());
        QCOMPARE(studio.work().statuses.of("denoise").activity, NodeActivity::Idle);
    }

    void releasingNeverWaitsAndStatesWhatBecameOfIt() {
        Working studio;
        auto& bar = studio.widgets().notices;
        QAction& release = studio.action("run.release");
        studio.plugin.script().setRelease(Status::Failed, 2000);
        QElapsedTimer clock;
        clock.start();

        release.trigger();
        QVERIFY2(clock.elapsed() < 1000, "the window waited for the module");
        QVERIFY2(bar.text().contains("Releasing"), qPrintable(bar.text()));
        QVERIFY(!release.isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(release.isEnabled(), kPatience);
        QVERIFY2(bar.text().contains("a run is at work"), qPrintable(bar.text()));

        studio.plugin.script().setRelease(Status::Ok);
        release.trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(
            bar.text().contains("Nothing is kept"), qPrintable(bar.text()), kPatience);
    }

    void theToolBarStatesHowFarTheRunIs() {
        Working studio;
        auto* strip = studio.window->findChild<QWidget*>("runStrip");
        auto* text = studio.window->findChild<QLabel*>("runText");
        QVERIFY(!strip->isVisible());
        studio.plugin.script().setScript(
            graph::toText(studio.model().document()), [](ScriptedRunner::Stage& stage) {
                stage.send({{"event", "runStarted"}, {"nodes", {"denoise"}}, {"repetitions", 1}});
                stage.send({{"event", "nodeProgress"},
                            {"node", "denoise"},
                            {"phase", "step"},
                            {"done", 4},
                            {"total", 20},
                            {"eta", 12.2}});
                stage.waitAtGate();
                return Json{{"status", "ok"}, {"executed", 1}};
            });

        studio.action("run.start").trigger();

        QTRY_COMPARE_WITH_TIMEOUT(text->text(), QString("step 4 of 20 · 0:13 left"), kPatience);
        QVERIFY(strip->isVisible());
        QCOMPARE(studio.window->findChild<QProgressBar*>("runBar")->value(), 200);
        QCOMPARE(test::textProblems(*studio.window), QStringList());
        test::keepScreenshot(*studio.window, "window_running");
        studio.plugin.script().openGate();
        QTRY_VERIFY_WITH_TIMEOUT(!strip->isVisible(), kPatience);
    }

    /// Whatever it counts, nothing next to it moves.
    void theFiguresOfTheToolBarAreEquallyWide() {
        RunStrip strip;
        QueuedRun run;
        QueueProgress progress{
            .number = 1, .total = 10, .phase = "step 1 of 20", .secondsLeft = 71};
        strip.setRun(run, progress);
        auto* text = strip.findChild<CountingLabel*>("runText");
        QCOMPARE(text->text(), QString("1 of 10 · step 1 of 20 · 1:11 left"));
        const int width = text->widthOf(text->text());
        progress = {.number = 8, .total = 10, .phase = "step 8 of 20", .secondsLeft = 288};
        strip.setRun(run, progress);
        QCOMPARE(text->text(), QString("8 of 10 · step 8 of 20 · 4:48 left"));
        QCOMPARE(text->widthOf(text->text()), width);
        QCOMPARE(strip.minimumWidth(), strip.maximumWidth());

        progress.phase = "the loading of a checkpoint with a very long name";
        strip.setRun(run, progress);
        QVERIFY2(text->text().endsWith("4:48 left"), qPrintable(text->text()));
        QVERIFY(text->text().startsWith("8 of 10"));
        QVERIFY(text->widthOf(text->text()) <= strip.maximumWidth());
    }

    /// Its name on its tab, or on its title: how often a panel shows it.
    static int timesNamed(const QMainWindow& window, const QDockWidget& dock) {
        int times = 0;
        for (const auto* bar : window.findChildren<QTabBar*>()) {
            for (int tab = 0; tab < bar->count(); ++tab) {
                const bool isSeen = !bar->visibleRegion().isEmpty();
                times += isSeen && bar->tabText(tab) == dock.windowTitle() ? 1 : 0;
            }
        }
        return times + (dock.titleBarWidget() == nullptr ? 1 : 0);
    }

    /// The middle has the space: the queue is in front below it, and memory is a line until it is
    /// clicked.
    void memoryIsALineThatOpensItsPanel() {
        Working studio;
        QTRY_VERIFY_WITH_TIMEOUT(studio.widgets().panels.isShown("queue"), kPatience);
        QVERIFY(!studio.widgets().panels.isShown("memory"));
        const int whole = studio.window->height();
        QTRY_VERIFY_WITH_TIMEOUT(
            studio.window->findChild<QDockWidget*>("queue")->height() < whole / 4, kPatience);
        auto* strip = studio.window->statusBar()->findChild<QToolButton*>("need");
        QVERIFY(strip->isVisible());
        test::click(*strip, strip->rect().center());
        QTRY_VERIFY_WITH_TIMEOUT(studio.widgets().panels.isShown("memory"), kPatience);
    }

    /// However much it has to state, it asks for no wider window.
    void theLineOfMemoryEndsInAnEllipsis() {
        MemoryStrip strip;
        strip.setHeld(QString("GPU %1 holds 21.5 MiB, 18.9 GiB are free · ").repeated(20));
        QVERIFY(strip.minimumSizeHint().width() < 200);
        QVERIFY2(strip.text().startsWith("No plan yet · GPU"), qPrintable(strip.text()));
        QVERIFY(strip.toolTip().contains(strip.text()));
    }

    void theIconOfMemoryFollowsThePlanAlone() {
        MemoryStrip strip;
        const qint64 before = strip.icon().cacheKey();
        strip.setHeld("CPU holds 21.5 MiB, 18.9 GiB are free");
        strip.setBusy(true);
        QCOMPARE(strip.icon().cacheKey(), before);
        strip.setPlanned({}, {});
        QVERIFY(strip.icon().cacheKey() != before);
    }

    void everyPanelStatesItsNameOnce() {
        Working studio;
        auto* memory = studio.window->findChild<QDockWidget*>("memory");
        for (const auto* dock : studio.window->findChildren<QDockWidget*>()) {
            QTRY_COMPARE_WITH_TIMEOUT(timesNamed(*studio.window, *dock), 1, kPatience);
        }
        memory->setFloating(true);
        QTRY_VERIFY_WITH_TIMEOUT(!memory->titleBarWidget(), kPatience);
        memory->setFloating(false);
        QTRY_VERIFY_WITH_TIMEOUT(memory->titleBarWidget(), kPatience);
        for (const char* other : {"issues", "log", "queue"}) {
            studio.window->findChild<QDockWidget*>(other)->close();
        }
        QTRY_VERIFY_WITH_TIMEOUT(!memory->titleBarWidget(), kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(timesNamed(*studio.window, *memory), 1, kPatience);
    }

    /// Chooses an entry of the menu that opens next, with the keyboard.
    static void chooseInMenu(const QString& text) {
        QTimer::singleShot(100, qApp, [text] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            QVERIFY(menu);
            for (QAction* action : menu->actions()) {
                if (action->text().remove('&').startsWith(text)) {
                    menu->setActiveAction(action);
                }
            }
            QTest::keyClick(menu, Qt::Key_Return);
        });
    }

    void aPanelIsMovedFloatedAndClosed_withKeysAndWithTheMouse() {
        Working studio;
        QMainWindow& window = *studio.window;
        auto* queue = window.findChild<QDockWidget*>("queue");
        studio.action("view.queue").trigger();
        QMenu& menu = studio.widgets().panels.menu();

        chooseInMenu("To the right");
        menu.exec();
        QCOMPARE(window.dockWidgetArea(queue), Qt::RightDockWidgetArea);
        QVERIFY(window.tabifiedDockWidgets(queue).contains(
            window.findChild<QDockWidget*>("inspector")));
        chooseInMenu("Out of the window");
        menu.exec();
        QVERIFY(queue->isFloating());
        chooseInMenu("Back into");
        menu.exec();
        QVERIFY(!queue->isFloating());

        auto* issues = window.findChild<QDockWidget*>("issues");
        QTabBar* bar = nullptr;
        int tab = -1;
        for (auto* each : window.findChildren<QTabBar*>()) {
            for (int at = 0; at < each->count(); ++at) {
                if (each->tabText(at) == issues->windowTitle()) {
                    bar = each;
                    tab = at;
                }
            }
        }
        QVERIFY(bar);
        QTRY_COMPARE_WITH_TIMEOUT(bar->contextMenuPolicy(), Qt::CustomContextMenu, kPatience);
        QCOMPARE(bar->focusPolicy() & Qt::TabFocus, Qt::TabFocus);
        bar->setCurrentIndex(tab == 0 ? 1 : 0);
        const QString front = bar->tabText(bar->currentIndex());
        bar->setFocus(Qt::TabFocusReason);
        chooseInMenu("Close " + front);
        QContextMenuEvent key(QContextMenuEvent::Keyboard, bar->rect().center(), QPoint());
        QCoreApplication::sendEvent(bar, &key);
        for (auto* dock : window.findChildren<QDockWidget*>()) {
            QVERIFY(dock->windowTitle() != front || dock->isHidden());
            dock->show();
        }
        QTRY_COMPARE_WITH_TIMEOUT(bar->count(), 3, kPatience);
        for (int at = 0; at < bar->count(); ++at) {
            tab = bar->tabText(at) == issues->windowTitle() ? at : tab;
        }
        chooseInMenu("Close");
        QContextMenuEvent click(QContextMenuEvent::Mouse,
                                bar->tabRect(tab).center(),
                                bar->mapToGlobal(bar->tabRect(tab).center()));
        QCoreApplication::sendEvent(bar, &click);
        QVERIFY(!issues->isVisible());
        studio.action("view.issues").trigger();
        QVERIFY(issues->isVisible());
    }

    void runToHereEndsWithTheSelectedNode() {
        Working studio;
        QVERIFY(!studio.action("run.here").isEnabled());
        studio.widgets().canvas.select({"encode"});
        QVERIFY(studio.action("run.here").isEnabled());
        studio.action("run.here").trigger();
        QCOMPARE(studio.work().queue.runs().back().options.at("until"), Json({"encode"}));
        QCOMPARE(studio.work().queue.runs().back().options.at("out"),
                 Json(studio.folder.filePath("pictures").toStdString()));
    }

    void aDeviceThatHoldsNothingIsNotNamed() {
        QCOMPARE(memoryLine({.ledger = {{"cpu", {{"total", 0}}}}, .devices = {}}),
                 QString("Nothing is held on a device"));
    }

    void aRehearsedCardHasItsOwnSize() {
        const Json devices = Json::array({Json{{"id", "fake"}, {"free", 8 * kGiB}}});
        QCOMPARE(memoryLine({.ledger = {{"fake", {{"total", kGiB}, {"capacity", 4 * kGiB}}}},
                             .devices = devices}),
                 QString("rehearsed card holds 1.0 GiB, 3.0 GiB are free"));
    }

    void keysReachTheCanvasWhenItHasTheFocus() {
        Working studio;
        GraphView& canvas = studio.widgets().canvas;
        canvas.setFocus();
        canvas.select({"latent"});
        QTest::keyClick(&canvas, Qt::Key_Delete);
        QVERIFY(!studio.model().node("latent"));
        QTest::keyClick(studio.window->windowHandle(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(studio.model().node("latent"));
    }

    void otherKeysAreKeptInTheSettings() {
        Working studio;
        studio.window->actions().setKeys("run.start", keysFromText("F5"));
        studio.settings.finish();
        const Settings again(studio.folder.filePath("s.json"));
        QCOMPARE(again.preferences().keys.at("run.start"), QString("F5"));
    }
};

LOWTIDE_WINDOW_TEST(WindowTest)

}  // namespace window_test

#include "window_test.moc"
