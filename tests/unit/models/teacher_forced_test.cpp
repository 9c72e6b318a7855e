// What step caches and types do to the predictions of a trained network: every call on the latents
// of the exact run, so that errors do not mix with where they lead.

#include "plugin/nn/denoisers/unet2d_config.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/exact_run.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <array>
#include <map>

namespace teacher_forced_test {

using namespace lowtide;
using testing::ExactRun;

namespace {

constexpr int kDeepest = 9;  ///< three depths for each of the mini model's levels
constexpr std::array<int, 3> kIntervals = {2, 3, 5};

/// Whether the mini model is cut elsewhere than at the depth before. It has one unit in a level, so
/// of three depths the last two, and all behind the last level, are one cut.
constexpr bool isOwnCut(int depth) {
    return depth <= 7 && depth % 3 != 2;
}

/// Most that a mean error may be: design and issue, by what is stored and computed.
constexpr double kMostHalf = 5e-3;
constexpr double kMostBrain = 4e-2;
constexpr double kMostF8 = 0.15;

std::shared_ptr<const sampling::StepCache> deepCache(int interval, int depth) {
    return sampling::stepCacheNamed("deepcache").make({{"interval", interval}, {"depth", depth}});
}

}  // namespace

class TeacherForcedTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ExactRun> mini_;
    std::map<std::pair<int, int>, double> means_;
    std::map<std::string, Json> ofTypes_;

    double meanError(int interval, int depth) {
        const auto [known, isNew] = means_.try_emplace({interval, depth}, 0);
        if (isNew) {
            known->second = mini_->measured(deepCache(interval, depth)).at("mean").get<double>();
        }
        return known->second;
    }

    /// Without a cache.
    const Json& errorsOf(const std::string& precision) {
        const auto [known, isNew] = ofTypes_.try_emplace(precision);
        if (isNew) {
            known->second = mini_->measured(nullptr, precision);
        }
        return known->second;
    }

private Q_SLOTS:

    void initTestCase() { mini_ = std::make_unique<ExactRun>("mini"); }

    void cleanupTestCase() { mini_.reset(); }

    void theExactRunHasNoError() {
        const Json& reported = errorsOf(ExactRun::kPrecision);
        QCOMPARE(reported.at("errors"), Json(std::vector<double>(ExactRun::kSteps, 0)));
        QCOMPARE(reported.at("worst"), Json(0.0));
        QVERIFY(mini_->hasArrived());
    }

    /// Full steps are exact, and the way ends where the exact one does.
    void onlyPartialStepsHaveErrors() {
        const Json reported = mini_->measured(deepCache(5, 0));
        for (int call = 0; call < ExactRun::kSteps; ++call) {
            const double error = reported.at("errors").at(static_cast<size_t>(call)).get<double>();
            QVERIFY2((error == 0) == (call % 5 == 0), qPrintable(QString::number(call)));
        }
        QCOMPARE(reported.at("steps").at("full"), Json(4));
        QVERIFY(mini_->hasArrived());
    }

    void theErrorRisesWithTheInterval_data() {
        QTest::addColumn<int>("depth");
        for (int depth = 0; depth <= kDeepest; ++depth) {
            if (testing::isFullTest() || isOwnCut(depth)) {
                QTest::addRow("depth %d", depth) << depth;
            }
        }
    }

    void theErrorRisesWithTheInterval() {
        QFETCH(int, depth);
        const double two = meanError(2, depth);
        const double three = meanError(3, depth);
        const double five = meanError(5, depth);
        qInfo("depth %d: intervals 2, 3, 5: %.4f %.4f %.4f", depth, two, three, five);
        QVERIFY(0 < two && two < three && three < five);
    }

    void theErrorFallsWithTheDepth_data() {
        QTest::addColumn<int>("interval");
        for (const int interval : kIntervals) {
            QTest::addRow("interval %d", interval) << interval;
        }
    }

    void theErrorFallsWithTheDepth() {
        QFETCH(int, interval);
        const bool isOfAllDepths = testing::isFullTest() || interval == 3;
        double before = meanError(interval, 0);
        int falls = 0;
        for (int depth = 1; depth <= kDeepest; ++depth) {
            if (!isOwnCut(depth) && !isOfAllDepths) {
                continue;
            }
            const double now = meanError(interval, depth);
            QVERIFY2(isOwnCut(depth) ? now < before : now == before,
                     qPrintable(QString("depth %1: %2, then %3").arg(depth).arg(before).arg(now)));
            falls += isOwnCut(depth) ? 1 : 0;
            before = now;
        }
        QCOMPARE(falls, 5);
    }

    void typesAreAsFarFromF32AsTheyMayBe_data() {
        QTest::addColumn<QString>("storage");
        QTest::addColumn<QString>("compute");
        QTest::addColumn<double>("most");
        QTest::addColumn<bool>("isExact");
        const auto row = [](const char* storage, const char* compute, double most, bool isExact) {
            QTest::addRow("%s in %s", storage, compute) << storage << compute << most << isExact;
        };
        row("file", "f32", 0, true);
        row("f32", "f32", 0, true);
        row("f16", "f32", kMostHalf, true);  // the file has f16
        row("bf16", "f32", kMostBrain, false);
        row("f8", "f32", kMostF8, false);
        row("f32", "bf16", kMostBrain, false);
        row("f8", "bf16", kMostF8, false);
        if (testing::isFullTest()) {
            row("f16", "f16", kMostHalf, false);  // its convolutions are slow on a CPU
            row("f16", "bf16", kMostBrain, false);
            row("bf16", "bf16", kMostBrain, false);
        }
    }

    void typesAreAsFarFromF32AsTheyMayBe() {
        QFETCH(QString, storage);
        QFETCH(QString, compute);
        QFETCH(double, most);
        QFETCH(bool, isExact);
        const Json& reported =
            errorsOf(("quality,storage=" + storage + ",compute=" + compute).toStdString());
        const double mean = reported.at("mean").get<double>();
        const double worst = reported.at("worst").get<double>();
        qInfo("%s in %s: %.2g, worst %.2g", qPrintable(storage), qPrintable(compute), mean, worst);
        QVERIFY(isExact ? worst == 0 : mean > 0);
        QVERIFY2(worst <= most, qPrintable(QString::number(worst)));
    }

    /// A cache does the same to a network in other types, whose own error adds to it.
    void cacheAndTypesAddUp() {
        const double cache = meanError(3, 1);
        const double both = mini_->measured(deepCache(3, 1), "quality,storage=f8,compute=f32")
                                .at("mean")
                                .get<double>();
        const double types = errorsOf("quality,storage=f8,compute=f32").at("mean").get<double>();
        QVERIFY(both > cache && both > types && both < cache + types);
    }

    void everyNodeHasItsOwnRun() {
        tensor::RecordedTensors recorded;
        for (const char* prefix : {"", "second/"}) {
            const at::Tensor value = at::full({1, 4, 2, 2}, *prefix ? 2.0F : 1.0F);
            for (const char* name : {"model_in.000", "model_out.000"}) {
                recorded[std::string(prefix) + name] = value;
            }
        }
        const auto first = models::recordedRunOf(recorded, "first");
        const auto second = models::recordedRunOf(recorded, "second");
        QCOMPARE(first->size(), size_t{1});
        QVERIFY(at::equal(first->front().output, recorded.at("model_out.000")));
        QVERIFY(at::equal(second->front().output, recorded.at("second/model_out.000")));
        QVERIFY(testing::errorOf([] { (void)models::recordedRunOf({}, "first"); }));
        recorded["model_out.000"] = recorded["model_out.000"].to(at::kHalf);
        QVERIFY(testing::errorOf([&] { (void)models::recordedRunOf(recorded, "first"); }));
    }
};

LOWTIDE_TEST(TeacherForcedTest)

}  // namespace teacher_forced_test

#include "teacher_forced_test.moc"
