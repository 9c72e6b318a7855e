#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/look.hpp"
#include "tests/unit/studio/panels/viewer_bench.hpp"
#include "ui/language/language.hpp"
#include "ui/panels/image_drop.hpp"
#include "ui/panels/image_facts.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <set>

namespace viewer_test {

using namespace lowtide;
using namespace lowtide::ui;
using namespace lowtide::ui::viewer_bench;

namespace {

constexpr const char* kGraph = R"({"format": 1, "nodes": {"a": {"type": "x"}}})";

/// The header of an image of that size, and no more.
QByteArray claiming(quint32 width, quint32 height) {
    QByteArray bytes = png(1, 1, {});
    for (int i = 0; i < 4; ++i) {
        bytes[16 + i] = static_cast<char>(width >> (24 - 8 * i));
        bytes[20 + i] = static_cast<char>(height >> (24 - 8 * i));
    }
    return bytes;
}

}  // namespace

class ViewerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { test::wear(Theme::Scheme::Dark); }

    void init() {
        test::failOnQtWarnings();
        folder_ = std::make_unique<QTemporaryDir>();
    }

    void fitsImagesOfAllSizes() {
        ImageView view;
        open(view, {400, 300});

        view.setImage(levelsOf(plainImage(800, 300, Qt::red)));
        QCOMPARE(view.zoom(), 0.5 * view.devicePixelRatioF());
        view.setImage(levelsOf(plainImage(50, 50, Qt::red)));
        QCOMPARE(view.zoom(), 6.0 * view.devicePixelRatioF());
        QCOMPARE(colourAt(view, {60, 10}), QColor(Qt::red));
        view.setImage(levelsOf(plainImage(1, 1, Qt::red)));

        QCOMPARE(view.zoom(), 32.0);  // more is of no use
    }

    void keepsThePixelUnderThePointer_whenTheWheelTurns() {
        ImageView view;
        open(view, {400, 300});
        view.setImage(levelsOf(plainImage(400, 300, Qt::red)));
        const QPointF pixel(100, 75);
        const QPoint at = view.positionOf(pixel).toPoint();

        wheel(view, at, 4);

        QVERIFY(view.zoom() > 2);
        const QPointF moved = view.positionOf(pixel) - QPointF(at);
        QVERIFY2(moved.manhattanLength() < 2, qPrintable(QString::number(moved.manhattanLength())));
    }

    void movesWithTheMouse() {
        ImageView view;
        open(view, {400, 300});
        view.setImage(levelsOf(plainImage(4000, 3000, Qt::red)));
        view.zoomTo(1);
        const QPointF before = view.positionOf({2000, 1500});

        drag(view, {200, 150}, {230, 110});

        QCOMPARE((view.positionOf({2000, 1500}) - before).toPoint(), QPoint(30, -40));
        QVERIFY(!view.isFitted());
    }

    void isAlwaysInView_howeverFarItIsMoved() {
        ImageView view;
        open(view, {400, 300});
        view.setImage(levelsOf(plainImage(100, 100, Qt::red)));

        for (int i = 0; i < 20; ++i) {
            drag(view, {20, 20}, {380, 280});
        }

        const QPointF corner = view.positionOf({0, 0});
        QVERIFY(QRectF(view.rect()).adjusted(-1, -1, 1, 1).contains(corner));
    }

    void obeysTheKeyboard() {
        ImageView view;
        open(view, {400, 300});
        view.setImage(levelsOf(plainImage(800, 600, Qt::red)));

        QTest::keyClick(&view, Qt::Key_1);
        QCOMPARE(view.zoom(), 1.0);
        QTest::keyClick(&view, Qt::Key_Plus);
        QVERIFY(view.zoom() > 1);
        QTest::keyClick(&view, Qt::Key_F);

        QVERIFY(view.isFitted());
    }

    void reportsWhatAFileStates() {
        Language english;  // with its plural forms
        english.use("en");
        Viewer viewer;
        testing::writeFile(
            at("p.png"),
            png(64,
                32,
                {{"lowtide_graph", kGraph}, {"lowtide_precision", "{}"}, {"parameters", "a cat"}}));
        open(viewer, {900, 500});

        show(viewer, at("p.png"));

        auto* facts = viewer.findChild<QTreeWidget*>("facts");
        const auto linesOf = [](QTreeWidgetItem& item) {
            QStringList lines;
            for (int i = 0; i < item.childCount(); ++i) {
                lines << item.child(i)->text(0) + ": " + item.child(i)->text(1);
            }
            return lines;
        };
        QTreeWidgetItem* raw = facts->topLevelItem(facts->topLevelItemCount() - 1);
        QCOMPARE(linesOf(*facts->invisibleRootItem()),
                 (QStringList{"Size: 64 x 32 pixels", "File: p.png", "Graph: 1 node", "Raw: "}));
        QVERIFY(!raw->isExpanded());
        QCOMPARE(raw->childCount(), 3);
        QVERIFY(linesOf(*raw).contains("Parameters: a cat"));
        facts->setCurrentItem(raw->child(2));  // which unfolds
        facts->setFocus();
        QTest::keySequence(facts, QKeySequence::Copy);
        QCOMPARE(QGuiApplication::clipboard()->text(), QString("a cat"));
    }

    /// A click copies a line, or folds what is below it, also of the next image.
    void aClickCopiesAFact() {
        Viewer viewer;
        testing::writeFile(at("p.png"), png(64, 32, {{"parameters", "a cat"}}));
        testing::writeFile(at("q.png"), png(64, 32, {{"parameters", "a dog"}}));
        open(viewer, {900, 500});
        show(viewer, at("p.png"));
        auto* facts = viewer.findChild<QTreeWidget*>("facts");
        const auto click = [facts](QTreeWidgetItem* item) {
            const QRect row = facts->visualItemRect(item);
            QTest::mouseClick(facts->viewport(), Qt::LeftButton, {}, row.center());
        };
        click(facts->topLevelItem(0));
        QCOMPARE(QGuiApplication::clipboard()->text(), QString("64 x 32 pixels"));
        click(facts->topLevelItem(2));
        QVERIFY(facts->topLevelItem(2)->isExpanded());
        QCOMPARE(QGuiApplication::clipboard()->text(), QString("64 x 32 pixels"));
        show(viewer, at("q.png"));
        QVERIFY(facts->topLevelItem(2)->isExpanded());
        click(facts->topLevelItem(2)->child(0));
        QCOMPARE(QGuiApplication::clipboard()->text(), QString("a dog"));
    }

    /// Who adds nothing leaves the viewer's own entries.
    void aRightClickOffersWhatCanBeDone() {
        Viewer viewer;
        testing::writeFile(at("p.png"), png(64, 32, {{"lowtide_graph", kGraph}}));
        open(viewer, {900, 500});
        show(viewer, at("p.png"));
        const auto entries = [&viewer] {
            Q_EMIT viewer.view().customContextMenuRequested({10, 10});
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            QStringList texts;
            for (const QAction* action : menu ? menu->actions() : QList<QAction*>()) {
                texts << action->text();
            }
            if (menu) {
                menu->close();
            }
            return texts;
        };
        for (const char* text : {"Full screen",
                                 "Compare",
                                 "Mask",
                                 "Crop",
                                 "Open graph",
                                 "Use as input",
                                 "Copy",
                                 "Use prompt"}) {
            QVERIFY2(entries().contains(text), text);
        }
        connect(&viewer, &Viewer::menuAsked, &viewer, [](QMenu* menu) { menu->addAction("Star"); });
        QVERIFY(entries().contains("Star"));
        QVERIFY(!entries().contains("Open graph"));
        viewer.setAlone(true);
        QVERIFY(entries().contains("Leave full screen"));
    }

    /// One image, several, and two that are compared.
    void noButtonOfTheBarMoves() {
        const QStringList files = {at("a.png"), at("b with a long name of its own.png")};
        for (const QString& file : files) {
            testing::writeFile(file, png(8, 8, {}));
        }
        for (const int width : {500, 900, 1600}) {
            Viewer viewer;
            open(viewer, {width, 500});
            show(viewer, files.front());
            const auto positions = [&viewer] {
                QCoreApplication::processEvents();
                std::vector<QRect> found;
                for (const char* name :
                     {"zoomIn", "follow", "compare", "paintMask", "useAsInput"}) {
                    found.push_back(viewer.findChild<QToolButton*>(name)->geometry());
                }
                return found;
            };
            const std::vector<QRect> before = positions();
            viewer.compareFiles(files.front(), files.back());
            QTRY_VERIFY_WITH_TIMEOUT(viewer.view().isComparing(), kPatience);
            QVERIFY(viewer.findChild<QToolButton*>("ways")->isVisible());
            QVERIFY2(positions() == before, qPrintable(QString::number(width)));
        }
    }

    /// Their names are seen where all of them fit.
    void buttonsHaveTheirNames_whereTheyFit() {
        Viewer viewer;
        open(viewer, {2000, 500});
        const auto* mask = viewer.findChild<QToolButton*>("paintMask");
        QCOMPARE(mask->toolButtonStyle(), Qt::ToolButtonTextBesideIcon);
        viewer.resize(600, 500);
        QCoreApplication::processEvents();
        QCOMPARE(mask->toolButtonStyle(), Qt::ToolButtonIconOnly);
    }

    void offersTheGraph_onlyOfAnImageThatCarriesOne() {
        Viewer viewer;
        testing::writeFile(at("with.png"), png(8, 8, {{"lowtide_graph", kGraph}}));
        testing::writeFile(at("without.png"), png(8, 8, {}));
        auto* button = viewer.findChild<QToolButton*>("openGraph");
        QSignalSpy asked(&viewer, &Viewer::openGraphAsked);

        show(viewer, at("without.png"));
        QVERIFY(!button->isEnabled());
        show(viewer, at("with.png"));
        QTest::mouseClick(button, Qt::LeftButton);

        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.first().first().toString(), at("with.png"));
    }

    void copiesTheImage() {
        Viewer viewer;
        viewer.showImage(plainImage(7, 5, Qt::green), "x");

        QTest::mouseClick(viewer.findChild<QToolButton*>("copy"), Qt::LeftButton);

        QCOMPARE(QGuiApplication::clipboard()->image().size(), QSize(7, 5));
    }

    void explainsWhyAFileCannotBeShown_data() {
        const QByteArray good = png(64, 64, {{"parameters", "x"}});
        testing::addTable<QByteArray, QString>(
            {"bytes", "words"},
            {{"empty", QByteArray(), "p.png"},
             {"text", "not an image at all, but words", "p.png"},
             {"cut off", good.left(good.size() / 2), "p.png"},
             {"a wrong checksum", QByteArray(good).replace(40, 1, "\x7f"), "p.png"},
             {"too wide", claiming(16385, 16), "16385 x 16"},
             {"absurd", claiming(0x7fffffff, 0x7fffffff), "p.png"},
             {"another format", "\xff\xd8\xff\xe0JFIF and so on......", "JPEG"}});
    }

    void explainsWhyAFileCannotBeShown() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, words);
        testing::writeFile(at("p.png"), bytes);
        Viewer viewer;
        open(viewer, {900, 500});

        show(viewer, at("p.png"));

        auto* problem = viewer.findChild<QLabel*>("viewerProblem");
        QVERIFY(problem->isVisible());
        QVERIFY2(problem->text().contains(words), qPrintable(problem->text()));
    }

    void showsTheLastFileThatWasAskedFor() {
        testing::writeFile(at("a.png"), png(512, 512, {}));
        testing::writeFile(at("b.png"), png(8, 8, {}));
        Viewer viewer;
        QSignalSpy shown(&viewer, &Viewer::shown);

        viewer.showFile(at("a.png"));
        viewer.showFile(at("b.png"));

        QTRY_VERIFY_WITH_TIMEOUT(viewer.findChild<QLabel*>("viewerTitle")->text() == "b.png",
                                 kPatience);
        QTest::qWait(200);
        QCOMPARE(viewer.findChild<QLabel*>("viewerTitle")->text(), QString("b.png"));
        QCOMPARE(shown.count(), 1);
    }

    void everyImageOfARunIsReached() {
        const QStringList files = {at("a.png"), at("b.png"), at("c.png")};
        for (const QString& file : files) {
            testing::writeFile(file, png(8, 8, {}));
        }
        Viewer viewer;
        open(viewer, {900, 500});
        auto* list = viewer.findChild<QComboBox*>("pictures");
        auto* previous = viewer.findChild<QToolButton*>("previous");
        auto* next = viewer.findChild<QToolButton*>("next");
        const auto isShown = [&](const QString& name) {
            return QTest::qWaitFor(
                [&] { return viewer.findChild<QLabel*>("viewerTitle")->text() == name; },
                kPatience);
        };
        viewer.showFiles(files, files.back());
        QVERIFY(isShown("c.png"));
        QCOMPARE(list->count(), 3);
        QCOMPARE(list->currentIndex(), 2);
        QVERIFY(!next->isEnabled());
        QTest::mouseClick(previous, Qt::LeftButton);
        QVERIFY(isShown("b.png"));
        viewer.view().setFocus();
        QTest::keyClick(&viewer.view(), Qt::Key_Left);
        QVERIFY(isShown("a.png"));
        QTest::keyClick(&viewer.view(), Qt::Key_Right);
        QVERIFY(isShown("b.png"));
        QTest::keyClick(&viewer.view(), Qt::Key_PageUp);
        QVERIFY(isShown("a.png"));
        QVERIFY(!previous->isEnabled());
        QTest::keyClick(&viewer.view(), Qt::Key_PageUp);
        QTest::keyClick(&viewer.view(), Qt::Key_PageDown);
        QVERIFY(isShown("b.png"));
        list->setCurrentIndex(2);
        Q_EMIT list->activated(2);
        QVERIFY(isShown("c.png"));
        QCOMPARE(test::lookAt(viewer, "viewer_run"), QString());
        viewer.showFile(files.front());
        QVERIFY(!list->isVisible() && !next->isVisible() && !previous->isVisible());
    }

    void reportsHowLargeAnImageIsOfWhichLessIsShown() {
        Viewer viewer;
        viewer.showImage(plainImage(512, 256, Qt::red), "x", {1024, 512});
        auto* facts = viewer.findChild<QTreeWidget*>("facts");
        QCOMPARE(facts->topLevelItem(0)->text(1),
                 QString("1024 x 512 pixels, shown with 512 x 256 pixels"));
        viewer.showImage(plainImage(1024, 512, Qt::red), "x", {1024, 512});
        QCOMPARE(facts->topLevelItem(0)->text(1), QString("1024 x 512 pixels"));
    }

    void isGone_beforeTheImageArrives() {
        testing::writeFile(at("a.png"), png(512, 512, {}));
        {
            Viewer viewer;
            viewer.showFile(at("a.png"));
        }
        QTest::qWait(200);
    }

    void whatIsMadeGivesWayToWhatWasThereBefore() {
        Viewer viewer;
        open(viewer, {900, 500});
        viewer.showImage(plainImage(8, 8, Qt::red), "before");

        viewer.showLive(plainImage(8, 8, Qt::blue), "step 1");
        viewer.showLive(plainImage(8, 8, Qt::green), "step 2");
        QVERIFY(viewer.isLive());
        viewer.endLive();

        QVERIFY(!viewer.isLive());
        QCOMPARE(viewer.findChild<QLabel*>("viewerTitle")->text(), QString("before"));
    }

    void takesADroppedPng() {
        testing::writeFile(at("a.png"), png(8, 8, {}));
        Viewer viewer;
        open(viewer, {900, 500});
        QMimeData data;
        data.setUrls({QUrl("https://example.org/x.png"), QUrl::fromLocalFile(at("a.png"))});

        QDragEnterEvent enter({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&viewer, &enter);
        QDropEvent drop({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&viewer, &drop);

        QTRY_COMPARE(viewer.findChild<QLabel*>("viewerTitle")->text(), QString("a.png"));
    }

    void asksOnceWhatToDo_andRemembers() {
        testing::writeFile(at("p.png"), png(8, 8, {{"lowtide_graph", kGraph}}));
        Settings settings(at("settings.json"));
        QWidget window;
        open(window, {300, 200});
        ImageDrop drop(settings, &window);
        QSignalSpy used(&drop, &ImageDrop::useAsInput);

        drop.take(at("p.png"), {});
        QTRY_VERIFY_WITH_TIMEOUT(drop.question() != nullptr, kPatience);
        drop.question()->findChild<QCheckBox*>("keepAnswer")->setChecked(true);
        QTest::mouseClick(drop.question()->findChild<QPushButton*>("useAsInput"), Qt::LeftButton);
        QCOMPARE(used.count(), 1);
        QTRY_VERIFY(drop.question() == nullptr);
        drop.take(at("p.png"), {});

        QTRY_COMPARE_WITH_TIMEOUT(used.count(), 2, kPatience);
        QVERIFY(drop.question() == nullptr);
        QCOMPARE(settings.preferences().droppedImage, DroppedImage::UseAsInput);
    }

    void asksOfOneImageAfterTheOther() {
        for (const char* name : {"a.png", "b.png", "c.png"}) {
            testing::writeFile(at(name), png(8, 8, {{"lowtide_graph", kGraph}}));
        }
        Settings settings(at("settings.json"));
        QWidget window;
        open(window, {300, 200});
        ImageDrop drop(settings, &window);
        QSignalSpy used(&drop, &ImageDrop::useAsInput);

        for (const char* name : {"a.png", "b.png", "c.png"}) {
            drop.take(at(name), {});
        }
        std::set<QString> asked;
        while (asked.size() < 3) {
            QTRY_VERIFY_WITH_TIMEOUT(drop.question() && drop.question()->isVisible() &&
                                         !asked.contains(drop.question()->text()),
                                     kPatience);
            asked.insert(drop.question()->text());
            QTest::mouseClick(drop.question()->findChild<QPushButton*>("useAsInput"),
                              Qt::LeftButton);
        }

        QCOMPARE(used.count(), 3);
    }

    void usesAnImageWithoutAGraph_unasked() {
        testing::writeFile(at("p.png"), png(8, 8, {}));
        testing::writeFile(at("bad.png"), "no");
        Settings settings(at("settings.json"));
        QWidget window;
        ImageDrop drop(settings, &window);
        QSignalSpy used(&drop, &ImageDrop::useAsInput);
        QSignalSpy refused(&drop, &ImageDrop::refused);

        drop.take(at("p.png"), {});
        drop.take(at("bad.png"), {});

        QTRY_COMPARE_WITH_TIMEOUT(used.count() + refused.count(), 2, kPatience);
        QCOMPARE(used.count(), 1);
    }

    void looksRight_data() { test::addSchemes(); }

    void looksRight() {
        QFETCH(bool, isDark);
        test::wear(isDark ? Theme::Scheme::Dark : Theme::Scheme::Light);
        Viewer viewer;
        viewer.resize(900, 520);
        QCOMPARE(test::lookAt(viewer, "viewer_empty"), QString());
        show(viewer, testing::sourcePath("resources/presets/pictures/dog.png"));
        viewer.view().zoomTo(3);
        viewer.findChild<QToolButton*>("compare")->setChecked(true);
        show(viewer, testing::sourcePath("examples/pictures/dog_with_hole.png"));

        QCOMPARE(test::lookAt(viewer, "viewer"), QString());
    }

private:
    [[nodiscard]] QString at(const QString& name) const { return folder_->filePath(name); }

    std::unique_ptr<QTemporaryDir> folder_;
};

LOWTIDE_WINDOW_TEST(ViewerTest)

}  // namespace viewer_test

#include "viewer_test.moc"
