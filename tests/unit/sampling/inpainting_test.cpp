#include "plugin/sampling/denoise_loop.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/sampling/fake_denoiser.hpp"

#include <ATen/ATen.h>

#include <QtTest>

namespace lowtide::sampling::inpainting_test {

namespace {

constexpr int kSteps = 6;
constexpr int64_t kHalf = 3;  ///< columns that the mask keeps

const Json kConfig = {{"beta_schedule", "scaled_linear"},
                      {"beta_start", 0.00085},
                      {"beta_end", 0.012},
                      {"clip_sample", false}};

/// The settings of one run, as a test changes them.
struct RunSettings {
    std::string sampler = "ddim";
    int start = 2;
    int end = -1;
    bool keepNoise = false;
    double endAt = 1;
    bool startsEmpty = false;
    at::Tensor deviation{};
    Inpainting inpainting{};
};

struct Run {
    at::Tensor latents;
    std::map<std::string, at::Tensor> recorded;

    [[nodiscard]] size_t draws() const {
        return static_cast<size_t>(
            std::count_if(recorded.begin(), recorded.end(), [](const auto& entry) {
                return entry.first.starts_with("random.");
            }));
    }
};

at::Tensor image() {
    return at::cos(at::arange(240, at::kFloat)).view({2, 4, 5, 6});
}

at::Tensor rightHalf() {
    at::Tensor mask = at::zeros({1, 1, 5, 6});
    mask.narrow(3, kHalf, 6 - kHalf).fill_(1);
    return mask;
}

at::Tensor left(const at::Tensor& latents) {
    return latents.narrow(3, 0, kHalf);
}

std::unique_ptr<Sampler> samplerOf(const RunSettings& settings) {
    return samplerNamed(settings.sampler, kConfig)
        .make(kConfig, {.steps = kSteps, .endStep = settings.end, .keepNoise = settings.keepNoise});
}

/// Sees every channel, predicts those of the latents.
class NineChannels final : public Denoiser {
public:
    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor& timestep,
                       const StepInfo& step) override {
        const at::Tensor sums = latents.narrow(1, 4, 5).sum(1, true);
        return inner_.predict(latents.narrow(1, 0, 4) + sums, timestep, step);
    }

private:
    FakeDenoiser inner_;
};

Run run(const RunSettings& settings) {
    const auto sampler = samplerOf(settings);
    tensor::Recorder recorder;
    FakeDenoiser four;
    NineChannels nine;
    Denoiser& denoiser =
        settings.inpainting.masked.mean.defined() ? static_cast<Denoiser&>(nine) : four;
    const DenoiseResult result = denoise(*sampler,
                                         denoiser,
                                         image(),
                                         {.guidanceScale = 3,
                                          .seed = 5,
                                          .part = {.startStep = settings.start,
                                                   .endStep = settings.end,
                                                   .keepNoise = settings.keepNoise,
                                                   .endAt = settings.endAt},
                                          .startsEmpty = settings.startsEmpty,
                                          .deviation = settings.deviation,
                                          .inpainting = settings.inpainting},
                                         nullptr,
                                         StopToken(),
                                         tensor::Record(&recorder),
                                         [](int, int) {});
    return {.latents = result.latents, .recorded = recorder.tensors()};
}

LatentDistribution maskedImage(bool isDrawn) {
    return {.mean = image() * 0.5,
            .deviation = isDrawn ? at::full({2, 4, 5, 6}, 0.25) : at::Tensor()};
}

}  // namespace

/// What a mask adds to a run. tests/golden compares the numbers of whole pipelines.
class InpaintingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void everySamplerEndsWithTheImageOutsideOfTheMask_data() {
        QTest::addColumn<QString>("name");
        for (const SamplerType& type : samplers()) {
            QTest::newRow(type.name.c_str()) << QString::fromStdString(type.name);
        }
    }

    void everySamplerEndsWithTheImageOutsideOfTheMask() {
        QFETCH(QString, name);
        const int start = name == "pndm_prk" ? 0 : 2;  // its first steps are Runge-Kutta's
        RunSettings settings{.sampler = name.toStdString(), .start = start};
        const Run free = run(settings);
        settings.inpainting.mask = rightHalf();

        const Run kept = run(settings);

        QVERIFY(at::equal(left(kept.latents), left(image())));
        QVERIFY(!at::equal(kept.latents, image()));
        QVERIFY(!at::equal(left(free.latents), left(image())));
    }

    void aMaskOfEverythingChangesNothing() {
        for (const char* name : {"ddim", "euler_a", "heun"}) {
            RunSettings settings{.sampler = name};
            const Run free = run(settings);
            settings.inpainting.mask = at::ones({1, 1, 5, 6});
            QVERIFY(at::equal(run(settings).latents, free.latents));
        }
    }

    /// Of the same noise in every call; after the last there is none.
    void theNetworkSeesTheImageWithTheNoiseOfItsCall() {
        const RunSettings settings{.start = 1, .inpainting = {.mask = rightHalf()}};
        const Run masked = run(settings);
        const auto sampler = samplerOf(settings);
        const at::Tensor noise = masked.recorded.at("random.000");
        for (int call = 1; call < kSteps; ++call) {
            const at::Tensor seen =
                masked.recorded.at("model_in.00" + std::to_string(call - 1)).narrow(0, 0, 2);
            QVERIFY(at::equal(left(seen), left(sampler->addNoise(image(), noise, call))));
        }
    }

    void aRangeThatKeepsItsNoiseKeepsThatOfTheImage() {
        RunSettings settings{
            .start = 1, .end = 4, .keepNoise = true, .inpainting = {.mask = rightHalf()}};
        const Run noisy = run(settings);
        const at::Tensor noise = noisy.recorded.at("random.000");
        QVERIFY(
            at::equal(left(noisy.latents), left(samplerOf(settings)->addNoise(image(), noise, 4))));
        settings.keepNoise = false;
        QVERIFY(at::equal(left(run(settings).latents), left(image())));
    }

    void aRangeThatEndsAtAFractionKeepsTheNoiseOfTheImage() {
        const RunSettings settings{.start = 1, .endAt = 0.5, .inpainting = {.mask = rightHalf()}};
        const Run noisy = run(settings);
        const auto sampler = samplerOf(settings);
        const int end = callsOf(*sampler, {.endAt = 0.5}).last;
        QVERIFY(end > 1 && end < sampler->callCount());
        QVERIFY(at::equal(left(noisy.latents),
                          left(sampler->addNoise(image(), noisy.recorded.at("random.000"), end))));
    }

    void drawsAsOftenAsTheReference_data() {
        QTest::addColumn<bool>("isDrawn");
        QTest::addColumn<bool>("hasMask");
        QTest::addColumn<int>("masked");  // 0: none, 1: mean, 2: drawn
        QTest::addColumn<bool>("isFullStrength");
        QTest::addColumn<int>("draws");
        QTest::newRow("image to image") << false << false << 0 << false << 1;
        QTest::newRow("image to image, drawn") << true << false << 0 << false << 2;
        QTest::newRow("blended") << false << true << 0 << false << 1;
        QTest::newRow("blended, drawn") << true << true << 0 << false << 3;
        QTest::newRow("blended, drawn, all steps") << true << true << 0 << true << 3;
        QTest::newRow("nine channels") << true << true << 2 << false << 3;
        QTest::newRow("nine channels, all steps") << true << true << 2 << true << 2;
        QTest::newRow("nine channels, mean") << false << true << 1 << true << 1;
    }

    void drawsAsOftenAsTheReference() {
        QFETCH(bool, isDrawn);
        QFETCH(bool, hasMask);
        QFETCH(int, masked);
        QFETCH(bool, isFullStrength);
        QFETCH(int, draws);
        RunSettings settings{.start = isFullStrength ? 0 : 2, .startsEmpty = isFullStrength};
        settings.deviation = isDrawn ? at::full({2, 4, 5, 6}, 0.5) : at::Tensor();
        settings.inpainting.mask = hasMask ? rightHalf() : at::Tensor();
        if (masked > 0) {
            settings.inpainting.masked = maskedImage(masked == 2);
        }
        QCOMPARE(run(settings).draws(), static_cast<size_t>(draws));
    }

    void theLatentsAreDrawnBeforeTheirNoise() {
        const at::Tensor deviation = at::rand({2, 4, 5, 6}) + 0.5;
        const RunSettings settings{.start = 2, .deviation = deviation};
        const Run drawn = run(settings);
        const at::Tensor clean = image() + deviation * drawn.recorded.at("random.000");
        QVERIFY(at::equal(
            drawn.recorded.at("latents.init"),
            samplerOf(settings)->addNoise(clean, drawn.recorded.at("random.001"), settings.start)));
    }

    void aNetworkThatFillsMasksGetsMaskAndImageWithTheLatents() {
        RunSettings settings{.sampler = "euler", .start = 0, .startsEmpty = true};
        settings.inpainting = {.mask = rightHalf(), .masked = maskedImage(true)};

        const Run filled = run(settings);

        const at::Tensor masked =
            image() * 0.5 + at::full({2, 4, 5, 6}, 0.25) * filled.recorded.at("random.001");
        for (const char* key : {"model_in.000", "model_in.005"}) {
            const at::Tensor seen = filled.recorded.at(key);
            QCOMPARE(seen.sizes().vec(), (std::vector<int64_t>{4, 9, 5, 6}));
            for (const int64_t side : {0, 2}) {
                const at::Tensor half = seen.narrow(0, side, 2);
                QVERIFY(at::equal(half.narrow(1, 4, 1), rightHalf().expand({2, 1, 5, 6})));
                QVERIFY(at::equal(half.narrow(1, 5, 4), masked));
            }
        }
        QCOMPARE(filled.latents.sizes().vec(), image().sizes().vec());
        QVERIFY(!at::equal(left(filled.latents), left(image())));
    }
};

LOWTIDE_TEST(InpaintingTest)

}  // namespace lowtide::sampling::inpainting_test

#include "inpainting_test.moc"
