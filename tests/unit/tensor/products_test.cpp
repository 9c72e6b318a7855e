// Products of f32 rows and weights in 16 bits compared with double precision: on every path of
// this processor, and on a model of AMX's tiles.

#include "plugin/tensor/cpu_paths.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/own_operators.hpp"
#include "plugin/tensor/simd/pieces.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/tensor/distance.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <QtTest>

#include <algorithm>
#include <limits>

namespace lowtide::tensor {

/// The loops of AMX's products on tiles that are computed number by number: for machines without
/// the unit. Needs AVX2. One thread.
const simd::LinearPieces& modelTilePieces();

namespace products_test {

namespace {

// Relative L2 against double precision. ATen's own f32 products come to 3e-7 to 4e-7 here.
constexpr double kNoise = 1e-6;
/// Of one chain of fused multiply-adds, in units of f32's rounding times the sum of all products'
/// magnitudes: each addition rounds once (Higham 2002, section 3.1: at most their number).
constexpr double kRounding = 0x1p-24;
constexpr double kLeastDenormal = 0x1p-149;
constexpr double kLeastNormal = 0x1p-126;  ///< tiles take what is below for zero

constexpr std::array kHalves = {at::kHalf, at::kBFloat16};

at::Tensor exactProduct(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    return at::linear(
        x.to(at::kDouble), weight.to(at::kDouble), bias.defined() ? bias.to(at::kDouble) : bias);
}

/// A way to compute the product.
class Way {
public:
    Way(const char* name, CpuPath path) : name_(name), path_(path) {}

    explicit Way(const simd::LinearPieces& model) : name_("model of amx"), model_(&model) {}

    [[nodiscard]] const char* name() const { return name_; }

    [[nodiscard]] bool hasTiles() const { return model_ != nullptr || path_ == CpuPath::Amx; }

    /// The cut is that of `threads` where it is a model.
    [[nodiscard]] at::Tensor multiply(const at::Tensor& x,
                                      const at::Tensor& weight,
                                      const at::Tensor& bias,
                                      int64_t threads = 1) const {
        if (model_ == nullptr) {
            CpuPaths paths = defaultCpuPaths();
            paths.product = path_;
            const CpuPathsScope scope(paths);
            return kernels::linear(x, weight, bias);
        }
        const at::Tensor rows = x.contiguous();
        at::Tensor result = at::empty({x.size(0), weight.size(0)});
        const at::Tensor memory = at::empty({model_->numbersOfThread});
        const bool isTransposed = weight.stride(1) != 1;
        const simd::Linear work{
            .rows = x.size(0),
            .in = x.size(1),
            .out = weight.size(0),
            .x = rows.const_data_ptr<float>(),
            .xRow = rows.stride(0),
            .weight = {.data = weight.const_data_ptr(),
                       .type = weight.scalar_type() == at::kHalf ? simd::WeightType::F16
                                                                 : simd::WeightType::BF16},
            .weightRow = weight.stride(isTransposed ? 1 : 0),
            .isTransposed = isTransposed,
            .bias = bias.defined() ? bias.const_data_ptr<float>() : nullptr,
            .result = result.mutable_data_ptr<float>()};
        const simd::LinearCut cut = simd::cutLinear(work, *model_, threads);
        for (int64_t part = cut.parts; part-- > 0;) {  // in any order
            model_->multiply(work, cut, part, part + 1, memory.mutable_data_ptr<float>());
        }
        return result;
    }

private:
    const char* name_;
    CpuPath path_ = CpuPath::Plain;
    const simd::LinearPieces* model_ = nullptr;
};

/// None where the processor has neither.
std::vector<Way> ways() {
    std::vector<Way> all;
    for (const CpuPath path : possibleProductPaths()) {
        if (path == CpuPath::Avx2) {
            all.emplace_back("avx2", path);
            all.emplace_back(modelTilePieces());
        } else if (path != CpuPath::Plain) {
            all.emplace_back(path == CpuPath::Amx ? "amx" : "avx512", path);
        }
    }
    return all;
}

}  // namespace

class ProductsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { at::manual_seed(1); }

    void resultIsNearTheExactOne_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("in");
        QTest::addColumn<int>("out");
        QTest::addRow("one of all") << 1 << 1 << 1;
        QTest::addRow("one row") << 1 << 640 << 320;
        QTest::addRow("cut everywhere") << 13 << 333 << 50;
        QTest::addRow("one more than panels") << 9 << 321 << 385;
        QTest::addRow("one more than tiles") << 33 << 1025 << 257;
        QTest::addRow("one more than parts") << 257 << 33 << 1025;
        QTest::addRow("a prompt") << 154 << 768 << 96;
    }

    void resultIsNearTheExactOne() {
        QFETCH(int, rows);
        QFETCH(int, in);
        QFETCH(int, out);
        const at::Tensor x = at::randn({rows, in});
        const at::Tensor bias = at::randn({out});
        for (const at::ScalarType type : kHalves) {
            const at::Tensor weight = at::randn({out, in}).to(type);
            QVERIFY(possibleCpuPaths().size() == 1 || own::takesProduct(x, weight));
            const at::Tensor exact = exactProduct(x, weight, bias);
            const at::Tensor columns = weight.t().contiguous().t();
            for (const Way& way : ways()) {
                const at::Tensor y = way.multiply(x, weight, bias);

                QCOMPARE(y.sizes().vec(), exact.sizes().vec());
                QVERIFY2(distance(y, exact) < kNoise,
                         qPrintable(QString("%1: %2").arg(way.name()).arg(distance(y, exact))));
                QVERIFY2(distance(way.multiply(x, weight, {}), exact - bias) < kNoise, way.name());
                QVERIFY2(at::equal(way.multiply(x, columns, bias), y), way.name());
                const at::Tensor apart = at::randn({in, rows}).t().copy_(x);
                QVERIFY2(at::equal(way.multiply(apart, weight, bias), y), way.name());
            }
        }
    }

    /// However many threads share it, and whatever other rows and columns there are.
    void cutsChangeNoBit() {
        constexpr int64_t kRows = 300, kOut = 1100;
        const at::Tensor x = at::randn({kRows, 70});
        const at::Tensor bias = at::randn({kOut});
        for (const at::ScalarType type : kHalves) {
            const at::Tensor weight = at::randn({kOut, 70}).to(type);
            for (const Way& way : ways()) {
                const at::Tensor y = way.multiply(x, weight, bias);
                QVERIFY2(at::equal(way.multiply(x, weight, bias, 16), y), way.name());
                const at::Tensor some = way.multiply(
                    x.narrow(0, 5, 40), weight.narrow(0, 32, 50), bias.narrow(0, 32, 50));
                QVERIFY2(at::equal(some, y.narrow(0, 5, 40).narrow(1, 32, 50)), way.name());
            }
        }
    }

    /// Large and tiny numbers together, sums that cancel, denormals: within the bound of a sum of
    /// so many numbers, each rounded once.
    void errorKeepsItsBound() {
        constexpr int64_t kDepth = 700;
        const at::Tensor magnitudes = at::pow(10, at::randint(-12, 4, {40, kDepth}, at::kFloat));
        at::Tensor x = at::randn({40, kDepth}) * magnitudes;
        x.narrow(1, 350, 350).copy_(-x.narrow(1, 0, 350));
        x.select(0, 3).fill_(1e-40);
        x.select(0, 4).fill_(1e-37);
        at::Tensor numbers = at::randn({60, kDepth});
        numbers.narrow(1, 350, 350).copy_(numbers.narrow(1, 0, 350));
        numbers.select(0, 5).fill_(1e-39);
        constexpr double kMost = kRounding * static_cast<double>(kDepth);
        for (const at::ScalarType type : kHalves) {
            const at::Tensor weight = numbers.to(type);
            const at::Tensor exact = exactProduct(x, weight, {});
            const at::Tensor relative = exactProduct(x.abs(), weight.abs(), {}) * kMost;
            const at::Tensor sums = x.to(at::kDouble).abs().sum(1, true) +
                                    weight.to(at::kDouble).abs().sum(1).unsqueeze(0) + kDepth;
            for (const Way& way : ways()) {
                const at::Tensor lost = way.hasTiles()
                                            ? sums * kLeastNormal
                                            : at::full_like(sums, kLeastDenormal * kDepth);
                const at::Tensor y = way.multiply(x, weight, {});
                const at::Tensor error = (y.to(at::kDouble) - exact).abs();
                QVERIFY2((error <= relative + lost).all().item<bool>(), way.name());
            }
        }
    }

    /// As f32 gives them, in the rows and columns that have them alone; and numbers for which bf16
    /// is too small.
    void infinitiesAndNaNAreKept() {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        at::Tensor x = at::randn({300, 50});
        x[3][7] = kInfinity;
        x[4][8] = std::numeric_limits<float>::quiet_NaN();
        x[280][9] = std::numeric_limits<float>::max();
        for (const at::ScalarType type : kHalves) {
            at::Tensor weight = at::rand({60, 50}).add_(1.0e-3).mul_(0.01).to(type);
            weight[9][7] = 0;
            weight[40][1] = kInfinity;
            const at::Tensor numbers = weight.to(at::kFloat);
            const at::Tensor wanted = at::linear(x, numbers);
            for (const Way& way : ways()) {
                const at::Tensor y = way.multiply(x, weight, {});
                QVERIFY2(at::equal(at::isnan(y), at::isnan(wanted)), way.name());
                QVERIFY2(at::equal(at::isinf(y), at::isinf(wanted)), way.name());
                QVERIFY2(at::isnan(y[3][9]).item<bool>(), way.name());
                const at::Tensor plain = y.narrow(0, 280, 1).narrow(1, 0, 30);
                const at::Tensor exact =
                    exactProduct(x.narrow(0, 280, 1), numbers.narrow(0, 0, 30), {});
                QVERIFY2(distance(plain, exact) < kNoise, way.name());
            }
        }
    }
};

LOWTIDE_TEST(ProductsTest)

}  // namespace products_test

}  // namespace lowtide::tensor

#include "products_test.moc"
