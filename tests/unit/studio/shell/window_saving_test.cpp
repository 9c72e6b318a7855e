// What becomes of a graph that has no file of its own, and of one that becomes a preset.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/panels/presets_browser.hpp"

namespace window_saving_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

void rename(GraphModel& model) {
    model.apply("rename",
                [](graph::Document& document) { document.nodes.at("denoise").title = "mine"; });
}

}  // namespace

class WindowSavingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { test::failOnQtWarnings(); }

    void aGraphWithoutAFileIsSavedBesideTheLastOne() {
        Working studio;
        const QString path = studio.folder.filePath("fox.json");
        saveGraph(path, studio.model().document(), studio.folder.filePath("backups"));
        QVERIFY(studio.window->desk()->files().openPath(path));
        QVERIFY(studio.window->desk()->files().newGraph());
        QString folder;
        QTimer::singleShot(100, qApp, [&] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            folder = dialog->directory().canonicalPath();
            dialog->reject();
        });
        QVERIFY(!studio.window->desk()->files().saveAs());
        QCOMPARE(folder, QDir(studio.folder.path()).canonicalPath());
    }

    void aGraphThatBecameAPresetIsKept() {
        Working studio;
        rename(studio.model());
        QVERIFY(studio.window->isWindowModified());
        answer("presetDialog", [](QDialog& dialog) {
            auto* title = dialog.findChild<QLineEdit*>("title");
            QCOMPARE(title->selectedText(), title->text());
            QTest::keyClicks(title, "Fox");  // in place of what is selected
            dialog.accept();
        });
        studio.action("file.save_preset").trigger();
        QCOMPARE(studio.window->windowTitle(), QString("Fox[*] - Lowtide"));
        QVERIFY(!studio.window->isWindowModified());
        auto* browser = studio.window->findChild<PresetsBrowser*>();
        QCOMPARE(studio.window->workspace()->presets.find(browser->chosen())->title,
                 QString("Fox"));
        QVERIFY(studio.window->close());  // nobody is asked
    }

    void aFileOfAGraphThatBecameAPresetIsStillUnsaved() {
        Working studio;
        const QString path = studio.folder.filePath("fox.json");
        QCOMPARE(studio.window->workspace()->file.saveAs(path), QString());
        rename(studio.model());
        answer("presetDialog", [](QDialog& dialog) { dialog.accept(); });
        studio.action("file.save_preset").trigger();
        QVERIFY(studio.window->isWindowModified());
        QVERIFY(studio.window->windowTitle().startsWith("fox"));
    }
};

LOWTIDE_WINDOW_TEST(WindowSavingTest)

}  // namespace window_saving_test

#include "window_saving_test.moc"
