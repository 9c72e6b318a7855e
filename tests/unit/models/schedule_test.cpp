// Denoising along a schedule by name, and with the noise of ComfyUI.

#include "plugin/base/error.hpp"
#include "plugin/sampling/solvers/solver.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/image_bench.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace schedule_test {

using namespace lowtide;
using nodes::WireRef;
using testing::DenoiseRequest;
using testing::ImageBench;

namespace {

constexpr const char* kMini = "builtin:mini";
constexpr int kSteps = 4;
constexpr double kRounding = 1e-5;  ///< of latents that are multiplied once more

DenoiseRequest scheduled(ImageBench& bench, const std::string& sampler) {
    DenoiseRequest request = bench.request("a cat", "dark");
    request.latent = bench.emptyLatent(64, 48);
    request.steps = kSteps;
    request.cfg = 3;
    request.seed = 11;
    request.sampler = sampler;
    request.schedule = "karras";
    request.noise = "comfyui";
    return request;
}

int64_t callsOf(ImageBench& bench, const DenoiseRequest& request) {
    bench.bench().record();
    (void)bench.denoise(request);
    return bench.bench().recorded().at("timesteps").shape.front();
}

struct Refusal {
    const char* row;
    void (*edit)(DenoiseRequest&);
    const char* item;
};

const Refusal kRefusals[] = {
    {"noise without a schedule", [](DenoiseRequest& r) { r.schedule = "automatic"; }, "noise"},
    {"no such schedule", [](DenoiseRequest& r) { r.schedule = "steep"; }, "schedule"},
    {"timesteps of its own", [](DenoiseRequest& r) { r.sampler = "pndm"; }, "sampler"},
    {"sigmas", [](DenoiseRequest& r) { r.sigmas = "karras"; }, "sigmas"},
    {"spacing", [](DenoiseRequest& r) { r.spacing = "trailing"; }, "spacing"},
    {"eta", [](DenoiseRequest& r) { r.eta = 0.5; }, "eta"},
    {"a fraction to end at", [](DenoiseRequest& r) { r.endAt = 0.8; }, "end_at"},
    {"no step is left", [](DenoiseRequest& r) { r.startStep = kSteps; }, "start_step"},
    {"one step of a method that wants two",
     [](DenoiseRequest& r) {
         r.sampler = "dpm_adaptive";
         r.steps = 1;
     },
     "steps"}};

}  // namespace

class ScheduleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void everySolverDenoises_data() {
        QTest::addColumn<QString>("sampler");
        for (const sampling::SolverType& type : sampling::solvers()) {
            QTest::newRow(type.name.c_str()) << QString::fromStdString(type.name);
        }
    }

    /// With the noise of either program, which differs where steps draw.
    void everySolverDenoises() {
        QFETCH(QString, sampler);
        ImageBench bench(kMini);
        DenoiseRequest request = scheduled(bench, sampler.toStdString());
        const at::Tensor own = ImageBench::samplesOf(bench.denoise(request));
        request.noise = "diffusers";
        const at::Tensor other = ImageBench::samplesOf(bench.denoise(request));
        QVERIFY(at::isfinite(own).all().item<bool>());
        const sampling::SolverType* type = sampling::solverNamed(request.sampler);
        const bool draws = type->noise != sampling::SolverNoise::None;
        QCOMPARE(!at::equal(own, other), draws);
    }

    void aStrengthTakesAllStepsAsInComfyUI() {
        ImageBench bench(kMini);
        DenoiseRequest request = scheduled(bench, "euler");
        request.latent = bench.denoise(request);
        request.strength = 0.5;
        QCOMPARE(callsOf(bench, request), int64_t{kSteps});
        request.noise = "diffusers";
        QCOMPARE(callsOf(bench, request), int64_t{kSteps / 2});
    }

    void twoRangesOfEulerEqualOne() {
        ImageBench bench(kMini);
        const DenoiseRequest whole = scheduled(bench, "euler");
        DenoiseRequest first = whole;
        first.endStep = 2;
        first.keepNoise = true;
        DenoiseRequest second = whole;
        second.startStep = 2;
        second.addNoise = false;
        second.latent = bench.denoise(first);
        QVERIFY(at::allclose(ImageBench::samplesOf(bench.denoise(second)),
                             ImageBench::samplesOf(bench.denoise(whole)),
                             0,
                             kRounding));
    }

    void cfgPlusPlusWantsANegativePromptAtAnyGuidance() {
        ImageBench bench(kMini);
        DenoiseRequest request = scheduled(bench, "euler_cfg_pp");
        request.cfg = 1;
        request.negative = nullptr;
        const auto error = testing::errorOf([&] { (void)bench.denoise(request); });
        QVERIFY(error);
        QCOMPARE(error->item(), std::string("negative"));
        QVERIFY2(error->hint().str().ends_with("without CFG++"), error->hint().str().c_str());
    }

    void whatDoesNotGoTogetherIsRefused_data() { testing::addEach(kRefusals, &Refusal::row); }

    void whatDoesNotGoTogetherIsRefused() {
        QFETCH(int, index);
        ImageBench bench(kMini);
        DenoiseRequest request = scheduled(bench, "euler");
        kRefusals[index].edit(request);
        const auto error = testing::errorOf([&] { (void)bench.denoise(request); });
        QVERIFY(error);
        QCOMPARE(error->item(), std::string(kRefusals[index].item));
        QVERIFY(!error->hint().empty());
    }
};

LOWTIDE_TEST(ScheduleTest)

}  // namespace schedule_test

#include "schedule_test.moc"
