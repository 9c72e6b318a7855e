// A base and its refiner: ranges of one schedule by fractions.

#include "nodes/engine/spec_parts.hpp"
#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/checkpoint_copy.hpp"
#include "tests/unit/models/image_bench.hpp"
#include "tests/unit/models/known_shapes.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace handover_test {

using namespace lowtide;
using nodes::WireRef;
using testing::DenoiseRequest;
using testing::ImageBench;

namespace {

constexpr const char* kMini = "builtin:mini";

DenoiseRequest baseRequest(ImageBench& bench) {
    DenoiseRequest request = bench.request("a cat", "dark");
    request.latent = bench.emptyLatent(64, 48);
    request.steps = 6;
    request.cfg = 3;
    request.seed = 5;
    request.sampler = "dpmpp_2m";
    request.endAt = 0.6;
    return request;
}

/// `request` goes on with `latent` where its base ended.
DenoiseRequest refining(DenoiseRequest request, const WireRef& latent) {
    request.latent = latent->onHost();
    request.startAt = request.endAt;
    request.endAt = 1;
    return request;
}

testing::DenoiseShapes shapesOfRun(WireRef latentKind) {
    testing::DenoiseShapes shapes{
        .latent = {1, 4, 6, 8}, .positive = {1, 32, 128}, .negative = {1, 32, 128}};
    shapes.latentKind = std::move(latentKind);
    return shapes;
}

using Change = void (*)(DenoiseRequest&);

struct Refusal {
    const char* row;
    Change change;
    const char* item;
    const char* expected;
};

const Refusal kRefusals[] = {
    {"fraction under 0",
     [](DenoiseRequest& r) { r.startAt = -0.1; },
     "start_at",
     "start_at is -0.1"},
    {"fraction above 1", [](DenoiseRequest& r) { r.endAt = 1.5; }, "end_at", "end_at is 1.5"},
    {"fraction is no number", [](DenoiseRequest& r) { r.endAt = NAN; }, "end_at", "nan"},
    {"two beginnings",
     [](DenoiseRequest& r) { r.startStep = 2; },
     "start_at",
     "both steps (start_step 2, end_step -1) and fractions (start_at 0.6, end_at 1)"},
    {"two ends",
     [](DenoiseRequest& r) {
         r.startAt = 0;
         r.endAt = 0.5;
         r.endStep = 3;
     },
     "end_at",
     "both steps (start_step 0, end_step 3) and fractions (start_at 0, end_at 0.5)"},
    {"a step and a fraction",
     [](DenoiseRequest& r) { r.endStep = 5; },
     "start_at",
     "both steps (start_step 0, end_step 5)"},
    {"strength too",
     [](DenoiseRequest& r) { r.strength = 0.5; },
     "start_at",
     "both the strength of 0.5 and start_at 0.6"},
    {"no step is left", [](DenoiseRequest& r) { r.startAt = 0.9999; }, "start_at", "no step of 6"},
    {"no step is taken",
     [](DenoiseRequest& r) {
         r.startAt = 0;
         r.endAt = 0.0001;
     },
     "end_at",
     "no step of 6"},
    {"end before the start", [](DenoiseRequest& r) { r.endAt = 0.4; }, "start_at", "end_at 0.4"},
};

}  // namespace

class HandoverTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void refusedBeforeTheRun_data() { testing::addEach(kRefusals, &Refusal::row); }

    /// By the spec, which `check` and `plan` ask for.
    void refusedBeforeTheRun() {
        QFETCH(int, index);
        const Refusal& refusal = kRefusals[index];
        ImageBench bench(kMini);
        DenoiseRequest request = baseRequest(bench);
        request.startAt = 0.6;
        request.endAt = 1;
        refusal.change(request);
        const auto error = testing::errorOf([&] {
            (void)testing::spec(bench.stages(), testing::known(shapesOfRun(nullptr), request));
        });
        QVERIFY(error);
        QVERIFY(error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string(refusal.item));
        QVERIFY2(error->message().str().find(refusal.expected) != std::string::npos,
                 error->message().str().c_str());
        QVERIFY(!error->hint().empty());
    }

    void wantsALatentThatCarriesNoise() {
        ImageBench bench(kMini);
        DenoiseRequest request = baseRequest(bench);
        request.startAt = 0.6;
        request.endAt = 1;
        const auto error = testing::errorOf([&] {
            (void)testing::spec(
                bench.stages(),
                testing::known(shapesOfRun(testing::emptyLatentSpec(64, 48)), request));
        });
        QVERIFY(error && error->item() == "start_at");
        QVERIFY2(error->message().str().find("the latent is empty") != std::string::npos,
                 error->message().str().c_str());

        testing::DenoiseShapes masked = shapesOfRun(nullptr);
        masked.mask = {1, 1, 48, 64};
        const auto withMask = testing::errorOf(
            [&] { (void)testing::spec(bench.stages(), testing::known(masked, request)); });
        QVERIFY(withMask && withMask->item() == "start_at");
    }

    void warnsOfAnEncodedImage() {
        ImageBench bench(kMini);
        DenoiseRequest request = baseRequest(bench);
        const auto image = std::make_shared<const nodes::LatentSpec>(true);
        QVERIFY(testing::spec(bench.stages(), testing::known(shapesOfRun(image), request))
                    .issues.empty());
        request.startAt = 0.8;
        request.endAt = 1;
        const Issues issues =
            testing::spec(bench.stages(), testing::known(shapesOfRun(image), request)).issues;
        QCOMPARE(issues.size(), 1U);
        QCOMPARE(issues.front().severity, Severity::Warning);
        QCOMPARE(issues.front().item, std::string("start_at"));
        QVERIFY2(issues.front().hint.str().find("strength to 0.2") != std::string::npos,
                 issues.front().hint.str().c_str());
    }

    void nothingButTheLatentIsHandedOver_data() {
        const testing::Rows<bool, bool> row("keepNoise", "addNoise");
        row("by default", false, true);
        row("with what two passes by steps want", true, false);
    }

    /// Whatever the switches of ranges by steps state: the base's noise is kept, none is added.
    void nothingButTheLatentIsHandedOver() {
        QFETCH(bool, keepNoise);
        QFETCH(bool, addNoise);
        ImageBench bench(kMini);
        DenoiseRequest request = baseRequest(bench);
        request.keepNoise = keepNoise;
        const WireRef base = bench.denoise(request);
        QVERIFY(!dynamic_cast<const tensor::Latents&>(*base).carry());
        DenoiseRequest byStep = baseRequest(bench);
        byStep.endAt = 1;
        byStep.endStep = 4;
        byStep.keepNoise = true;
        const WireRef same = bench.denoise(byStep);
        QVERIFY(at::equal(ImageBench::samplesOf(base), ImageBench::samplesOf(same)));

        DenoiseRequest second = refining(request, base);
        second.addNoise = addNoise;
        bench.bench().record();
        const WireRef refined = bench.denoise(second);
        QVERIFY(!bench.bench().recorded().contains("random.000"));
        // The carry of the pass by steps would go on with it.
        second.latent = same->onHost();
        QVERIFY(at::equal(ImageBench::samplesOf(bench.denoise(second)),
                          ImageBench::samplesOf(refined)));
    }

    void planCountsTheCallsOfARange_data() {
        const testing::Rows<QString, double, double, int> row(
            "sampler", "startAt", "endAt", "calls");
        // 1000 timesteps in 20 steps, from 951 down in strides of 50.
        row("base", "ddim", 0.0, 0.8, 16);
        row("refiner", "ddim", 0.8, 1.0, 4);
        row("middle", "ddim", 0.3, 0.8, 10);
        row("base of two stages", "heun", 0.0, 0.5, 19);
        row("refiner of two stages", "heun", 0.5, 1.0, 21);
    }

    void planCountsTheCallsOfARange() {
        QFETCH(QString, sampler);
        QFETCH(double, startAt);
        QFETCH(double, endAt);
        QFETCH(int, calls);
        ImageBench bench(kMini);
        DenoiseRequest request = baseRequest(bench);
        request.steps = 20;
        request.sampler = sampler.toStdString();
        request.spacing = "leading";
        request.startAt = startAt;
        request.endAt = endAt;
        const WireRef latent =
            std::make_shared<const tensor::Latents>(at::zeros({1, 4, 6, 8}), tensor::Provenance());
        request.latent = latent;
        bench.bench().record();
        (void)bench.denoise(request);
        int taken = 0;
        for (const auto& [name, tensor] : bench.bench().recorded()) {
            taken += name.starts_with("model_out.") ? 1 : 0;
        }
        QCOMPARE(taken, calls);
        const testing::StageSpec spec =
            testing::spec(bench.stages(), testing::known(shapesOfRun(nullptr), request));
        QCOMPARE(spec.dryRun({"cpu"}).components.at(0).forwards, int64_t{calls});
        QCOMPARE(spec.output().tensors.size(), 1U);
    }

    void imagesRecordBaseAndRefiner() {
        ImageBench base(kMini);
        const testing::CheckpointCopy copy;
        ImageBench refiner(copy.path());
        const WireRef left = base.denoise(baseRequest(base));
        const std::string ofBase = textOf(base, left);
        QVERIFY2(ofBase.find("Denoising end: 0.6, ") != std::string::npos, ofBase.c_str());

        DenoiseRequest request = refining(baseRequest(refiner), left);
        request.steps = 20;
        const std::string text = textOf(refiner, refiner.denoise(request));

        const std::string hash =
            files::sha256OfFile(copy.path() + "/unet/diffusion_pytorch_model.safetensors")
                .substr(0, 10);
        QVERIFY2(text.find("Steps: 6, ") != std::string::npos, text.c_str());
        QVERIFY2(text.find("Model: mini, ") != std::string::npos, text.c_str());
        QVERIFY2(text.find("Refiner: copy, Refiner hash: " + hash + ", Refiner switch at: 0.6, ") !=
                     std::string::npos,
                 text.c_str());
    }

private:
    static std::string textOf(ImageBench& bench, const WireRef& latent) {
        const auto& provenance = dynamic_cast<const tensor::Latents&>(*latent).provenance();
        return bench.stages().parametersText(
            std::make_shared<const tensor::Images>(at::zeros({1, 3, 8, 8}), provenance), 0);
    }
};

LOWTIDE_TEST(HandoverTest)

}  // namespace handover_test

#include "handover_test.moc"
