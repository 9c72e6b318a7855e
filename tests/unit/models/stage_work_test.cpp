// Compares leases, forwards and operations of the dry run with those of a run.

#include "nodes/decode/decode.hpp"
#include "nodes/denoise/denoise.hpp"
#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/dry_run.hpp"
#include "plugin/tensor/kernels_meta.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/checkpoint_copy.hpp"
#include "tests/unit/models/dry_run_case.hpp"
#include "tests/unit/models/host_weights.hpp"
#include "tests/unit/models/known_shapes.hpp"

#include <ATen/ATen.h>

#include <QFile>
#include <QtTest/QtTest>

namespace stage_work_test {

using namespace lowtide;
using memory::LeafId;
using memory::StageWork;
using nodes::WireRef;
using testing::DryRunCase;
using testing::ModelBench;

namespace {

/// For the stage alone, without its node.
nodes::DenoiseAsked askedIn(const testing::DenoiseRequest& request) {
    return {.model = request.model,
            .positive = request.positive,
            .negative = request.negative,
            .latent = request.latent,
            .steps = request.steps,
            .cfg = request.cfg,
            .sampler = request.sampler};
}

/// Notes the leases that a run takes, in order.
class NotedLeases final : public testing::ForwardingWeights {
public:
    using ForwardingWeights::ForwardingWeights;

    [[nodiscard]] residency::Lease use(const memory::ComponentTree& tree, LeafId leaf) override {
        seen_.push_back(leaf);
        return ForwardingWeights::use(tree, leaf);
    }

    [[nodiscard]] const std::vector<LeafId>& seen() const { return seen_; }

private:
    std::vector<LeafId> seen_;
};

/// Counts how often the host waited for the device.
class NotedWaits final : public testing::ForwardingWeights {
public:
    using ForwardingWeights::ForwardingWeights;

    void finishCompute(const memory::ComponentTree& tree) override {
        ++waits;
        ForwardingWeights::finishCompute(tree);
    }

    double waits = 0;
};

/// The leases of `work` in a real run.
std::vector<LeafId> leasesOf(ModelBench& bench,
                             const WireRef& model,
                             std::string_view role,
                             const std::function<void(models::StageContext&)>& work) {
    NotedLeases leases(bench.residency());
    models::StageContext context{.weights = leases, .record = tensor::Record(nullptr)};
    bench.runWith(model, role, [&] { work(context); });
    return leases.seen();
}

std::vector<LeafId> leavesOf(const memory::ComponentWork& work, int64_t forwards) {
    std::vector<LeafId> leaves;
    for (int64_t forward = 0; forward < forwards; ++forward) {
        for (const memory::LeafUse& use : work.forward) {
            leaves.push_back(use.leaf);
        }
    }
    return leaves;
}

double flopsOf(const memory::ComponentWork& work, std::string_view leaf) {
    for (const memory::LeafUse& use : work.forward) {
        if (work.tree->leaves[use.leaf].name == leaf) {
            return use.flops;
        }
    }
    throw std::runtime_error("the dry run did not use " + std::string(leaf));
}

void addCheckpoints() {
    QTest::addColumn<QString>("checkpoint");
    for (const char* name : {"mini", "sd15_1", "sd15_3", "sd15_4"}) {
        QTest::newRow(name) << name;
    }
}

}  // namespace

class StageWorkTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void encodesInTheOrderOfTheLeases_data() { addCheckpoints(); }

    void encodesInTheOrderOfTheLeases() {
        QFETCH(QString, checkpoint);
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, checkpoint.toStdString());
        const StageWork work =
            testing::spec(bench.stages(),
                          testing::EncodeRequest{
                              .model = model, .prompt = "a", .negative = "b", .clipSkip = 1})
                .dryRun({"cpu"});
        const auto seen = leasesOf(bench, model, models::kTextEncoder, [&](auto& context) {
            (void)ModelBench::modelOf(model).encodePrompts(
                context, {.prompt = "a", .negative = "b", .clipSkip = 1});
        });
        QCOMPARE(work.components.size(), 1U);
        QCOMPARE(work.components[0].forwards, 1);
        // Skipped layers give the final norm a second use.
        const std::vector<LeafId> once = leavesOf(work.components[0], 1);
        QCOMPARE(once.back(), once[once.size() - 2]);
        QCOMPARE(seen, once);
    }

    void asksAboutConvolutionsUnderItsOwnSwitches_data() {
        const testing::Rows<QString, bool, bool> row("preset", "asks", "allowsTf32");
        row("quality", "quality", true, false);
        row("balanced", "balanced", true, true);
        row("speed", "speed", false, false);  // cuDNN searches for the fastest
    }

    /// On a GPU of compute capability 8.0; LibTorch's switches are as they were afterwards.
    void asksAboutConvolutionsUnderItsOwnSwitches() {
        QFETCH(QString, preset);
        QFETCH(bool, asks);
        QFETCH(bool, allowsTf32);
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, "mini");
        std::vector<residency::ConvolutionShape> asked;
        tensor::setConvolutionQuestion([&](const auto& shape) {
            asked.push_back(shape);
            return std::optional<Bytes>(0);
        });
        const auto cleanUp = qScopeGuard([] { tensor::setConvolutionQuestion({}); });
        const memory::PrecisionChoice precision{.preset = preset.toStdString(),
                                                .types = {.compute = DType::F32},
                                                .capabilities = {{"", 80}}};
        const bool before = at::globalContext().deterministicCuDNN();
        const auto check = [&](const testing::StageSpec& spec) {
            asked.clear();
            const StageWork there = spec.dryRun({"cuda"});
            QCOMPARE(!asked.empty(), asks);
            QCOMPARE(there.guessed == 0, asks);
            const size_t count = asked.size();
            const StageWork absent =
                spec.dryRun({.device = {.spec = {.kind = "cuda"}, .isThere = false}});
            QCOMPARE(asked.size(), count);  // nobody knows that GPU
            QVERIFY(absent.guessed > 0 && absent.guessed < absent.activations);
            for (const residency::ConvolutionShape& shape : asked) {
                QCOMPARE(shape.gpu, 0);
            }
            (void)spec.dryRun({.device = {.spec = {.kind = "cuda", .index = 1}}});
            QCOMPARE(asked.size(), 2 * count);
            for (size_t i = count; i < asked.size(); ++i) {
                QCOMPARE(asked[i].gpu, 1);
            }
            for (const residency::ConvolutionShape& shape : asked) {
                QVERIFY(shape.isDeterministic);
                QCOMPARE(shape.allowsTf32, allowsTf32);
            }
            QCOMPARE(at::globalContext().deterministicCuDNN(), before);
        };
        const DryRunCase dryRunCase{.steps = 2};
        testing::DenoiseRequest denoise = testing::requestOf(bench, model, dryRunCase);
        denoise.precision = precision;
        check(testing::spec(bench.stages(),
                            testing::known(testing::shapesOf(model, dryRunCase), denoise)));
        check(testing::spec(
            bench.stages(),
            testing::known({1, 4, 8, 8},
                           testing::DecodeRequest{.model = model, .precision = precision})));
        check(testing::spec(
            bench.stages(),
            testing::known({.image = {1, 3, 64, 64}},
                           testing::ImageEncodeRequest{.model = model, .precision = precision})));
    }

    void denoisesInTheOrderOfTheLeases_data() { addCheckpoints(); }

    void denoisesInTheOrderOfTheLeases() {
        QFETCH(QString, checkpoint);
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, checkpoint.toStdString());
        const DryRunCase dryRunCase{.batch = 2, .sampler = "dpmpp_2m", .steps = 6};
        testing::DenoiseRequest request = testing::requestOf(bench, model, dryRunCase);
        const testing::DenoiseShapes shapes = testing::shapesOf(model, dryRunCase);
        request.positive = request.negative = std::make_shared<const tensor::Conditioning>(
            at::zeros(shapes.positive), at::Tensor(), "", -1);
        const auto seen = leasesOf(bench, model, models::kDenoiser, [&](auto& context) {
            (void)nodes::denoiseLatents(context, askedIn(request), bench.call("denoise"));
        });
        const StageWork work =
            testing::spec(bench.stages(), testing::known(shapes, request)).dryRun({"cpu"});
        QCOMPARE(work.components.size(), 1U);
        QCOMPARE(work.components[0].tree->role, std::string(models::kDenoiser));
        QCOMPARE(work.components[0].forwards, 6);
        QCOMPARE(seen, leavesOf(work.components[0], 6));
    }

    /// On a GPU work is queued: progress reports what is done.
    void stepsAndImagesAreReportedWhenTheyAreDone() {
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, "mini");
        testing::DenoiseRequest request = testing::requestOf(bench, model, {.cfg = 1, .steps = 5});
        request.positive = std::make_shared<const tensor::Conditioning>(
            at::zeros(testing::shapesOf(model, {}).positive), at::Tensor(), "", -1);
        NotedWaits weights(bench.residency());
        models::StageContext context{.weights = weights, .record = tensor::Record(nullptr)};
        std::vector<double> reported;
        nodes::StageCall call = bench.call("node");
        call.progress = [&](std::string_view, double done, double) {
            reported.push_back(done);
            QCOMPARE(weights.waits, done);
        };

        bench.runWith(model, models::kDenoiser, [&] {
            (void)nodes::denoiseLatents(context, askedIn(request), call);
        });
        QCOMPARE(reported, (std::vector<double>{1, 2, 3, 4, 5}));

        weights.waits = 0;
        reported.clear();
        const auto latents = std::make_shared<const tensor::Latents>(
            at::zeros({3, 4, 4, 4}), tensor::Provenance(), nullptr);
        bench.runWith(model, models::kAutoencoder, [&] {
            (void)nodes::decodeLatents(context, {.model = model, .latent = latents}, call);
        });
        QCOMPARE(reported, (std::vector<double>{1, 2, 3}));
    }

    void decodesInTheOrderOfTheLeases_data() { addCheckpoints(); }

    void decodesInTheOrderOfTheLeases() {
        QFETCH(QString, checkpoint);
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, checkpoint.toStdString());
        const Shape latents = {3, ModelBench::modelOf(model).info().latent.channels, 6, 8};
        const auto seen = leasesOf(bench, model, models::kAutoencoder, [&](auto& context) {
            (void)ModelBench::modelOf(model).decode(context, at::zeros({1, latents[1], 6, 8}));
        });
        const StageWork work =
            testing::spec(bench.stages(),
                          testing::known(latents, testing::DecodeRequest{.model = model}))
                .dryRun({"cpu"});
        QCOMPARE(work.components[0].forwards, 3);
        QCOMPARE(seen, leavesOf(work.components[0], 1));
    }

    void countsTheStepsThatRun() {
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, "mini");
        const DryRunCase dryRunCase{.steps = 20};
        testing::DenoiseRequest request = testing::requestOf(bench, model, dryRunCase);
        const auto forwards = [&](int start, int end) {
            request.startStep = start;
            request.endStep = end;
            const auto spec = testing::spec(
                bench.stages(), testing::known(testing::shapesOf(model, dryRunCase), request));
            return spec.dryRun({"cpu"}).components.at(0).forwards;
        };
        QCOMPARE(forwards(0, -1), 20);
        QCOMPARE(forwards(5, -1), 15);
        QCOMPARE(forwards(5, 12), 7);
        QCOMPARE(forwards(18, 40), 2);
    }

    void countsEveryTileAsAForward() {
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, "sd15_1");
        // Tiles of 64 pixels overlap by 16 at least: 13 x 9 latents of 8 pixels are 2 x 2 tiles.
        const StageWork work =
            testing::spec(bench.stages(),
                          testing::known({2, 4, 9, 13},
                                         testing::DecodeRequest{.model = model, .tilePixels = 64}))
                .dryRun({"cpu"});
        QCOMPARE(work.components[0].forwards, 2 * 2 * 2);
        constexpr double kPixels = 8 * 8;  // of each
        QCOMPARE(flopsOf(work.components[0], "post_quant_conv"), 2 * kPixels * 4 * 4);
    }

    void countsOperationsOfEachLeaf() {
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, "sd15_0");
        const DryRunCase dryRunCase{.width = 96, .height = 64, .batch = 3};
        const testing::DenoiseRequest request = testing::requestOf(bench, model, dryRunCase);
        const memory::ComponentWork unet =
            testing::spec(bench.stages(),
                          testing::known(testing::shapesOf(model, dryRunCase), request))
                .dryRun({"fake"})
                .components.at(0);
        // Both halves of the guidance: 6 images of 8 x 12 latents.
        constexpr double kRows = 6 * 8 * 12;
        QCOMPARE(flopsOf(unet, "conv_in"), 2 * kRows * 64 * 4 * 9);
        QCOMPARE(flopsOf(unet, "down_blocks.0.downsamplers.0.conv"),
                 2 * (6 * 4 * 6) * 64.0 * 64 * 9);
        QCOMPARE(flopsOf(unet, "time_embedding.linear_1"), 2 * 6 * 64.0 * 256);
        QCOMPARE(flopsOf(unet, "conv_norm_out"), 0.0);
        const std::string layer = "down_blocks.0.attentions.0.transformer_blocks.0.";
        QCOMPARE(flopsOf(unet, layer + "ff.net.0.proj"), 2 * kRows * 64 * 512);
        // Four projections, then q k^T and the product with v over 8 x 12 positions.
        QCOMPARE(flopsOf(unet, layer + "attn1"), 2 * kRows * (4 * 64 * 64 + 2 * 96 * 64));
        // Keys and values from 77 tokens that are 128 wide.
        QCOMPARE(flopsOf(unet, layer + "attn2"),
                 2 * kRows * (2 * 64 * 64 + 2 * 77 * 64) + 2 * (6 * 77) * 2.0 * 128 * 64);
    }

    void readsNoWeight() {
        const testing::CheckpointCopy copy;
        ModelBench bench;
        const WireRef model = bench.load(copy.path());
        const DryRunCase dryRunCase;
        const testing::DenoiseRequest request = testing::requestOf(bench, model, dryRunCase);
        const testing::DenoiseShapes shapes = testing::shapesOf(model, dryRunCase);
        nodes::Stages& stages = bench.stages();
        const std::vector<testing::StageSpec> specs = {
            testing::spec(stages, testing::EncodeRequest{.model = model}),
            testing::spec(stages, testing::known(shapes, request)),
            testing::spec(stages,
                          testing::known({1, 4, 8, 8}, testing::DecodeRequest{.model = model}))};
        for (const testing::StageSpec& spec : specs) {
            QCOMPARE(spec.components().size(), 1U);  // reads the headers
        }
        for (const char* file : {"text_encoder/model.safetensors",
                                 "unet/diffusion_pytorch_model.safetensors",
                                 "vae/diffusion_pytorch_model.safetensors"}) {
            QVERIFY(QFile::exists(copy.file(file)));
            copy.remove(file);
        }
        for (const testing::StageSpec& spec : specs) {
            QVERIFY(spec.dryRun({"cpu"}).activations > 0);
        }
    }

    void refusesWhatTheStageRefuses() {
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, "mini");
        const DryRunCase dryRunCase;
        testing::DenoiseShapes shapes = testing::shapesOf(model, dryRunCase);
        shapes.negative.clear();
        shapes.negativeEntries = nullptr;
        const auto spec = testing::spec(
            bench.stages(), testing::known(shapes, testing::requestOf(bench, model, dryRunCase)));
        QVERIFY_EXCEPTION_THROWN((void)spec.dryRun({"cpu"}), Error);
        // And leaves nothing behind for the next dry run.
        QVERIFY(testing::spec(bench.stages(), testing::EncodeRequest{.model = model})
                    .dryRun({"cpu"})
                    .activations > 0);
    }
};

LOWTIDE_TEST(StageWorkTest)

}  // namespace stage_work_test

#include "stage_work_test.moc"
