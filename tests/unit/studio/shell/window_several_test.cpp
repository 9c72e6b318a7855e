// The same graph many times: so often, with which seeds, or for ever.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/document/edits.hpp"
#include "ui/studio/run_commands.hpp"

#include <QComboBox>
#include <QMessageBox>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>

namespace window_several_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

QList<quint64> seedsOf(const RunQueue& queue) {
    QList<quint64> seeds;
    for (const QueuedRun& run : queue.runs()) {
        const graph::Document document = graph::parseDocument(run.graph);
        seeds << document.nodes.at("denoise").params.at("seed").get<quint64>();
    }
    return seeds;
}

}  // namespace

class WindowSeveralTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { test::failOnQtWarnings(); }

    void manyRunsAreQueued_data() {
        QTest::addColumn<int>("choice");
        QTest::addColumn<QList<quint64>>("seeds");
        QTest::addColumn<quint64>("shown");
        QTest::newRow("drawn") << 0 << QList<quint64>{101, 102, 103} << quint64{7};
        QTest::newRow("counted") << 1 << QList<quint64>{7, 8, 9} << quint64{7};
        QTest::newRow("as the node states") << 2 << QList<quint64>{8, 9, 10} << quint64{10};
    }

    void manyRunsAreQueued() {
        QFETCH(int, choice);
        QFETCH(QList<quint64>, seeds);
        QFETCH(quint64, shown);
        Working studio;
        studio.model().apply("Seed", [](graph::Document& document) {
            document.nodes.at("denoise").params["seed"] = 7;
            setSeedMode(document.nodes.at("denoise"), "seed", SeedMode::Increment);
        });
        Workspace& work = *studio.window->workspace();
        uint64_t drawn = 100;
        work.run.setRandom([&] { return ++drawn; });
        work.queue.setPaused(true);
        answer("several", [&](QDialog& dialog) {
            dialog.findChild<QSpinBox*>("count")->setValue(3);
            dialog.findChild<QComboBox*>("seeds")->setCurrentIndex(choice);
            dialog.findChild<QPushButton*>("run")->click();
        });
        studio.action("run.several").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(seedsOf(work.queue), seeds, kPatience);
        QCOMPARE(studio.model().node("denoise")->params.at("seed"), Json(shown));
    }

    void runQueuesAsManyAsTheFieldNextToItStates() {
        Working studio;
        studio.model().apply("Seed", [](graph::Document& document) {
            document.nodes.at("denoise").params["seed"] = 7;
        });
        Workspace& work = studio.work();
        uint64_t drawn = 100;
        work.run.setRandom([&] { return ++drawn; });
        work.queue.setPaused(true);
        auto* times = studio.window->findChild<QSpinBox*>("times");
        times->setFocus();
        times->selectAll();
        test::type("3");
        studio.action("run.start").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(seedsOf(work.queue), (QList<quint64>{101, 102, 103}), kPatience);
        QCOMPARE(studio.model().node("denoise")->params.at("seed"), Json(7));
        studio.action("view.generate").trigger();
        Q_EMIT studio.widgets().form.runAsked();
        QTRY_COMPARE_WITH_TIMEOUT(work.queue.runs().size(), size_t{6}, kPatience);
        times->setValue(1);
        studio.action("run.start").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(work.queue.runs().size(), size_t{7}, kPatience);
    }

    /// The first may be found among what is kept; who asks for three wants three made.
    void theSameGraphOnceMoreIsMadeAgain() {
        Working studio;
        Workspace& work = *studio.window->workspace();
        work.queue.setPaused(true);
        work.run.runSeveral(3, SeveralSeeds::AsNodesSet);
        work.run.finishAsked();
        QList<bool> areForced;
        for (const QueuedRun& run : work.queue.runs()) {
            areForced << run.options.value("forceExecution", false);
        }
        QCOMPARE(areForced, (QList<bool>{false, true, true}));
        work.run.runSeveral(2, SeveralSeeds::Counting);
        work.run.finishAsked();
        QVERIFY(!work.queue.runs().back().options.value("forceExecution", false));
    }

    /// Graphs are made a few milliseconds at a time; none is lost when the window closes meanwhile.
    void whatIsStillMadeIsAskedAboutToo() {
        Working studio;
        Workspace& work = *studio.window->workspace();
        work.queue.setPaused(true);
        work.run.runSeveral(1000, SeveralSeeds::Counting);
        QVERIFY(work.queue.runs().size() < 1000);
        QString asked;
        answer("runsAtWork", [&asked](QDialog& box) {
            asked = qobject_cast<QMessageBox*>(&box)->text();
            box.reject();
        });
        studio.window->close();
        QVERIFY2(asked.contains("1000"), qPrintable(asked));
        QCOMPARE(work.queue.runs().size(), size_t{1000});
    }

    void tabGoesDownTheDialog() {
        Working studio;
        QStringList reached;
        answer("several", [&reached](QDialog& dialog) {
            dialog.activateWindow();
            static_cast<void>(QTest::qWaitFor(
                [&] { return dialog.isAncestorOf(QApplication::focusWidget()); }, kPatience));
            for (int i = 0; i < 5 && QApplication::focusWidget(); ++i) {
                const QWidget* focus = QApplication::focusWidget();
                reached << (focus->objectName().isEmpty() ? "cancel" : focus->objectName());
                QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            }
            dialog.reject();
        });
        studio.action("run.several").trigger();
        QCOMPARE(reached, (QStringList{"count", "prompts", "seeds", "run", "cancel"}));
    }

    void nothingIsQueued_whenTheDialogIsLeft() {
        Working studio;
        answer("several", [](QDialog& dialog) { dialog.reject(); });
        studio.action("run.several").trigger();
        QVERIFY(studio.window->workspace()->queue.runs().empty());
    }

    void itRunsForEver_untilItIsSwitchedOff() {
        Working studio;
        studio.model().apply("Seed", [](graph::Document& document) {
            setSeedMode(document.nodes.at("denoise"), "seed", SeedMode::Increment);
        });
        Workspace& work = *studio.window->workspace();
        QAction& forEver = studio.action("run.for_ever");
        int ended = 0;
        connect(&work.queue, &RunQueue::ended, &forEver, [&] {
            if (++ended == 4) {
                forEver.trigger();
            }
        });
        // Each graph is another one, and those without a script execute nothing.
        for (int seed = 0; seed < 20; ++seed) {
            graph::Document document = studio.model().document();
            document.nodes.at("denoise").params["seed"] = seed;
            studio.plugin.script().setScript(graph::toText(document), [](auto&) {
                return Json{{"status", "ok"}, {"executed", 1}};
            });
        }
        forEver.trigger();
        QVERIFY(work.run.isRepeating());
        QTRY_VERIFY_WITH_TIMEOUT(ended >= 4 && !work.run.isBusy(), kPatience);
        QVERIFY(!work.run.isRepeating());
        QTest::qWait(50);
        QVERIFY(ended <= 5);  // the next one may have begun before
    }

    /// The queue is paused when a run ends; the next one begins when it goes on.
    void itRunsForEver_afterAPause_data() {
        QTest::addColumn<bool>("waitsForAnother");
        QTest::newRow("nothing waits") << false;
        QTest::newRow("a run of earlier times waits") << true;
    }

    void itRunsForEver_afterAPause() {
        QFETCH(bool, waitsForAnother);
        Working studio;
        Workspace& work = *studio.window->workspace();
        studio.plugin.script().setScript(graph::toText(studio.model().document()), [](auto&) {
            return Json{{"status", "ok"}, {"executed", 1}};
        });
        int ended = 0;
        connect(&work.queue, &RunQueue::ended, &work.queue, [&] {
            if (++ended == 1) {
                studio.action("run.pause").trigger();
            }
        });
        studio.action("run.for_ever").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(ended > 0 && !work.run.isBusy(), kPatience);
        const int before = ended;  // the next one may have begun before the pause
        if (waitsForAnother) {
            work.queue.add("of earlier times", "another", Json::object());
        }
        QTest::qWait(50);
        QCOMPARE(ended, before);
        QVERIFY(work.run.isRepeating());
        studio.action("run.pause").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(ended >= before + 3, kPatience);
        work.run.setRepeating(false);
    }

    void itRunsForEver_ofOneGraph() {
        Working studio;
        Workspace& work = *studio.window->workspace();
        studio.plugin.script().setScript(graph::toText(studio.model().document()), [](auto&) {
            return Json{{"status", "ok"}, {"executed", 1}};
        });
        studio.action("run.for_ever").trigger();
        studio.action("file.new").trigger();
        QVERIFY(!work.run.isRepeating());
        QTRY_VERIFY_WITH_TIMEOUT(!work.run.isBusy(), kPatience);
    }

    void itStopsAfterThisRun() {
        Working studio;
        Workspace& work = *studio.window->workspace();
        studio.plugin.script().setScript(graph::toText(studio.model().document()),
                                         [](ScriptedRunner::Stage& stage) {
                                             stage.waitAtGate();
                                             return Json{{"status", "ok"}, {"executed", 1}};
                                         });
        studio.action("run.for_ever").trigger();
        for (int run = 0; run < 3; ++run) {
            studio.action("run.start").trigger();
        }
        auto* button = studio.window->findChild<QToolButton*>("stopAfterThis");
        studio.action("view.queue").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(button->isVisible(), kPatience);
        QVERIFY(button->isEnabled());
        test::click(*button, button->rect().center());
        QVERIFY(!work.run.isRepeating());
        QTRY_VERIFY_WITH_TIMEOUT(!button->isEnabled(), kPatience);
        QCOMPARE(work.queue.running()->state, RunState::Running);
        const auto count = [&](RunState state) {
            const auto& runs = work.queue.runs();
            return std::count_if(runs.begin(), runs.end(), [state](const QueuedRun& run) {
                return run.state == state;
            });
        };
        QCOMPARE(count(RunState::Cancelled), 3);
        // They can be queued again.
        const NoticeBar& notices = studio.window->controller()->widgets().notices;
        QVERIFY2(notices.text().contains('3'), qPrintable(notices.text()));
        notices.findChild<QPushButton*>("noticeButton")->click();
        QCOMPARE(count(RunState::Waiting), 3);
        studio.action("run.stop_after").trigger();
        studio.plugin.script().openGate();
        QTRY_VERIFY_WITH_TIMEOUT(!work.run.isBusy(), kPatience);
        QCOMPARE(count(RunState::Finished), 1);
        QCOMPARE(count(RunState::Cancelled), 6);
    }

    /// The list keeps the newest two hundred alone.
    void allThatWasTakenBackIsQueuedAgain() {
        constexpr int kMany = 1000;
        Working studio;
        Workspace& work = *studio.window->workspace();
        studio.action("run.pause").trigger();
        QElapsedTimer clock;
        clock.start();
        work.run.runSeveral(kMany, SeveralSeeds::Counting);
        qInfo("added in %lld ms", clock.restart());
        studio.action("run.stop_after").trigger();
        qInfo("taken back in %lld ms", clock.restart());
        const auto waiting = [&] {
            const auto& runs = work.queue.runs();
            return std::count_if(runs.begin(), runs.end(), [](const QueuedRun& run) {
                return run.state == RunState::Waiting;
            });
        };
        QCOMPARE(waiting(), 0);
        studio.window->controller()
            ->widgets()
            .notices.findChild<QPushButton*>("noticeButton")
            ->click();
        QCOMPARE(waiting(), kMany);
    }

    /// Seen from the desktop's list of windows.
    void theTitleStatesHowFarItIs() {
        Working studio;
        const QString before = studio.window->windowTitle();
        studio.plugin.script().setScript(
            graph::toText(studio.model().document()), [](ScriptedRunner::Stage& stage) {
                stage.send({{"event", "runStarted"}, {"nodes", {"a", "b"}}, {"repetitions", 1}});
                stage.send({{"event", "nodeStarted"}, {"node", "a"}, {"repetition", 1}});
                stage.send({{"event", "nodeFinished"}, {"node", "a"}, {"ms", 1}});
                stage.waitAtGate();
                return Json{{"status", "ok"}, {"executed", 2}};
            });
        studio.action("run.start").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.window->windowTitle(), QString("(50 %) ") + before, kPatience);
        studio.plugin.script().openGate();
        QTRY_COMPARE_WITH_TIMEOUT(studio.window->windowTitle(), before, kPatience);
    }

    /// In the tool bar, the tab and the title: at a glance.
    void whichOfHowManyIsSeenEverywhere() {
        Working studio;
        auto* queue = studio.window->findChild<QDockWidget*>("queue");
        QCOMPARE(queue->windowTitle(), QString("Queue"));
        studio.action("run.pause").trigger();
        const auto play = [&] {
            studio.plugin.script().setScript(
                graph::toText(studio.model().document()), [](ScriptedRunner::Stage& stage) {
                    stage.waitAtGate();
                    return Json{{"status", "ok"}, {"executed", 1}, {"ms", 2000}};
                });
            studio.action("run.start").trigger();
        };
        for (int run = 0; run < 3; ++run) {
            play();
        }
        QCOMPARE(queue->windowTitle(), QString("Queue (3)"));
        studio.action("run.pause").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(queue->windowTitle(), QString("Queue (1/3)"), kPatience);
        QVERIFY(studio.window->windowTitle().startsWith("(1/3, 0 %) "));
        QCOMPARE(studio.window->findChild<QLabel*>("runText")->text(), QString("1 of 3 · 0 %"));
        studio.plugin.script().openGate();
        QTRY_COMPARE_WITH_TIMEOUT(queue->windowTitle(), QString("Queue"), kPatience);
    }

    void itStopsByItself_data() {
        QTest::addColumn<QString>("status");
        QTest::addColumn<int>("executed");
        QTest::newRow("failed") << "failed" << 1;
        QTest::newRow("cancelled") << "cancelled" << 1;
        QTest::newRow("nothing to do") << "ok" << 0;
    }

    void itStopsByItself() {
        QFETCH(QString, status);
        QFETCH(int, executed);
        Working studio;
        Workspace& work = *studio.window->workspace();
        studio.plugin.script().setScript(
            graph::toText(studio.model().document()), [status, executed](auto&) {
                return Json{{"status", status.toStdString()}, {"executed", executed}};
            });
        studio.action("run.for_ever").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!work.run.isRepeating(), kPatience);
        QCOMPARE(work.queue.runs().size(), size_t{1});
        QVERIFY(!studio.action("run.for_ever").isChecked());
    }
};

LOWTIDE_WINDOW_TEST(WindowSeveralTest)

}  // namespace window_several_test

#include "window_several_test.moc"
