// The arithmetic below the schedules, against scipy and numpy.

#include "plugin/sampling/noise_schedule.hpp"
#include "plugin/sampling/reference_math.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

#include <cmath>

namespace lowtide::sampling::schedule_math_test {

namespace {

constexpr double kQuantileTolerance = 1e-12;
constexpr const char* kScript = "tests/unit/sampling/make_scheduler_goldens.py";

}  // namespace

class ScheduleMathTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void betaQuantilesAreThoseOfScipy() {
        const at::Tensor rows = testing::PythonGolden(kScript).tensor("beta_quantiles");
        const auto row = rows.accessor<double, 2>();
        double farthest = 0;
        for (int64_t i = 0; i < row.size(0); ++i) {
            const double quantile = inverseIncompleteBeta(row[i][0], row[i][1], row[i][2]);
            farthest = std::max(farthest, std::abs(quantile - row[i][3]));
        }
        QVERIFY2(farthest < kQuantileTolerance, qPrintable(QString::number(farthest)));
    }

    void betaQuantileInvertsTheDistribution() {
        for (const double x : {0.001, 0.2, 0.5, 0.77, 0.999}) {
            const double back = inverseIncompleteBeta(incompleteBeta(x, 0.6, 0.6), 0.6, 0.6);
            QVERIFY(std::abs(back - x) < kQuantileTolerance);
        }
        QCOMPARE(inverseIncompleteBeta(0, 0.6, 0.6), 0.0);
        QCOMPARE(inverseIncompleteBeta(1, 0.6, 0.6), 1.0);
    }

    void logarithmHasTheBitsOfNumpy() {
        const testing::PythonGolden golden(kScript);
        const at::Tensor values = golden.tensor("log.in");
        const at::Tensor expected = golden.tensor("log.out");
        const float* in = values.const_data_ptr<float>();
        const float* out = expected.const_data_ptr<float>();
        int different = 0;
        for (int64_t i = 0; i < values.numel(); ++i) {
            different += numpy::log(in[i]) == out[i] ? 0 : 1;
        }
        QCOMPARE(different, 0);
    }

    void alphasCumprodAreThoseOfTheReference_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<bool>("zeroSnr");
        for (const char* kind : {"linear", "scaled_linear", "squaredcos_cap_v2"}) {
            for (const bool zeroSnr : {false, true}) {
                QTest::addRow("%s %d", kind, zeroSnr) << kind << zeroSnr;
            }
        }
    }

    void alphasCumprodAreThoseOfTheReference() {
        QFETCH(QString, kind);
        QFETCH(bool, zeroSnr);
        const QString key = QString("shares.%1.%2").arg(kind).arg(zeroSnr ? 1 : 0);
        const at::Tensor expected = testing::PythonGolden(kScript).tensor(key.toStdString());
        const auto alphas = alphasCumprod({.betaStart = 0.00085,
                                           .betaEnd = 0.012,
                                           .kind = kind.toStdString(),
                                           .betas = {},
                                           .zeroTerminalSnr = zeroSnr});
        const at::Tensor mine = at::tensor(alphas);
        QVERIFY2(at::equal(mine, expected),
                 qPrintable(QString("%1 differ by up to %2")
                                .arg(at::sum(mine != expected).item<int64_t>())
                                .arg(at::max(at::abs(mine - expected)).item<double>())));
    }

    void linspaceEndsExactly() {
        const auto values = numpy::linspace(0, 999, 7);
        QCOMPARE(values.size(), 7U);
        QCOMPARE(values.front(), 0.0);
        QCOMPARE(values.back(), 999.0);
        QCOMPARE(numpy::linspace(3, 5, 1), std::vector<double>{3.0});
    }

    void fallingRangeHasNoSurplusStep() {
        // ceil(1000 / (1000 / 61)) is 62 in floating point.
        QCOMPARE(numpy::fallingRange(1000, 1000.0 / 61, 61).size(), 61U);
        QCOMPARE(numpy::fallingRange(1000, 300, 10), (std::vector<double>{1000, 700, 400, 100}));
    }

    void interpolationContinuesTheEnds() {
        const std::vector<float> table = {1, 3, 7};
        QCOMPARE(numpy::interpolate(-1, table), 1.0);
        QCOMPARE(numpy::interpolate(0.5, table), 2.0);
        QCOMPARE(numpy::interpolate(1, table), 3.0);
        QCOMPARE(numpy::interpolate(1.25, table), 4.0);
        QCOMPARE(numpy::interpolate(5, table), 7.0);
    }

    void zeroTerminalSnrLeavesNoSignal() {
        NoiseSchedule schedule{.kind = "scaled_linear", .zeroTerminalSnr = true};
        schedule.betaStart = 0.00085;
        schedule.betaEnd = 0.012;
        const auto alphas = alphasCumprod(schedule);
        QCOMPARE(alphas.size(), 1000U);
        QCOMPARE(alphas.back(), 0.0F);
        QVERIFY(std::abs(alphas.front() - (1 - 0.00085F)) < 1e-6F);  // the first is as it was
        QCOMPARE(positiveAlphasCumprod(schedule).back(), 0x1p-24F);
        QVERIFY(std::is_sorted(alphas.rbegin(), alphas.rend()));
    }
};

LOWTIDE_TEST(ScheduleMathTest)

}  // namespace lowtide::sampling::schedule_math_test

#include "schedule_math_test.moc"
