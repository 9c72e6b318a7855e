#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/painting/some_mask.hpp"
#include "ui/painting/mask_ops.hpp"
#include "ui/painting/mask_shapes.hpp"

#include <QtTest/QtTest>

#include <cstdlib>
#include <vector>

namespace mask_shapes_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

/// Two shades in spots, so that there are many joined parts.
QImage someSpots(int width, int height, quint32 seed) {
    QImage image(width, height, QImage::Format_RGB32);
    QRandomGenerator random(seed);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const int level = 100 + 40 * (random.bounded(10) < 4 ? 1 : 0) + random.bounded(5);
            image.setPixel(x, y, qRgb(level, level, level));
        }
    }
    return image;
}

/// The same pixel by pixel, one step after the other.
QImage floodedSlowly(const QImage& image, const QPoint& seed, int tolerance) {
    QImage cover = filledMask(image.size(), 0);
    const QColor wanted = image.pixelColor(seed);
    std::vector<QPoint> open = {seed};
    while (!open.empty()) {
        const QPoint at = open.back();
        open.pop_back();
        if (!image.rect().contains(at) || levelAt(cover, at.x(), at.y()) != 0 ||
            std::abs(image.pixelColor(at).red() - wanted.red()) > tolerance) {
            continue;
        }
        cover.scanLine(at.y())[at.x()] = 255;
        for (const QPoint step : {QPoint(1, 0), QPoint(-1, 0), QPoint(0, 1), QPoint(0, -1)}) {
            open.push_back(at + step);
        }
    }
    return cover;
}

}  // namespace

class MaskShapesTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    /// A hand that rests or trembles reports positions for as long as it does.
    void aDrawnLineHasNoMoreCornersThanItsLengthNeeds() {
        QPolygonF corners;
        for (int i = 0; i < 10000; ++i) {
            addCorner(corners, QPointF(50 + i % 2, 50), 2);
        }
        QCOMPARE(corners, QPolygonF({QPointF(50, 50)}));
        for (int i = 0; i <= 100; ++i) {
            addCorner(corners, QPointF(50 + i / 10.0, 50), 2);
        }
        QCOMPARE(corners.size(), 6);
        QCOMPARE(corners.last(), QPointF(60, 50));
    }

    void theInsideOfAPathIsCovered() {
        QPainterPath path;
        path.addRect(QRectF(10, 20, 30.5, 15));
        const QImage cover = shapeCover({100, 60}, path);

        QCOMPARE(cover.format(), QImage::Format_Grayscale8);
        QCOMPARE(levelAt(cover, 10, 20), 255);
        QCOMPARE(levelAt(cover, 39, 34), 255);
        QCOMPARE(levelAt(cover, 9, 25), 0);
        QCOMPARE(levelAt(cover, 20, 35), 0);
        QVERIFY2(std::abs(levelAt(cover, 40, 25) - 128) < 16,
                 qPrintable(QString::number(levelAt(cover, 40, 25))));
    }

    void whatLiesOutsideOfTheImageCountsForNothing() {
        QPainterPath path;
        path.addRect(QRectF(-50, -50, 60, 60));
        const QImage cover = shapeCover({20, 20}, path);
        QCOMPARE(levelAt(cover, 9, 9), 255);
        QCOMPARE(levelAt(cover, 10, 10), 0);
    }

    void fillsPixelsThatAreJoinedAndAlike() {
        QImage image(60, 40, QImage::Format_RGB888);
        image.fill(QColor(200, 100, 50));
        QPainter(&image).fillRect(30, 0, 2, 40, Qt::black);  // parts it
        QPainter(&image).fillRect(5, 5, 10, 10, QColor(200, 100, 61));

        const QImage cover = floodCover(image, {2, 2}, 10);
        QCOMPARE(levelAt(cover, 29, 39), 255);
        QCOMPARE(levelAt(cover, 8, 8), 0);    // 11 apart in one channel
        QCOMPARE(levelAt(cover, 30, 20), 0);  // what parts it
        QCOMPARE(levelAt(cover, 40, 20), 0);  // alike, but not joined
        QCOMPARE(levelAt(floodCover(image, {2, 2}, 11), 8, 8), 255);
        QVERIFY(isBlank(floodCover(image, {60, 2}, 255)));
    }

    void fillsAsStepByStep_data() {
        QTest::addColumn<quint32>("seed");
        for (quint32 seed = 1; seed <= 20; ++seed) {
            QTest::addRow("%u", seed) << seed;
        }
    }

    void fillsAsStepByStep() {
        QFETCH(quint32, seed);
        QRandomGenerator random(seed);
        const QImage image = someSpots(1 + random.bounded(60), 1 + random.bounded(60), seed);
        const QPoint at(random.bounded(image.width()), random.bounded(image.height()));
        QCOMPARE(floodCover(image, at, 8), floodedSlowly(image, at, 8));
    }

    void whatIsCoveredIsAddedOrTaken() {
        const QImage mask = someMask(80, 50, 3);
        QPainterPath path;
        path.addRect(QRectF(20, 10, 30, 30));
        const QImage cover = shapeCover(mask.size(), path);
        const QImage added = covered(mask, cover, StrokeKind::Paint, 1);
        const QImage taken = covered(mask, cover, StrokeKind::Erase, 1);
        for (int y = 0; y < mask.height(); ++y) {
            for (int x = 0; x < mask.width(); ++x) {
                const bool isInside = QRect(20, 10, 30, 30).contains(x, y);
                QCOMPARE(levelAt(added, x, y), isInside ? 255 : levelAt(mask, x, y));
                QCOMPARE(levelAt(taken, x, y), isInside ? 0 : levelAt(mask, x, y));
            }
        }
    }

    void opacityIsTheMostThatIsCovered() {
        const QImage whole = filledMask({4, 4}, 255);
        const QImage none = filledMask({4, 4}, 0);
        QCOMPARE(levelAt(covered(none, whole, StrokeKind::Paint, 0.4), 1, 1), 102);
        QCOMPARE(levelAt(covered(whole, whole, StrokeKind::Erase, 0.4), 1, 1), 153);
    }

    /// A photo of 24 megapixels of one colour: the worst case of a fill.
    void aLargeAreaIsFilledSwiftly() {
        QImage image(6000, 4000, QImage::Format_RGB32);
        image.fill(Qt::white);
        QElapsedTimer clock;
        clock.start();
        const QImage cover = floodCover(image, {3000, 2000}, 10);
        qInfo("24 megapixels are filled in %lld ms", clock.elapsed());
        QCOMPARE(levelAt(cover, 5999, 3999), 255);
        QVERIFY(clock.elapsed() < 20000);
    }
};

LOWTIDE_TEST(MaskShapesTest)

}  // namespace mask_shapes_test

#include "mask_shapes_test.moc"
