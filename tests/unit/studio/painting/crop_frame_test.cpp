#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/painting/some_mask.hpp"
#include "ui/painting/crop_frame.hpp"

#include <QtTest/QtTest>

#include <cmath>

namespace crop_frame_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

void drag(CropFrame& frame, FrameEdges edges, const QPointF& from, const QPointF& to) {
    frame.take(edges, from);
    frame.dragTo((from + to) / 2);
    frame.dragTo(to);
}

QImage someImage(int width, int height) {
    QImage image(width, height, QImage::Format_RGB888);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            image.setPixel(x, y, qRgb(x * 3 % 256, y * 5 % 256, (x + y) % 256));
        }
    }
    return image;
}

}  // namespace

class CropFrameTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void beginsAsTheImage() {
        QVERIFY(CropFrame({512, 768}).isWhole());
        QCOMPARE(CropFrame({101, 131}).rect(), QRect(2, 1, 96, 128));  // the middle that is whole
        QVERIFY(!CropFrame({101, 131}).isBeyond());
    }

    void edgesSnapToMultiples() {
        CropFrame frame({512, 512});
        drag(frame, FrameEdge::Right, {512, 200}, {389, 200});
        QCOMPARE(frame.rect(), QRect(0, 0, 392, 512));
        drag(frame, FrameEdge::Left | FrameEdge::Top, {0, 0}, {30, -61});
        QCOMPARE(frame.rect(), QRect(32, -64, 360, 576));
        QVERIFY(frame.isBeyond());
        frame.setMultiple(64);
        QCOMPARE(frame.rect().size(), QSize(320, 576));
    }

    void keepsARatio_data() {
        testing::addTable<double>({"ratio"}, {{"square", 1.0}, {"3:2", 1.5}, {"9:16", 9.0 / 16}});
    }

    /// To within one multiple of either side, whichever edge is dragged and wherever to.
    void keepsARatio() {
        QFETCH(double, ratio);
        CropFrame frame({1000, 800});
        frame.setRatio(ratio);
        QVERIFY(!frame.isBeyond());
        QRandomGenerator random(1);
        const FrameEdges edges[] = {FrameEdge::Left,
                                    FrameEdge::Right,
                                    FrameEdge::Top,
                                    FrameEdge::Bottom,
                                    FrameEdge::Left | FrameEdge::Top,
                                    FrameEdge::Right | FrameEdge::Bottom,
                                    FrameEdge::Right | FrameEdge::Top};
        for (int i = 0; i < 200; ++i) {
            drag(frame,
                 edges[random.bounded(7)],
                 {double(random.bounded(1000)), double(random.bounded(800))},
                 {double(random.bounded(1400)) - 200, double(random.bounded(1200)) - 200});
            const QSize size = frame.rect().size();
            QCOMPARE(size.width() % 8, 0);
            QCOMPARE(size.height() % 8, 0);
            QVERIFY(std::abs(size.width() - size.height() * ratio) <= 8 * std::max(1.0, ratio));
        }
    }

    /// What is dragged back is as it was: a drag is measured from where it began.
    void aDragBackChangesNothing() {
        CropFrame frame({640, 480});
        frame.take(FrameEdge::Left | FrameEdge::Bottom, {0, 480});
        frame.dragTo({-4000, 9000});
        frame.dragTo({300, 20});
        frame.dragTo({0, 480});
        QVERIFY(frame.isWhole());
    }

    void keepsWithinWhatCanBeMade() {
        CropFrame frame({640, 480});
        drag(frame, FrameEdge::Right | FrameEdge::Bottom, {640, 480}, {1e6, 1e6});
        QVERIFY(qint64{frame.rect().width()} * frame.rect().height() <= 64LL * 1024 * 1024);
        drag(frame, FrameEdge::Right | FrameEdge::Bottom, {640, 480}, {-1e6, -1e6});
        QCOMPARE(frame.rect().size(), QSize(8, 8));
        frame.reset();
        drag(frame, {}, {0, 0}, {1e6, -1e6});
        QVERIFY(frame.rect().intersects(QRect(0, 0, 640, 480)));
    }

    void keysMoveAndResize() {
        CropFrame frame({640, 480});
        frame.resize(-2, 1);
        QCOMPARE(frame.rect(), QRect(0, 0, 624, 488));
        frame.move(1, -1);
        QCOMPARE(frame.rect(), QRect(8, -8, 624, 488));
    }

    void aCropIsThePartOfTheImage() {
        const QImage image = someImage(120, 90);
        const FramedImage cut = framedImage(image, QRect(16, 8, 64, 40), 32);
        QCOMPARE(cut.image, image.copy(16, 8, 64, 40));
        QVERIFY(cut.mask.isNull());
    }

    /// Everything new is masked whole, the old image's pixels are there as they were, and those
    /// further than the overlap from what is new are not masked at all.
    void whatIsNewIsMasked() {
        const QImage image = someImage(120, 90);
        const QRect frame(-40, 8, 128, 120);
        const FramedImage made = framedImage(image, frame, 16);
        QCOMPARE(made.image.size(), frame.size());
        for (int y = 0; y < frame.height(); ++y) {
            for (int x = 0; x < frame.width(); ++x) {
                const QPoint old(frame.left() + x, frame.top() + y);
                const int level = levelAt(made.mask, x, y);
                if (!image.rect().contains(old)) {
                    QCOMPARE(level, 255);
                    const QPoint nearest(std::clamp(old.x(), 0, 119), std::clamp(old.y(), 0, 89));
                    QCOMPARE(made.image.pixel(x, y), image.pixel(nearest));
                    continue;
                }
                QCOMPARE(made.image.pixel(x, y), image.pixel(old));
                // New are the left and the lower side: the frame ends within the others.
                const bool isFar = old.x() >= 16 && old.y() < 90 - 16;
                QCOMPARE(level == 0, isFar);
            }
        }
        int before = 255;
        for (int x = 40; x < 60; ++x) {
            QVERIFY(levelAt(made.mask, x, 0) <= before);
            before = levelAt(made.mask, x, 0);
        }
    }

    void withoutOverlapNothingOldIsMasked() {
        const FramedImage made = framedImage(someImage(64, 64), QRect(0, 0, 72, 64), 0);
        QCOMPARE(levelAt(made.mask, 63, 30), 0);
        QCOMPARE(levelAt(made.mask, 64, 30), 255);
    }

    void transparencyIsKept() {
        QImage image(32, 32, QImage::Format_ARGB32);
        image.fill(QColor(10, 20, 30, 128));
        const FramedImage made = framedImage(image, QRect(-8, 0, 40, 32), 4);
        QCOMPARE(made.image.pixelColor(0, 0), QColor(10, 20, 30, 128));
        QCOMPARE(made.image.pixelColor(20, 20), QColor(10, 20, 30, 128));
    }
};

LOWTIDE_TEST(CropFrameTest)

}  // namespace crop_frame_test

#include "crop_frame_test.moc"
