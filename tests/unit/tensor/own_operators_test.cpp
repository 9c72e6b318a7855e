// Compares our own operators with double precision, on every instruction set of this processor.

#include "plugin/tensor/cpu_paths.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/own_operators.hpp"
#include "plugin/tensor/simd/pieces.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/tensor/distance.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <QtTest>

#include <cmath>
#include <limits>

namespace lowtide::tensor::own_operators_test {

namespace {

// Relative L2 against double precision. ATen's own f32 operators come to 2e-7 to 1e-6 here.
constexpr double kWinogradNoise = 5e-6;  // grows with the channels: 3.1e-6 at 1280
constexpr double kAttentionNoise = 1e-6;
constexpr double kProductNoise = 1e-6;
constexpr double kNormNoise = 1e-6;  // of values whose mean is ten deviations

constexpr auto kLast = at::MemoryFormat::ChannelsLast;

/// All operators on one path while it lives.
class OnPath : CpuPathsScope {
public:
    explicit OnPath(CpuPath path) : CpuPathsScope({path, path, path, path}) {}
};

std::vector<CpuPath> ownPaths() {
    std::vector<CpuPath> paths = possibleCpuPaths();
    paths.erase(paths.begin());
    return paths;
}

/// One row for every instruction set.
void addRow(const char* name, const std::vector<int>& sizes) {
    for (const CpuPath path : ownPaths()) {
        const char* set = path == CpuPath::Avx2 ? "avx2" : "avx512";
        QTest::addRow("%s, %s", name, set)
            << static_cast<int>(path) << QList<int>(sizes.begin(), sizes.end());
    }
}

void addColumns() {
    QTest::addColumn<int>("path");
    QTest::addColumn<QList<int>>("sizes");
}

at::Tensor convolved(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    return kernels::conv2d(x, weight, bias, 1, 1);
}

/// [B, T, heads * width] as [B, heads, T, width].
at::Tensor headsOf(int64_t batch, int64_t rows, int64_t heads, int64_t width) {
    return at::randn({batch, rows, heads * width})
        .view({batch, rows, heads, width})
        .transpose(1, 2);
}

at::Tensor exactAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    const at::Tensor scores = at::matmul(q.to(at::kDouble), k.to(at::kDouble).transpose(2, 3));
    return at::matmul(at::softmax(scores / std::sqrt(static_cast<double>(q.size(3))), -1),
                      v.to(at::kDouble));
}

}  // namespace

class OwnOperatorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { at::manual_seed(7); }

    void cleanup() { at::set_num_threads(2); }

    void convolutionIsNearTheExactOne_data() {
        addColumns();  // batch, in, out, height, width
        addRow("smallest", {1, 1, 1, 8, 8});
        addRow("whole tiles", {2, 32, 64, 16, 16});
        addRow("cut tiles, odd channels", {2, 19, 37, 13, 21});
        addRow("one more than a vector", {1, 17, 33, 9, 10});
        addRow("some blocks of channels", {1, 300, 40, 12, 8});
        addRow("many channels", {2, 1280, 16, 8, 8});
        addRow("some chunks of tiles", {1, 128, 3, 97, 98});
        addRow("some parts", {3, 16, 100, 40, 44});
    }

    void convolutionIsNearTheExactOne() {
        QFETCH(int, path);
        QFETCH(QList<int>, sizes);
        const OnPath chosen(static_cast<CpuPath>(path));
        const at::Tensor x = at::randn({sizes[0], sizes[1], sizes[3], sizes[4]}) + 0.3;
        const at::Tensor weight = at::randn({sizes[2], sizes[1], 3, 3});
        const at::Tensor bias = at::randn({sizes[2]});
        const at::Tensor exact =
            at::conv2d(x.to(at::kDouble), weight.to(at::kDouble), bias.to(at::kDouble), 1, 1);
        QVERIFY(own::takesConvolution(x) && own::isWinograd(x, weight, 1, 1));

        const at::Tensor y = convolved(x, weight, bias);

        QCOMPARE(y.sizes().vec(), exact.sizes().vec());
        QVERIFY2(distance(y, exact) < kWinogradNoise,
                 qPrintable(QString::number(distance(y, exact))));
        const at::Tensor unbiased = convolved(x, weight, {}) + bias.view({1, -1, 1, 1});
        QVERIFY(distance(unbiased, exact) < kWinogradNoise);
    }

    /// What lies behind the last tile would be written outside of the result.
    void chunksOfTilesEndWithTheImage() {
        for (const int64_t side : {8, 29, 64, 100, 333}) {
            for (const int64_t channels : {20, 320, 1280}) {
                const simd::WinogradCut cut = simd::cutWinograd(
                    {.batch = 3, .in = channels, .out = 40, .height = side, .width = side + 4}, 16);
                int64_t tiles = 0;
                for (int64_t chunk = 0; chunk < cut.chunks(); ++chunk) {
                    QVERIFY(cut.tilesOf(chunk) > 0 && cut.tilesOf(chunk) <= cut.chunkTiles);
                    tiles += cut.tilesOf(chunk);
                }
                QCOMPARE(tiles, 3 * ((side + 3) / 4) * ((side + 7) / 4));
            }
        }
    }

    void convolutionReadsEveryLayout() {
        const at::Tensor all = at::randn({2, 40, 12, 17});
        const at::Tensor weight = at::randn({24, 24, 3, 3});
        const at::Tensor bias = at::randn({24});
        const at::Tensor x = all.narrow(1, 8, 24);
        const at::Tensor expected = convolved(x.contiguous(), weight, bias);
        QVERIFY(at::equal(convolved(x, weight, bias), expected));
        QVERIFY(at::equal(convolved(x.contiguous(kLast), weight, bias), expected));
        const at::Tensor sliced = all.contiguous(kLast).narrow(1, 8, 24);
        QVERIFY(own::withChannelsLast(sliced).is_same(sliced));
        QVERIFY(at::equal(convolved(sliced, weight, bias), expected));
        const at::Tensor transposed = x.transpose(2, 3).contiguous().transpose(2, 3);
        QVERIFY(at::equal(convolved(transposed, weight, bias), expected));
        const at::Tensor kernel = weight.contiguous(kLast);
        QVERIFY(at::equal(convolved(x, kernel, bias), expected));
    }

    void convolutionsOverAndOntoHaveTheSameBits_data() {
        addColumns();  // batch, in, out, height, width
        addRow("smallest", {1, 2, 1, 8, 8});
        addRow("half the channels", {1, 64, 32, 40, 44});
        addRow("a row of tiles in several chunks", {1, 330, 165, 12, 600});
        addRow("rows of tiles in several chunks", {1, 330, 20, 70, 50});
        addRow("cut tiles, odd channels", {2, 39, 19, 13, 21});
        addRow("several images in a chunk", {5, 32, 16, 9, 10});
        addRow("more results than half", {1, 20, 17, 12, 12});
    }

    void convolutionsOverAndOntoHaveTheSameBits() {
        QFETCH(int, path);
        QFETCH(QList<int>, sizes);
        const OnPath chosen(static_cast<CpuPath>(path));
        const at::Tensor x = at::randn({sizes[0], sizes[1], sizes[3], sizes[4]}).contiguous(kLast);
        const at::Tensor weight = at::randn({sizes[2], sizes[1], 3, 3});
        const at::Tensor bias = at::randn({sizes[2]});
        const at::Tensor target =
            at::randn({sizes[0], sizes[2], sizes[3], sizes[4]}).contiguous(kLast);
        const at::Tensor expected = convolved(x, weight, bias);
        const at::Tensor input = x.clone();

        const at::Tensor onto = kernels::addedConv2d(target.clone(), input, weight, bias);
        QVERIFY(at::equal(input, x));
        const at::Tensor over = kernels::conv2dOver(input, weight, bias);

        QVERIFY(at::equal(onto, expected + target));
        QVERIFY(at::equal(over, expected));
        QVERIFY(over.is_contiguous(kLast));
        const bool hasSpace = 2 * sizes[2] <= sizes[1];
        QCOMPARE(over.const_data_ptr() == input.const_data_ptr(), hasSpace);
        const at::Tensor contiguous = target.contiguous(at::MemoryFormat::Contiguous);
        QVERIFY(at::equal(kernels::addedConv2d(contiguous, x, weight, {}),
                          convolved(x, weight, {}) + target));
    }

    void otherConvolutionsAreProductsOfColumns_data() {
        QTest::addColumn<QList<int>>("sizes");  // B, I, O, H, W, kernel, stride, padding
        QTest::newRow("stride 2") << QList<int>{2, 16, 24, 16, 16, 3, 2, 1};
        QTest::newRow("stride 2, odd") << QList<int>{1, 5, 7, 17, 13, 3, 2, 1};
        QTest::newRow("stride 2, no border") << QList<int>{2, 8, 16, 17, 11, 3, 2, 0};
        QTest::newRow("no border") << QList<int>{1, 16, 16, 16, 16, 3, 1, 0};
        QTest::newRow("small") << QList<int>{2, 96, 64, 2, 3, 3, 1, 1};
        QTest::newRow("one pixel") << QList<int>{1, 12, 8, 1, 1, 3, 1, 1};
        QTest::newRow("wide kernel") << QList<int>{1, 9, 8, 10, 12, 5, 1, 2};
        QTest::newRow("pixels of stride 2") << QList<int>{2, 9, 8, 10, 12, 1, 2, 0};
        QTest::newRow("in several parts") << QList<int>{1, 320, 32, 50, 41, 3, 2, 1};
    }

    void otherConvolutionsAreProductsOfColumns() {
        QFETCH(QList<int>, sizes);
        const OnPath chosen(defaultCpuPaths().convolution);
        const at::Tensor x = at::randn({sizes[0], sizes[1], sizes[3], sizes[4]}) + 0.3;
        const at::Tensor weight = at::randn({sizes[2], sizes[1], sizes[5], sizes[5]});
        const at::Tensor bias = at::randn({sizes[2]});
        const int stride = sizes[6];
        const int padding = sizes[7];
        QVERIFY(own::takesConvolution(x) && !own::isWinograd(x, weight, stride, padding));
        const at::Tensor exact = at::conv2d(
            x.to(at::kDouble), weight.to(at::kDouble), bias.to(at::kDouble), stride, padding);

        const at::Tensor y = kernels::conv2d(x, weight, bias, stride, padding);

        QCOMPARE(y.sizes().vec(), exact.sizes().vec());
        QVERIFY2(distance(y, exact) < kProductNoise,
                 qPrintable(QString::number(distance(y, exact))));
        const at::Tensor unbiased = kernels::conv2d(x, weight, {}, stride, padding);
        QVERIFY(distance(unbiased + bias.view({1, -1, 1, 1}), exact) < kProductNoise);
        const at::Tensor wide = at::cat({x, x}, 1).contiguous(kLast);
        QVERIFY(at::equal(
            kernels::conv2d(wide.narrow(1, sizes[1], sizes[1]), weight, bias, stride, padding), y));
    }

    void aDoubledImageIsNeverMade_withTheSameBits_data() {
        QTest::addColumn<QList<int>>("sizes");  // B, I, O, H, W
        QTest::newRow("even") << QList<int>{2, 24, 40, 8, 12};
        QTest::newRow("odd") << QList<int>{3, 20, 9, 11, 9};
        QTest::newRow("in several chunks") << QList<int>{1, 330, 33, 64, 50};
    }

    void aDoubledImageIsNeverMade_withTheSameBits() {
        QFETCH(QList<int>, sizes);
        const at::Tensor x = at::randn({sizes[0], sizes[1], sizes[3], sizes[4]});
        const at::Tensor weight = at::randn({sizes[2], sizes[1], 3, 3});
        const at::Tensor bias = at::randn({sizes[2]});
        for (const CpuPath path : ownPaths()) {
            const OnPath chosen(path);
            const at::Tensor doubled =
                kernels::upsampleNearest(x, 2 * sizes[3], 2 * sizes[4]).contiguous(kLast);
            QVERIFY(at::equal(kernels::upsampledConv2d(x, 2 * sizes[3], 2 * sizes[4], weight, bias),
                              kernels::conv2d(doubled, weight, bias, 1, 1)));
        }
    }

    void otherSizesAreMadeBefore() {
        const at::Tensor x = at::randn({1, 16, 8, 9});
        const at::Tensor weight = at::randn({16, 16, 3, 3});
        QVERIFY(at::equal(kernels::upsampledConv2d(x, 15, 18, weight, {}),
                          kernels::conv2d(kernels::upsampleNearest(x, 15, 18), weight, {}, 1, 1)));
        const at::Tensor small = x.narrow(2, 0, 5);
        QVERIFY(
            at::equal(kernels::upsampledConv2d(small, 10, 18, weight, {}),
                      kernels::conv2d(kernels::upsampleNearest(small, 10, 18), weight, {}, 1, 1)));
    }

    void convolutionsOfOtherTypesAreAtens() {
        const at::Tensor x = at::randn({1, 16, 16, 16});
        QVERIFY(!own::takesConvolution(x.to(at::kDouble)));
        QVERIFY(!own::isWinograd(x.narrow(2, 0, 7), at::randn({16, 16, 3, 3}), 1, 1));
    }

    void pixelsAreMultiplied() {
        const at::Tensor x = at::randn({2, 20, 9, 11});
        const at::Tensor weight = at::randn({33, 20, 1, 1});
        const at::Tensor bias = at::randn({33});
        const at::Tensor exact =
            at::conv2d(x.to(at::kDouble), weight.to(at::kDouble), bias.to(at::kDouble));
        QVERIFY(distance(kernels::conv2d(x, weight, bias, 1, 0), exact) < kProductNoise);
    }

    void attentionIsNearTheExactOne_data() {
        addColumns();  // batch, heads, queries, keys, width
        addRow("text", {2, 8, 64, 77, 40});
        addRow("some blocks of keys", {1, 2, 300, 300, 64});
        addRow("one more than a part", {1, 1, 129, 113, 80});
        addRow("single numbers", {1, 3, 1, 1, 1});
        addRow("odd width", {2, 1, 50, 33, 7});
        addRow("widest", {2, 1, 50, 200, 160});
    }

    void attentionIsNearTheExactOne() {
        QFETCH(int, path);
        QFETCH(QList<int>, sizes);
        const OnPath chosen(static_cast<CpuPath>(path));
        const at::Tensor q = headsOf(sizes[0], sizes[2], sizes[1], sizes[4]);
        const at::Tensor k = headsOf(sizes[0], sizes[3], sizes[1], sizes[4]);
        const at::Tensor v = headsOf(sizes[0], sizes[3], sizes[1], sizes[4]);
        QVERIFY(own::takesAttention(q, k, v));
        const at::Tensor exact = exactAttention(q, k, v);

        const at::Tensor y = kernels::attention(q, k, v, false);

        QVERIFY2(distance(y, exact) < kAttentionNoise,
                 qPrintable(QString::number(distance(y, exact))));
        QVERIFY(y.transpose(1, 2).is_contiguous());
        const at::Tensor dense =
            kernels::attention(q.contiguous(), k.contiguous(), v.contiguous(), false);
        QVERIFY(at::equal(dense, y));
    }

    /// The largest score grows from block to block, so every older sum shrinks to nothing.
    void attentionBearsLargeScores() {
        const at::Tensor q = at::ones({1, 1, 40, 8});
        const at::Tensor k = at::linspace(-300, 300, 250).view({1, 1, 250, 1}).repeat({1, 1, 1, 8});
        const at::Tensor v = at::randn({1, 1, 250, 8});
        for (const CpuPath path : ownPaths()) {
            const OnPath chosen(path);
            const at::Tensor exact = exactAttention(q, k, v);
            QVERIFY(distance(kernels::attention(q, k, v, false), exact) < kAttentionNoise);
            const at::Tensor falling = k.flip(2);
            QVERIFY(distance(kernels::attention(q, falling, v.flip(2), false), exact) <
                    kAttentionNoise);
        }
    }

    void valuesThatAreNoNumbersRemainSo() {
        // As devices of tests fill memory that must not be read.
        const at::Tensor poison = at::full({1}, -1, at::kInt).view(at::kFloat);
        for (const CpuPath path : ownPaths()) {
            const OnPath chosen(path);
            at::Tensor k = headsOf(1, 200, 1, 16);
            k.select(2, 150).copy_(poison);
            const at::Tensor y =
                kernels::attention(headsOf(1, 40, 1, 16), k, headsOf(1, 200, 1, 16), false);
            QVERIFY(at::isnan(y).all().item<bool>());
            at::Tensor x = at::randn({1, 16, 9, 9});
            x.select(2, 4).copy_(poison);
            const at::Tensor one = at::ones({16});
            QVERIFY(at::isnan(kernels::activatedNorm(x, {}, 1, one, one, 1e-5)).all().item<bool>());
        }
    }

    void otherAttentionIsAtens() {
        const at::Tensor wide = headsOf(1, 20, 1, 161);
        QVERIFY(!own::takesAttention(wide, wide, wide));
        const at::Tensor x = headsOf(1, 20, 2, 16);
        QVERIFY(!own::takesAttention(x, x.transpose(2, 3).contiguous().transpose(2, 3), x));
        const at::Tensor causal = kernels::attention(x, x, x, true);
        QVERIFY(at::equal(causal, at::scaled_dot_product_attention(x, x, x, {}, 0.0, true)));
    }

    /// Kernels in 16 bits are widened as they are transformed: the bits are those of their numbers.
    void convolutionsOfHalvesAreThoseOfTheirNumbers() {
        const at::Tensor x = at::randn({2, 80, 20, 17}).contiguous(kLast);
        const at::Tensor bias = at::randn({30});
        for (const at::ScalarType type : {at::kHalf, at::kBFloat16}) {
            const at::Tensor halves = at::randn({30, 80, 3, 3}).to(type);
            const at::Tensor numbers = halves.to(at::kFloat);
            const at::Tensor sum = at::randn({2, 30, 20, 17}).contiguous(kLast);
            for (const CpuPath path : ownPaths()) {
                const OnPath chosen(path);
                QVERIFY(at::equal(convolved(x, halves, bias), convolved(x, numbers, bias)));
                QVERIFY(at::equal(kernels::upsampledConv2d(x, 40, 34, halves, bias),
                                  kernels::upsampledConv2d(x, 40, 34, numbers, bias)));
                QVERIFY(at::equal(kernels::conv2dOver(x.clone(), halves, bias),
                                  kernels::conv2dOver(x.clone(), numbers, bias)));
                QVERIFY(at::equal(kernels::addedConv2d(sum.clone(), x, halves, bias),
                                  kernels::addedConv2d(sum.clone(), x, numbers, bias)));
                const at::Tensor exact = at::conv2d(
                    x.to(at::kDouble), halves.to(at::kDouble), bias.to(at::kDouble), 2, 1);
                QVERIFY(distance(kernels::conv2d(x, halves, bias, 2, 1), exact) < kProductNoise);
                const at::Tensor pixels = halves.narrow(2, 0, 1).narrow(3, 0, 1);
                QVERIFY(distance(kernels::conv2d(x, pixels, bias, 1, 0),
                                 at::conv2d(x.to(at::kDouble),
                                            pixels.to(at::kDouble),
                                            bias.to(at::kDouble))) < kProductNoise);
            }
        }
    }

    void normIsNearTheExactOne_data() {
        addColumns();  // batch, channels, groups, height, width
        addRow("smallest", {1, 4, 2, 1, 2});
        addRow("odd channels", {3, 30, 5, 7, 9});
        addRow("groups across vectors", {2, 320, 32, 16, 24});
        addRow("many pixels", {1, 8, 8, 130, 140});
    }

    void normIsNearTheExactOne() {
        QFETCH(int, path);
        QFETCH(QList<int>, sizes);
        const OnPath chosen(static_cast<CpuPath>(path));
        const at::Tensor x = at::randn({sizes[0], sizes[1], sizes[3], sizes[4]}) + 10;
        const at::Tensor added = at::randn({sizes[0], sizes[1]});
        const at::Tensor weight = at::randn({sizes[1]});
        const at::Tensor bias = at::randn({sizes[1]});
        const auto exactOf = [&](const at::Tensor& values) {
            return at::group_norm(
                values, sizes[2], weight.to(at::kDouble), bias.to(at::kDouble), 1e-5);
        };
        QVERIFY(own::takesGroupNorm(x));

        const at::Tensor plain = kernels::groupNorm(x, sizes[2], weight, bias, 1e-5);
        QVERIFY(distance(plain, exactOf(x.to(at::kDouble))) < kNormNoise);
        QVERIFY(plain.is_contiguous(kLast));

        const at::Tensor sum =
            x.to(at::kDouble) + added.to(at::kDouble).unsqueeze(-1).unsqueeze(-1);
        const at::Tensor activated = kernels::activatedNorm(x, added, sizes[2], weight, bias, 1e-5);
        QVERIFY(distance(activated, at::silu(exactOf(sum))) < kNormNoise);
        const at::Tensor last =
            kernels::activatedNorm(x.contiguous(kLast), added, sizes[2], weight, bias, 1e-5);
        QVERIFY(at::equal(last, activated));
        const at::Tensor over = x.clone(kLast);
        const at::Tensor made =
            kernels::activatedNormOver(over, added, sizes[2], weight, bias, 1e-5);
        QVERIFY(made.is_same(over));
        QVERIFY(at::equal(made, activated));
    }

    void rowNormIsNearTheExactOne() {
        for (const int64_t width : {1, 5, 64, 128, 1536}) {
            const at::Tensor x = (at::randn({3, width, 40}) + 3).transpose(1, 2);
            const at::Tensor weight = at::randn({width});
            const at::Tensor exact = x.to(at::kDouble);
            const at::Tensor normed = exact / (exact.square().mean({-1}, true) + 1e-6).sqrt();
            for (const CpuPath path : ownPaths()) {
                const OnPath chosen(path);
                QVERIFY(own::takesRowNorm(x, weight));
                QVERIFY(distance(kernels::rmsNorm(x, {}, 1e-6), normed) < kNormNoise);
                const at::Tensor y = kernels::rmsNorm(x, weight, 1e-6);
                QCOMPARE(y.sizes().vec(), x.sizes().vec());
                QVERIFY(distance(y, normed * weight) < kNormNoise);
                QVERIFY(!own::takesRowNorm(x.to(at::kHalf), weight));
            }
        }
    }

    void theActivationHasItsLimits() {
        // Of two numbers in a group one becomes 1, the other -1.
        const at::Tensor x = at::tensor({1.F, 3.F}).view({1, 1, 1, 2}).repeat({1, 4, 1, 1});
        const at::Tensor weight = at::tensor({1.F, 80.F, 500.F, 1e30F});
        for (const CpuPath path : ownPaths()) {
            const OnPath chosen(path);
            const at::Tensor y = kernels::activatedNorm(x, {}, 4, weight, at::zeros({4}), 0);
            const at::Tensor high = y.select(3, 1).flatten();
            QVERIFY(at::allclose(high, weight * at::sigmoid(weight), 1e-6));
            const at::Tensor low = y.select(3, 0).flatten();
            QVERIFY(at::allclose(low, -weight * at::sigmoid(-weight), 1e-6, 1e-6));
        }
    }

    /// Bits of an image depend neither on its neighbours in the batch, nor on threads, nor on the
    /// instruction set.
    void bitsDependOnNothingElse() {
        const at::Tensor x = at::randn({3, 150, 36, 44});
        const at::Tensor weight = at::randn({70, 150, 3, 3});
        const at::Tensor bias = at::randn({70});
        const at::Tensor matrix = at::randn({70, 150}).to(at::kBFloat16);
        const at::Tensor q = headsOf(3, 400, 2, 40);
        const at::Tensor k = headsOf(3, 333, 2, 40);
        const auto all = [&](int64_t first, int64_t count) {
            const at::Tensor some = x.narrow(0, first, count);
            const at::Tensor keys = k.narrow(0, first, count);
            return std::vector<at::Tensor>{
                convolved(some, weight, bias),
                kernels::attention(q.narrow(0, first, count), keys, keys, false),
                kernels::linear(some.permute({0, 2, 3, 1}).contiguous(), matrix, bias),
                kernels::rmsNorm(some, bias.narrow(0, 0, 44), 1e-6),
                kernels::activatedNorm(some,
                                       {},
                                       30,
                                       weight.select(0, 0).select(1, 0).select(1, 0).contiguous(),
                                       weight.select(0, 1).select(1, 0).select(1, 0).contiguous(),
                                       1e-5)};
        };
        at::set_num_threads(1);
        const std::vector<at::Tensor> expected = all(0, 3);
        for (const CpuPath path : ownPaths()) {
            for (const int threads : {1, 2, 3}) {
                const OnPath chosen(path);
                at::set_num_threads(threads);
                const std::vector<at::Tensor> whole = all(0, 3);
                const std::vector<at::Tensor> one = all(1, 1);
                for (size_t i = 0; i < expected.size(); ++i) {
                    QVERIFY(at::equal(whole[i], expected[i]));
                    QVERIFY(at::equal(one[i], expected[i].narrow(0, 1, 1)));
                }
            }
        }
    }

    void plainPathsAreAtens() {
        const OnPath chosen(CpuPath::Plain);
        const at::Tensor x = at::randn({1, 16, 16, 16});
        const at::Tensor weight = at::randn({16, 16, 3, 3});
        const at::Tensor bias = at::randn({16});
        QVERIFY(at::equal(convolved(x, weight, bias), at::conv2d(x, weight, bias, 1, 1)));
        QVERIFY(at::equal(kernels::groupNorm(x, 4, bias, bias, 1e-5),
                          at::group_norm(x, 4, bias, bias, 1e-5)));
        const at::Tensor q = headsOf(1, 30, 2, 8);
        QVERIFY(at::equal(kernels::attention(q, q, q, false),
                          at::scaled_dot_product_attention(q, q, q)));
    }

    void pathsAreReadAndWritten() {
        for (const CpuPath path : {CpuPath::Plain, CpuPath::Avx2, CpuPath::Avx512, CpuPath::Amx}) {
            const CpuPaths paths{.convolution = path, .attention = CpuPath::Avx2, .product = path};
            QVERIFY(parseCpuPaths(toText(paths)) == paths);
        }
        QVERIFY(!parseCpuPaths(""));
        QVERIFY(!parseCpuPaths("convolution avx512"));
        QVERIFY(!parseCpuPaths("convolution avx512, attention plain, norm avx512"));
        QVERIFY(!parseCpuPaths(toText({}) + " "));
    }
};

LOWTIDE_TEST(OwnOperatorsTest)

}  // namespace lowtide::tensor::own_operators_test

#include "own_operators_test.moc"
