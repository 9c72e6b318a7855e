// Compares what adapters add inside the UNet with diffusers' UNet2DConditionModel.

#include "nodes/denoise/merged_denoiser.hpp"
#include "plugin/checkpoints/adapters/adapter_math.hpp"
#include "plugin/nn/denoisers/unet2d_condition.hpp"
#include "plugin/nn/denoisers/unet2d_inputs.hpp"
#include "plugin/nn/dry_run.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/model_bench.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <QtTest/QtTest>

namespace unet_residuals_test {

using namespace lowtide;
using models::UNetResiduals;
using nodes::WireRef;
using testing::ModelBench;
using testing::Truth;

namespace {

constexpr const char* kScript = "make_residual_goldens.py";
/// As in dry_run_test: on the CPU oneDNN chooses its layouts by processor, on the GPU no byte
/// may differ.
constexpr double kLargestError = 0.05;

std::vector<at::Tensor> listIn(const Truth& truth, const std::string& prefix) {
    std::vector<at::Tensor> list;
    for (size_t i = 0; truth.has(prefix + std::to_string(i)); ++i) {
        list.push_back(truth.tensor(prefix + std::to_string(i)));
    }
    return list;
}

/// The seeded residuals of a variant that the row of the truth was computed with.
UNetResiduals seeded(const Truth& truth, const std::string& variant, const std::string& row) {
    UNetResiduals residuals;
    if (row == "control" || row == "all") {
        residuals.skips = listIn(truth, variant + ".skip.");
        residuals.middle = truth.tensor(variant + ".middle");
    }
    if (row == "blocks" || row == "all") {
        residuals.blocks = listIn(truth, variant + ".block.");
    }
    if (row == "all") {
        residuals.blocks.push_back(truth.tensor(variant + ".extra"));
    }
    return residuals;
}

/// All of `residuals` on the device.
UNetResiduals onDevice(UNetResiduals residuals, c10::Device device) {
    for (auto* list : {&residuals.skips, &residuals.blocks}) {
        for (at::Tensor& each : *list) {
            each = tensor::upload(each, device);
        }
    }
    if (residuals.middle.defined()) {
        residuals.middle = tensor::upload(residuals.middle, device);
    }
    return residuals;
}

/// The same shapes on the wires of a dry run.
UNetResiduals onWires(UNetResiduals residuals) {
    for (auto* list : {&residuals.skips, &residuals.blocks}) {
        for (at::Tensor& each : *list) {
            each = models::DryRun::onWire(each.sizes());
        }
    }
    if (residuals.middle.defined()) {
        residuals.middle = models::DryRun::onWire(residuals.middle.sizes());
    }
    return residuals;
}

tensor::Conditioning promptOf(const at::Tensor& embeds) {
    return {embeds, at::Tensor(), "", -1};
}

/// One call of the denoiser of `model` without guidance, one prompt for all images.
at::Tensor predict(residency::WeightSource& weights,
                   const models::Model& model,
                   const tensor::Conditioning& prompt,
                   const at::Tensor& latents,
                   const UNetResiduals& residuals,
                   models::DryRun* dryRun = nullptr) {
    models::StageContext context{
        .weights = weights, .record = tensor::Record(nullptr), .dryRun = dryRun};
    const auto denoiser = model.makeDenoiser(context,
                                             {.positive = prompt,
                                              .negative = nullptr,
                                              .batch = latents.size(0),
                                              .cfg = 1,
                                              .residuals = [&](const auto&) { return residuals; }});
    return denoiser->predict(latents, at::scalar_tensor(301, at::kLong), {});
}

using Change = std::function<void(UNetResiduals&)>;

struct Refusal {
    const char* row;
    Change change;
    const char* expected;
};

std::vector<Refusal> refusals() {
    return {{"one skip too few",
             [](UNetResiduals& r) { r.skips.pop_back(); },
             "11 residuals for skips, the denoiser has 12"},
            {"no middle",
             [](UNetResiduals& r) { r.middle = at::Tensor(); },
             "residuals for skips and none for the middle"},
            {"middle alone", [](UNetResiduals& r) { r.skips.clear(); }, "none for skips"},
            {"another size",
             [](UNetResiduals& r) {
                 r.skips[4] = at::zeros({2, 96, 8, 8});
             },
             "residual of skip 4 is Float [2, 96, 8, 8], the denoiser needs Float [2, 96, 4, 4]"},
            {"another batch",
             [](UNetResiduals& r) { r.middle = r.middle.narrow(0, 0, 1); },
             "residual of the middle block is Float [1, 128, 1, 1]"},
            {"half precision",
             [](UNetResiduals& r) { r.blocks[2] = r.blocks[2].to(at::kHalf); },
             "residual of block 2 is Half"},
            {"a missing one",
             [](UNetResiduals& r) { r.blocks[0] = at::Tensor(); },
             "residual of block 0 is missing"},
            {"too few blocks",
             [](UNetResiduals& r) { r.blocks.resize(3); },
             "3 residuals for blocks, the denoiser has 4 on the way down"}};
}

}  // namespace

class UNetResidualsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { truth_ = std::make_unique<Truth>(kScript, "seeded"); }

    void predictsWhatTheReferenceDoes_data() {
        QTest::addColumn<QString>("variant");
        QTest::addColumn<QString>("row");
        for (const char* variant : {"sd15_0", "sd15_1", "sd15_2", "sd15_3"}) {
            for (const char* row : {"none", "control", "blocks", "all"}) {
                QTest::addRow("%s %s", variant, row) << variant << row;
            }
        }
    }

    void predictsWhatTheReferenceDoes() {
        QFETCH(QString, variant);
        QFETCH(QString, row);
        const std::string name = variant.toStdString();
        ModelBench bench;
        const WireRef model = bench.load(testing::goldenCheckpoint(name));
        const UNetResiduals residuals = seeded(*truth_, name, row.toStdString());

        at::Tensor made;
        bench.runWith(model, models::kDenoiser, [&] {
            made = predict(bench.residency(),
                           ModelBench::modelOf(model),
                           promptOf(truth_->tensor(name + ".context")),
                           truth_->tensor(name + ".sample"),
                           residuals);
        });

        QCOMPARE(truth_->disagreement(name + ".out." + row.toStdString(), made), std::string());
        const UNetResiduals fresh = seeded(*truth_, name, row.toStdString());
        for (size_t i = 0; i < fresh.skips.size(); ++i) {
            QVERIFY2(at::equal(residuals.skips[i], fresh.skips[i]), "a residual was written to");
        }
        for (size_t i = 0; i < fresh.blocks.size(); ++i) {
            QVERIFY2(at::equal(residuals.blocks[i], fresh.blocks[i]), "a residual was written to");
        }
    }

    void takesWhatAControlNetGave_data() {
        QTest::addColumn<QString>("variant");
        QTest::newRow("two resnets a block") << "0";
        QTest::newRow("one resnet a block") << "2";
    }

    /// The first step of a guided run, recorded with a real ControlNet.
    void takesWhatAControlNetGave() {
        QFETCH(QString, variant);
        const Truth truth(kScript, ("control_" + variant).toStdString());
        ModelBench bench;
        const WireRef model =
            bench.load(testing::goldenCheckpoint("sd15_" + variant.toStdString()));
        const UNetResiduals residuals{.skips = listIn(truth, "controlnet.down."),
                                      .middle = truth.tensor("controlnet.mid"),
                                      .blocks = {}};
        const at::Tensor prompts = truth.tensor("model_cond");
        const tensor::Conditioning negative = promptOf(prompts.narrow(0, 0, 1));
        const tensor::Conditioning positive = promptOf(prompts.narrow(0, 1, 1));

        at::Tensor made;
        bench.runWith(model, models::kDenoiser, [&] {
            models::StageContext context{bench.residency(), tensor::Record(nullptr)};
            const auto denoiser = ModelBench::modelOf(model).makeDenoiser(
                context,
                {.positive = positive,
                 .negative = &negative,
                 .batch = 1,
                 .cfg = 7.5,
                 .residuals = [&](const auto&) { return residuals; }});
            made = denoiser->predict(truth.tensor("model_in.000"), truth.tensor("model_t.000"), {});
        });

        QCOMPARE(truth.disagreement("model_out.000", made), std::string());
    }

    void asksForTheResidualsOfEachCall() {
        ModelBench bench;
        const WireRef model = bench.load(testing::goldenCheckpoint("sd15_2"));
        const tensor::Conditioning prompt = promptOf(truth_->tensor("sd15_2.context"));
        const at::Tensor latents = truth_->tensor("sd15_2.sample");
        std::vector<int> steps;
        std::vector<double> times;
        int areas = 0;
        bench.runWith(model, models::kDenoiser, [&] {
            models::StageContext context{bench.residency(), tensor::Record(nullptr)};
            const auto denoiser = ModelBench::modelOf(model).makeDenoiser(
                context,
                {.positive = prompt,
                 .negative = nullptr,
                 .batch = 1,
                 .cfg = 1,
                 .residuals = [&](const models::ResidualsCall& call) {
                     areas += call.area ? 1 : 0;
                     steps.push_back(call.step.step);
                     times.push_back(call.timestep.item<double>());
                     return at::equal(call.latents, latents) ? seeded(*truth_, "sd15_2", "control")
                                                             : UNetResiduals();
                 }});
            const at::Tensor with =
                denoiser->predict(latents, at::scalar_tensor(301, at::kLong), {.step = 3});
            const at::Tensor without =
                denoiser->predict(latents * 2, at::scalar_tensor(21, at::kLong), {.step = 4});
            QCOMPARE(truth_->disagreement("sd15_2.out.control", with), std::string());
            QVERIFY(without.isfinite().all().item<bool>());
        });
        QCOMPARE(areas, 0);
        QCOMPARE(steps, (std::vector<int>{3, 4}));
        QCOMPARE(times, (std::vector<double>{301, 21}));
    }

    /// A prompt of its own for a part of the image: adapters must know which part they add to.
    void reportsWhichPartOfTheImageAPromptSpeaksIn() {
        ModelBench bench;
        const WireRef model = bench.load(testing::goldenCheckpoint("sd15_2"));
        const at::Tensor embeds = truth_->tensor("sd15_2.context").narrow(0, 0, 1);
        const at::Tensor latents = truth_->tensor("sd15_2.sample").narrow(0, 0, 1);
        const int64_t factor = ModelBench::modelOf(model).info().latent.factor;
        const int64_t height = latents.size(2);
        const int64_t width = latents.size(3);
        const tensor::ImageArea right{.xPixels = width / 2 * factor,
                                      .yPixels = 0,
                                      .widthPixels = width / 2 * factor,
                                      .heightPixels = height * factor};
        const tensor::Conditioning prompts(
            {{.name = "embeds", .width = embeds.size(2)}},
            {{.tensors = {{"embeds", embeds}}},
             {.tensors = {{"embeds", embeds}}, .scope = {.area = right}}},
            "",
            -1);
        int whole = 0;
        int parts = 0;
        bench.runWith(model, models::kDenoiser, [&] {
            models::StageContext context{bench.residency(), tensor::Record(nullptr)};
            nodes::MergedDenoiser denoiser(
                context,
                ModelBench::modelOf(model),
                {.positive = prompts,
                 .negative = nullptr,
                 .batch = 1,
                 .cfg = 1,
                 .residuals =
                     [&](const models::ResidualsCall& call) {
                         const models::LatentArea* area = call.area;
                         const at::Tensor part = area ? latents.narrow(2, area->y, area->height)
                                                            .narrow(3, area->x, area->width)
                                                      : latents;
                         (area ? parts : whole) += at::equal(call.latents, part) ? 1 : 0;
                         return UNetResiduals();
                     }},
                nodes::regionalPrompts(
                    prompts, nullptr, {.height = height, .width = width, .downsampling = factor}));
            (void)denoiser.predict(latents, at::scalar_tensor(301, at::kLong), {});
        });
        QCOMPARE(whole, 1);
        QCOMPARE(parts, 1);
    }

    void refusesWhatDoesNotFit_data() { testing::addEach(refusals(), &Refusal::row); }

    void refusesWhatDoesNotFit() {
        QFETCH(int, index);
        const Refusal refusal = refusals()[static_cast<size_t>(index)];
        ModelBench bench;
        const WireRef model = bench.load(testing::goldenCheckpoint("sd15_0"));
        UNetResiduals residuals = seeded(*truth_, "sd15_0", "all");
        refusal.change(residuals);

        const auto error = testing::errorOf([&] {
            bench.runWith(model, models::kDenoiser, [&] {
                (void)predict(bench.residency(),
                              ModelBench::modelOf(model),
                              promptOf(truth_->tensor("sd15_0.context")),
                              truth_->tensor("sd15_0.sample"),
                              residuals);
            });
        });

        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QVERIFY2(error->message().str().find(refusal.expected) != std::string::npos,
                 error->message().str().c_str());
        QVERIFY(!error->hint().empty());
    }

    void theDryRunPredictsActivations_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("row");
        for (const char* device : {"cpu", "fake"}) {
            for (const char* row : {"none", "control", "blocks", "all"}) {
                QTest::addRow("%s %s", device, row) << device << row;
            }
        }
    }

    /// The residuals are there already, as an adapter's result is.
    void theDryRunPredictsActivations() {
        QFETCH(QString, device);
        QFETCH(QString, row);
        const std::string kind = device.toStdString();
        ModelBench bench({.kind = kind});
        const WireRef value = bench.load(testing::goldenCheckpoint("sd15_3"));
        const models::Model& model = ModelBench::modelOf(value);
        const at::Tensor embeds = truth_->tensor("sd15_3.context");
        at::Tensor latents = truth_->tensor("sd15_3.sample");
        UNetResiduals residuals = seeded(*truth_, "sd15_3", row.toStdString());
        at::Tensor prompt;
        bench.runWith(value, models::kDenoiser, [&] {
            const c10::Device there =
                bench.residency().torchDeviceOf(*model.tree(models::kDenoiser));
            latents = tensor::upload(latents, there);
            prompt = tensor::upload(embeds, there);
            residuals = onDevice(std::move(residuals), there);
        });
        bench.runWith(value, models::kDenoiser, [&] {
            (void)predict(bench.residency(), model, promptOf(prompt), latents, residuals);
        });
        const Bytes measured = bench.activationPeak();

        const c10::InferenceMode asOnTheRunThread;
        models::DryRun dryRun({.device = {.spec = {.kind = kind}}},
                              {model.tree(models::kDenoiser)},
                              models::adapterMath());
        (void)predict(dryRun,
                      model,
                      promptOf(models::DryRun::onWire(embeds.sizes())),
                      models::DryRun::onWire(latents.sizes()),
                      onWires(residuals),
                      &dryRun);
        const Bytes predicted = dryRun.work().activations;

        const double error =
            std::abs(static_cast<double>(predicted) / static_cast<double>(measured) - 1);
        QVERIFY2(
            error <= (kind == "fake" ? 0 : kLargestError),
            ("predicted " + std::to_string(predicted) + ", measured " + std::to_string(measured))
                .c_str());
    }

private:
    std::unique_ptr<Truth> truth_;
};

LOWTIDE_TEST(UNetResidualsTest)

}  // namespace unet_residuals_test

#include "unet_residuals_test.moc"
