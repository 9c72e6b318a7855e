// The gallery: what it shows, finds, stars, renames and removes, by mouse and by keys.
#include "tests/fixtures/cpu_timer.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/gallery_bench.hpp"
#include "tests/unit/studio/panels/look.hpp"
#include "ui/panels/filmstrip.hpp"
#include "ui/panels/gallery_files.hpp"
#include "ui/panels/gallery_rows.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <algorithm>

namespace gallery_test {

using namespace lowtide;
using namespace lowtide::ui;
using namespace lowtide::ui::gallery_bench;

namespace {

/// Answers the next dialog that asks for a text.
void answerText(const QString& text, QString* offered) {
    QTimer::singleShot(50, qApp, [text, offered] {
        auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
        QVERIFY(dialog);
        *offered = dialog->textValue();
        dialog->setTextValue(text);
        dialog->accept();
    });
}

}  // namespace

/// Takes what would be opened in another program.
class FolderTaker : public QObject {
    Q_OBJECT

public Q_SLOTS:

    void take(const QUrl& url) { taken = url; }

public:
    QUrl taken;
};

class GalleryTest : public test::StrictTest {
    Q_OBJECT

    /// The same of the strip: opened at the last image, then a step at a time.
    static void measureStrip(Gallery& gallery) {
        testing::CpuTimer clock;
        Filmstrip strip(gallery);
        strip.resize(1400, 72);
        strip.follow("/p/0_0.png");
        strip.show();
        strip.grab();
        const double opened = clock.milliseconds();
        std::vector<double> steps;
        for (int step = 0; step < 120; ++step) {
            clock.restart();
            QTest::keyClick(&strip, Qt::Key_Left);
            strip.viewport()->repaint();
            steps.push_back(clock.milliseconds());
            QCoreApplication::processEvents();
        }
        std::sort(steps.begin(), steps.end());
        qInfo("the strip opens in %.0f ms; a step takes %.1f ms, 95 of 100 at most %.1f ms",
              opened,
              steps[steps.size() / 2],
              steps[steps.size() * 95 / 100]);
        QVERIFY(opened < 10'000);
        QVERIFY(steps[steps.size() * 95 / 100] < 167);
    }

private Q_SLOTS:

    void theNewestIsFirst() {
        Shown shown;
        QTRY_VERIFY(shown.gallery.findChild<QLabel*>("galleryCount")->text().isEmpty());
        shown.fill();
        QCOMPARE(shown.gallery.findChild<QLabel*>("galleryCount")->text(), QString("3 images"));
    }

    void wordsModelsGraphsDaysAndStarsNarrowIt() {
        Filled shown;
        auto* words = shown.gallery.findChild<QLineEdit*>("galleryWords");
        QTest::keyClicks(words, "RED 2");
        shown.waitFor({"boat2.png"});
        words->clear();
        shown.waitFor({"tower.png", "boat2.png", "boat1.png"});
        auto* model = shown.gallery.findChild<QComboBox*>("galleryModel");
        QTRY_COMPARE(model->count(), 3);
        model->setCurrentIndex(model->findData("wan.safetensors"));
        shown.waitFor({"tower.png"});
        auto* graph = shown.gallery.findChild<QComboBox*>("galleryGraph");
        graph->setCurrentIndex(graph->findData("boats"));
        shown.waitFor({});
        model->setCurrentIndex(0);
        shown.waitFor({"boat2.png", "boat1.png"});
        QCOMPARE(graph->currentData().toString(), QString("boats"));
        auto* when = shown.gallery.findChild<QComboBox*>("galleryWhen");
        when->setCurrentIndex(2);  // yesterday
        shown.waitFor({});
        when->setCurrentIndex(1);  // today
        shown.waitFor({"boat2.png", "boat1.png"});
        shown.select({"boat1.png"});
        QTest::keyClick(&shown.list(), Qt::Key_S);
        auto* starred = shown.gallery.findChild<QToolButton*>("galleryStarred");
        starred->click();
        shown.waitFor({"boat1.png"});
        shown.select({"boat1.png"});
        QTest::keyClick(&shown.list(), Qt::Key_S);
        shown.waitFor({});
    }

    /// A new image comes while a user looks at an old one.
    void whatIsSelectedRemainsSelected() {
        Filled shown;
        shown.select({"boat2.png"});
        shown.addRun(3, "a fox", {"fox.png"}, Qt::green);
        shown.waitFor({"fox.png", "tower.png", "boat2.png", "boat1.png"});
        QCOMPARE(shown.gallery.selected().size(), size_t{1});
        QCOMPARE(shown.gallery.selected().front().path, shown.pathOf("boat2.png"));
        shown.forgetImage(shown.gallery.selected().front().id + 1);
        QTRY_COMPARE(shown.names().size(), 3);
        QCOMPARE(shown.gallery.selected().front().path, shown.pathOf("boat2.png"));
    }

    void whatIsSelectedRemainsSelected_whenTheFirstGoes() {
        Filled shown;
        shown.select({"boat2.png", "boat1.png"});
        const int64_t first = qobject_cast<GalleryRows*>(shown.list().model())->images()[0].id;
        shown.forgetImage(first);
        shown.waitFor({"boat2.png", "boat1.png"});
        QCOMPARE(shown.gallery.selected().size(), size_t{2});
        QCOMPARE(shown.list().currentIndex().data().toString(), QString("boat1.png"));
    }

    /// Filters and files that went take many away at once.
    void manyGoAtOnce() {
        Shown shown;
        RunLibrary& library = shown.library;
        QStringList paths;
        for (int i = 0; i < 4000; ++i) {
            paths << QString("/p/%1.png").arg(i);
        }
        library.add({{.key = library.keyOf(9), .title = "many", .graph = "{}"}});
        library.addImages(library.keyOf(9), paths, ImageClaim::Wrote);
        QTRY_COMPARE_WITH_TIMEOUT(shown.gallery.files().size(), qsizetype{4000}, kPatience);
        auto& rows = *qobject_cast<GalleryRows*>(shown.list().model());
        const testing::CpuTimer clock;
        rows.setImages({rows.images().back()});
        const double spent = clock.milliseconds();
        qInfo("3,999 of 4,000 images go in %.0f ms", spent);
        QCOMPARE(rows.rowCount({}), 1);
        QVERIFY(spent < 500);
    }

    /// The line that counts what is marked has its space before.
    void nothingMovesWhenImagesAreMarked() {
        Filled shown;
        for (const int width : {420, 560, 760}) {
            shown.gallery.resize(width, 520);
            shown.select({"tower.png"});
            QCoreApplication::processEvents();
            const QRect list = shown.list().geometry();
            const auto* more = shown.gallery.findChild<QToolButton*>("galleryMore");
            const QRect button = more->geometry();
            shown.select({"boat1.png", "boat2.png", "tower.png"});
            QCoreApplication::processEvents();
            QCOMPARE(shown.list().geometry(), list);
            QCOMPARE(more->geometry(), button);
        }
    }

    /// For the viewer: of images that are shown here alone.
    void itsMenuIsLent() {
        Filled shown;
        QMenu menu;
        shown.gallery.addTo(menu, "/elsewhere.png");
        QVERIFY(menu.isEmpty());
        shown.gallery.addTo(menu, shown.pathOf("tower.png"));
        QVERIFY(menu.actions().contains(&shown.action("star")));
        QVERIFY(menu.actions().contains(&shown.action("useGraph")));
        QCOMPARE(shown.gallery.selected().front().path, shown.pathOf("tower.png"));
    }

    void imagesAreAskedFor() {
        Filled shown;
        const QSignalSpy viewed(&shown.gallery, &Gallery::viewAsked);
        const QSignalSpy compared(&shown.gallery, &Gallery::compareAsked);
        const QSignalSpy graphs(&shown.gallery, &Gallery::graphAsked);
        const QSignalSpy values(&shown.gallery, &Gallery::valuesAsked);
        const QSignalSpy differences(&shown.gallery, &Gallery::differencesAsked);
        const QSignalSpy inputs(&shown.gallery, &Gallery::inputAsked);
        shown.select({"tower.png"});
        QTest::keyClick(&shown.list(), Qt::Key_Return);
        QCOMPARE(viewed.size(), 1);
        QCOMPARE(viewed.front().front().toString(), shown.pathOf("tower.png"));
        QTest::keyClick(&shown.list(), Qt::Key_G);
        QTest::keyClick(&shown.list(), Qt::Key_E);
        QTest::keyClick(&shown.list(), Qt::Key_D);
        QTest::keyClick(&shown.list(), Qt::Key_I);
        for (const QSignalSpy* asked : {&graphs, &values, &differences}) {
            QCOMPARE(asked->size(), 1);
            QCOMPARE(asked->front().front().toString(), shown.library.keyOf(2));
        }
        QCOMPARE(inputs.size(), 1);
        QCOMPARE(values.front().at(2).value<ImageUse>(), ImageUse::Seed);
        for (const auto& [key, use] : {std::pair(Qt::Key_P, ImageUse::Prompt),
                                       {Qt::Key_U, ImageUse::Size},
                                       {Qt::Key_A, ImageUse::All}}) {
            QTest::keyClick(&shown.list(), key);
            QCOMPARE(values.back().at(2).value<ImageUse>(), use);
        }
        QVERIFY(!shown.action("compare").isEnabled());
        shown.select({"boat1.png", "tower.png"});
        QVERIFY(!shown.action("useGraph").isEnabled());
        QTest::keyClick(&shown.list(), Qt::Key_C);
        QCOMPARE(compared.size(), 1);
        QCOMPARE(compared.front().front().toString(), shown.pathOf("boat1.png"));
    }

    void anImageIsCopiedAndDragged() {
        Filled shown;
        shown.select({"tower.png"});
        QGuiApplication::clipboard()->setText("before");
        QTest::keyClick(&shown.list(), Qt::Key_C, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(QGuiApplication::clipboard()->mimeData()->hasImage(), kPatience);
        QCOMPARE(QGuiApplication::clipboard()->mimeData()->urls(),
                 QList<QUrl>{QUrl::fromLocalFile(shown.pathOf("tower.png"))});
        shown.select({"boat1.png", "boat2.png"});
        const std::unique_ptr<QMimeData> dragged(
            shown.list().model()->mimeData(shown.list().selectionModel()->selectedIndexes()));
        QCOMPARE(dragged->urls().size(), 2);
    }

    void theFolderIsOpened() {
        Filled shown;
        FolderTaker taker;
        QDesktopServices::setUrlHandler("file", &taker, "take");
        shown.select({"tower.png"});
        QTest::keyClick(&shown.list(), Qt::Key_F);
        QDesktopServices::unsetUrlHandler("file");
        QCOMPARE(taker.taken, QUrl::fromLocalFile(shown.folder.path()));
    }

    void anImageIsRenamed() {
        Filled shown;
        const QSignalSpy refused(&shown.gallery, &Gallery::refused);
        shown.select({"boat1.png"});
        QString offered;
        answerText("A Boat", &offered);
        QTest::keyClick(&shown.list(), Qt::Key_F2);
        QCOMPARE(offered, QString("boat1"));
        shown.waitFor({"tower.png", "boat2.png", "A Boat.png"});
        QVERIFY(QFile::exists(shown.pathOf("A Boat.png")));
        shown.select({"A Boat.png"});
        answerText("tower.png", &offered);
        shown.action("rename").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(refused.size(), 1, kPatience);
        QVERIFY(refused.front().front().toString().contains("tower.png"));
        QVERIFY(QFile::exists(shown.pathOf("A Boat.png")));
    }

    void namesOfFilesAreChecked_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"", "  ", "../x", "a/b", ".hidden"}) {
            QTest::addRow("\"%s\"", name) << name;
        }
    }

    void namesOfFilesAreChecked() {
        QFETCH(QString, name);
        const QTemporaryDir folder;
        const QString path = folder.filePath("a.png");
        testing::writeFile(path, "x");
        const MovedFile moved = renameFile({.id = 1, .path = path}, name);
        QVERIFY(!moved.problem.isEmpty());
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList("a.png"));
    }

    /// A program may end before the new name is kept, or after: the one that is kept is there.
    void aFileHasBothNamesUntilTheNewOneIsKept() {
        const QTemporaryDir folder;
        const QDir files(folder.path());
        const auto names = [&] { return files.entryList(QDir::Files, QDir::Name); };
        testing::writeFile(folder.filePath("a.png"), "x");
        MovedFile moved = renameFile({.id = 1, .path = folder.filePath("a.png")}, "b");
        QCOMPARE(names(), (QStringList{"a.png", "b.png"}));
        endRename(moved);
        QCOMPARE(names(), QStringList("b.png"));
        moved = renameFile({.id = 1, .path = folder.filePath("b.png")}, "b");
        endRename(moved);
        QCOMPARE(names(), QStringList("b.png"));
    }

    void imagesGoToTheWastebasket() {
        Filled shown;
        QVERIFY(QDir().mkpath(shown.folder.filePath("data")));
        qputenv("XDG_DATA_HOME", shown.folder.filePath("data").toUtf8());
        shown.select({"boat1.png", "tower.png"});
        QTest::keyClick(&shown.list(), Qt::Key_Delete);
        shown.waitFor({"boat2.png"});
        QVERIFY(!QFile::exists(shown.pathOf("boat1.png")));
        QVERIFY(!QFile::exists(shown.pathOf("tower.png")));
        QVERIFY(QFile::exists(shown.folder.filePath("data/Trash/files/tower.png")));
        // One that another program has removed goes too.
        QFile::remove(shown.pathOf("boat2.png"));
        shown.select({"boat2.png"});
        QTest::keyClick(&shown.list(), Qt::Key_Delete);
        shown.waitFor({});
        qunsetenv("XDG_DATA_HOME");
    }

    /// Neither here nor where the program was started: Qt 6.4 leaves files there.
    void withoutAWastebasketAnImageRemains_data() {
        testing::addTable<bool>({"hasFolder"},
                                {{"no folder for it", false}, {"a file in its place", true}});
    }

    void withoutAWastebasketAnImageRemains() {
        QFETCH(bool, hasFolder);
        const QTemporaryDir folder;
        const QTemporaryDir started;
        const QString data = folder.filePath("data");
        testing::writeFile(hasFolder ? data + "/Trash" : data, "in its place");
        const QString path = folder.filePath("a.png");
        testing::writeFile(path, "x");
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(started.path()));
        qputenv("XDG_DATA_HOME", data.toUtf8());
        if (hasFolder) {
            QTest::ignoreMessage(QtWarningMsg, QRegularExpression("trash"));
        }
        const MovedFile moved = moveToWastebasket({.id = 1, .path = path});
        qunsetenv("XDG_DATA_HOME");
        QVERIFY(QDir::setCurrent(before));
        QVERIFY2(moved.problem.contains("a.png"), qPrintable(moved.problem));
        QVERIFY(QFile::exists(path));
        QVERIFY(QDir(started.path()).isEmpty());
    }

    void thumbnailsComeIntoSight() {
        Filled shown;
        auto* rows = qobject_cast<GalleryRows*>(shown.list().model());
        const auto colourOf = [&](int row) {
            const QPixmap small = rows->thumbnail(rows->images()[static_cast<size_t>(row)]);
            return small.isNull() ? QColor() : small.toImage().pixelColor(8, 8);
        };
        QTRY_VERIFY_WITH_TIMEOUT(colourOf(0).blue() > 200 && colourOf(2).red() > 200, kPatience);
        QFile::remove(shown.pathOf("tower.png"));
        Gallery later(shown.library);
        later.resize(760, 520);
        later.show();
        auto* again = qobject_cast<GalleryRows*>(later.findChild<QListView*>("pictures")->model());
        QTRY_COMPARE_WITH_TIMEOUT(again->images().size(), size_t{3}, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(again->isMissing(again->images().front().id), kPatience);
    }

    /// The gallery itself is not seen.
    void theStripFollowsAndLeads() {
        Shown shown;
        shown.gallery.hide();
        Filmstrip strip(shown.gallery);
        shown.gallery.showAlsoIn(&strip);
        QCOMPARE(strip.sizeHint().height(), 0);
        strip.resize(300, 72);
        strip.show();
        test::bringToFront(strip);
        shown.fill();
        QVERIFY(strip.sizeHint().height() > 0);
        const QSignalSpy wanted(&strip, &Filmstrip::wanted);
        strip.follow(shown.pathOf("boat2.png"));
        QCOMPARE(strip.currentIndex().row(), 1);
        QCOMPARE(wanted.size(), 0);
        strip.setFocus();
        const std::pair<Qt::Key, const char*> keys[] = {{Qt::Key_Right, "boat1.png"},
                                                        {Qt::Key_Right, "boat1.png"},
                                                        {Qt::Key_PageUp, "boat2.png"},
                                                        {Qt::Key_Left, "tower.png"},
                                                        {Qt::Key_End, "boat1.png"},
                                                        {Qt::Key_Home, "tower.png"},
                                                        {Qt::Key_PageDown, "boat2.png"}};
        for (const auto& [key, name] : keys) {
            QTest::keyClick(&strip, key);
            QCOMPARE(wanted.back().front().toString(), shown.pathOf(name));
        }
        QTest::mouseClick(strip.viewport(),
                          Qt::LeftButton,
                          {},
                          strip.visualRect(strip.model()->index(2, 0)).center());
        QCOMPARE(wanted.back().front().toString(), shown.pathOf("boat1.png"));
        strip.follow("/elsewhere.png");
        QVERIFY(strip.selectionModel()->selectedIndexes().isEmpty());
        // A new image moves it along; the menu is the gallery's, for that image.
        strip.follow(shown.pathOf("boat2.png"));
        shown.addRun(3, "a fox", {"fox.png"}, Qt::green);
        shown.waitFor({"fox.png", "tower.png", "boat2.png", "boat1.png"});
        QCOMPARE(strip.currentIndex().row(), 2);
        strip.follow(shown.pathOf("owl.png"));  // it is shown before the gallery knows it
        shown.addRun(4, "an owl", {"owl.png"}, Qt::gray);
        shown.waitFor({"owl.png", "fox.png", "tower.png", "boat2.png", "boat1.png"});
        QCOMPARE(strip.currentIndex().row(), 0);
        const QPoint point = strip.visualRect(strip.model()->index(2, 0)).center();
        Q_EMIT strip.customContextMenuRequested(point);
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        QCOMPARE(menu->objectName(), QString("galleryMenu"));
        QCOMPARE(shown.gallery.selected().front().path, shown.pathOf("tower.png"));
        menu->close();
    }

    /// Goals for ten thousand: opened within a second, scrolled at 60 frames a second; asserted at
    /// ten times that, a millisecond an image.
    void thousandsAreQuick() {
        const int many = testing::isFullTest() ? 10'000 : 2'000;
        const QTemporaryDir folder;
        QVERIFY(QDir().mkpath(folder.filePath("runs")));
        {
            QImage small(256, 256, QImage::Format_RGB888);
            small.fill(Qt::darkCyan);
            QByteArray bytes;
            QBuffer buffer(&bytes);
            QVERIFY(buffer.open(QIODevice::WriteOnly) && small.save(&buffer, "JPEG"));
            RunStore store(folder.filePath("runs/runs.sqlite"));
            for (int run = 0; run < many / 100; ++run) {
                const RunKey key = QString("a:%1").arg(run);
                store.add({{.key = key, .title = "t", .graph = "{}"}});
                QStringList paths;
                for (int i = 0; i < 100; ++i) {
                    paths << QString("/p/%1_%2.png").arg(run).arg(i);
                }
                store.addImages(key, paths, ImageClaim::Wrote, run);
            }
            for (int64_t id = 1; id <= many; ++id) {
                store.setThumbnail(id, {1024, 1024}, bytes);
            }
        }
        RunLibrary library(folder.filePath("runs"));
        Gallery gallery(library);
        gallery.resize(1400, 900);
        testing::CpuTimer clock;
        gallery.show();
        QTRY_COMPARE_WITH_TIMEOUT(gallery.files().size(), qsizetype{many}, kPatience);
        gallery.grab();
        const double opened = clock.milliseconds();
        auto* list = gallery.findChild<QListView*>("pictures");
        QScrollBar* bar = list->verticalScrollBar();
        std::vector<double> frames;
        for (int step = 0; step < 120; ++step) {
            clock.restart();
            bar->setValue(bar->value() + 240);
            list->viewport()->repaint();
            frames.push_back(clock.milliseconds());
            QCoreApplication::processEvents();  // thumbnails arrive
        }
        std::sort(frames.begin(), frames.end());
        measureStrip(gallery);
        auto& rows = *qobject_cast<GalleryRows*>(list->model());
        std::vector<ImageRecord> fewer = rows.images();
        for (size_t gone = 0; gone < 60; ++gone) {
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(gone) * (many / 67));
        }
        clock.restart();
        rows.setImages(std::move(fewer));
        const double removed = clock.milliseconds();
        qInfo("sixty apart removed in %.0f ms", removed);
        QVERIFY(removed < 500);
        qInfo("opened in %.0f ms; a frame of scrolling takes %.1f ms, 95 of 100 at most %.1f ms",
              opened,
              frames[frames.size() / 2],
              frames[frames.size() * 95 / 100]);
        QVERIFY(opened < many);
        QVERIFY(frames[frames.size() * 95 / 100] < 167);
    }

    void looks_data() { test::addSchemes(); }

    void looks() {
        QFETCH(bool, isDark);
        test::wear(isDark ? Theme::Scheme::Dark : Theme::Scheme::Light);
        Shown shown;
        auto* pages = shown.gallery.findChild<QStackedWidget*>();
        QTRY_COMPARE_WITH_TIMEOUT(pages->currentIndex(), 1, kPatience);
        QCOMPARE(test::lookAt(shown.gallery, "gallery_empty"), QString());
        shown.fill();
        shown.select({"boat1.png"});
        QTest::keyClick(&shown.list(), Qt::Key_S);
        auto* rows = qobject_cast<GalleryRows*>(shown.list().model());
        QTRY_VERIFY_WITH_TIMEOUT(!rows->thumbnail(rows->images().front()).isNull(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(rows->images().back().isStarred, kPatience);
        QCOMPARE(test::lookAt(shown.gallery, "gallery"), QString());
        QTest::keyClicks(shown.gallery.findChild<QLineEdit*>("galleryWords"), "no such word");
        shown.waitFor({});
        QCOMPARE(test::lookAt(shown.gallery, "gallery_none"), QString());
        test::wear(Theme::Scheme::Light);
    }

    void aListThatCannotBeReadIsNotCalledEmpty() {
        const QTemporaryDir folder;
        testing::writeFile(folder.filePath("runs"), "in its place");
        RunLibrary library(folder.filePath("runs"));
        Gallery gallery(library);
        gallery.resize(760, 520);
        gallery.show();
        const auto shows = [&](const QString& title) {
            const QList<QLabel*> labels = gallery.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->isVisible() && label->text() == title;
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(shows("The list of images cannot be read"), kPatience);
        QVERIFY(!shows("No images yet"));
        QCOMPARE(test::lookAt(gallery, "gallery_unread"), QString());
    }
};

LOWTIDE_WINDOW_TEST(GalleryTest)

}  // namespace gallery_test

#include "gallery_test.moc"
