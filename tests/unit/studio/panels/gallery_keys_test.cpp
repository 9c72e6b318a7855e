// The gallery by keys: from the search to the images, marks, and what Ctrl+Z brings back.
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/gallery_bench.hpp"
#include "tests/unit/studio/panels/look.hpp"
#include "ui/access/announce.hpp"
#include "ui/panels/gallery_files.hpp"
#include "ui/panels/gallery_rows.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace gallery_keys_test {

using namespace lowtide;
using namespace lowtide::ui;
using namespace lowtide::ui::gallery_bench;

namespace {

/// A wastebasket of its own, while it lives.
struct Wastebasket {
    explicit Wastebasket(const QString& path) : folder(path + "/Trash") {
        QVERIFY(QDir().mkpath(path));
        qputenv("XDG_DATA_HOME", path.toUtf8());
    }

    Wastebasket(const Wastebasket&) = delete;
    Wastebasket& operator=(const Wastebasket&) = delete;

    ~Wastebasket() { qunsetenv("XDG_DATA_HOME"); }

    [[nodiscard]] QStringList names(const QString& part) const {
        return QDir(folder + '/' + part).entryList(QDir::Files, QDir::Name);
    }

    QString folder;
};

QString spoken(const QListView& list, int row) {
    return list.model()->index(row, 0).data(Qt::AccessibleTextRole).toString();
}

}  // namespace

class GalleryKeysTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { test::wear(Theme::Scheme::Dark); }

    void cleanup() { setTestListener(nullptr); }

    void downLeavesTheSearch() {
        Filled shown;
        QSignalSpy viewed(&shown.gallery, &Gallery::viewAsked);
        shown.gallery.focusSearch();
        QTest::keyClick(shown.gallery.findChild<QLineEdit*>("galleryWords"), Qt::Key_Down);
        QVERIFY(shown.list().hasFocus());
        QCOMPARE(shown.gallery.selected().size(), size_t{1});
        QTest::keyClick(&shown.list(), Qt::Key_Return);
        QCOMPARE(viewed.count(), 1);
        QCOMPARE(viewed.first().first().toString(), shown.pathOf("tower.png"));
    }

    /// Ctrl with an arrow goes to another one, Space marks it, C compares the two.
    void twoAreMarkedByKeys() {
        Filled shown;
        setTestListener([](QAccessibleEvent&) {});
        QSignalSpy compared(&shown.gallery, &Gallery::compareAsked);
        auto* count = shown.gallery.findChild<QLabel*>("galleryCount");
        QVERIFY2(!count->text().contains("marked"), qPrintable(count->text()));
        QVERIFY(shown.action("compare").text().contains("mark two"));
        shown.gallery.focusSearch();
        QTest::keyClick(shown.gallery.findChild<QLineEdit*>("galleryWords"), Qt::Key_Down);
        QTest::keyClick(&shown.list(), Qt::Key_Right, Qt::ControlModifier);
        QTest::keyClick(&shown.list(), Qt::Key_Space);
        QVERIFY2(count->text().endsWith("2 marked"), qPrintable(count->text()));
        QCOMPARE(lastAnnounced(shown.list()), QString("2 marked"));
        QVERIFY2(spoken(shown.list(), 1).contains("marked"), qPrintable(spoken(shown.list(), 1)));
        QVERIFY2(!spoken(shown.list(), 2).contains("marked"), qPrintable(spoken(shown.list(), 2)));
        QTest::keyClick(&shown.list(), Qt::Key_C);
        QCOMPARE(compared.count(), 1);
    }

    /// A check, whatever the theme does with the frame.
    void aMarkIsSeen() {
        Filled shown;
        const auto corner = [&] {
            const QRect tile = shown.list().visualRect(shown.list().model()->index(0, 0));
            return shown.list()
                .viewport()
                ->grab(QRect(tile.topLeft() + QPoint(8, 8), QSize(20, 20)))
                .toImage();
        };
        shown.select({"boat1.png"});
        const QImage before = corner();
        shown.select({"tower.png"});
        const QImage marked = corner();
        const QColor accent = Theme::current().colour("accent");
        const auto has = [&](const QImage& image) {
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    if (image.pixelColor(x, y) == accent) {
                        return true;
                    }
                }
            }
            return false;
        };
        QVERIFY(!has(before));
        QVERIFY(has(marked));
        shown.select({"tower.png", "boat1.png"});
        QCoreApplication::processEvents();
        test::keepScreenshot(shown.gallery, "gallery_marked");
    }

    /// With the file, its star and its position; the window's own Ctrl+Z has to wait.
    void whatWasRemovedComesBack() {
        Filled shown;
        const Wastebasket basket(shown.folder.filePath("data"));
        shown.select({"boat2.png"});
        QTest::keyClick(&shown.list(), Qt::Key_S);
        QTRY_VERIFY(shown.gallery.selected().front().isStarred);
        QSignalSpy removed(&shown.gallery, &Gallery::removed);
        QSignalSpy returned(&shown.gallery, &Gallery::returned);
        QAction undo;
        undo.setShortcut(QKeySequence::Undo);
        static_cast<QWidget&>(shown.gallery).addAction(&undo);
        QSignalSpy undone(&undo, &QAction::triggered);
        QTest::keyClick(&shown.list(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(undone.count(), 1);

        QTest::keyClick(&shown.list(), Qt::Key_Delete);
        shown.waitFor({"tower.png", "boat1.png"});
        const QSignalSpy made(&shown.library, &RunLibrary::thumbnailMade);
        QTRY_COMPARE(removed.count(), 1);
        QCOMPARE(basket.names("files"), QStringList("boat2.png"));
        QTest::keyClick(&shown.list(), Qt::Key_Z, Qt::ControlModifier);
        shown.waitFor({"tower.png", "boat2.png", "boat1.png"});
        QCOMPARE(returned.count(), 1);
        QCOMPARE(undone.count(), 1);
        QVERIFY(QFile::exists(shown.pathOf("boat2.png")));
        QVERIFY(basket.names("files").isEmpty() && basket.names("info").isEmpty());
        shown.select({"boat2.png"});
        QVERIFY(shown.gallery.selected().front().isStarred);
        QTRY_VERIFY(!made.isEmpty());
        QTest::keyClick(&shown.list(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(undone.count(), 2);
    }

    void aWastebasketThatCannotGiveBackIsReported_data() {
        testing::addTable<bool>({"isEmptied"},
                                {{"emptied", true}, {"a new file in its place", false}});
    }

    void aWastebasketThatCannotGiveBackIsReported() {
        QFETCH(bool, isEmptied);
        Filled shown;
        const Wastebasket basket(shown.folder.filePath("data"));
        shown.select({"tower.png"});
        QTest::keyClick(&shown.list(), Qt::Key_Delete);
        shown.waitFor({"boat2.png", "boat1.png"});
        if (isEmptied) {
            QVERIFY(QDir(basket.folder).removeRecursively());
        } else {
            testing::writeFile(shown.pathOf("tower.png"), "another one");
        }
        QSignalSpy refused(&shown.gallery, &Gallery::refused);
        shown.gallery.undoRemove();
        QTRY_COMPARE(refused.count(), 1);
        const QString reported = refused.first().first().toString();
        QVERIFY2(reported.contains("tower.png") && reported.contains("wastebasket"),
                 qPrintable(reported));
        QCOMPARE(shown.names(), QStringList({"boat2.png", "boat1.png"}));
        QCOMPARE(QFile::exists(shown.pathOf("tower.png")), !isEmptied);
    }
};

LOWTIDE_WINDOW_TEST(GalleryKeysTest)

}  // namespace gallery_keys_test

#include "gallery_keys_test.moc"
