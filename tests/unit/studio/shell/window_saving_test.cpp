// What becomes of a graph that has no file of its own, and of one that becomes a preset.
#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/sleeping_file.hpp"
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

/// As long as `lives`: chooses the file, replaces what is there, closes what is reported.
void answerYes(QObject* lives, const QString& path) {
    QTimer::singleShot(20, lives, [lives, path] {
        answerYes(lives, path);
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

class WindowSavingTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void aGraphWithoutAFileIsSavedInTheFolderOfTheLastOne() {
        Working studio;
        const QString path = studio.folder.filePath("fox.json");
        saveGraph(path, studio.model().document(), studio.folder.filePath("backups"));
        QVERIFY(test::openPath(studio.window->controller()->files(), path));
        studio.window->controller()->files().newGraph();
        QString folder;
        QTimer::singleShot(100, qApp, [&] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            folder = dialog->directory().canonicalPath();
            dialog->reject();
        });
        QVERIFY(!test::saveAs(studio.window->controller()->files()));
        QCOMPARE(folder, QDir(studio.folder.path()).canonicalPath());
    }

    /// A user who picks an image in the dialog does not lose it; a graph is replaced.
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
        answerYes(&answers, path);
        QCOMPARE(test::saveAs(studio.window->controller()->files()), isSaved);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll() == before, !isSaved);
    }

    /// Save, then close: the window goes when the disk has taken it, and nobody is asked.
    void aWindowThatClosesWaitsForItsSave() {
        Working studio;
        const QString path = studio.folder.filePath("fox.json");
        const test::SleepingFile disk(studio.folder.filePath("fox.json"));
        rename(studio.model());
        studio.work().file.saveAs(path, [](const FileOutcome&) {});
        QVERIFY(!studio.window->close());
        QVERIFY2(disk.isAsleep(), "the GUI thread waited for the disk");
        NoticeBar& notices = studio.widgets().notices;
        QTRY_VERIFY_WITH_TIMEOUT(notices.text().contains("Saving “fox.json”"), kPatience);
        disk.wake();
        QTRY_VERIFY_WITH_TIMEOUT(!studio.window->isVisible(), kPatience);
        QCOMPARE(loadGraph(path).nodes.at("denoise").title, std::optional<std::string>("mine"));
    }

    void aWindowOfADeadDiskCanBeClosed() {
        Working studio;
        const test::SleepingFile disk(studio.folder.filePath("fox.json"));
        rename(studio.model());
        studio.work().file.saveAs(studio.folder.filePath("fox.json"), [](const FileOutcome&) {});
        answer("stillSaving", [](QDialog& box) {
            test::keepScreenshot(box, "still_saving");
            box.findChild<QPushButton*>("closeNow")->click();
        });
        QVERIFY(!studio.window->close());
        QTRY_VERIFY_WITH_TIMEOUT(!studio.window->isVisible(), kPatience);
        studio.window.reset();
        QVERIFY2(disk.isAsleep(), "the end waited for the disk");
        QCOMPARE(QDir(studio.folder.filePath("journal")).entryList(QDir::Files).size(), 1);

        disk.wake();
        const auto isOver = [&] {
            return testing::contentsOf(studio.folder.filePath("fox.json")) != "{}" &&
                   !QFile::exists(studio.folder.filePath(".fox.json.lock"));
        };
        QTRY_VERIFY_WITH_TIMEOUT(isOver(), kPatience);
    }

    void aSaveThatFailsWhileATabClosesKeepsIt() {
        Working studio;
        const QString path = studio.folder.filePath("gone/fox.json");
        QVERIFY(QDir(studio.folder.path()).mkpath("gone"));
        QCOMPARE(test::saveAs(studio.work().file, path), QString());
        rename(studio.model());
        QVERIFY(QDir(studio.folder.filePath("gone")).removeRecursively());
        QVERIFY(QFile(studio.folder.filePath("gone")).open(QIODevice::WriteOnly));
        QStringList asked;
        QTimer look;
        connect(&look, &QTimer::timeout, this, [&asked] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (box) {
                asked << box->objectName();
                QAbstractButton* save = box->button(QMessageBox::Save);
                (save ? save : box->button(QMessageBox::Ok))->click();
            }
        });
        look.start(20);
        studio.action("file.close").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(asked, (QStringList{"unsaved", "error"}), kPatience);
        QCOMPARE(studio.work().file.path(), path);
        QVERIFY(studio.window->isWindowModified());
        look.stop();
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
        QCOMPARE(studio.work().presets.find(browser->chosen())->title, QString("Fox"));
        QVERIFY(studio.window->close());  // nobody is asked
    }

    void aFileOfAGraphThatBecameAPresetIsStillUnsaved() {
        Working studio;
        const QString path = studio.folder.filePath("fox.json");
        QCOMPARE(test::saveAs(studio.work().file, path), QString());
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
