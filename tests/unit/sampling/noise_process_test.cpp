// Solvers of every kind on EDM and flows, along a way that is known: data of one deviation.

#include "plugin/sampling/denoise_loop.hpp"
#include "plugin/sampling/noise_process.hpp"
#include "plugin/sampling/noise_schedule.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

#include <cmath>

namespace lowtide::sampling::noise_process_test {

namespace {

constexpr double kDeviation = 0.8;  // of the data
constexpr int kSteps = 200;
// Of the last latents: solvers of first order stand so far from the true end after 200 steps.
constexpr double kFarFromEnd = 0.03;

const char* const kEdm = R"({"_class_name": "EDMEulerScheduler", "prediction_type": "epsilon"})";
const char* const kFlow = R"({"_class_name": "FlowMatchEulerDiscreteScheduler", "shift": 3})";

/// The exact network for data of N(0, kDeviation^2), whose clean latents are a fraction of the
/// noisy ones.
class GaussianDenoiser final : public Denoiser {
public:
    explicit GaussianDenoiser(bool isFlow) : isFlow_(isFlow) {}

    at::Tensor predict(const at::Tensor& input,
                       const at::Tensor& timestep,
                       const StepInfo&) override {
        constexpr double kData = kDeviation * kDeviation;
        if (isFlow_) {
            const double sigma = timestepIn(timestep) / 1000;
            const double signal = 1 - sigma;
            const double fraction = signal * kData / (signal * signal * kData + sigma * sigma);
            return input * ((1 - fraction) / sigma);
        }
        constexpr double kTrained = 0.25;  // the square of sigma_data
        const double sigma = std::exp(4 * timestepIn(timestep));
        const double total = sigma * sigma + kTrained;
        const double fraction = kData / (kData + sigma * sigma);
        const double out = sigma * 0.5 / std::sqrt(total);
        return input * (std::sqrt(total) * (fraction - kTrained / total) / out);
    }

private:
    bool isFlow_;
};

/// What the latents of noise alone become, per deviation of theirs.
double endOf(const Schedule& schedule, bool isFlow) {
    const double sigma = *schedule.sigmas.const_data_ptr<float>();
    const double signal = isFlow ? 1 - sigma : 1;
    return kDeviation / std::sqrt(signal * signal * kDeviation * kDeviation + sigma * sigma);
}

}  // namespace

class NoiseProcessTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void solversGoToTheTrueEnd_data() {
        QTest::addColumn<QString>("sampler");
        QTest::addColumn<bool>("isFlow");
        for (const char* sampler :
             {"euler", "heun", "lms", "kdpm2", "dpmpp_2m", "dpmpp_3m", "dpmpp_single", "unipc"}) {
            QTest::addRow("%s, EDM", sampler) << sampler << false;
            QTest::addRow("%s, flow", sampler) << sampler << true;
        }
        // It ends where noise is left; on a flow that is the lowest level of the training.
        QTest::addRow("deis, EDM") << "deis" << false;
    }

    void solversGoToTheTrueEnd() {
        QFETCH(QString, sampler);
        QFETCH(bool, isFlow);
        const Json config = parseJson(isFlow ? kFlow : kEdm, "config");
        const auto made =
            samplerNamed(sampler.toStdString(), config).make(config, {.steps = kSteps});
        GaussianDenoiser denoiser(isFlow);
        const at::Tensor empty = at::zeros({1, 4, 8, 8});

        tensor::Recorder recorder;
        const DenoiseResult result = denoise(*made,
                                             denoiser,
                                             empty,
                                             {.seed = 3, .scheduleKey = {}},
                                             nullptr,
                                             StopToken(),
                                             tensor::Record(&recorder),
                                             [](int, int) {});

        const at::Tensor expected =
            recorder.tensors().at("latents.init") * endOf(made->schedule(), isFlow);
        const double distance =
            ((result.latents - expected).norm() / expected.norm()).item<double>();
        QVERIFY2(distance < kFarFromEnd, qPrintable(QString::number(distance)));
    }

    void ancestralSolversKeepTheDeviation_data() {
        QTest::addColumn<QString>("sampler");
        for (const char* sampler : {"euler_a", "kdpm2_a", "dpmpp_2m_sde"}) {
            QTest::addRow("%s", sampler) << sampler;
        }
    }

    void ancestralSolversKeepTheDeviation() {
        QFETCH(QString, sampler);
        const Json config = parseJson(kEdm, "config");
        const auto made =
            samplerNamed(sampler.toStdString(), config).make(config, {.steps = kSteps});
        GaussianDenoiser denoiser(false);
        const DenoiseResult result = denoise(*made,
                                             denoiser,
                                             at::zeros({4, 4, 32, 32}),
                                             {.seed = 3, .scheduleKey = {}},
                                             nullptr,
                                             StopToken(),
                                             tensor::Record(nullptr),
                                             [](int, int) {});
        constexpr double kOfSamples = 0.05;  // 16384 draws, and steps of first order
        const double deviation = result.latents.std().item<double>();
        QVERIFY2(std::abs(deviation / kDeviation - 1) < kOfSamples,
                 qPrintable(QString::number(deviation)));
    }

    void givesTheTimeOfAFraction_data() {
        const testing::Rows<QString, double, double> row("config", "fraction", "time");
        row("timesteps, half way", R"({"num_train_timesteps": 501})", 0.5, 250.0);
        row("EDM, noise alone", kEdm, 0.0, 0.25 * std::log(80.0));
        row("EDM, clean", kEdm, 1.0, 0.25 * std::log(0.002));
        row("flow, noise alone", kFlow, 0.0, 1000.0);
        row("flow, half way", kFlow, 0.5, 750.0);  // 3 * 0.5 / (1 + 2 * 0.5)
    }

    void givesTheTimeOfAFraction() {
        QFETCH(QString, config);
        QFETCH(double, fraction);
        QFETCH(double, time);
        const TimeAt timeAt = timeScaleOf(parseJson(config.toStdString(), "config"));
        constexpr double kRounding = 1e-12;
        QVERIFY(std::abs(timeAt(fraction) - time) <= kRounding * (1 + std::abs(time)));
    }

    void solversAlongTimestepsRefuseOtherProcesses_data() {
        QTest::addColumn<QString>("sampler");
        QTest::addColumn<QString>("config");
        for (const char* sampler : {"ddim", "ddpm", "pndm", "pndm_prk", "lcm", "tcd"}) {
            QTest::addRow("%s, EDM", sampler) << sampler << kEdm;
            QTest::addRow("%s, flow", sampler) << sampler << kFlow;
        }
        QTest::addRow("euler_a, flow") << "euler_a" << kFlow;
    }

    void solversAlongTimestepsRefuseOtherProcesses() {
        QFETCH(QString, sampler);
        QFETCH(QString, config);
        const Json settings = parseJson(config.toStdString(), "config");
        const auto error = testing::errorOf(
            [&] { (void)samplerNamed(sampler.toStdString(), settings).make(settings, {}); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("sampler"));
    }

    void theirClassesMeanSamplers_data() {
        const testing::Rows<QString, QString> row("config", "sampler");
        row("EDM Euler", kEdm, "euler");
        row("EDM DPM++", R"({"_class_name": "EDMDPMSolverMultistepScheduler"})", "dpmpp_2m");
        row("EDM SDE",
            R"({"_class_name": "EDMDPMSolverMultistepScheduler",
                                        "algorithm_type": "sde-dpmsolver++"})",
            "dpmpp_2m_sde");
        row("flow Euler", kFlow, "euler");
    }

    void theirClassesMeanSamplers() {
        QFETCH(QString, config);
        QFETCH(QString, sampler);
        const Json settings = parseJson(config.toStdString(), "config");
        QCOMPARE(samplerNamed("checkpoint", settings).name, sampler.toStdString());
    }
};

LOWTIDE_TEST(NoiseProcessTest)

}  // namespace lowtide::sampling::noise_process_test

#include "noise_process_test.moc"
