// Foretold tensors where the right answer is known, and what is kept of them.

#include "plugin/base/error.hpp"
#include "plugin/sampling/step_caches/step_changes.hpp"
#include "plugin/sampling/step_caches/step_predictor.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

#include <cmath>

namespace lowtide::sampling::step_predictors_test {

namespace {

/// Uneven, as noise levels of a schedule are.
constexpr double kTimes[] = {-2.5, -1.75, -1.25, 0.25, 0.5, 1.5, 1.875, 2.5};
constexpr double kAhead = 3.5;
constexpr SpectrumSettings kExact{.begin = -3, .end = 4, .degree = 3, .ridge = 1e-12, .weight = 1};
/// A ridge of 1e-12 on sums near 1 leaves relative errors near it; the factors amplify them.
constexpr double kFitTolerance = 1e-6;

at::Tensor field(double scale) {
    return at::cos(at::arange(60, at::kDouble) * scale).view({3, 4, 5});
}

/// a + b t + c t^2 + d t^3 with tensors for factors, up to `degree`.
at::Tensor polynomial(double t, int degree) {
    at::Tensor sum = field(0.3);
    for (int power = 1; power <= degree; ++power) {
        sum = sum + field(0.3 + power) * std::pow(t, power);
    }
    return sum;
}

double farthest(const at::Tensor& a, const at::Tensor& b) {
    return at::max(at::abs(a - b)).item<double>();
}

std::unique_ptr<StepPredictor> predictorNamed(const QString& name) {
    if (name == "reuse") {
        return reusePredictor();
    }
    return name == "taylor" ? taylorPredictor() : spectrumPredictor({.begin = -3, .end = 4});
}

}  // namespace

class StepPredictorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void taylorIsExactOnLines() {
        const auto predictor = taylorPredictor();
        for (const double time : kTimes) {
            predictor->observe(time, polynomial(time, 1));
        }

        QVERIFY(farthest(predictor->predict(kAhead), polynomial(kAhead, 1)) < 1e-13);
    }

    void taylorGivesTheOneValueThatItKnows() {
        const auto predictor = taylorPredictor();
        QVERIFY(!predictor->isReady());
        predictor->observe(1, field(1));

        QVERIFY(predictor->isReady());
        QVERIFY(at::equal(predictor->predict(9), field(1)));
    }

    void spectrumIsExactOnPolynomials_data() {
        QTest::addColumn<int>("degree");
        for (const int degree : {0, 1, 2, 3}) {
            QTest::addRow("degree %d", degree) << degree;
        }
    }

    void spectrumIsExactOnPolynomials() {
        QFETCH(int, degree);
        const auto predictor = spectrumPredictor(kExact);
        for (const double time : kTimes) {
            predictor->observe(time, polynomial(time, degree));
        }

        const at::Tensor expected = polynomial(kAhead, degree);
        const double scale = at::max(at::abs(expected)).item<double>();
        QVERIFY(farthest(predictor->predict(kAhead), expected) < kFitTolerance * scale);
    }

    void spectrumOfFewValuesIsOfLowerDegree() {
        for (const int count : {2, 3}) {
            const auto predictor = spectrumPredictor(kExact);
            for (int i = 0; i < count; ++i) {
                predictor->observe(kTimes[i], polynomial(kTimes[i], count - 1));
            }

            QVERIFY(farthest(predictor->predict(0), polynomial(0, count - 1)) < kFitTolerance);
        }
    }

    void spectrumLeavesWhatDoesNotChange() {
        const SpectrumSettings settings{.begin = -3, .end = 4, .ridge = 100, .weight = 1};

        const std::vector<double> factors = spectrumFactors(settings, {kTimes, kTimes + 6}, kAhead);

        double sum = 0;
        for (const double factor : factors) {
            sum += factor;
        }
        QVERIFY(std::abs(sum - 1) < 1e-14);
    }

    void aStrongRidgeGivesTheNewest() {
        const SpectrumSettings settings{.begin = -3, .end = 4, .ridge = 1e6, .weight = 1};

        const std::vector<double> factors = spectrumFactors(settings, {kTimes, kTimes + 6}, kAhead);

        QVERIFY(std::abs(factors.back() - 1) < 1e-4);
    }

    void aValueOfTheSameTimeReplacesTheNewest() {
        for (const char* name : {"taylor", "spectrum"}) {
            const auto predictor = predictorNamed(name);
            const auto clean = predictorNamed(name);
            for (const double time : {0.0, 1.0}) {
                predictor->observe(time, field(time + 3));
                predictor->observe(time, field(time));
                clean->observe(time, field(time));
            }

            QCOMPARE(predictor->held().size(), size_t{2});
            QVERIFY(at::equal(predictor->predict(2), clean->predict(2)));
        }
    }

    void keepsNoMoreThanItReports_andWritesToNothing_data() {
        const testing::Rows<QString, int> row("name", "most");
        row("reuse", "reuse", 1);
        row("taylor", "taylor", 2);
        row("spectrum", "spectrum", 6);
    }

    void keepsNoMoreThanItReports_andWritesToNothing() {
        QFETCH(QString, name);
        QFETCH(int, most);
        const auto predictor = predictorNamed(name);
        QCOMPARE(predictor->mostHeld(), most);
        QVERIFY(predictor->held().empty());
        std::vector<at::Tensor> values;

        int seen = 0;
        for (const double time : kTimes) {
            values.push_back(field(time));
            predictor->observe(time, values.back());
            ++seen;
            if (predictor->isReady()) {
                (void)predictor->predict(time + 0.1);
            }
            QCOMPARE(static_cast<int>(predictor->held().size()), std::min(seen, most));
        }

        for (size_t i = 0; i < values.size(); ++i) {
            QVERIFY(at::equal(values[i], field(kTimes[i])));
        }
        for (size_t i = 0; i + static_cast<size_t>(most) < values.size(); ++i) {
            QCOMPARE(values[i].use_count(), size_t{1});  // forgotten
        }
    }

    void makesSpaceForOneMore_andForetellsTheSame_data() {
        keepsNoMoreThanItReports_andWritesToNothing_data();
    }

    void makesSpaceForOneMore_andForetellsTheSame() {
        QFETCH(QString, name);
        QFETCH(int, most);
        const auto predictor = predictorNamed(name);
        const auto other = predictorNamed(name);
        for (const double time : kTimes) {
            predictor->makeSpace();
            QVERIFY(static_cast<int>(predictor->held().size()) < most);
            predictor->observe(time, field(time));
            other->observe(time, field(time));
        }

        QVERIFY(at::equal(predictor->predict(kAhead), other->predict(kAhead)));
    }

    void refusesSettingsOfSpectrum() {
        const std::pair<SpectrumSettings, const char*> wrong[] = {
            {{.degree = 0}, "degree"},
            {{.degree = 6}, "degree"},
            {{.ridge = 0}, "ridge"},
            {{.ridge = std::nan("")}, "ridge"},
            {{.weight = 1.5}, "weight"}};
        for (const auto& [settings, item] : wrong) {
            try {
                (void)spectrumPredictor(settings);
                QFAIL(item);
            } catch (const Error& error) {
                QCOMPARE(error.item(), std::string(item));
            }
        }
    }

    void timeIsTheLogarithmOfSigma() {
        QCOMPARE(*logSigmaTime(std::exp(2.0)), -2.0);
        QVERIFY(*logSigmaTime(0.1) > *logSigmaTime(10));
        for (const double sigma : {0.0, -1.0, double(INFINITY), std::nan("")}) {
            QVERIFY(!logSigmaTime(sigma));
        }
    }

    void changeOfNothingIsNotFinite() {
        QVERIFY(!std::isfinite(relativeChange(field(1), at::zeros_like(field(1)))));
        QVERIFY(!std::isfinite(relativeChange(field(1) * std::nan(""), field(1))));
    }

    void outputsAreExpectedToMoveAsTheyDid() {
        OutputChange change;
        QVERIFY(std::isnan(change.expected(field(1))));
        change.observe(at::ones({8}), at::ones({8}) * 10);
        QVERIFY(std::isnan(change.expected(at::ones({8}) * 2)));  // one step gives no rate
        change.observe(at::ones({8}) * 2, at::ones({8}) * 40);    // inputs by 1, outputs by 30

        QCOMPARE(change.expected(at::ones({8}) * 4), 2 * 30 / 40.0);

        QCOMPARE(change.held().size(), size_t{2});
        change.reset();
        QVERIFY(change.held().empty());
        QVERIFY(std::isnan(change.expected(at::ones({8}) * 4)));
    }

    void aRateOfEqualInputsIsNotFinite() {
        OutputChange change;
        change.observe(at::ones({8}), at::ones({8}));
        change.observe(at::ones({8}), at::ones({8}) * 2);

        QVERIFY(!std::isfinite(change.expected(at::ones({8}) * 3)));
    }
};

LOWTIDE_TEST(StepPredictorsTest)

}  // namespace lowtide::sampling::step_predictors_test

#include "step_predictors_test.moc"
