#include "plugin/nn/feathered_tiles.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace feathered_tiles_test {

using namespace lowtide;
using models::TileSizes;
using models::TileSpan;

namespace {

constexpr int64_t kScale = 2;
/// The weights of two neighbours are rounded separately.
constexpr double kRounding = 1e-6;

at::Tensor enlarge(const at::Tensor& tile) {
    return at::upsample_nearest2d(tile, {tile.size(2) * kScale, tile.size(3) * kScale});
}

at::Tensor inTiles(const at::Tensor& image,
                   const TileSizes& sizes,
                   const std::function<at::Tensor(const at::Tensor&)>& enlargeTile) {
    const at::Tensor target =
        at::zeros({1, image.size(1), kScale * image.size(2), kScale * image.size(3)}, at::kFloat);
    models::enlargeInTiles(image, sizes, kScale, enlargeTile, target);
    return target;
}

/// The shares that tiles have in each pixel, and how many show it.
struct Cover {
    std::vector<double> fractions;
    std::vector<int> tiles;
};

Cover coverOf(int64_t length, const std::vector<TileSpan>& spans) {
    Cover cover{std::vector<double>(static_cast<size_t>(length)),
                std::vector<int>(static_cast<size_t>(length))};
    for (const TileSpan& span : spans) {
        for (int64_t x = span.shownBegin; x < span.shownEnd; ++x) {
            const int64_t before = x - span.shownBegin;
            const int64_t behind = span.shownEnd - 1 - x;
            double fraction = 1;
            if (before < span.fadeIn) {
                fraction *= (static_cast<double>(before) + 0.5) / static_cast<double>(span.fadeIn);
            }
            if (behind < span.fadeOut) {
                fraction *= (static_cast<double>(behind) + 0.5) / static_cast<double>(span.fadeOut);
            }
            cover.fractions[static_cast<size_t>(x)] += fraction;
            ++cover.tiles[static_cast<size_t>(x)];
        }
    }
    return cover;
}

}  // namespace

class FeatheredTilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void weightsSumToOne_data() {
        QTest::addColumn<int>("multiple");
        QTest::newRow("any pixel") << 1;
        QTest::newRow("every second") << 2;
        QTest::newRow("every fourth") << 4;
    }

    void weightsSumToOne() {
        QFETCH(int, multiple);
        for (int64_t length = 1; length < 90; ++length) {
            for (int64_t side = 1; side < 32; side += 3) {
                for (int64_t overlap = 0; 2 * overlap <= side; ++overlap) {
                    const TileSizes sizes{side, overlap, multiple};
                    checkCover(length, sizes, models::cutSide(length, sizes));
                }
            }
        }
    }

    /// The outer quarter of an overlap comes from the neighbour alone.
    void whatLiesNearACutIsNotShown() {
        for (const int64_t length : {100, 157, 1000}) {
            const auto spans = models::cutSide(length, {.side = 64, .overlap = 16});
            QVERIFY(spans.size() > 1);
            for (size_t i = 0; i < spans.size(); ++i) {
                QVERIFY(i == 0 || spans[i].shownBegin - spans[i].begin >= 4);
                QVERIFY(i + 1 == spans.size() || spans[i].end - spans[i].shownEnd >= 4);
            }
        }
    }

    void tilesAreOfOneSizeAndAsFewAsCanBe() {
        const auto spans = models::cutSide(301, {.side = 130, .overlap = 20, .multiple = 4});
        QCOMPARE(spans.size(), 3U);  // 128 + 108 + 108 >= 304
        for (const TileSpan& span : spans) {
            QCOMPARE(span.end - span.begin, 128);
        }
        QCOMPARE(spans.back().end, 304);
        QCOMPARE(spans.back().shownEnd, 301);
        QCOMPARE(models::tileCount(301, 100, {.side = 130, .overlap = 20, .multiple = 4}), 3);
        QCOMPARE(models::tileCount(301, 1000, {.multiple = 4}), 1);
    }

    void givesTheWholeImage_whenPixelsDependOnTheirPositionAlone_data() {
        const testing::Rows<int, int> add("height", "width");
        add("square", 32, 32);
        add("odd", 19, 41);
        add("one row of tiles", 8, 50);
        add("narrower than a mirror image", 50, 1);
    }

    void givesTheWholeImage_whenPixelsDependOnTheirPositionAlone() {
        QFETCH(int, height);
        QFETCH(int, width);
        const at::Tensor image =
            at::arange(height * width * 2, at::kFloat).view({1, 2, height, width}) / 1000;
        int calls = 0;
        const at::Tensor tiled =
            inTiles(image, {.side = 13, .overlap = 6, .multiple = 4}, [&](const at::Tensor& tile) {
                ++calls;
                return enlarge(tile);
            });
        QVERIFY(calls > 1);
        QVERIFY(at::allclose(tiled, enlarge(image), kRounding, kRounding));
    }

    void fadesFromOneTileToTheNext() {
        int calls = 0;
        const at::Tensor tiled = inTiles(
            at::zeros({1, 1, 4, 12}), {.side = 8, .overlap = 4}, [&](const at::Tensor& tile) {
                return at::full_like(enlarge(tile), calls++);
            });
        // Tiles 0 and 1 overlap in pixels 4 to 7; 5 and 6 fade, four pixels of the result.
        const std::vector<float> expected = {0,      0,      0, 0, 0, 0, 0, 0, 0, 0, 0.125F, 0.375F,
                                             0.625F, 0.875F, 1, 1, 1, 1, 1, 1, 1, 1, 1,      1};
        QCOMPARE(calls, 2);
        QVERIFY(at::allclose(tiled[0][0][0], at::tensor(expected), kRounding, kRounding));
    }

    void edgesAreReflected() {
        at::Tensor seen;
        (void)inTiles(at::tensor({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}).view({1, 1, 1, 6}),
                      {.multiple = 4},
                      [&](const at::Tensor& tile) {
                          seen = tile.clone();
                          return enlarge(tile);
                      });
        QCOMPARE(seen.sizes().vec(), (std::vector<int64_t>{1, 1, 4, 8}));
        const at::Tensor row = at::tensor({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F, 5.0F, 4.0F});
        QVERIFY(at::equal(seen[0][0][0], row));
        QVERIFY(at::equal(seen[0][0][3], row));
    }

private:
    static void checkCover(int64_t length,
                           const TileSizes& sizes,
                           const std::vector<TileSpan>& spans) {
        const std::string where = std::to_string(length) + " in tiles of " +
                                  std::to_string(sizes.side) + " that overlap by " +
                                  std::to_string(sizes.overlap);
        for (const TileSpan& span : spans) {
            QVERIFY2(span.begin % sizes.multiple == 0 && span.end % sizes.multiple == 0 &&
                         span.begin <= span.shownBegin && span.shownEnd <= span.end,
                     where.c_str());
        }
        const Cover cover = coverOf(length, spans);
        for (size_t x = 0; x < cover.fractions.size(); ++x) {
            QVERIFY2(std::abs(cover.fractions[x] - 1) < 1e-9 && cover.tiles[x] <= 2, where.c_str());
        }
    }
};

LOWTIDE_TEST(FeatheredTilesTest)

}  // namespace feathered_tiles_test

#include "feathered_tiles_test.moc"
