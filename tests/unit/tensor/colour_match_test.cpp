#include "plugin/base/json.hpp"
#include "plugin/image/colours.hpp"
#include "plugin/tensor/image_filters.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

namespace lowtide::tensor::colour_match_test {

namespace {

constexpr const char* kScript = "tests/unit/tensor/make_finish_goldens.py";
/// scikit-image cuts to whole levels, we round; it computes L*a*b* in f64, we in f32.
constexpr int kMostLevels = 1;

at::Tensor pixelsOf(const at::Tensor& levels) {
    return levels.permute({2, 0, 1}).unsqueeze(0).to(at::kFloat) / 255;
}

at::Tensor waves(int64_t height, int64_t width) {
    return at::sin(at::arange(3 * height * width, at::kFloat) * 0.07)
        .mul_(0.3)
        .add_(0.5)
        .view({1, 3, height, width});
}

}  // namespace

class ColourMatchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void matchesAsTheReferenceDoes_data() {
        QTest::addColumn<QString>("method");
        const testing::PythonGolden golden(kScript);
        for (const Json& name : parseJson(golden.text("match"), "cases")) {
            for (const char* method : {"histogram", "statistics"}) {
                QTest::addRow("%s.%s", name.get<std::string>().c_str(), method) << method;
            }
        }
    }

    void matchesAsTheReferenceDoes() {
        QFETCH(QString, method);
        const testing::PythonGolden golden(kScript);
        const std::string row = QTest::currentDataTag();
        const std::string name = row.substr(0, row.rfind('.'));
        const at::Tensor pixels = pixelsOf(golden.tensor(name + ".in"));
        const at::Tensor reference = pixelsOf(golden.tensor(name + ".reference"));
        const at::Tensor result = method == "histogram" ? histogramMatched(pixels, reference)
                                                        : statisticsMatched(pixels, reference);
        const at::Tensor levels = image8Tensor(result)[0].to(at::kInt);
        const at::Tensor expected = golden.tensor(row).to(at::kInt);
        const int farthest = (levels - expected).abs().max().item<int>();
        QVERIFY2(farthest <= kMostLevels, qPrintable(QString::number(farthest)));
    }

    void anImageMatchesItself() {
        const at::Tensor pixels = (waves(30, 40) * 255).round() / 255;
        QVERIFY(at::allclose(histogramMatched(pixels, pixels), pixels, 0, 1e-5));
        QVERIFY(at::allclose(statisticsMatched(pixels, pixels), pixels, 0, 1e-5));
    }

    /// Neighbouring values between two levels remain apart.
    void doesNotRound() {
        const at::Tensor pixels = waves(30, 40);
        const at::Tensor matched = histogramMatched(pixels, waves(20, 30) * 0.7);
        const auto distinct = [](const at::Tensor& values) {
            return std::get<0>(at::_unique(values)).numel();
        };
        QVERIFY(distinct(matched) > 500);
    }

    void coloursAreThoseOfTheImageLibrary() {
        const at::Tensor pixels = waves(5, 7);
        const at::Tensor lab = labOf(pixels);
        QVERIFY(at::allclose(rgbOf(lab), pixels, 0, 2e-6));
        for (int64_t x = 0; x < 7; ++x) {
            const auto value = [&](const at::Tensor& tensor, int64_t channel) {
                return tensor[0][channel][2][x].item<double>();
            };
            const image::Lab expected = image::labOfSrgb(
                255 * value(pixels, 0), 255 * value(pixels, 1), 255 * value(pixels, 2));
            QVERIFY(std::abs(value(lab, 0) - expected.lightness) < 1e-3);
            QVERIFY(std::abs(value(lab, 1) - expected.a) < 1e-3);
            QVERIFY(std::abs(value(lab, 2) - expected.b) < 1e-3);
        }
    }
};

LOWTIDE_TEST(ColourMatchTest)

}  // namespace lowtide::tensor::colour_match_test

#include "colour_match_test.moc"
