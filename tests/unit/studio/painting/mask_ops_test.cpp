#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/painting/some_mask.hpp"
#include "ui/painting/mask_ops.hpp"

#include <QtTest/QtTest>

#include <cmath>

namespace mask_ops_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

/// By the definition: the largest level within the disc, or the smallest.
QImage grownByDefinition(const QImage& mask, int pixels) {
    QImage result(mask.size(), QImage::Format_Grayscale8);
    const int reach = std::abs(pixels);
    for (int y = 0; y < mask.height(); ++y) {
        for (int x = 0; x < mask.width(); ++x) {
            int level = levelAt(mask, x, y);
            for (int dy = -reach; dy <= reach; ++dy) {
                for (int dx = -reach; dx <= reach; ++dx) {
                    const bool isWithin = dx * dx + dy * dy <= reach * reach;
                    if (isWithin && mask.rect().contains(x + dx, y + dy)) {
                        const int other = levelAt(mask, x + dx, y + dy);
                        level = pixels > 0 ? std::max(level, other) : std::min(level, other);
                    }
                }
            }
            result.scanLine(y)[x] = static_cast<uchar>(level);
        }
    }
    return result;
}

/// The mean weighted by a Gaussian of two dimensions, with the border's pixels going on.
double featheredLevel(const QImage& mask, int x, int y, double sigma) {
    const int reach = static_cast<int>(std::ceil(4.5 * sigma));
    double sum = 0;
    double weights = 0;
    for (int dy = -reach; dy <= reach; ++dy) {
        for (int dx = -reach; dx <= reach; ++dx) {
            const double weight = std::exp(-0.5 * (dx * dx + dy * dy) / (sigma * sigma));
            sum += weight * levelAt(mask,
                                    std::clamp(x + dx, 0, mask.width() - 1),
                                    std::clamp(y + dy, 0, mask.height() - 1));
            weights += weight;
        }
    }
    return sum / weights;
}

/// The largest difference, of every seventh pixel.
double apartFromGaussian(const QImage& made, const QImage& mask, double sigma) {
    constexpr int kEvery = 7;
    double most = 0;
    for (int i = 0; i < mask.width() * mask.height(); i += kEvery) {
        const int x = i % mask.width();
        const int y = i / mask.width();
        const double level = featheredLevel(mask, x, y, sigma);
        most = std::max(most, std::abs(levelAt(made, x, y) - level));
    }
    return most;
}

}  // namespace

class MaskOpsTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    /// By the pixels that are masked by half or more.
    void aRectangleIsOneWithoutAHole() {
        QImage mask = filledMask({40, 30}, 0);
        QVERIFY(!isRectangle(mask));
        for (int y = 5; y < 20; ++y) {
            std::fill_n(mask.scanLine(y) + 8, 16, uchar{200});
        }
        QVERIFY(isRectangle(mask));
        mask.scanLine(10)[4] = 100;  // a soft edge
        QVERIFY(isRectangle(mask));
        mask.scanLine(10)[12] = 0;
        QVERIFY(!isRectangle(mask));
    }

    void theRectangleAroundWhatIsMasked() {
        QImage mask = filledMask({100, 60}, 0);
        QCOMPARE(maskedRect(mask), QRect());
        mask.scanLine(10)[20] = 255;
        mask.scanLine(40)[70] = 128;
        mask.scanLine(50)[5] = 127;  // less than half
        QCOMPARE(maskedRect(mask), QRect(QPoint(20, 10), QPoint(70, 40)));
    }

    void invertingTwiceGivesTheSame() {
        const QImage mask = someMask(97, 61, 1);
        QCOMPARE(levelAt(inverted(mask), 96, 60), 255 - levelAt(mask, 96, 60));
        QVERIFY(inverted(mask) != mask);
        QCOMPARE(inverted(inverted(mask)), mask);
    }

    void invertedMaskHasNoTextsOfItsFile() {
        QImage mask = someMask(20, 20, 1);
        mask.setText("picture", "/images/cat.png");

        QVERIFY(inverted(mask).textKeys().isEmpty());
    }

    void growsByADisc_data() {
        QTest::addColumn<int>("pixels");
        for (const int pixels : {1, 2, 3, 5, 12, 40, -1, -2, -3, -9}) {
            QTest::addRow("%d", pixels) << pixels;
        }
    }

    void growsByADisc() {
        QFETCH(int, pixels);
        const QImage mask = pixels > 0 ? someMask(150, 67, 2) : inverted(someMask(150, 67, 3));
        QCOMPARE(grown(mask, pixels), grownByDefinition(mask, pixels));
    }

    void growingByNothingChangesNothing() {
        const QImage mask = someMask(30, 20, 4);
        QCOMPARE(grown(mask, 0), mask);
        QCOMPARE(feathered(mask, 0), mask);
    }

    /// A mask that reaches the border of the image goes on behind it.
    void theBorderEatsNothing() {
        const QImage whole = filledMask({90, 40}, 255);
        QCOMPARE(grown(whole, -7), whole);
        QCOMPARE(feathered(whole, 5), whole);
        QCOMPARE(feathered(whole, 30), whole);
    }

    void feathersAsAGaussian_data() {
        QTest::addColumn<double>("sigma");
        QTest::addColumn<double>("tolerance");  // levels: halves are rounded to bytes each time
        QTest::newRow("half a pixel") << 0.5 << 0.51;
        QTest::newRow("2") << 2.0 << 0.51;
        QTest::newRow("7.9") << 7.9 << 0.6;
        QTest::newRow("11, of halves") << 11.0 << 1.6;
        QTest::newRow("20, of quarters") << 20.0 << 2.1;
    }

    void feathersAsAGaussian() {
        QFETCH(double, sigma);
        QFETCH(double, tolerance);
        QImage mask = someMask(83, 66, 5);
        for (int y = 20; y < 50; ++y) {
            std::fill(mask.scanLine(y) + 40, mask.scanLine(y) + 83, uchar{255});
        }
        const QImage made = feathered(mask, sigma);
        const double most = apartFromGaussian(made, mask, sigma);
        QVERIFY2(most <= tolerance, qPrintable(QString("%1 levels apart").arg(most)));
        QVERIFY(made != mask);
    }

    void halvesTakeTheMeanOfFour() {
        QImage mask = filledMask({3, 3}, 0);
        mask.scanLine(0)[0] = 100;
        mask.scanLine(1)[1] = 100;
        mask.scanLine(2)[2] = 40;
        const QImage half = halved(mask);
        QCOMPARE(half.size(), QSize(2, 2));
        QCOMPARE(levelAt(half, 0, 0), 50);
        QCOMPARE(levelAt(half, 1, 0), 0);
        QCOMPARE(levelAt(half, 1, 1), 40);  // the last pixel stands for those that are not there
    }

    void aBlankMaskIsBlank() {
        QImage mask = filledMask({70, 9}, 0);
        QVERIFY(isBlank(mask));
        mask.scanLine(8)[69] = 1;
        QVERIFY(!isBlank(mask));
    }

    /// Figures for users; the limits are far from what is measured.
    void largeMasksTakeAMoment() {
        const int side = testing::isFullTest() ? 4096 : 1024;
        const qint64 most = qint64{20000} * side * side / (4096 * 4096);
        const QImage mask = someMask(side, side, 6, side);
        QElapsedTimer timer;
        timer.start();
        (void)grown(mask, 64);
        const qint64 growing = timer.restart();
        (void)feathered(mask, 8);
        const qint64 narrow = timer.restart();
        (void)feathered(mask, 64);
        qInfo("%d x %d: grow by 64 %lld ms, feather by 8 %lld ms, by 64 %lld ms",
              side,
              side,
              growing,
              narrow,
              timer.elapsed());
        QVERIFY(growing < most && narrow < most && timer.elapsed() < most);
    }
};

LOWTIDE_TEST(MaskOpsTest)

}  // namespace mask_ops_test

#include "mask_ops_test.moc"
