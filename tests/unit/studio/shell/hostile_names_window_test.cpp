// A studio whose every folder is full of names that no program expects: it starts, lists, runs.
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/hostile_names.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/model_sample.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/bridge/failures.hpp"
#include "ui/studio/event_loop.hpp"

namespace hostile_names_window_test {

using namespace lowtide;
using namespace lowtide::ui;

class HostileNamesWindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void itStartsListsAndRuns() {
        QSignalSpy failed(&Failures::instance(), &Failures::happened);
        SmallPlugin before;
        SmallPlugin plugin;
        plugin.recognise = testing::sampleRecognise;
        Opened opened([&before]() -> Plugin& { return before; });  // makes the folders
        fill(opened.folder);
        opened.settings.change([&](Preferences& preferences) {
            preferences.modelFolders = {opened.folder.filePath("models")};
        });
        opened.window.reset();
        bool isAsked = false;
        answer("recovery", [&isAsked](QDialog& dialog) {
            test::keepScreenshot(dialog, "hostile_journals");
            isAsked = dialog.height() <= dialog.screen()->availableGeometry().height();
            QTest::mouseClick(dialog.findChild<QPushButton*>("later"), Qt::LeftButton);
        });
        opened.make([&plugin]() -> Plugin& { return plugin; });
        QTRY_VERIFY_WITH_TIMEOUT(opened.window->controller(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(isAsked, kPatience);
        test::bringToFront(*opened.window);
        Workspace& work = opened.work();
        QTRY_VERIFY_WITH_TIMEOUT(!work.models.isScanning(), kPatience);
        QCOMPARE(work.models.models().size(), testing::hostileNames().size() + 1);

        showEverything(*opened.window);
        opened.window->actions().at("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!work.run.isBusy() && !work.queue.runs().empty(), kPatience);

        QCOMPARE(work.queue.runs().back().state, RunState::Finished);
        QCOMPARE(failed.size(), 0);
        opened.window.reset();
    }

private:
    /// Each folder that the studio scans, with what it looks for there.
    static void fill(const QTemporaryDir& folder) {
        const auto at = [&](const char* name) { return folder.filePath(name); };
        testing::writeModel(at("sample.safetensors"), testing::kSd15);
        const std::string model = testing::contentsOf(at("sample.safetensors")).toStdString();
        testing::makeHostile(at("models/checkpoints"), ".safetensors", model);
        testing::makeHostile(at("wildcards"), ".txt", "red\nblue\n");
        testing::makeHostile(at("presets"), ".json", "{}");
        testing::makeHostile(at("journal"), ".journal", "{}");
        testing::makeHostile(at("backups"), ".json", "{}");
        testing::makeHostile(at("pasted"), ".png", "no image");
        testing::makeHostile(at("pictures"), ".png", "no image");
        testing::makeHostile(at("model_notes"), ".png", "no image");
        testing::makeHostile(at("runs"), ".lock", "");
    }

    /// Each list is painted from its first row to its last.
    static void showEverything(StudioWindow& window) {
        for (QTabBar* bar : window.findChildren<QTabBar*>()) {
            for (int tab = 0; tab < bar->count(); ++tab) {
                bar->setCurrentIndex(tab);
                QCoreApplication::processEvents();
                for (auto* list : window.findChildren<QAbstractItemView*>()) {
                    for (int row = 0; list->isVisible() && row < list->model()->rowCount(); ++row) {
                        list->scrollTo(list->model()->index(row, 0));
                        list->setCurrentIndex(list->model()->index(row, 0));
                        list->viewport()->repaint();
                    }
                }
                if (bar->tabText(tab) == QLatin1String("Models")) {
                    test::keepScreenshot(window, "hostile_names");
                }
            }
        }
        QTest::qWait(100);  // what the rows asked for is answered
    }
};

LOWTIDE_TEST_UNDER(StudioApplication, HostileNamesWindowTest)

}  // namespace hostile_names_window_test

#include "hostile_names_window_test.moc"
