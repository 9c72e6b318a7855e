#include "plugin/tensor/kernels.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

#include <cmath>

namespace lowtide::tensor::kernels_test {

namespace {

constexpr double kFloatNoise = 1e-5;  // float32 sums of some dozen products

bool near(const at::Tensor& a, const at::Tensor& b) {
    return a.sizes() == b.sizes() && at::allclose(a, b, kFloatNoise, kFloatNoise);
}

at::Tensor values(at::IntArrayRef shape) {
    int64_t count = 1;
    for (const int64_t size : shape) {
        count *= size;
    }
    return at::sin(at::arange(count, at::kFloat) * 1.7).view(shape);
}

}  // namespace

class KernelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void convolutionIsAWindowedProduct() {
        const at::Tensor x = values({1, 2, 5, 7});
        const at::Tensor weight = values({3, 2, 3, 3});
        const at::Tensor bias = values({3});
        const at::Tensor y = kernels::conv2d(x, weight, bias, 2, 1);
        QCOMPARE(y.sizes().vec(), (std::vector<int64_t>{1, 3, 3, 4}));
        // Position (row 1, column 2): the window starts at row 1, column 3 of the image.
        const at::Tensor window = x[0].slice(1, 1, 4).slice(2, 3, 6);
        const double expected = ((window * weight[1]).sum() + bias[1]).item<double>();
        QVERIFY(std::abs(y[0][1][1][2].item<double>() - expected) < kFloatNoise);
        QVERIFY(near(kernels::conv2d(x, weight, at::Tensor(), 2, 1) + bias.view({1, 3, 1, 1}), y));
    }

    void linearIsAProductWithTheTransposed() {
        const at::Tensor x = values({2, 3, 4});
        const at::Tensor weight = values({5, 4});
        const at::Tensor bias = values({5});
        QVERIFY(near(kernels::linear(x, weight, bias), at::matmul(x, weight.t()) + bias));
        QVERIFY(near(kernels::linear(x, weight, at::Tensor()), at::matmul(x, weight.t())));
    }

    void bitsDoNotDependOnWhereAWeightBegins_data() {
        QTest::addColumn<int>("rows");
        for (const int rows : {1, 2, 3, 4, 5, 8, 77}) {
            QTest::addRow("%d", rows) << rows;
        }
    }

    /// Weights in a mapped file begin anywhere, in an arena at lines of the cache.
    void bitsDoNotDependOnWhereAWeightBegins() {
        QFETCH(int, rows);
        for (const auto& [inner, outer] :
             {std::pair{128, 80}, {320, 1280}, {1280, 1280}, {96, 97}, {16, 64}}) {
            const at::Tensor x = at::randn({rows, inner});
            const at::Tensor weight = at::randn({outer, inner});
            const at::Tensor expected = kernels::linear(x, weight, at::Tensor());
            const at::Tensor apart =
                kernels::linearOfRows(x.view({rows, 1, inner}), weight, at::Tensor());
            for (const int64_t begin : {1, 2, 4, 6, 8, 12}) {
                const at::Tensor elsewhere =
                    at::empty({weight.numel() + begin}).narrow(0, begin, weight.numel());
                const at::Tensor same = elsewhere.view_as(weight).copy_(weight);
                QVERIFY(at::equal(kernels::linear(x, same, at::Tensor()), expected));
                QVERIFY(at::equal(
                    kernels::linearOfRows(x.view({rows, 1, inner}), same, at::Tensor()), apart));
            }
        }
    }

    void productsAreAddedInPlace_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        for (const auto& [rows, columns] :
             {std::pair{1, 64}, {2, 5}, {4, 2880}, {5, 77}, {320, 8}, {96, 1}, {130, 320}}) {
            QTest::addRow("%dx%d", rows, columns) << rows << columns;
        }
    }

    /// Row-major and transposed; from one line of the cache on as from another.
    void productsAreAddedInPlace() {
        QFETCH(int, rows);
        QFETCH(int, columns);
        constexpr int64_t kLine = 16;
        const at::Tensor left = values({rows, 32});
        const at::Tensor right = values({32, columns}) - 0.5;
        const at::Tensor target = values({rows, columns}) * 2;
        const at::Tensor expected = target + at::matmul(left, right) * -0.7;
        for (const bool isTransposed : {false, true}) {
            at::Tensor first;
            for (const int64_t line : {0, 1, 2, 5, 64}) {
                const at::Tensor block = at::empty({target.numel() + line * kLine})
                                             .narrow(0, line * kLine, target.numel());
                at::Tensor sum =
                    isTransposed ? block.view({columns, rows}).t() : block.view({rows, columns});
                sum.copy_(target);
                kernels::addProduct(sum, left, right, -0.7);
                QVERIFY(near(sum, expected));
                first = first.defined() ? first : sum.clone();
                QVERIFY(at::equal(sum, first));
            }
        }
    }

    void groupNormCentresEveryGroup() {
        const at::Tensor x = values({2, 6, 4, 4}) + 3;
        const at::Tensor weight = values({6});
        const at::Tensor bias = values({6}) - 2;
        const at::Tensor groups = x.view({2, 3, 32});
        const at::Tensor centred = groups - groups.mean(-1, true);
        const at::Tensor normed = centred / at::sqrt((centred * centred).mean(-1, true) + 1e-3);
        const at::Tensor expected =
            normed.view({2, 6, 4, 4}) * weight.view({1, 6, 1, 1}) + bias.view({1, 6, 1, 1});
        QVERIFY(near(kernels::groupNorm(x, 3, weight, bias, 1e-3), expected));
    }

    void layerNormCentresTheLastAxis() {
        const at::Tensor x = values({2, 3, 8}) * 2 + 1;
        const at::Tensor weight = values({8});
        const at::Tensor bias = values({8}) + 1;
        const at::Tensor centred = x - x.mean(-1, true);
        const at::Tensor normed = centred / at::sqrt((centred * centred).mean(-1, true) + 1e-2);
        QVERIFY(near(kernels::layerNorm(x, weight, bias, 1e-2), normed * weight + bias));
    }

    void leakyReluIsWrittenOverItsArgument() {
        const at::Tensor x = at::linspace(-6, 6, 101, at::kFloat);
        const at::Tensor expected = at::where(x > 0, x, x * 0.2);
        QVERIFY(kernels::leakyRelu(x, 0.2).is_same(x));
        QVERIFY(at::equal(x, expected));
    }

    void pixelUnshuffleMakesSquaresChannels() {
        const at::Tensor x = values({2, 3, 8, 12});
        for (const int64_t factor : {1, 2, 4}) {
            QVERIFY(at::equal(kernels::pixelUnshuffle(x, factor), at::pixel_unshuffle(x, factor)));
        }
    }

    void edgesAreMirrored() {
        const at::Tensor x = values({2, 3, 5, 4});
        QVERIFY(at::equal(kernels::padReflected(x, 3, 2), at::reflection_pad2d(x, {0, 3, 0, 2})));
        QVERIFY(kernels::padReflected(x, 0, 0).is_same(x));
        QVERIFY(at::equal(kernels::padReflected(x.unsqueeze(2), 3, 2).squeeze(2),
                          kernels::padReflected(x, 3, 2)));
    }

    /// Where the image is too small for ATen's own operator, the mirror goes back and forth.
    void edgesOfTinyImagesAreMirroredOften() {
        const at::Tensor row =
            kernels::padReflected(at::tensor({1.F, 2.F}).view({1, 1, 1, 2}), 3, 2);
        QVERIFY(at::equal(row[0][0][0], at::tensor({1.F, 2.F, 1.F, 2.F, 1.F})));
        QVERIFY(at::equal(row[0][0][2], row[0][0][0]));
    }

    void activationsFollowTheirFormulas() {
        const at::Tensor x = at::linspace(-6, 6, 101, at::kFloat);
        const at::Tensor ones = at::ones_like(x);
        QVERIFY(near(kernels::silu(x), x / (ones + at::exp(-x))));
        QVERIFY(near(kernels::quickGelu(x), x / (ones + at::exp(x * -1.702))));
        QVERIFY(near(kernels::gelu(x), x * 0.5 * (ones + at::erf(x / std::sqrt(2.0)))));
    }

    void attentionWeighsTheValues() {
        const at::Tensor q = values({1, 2, 3, 4});
        const at::Tensor k = values({1, 2, 5, 4}) * 2;
        const at::Tensor v = values({1, 2, 5, 4}) - 1;
        const at::Tensor weights = at::softmax(at::matmul(q, k.transpose(2, 3)) / 2, -1);
        QVERIFY(near(kernels::attention(q, k, v, false), at::matmul(weights, v)));
    }

    void scoresBeyondHalfPrecisionAreSummedInF32_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int64_t>("width");
        for (const int64_t width : {40, 64, 80}) {
            QTest::addRow("f16, %lld wide", static_cast<long long>(width))
                << static_cast<int>(at::kHalf) << width;
            QTest::addRow("bf16, %lld wide", static_cast<long long>(width))
                << static_cast<int>(at::kBFloat16) << width;
        }
    }

    /// Scores of 64 * 300^2 / 8 = 720000, where f16 ends at 65504: what upcast_attention guards
    /// against in diffusers. All are equal, so that the result is the mean of the values.
    void scoresBeyondHalfPrecisionAreSummedInF32() {
        QFETCH(int, type);
        QFETCH(int64_t, width);
        const auto scalars = static_cast<at::ScalarType>(type);
        const at::Tensor large = at::full({1, 2, 32, width}, 300, scalars);
        const at::Tensor v = at::arange(32, at::kFloat).view({1, 1, 32, 1}).to(scalars);
        const at::Tensor result =
            kernels::attention(large, large, v.expand({1, 2, 32, width}).contiguous(), false);
        QCOMPARE(result.scalar_type(), scalars);
        // 15.5 is a number of both types.
        QVERIFY(at::equal(result, at::full_like(result, 15.5)));
    }

    void causalAttentionSeesNoLaterToken() {
        const at::Tensor q = values({1, 1, 4, 4});
        const at::Tensor k = values({1, 1, 4, 4}) * 2;
        at::Tensor v = values({1, 1, 4, 4}) - 1;
        const at::Tensor before = kernels::attention(q, k, v, true);
        v.select(2, 3).fill_(100);
        const at::Tensor after = kernels::attention(q, k, v, true);
        QVERIFY(at::equal(before.slice(2, 0, 3), after.slice(2, 0, 3)));
        QVERIFY(!at::equal(before.select(2, 3), after.select(2, 3)));
        QVERIFY(near(before.select(2, 0), v.select(2, 0)));
    }

    void upsampleTakesTheNearestSource() {
        const at::Tensor x = at::arange(6, at::kFloat).view({1, 1, 2, 3});
        const at::Tensor y = kernels::upsampleNearest(x, 4, 5);
        // floor(i * source / target): rows 0 0 1 1, columns 0 0 1 1 2.
        const at::Tensor row = at::tensor({0.0F, 0.0F, 1.0F, 1.0F, 2.0F});
        QVERIFY(at::equal(y[0][0][1], row));
        QVERIFY(at::equal(y[0][0][2], row + 3));
    }
};

LOWTIDE_TEST(KernelsTest)

}  // namespace lowtide::tensor::kernels_test

#include "kernels_test.moc"
