#include "tests/fixtures/test_program.hpp"
#include "ui/document/image_size.hpp"

#include <QtTest/QtTest>

#include <cstdlib>

namespace image_size_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr SizeLimits kEights{.multiple = 8, .least = 16, .most = 16384};
constexpr int64_t kMegapixel = 1024 * 1024;

}  // namespace

class ImageSizeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void keepsThePixelsAndTheMultiple_data() {
        testing::addTable<int, int, int, int>({"across", "down", "width", "height"},
                                              {{"square", 1, 1, 1024, 1024},
                                               {"screen", 16, 9, 1368, 768},
                                               {"upright screen", 9, 16, 768, 1368},
                                               {"photo", 3, 2, 1256, 840},
                                               {"upright photo", 2, 3, 840, 1256}});
    }

    void keepsThePixelsAndTheMultiple() {
        QFETCH(int, across);
        QFETCH(int, down);

        const PixelSize size = sizeOfRatio({across, down}, kMegapixel, kEights);

        QTEST(static_cast<int>(size.width), "width");
        QTEST(static_cast<int>(size.height), "height");
        QVERIFY(std::abs(size.pixels() - kMegapixel) < kMegapixel / 100);
    }

    void everyRatioIsRecognisedAgain_atSizesOfAllFamilies() {
        for (const int64_t side : {512, 768, 1024}) {
            for (const Ratio& ratio : usualRatios()) {
                const PixelSize size = sizeOfRatio(ratio, side * side, kEights);
                QVERIFY2(ratioOf(size, kEights) == ratio,
                         qPrintable(QString("%1 x %2").arg(size.width).arg(size.height)));
            }
        }
    }

    void aSizeOfNoUsualRatioHasNone() {
        QVERIFY(!ratioOf({.width = 1024, .height = 200}, kEights));
        QVERIFY(!ratioOf({.width = 832, .height = 480}, kEights));
        QVERIFY(ratioOf({.width = 832, .height = 480}, {.multiple = 16}) == (Ratio{16, 9}));
    }

    void remainsWithinWhatTheNodeTakes() {
        const PixelSize size = sizeOfRatio({21, 9}, 100, {.multiple = 8, .least = 20, .most = 30});

        QCOMPARE(size.width, int64_t{24});
        QCOMPARE(size.height, int64_t{24});
    }

    void readsTheLimitsOfAParameter() {
        const SizeLimits limits = sizeLimitsOf({.id = "width", .min = 16, .max = 4096, .step = 8});

        QCOMPARE(limits.multiple, int64_t{8});
        QCOMPARE(limits.least, int64_t{16});
        QCOMPARE(limits.most, int64_t{4096});
        QCOMPARE(sizeLimitsOf({.id = "width"}).multiple, int64_t{1});
    }
};

LOWTIDE_TEST(ImageSizeTest)

}  // namespace image_size_test

#include "image_size_test.moc"
