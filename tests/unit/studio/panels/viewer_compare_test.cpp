// Two images compared in the viewer: how they are seen, what they are called, and how it ends.
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/look.hpp"
#include "tests/unit/studio/panels/viewer_bench.hpp"
#include "ui/panels/image_compare.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <cmath>

namespace viewer_compare_test {

using namespace lowtide;
using namespace lowtide::ui;
using namespace lowtide::ui::viewer_bench;

class ViewerCompareTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { test::wear(Theme::Scheme::Dark); }

    void init() {
        test::failOnQtWarnings();
        folder_ = std::make_unique<QTemporaryDir>();
    }

    void wipesBetweenTwoImages() {
        ImageView view;
        open(view, {400, 300});
        view.setImage(levelsOf(plainImage(400, 300, Qt::red)));
        view.setCompared(levelsOf(plainImage(100, 75, Qt::blue)));
        view.zoomTo(view.devicePixelRatioF());
        QCOMPARE(colourAt(view, {100, 40}), QColor(Qt::red));
        QCOMPARE(colourAt(view, {300, 40}), QColor(Qt::blue));

        drag(view, view.positionOf({200, 150}).toPoint(), view.positionOf({360, 150}).toPoint());

        QVERIFY(std::abs(view.wipe() - 0.9) < 0.01);
        QCOMPARE(colourAt(view, {300, 40}), QColor(Qt::red));
    }

    void comparesWithTheImageThatWasKept() {
        Viewer viewer;
        open(viewer, {900, 500});
        viewer.showImage(plainImage(40, 40, Qt::red), "first");

        QTest::mouseClick(viewer.findChild<QToolButton*>("compare"), Qt::LeftButton);
        viewer.showImage(plainImage(40, 40, Qt::green), "second");
        QVERIFY(viewer.view().isComparing());
        QTest::mouseClick(viewer.findChild<QToolButton*>("compare"), Qt::LeftButton);

        QVERIFY(!viewer.view().isComparing());
    }

    /// By Esc, wherever the keyboard is in the viewer, and by choosing a single image.
    void aComparisonEnds_data() { testing::addRows("by", {"Esc", "a file", "an image"}); }

    void aComparisonEnds() {
        QFETCH(QString, by);
        testing::writeFile(at("a.png"), png(40, 40, {}));
        testing::writeFile(at("b.png"), png(40, 40, {}));
        Viewer viewer;
        open(viewer, {900, 500});
        auto* button = viewer.findChild<QToolButton*>("compare");
        viewer.compareFiles(at("a.png"), at("b.png"));
        QTRY_VERIFY_WITH_TIMEOUT(viewer.view().isComparing(), kPatience);
        QVERIFY2(button->toolTip().contains("Esc"), qPrintable(button->toolTip()));
        if (by == "Esc") {
            viewer.findChild<QToolButton*>("zoomIn")->setFocus();
            QTest::keyClick(viewer.focusWidget(), Qt::Key_Escape);
        } else if (by == "a file") {
            show(viewer, at("b.png"));
        } else {
            viewer.showImage(plainImage(40, 40, Qt::red), "c");
        }
        QVERIFY(!viewer.view().isComparing());
        QVERIFY(!button->isChecked());
        QCOMPARE(viewer.view().captions(), CompareCaptions());
    }

    /// Whoever looks elsewhere before the second one of a pair is read has not asked for it.
    void aPairThatIsNotReadYet_givesWayToASingleImage() {
        testing::writeFile(at("a.png"), png(40, 40, {}));
        testing::writeFile(at("b.png"), png(40, 40, {}));
        Viewer viewer;
        open(viewer, {900, 500});
        viewer.compareFiles(at("a.png"), at("b.png"));
        QTRY_VERIFY_WITH_TIMEOUT(viewer.findChild<QToolButton*>("compare")->isChecked(), kPatience);
        show(viewer, at("b.png"));
        QVERIFY(!viewer.view().isComparing());
    }

    void eachSideStatesWhatItIs() {
        const auto graph = [](const char* seed) {
            return R"({"format": 1, "nodes": {"a": {"type": "noise", "params": {"seed": )" +
                   std::string(seed) + R"(, "steps": 7}}}})";
        };
        NodeDesc noise{.id = "noise", .label = "Noise"};
        noise.params.push_back({.id = "seed", .label = "Seed", .kind = ParamKind::Seed});
        noise.params.push_back({.id = "steps", .label = "Steps", .kind = ParamKind::Int});
        const graph::Catalog catalog({noise});
        testing::writeFile(at("a.png"), png(300, 300, {{"lowtide_graph", graph("42")}}));
        testing::writeFile(at("b.png"), png(300, 300, {{"lowtide_graph", graph("43")}}));
        Viewer viewer;
        viewer.setCatalog(&catalog);
        open(viewer, {900, 500});
        viewer.compareFiles(at("a.png"), at("b.png"));
        ImageView& view = viewer.view();
        QTRY_VERIFY_WITH_TIMEOUT(view.isComparing(), kPatience);
        const CompareCaptions named{"a.png · Seed 42", "b.png · Seed 43"};
        QVERIFY2(view.captions() == named,
                 qPrintable(view.captions().left + " / " + view.captions().right));
        QVERIFY2(view.spokenText().contains("a.png · Seed 42 on the left"),
                 qPrintable(view.spokenText()));
        const QColor ground = Theme::current().colour("tooltip");
        const int y = Theme::space(2) + 2;
        for (const CompareWay way :
             {CompareWay::Wipe, CompareWay::SideBySide, CompareWay::Difference}) {
            view.setWay(way);
            const int right = way == CompareWay::SideBySide ? view.width() / 2 + 20
                                                            : view.width() - Theme::space(2) - 10;
            QCOMPARE(colourAt(view, {Theme::space(2) + 10, y}), ground);
            QCOMPARE(colourAt(view, {right, y}), ground);
        }
        test::keepScreenshot(viewer, "viewer_captions");
    }

    /// The wipe in the middle; both next to each other; what they differ in.
    void twoImagesAreComparedInThreeWays() {
        Viewer viewer;
        open(viewer, {900, 500});
        viewer.showImage(plainImage(40, 40, Qt::red), "first");
        QVERIFY(!viewer.findChild<QToolButton*>("ways")->isVisible());
        viewer.findChild<QToolButton*>("compare")->setChecked(true);
        viewer.showImage(plainImage(40, 40, Qt::green), "second");
        QVERIFY(viewer.findChild<QToolButton*>("ways")->isVisible());
        ImageView& view = viewer.view();
        // `fraction` of the width, and pixels from there.
        const auto colourAt = [&](double fraction, int offset = 0) {
            return view.grab().toImage().pixelColor(qRound(fraction * view.width()) + offset,
                                                    view.height() / 2);
        };
        QCOMPARE(colourAt(0.5, -15), QColor(Qt::green));
        QCOMPARE(colourAt(0.5, 15), QColor(Qt::red));
        QTest::keyClick(&view, Qt::Key_S);
        QCOMPARE(view.way(), CompareWay::SideBySide);
        QCOMPARE(colourAt(0.25), QColor(Qt::green));
        QCOMPARE(colourAt(0.75), QColor(Qt::red));
        const QColor between = colourAt(0.5);
        QVERIFY(between != QColor(Qt::red) && between != QColor(Qt::green));
        QTest::keyClick(&view, Qt::Key_D);
        QCOMPARE(colourAt(0.5), QColor(255, 255, 0));
        auto* apart = viewer.findChild<QLabel*>("apart");
        QTRY_COMPARE(apart->text(), QString("Up to 255 of 255 apart, 100.0 % of the pixels."));
        QTest::keyClick(&view, Qt::Key_W);
        QVERIFY(apart->text().isEmpty());
        QCOMPARE(colourAt(0.5, -15), QColor(Qt::green));
        viewer.findChild<QToolButton*>("compare")->setChecked(false);
        QVERIFY(!viewer.findChild<QToolButton*>("ways")->isVisible());
        QCOMPARE(colourAt(0.5, 15), QColor(Qt::green));
    }

    /// A wheel over the right one zooms both about the same pixel.
    void bothSidesZoomTogether() {
        Viewer viewer;
        open(viewer, {900, 500});
        viewer.showImage(plainImage(400, 400, Qt::red), "first");
        viewer.findChild<QToolButton*>("compare")->setChecked(true);
        viewer.showImage(plainImage(400, 400, Qt::green), "second");
        ImageView& view = viewer.view();
        view.setWay(CompareWay::SideBySide);
        const QPointF left = view.positionOf({100, 120});
        const QPoint right = (left + QPointF(view.width() / 2.0, 0)).toPoint();
        wheel(view, right, 3);
        QVERIFY(QLineF(view.positionOf({100, 120}), left).length() < 2);
        QVERIFY(view.zoom() > 1);
    }

    void differencesAreMeasured_data() {
        QTest::addColumn<QImage>("other");
        QTest::addColumn<QString>("text");
        const QImage same = plainImage(20, 50, Qt::gray);
        QImage one = same;
        one.setPixelColor(7, 9, QColor(Qt::gray).lighter(101));
        QTest::newRow("identical") << same.convertToFormat(QImage::Format_RGB888) << "Identical.";
        QTest::newRow("one pixel") << one << "Up to 2 of 255 apart, 0.1 % of the pixels.";
        QTest::newRow("another size")
            << plainImage(20, 49, Qt::gray) << "The images have different sizes.";
    }

    void differencesAreMeasured() {
        QFETCH(QImage, other);
        QFETCH(QString, text);
        QCOMPARE(differenceText(differenceOf(plainImage(20, 50, Qt::gray), other)), text);
    }

private:
    [[nodiscard]] QString at(const QString& name) const { return folder_->filePath(name); }

    std::unique_ptr<QTemporaryDir> folder_;
};

LOWTIDE_WINDOW_TEST(ViewerCompareTest)

}  // namespace viewer_compare_test

#include "viewer_compare_test.moc"
