#include "plugin/base/text.hpp"
#include "plugin/sampling/denoise_loop.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"
#include "plugin/sampling/teacher_forcing.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/sampling/fake_denoiser.hpp"

#include <ATen/ATen.h>

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lowtide::sampling::teacher_forcing_test {

namespace {

constexpr int kSteps = 8;
constexpr uint64_t kSeed = 77;
constexpr double kGain = 1.25;

/// Multiplies what it predicts in one call.
class FaultyDenoiser final : public Denoiser {
public:
    FaultyDenoiser(int call, double gain) : call_(call), gain_(gain) {}

    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor& timestep,
                       const StepInfo& step) override {
        const at::Tensor right = denoiser_.predict(latents, timestep, step);
        return step.taken == call_ ? right * gain_ : right;
    }

private:
    FakeDenoiser denoiser_;
    int call_;
    double gain_;
};

struct Forward {
    std::string sampler = "euler";
    int steps = kSteps;
    uint64_t seed = kSeed;
    std::shared_ptr<const StepCache> cache{};
    std::shared_ptr<const RecordedRun> teacher{};
};

DenoiseResult run(const Forward& forward,
                  Denoiser& denoiser,
                  tensor::Recorder* recorder = nullptr) {
    const Json config = {{"beta_schedule", "scaled_linear"},
                         {"beta_start", 0.00085},
                         {"beta_end", 0.012},
                         {"clip_sample", false}};
    const auto sampler =
        samplerNamed(forward.sampler, config).make(config, {.steps = forward.steps});
    return denoise(*sampler,
                   denoiser,
                   at::zeros({2, 4, 5, 6}),
                   {.seed = forward.seed, .cache = forward.cache, .teacher = forward.teacher},
                   nullptr,
                   StopToken(),
                   tensor::Record(recorder),
                   [](int, int) {});
}

struct Recorded {
    std::shared_ptr<const RecordedRun> forward;
    at::Tensor latents;
};

Recorded record(const std::string& sampler) {
    FakeDenoiser denoiser;
    tensor::Recorder recorder;
    const DenoiseResult result = run({.sampler = sampler}, denoiser, &recorder);
    auto forward = std::make_shared<RecordedRun>();
    for (size_t call = 0; call < denoiser.steps.size(); ++call) {
        const std::string number = zeroPadded(call, 3);
        forward->push_back({.input = recorder.tensors().at("model_in." + number),
                            .output = recorder.tensors().at("model_out." + number)});
    }
    return {.forward = forward, .latents = result.latents};
}

std::vector<double> relative(const DenoiseResult& result) {
    std::vector<double> errors;
    for (const CallError& error : result.errors) {
        errors.push_back(error.relative);
    }
    return errors;
}

}  // namespace

class TeacherForcingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void anErrorIsThatOfItsCallAlone_data() {
        QTest::addColumn<QString>("sampler");
        for (const SamplerType& type : samplers()) {
            QTest::newRow(type.name.c_str()) << QString::fromStdString(type.name);
        }
    }

    /// Also where the sampler draws noise, has a history or calls the network twice a step.
    void anErrorIsThatOfItsCallAlone() {
        QFETCH(QString, sampler);
        const std::string name = sampler.toStdString();
        const Recorded exact = record(name);
        FaultyDenoiser denoiser(2, kGain);
        const DenoiseResult result = run({.sampler = name, .teacher = exact.forward}, denoiser);
        std::vector<double> errors = relative(result);
        QCOMPARE(errors.size(), exact.forward->size());
        QVERIFY(std::abs(errors[2] - (kGain - 1)) < 1e-6);
        QVERIFY(std::abs(result.errors[2].cosine - 1) < 1e-6);
        errors[2] = 0;
        QCOMPARE(errors, std::vector<double>(errors.size(), 0));
        QVERIFY(at::equal(result.latents, exact.latents));
    }

    void ofACacheOnlySparedCallsHaveErrors() {
        const Recorded exact = record("euler");
        FakeDenoiser denoiser;
        const auto cache = stepCacheNamed("step_forecast")
                               .make({{"gate", "window"},
                                      {"window", 2.0},
                                      {"window_growth", 0.0},
                                      {"threshold", 0.2},
                                      {"start", 0.0},
                                      {"end", 1.0},
                                      {"warm_up", 2},
                                      {"max_consecutive", 0},
                                      {"keep_last", 1},
                                      {"predictor", "reuse"}});
        const DenoiseResult result = run({.cache = cache, .teacher = exact.forward}, denoiser);
        QVERIFY(result.steps.predicted > 0);
        const std::vector<double> errors = relative(result);
        QCOMPARE(std::ranges::count(errors, 0.0), result.steps.full);
        QVERIFY(at::equal(result.latents, exact.latents));
    }

    void aRunOfItsOwnHasNoErrors() {
        FakeDenoiser denoiser;
        QVERIFY(run({}, denoiser).errors.empty());
    }

    void whatIsNotFiniteIsReported() {
        const Recorded exact = record("euler");
        FaultyDenoiser denoiser(3, std::numeric_limits<double>::quiet_NaN());
        const DenoiseResult result = run({.teacher = exact.forward}, denoiser);
        QVERIFY(std::isinf(result.errors[3].relative));
        const Json json = Json::parse(toJson(result.errors).dump());
        QVERIFY(json.at("errors").at(3).is_null());
        QVERIFY(json.at("mean").is_null() && json.at("worst").is_null());
        QCOMPARE(json.at("errors").at(2), Json(0.0));
    }

    void meanAndWorstAreOfAllCalls() {
        const Json json = toJson({{0.0, 1.0}, {0.5, 0.9}, {0.1, 1.0}});
        QVERIFY(std::abs(json.at("mean").get<double>() - 0.2) < 1e-12);
        QCOMPARE(json.at("worst"), Json(0.5));
        QCOMPARE(json.at("cosines"), (Json{1.0, 0.9, 1.0}));
    }

    void anotherRunIsRefused_data() {
        QTest::addColumn<int>("steps");
        QTest::addColumn<quint64>("seed");
        QTest::addColumn<QString>("sampler");
        QTest::addColumn<QString>("complaint");
        QTest::newRow("other calls") << kSteps + 1 << quint64{kSeed} << "euler"
                                     << "has 8 calls of the network, this one makes 9";
        QTest::newRow("other noise") << kSteps << quint64{kSeed + 1} << "euler"
                                     << "call 1 of the network gets other latents";
        QTest::newRow("other sampler") << kSteps << quint64{kSeed} << "dpmpp_2m"
                                       << "of the network gets other latents";
    }

    void anotherRunIsRefused() {
        QFETCH(int, steps);
        QFETCH(quint64, seed);
        QFETCH(QString, sampler);
        QFETCH(QString, complaint);
        const Recorded exact = record("euler");
        FakeDenoiser denoiser;
        const auto error = testing::errorOf([&] {
            (void)run({.sampler = sampler.toStdString(),
                       .steps = steps,
                       .seed = seed,
                       .teacher = exact.forward},
                      denoiser);
        });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QVERIFY2(QString::fromStdString(error->message().str()).contains(complaint),
                 error->message().str().c_str());
    }
};

LOWTIDE_TEST(TeacherForcingTest)

}  // namespace lowtide::sampling::teacher_forcing_test

#include "teacher_forcing_test.moc"
