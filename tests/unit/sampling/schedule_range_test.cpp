// The part of a schedule that a base and its refiner take by a fraction of it.

#include "plugin/sampling/denoise_loop.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/sampling/fake_denoiser.hpp"

#include <ATen/ATen.h>

#include <QtTest>

namespace lowtide::sampling::schedule_range_test {

using testing::errorOf;

namespace {

const Json kEdm = {{"_class_name", "EDMDPMSolverMultistepScheduler"},
                   {"num_train_timesteps", 1000},
                   {"sigma_min", 0.002},
                   {"sigma_max", 80.0},
                   {"sigma_data", 0.5},
                   {"rho", 7.0},
                   {"prediction_type", "epsilon"}};
const Json kTrained = {{"beta_schedule", "scaled_linear"},
                       {"beta_start", 0.00085},
                       {"beta_end", 0.012},
                       {"clip_sample", false},
                       {"steps_offset", 1},
                       {"timestep_spacing", "leading"}};

std::unique_ptr<Sampler> samplerOf(const std::string& name, const Json& config, int steps) {
    return samplerNamed(name, config).make(config, {.steps = steps});
}

DenoiseResult denoised(const std::string& name,
                       const Json& config,
                       const ScheduleRange& part,
                       const DenoiseResult* before = nullptr) {
    constexpr int kSteps = 8;
    const auto sampler = samplerOf(name, config, kSteps);
    FakeDenoiser denoiser;
    return denoise(*sampler,
                   denoiser,
                   before ? before->latents : at::zeros({1, 4, 5, 6}),
                   {.guidanceScale = 3,
                    .seed = 7,
                    .part = part,
                    .addNoise = before == nullptr,
                    .scheduleKey = "key"},
                   before ? before->carry : nullptr,
                   StopToken(),
                   tensor::Record(nullptr),
                   [](int, int) {});
}

}  // namespace

class ScheduleRangeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        const testing::PythonGolden golden("tests/unit/sampling/make_share_goldens.py");
        cases_ = parseJson(golden.text("cases"), "cases");
        QVERIFY(cases_.size() > 1500);
    }

    void cutsWhereTheReferenceCuts_data() {
        QTest::addColumn<size_t>("index");
        for (size_t i = 0; i < cases_.size(); ++i) {
            const Json& item = cases_[i];
            const QString spacing =
                QString::fromStdString(item["config"].value("timestep_spacing", "flow"));
            QTest::addRow("%zu: %s %s, %d steps, %g",
                          i,
                          item["sampler"].get<std::string>().c_str(),
                          qPrintable(spacing),
                          item["steps"].get<int>(),
                          item["share"].get<double>())
                << i;
        }
    }

    void cutsWhereTheReferenceCuts() {
        QFETCH(size_t, index);
        const Json& item = cases_[index];
        const auto sampler = samplerOf(ours(item["sampler"]), item["config"], item["steps"]);
        const double fraction = item["share"];
        const int calls = item["calls"];
        const int end = item["end"];
        const int start = item["start"];
        QCOMPARE(sampler->callCount(), calls);

        if (end == 0) {
            const auto error = errorOf([&] { (void)callsOf(*sampler, {.endAt = fraction}); });
            QVERIFY(error && error->item() == "end_at");
        } else {
            const CallRange base = callsOf(*sampler, {.endAt = fraction});
            QCOMPARE(base.first, 0);
            QCOMPARE(base.last, end);
        }
        if (start == calls || (start > 0 && item["sampler"] == "pndm_prk")) {
            const auto error = errorOf([&] { (void)callsOf(*sampler, {.startAt = fraction}); });
            QVERIFY(error && error->item() == "start_at");
        } else {
            const CallRange refiner = callsOf(*sampler, {.startAt = fraction});
            QCOMPARE(refiner.first, start);
            QCOMPARE(refiner.last, calls);
        }
    }

    void countsStepsWhereThereAreNoTrainingTimesteps_data() {
        const testing::Rows<int, double, int> row("steps", "fraction", "taken");
        row("half", 20, 0.5, 10);
        row("most", 25, 0.8, 20);
        row("half of an odd number", 7, 0.5, 4);
        row("a share that no double is", 10, 0.7, 7);
        row("less than a step", 4, 0.1, 1);
    }

    /// The reference compares EDM's times, which are logarithms of noise levels, with training
    /// timesteps: there a base takes no call at all.
    void countsStepsWhereThereAreNoTrainingTimesteps() {
        QFETCH(int, steps);
        QFETCH(double, fraction);
        QFETCH(int, taken);
        for (const char* name : {"euler", "dpmpp_2m"}) {
            const auto sampler = samplerOf(name, kEdm, steps);
            QCOMPARE(callsOf(*sampler, {.endAt = fraction}).last, taken);
            QCOMPARE(callsOf(*sampler, {.startAt = fraction}).first, taken);
        }
        const auto heun = samplerOf("heun", kEdm, steps);
        QCOMPARE(callsOf(*heun, {.endAt = fraction}).last, 2 * taken);
        QCOMPARE(callsOf(*heun, {.startAt = fraction}).first, 2 * taken);
    }

    void takesWhatLiesBetweenTwoFractions() {
        const auto sampler = samplerOf("ddim", kTrained, 20);
        const CallRange middle = callsOf(*sampler, {.startAt = 0.3, .endAt = 0.8});
        QCOMPARE(middle.first, 6);
        QCOMPARE(middle.last, 16);
        const CallRange afterStrength = callsOf(*sampler, {.startStep = 10, .endAt = 0.8});
        QCOMPARE(afterStrength.first, 10);
        QCOMPARE(afterStrength.last, 16);
    }

    void refusesRangesThatLeaveNoStep_data() {
        const testing::Rows<double, double, QString, QString> row(
            "startAt", "endAt", "item", "expected");
        row("end first", 0.8, 0.5, "start_at", "start_at 0.8 and end_at 0.5 leave no step of 4");
        row("the same", 0.5, 0.5, "start_at", "leave no step of 4");
        row("all taken before", 1.0, 1.0, "start_at", "start_at 1 leaves no step of 4");
        row("none taken", 0.0, 0.0, "end_at", "end_at 0 leaves no step of 4");
    }

    void refusesRangesThatLeaveNoStep() {
        QFETCH(double, startAt);
        QFETCH(double, endAt);
        QFETCH(QString, item);
        QFETCH(QString, expected);
        for (const Json& config : {kTrained, kEdm}) {
            const auto sampler = samplerOf("euler", config, 4);
            const auto error =
                errorOf([&] { (void)callsOf(*sampler, {.startAt = startAt, .endAt = endAt}); });
            QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
            QCOMPARE(error->item(), item.toStdString());
            QVERIFY2(error->message().str().find(expected.toStdString()) != std::string::npos,
                     error->message().str().c_str());
        }
    }

    void baseAndRefinerOfOneModelAreOneRun_data() {
        const testing::Rows<QString, QString> row("name", "config");
        for (const char* name : {"ddim", "euler"}) {  // without history
            row(name, name, QString::fromStdString(kTrained.dump()));
        }
        row("euler of EDM", "euler", QString::fromStdString(kEdm.dump()));
        row("heun of EDM", "heun", QString::fromStdString(kEdm.dump()));
    }

    /// The base leaves its noise in, the refiner adds none.
    void baseAndRefinerOfOneModelAreOneRun() {
        QFETCH(QString, name);
        QFETCH(QString, config);
        const Json settings = parseJson(config.toStdString(), "config");
        const DenoiseResult whole = denoised(name.toStdString(), settings, {});
        const DenoiseResult base = denoised(name.toStdString(), settings, {.endAt = 0.6});
        const DenoiseResult refined =
            denoised(name.toStdString(), settings, {.startAt = 0.6}, &base);
        QVERIFY(at::equal(refined.latents, whole.latents));
    }

    /// The reference's refiner has a scheduler of its own.
    void noStateIsHandedOver() {
        const DenoiseResult byFraction =
            denoised("dpmpp_2m", kTrained, {.keepNoise = true, .endAt = 0.5});
        QVERIFY(!byFraction.carry);
        DenoiseResult byStep = denoised("dpmpp_2m", kTrained, {.endStep = 4, .keepNoise = true});
        QVERIFY(byStep.carry && at::equal(byStep.latents, byFraction.latents));
        auto atTheStart = std::make_shared<tensor::SamplerCarry>(*byStep.carry);
        atTheStart->step = 0;  // where a range by fractions states that it begins
        byStep.carry = atTheStart;

        const DenoiseResult given = denoised("dpmpp_2m", kTrained, {.startAt = 0.5}, &byStep);
        const DenoiseResult afresh = denoised("dpmpp_2m", kTrained, {.startAt = 0.5}, &byFraction);
        QVERIFY(at::equal(given.latents, afresh.latents));
    }

private:
    /// The name of our sampler that the reference's name means.
    static std::string ours(const std::string& reference) {
        if (reference.starts_with("flow_")) {
            return reference.substr(5);
        }
        return reference.substr(0, reference.find("_karras"));
    }

    Json cases_;
};

LOWTIDE_TEST(ScheduleRangeTest)

}  // namespace lowtide::sampling::schedule_range_test

#include "schedule_range_test.moc"
