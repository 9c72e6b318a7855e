#include "plugin/nn/feathered_tiles.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <set>

namespace tiles_test {

using namespace lowtide;

namespace {

constexpr int64_t kFactor = 4;

/// A decoder whose pixels depend on their own position alone: tiles must then give the whole image.
at::Tensor enlarge(const at::Tensor& latents) {
    return at::upsample_nearest2d(latents, {latents.size(2) * kFactor, latents.size(3) * kFactor});
}

}  // namespace

class TilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void givesTheWholeImage_whenPixelsDependOnTheirPositionAlone_data() {
        const testing::Rows<int, int> row("height", "width");
        row("square", 32, 32);
        row("odd", 19, 41);
        row("wide", 8, 50);
        row("high", 50, 3);
        row("one more than a tile", 9, 9);
    }

    void givesTheWholeImage_whenPixelsDependOnTheirPositionAlone() {
        QFETCH(int, height);
        QFETCH(int, width);
        const at::Tensor latents =
            at::arange(height * width * 2, at::kFloat).view({1, 2, height, width}) / 1000;
        int calls = 0;
        const at::Tensor tiled =
            models::decodeInTiles(latents, 35, kFactor, [&](const at::Tensor& part) {
                ++calls;
                return enlarge(part);
            });
        QVERIFY(calls > 1);
        QCOMPARE(tiled.sizes().vec(), enlarge(latents).sizes().vec());
        QVERIFY(at::allclose(tiled, enlarge(latents), 1e-5, 1e-5));
    }

    /// [1, C, F, h, w], of which a decoder makes frames.
    void framesOfAVideoAreCutAlike() {
        const at::Tensor frames = at::arange(3 * 19 * 41, at::kFloat).view({3, 1, 19, 41}) / 1000;
        const at::Tensor video = frames.transpose(0, 1).unsqueeze(0);
        const auto byFrame = [](const at::Tensor& part) {
            return enlarge(part.squeeze(0).transpose(0, 1).contiguous());
        };
        const at::Tensor tiled = models::decodeInTiles(video, 35, kFactor, byFrame);
        QCOMPARE(tiled.sizes().vec(), enlarge(frames).sizes().vec());
        QVERIFY(at::allclose(tiled, enlarge(frames), 1e-5, 1e-5));
    }

    void anImageThatFitsOneTileIsNotCut_data() {
        const testing::Rows<int> row("pixels");
        row("a multiple of what overlaps", 32);
        row("a tile that would be rounded down to 64", 72);
    }

    void anImageThatFitsOneTileIsNotCut() {
        QFETCH(int, pixels);
        const int latentPixels = pixels / static_cast<int>(kFactor);
        int calls = 0;
        (void)models::decodeInTiles(at::ones({1, 2, latentPixels, latentPixels}),
                                    pixels,
                                    kFactor,
                                    [&](const at::Tensor& part) {
                                        ++calls;
                                        return enlarge(part);
                                    });
        (void)models::encodeInTiles(
            at::ones({1, 3, pixels, pixels}), pixels, kFactor, [&](const at::Tensor& part) {
                ++calls;
                return at::avg_pool2d(part, kFactor);
            });
        QCOMPARE(calls, 2);
    }

    void fadesFromOneTileToTheNext() {
        int calls = 0;
        const at::Tensor tiled =
            models::decodeInTiles(at::ones({1, 1, 4, 8}), 16, kFactor, [&](const at::Tensor& part) {
                return at::full_like(enlarge(part), calls++);
            });
        // Tiles 0, 1 and 2 begin at 0, 2 and 4 latent pixels; each fades in over 4 pixels.
        const at::Tensor row = tiled[0][0][0];
        const std::vector<float> expected = {
            0,      0,      0,      0,      0, 0, 0, 0, 0.125F, 0.375F, 0.625F, 0.875F, 1, 1, 1, 1,
            1.125F, 1.375F, 1.625F, 1.875F, 2, 2, 2, 2, 2,      2,      2,      2,      2, 2, 2, 2};
        QVERIFY(at::allclose(row, at::tensor(expected)));
    }

    void allTilesHaveOneSize_data() {
        QTest::addColumn<int>("length");
        for (const int length : {9, 10, 13, 14, 97, 128}) {
            QTest::addRow("%d", length) << length;
        }
    }

    /// diffusers ends with what is left: of 97 in tiles of 64 with one column.
    void allTilesHaveOneSize() {
        QFETCH(int, length);
        const int64_t side = length > 64 ? 64 : 8;
        std::set<std::vector<int64_t>> seen;
        const auto note = [&](const at::Tensor& part) { seen.insert(part.sizes().vec()); };

        const at::Tensor decoded = models::decodeInTiles(
            at::ones({1, 1, 8, length}), side * kFactor, kFactor, [&](const at::Tensor& part) {
                note(part);
                return enlarge(part);
            });

        QCOMPARE(seen, (std::set<std::vector<int64_t>>{{1, 1, 8, side}}));
        QVERIFY(at::allclose(decoded, at::ones({1, 1, 8 * kFactor, length * kFactor})));
        seen.clear();
        const at::Tensor encoded =
            models::encodeInTiles(at::ones({1, 3, 8 * kFactor, length * kFactor}),
                                  side * kFactor,
                                  kFactor,
                                  [&](const at::Tensor& part) {
                                      note(part);
                                      return at::avg_pool2d(part, kFactor);
                                  });
        QCOMPARE(seen, (std::set<std::vector<int64_t>>{{1, 3, 8 * kFactor, side * kFactor}}));
        QVERIFY(at::allclose(encoded, at::ones({1, 3, 8, length})));
    }
};

LOWTIDE_TEST(TilesTest)

}  // namespace tiles_test

#include "tiles_test.moc"
