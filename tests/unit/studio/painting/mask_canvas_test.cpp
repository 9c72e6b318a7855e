#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/painting/some_mask.hpp"
#include "ui/painting/mask_canvas.hpp"
#include "ui/painting/mask_ops.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>

namespace mask_canvas_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

BrushPoint at(double x, double y, double radius, double opacity = 1) {
    return {.at = {x, y}, .radius = radius, .opacity = opacity};
}

void stroke(MaskCanvas& canvas,
            StrokeKind kind,
            const std::vector<BrushPoint>& points,
            double hardness = 1) {
    canvas.begin(kind, hardness, points.front());
    for (const BrushPoint& point : points) {
        canvas.extend(point);
    }
    canvas.end();
}

/// Distance of a pixel's middle from a line between two positions.
double distance(int x, int y, const QPointF& from, const QPointF& to) {
    const QPointF pixel(x + 0.5, y + 0.5);
    const QPointF along = to - from;
    const double length = QPointF::dotProduct(along, along);
    const double position =
        length > 0 ? std::clamp(QPointF::dotProduct(pixel - from, along) / length, 0.0, 1.0) : 0;
    const QPointF apart = pixel - from - position * along;
    return std::hypot(apart.x(), apart.y());
}

bool levelsFit(const MaskCanvas& canvas) {
    return canvas.levels() == MaskCanvas(canvas.mask()).levels();
}

}  // namespace

class MaskCanvasTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    /// As when the other button of a mouse is pressed too, or a pen's release is lost.
    void aStrokeWithinAStrokeCanBeUndone() {
        MaskCanvas canvas(filledMask({200, 100}, 0));
        canvas.begin(StrokeKind::Paint, 1, at(40, 50, 20));
        canvas.begin(StrokeKind::Paint, 1, at(160, 50, 20));
        canvas.end();
        canvas.undo();
        QVERIFY(!isBlank(canvas.mask()));
        canvas.undo();
        QVERIFY(isBlank(canvas.mask()));
        QVERIFY(levelsFit(canvas));
    }

    void aHardBrushPaintsWhatItTouches() {
        MaskCanvas canvas(filledMask({200, 160}, 0));
        const QPointF from(40.3, 50.7);
        const QPointF to(150, 120);
        stroke(canvas, StrokeKind::Paint, {at(from.x(), from.y(), 20), at(to.x(), to.y(), 20)});
        for (int y = 0; y < 160; ++y) {
            for (int x = 0; x < 200; ++x) {
                const double apart = distance(x, y, from, to);
                if (apart < 19) {
                    QCOMPARE(levelAt(canvas.mask(), x, y), 255);
                } else if (apart > 21) {
                    QCOMPARE(levelAt(canvas.mask(), x, y), 0);
                }
            }
        }
    }

    void aSoftBrushFallsOff() {
        MaskCanvas canvas(filledMask({200, 200}, 0));
        stroke(canvas, StrokeKind::Paint, {at(100.5, 100.5, 80)}, 0.25);
        int before = 255;
        for (int x = 100; x < 190; ++x) {
            const int level = levelAt(canvas.mask(), x, 100);
            QVERIFY(level <= before);
            before = level;
        }
        QCOMPARE(levelAt(canvas.mask(), 119, 100), 255);
        const int half = levelAt(canvas.mask(), 150, 100);  // half way between both radii
        QVERIFY2(std::abs(half - 128) < 3, qPrintable(QString::number(half)));
        QCOMPARE(levelAt(canvas.mask(), 181, 100), 0);
    }

    /// Crossing itself makes a stroke no stronger; a second stroke does.
    void opacityIsThatOfAStroke() {
        MaskCanvas canvas(filledMask({200, 200}, 0));
        const std::vector<BrushPoint> cross = {at(20, 100, 10, 0.5),
                                               at(180, 100, 10, 0.5),
                                               at(100, 20, 10, 0.5),
                                               at(100, 180, 10, 0.5)};
        stroke(canvas, StrokeKind::Paint, cross);
        QCOMPARE(levelAt(canvas.mask(), 100, 100), 128);
        QCOMPARE(levelAt(canvas.mask(), 30, 100), 128);
        stroke(canvas, StrokeKind::Paint, cross);
        QCOMPARE(levelAt(canvas.mask(), 30, 100), 192);
        stroke(canvas, StrokeKind::Erase, {at(30, 100, 10, 0.5)});
        QCOMPARE(levelAt(canvas.mask(), 30, 100), 96);
        stroke(canvas, StrokeKind::Erase, {at(30, 100, 10)});
        QCOMPARE(levelAt(canvas.mask(), 30, 100), 0);
    }

    /// A pen that is pressed harder along the way.
    void pressureWidensTheStroke() {
        MaskCanvas canvas(filledMask({300, 100}, 0));
        stroke(canvas, StrokeKind::Paint, {at(20, 50, 2), at(280, 50, 30)});
        const auto widthAt = [&](int x) {
            int count = 0;
            for (int y = 0; y < 100; ++y) {
                count += levelAt(canvas.mask(), x, y) >= 128 ? 1 : 0;
            }
            return count;
        };
        QVERIFY(widthAt(30) <= 8);
        QVERIFY(std::abs(widthAt(150) - 32) <= 2);
        QVERIFY(widthAt(270) >= 54);
    }

    void onlyWhatIsReportedHasChanged() {
        MaskCanvas canvas(someMask(700, 500, 1));
        const QImage before = canvas.mask();
        const QRect reported = canvas.begin(StrokeKind::Paint, 0.5, at(130, 250, 33)) |
                               canvas.extend(at(260.5, 255, 33));
        QVERIFY(reported.width() < 240 && reported.height() < 90);
        for (int y = 0; y < 500; ++y) {
            for (int x = 0; x < 700; ++x) {
                if (!reported.contains(x, y)) {
                    QCOMPARE(levelAt(canvas.mask(), x, y), levelAt(before, x, y));
                }
            }
        }
        QVERIFY(levelsFit(canvas));
    }

    void everyStepComesBackAsItWas() {
        MaskCanvas canvas(someMask(1030, 700, 2));
        std::vector<QImage> states{canvas.mask()};
        QRandomGenerator random(7);
        for (int i = 0; i < 12; ++i) {
            if (i % 4 == 3) {
                canvas.replace(i % 8 == 3 ? inverted(canvas.mask()) : grown(canvas.mask(), 3));
            } else {
                stroke(canvas,
                       i % 3 == 0 ? StrokeKind::Erase : StrokeKind::Paint,
                       {at(random.bounded(1030), random.bounded(700), 40),
                        at(random.bounded(1030), random.bounded(700), 9, 0.7)},
                       0.6);
            }
            if (canvas.mask() != states.back()) {
                states.push_back(canvas.mask());
            }
        }
        QVERIFY(states.size() > 9);
        for (size_t i = states.size() - 1; i > 0; --i) {
            canvas.undo();
            QCOMPARE(canvas.mask(), states[i - 1]);
            QVERIFY(levelsFit(canvas));
        }
        QVERIFY(!canvas.history().canUndo());
        for (size_t i = 1; i < states.size(); ++i) {
            canvas.redo();
            QCOMPARE(canvas.mask(), states[i]);
            QVERIFY(levelsFit(canvas));
        }
        QVERIFY(!canvas.history().canRedo());
    }

    void aNewStrokeForgetsWhatWasUndone() {
        MaskCanvas canvas(filledMask({64, 64}, 0));
        stroke(canvas, StrokeKind::Paint, {at(10, 10, 5)});
        canvas.undo();
        QVERIFY(canvas.history().canRedo());
        stroke(canvas, StrokeKind::Paint, {at(40, 40, 5)});
        QVERIFY(!canvas.history().canRedo());
    }

    void whatChangesNothingIsNoStep() {
        MaskCanvas canvas(filledMask({64, 64}, 0));
        stroke(canvas, StrokeKind::Erase, {at(10, 10, 5)});
        stroke(canvas, StrokeKind::Paint, {at(-100, -100, 5)});
        canvas.replace(filledMask({64, 64}, 0));
        QVERIFY(!canvas.history().canUndo());
    }

    void aStrokeIsTakenBack() {
        MaskCanvas canvas(someMask(300, 300, 3));
        const QImage before = canvas.mask();
        canvas.begin(StrokeKind::Paint, 1, at(20, 20, 30));
        canvas.extend(at(280, 290, 30));
        QVERIFY(canvas.mask() != before);
        canvas.cancel();
        QCOMPARE(canvas.mask(), before);
        QVERIFY(levelsFit(canvas));
        QVERIFY(!canvas.history().canUndo());
    }

    void stepsTakeBoundedMemory() {
        MaskHistory history(100000);
        QImage mask = someMask(256, 256, 4, 400);
        const MaskTiles tiles(mask.size());
        for (int i = 0; i < 20; ++i) {
            MaskStep step;
            for (const int tile : tiles.touchedBy(mask.rect())) {
                step.keep(tile, tiles.pixelsOf(mask, tile));
            }
            history.add(std::move(step));
            QVERIFY(history.bytes() <= 100000);
            QVERIFY(history.canUndo());
        }
        MaskStep even;
        even.keep(0, std::vector<uchar>(128 * 128, 7));
        QCOMPARE(even.bytes, size_t{1});
    }

    void theOverlayIsSeenOnEveryImage_data() {
        QTest::addColumn<QColor>("image");
        for (const char* name : {"white", "black", "grey", "#e61e32", "blue", "yellow"}) {
            QTest::newRow(name) << QColor(name);
        }
    }

    /// Where nothing is masked the image remains; where something is, what is seen differs from it.
    void theOverlayIsSeenOnEveryImage() {
        QFETCH(QColor, image);
        MaskCanvas canvas(filledMask({400, 300}, 0));
        stroke(canvas, StrokeKind::Paint, {at(100, 150, 60)});
        QImage seen(400, 300, QImage::Format_RGB32);
        seen.fill(image);
        QPainter(&seen).drawImage(
            0, 0, maskOverlay(canvas.levels(), QRectF(0, 0, 400, 300), {400, 300}, {}, {}));
        QCOMPARE(seen.pixelColor(300, 150), image);
        int inside = 0;
        int lines = 0;
        for (int x = 0; x < 200; ++x) {
            const QColor colour = seen.pixelColor(x, 150);
            const int difference = std::abs(colour.red() - image.red()) +
                                   std::abs(colour.green() - image.green()) +
                                   std::abs(colour.blue() - image.blue());
            inside += difference > 24 ? 1 : 0;
        }
        for (int y = 0; y < 300; ++y) {
            for (int x = 0; x < 400; ++x) {
                const QColor colour = seen.pixelColor(x, y);
                lines += colour != image && (colour == Qt::white || colour == Qt::black) ? 1 : 0;
            }
        }
        QVERIFY2(inside > 55, qPrintable(QString::number(inside)));  // of 120: one stripe at least
        QVERIFY2(lines > 60, qPrintable(QString::number(lines)));
    }

    /// Parts that are painted again join those next to them.
    void partsOfTheOverlayAreThoseOfTheWhole() {
        MaskCanvas canvas(someMask(3000, 2000, 5, 300));
        const QRectF part(100, 200, 1600, 1200);
        const QImage whole = maskOverlay(canvas.levels(), part, {400, 300}, {0, 0}, {});
        const QRect piece(80, 60, 100, 90);
        const QImage again = maskOverlay(canvas.levels(),
                                         QRectF(part.x() + piece.x() * 4,
                                                part.y() + piece.y() * 4,
                                                piece.width() * 4,
                                                piece.height() * 4),
                                         piece.size(),
                                         piece.topLeft(),
                                         {});
        QCOMPARE(again, whole.copy(piece));
    }

    void largeStrokesTakeAMoment() {
        MaskCanvas canvas(filledMask({4096, 4096}, 0));
        canvas.begin(StrokeKind::Paint, 0.5, at(1000, 1000, 250));
        QElapsedTimer timer;
        qint64 longest = 0;
        for (int i = 1; i <= 20; ++i) {
            timer.restart();
            canvas.extend(at(1000 + 60 * i, 1000 + 40 * i, 250));
            longest = std::max(longest, timer.elapsed());
        }
        canvas.end();
        canvas.begin(StrokeKind::Paint, 0.5, at(2000, 2000, 512));
        timer.restart();
        canvas.extend(at(2080, 2030, 512));
        qInfo("a piece of a stroke 500 pixels wide: %lld ms, 1024 wide: %lld ms",
              longest,
              timer.elapsed());
        QVERIFY(longest < 500);
    }
};

LOWTIDE_TEST(MaskCanvasTest)

}  // namespace mask_canvas_test

#include "mask_canvas_test.moc"
