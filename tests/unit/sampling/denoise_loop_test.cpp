#include "plugin/sampling/denoise_loop.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/unit/sampling/fake_denoiser.hpp"

#include <ATen/ATen.h>

#include <QtTest>

#include <cmath>

namespace lowtide::sampling {

namespace {

constexpr int kSteps = 8;
constexpr double kGuidance = 7.5;

const Json kConfig = {{"beta_schedule", "scaled_linear"},
                      {"beta_start", 0.00085},
                      {"beta_end", 0.012},
                      {"clip_sample", false}};

/// One pass of a two-pass graph, or the whole of it.
struct Pass {
    int start = 0;
    int end = -1;
    bool addNoise = true;
    bool keepNoise = false;
    double eta = 0;
    std::string key = "one schedule";
};

struct Run {
    DenoiseResult result;
    std::map<std::string, at::Tensor> recorded;
    std::vector<int> steps;
};

at::Tensor emptyLatents() {
    return at::zeros({2, 4, 5, 6});
}

Run run(const std::string& name,
        const Pass& pass,
        const at::Tensor& latents = emptyLatents(),
        const std::shared_ptr<const tensor::SamplerCarry>& carry = nullptr,
        double guidance = kGuidance,
        const StopToken& stop = {}) {
    const ScheduleOptions options{
        .steps = kSteps, .eta = pass.eta, .endStep = pass.end, .keepNoise = pass.keepNoise};
    const auto sampler = samplerNamed(name, kConfig).make(kConfig, options);
    const DenoiseSettings settings{.guidanceScale = guidance,
                                   .seed = 77,
                                   .startStep = pass.start,
                                   .endStep = pass.end,
                                   .addNoise = pass.addNoise,
                                   .keepNoise = pass.keepNoise,
                                   .scheduleKey = pass.key};
    FakeDenoiser denoiser;
    tensor::Recorder recorder;
    const tensor::Record record(&recorder);
    DenoiseResult result =
        denoise(*sampler, denoiser, latents, settings, carry, stop, record, [](int, int) {});
    return {std::move(result), recorder.tensors(), denoiser.steps};
}

/// A sampler with eta, as rows of a test.
void addSamplers() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("eta");
    QTest::newRow("ddim") << "ddim" << 0.0;
    QTest::newRow("ddim eta 0.5") << "ddim" << 0.5;
    QTest::newRow("euler") << "euler" << 0.0;
    QTest::newRow("euler_a") << "euler_a" << 0.0;
    QTest::newRow("dpmpp_2m") << "dpmpp_2m" << 0.0;
}

}  // namespace

class DenoiseLoopTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void twoPassesEqualOneBitForBit_data() { addSamplers(); }

    void twoPassesEqualOneBitForBit() {
        QFETCH(QString, name);
        QFETCH(double, eta);
        const std::string sampler = name.toStdString();
        const Run whole = run(sampler, {.eta = eta});
        for (int split = 1; split < kSteps; ++split) {
            const Run first = run(sampler, {.end = split, .keepNoise = true, .eta = eta});
            QVERIFY(first.result.carry);
            const Run second = run(sampler,
                                   {.start = split, .addNoise = false, .eta = eta},
                                   first.result.latents,
                                   first.result.carry);
            QVERIFY2(at::equal(second.result.latents, whole.result.latents),
                     qPrintable(QString("split at %1").arg(split)));
        }
    }

    void threePassesEqualOneBitForBit() {
        for (const std::string name : {"euler_a", "dpmpp_2m"}) {
            const Run whole = run(name, {});
            const Run first = run(name, {.end = 2, .keepNoise = true});
            const Run second = run(name,
                                   {.start = 2, .end = 5, .addNoise = false, .keepNoise = true},
                                   first.result.latents,
                                   first.result.carry);
            const Run third = run(
                name, {.start = 5, .addNoise = false}, second.result.latents, second.result.carry);
            QVERIFY(at::equal(third.result.latents, whole.result.latents));
        }
    }

    void aCarryOfAnotherScheduleOrStepIsNotUsed() {
        const Run first = run("dpmpp_2m", {.end = 4, .keepNoise = true});
        const auto second = [&](const Pass& pass, bool withCarry) {
            return run("dpmpp_2m",
                       pass,
                       first.result.latents,
                       withCarry ? first.result.carry : nullptr)
                .result.latents;
        };
        const Pass matching{.start = 4, .addNoise = false};
        const Pass otherKey{.start = 4, .addNoise = false, .key = "another schedule"};
        const Pass otherStep{.start = 5, .addNoise = false};
        QVERIFY(!at::equal(second(matching, true), second(matching, false)));
        QVERIFY(at::equal(second(otherKey, true), second(otherKey, false)));
        QVERIFY(at::equal(second(otherStep, true), second(otherStep, false)));
    }

    void onlyKeptNoiseLeavesACarry() {
        QVERIFY(!run("dpmpp_2m", {}).result.carry);
        const auto carry = run("dpmpp_2m", {.end = 3, .keepNoise = true}).result.carry;
        QCOMPARE(carry->step, 3);
        QCOMPARE(carry->history.size(), 1U);
        QCOMPARE(carry->schedule, std::string("one schedule"));
    }

    void anEarlyEndTakesAllNoiseAway_data() { addSamplers(); }

    /// At noise 0 the latents are the clean latents that the last prediction stands for.
    void anEarlyEndTakesAllNoiseAway() {
        QFETCH(QString, name);
        QFETCH(double, eta);
        const Run early = run(name.toStdString(), {.end = 3, .eta = eta});
        QCOMPARE(early.steps, (std::vector<int>{0, 1, 2}));
        const at::Tensor before = early.recorded.at("latents.step.001");
        const at::Tensor noise = early.recorded.at("noise_pred.002");
        const bool isEuler = name.startsWith("euler");
        const at::Tensor clean = isEuler ? eulerClean(early, before, noise)
                                         : preservingClean(name, early, before, noise);
        QVERIFY(at::allclose(early.result.latents, clean, 1e-4, 1e-4));
        const Run kept = run(name.toStdString(), {.end = 3, .keepNoise = true, .eta = eta});
        QVERIFY(!at::allclose(kept.result.latents, clean, 1e-2, 1e-2));
    }

    void theScheduleIsRecordedWhole() {
        const Run early = run("euler", {.end = 3});
        QCOMPARE(early.recorded.at("timesteps").numel(), int64_t{kSteps});
        QVERIFY(at::equal(early.recorded.at("sigmas"), run("euler", {}).recorded.at("sigmas")));
        QCOMPARE(early.recorded.at("init_noise_sigma").dim(), int64_t{0});
        QVERIFY(!run("ddim", {}).recorded.contains("sigmas"));
    }

    void drawsAsOftenAsTheReference_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("eta");
        QTest::addColumn<int>("draws");
        QTest::newRow("ddim") << "ddim" << 0.0 << 1;
        QTest::newRow("ddim eta 0.5") << "ddim" << 0.5 << 1 + kSteps;
        QTest::newRow("euler") << "euler" << 0.0 << 1;
        QTest::newRow("euler_a") << "euler_a" << 0.0 << 1 + kSteps;
        QTest::newRow("dpmpp_2m") << "dpmpp_2m" << 0.0 << 1;
    }

    void drawsAsOftenAsTheReference() {
        QFETCH(QString, name);
        QFETCH(double, eta);
        QFETCH(int, draws);
        const Run whole = run(name.toStdString(), {.eta = eta});
        int found = 0;
        for (const auto& entry : whole.recorded) {
            found += entry.first.starts_with("random.") ? 1 : 0;
        }
        QCOMPARE(found, draws);
        const at::Tensor expected = tensor::NoiseGenerator(77).draw({2, 4, 5, 6});
        QVERIFY(at::equal(whole.recorded.at("random.000"), expected));
    }

    void guidanceDoublesTheBatch() {
        const Run guided = run("euler", {});
        const at::Tensor input = guided.recorded.at("model_in.000");
        QCOMPARE(input.size(0), int64_t{4});
        QVERIFY(at::equal(input.slice(0, 0, 2), input.slice(0, 2, 4)));
        const at::Tensor raw = guided.recorded.at("model_out.000");
        const at::Tensor expected =
            raw.slice(0, 0, 2) + kGuidance * (raw.slice(0, 2, 4) - raw.slice(0, 0, 2));
        QVERIFY(at::allclose(guided.recorded.at("noise_pred.000"), expected, 1e-5, 1e-5));
        QCOMPARE(guided.recorded.at("model_t.000").dim(), int64_t{0});
    }

    void guidanceOfOneIsOff() {
        const Run plain = run("euler", {}, emptyLatents(), nullptr, 1.0);
        QCOMPARE(plain.recorded.at("model_in.000").size(0), int64_t{2});
        QVERIFY(at::equal(plain.recorded.at("model_out.000"), plain.recorded.at("noise_pred.000")));
    }

    void latentsWithoutNoiseStartAsTheyAre() {
        const at::Tensor latents = at::rand({2, 4, 5, 6});
        const Run pass = run("euler", {.start = 2, .addNoise = false}, latents);
        QVERIFY(at::equal(pass.recorded.at("latents.init"), latents));
        QVERIFY(!pass.recorded.contains("random.000"));
        QCOMPARE(pass.steps.front(), 2);
    }

    void recordingChangesNothing() {
        const auto sampler = samplerNamed("euler_a", kConfig).make(kConfig, {.steps = kSteps});
        const DenoiseSettings settings{.seed = 77, .scheduleKey = {}};
        FakeDenoiser denoiser;
        const auto unrecorded = denoise(*sampler,
                                        denoiser,
                                        emptyLatents(),
                                        settings,
                                        nullptr,
                                        StopToken(),
                                        tensor::Record(nullptr),
                                        [](int, int) {});
        QVERIFY(at::equal(unrecorded.latents, run("euler_a", {}).result.latents));
    }

    void stopsBetweenSteps() {
        StopSource source;
        const auto sampler = samplerNamed("euler", kConfig).make(kConfig, {.steps = kSteps});
        FakeDenoiser denoiser;
        std::vector<int> done;
        const auto error = testing::errorOf([&] {
            (void)denoise(*sampler,
                          denoiser,
                          emptyLatents(),
                          DenoiseSettings{.scheduleKey = {}},
                          nullptr,
                          source.token(),
                          tensor::Record(nullptr),
                          [&](int step, int total) {
                              QCOMPARE(total, kSteps);
                              done.push_back(step);
                              if (step == 3) {
                                  source.cancel(CancelMode::Now);
                              }
                          });
        });
        QVERIFY(error && error->kind() == ErrorKind::Cancelled);
        QCOMPARE(done, (std::vector<int>{1, 2, 3}));
        QCOMPARE(denoiser.steps.size(), 3U);
    }

    void anEmptyRangeIsRefused() {
        for (const auto& [start, end] :
             {std::pair(4, 4), std::pair(kSteps, -1), std::pair(-1, 3)}) {
            const Pass pass{.start = start, .end = end};
            const auto error = testing::errorOf([&] { (void)run("euler", pass); });
            QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
            QCOMPARE(error->item(), std::string("start_step"));
        }
    }

    void anEndBeyondTheScheduleIsTheWholeSchedule() {
        QVERIFY(
            at::equal(run("euler", {.end = 100}).result.latents, run("euler", {}).result.latents));
    }

private:
    static at::Tensor eulerClean(const Run& early,
                                 const at::Tensor& before,
                                 const at::Tensor& noise) {
        return before - noise * early.recorded.at("sigmas")[2];
    }

    static at::Tensor preservingClean(const QString& name,
                                      const Run& early,
                                      const at::Tensor& before,
                                      const at::Tensor& noise) {
        if (name == "dpmpp_2m") {
            const double sigma = early.recorded.at("sigmas")[2].item<double>();
            return (before * std::sqrt(sigma * sigma + 1)) - noise * sigma;
        }
        const at::Tensor betas =
            at::pow(at::linspace(std::sqrt(0.00085), std::sqrt(0.012), 1000, at::kDouble), 2);
        const at::Tensor shares = at::cumprod(1 - betas, 0);
        const double share =
            shares[early.recorded.at("timesteps")[2].item<int64_t>()].item<double>();
        return (before - noise * std::sqrt(1 - share)) / std::sqrt(share);
    }
};

}  // namespace lowtide::sampling

QTEST_GUILESS_MAIN(lowtide::sampling::DenoiseLoopTest)
#include "denoise_loop_test.moc"
