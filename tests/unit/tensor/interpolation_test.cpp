#include "plugin/base/json.hpp"
#include "plugin/tensor/resample.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

#include <map>

namespace lowtide::tensor::interpolation_test {

namespace {

using kernels::Interpolation;

/// For f32: sums in another order; bislerp against float64, whose positions are exact.
constexpr double kFilterError = 1e-6;
constexpr double kArcError = 1e-5;

const std::map<std::string, Interpolation> kMethods = {
    {"nearest-exact", Interpolation::NearestExact},
    {"bilinear", Interpolation::Bilinear},
    {"bicubic", Interpolation::Bicubic},
    {"area", Interpolation::Area},
    {"bislerp", Interpolation::Bislerp}};

}  // namespace

class InterpolationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void givesTheReferencesLatents_data() {
        const testing::Rows<QString, int, int> row("method", "height", "width");
        const testing::PythonGolden golden(kScript);
        for (const Json& item : parseJson(golden.text("cases"), "cases")) {
            row(item["name"].get<std::string>().c_str(),
                QString::fromStdString(item["method"]),
                item["height"].get<int>(),
                item["width"].get<int>());
        }
    }

    void givesTheReferencesLatents() {
        QFETCH(QString, method);
        QFETCH(int, height);
        QFETCH(int, width);
        const testing::PythonGolden golden(kScript);
        const std::string name = QTest::currentDataTag();
        const at::Tensor truth = golden.tensor(name + ".out");

        const at::Tensor made = kernels::interpolate(
            golden.tensor(name + ".in"), height, width, kMethods.at(method.toStdString()));

        QCOMPARE(made.sizes().vec(), truth.sizes().vec());
        const double error = testing::relativeL2(made, truth);
        QVERIFY2(error <= (method == "bislerp" ? kArcError : kFilterError),
                 qPrintable(QString::number(error)));
    }

    void nearestMovesValuesAsTheyAre() {
        const at::Tensor x = at::randn({1, 4, 6, 10});
        const at::Tensor larger = kernels::interpolate(x, 12, 30, Interpolation::NearestExact);
        QVERIFY(at::equal(larger, x.repeat_interleave(2, 2).repeat_interleave(3, 3)));
    }

    void bislerpKeepsLengths() {
        const at::Tensor x = at::randn({1, 4, 8, 8});
        const at::Tensor unit = x / x.norm(2, {1}, true);
        const at::Tensor larger = kernels::interpolate(unit, 21, 13, Interpolation::Bislerp);
        QVERIFY(at::allclose(larger.norm(2, {1}), at::ones({1, 21, 13}), 0, 1e-5));
    }

    void latentsOfOneValueRemainFinite() {
        for (const auto& [name, method] : kMethods) {
            for (const double value : {0.0, -2.5}) {
                const at::Tensor flat = at::full({1, 4, 5, 5}, value);
                const at::Tensor larger = kernels::interpolate(flat, 9, 3, method);
                QVERIFY2(at::allclose(larger, at::full({1, 4, 9, 3}, value), kArcError, 0),
                         name.c_str());
            }
        }
    }

    void sameSizeIsACopy() {
        const at::Tensor x = at::randn({1, 4, 5, 5});
        const at::Tensor same = kernels::interpolate(x, 5, 5, Interpolation::Bicubic);
        QVERIFY(at::equal(same, x));
        QVERIFY(same.const_data_ptr() != x.const_data_ptr());
    }

private:
    static constexpr const char* kScript = "tests/unit/tensor/make_interpolation_goldens.py";
};

LOWTIDE_TEST(InterpolationTest)

}  // namespace lowtide::tensor::interpolation_test

#include "interpolation_test.moc"
