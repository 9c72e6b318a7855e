#include "plugin/base/json.hpp"
#include "plugin/tensor/image_filters.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

namespace lowtide::tensor::unsharp_mask_test {

namespace {

constexpr const char* kScript = "tests/unit/tensor/make_finish_goldens.py";
/// Pillow cuts what it adds to a whole level, we round.
constexpr int kMostLevels = 1;

at::Tensor pixelsOf(const at::Tensor& levels) {
    return levels.permute({2, 0, 1}).unsqueeze(0).to(at::kFloat) / 255;
}

}  // namespace

class UnsharpMaskTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void sharpensAsPillowDoes_data() {
        const testing::Rows<double, double, double> row("radius", "percent", "threshold");
        const testing::PythonGolden golden(kScript);
        for (const Json& item : parseJson(golden.text("sharpen"), "cases")) {
            row(item["name"].get<std::string>().c_str(),
                item["radius"].get<double>(),
                item["percent"].get<double>(),
                item["threshold"].get<double>());
        }
    }

    void sharpensAsPillowDoes() {
        QFETCH(double, radius);
        QFETCH(double, percent);
        QFETCH(double, threshold);
        const testing::PythonGolden golden(kScript);
        const std::string name = QTest::currentDataTag();
        const at::Tensor result =
            sharpened(pixelsOf(golden.tensor(name + ".in")),
                      {.radius = radius, .percent = percent, .threshold = threshold});
        const at::Tensor levels = image8Tensor(result)[0].to(at::kInt);
        const at::Tensor expected = golden.tensor(name + ".out").to(at::kInt);
        const int farthest = (levels - expected).abs().max().item<int>();
        QVERIFY2(farthest <= kMostLevels, qPrintable(QString::number(farthest)));
    }

    void keepsEveryImageOfABatchApart() {
        const at::Tensor batch = at::sin(at::arange(2 * 3 * 20 * 30, at::kFloat) * 0.3)
                                     .mul_(0.4)
                                     .add_(0.5)
                                     .view({2, 3, 20, 30});
        const at::Tensor both = sharpened(batch, {});
        QVERIFY(!at::equal(both, batch));
        for (int64_t i = 0; i < 2; ++i) {
            QVERIFY(at::equal(both.narrow(0, i, 1), sharpened(batch.narrow(0, i, 1), {})));
        }
    }

    /// An image that is not rounded keeps what lies between levels.
    void doesNotRound() {
        const at::Tensor flat = at::full({1, 3, 9, 9}, 0.5017F);
        QVERIFY(at::allclose(sharpened(flat, {.threshold = 1}), flat, 0, 1e-6));
    }
};

LOWTIDE_TEST(UnsharpMaskTest)

}  // namespace lowtide::tensor::unsharp_mask_test

#include "unsharp_mask_test.moc"
