#include "plugin/tensor/image_pixels.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

namespace lowtide::tensor::image_pixels_test {

namespace {

/// Two columns and one row for each list of bytes.
image::DecodedImage imageOf(int channels, const std::vector<uint8_t>& bytes) {
    auto pixels = std::make_shared<uint8_t[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), pixels.get());
    return {.image = {.widthPixels = 2,
                      .heightPixels = static_cast<int>(bytes.size()) / 2 / channels,
                      .channels = channels,
                      .pixels = pixels}};
}

/// The same with 16 bits.
image::DecodedImage deepImageOf(int channels, const std::vector<uint16_t>& levels) {
    auto pixels = std::make_shared<uint16_t[]>(levels.size());
    std::copy(levels.begin(), levels.end(), pixels.get());
    return {.deep = image::Image16{.widthPixels = 2,
                                   .heightPixels = static_cast<int>(levels.size()) / 2 / channels,
                                   .channels = channels,
                                   .pixels = pixels}};
}

/// As numpy has them: float32 divisions.
at::Tensor levels(at::IntArrayRef shape, const std::vector<int64_t>& bytes) {
    return (at::tensor(bytes, at::kLong).to(at::kFloat) / 255).view(shape);
}

}  // namespace

class ImagePixelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void coloursBecomePlanes() {
        const image::DecodedImage image =
            imageOf(3, {0, 10, 20, 1, 11, 21, 2, 12, 22, 255, 254, 253});
        const at::Tensor expected =
            levels({1, 3, 2, 2}, {0, 1, 2, 255, 10, 11, 12, 254, 20, 21, 22, 253});
        QVERIFY(at::equal(pixelsOf(image), expected));
        QVERIFY(at::equal(transparencyOf(image), at::zeros({1, 1, 2, 2})));
    }

    void greyIsRepeated() {
        const at::Tensor expected = levels({1, 3, 1, 2}, {7, 200, 7, 200, 7, 200});
        QVERIFY(at::equal(pixelsOf(imageOf(1, {7, 200})), expected));
    }

    void sixteenBitsKeepWhatEightWouldLose() {
        const image::DecodedImage image = deepImageOf(4, {0, 1, 2, 65535, 65535, 32768, 257, 1});
        const at::Tensor expected =
            at::tensor(std::vector<int64_t>{0, 65535, 1, 32768, 2, 257}, at::kLong).to(at::kFloat) /
            65535;
        QVERIFY(at::equal(pixelsOf(image), expected.view({1, 3, 1, 2})));
        const at::Tensor clear =
            1 - at::tensor(std::vector<int64_t>{65535, 1}, at::kLong).to(at::kFloat) / 65535;
        QVERIFY(at::equal(transparencyOf(image), clear.view({1, 1, 1, 2})));
        QVERIFY(transparencyOf(image)[0][0][0][1].item<float>() < 1);
    }

    void transparencyIsAMaskAndLeavesTheColours() {
        const image::DecodedImage image =
            imageOf(4, {1, 2, 3, 255, 4, 5, 6, 0, 7, 8, 9, 51, 1, 1, 1, 204});
        QVERIFY(
            at::equal(pixelsOf(image), levels({1, 3, 2, 2}, {1, 4, 7, 1, 2, 5, 8, 1, 3, 6, 9, 1})));
        const at::Tensor expected = at::tensor({0.0, 1.0, 0.8, 0.2}).view({1, 1, 2, 2});
        QVERIFY(at::allclose(transparencyOf(image), expected.to(at::kFloat), 0, 1e-7));
    }
};

LOWTIDE_TEST(ImagePixelsTest)

}  // namespace lowtide::tensor::image_pixels_test

#include "image_pixels_test.moc"
