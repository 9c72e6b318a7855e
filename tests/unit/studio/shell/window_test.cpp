#include "plugin/base/error.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/unit/studio/shell/opened_window.hpp"
#include "ui/document/edits.hpp"
#include "ui/studio/kept_nodes.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <future>

using namespace lowtide;
using namespace lowtide::ui;

namespace {

Json drawsOne(ScriptedRunner::Stage& stage) {
    stage.send({{"event", "runStarted"}, {"nodes", {"denoise"}}, {"repetitions", 1}});
    return {{"status", "ok"}, {"executed", 1}};
}

/// Presses a button of the dialog that opens next.
void answer(const char* dialog, const std::function<void(QDialog&)>& act) {
    QTimer::singleShot(50, qApp, [dialog, act] {
        auto* box = qobject_cast<QDialog*>(QApplication::activeModalWidget());
        QVERIFY(box);
        QCOMPARE(box->objectName(), QString(dialog));
        QCOMPARE(test::textProblems(*box), QStringList());
        act(*box);
    });
}

}  // namespace

class WindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { test::failOnQtWarnings(); }

    void itIsThereBeforeTheEngine() {
        std::promise<void> gate;
        SmallPlugin plugin;
        Opened opened([&plugin, opening = gate.get_future().share()]() -> Plugin& {
            opening.wait();
            return plugin;
        });
        QVERIFY(opened.window->isVisible());
        QVERIFY(!opened.window->desk());
        const auto* title = opened.window->findChild<QLabel*>("startTitle");
        QVERIFY(title->text().contains("Starting"));
        QVERIFY(!opened.window->actions().at("run.start").isEnabled());
        QVERIFY(opened.window->actions().at("file.quit").isEnabled());
        QTest::qWait(50);  // the status bar is laid out
        const QStringList problems = test::textProblems(*opened.window);
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
        test::keepScreenshot(*opened.window, "window_starting");
        gate.set_value();
        QTRY_VERIFY_WITH_TIMEOUT(opened.window->desk(), kWindowPatience);
        QVERIFY(opened.window->actions().at("run.start").isEnabled());
        opened.window.reset();
    }

    void withoutAModuleItSaysWhyAndTriesAgain() {
        int tries = 0;
        SmallPlugin plugin;
        Opened opened([&]() -> Plugin& {
            if (++tries == 1) {
                throw Error(ErrorKind::NotFound,
                            "liblowtide_plugin.so was not found",
                            "build it (./dev build) or set LOWTIDE_PLUGIN_PATH to the file");
            }
            return plugin;
        });
        auto* again = opened.window->findChild<QPushButton*>("again");
        QTRY_VERIFY_WITH_TIMEOUT(again->isVisible(), kWindowPatience);
        QVERIFY(
            opened.window->findChild<QLabel*>("startMessage")->text().contains("was not found"));
        QVERIFY(opened.window->findChild<QLabel*>("startHint")->text().contains("./dev build"));
        QTest::qWait(50);  // the status bar is laid out
        const QStringList problems = test::textProblems(*opened.window);
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
        test::keepScreenshot(*opened.window, "window_refused");
        QTest::mouseClick(again, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(opened.window->desk(), kWindowPatience);
        QCOMPARE(tries, 2);
        opened.window.reset();
    }

    void withoutAModuleGraphsCanBeEditedWithTheNodesOfTheLastStart() {
        bool isThere = true;
        SmallPlugin plugin;
        const OpenModule open = [&]() -> Plugin& {
            if (!isThere) {
                throw Error(ErrorKind::NotFound, "liblowtide_plugin.so was not found", "build it");
            }
            return plugin;
        };
        Opened opened(open);
        QTRY_VERIFY_WITH_TIMEOUT(opened.window->desk(), kWindowPatience);
        opened.window.reset();
        QCOMPARE(keptNodes(opened.folder.filePath("nodes.json")).size(), smallNodes().size());
        isThere = false;
        opened.make(open);
        auto* without = opened.window->findChild<QPushButton*>("without");
        QTRY_VERIFY_WITH_TIMEOUT(without->isVisible(), kWindowPatience);
        QTest::mouseClick(without, Qt::LeftButton);
        QVERIFY(opened.window->desk());
        QVERIFY(!opened.window->actions().at("run.start").isEnabled());
        QVERIFY(opened.window->workspace()->model.desc("denoise"));
        QVERIFY(opened.window->desk()->notices().text().contains("does not run"));
        QTest::qWait(50);  // the status bar is laid out
        const QStringList problems = test::textProblems(*opened.window);
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
    }

    void itOpensTheDefaultGraphAndLeavesItUnmodified() {
        Working studio;
        QCOMPARE(graph::toText(studio.model().document()), graph::toText(defaultGraph()));
        QVERIFY(!studio.window->isWindowModified());
        QVERIFY(studio.window->close());
    }

    void everyTextFitsInBothSchemes_data() {
        QTest::addColumn<QString>("scheme");
        QTest::newRow("light") << "light";
        QTest::newRow("dark") << "dark";
    }

    void everyTextFitsInBothSchemes() {
        QFETCH(QString, scheme);
        Working studio;
        studio.appearance.use(scheme);
        for (const char* panel :
             {"presets", "models", "inspector", "generate", "memory", "queue", "issues"}) {
            studio.window->desk()->panels().show(panel);
            QStringList problems;
            QTRY_VERIFY2_WITH_TIMEOUT((problems = test::textProblems(*studio.window)).isEmpty(),
                                      qPrintable(problems.join(u'\n')),
                                      kWindowPatience);
        }
        test::keepScreenshot(*studio.window, "window_" + scheme);
    }

    void titleAndMarkFollowTheDocument() {
        Working studio;
        studio.model().apply("Steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 3;
        });
        QVERIFY(studio.window->isWindowModified());
        QCOMPARE(studio.window->workspace()->file.saveAs(studio.folder.filePath("fox.json")),
                 QString());
        QVERIFY(studio.window->windowTitle().startsWith("fox"));
        QVERIFY(!studio.window->isWindowModified());
    }

    void closingAsksForWhatIsNotSaved() {
        Working studio;
        studio.model().apply("Steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 3;
        });
        const auto press = [](QMessageBox::StandardButton button) {
            return [button](QDialog& box) {
                qobject_cast<QMessageBox*>(&box)->button(button)->click();
            };
        };
        answer("unsaved", press(QMessageBox::Cancel));
        QVERIFY(!studio.window->close());
        answer("unsaved", press(QMessageBox::Discard));
        QVERIFY(studio.window->close());
    }

    void theSeedThatIsShownIsTheOneThatIsUsed() {
        Working studio;
        studio.window->workspace()->run.setRandom([] { return uint64_t{4711}; });
        studio.model().apply("Mode", [](graph::Document& document) {
            setSeedMode(document.nodes.at("denoise"), "seed", SeedMode::Random);
        });
        const int steps = studio.model().undoStack().count();
        studio.action("run.start").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.plugin.script().startedGraphs().size(), size_t{1}, kWindowPatience);
        const Json sent = Json::parse(studio.plugin.script().startedGraphs().front());
        const Json shown = studio.model().node("denoise")->params.at("seed");
        QCOMPARE(shown, Json(4711));
        QCOMPARE(sent.at("nodes").at("denoise").at("params").at("seed"), shown);
        QCOMPARE(studio.model().undoStack().count(), steps + 1);
        studio.model().undoStack().undo();
        QCOMPARE(studio.model().node("denoise")->params.at("seed"), Json(1));
    }

    void nothingToDoIsSaidAndOffersToRunAnew() {
        Working studio;
        const std::string graph = graph::toText(studio.model().document());
        studio.plugin.script().setScript(graph, [](ScriptedRunner::Stage&) {
            return Json{{"status", "ok"}, {"executed", 0}};
        });
        studio.action("run.start").trigger();
        auto& bar = studio.window->desk()->notices();
        QTRY_VERIFY_WITH_TIMEOUT(bar.isVisible(), kWindowPatience);
        QVERIFY2(bar.text().contains("up to date"), qPrintable(bar.text()));
        studio.plugin.script().setScript(graph, drawsOne);
        QTest::mouseClick(bar.findChild<QPushButton*>("noticeButton"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.plugin.script().startedGraphs().size(), size_t{2}, kWindowPatience);
    }

    void runToHereEndsWithTheSelectedNode() {
        Working studio;
        QVERIFY(!studio.action("run.here").isEnabled());
        studio.window->desk()->canvas().select({"encode"});
        QVERIFY(studio.action("run.here").isEnabled());
        studio.action("run.here").trigger();
        QCOMPARE(studio.window->workspace()->queue.runs().back().options.at("until"),
                 Json({"encode"}));
    }

    void escapeTwiceCancels() {
        Working studio;
        const std::string graph = graph::toText(studio.model().document());
        studio.plugin.script().setScript(graph, [](ScriptedRunner::Stage& stage) {
            stage.waitAtGate();
            return Json{{"status", "cancelled"}};
        });
        studio.action("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(studio.window->workspace()->run.isBusy(), kWindowPatience);
        QVERIFY(studio.action("run.cancel").isEnabled());
        QTest::keyClick(studio.window->windowHandle(), Qt::Key_Escape);
        QTest::keyClick(studio.window->windowHandle(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!studio.window->workspace()->run.isBusy(), kWindowPatience);
        QCOMPARE(studio.window->workspace()->queue.runs().back().state, RunState::Cancelled);
    }

    void keysReachTheCanvasWhenItHasTheFocus() {
        Working studio;
        GraphView& canvas = studio.window->desk()->canvas();
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
        const Settings again(studio.folder.filePath("s.json"));
        QCOMPARE(again.preferences().keys.at("run.start"), QString("F5"));
    }
};

QTEST_MAIN(WindowTest)
#include "window_test.moc"
