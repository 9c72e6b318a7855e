#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/sampling/cached_forward.hpp"
#include "tests/unit/sampling/denoise_run.hpp"

#include <ATen/ATen.h>

#include <QtTest>

#include <cmath>

namespace lowtide::sampling::denoise_loop_test {

using namespace denoise_run;

namespace {

// A clean value is a difference divided by the signal, 0.07 at the highest timestep: 1e-6 of
// latents up to 4 become 6e-5 in one call; Runge-Kutta weighs four of them with each other.
constexpr double kImageTolerance = 5e-3;

/// Predicts the noise that makes one image of any latents: whatever the solver, it must end
/// there.
class KnowingDenoiser final : public Denoiser {
public:
    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor& timestep,
                       const StepInfo&) override {
        const double sigma = sigmaAt(timestep.item<double>());
        const double signal = 1 / std::sqrt(sigma * sigma + 1);
        return (latents - image() * signal) / (sigma * signal);
    }

    static at::Tensor image() {
        return at::cos(at::arange(240, at::kFloat)).view({2, 4, 5, 6}).slice(0, 0, 1);
    }

private:
    /// Of kConfig, linear in log sigma between two training timesteps.
    static double sigmaAt(double timestep) {
        const at::Tensor betas =
            at::pow(at::linspace(std::sqrt(0.00085), std::sqrt(0.012), 1000, at::kDouble), 2);
        const at::Tensor fractions = at::cumprod(1 - betas, 0);
        const at::Tensor logs = at::log((1 - fractions) / fractions) / 2;
        const auto below = std::min<int64_t>(static_cast<int64_t>(timestep), 998);
        const double weight = timestep - static_cast<double>(below);
        return std::exp(logs[below].item<double>() * (1 - weight) +
                        logs[below + 1].item<double>() * weight);
    }
};

/// Follows two prompts: in one call as [uncond, cond], or the one that is asked for.
class PromptedDenoiser final : public Denoiser {
public:
    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor& timestep,
                       const StepInfo& step) override {
        const auto following = [&](const at::Tensor& own, bool isUncond) {
            asked += isUncond ? 'u' : 'c';
            return at::sin(own * (isUncond ? 0.7 : 0.9)) + timestep.to(at::kFloat) / 1000;
        };
        if (latents.size(0) == emptyLatents().size(0)) {
            return following(latents, step.slot.isUncond);
        }
        const std::vector<at::Tensor> halves = latents.chunk(2);
        const at::Tensor cond = following(halves[1], false);
        return at::cat({following(halves[0], true), cond});
    }

    std::string asked;
};

/// Remembers how its evaluations begin, and what was announced to come after each.
class AnnouncedNetwork final : public StackNetwork {
public:
    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor& timestep,
                       const StepInfo& step) override {
        begun += step.decision.begins() == StepWork::Full ? 'f' : 'p';
        announced += step.decision.next == StepWork::Full ? 'f' : 'p';
        return StackNetwork::predict(latents, timestep, step);
    }

    std::string begun;
    std::string announced;
};

DenoiseResult guidedBy(Guidance guidance, const std::string& gate, PromptedDenoiser& denoiser) {
    const auto sampler = samplerNamed("dpmpp_2m", kConfig).make(kConfig, {.steps = kSteps});
    const Json settings = {{"gate", gate},
                           {"predictor", "reuse"},
                           {"threshold", 100.0},
                           {"start", 0.0},
                           {"end", 1.0},
                           {"window", 2.0},
                           {"window_growth", 0.0},
                           {"warm_up", 2},
                           {"max_consecutive", 0},
                           {"keep_last", 1}};
    return denoise(
        *sampler,
        denoiser,
        emptyLatents(),
        {.guidanceRescale = 0.3,
         .seed = 77,
         .cache = gate.empty() ? nullptr : stepCacheNamed("step_forecast").make(settings),
         .guidance = guidance},
        nullptr,
        StopToken(),
        tensor::Record(nullptr),
        [](int, int) {});
}

}  // namespace

class DenoiseLoopTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void stepsTakeTheCallsOfTheReference_data() {
        const testing::Rows<QString, int, int, int> row(
            "name", "calls", "callsToStepFive", "cleanCallsToStepFive");
        row("dpmpp_2m", "dpmpp_2m", kSteps, 5, 5);
        row("pndm", "pndm", kSteps + 1, 5, 5);
        row("pndm_prk", "pndm_prk", kSteps + 9, 14, 14);
        for (const char* name : {"heun", "kdpm2", "kdpm2_a"}) {
            row(name, name, 2 * kSteps - 1, 10, 9);
        }
    }

    void stepsTakeTheCallsOfTheReference() {
        QFETCH(QString, name);
        QFETCH(int, calls);
        QFETCH(int, callsToStepFive);
        QFETCH(int, cleanCallsToStepFive);
        const std::string sampler = name.toStdString();
        const Run whole = run(sampler, {});
        QCOMPARE(whole.steps.size(), static_cast<size_t>(calls));
        QCOMPARE(whole.progress.front(), std::pair(1, calls));
        QCOMPARE(whole.progress.back(), std::pair(calls, calls));
        QCOMPARE(run(sampler, {.end = 5, .keepNoise = true}).steps.size(),
                 static_cast<size_t>(callsToStepFive));
        QCOMPARE(run(sampler, {.end = 5}).steps.size(), static_cast<size_t>(cleanCallsToStepFive));
        QCOMPARE(run(sampler, {.end = kSteps}).steps.size(), static_cast<size_t>(calls));
    }

    void theNetworkLearnsTheStageOfItsCall() {
        const auto stages = [](const char* name) { return run(name, {.end = 4}).stages; };
        QCOMPARE(stages("dpmpp_2m"), (std::vector<int>{0, 0, 0, 0}));
        QCOMPARE(stages("heun"), (std::vector<int>{0, 1, 0, 1, 0, 1, 0}));
        QCOMPARE(stages("pndm"), (std::vector<int>{0, 1, 0, 0}));
        QCOMPARE(stages("pndm_prk"), (std::vector<int>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0}));
    }

    void rungeKuttaStepsAreTheFirst() {
        const auto blamed = [](bool addNoise) {
            const auto error = testing::errorOf([&] {
                (void)run("pndm_prk", {.start = 2, .addNoise = addNoise}, at::rand({2, 4, 5, 6}));
            });
            return error ? error->item() : std::string();
        };
        QCOMPARE(blamed(true), std::string("start_step"));
        QCOMPARE(blamed(false), std::string("start_step"));
    }

    void theScheduleIsRecordedWhole() {
        const Run early = run("euler", {.end = 3});
        QCOMPARE(early.recorded.at("timesteps").numel(), int64_t{kSteps});
        QVERIFY(at::equal(early.recorded.at("sigmas"), run("euler", {}).recorded.at("sigmas")));
        QCOMPARE(early.recorded.at("init_noise_sigma").dim(), int64_t{0});
        QVERIFY(!run("ddim", {}).recorded.contains("sigmas"));
    }

    void drawsAsOftenAsTheReference_data() {
        const testing::Rows<QString, double, int> row("name", "eta", "draws");
        row("ddim", "ddim", 0.0, 1);
        row("ddim eta 0.5", "ddim", 0.5, 1 + kSteps);
        row("euler", "euler", 0.0, 1);
        row("euler_a", "euler_a", 0.0, 1 + kSteps);
        for (const char* name :
             {"dpmpp_2m", "dpmpp_3m", "dpmpp_single", "pndm", "pndm_prk", "heun"}) {
            row(name, name, 0.0, 1);
        }
        for (const char* name : {"lms", "unipc", "deis", "kdpm2", "tcd"}) {
            row(name, name, 0.0, 1);
        }
        row("dpmpp_2m_sde", "dpmpp_2m_sde", 0.0, 1 + kSteps);
        for (const char* name : {"kdpm2_a", "lcm", "ddpm"}) {  // not in the last step
            row(name, name, 0.0, kSteps);
        }
        row("tcd eta 0.5", "tcd", 0.5, kSteps);
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

    void anEarlyEndTakesAllNoiseAway_data() { addSamplers(); }

    /// A network that knows the image: at noise 0 the latents are that image.
    void anEarlyEndTakesAllNoiseAway() {
        QFETCH(QString, name);
        QFETCH(double, eta);
        QFETCH(QString, changes);
        const auto endAt = [&](int end, bool keepNoise) {
            KnowingDenoiser denoiser;
            Json settings = deltasOf(changes);
            settings["timestep_spacing"] = "leading";  // whole timesteps
            const Part part{.end = end, .keepNoise = keepNoise, .eta = eta, .changes = settings};
            return runWith(name.toStdString(), part, denoiser, emptyLatents(), nullptr, kGuidance)
                .result.latents;
        };
        const at::Tensor image = KnowingDenoiser::image().expand({2, 4, 5, 6});
        for (int end = 1; end < kSteps; ++end) {
            const double distance = at::max(at::abs(endAt(end, false) - image)).item<double>();
            QVERIFY2(distance < kImageTolerance,
                     qPrintable(QString("%1 at %2").arg(distance).arg(end)));
        }
        QVERIFY(!at::allclose(endAt(3, true), image, 1e-2, 1e-2));
    }

    void looksAtTheCleanLatentsOfEveryCall_data() { addSamplers(); }

    /// A network that knows the image: every call stands for that image, and looking at it
    /// changes nothing.
    void looksAtTheCleanLatentsOfEveryCall() {
        QFETCH(QString, name);
        QFETCH(double, eta);
        QFETCH(QString, changes);
        Json config = kConfig;
        config.update(deltasOf(changes));
        config["timestep_spacing"] = "leading";  // whole timesteps
        const auto latents = [&](const std::function<void(double, int, int)>& look) {
            const auto sampler = samplerNamed(name.toStdString(), config)
                                     .make(config, {.steps = kSteps, .eta = eta});
            KnowingDenoiser denoiser;
            DenoiseSettings settings{.seed = 77, .scheduleKey = {}};
            if (look) {
                settings.look = [&](const std::function<at::Tensor()>& clean, int done, int total) {
                    const at::Tensor missed = clean() - KnowingDenoiser::image();
                    look(at::max(at::abs(missed)).item<double>(), done, total);
                };
            }
            return denoise(*sampler,
                           denoiser,
                           emptyLatents(),
                           settings,
                           nullptr,
                           StopToken(),
                           tensor::Record(nullptr),
                           [](int, int) {})
                .latents;
        };
        double worst = 0;
        int looks = 0;
        int calls = 0;
        const at::Tensor watched = latents([&](double missed, int done, int total) {
            worst = std::max(worst, missed);
            QCOMPARE(done, ++looks);
            calls = total;
        });
        QCOMPARE(looks, calls);
        QVERIFY2(worst < kImageTolerance, qPrintable(QString::number(worst)));
        QVERIFY(at::equal(watched, latents({})));
    }

    void latentsWithoutNoiseStartAsTheyAre() {
        const at::Tensor latents = at::rand({2, 4, 5, 6});
        const Run part = run("euler", {.start = 2, .addNoise = false}, latents);
        QVERIFY(at::equal(part.recorded.at("latents.init"), latents));
        QVERIFY(!part.recorded.contains("random.000"));
        QCOMPARE(part.steps.front(), 2);
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

    void promptsOneByOneGiveTheBitsOfBothInOneCall_data() {
        QTest::addColumn<QString>("gate");
        QTest::newRow("no step cache") << "";
        QTest::newRow("forecasts by the outputs' change") << "output_change";
        QTest::newRow("forecasts in windows") << "window";
    }

    void promptsOneByOneGiveTheBitsOfBothInOneCall() {
        QFETCH(QString, gate);
        PromptedDenoiser batched;
        const DenoiseResult one = guidedBy(Guidance::Batched, gate.toStdString(), batched);
        PromptedDenoiser sequential;
        const DenoiseResult two = guidedBy(Guidance::Sequential, gate.toStdString(), sequential);
        QVERIFY(at::equal(two.latents, one.latents));
        QVERIFY(two.steps == one.steps);
        QCOMPARE(one.steps.predicted > 0, !gate.isEmpty());
        std::string asked;
        for (int64_t call = 0; call < one.steps.full; ++call) {
            asked += "cu";
        }
        QCOMPARE(sequential.asked, asked);
        QCOMPARE(batched.asked, asked);
    }

    void whatComesAfterAnEvaluationIsAnnounced_data() {
        const testing::Rows<QString, QString, bool, QString> row(
            "cache", "settings", "isSequential", "begun");
        const char* const everySecond = R"({"interval": 2, "depth": 0})";
        row("both in one call", "deepcache", everySecond, false, "fpfpfpfp");
        row("one by one", "deepcache", everySecond, true, "ffppffppffppffpp");
        row("one by one, with a gate",
            "block_cache",
            R"({"gate": "first_block", "threshold": 100, "mask": "", "mask_file": "",
                   "predictor": "reuse", "warm_up": 1, "max_consecutive": 0, "keep_last": 0})",
            true,
            "ffffffffffffffff");
    }

    /// Where a gate decides each evaluation begins as a full one.
    void whatComesAfterAnEvaluationIsAnnounced() {
        QFETCH(QString, cache);
        QFETCH(QString, settings);
        QFETCH(bool, isSequential);
        QFETCH(QString, begun);
        const auto sampler = samplerNamed("euler", kConfig).make(kConfig, {.steps = kSteps});
        AnnouncedNetwork network;
        const DenoiseResult result =
            denoise(*sampler,
                    network,
                    emptyLatents(),
                    {.seed = 77,
                     .cache = stepCacheNamed(cache.toStdString())
                                  .make(parseJson(settings.toStdString(), "settings")),
                     .cachePoints = CachedForward::kPoints,
                     .guidance = isSequential ? Guidance::Sequential : Guidance::Batched},
                    nullptr,
                    StopToken(),
                    tensor::Record(nullptr),
                    [](int, int) {});
        QVERIFY(result.steps.partial > 0);
        QCOMPARE(QString::fromStdString(network.begun), begun);
        QCOMPARE(QString::fromStdString(network.announced), begun.mid(1) + "f");
    }

    void anEmptyRangeIsRefused() {
        for (const auto& [start, end] :
             {std::pair(4, 4), std::pair(kSteps, -1), std::pair(-1, 3)}) {
            const Part part{.start = start, .end = end};
            const auto error = testing::errorOf([&] { (void)run("euler", part); });
            QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
            QCOMPARE(error->item(), std::string("start_step"));
        }
    }

    void anEndBeyondTheScheduleIsTheWholeSchedule() {
        QVERIFY(
            at::equal(run("euler", {.end = 100}).result.latents, run("euler", {}).result.latents));
    }
};

LOWTIDE_TEST(DenoiseLoopTest)

}  // namespace lowtide::sampling::denoise_loop_test

#include "denoise_loop_test.moc"
