// The window before its module, without one, and at the first start.
#include "plugin/base/error.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/studio/engine_start.hpp"

#include <future>

namespace window_start_test {

using namespace lowtide;
using namespace lowtide::ui;

class WindowStartTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void itIsThereBeforeTheEngine() {
        std::promise<void> gate;
        SmallPlugin plugin;
        Opened opened([&plugin, opening = gate.get_future().share()]() -> Plugin& {
            opening.wait();
            return plugin;
        });
        QVERIFY(opened.window->isVisible());
        QVERIFY(!opened.window->controller());
        const auto* title = opened.window->findChild<QLabel*>("startTitle");
        QVERIFY(title->text().contains("Starting"));
        QVERIFY(!opened.window->actions().at("run.start").isEnabled());
        QVERIFY(opened.window->actions().at("file.quit").isEnabled());
        QTest::qWait(50);  // the status bar is laid out
        const QStringList problems = test::textProblems(*opened.window);
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
        test::keepScreenshot(*opened.window, "window_starting");
        gate.set_value();
        QTRY_VERIFY_WITH_TIMEOUT(opened.window->controller(), kPatience);
        QVERIFY(opened.window->actions().at("run.start").isEnabled());
        opened.window.reset();
    }

    void withoutAModuleItExplainsWhyAndTriesAgain() {
        int tries = 0;
        SmallPlugin plugin;
        Opened opened([&]() -> Plugin& {
            if (++tries == 1) {
                throw Error(
                    ErrorKind::NotFound,
                    Message("liblowtide_plugin.so was not found"),
                    Message("build it (./dev build) or set LOWTIDE_PLUGIN_PATH to the file"));
            }
            return plugin;
        });
        auto* again = opened.window->findChild<QPushButton*>("again");
        QTRY_VERIFY_WITH_TIMEOUT(again->isVisible(), kPatience);
        QVERIFY(
            opened.window->findChild<QLabel*>("startMessage")->text().contains("was not found"));
        QVERIFY(opened.window->findChild<QLabel*>("startHint")->text().contains("./dev build"));
        QTest::qWait(50);  // the status bar is laid out
        const QStringList problems = test::textProblems(*opened.window);
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
        test::keepScreenshot(*opened.window, "window_refused");
        QTest::mouseClick(again, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(opened.window->controller(), kPatience);
        QCOMPARE(tries, 2);
        opened.window.reset();
    }

    void withoutAModuleGraphsCanBeEditedWithTheNodesOfTheLastStart() {
        bool isThere = true;
        SmallPlugin plugin;
        const OpenModule open = [&]() -> Plugin& {
            if (!isThere) {
                throw Error(ErrorKind::NotFound,
                            Message("liblowtide_plugin.so was not found"),
                            Message("build it"));
            }
            return plugin;
        };
        Opened opened(open);
        QTRY_VERIFY_WITH_TIMEOUT(opened.window->controller(), kPatience);
        opened.window.reset();
        QCOMPARE(keptNodes(opened.folder.filePath("nodes.json")).size(), smallNodes().size());
        isThere = false;
        opened.make(open);
        auto* without = opened.window->findChild<QPushButton*>("without");
        QTRY_VERIFY_WITH_TIMEOUT(without->isVisible(), kPatience);
        QTest::mouseClick(without, Qt::LeftButton);
        QVERIFY(opened.window->controller());
        QVERIFY(!opened.window->actions().at("run.start").isEnabled());
        QVERIFY(opened.work().model.desc("denoise"));
        QVERIFY(opened.widgets().notices.text().contains("does not run"));
        QTest::qWait(50);  // the status bar is laid out
        const QStringList problems = test::textProblems(*opened.window);
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
    }

    /// As the user left it; nothing grows from start to start, or with another language.
    void theNextStartHasTheSameLayout() {
        SmallPlugin plugin;
        const auto open = [&plugin]() -> Plugin& { return plugin; };
        Opened opened(open);
        opened.appearance.use("light");  // as the program does before its window
        const auto sizes = [&opened] {
            QTest::qWait(100);  // docks are laid out
            QList<QSize> all{opened.window->centralWidget()->size()};
            for (const char* name : {"queue", "inspector", "presets"}) {
                all << opened.window->findChild<QDockWidget*>(name)->size();
            }
            return all;
        };
        QTRY_VERIFY_WITH_TIMEOUT(opened.window->controller(), kPatience);
        QTest::qWait(100);
        auto* queue = opened.window->findChild<QDockWidget*>("queue");
        opened.window->resizeDocks({queue}, {260}, Qt::Vertical);
        const QList<QSize> before = sizes();
        QVERIFY(before.front().height() > 400);
        for (int start = 0; start < 2; ++start) {
            opened.window->close();
            opened.make(open);
            QTRY_VERIFY_WITH_TIMEOUT(opened.window->controller(), kPatience);
            QCOMPARE(sizes(), before);
        }
        QVERIFY(!opened.settings.preferences().windowGeometry.isEmpty());
        opened.window.reset();
    }

    void itOpensTheDefaultGraphAndLeavesItUnmodified() {
        Working studio;
        QCOMPARE(graph::toText(studio.model().document()), graph::toText(defaultGraph()));
        QVERIFY(!studio.window->isWindowModified());
        QVERIFY(studio.window->close());
    }

    void theFirstStartIsThereBeforeTheDevicesAreKnown() {
        SmallPlugin plugin;
        plugin.script().setDevices({{"devices",
                                     {{{"id", "cuda:0"},
                                       {"kind", "cuda"},
                                       {"name", "Small card"},
                                       {"capacity", 6442450944}}}}},
                                   700);
        bool wasLooking = false;
        QString found;
        bool isProposed = false;
        Opened opened([&plugin]() -> Plugin& { return plugin; }, true);
        answer("firstStart", [&](QDialog& dialog) {
            auto* sentence = dialog.findChild<QLabel*>("deviceSentence");
            wasLooking = sentence->text().contains("looking");
            static_cast<void>(QTest::qWaitFor(
                [&] { return sentence->text().contains("Small card"); }, kPatience));
            found = sentence->text();
            isProposed = dialog.findChild<QCheckBox*>("lowMemory")->isChecked();
            test::keepScreenshot(dialog, "first_start_window");
            QTest::mouseClick(dialog.findChild<QPushButton*>("emptyGraph"), Qt::LeftButton);
        });
        QTRY_VERIFY_WITH_TIMEOUT(opened.settings.preferences().isFirstStartDone, kPatience);
        QVERIFY(wasLooking);
        QVERIFY2(found.contains("6.0 GiB"), qPrintable(found));
        QVERIFY(isProposed);
        opened.window.reset();
    }
};

LOWTIDE_WINDOW_TEST(WindowStartTest)

}  // namespace window_start_test

#include "window_start_test.moc"
