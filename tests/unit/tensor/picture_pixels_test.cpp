#include "plugin/tensor/picture_pixels.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

namespace lowtide::tensor::picture_pixels_test {

namespace {

/// Two columns and one row for each list of bytes.
Image8 pictureOf(int channels, const std::vector<uint8_t>& bytes) {
    auto pixels = std::make_shared<uint8_t[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), pixels.get());
    return {.widthPixels = 2,
            .heightPixels = static_cast<int>(bytes.size()) / 2 / channels,
            .channels = channels,
            .pixels = pixels};
}

/// As numpy has them: float32 divisions.
at::Tensor levels(at::IntArrayRef shape, const std::vector<int64_t>& bytes) {
    return (at::tensor(bytes, at::kLong).to(at::kFloat) / 255).view(shape);
}

}  // namespace

class PicturePixelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void coloursBecomePlanes() {
        const Image8 picture = pictureOf(3, {0, 10, 20, 1, 11, 21, 2, 12, 22, 255, 254, 253});
        const at::Tensor expected =
            levels({1, 3, 2, 2}, {0, 1, 2, 255, 10, 11, 12, 254, 20, 21, 22, 253});
        QVERIFY(at::equal(pixelsOf(picture), expected));
        QVERIFY(at::equal(transparencyOf(picture), at::zeros({1, 1, 2, 2})));
    }

    void greyIsRepeated() {
        const at::Tensor expected = levels({1, 3, 1, 2}, {7, 200, 7, 200, 7, 200});
        QVERIFY(at::equal(pixelsOf(pictureOf(1, {7, 200})), expected));
    }

    void transparencyIsAMaskAndLeavesTheColours() {
        const Image8 picture = pictureOf(4, {1, 2, 3, 255, 4, 5, 6, 0, 7, 8, 9, 51, 1, 1, 1, 204});
        QVERIFY(at::equal(pixelsOf(picture),
                          levels({1, 3, 2, 2}, {1, 4, 7, 1, 2, 5, 8, 1, 3, 6, 9, 1})));
        const at::Tensor expected = at::tensor({0.0, 1.0, 0.8, 0.2}).view({1, 1, 2, 2});
        QVERIFY(at::allclose(transparencyOf(picture), expected.to(at::kFloat), 0, 1e-7));
    }
};

LOWTIDE_TEST(PicturePixelsTest)

}  // namespace lowtide::tensor::picture_pixels_test

#include "picture_pixels_test.moc"
