#include "plugin/image/image_difference.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <cmath>
#include <functional>
#include <random>

namespace image_difference_test {

using namespace lowtide;
using namespace lowtide::image;

namespace {

constexpr int kSide = 256;
/// Where the speckled tile begins.
constexpr int kSpeckledX = 96;
constexpr int kSpeckledY = 160;

/// An image from a level for each position and channel.
Image8 imageFrom(int width, int height, const std::function<double(int, int, int)>& level) {
    const auto pixels = std::make_shared<uint8_t[]>(static_cast<size_t>(width * height * 3));
    size_t i = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            for (int channel = 0; channel < 3; ++channel) {
                pixels[i++] =
                    static_cast<uint8_t>(std::lround(std::clamp(level(x, y, channel), 0.0, 255.0)));
            }
        }
    }
    return {.widthPixels = width, .heightPixels = height, .channels = 3, .pixels = pixels};
}

double levelAt(const Image8& image, int x, int y, int channel) {
    const int column = std::clamp(x, 0, image.widthPixels - 1);
    const int row = std::clamp(y, 0, image.heightPixels - 1);
    return image.pixels[static_cast<size_t>((row * image.widthPixels + column) * 3 + channel)];
}

/// Stripes of several widths and directions, nowhere near black or white.
Image8 scene() {
    return imageFrom(kSide, kSide, [](int x, int y, int channel) {
        return 128 + 40 * std::sin((x + 2 * y) / 3.0) + 30 * std::cos(x / 9.0 - channel);
    });
}

Image8 blurred(const Image8& image) {
    return imageFrom(kSide, kSide, [&](int x, int y, int channel) {
        double sum = 0;
        for (int down = -2; down <= 2; ++down) {
            for (int right = -2; right <= 2; ++right) {
                sum += levelAt(image, x + right, y + down, channel);
            }
        }
        return sum / 25;
    });
}

Image8 tinted(const Image8& image) {
    return imageFrom(kSide, kSide, [&](int x, int y, int channel) {
        return levelAt(image, x, y, channel) + (channel == 0 ? 12 : channel == 2 ? -12 : 0);
    });
}

/// Some pixels of one tile are up or down by a few levels.
Image8 speckled(const Image8& image) {
    std::mt19937 random(3);
    return imageFrom(kSide, kSide, [&](int x, int y, int channel) {
        const bool isInside =
            x >= kSpeckledX && x < kSpeckledX + 32 && y >= kSpeckledY && y < kSpeckledY + 32;
        const int sign = isInside && random() % 4 == 0 ? (random() % 2 == 0 ? 1 : -1) : 0;
        return levelAt(image, x, y, channel) + 30 * sign;
    });
}

/// What each figure shows of an image: that it moved, or not.
struct Moved {
    bool edges;
    bool colour;
    bool tile;

    bool operator==(const Moved&) const = default;
};

Moved movedBy(const ImageDifference& difference) {
    return {.edges = std::abs(difference.edgeEnergyRatio - 1) > 0.1,
            .colour = difference.colourShift > 1,
            .tile = difference.psnr - difference.worst.psnr > 6};
}

}  // namespace

/// Each figure answers its own question.
class ImageDifferenceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void equalImagesDifferInNothing() {
        const ImageDifference none = difference(scene(), scene());
        QVERIFY(std::isinf(none.psnr) && std::isinf(none.worst.psnr));
        QVERIFY(std::abs(none.ssim.value() - 1) < 1e-12);
        QCOMPARE(none.edgeEnergyRatio, 1.0);
        QCOMPARE(none.colourShift, 0.0);
    }

    void blurMovesTheEdgesAlone() {
        const ImageDifference blur = difference(scene(), blurred(scene()));
        QVERIFY(movedBy(blur) == (Moved{.edges = true, .colour = false, .tile = false}));
        QVERIFY(blur.edgeEnergyRatio < 0.9);
        QVERIFY(blur.ssim.value() < 0.95);
    }

    void tintMovesTheColourAlone() {
        const ImageDifference tint = difference(scene(), tinted(scene()));
        QVERIFY(movedBy(tint) == (Moved{.edges = false, .colour = true, .tile = false}));
        QVERIFY(tint.ssim.value() > 0.95);
    }

    void speckleMovesTheWorstTileAlone_andItIsNamed() {
        const ImageDifference speckle = difference(scene(), speckled(scene()));
        QVERIFY(movedBy(speckle) == (Moved{.edges = false, .colour = false, .tile = true}));
        QCOMPARE(speckle.worst.xPixels, kSpeckledX);
        QCOMPARE(speckle.worst.yPixels, kSpeckledY);
        QVERIFY(speckle.ssim.value() > 0.95);
    }

    void aFlatImageHasNoEdges() {
        const Image8 flat = imageFrom(40, 40, [](int, int, int) { return 90.0; });
        const Image8 lighter = imageFrom(40, 40, [](int, int, int) { return 91.0; });
        const Image8 dotted =
            imageFrom(40, 40, [](int x, int y, int) { return x * y == 100 ? 200.0 : 90.0; });
        QCOMPARE(difference(flat, lighter).edgeEnergyRatio, 1.0);
        QVERIFY(std::isinf(difference(flat, dotted).edgeEnergyRatio));
        QCOMPARE(difference(dotted, flat).edgeEnergyRatio, 0.0);
    }

    void smallImagesHaveNoSimilarity() {
        const auto grey = [](int, int, int) { return 100.0; };
        const auto lighter = [](int, int, int) { return 110.0; };
        const ImageDifference small =
            difference(imageFrom(10, 40, grey), imageFrom(10, 40, lighter));
        QVERIFY(!small.ssim);
        QVERIFY(std::abs(small.psnr - 10 * std::log10(255.0 * 255.0 / 100)) < 1e-12);
        const ImageDifference pixel = difference(imageFrom(1, 1, grey), imageFrom(1, 1, lighter));
        QCOMPARE(pixel.edgeEnergyRatio, 1.0);
        QVERIFY(pixel.colourShift > 1);
    }

    void transparencyIsLeftOut() {
        const auto pixels = std::make_shared<uint8_t[]>(4);
        for (size_t i = 0; i < 4; ++i) {
            pixels[i] = static_cast<uint8_t>(40 * i);
        }
        const Image8 clear{.widthPixels = 1, .heightPixels = 1, .channels = 4, .pixels = pixels};
        const Image8 colour = imageFrom(1, 1, [](int, int, int channel) { return 40.0 * channel; });
        QVERIFY(std::isinf(difference(colour, clear).psnr));
    }

    void imagesOfTwoSizesAreRefused() {
        const auto grey = [](int, int, int) { return 100.0; };
        const auto error = testing::errorOf(
            [&] { (void)difference(imageFrom(40, 20, grey), imageFrom(20, 40, grey)); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QVERIFY(error->message().str().find("20 x 40") != std::string::npos &&
                error->message().str().find("40 x 20") != std::string::npos);
        QVERIFY(testing::errorOf(
            [&] { (void)colourDifferences(imageFrom(4, 2, grey), imageFrom(4, 3, grey)); }));
    }
};

LOWTIDE_TEST(ImageDifferenceTest)

}  // namespace image_difference_test

#include "image_difference_test.moc"
