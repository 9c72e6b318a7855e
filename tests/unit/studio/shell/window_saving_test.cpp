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

/// As long as `lives`: chooses the file, replaces what is there, closes what is told.
void sayYes(QObject* lives, const QString& path) {
    QTimer::singleShot(20, lives, [lives, path] {
        sayYes(lives, path);
        QWidget* box = QApplication::activeModalWidget();
        if (auto* files = qobject_cast<QFileDialog*>(box)) {
            files->findChild<QLineEdit*>("fileNameEdit")->setText(path);
            static_cast<QDialog&>(*files).accept();
        } else if (auto* question = qobject_cast<QMessageBox*>(box)) {
            QAbstractButton* yes = question->button(QMessageBox::Yes);
            (yes ? yes : question->button(QMessageBox::Ok))->click();
        }
    });
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

    /// A person who picks a picture in the dialog does not lose it; a graph is replaced.
    void onlyAGraphIsSavedOver_data() {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<bool>("isSaved");
        QTest::newRow("picture") << QByteArray("\x89PNG\r\n\x1a\n and so on") << false;
        QTest::newRow("checkpoint") << QByteArray("\x10\0\0\0\0\0\0\0{}", 10) << false;
        QTest::newRow("text") << QByteArray("my notes") << false;
        QTest::newRow("graph") << QByteArray("\n {\"format\": 1}") << true;
        QTest::newRow("nothing yet") << QByteArray() << true;
    }

    void onlyAGraphIsSavedOver() {
        QFETCH(QByteArray, before);
        QFETCH(bool, isSaved);
        Working studio;
        const QString path = studio.folder.filePath("dog.png");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(before) == before.size());
        file.close();
        QObject answers;
        sayYes(&answers, path);
        QCOMPARE(studio.window->desk()->files().saveAs(), isSaved);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll() == before, !isSaved);
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
