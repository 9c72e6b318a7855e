// Gates and predictors against diffusers 0.42.1 and plain forms in Python: same steps, same bits.

#include "plugin/base/json.hpp"
#include "plugin/sampling/step_caches/gates/mag_curve.hpp"
#include "plugin/sampling/step_caches/gates/reuse_decision.hpp"
#include "plugin/sampling/step_caches/gates/step_gate.hpp"
#include "plugin/sampling/step_caches/step_changes.hpp"
#include "plugin/sampling/step_caches/step_predictor.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

#include <optional>

namespace lowtide::sampling::step_cache_golden_test {

namespace {

/// The fit of the reference is in float64, by another method.
constexpr double kFitTolerance = 1e-9;

std::vector<double> doublesOf(const at::Tensor& values) {
    const double* begin = values.const_data_ptr<double>();
    return {begin, begin + values.numel()};
}

/// Takes or computes one step, as the decision states, and compares with the reference.
struct Replay {
    ReuseDecision& decision;
    StepPredictor& predictor;

    /// `base` + what the predictor gives must be `out` where the reference reused.
    void step(const GateStep& step, const at::Tensor& base, const at::Tensor& out, bool reused) {
        if (QTest::currentTestFailed()) {
            return;  // all after the first difference differs
        }
        const bool wants = predictor.isReady() && decision.wantsReuse(step);
        QVERIFY2(wants == reused, qPrintable(QString("step %1").arg(step.step)));
        if (wants) {
            QVERIFY(at::equal(base + predictor.predict(step.step), out));
            decision.noteReused(step);
            return;
        }
        predictor.observe(step.step, out - base);
        decision.noteComputed(step);
    }
};

}  // namespace

class StepCacheGoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        golden_.emplace("tests/unit/sampling/make_step_cache_goldens.py");
        cases_ = parseJson(golden_->text("cases"), "cases");
    }

    void firstBlockReusesAsTheReference_data() { addRows("first_block", 18); }

    void firstBlockReusesAsTheReference() {
        const Json& item = fetchedCase();
        ReuseLimits limits{.warmUp = item.value("warmUp", 0)};
        if (item.contains("most") && !item["most"].is_null()) {
            limits.mostInARow = item["most"].get<int>();
        }
        ReuseDecision decision(firstBlockGate(item["threshold"].get<double>()), limits);
        const auto predictor = reusePredictor();
        Replay replay{decision, *predictor};
        const at::Tensor in = tensorOf(item, "in");
        const at::Tensor probe = tensorOf(item, "probe");
        const at::Tensor out = tensorOf(item, "out");
        at::Tensor before;
        for (int i = 0; i < stepsOf(item); ++i) {
            const at::Tensor added = probe[i] - in[i];
            GateStep step{.step = i, .stepCount = stepsOf(item)};
            if (before.defined()) {
                step.change = relativeChange(added, before);
            }
            const bool reused = isReused(item, i);
            replay.step(step, probe[i], out[i], reused);
            before = reused ? before : added;
        }
    }

    void magReusesAsTheReference_data() { addRows("mag", 40); }

    void magReusesAsTheReference() {
        const Json& item = fetchedCase();
        const int steps = stepsOf(item);
        const MagCurve curve{.checkpoint = {},
                             .scheduler = {},
                             .ratios = doublesOf(golden_->tensor(item["curve"].get<std::string>())),
                             .check = {}};
        ReuseDecision decision(magGate({.threshold = item["threshold"].get<double>(),
                                        .mostSkips = item["most"].get<int>(),
                                        .keptFraction = item["kept"].get<double>()},
                                       curve.ratiosFor(steps)),
                               {});
        const auto predictor = reusePredictor();
        Replay replay{decision, *predictor};
        const at::Tensor in = tensorOf(item, "in");
        const at::Tensor out = tensorOf(item, "out");
        for (int i = 0; i < steps; ++i) {
            replay.step({.step = i, .stepCount = steps}, in[i], out[i], isReused(item, i));
        }
    }

    void taylorForetellsAsTheReference_data() { addRows("taylor", 8); }

    void taylorForetellsAsTheReference() {
        const Json& item = fetchedCase();
        const at::Tensor out = tensorOf(item, "out");
        const auto predictor = taylorPredictor();
        for (int i = 0; i < stepsOf(item); ++i) {
            if (isReused(item, i)) {
                QVERIFY(at::equal(predictor->predict(i), out[i]));
            } else {
                predictor->observe(i, out[i]);
            }
        }
    }

    void outputChangesAreForetoldAsTheReference_data() { addRows("easy", 4); }

    void outputChangesAreForetoldAsTheReference() {
        const Json& item = fetchedCase();
        const int steps = stepsOf(item);
        ReuseDecision decision(
            outputChangeGate({.threshold = item["threshold"].get<double>(),
                              .active = {item["begin"].get<double>(), item["end"].get<double>()}}),
            {});
        const auto predictor = reusePredictor();
        Replay replay{decision, *predictor};
        OutputChange change;
        const at::Tensor in = tensorOf(item, "in");
        const at::Tensor out = tensorOf(item, "out");
        const std::vector<double> expected = doublesOf(tensorOf(item, "expected"));
        for (int i = 0; i < steps; ++i) {
            const GateStep step{.step = i, .stepCount = steps, .change = change.expected(in[i])};
            const double wanted = expected[static_cast<size_t>(i)];
            QVERIFY(step.change == wanted || (std::isnan(step.change) && std::isnan(wanted)));
            const bool reused = isReused(item, i);
            replay.step(step, in[i], out[i], reused);
            if (!reused) {
                change.observe(in[i], out[i]);
            }
        }
    }

    void windowsAreThoseOfTheReference_data() { addRows("window", 20); }

    void windowsAreThoseOfTheReference() {
        const Json& item = fetchedCase();
        const auto gate = windowGate({.window = item["window"].get<double>(),
                                      .growth = item["growth"].get<double>(),
                                      .warmUp = item["warmUp"].get<int>(),
                                      .stopFraction = item["stop"].get<double>()});
        for (int i = 0; i < stepsOf(item); ++i) {
            const GateStep step{.step = i, .stepCount = stepsOf(item)};
            const bool reused = isReused(item, i);
            QVERIFY2(gate->wantsReuse(step) == reused, qPrintable(QString("step %1").arg(i)));
            reused ? gate->noteReused(step) : gate->noteComputed(step);
        }
    }

    void spectrumFitsAsLeastSquares_data() { addRows("spectrum", 20); }

    void spectrumFitsAsLeastSquares() {
        const Json& item = fetchedCase();
        const auto predictor = spectrumPredictor({.begin = item["begin"].get<double>(),
                                                  .end = item["end"].get<double>(),
                                                  .degree = item["degree"].get<int>(),
                                                  .ridge = item["ridge"].get<double>(),
                                                  .weight = item["weight"].get<double>()});
        const std::vector<double> times = doublesOf(tensorOf(item, "times"));
        const at::Tensor values = tensorOf(item, "values");
        for (size_t i = 0; i < times.size(); ++i) {
            predictor->observe(times[i], values[static_cast<int64_t>(i)]);
        }

        const double distance = testing::relativeL2(predictor->predict(item["time"].get<double>()),
                                                    tensorOf(item, "predicted"));

        QVERIFY2(distance < kFitTolerance, qPrintable(QString::number(distance)));
    }

    void curvesStretchAsTheReference() {
        const at::Tensor positions = golden_->tensor("nearest");
        const auto found = positions.accessor<int64_t, 3>();
        int different = 0;
        for (int length = 1; length <= positions.size(0); ++length) {
            MagCurve curve;
            for (int i = 0; i < length; ++i) {
                curve.ratios.push_back(i);
            }
            for (int count = 1; count <= positions.size(1); ++count) {
                const std::vector<double> mine = curve.ratiosFor(count);
                QCOMPARE(mine.size(), static_cast<size_t>(count));
                for (int i = 0; i < count; ++i) {
                    const auto expected = static_cast<double>(found[length - 1][count - 1][i]);
                    different += mine[static_cast<size_t>(i)] == expected ? 0 : 1;
                }
            }
        }
        QCOMPARE(different, 0);
    }

    void lengthsCompareAsTheReference() {
        const at::Tensor values = golden_->tensor("lengths/values");
        const std::vector<double> expected = doublesOf(golden_->tensor("lengths/ratios"));
        for (int64_t i = 1; i < values.size(0); ++i) {
            const at::Tensor ratio = lengthRatio(values[i], values[i - 1], -1);
            QCOMPARE(ratio.item<double>(), expected[static_cast<size_t>(i)]);
        }
    }

    void cleanupTestCase() { golden_.reset(); }

private:
    void addRows(const std::string& kind, int expected) {
        QTest::addColumn<size_t>("index");
        int rows = 0;
        for (size_t i = 0; i < cases_.size(); ++i) {
            if (cases_[i]["kind"] == kind) {
                QTest::newRow(cases_[i]["name"].get<std::string>().c_str()) << i;
                ++rows;
            }
        }
        QCOMPARE(rows, expected);
    }

    const Json& fetchedCase() {
        QFETCH(size_t, index);
        return cases_[index];
    }

    static int stepsOf(const Json& item) { return item["steps"].get<int>(); }

    [[nodiscard]] at::Tensor tensorOf(const Json& item, const char* key) const {
        return golden_->tensor(item["name"].get<std::string>() + "/" + key);
    }

    [[nodiscard]] bool isReused(const Json& item, int step) const {
        return tensorOf(item, "reused").const_data_ptr<bool>()[step];
    }

    std::optional<testing::PythonGolden> golden_;
    Json cases_;
};

LOWTIDE_TEST(StepCacheGoldenTest)

}  // namespace lowtide::sampling::step_cache_golden_test

#include "step_cache_golden_test.moc"
