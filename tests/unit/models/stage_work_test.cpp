// Leases, passes and operations of the shape walk beside those of a run.

#include "nodes/decode/decode.hpp"
#include "nodes/denoise/denoise.hpp"
#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/shape_walk.hpp"
#include "plugin/tensor/kernels_meta.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/checkpoint_copy.hpp"
#include "tests/unit/models/forwarding_weights.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/walk_case.hpp"

#include <ATen/ATen.h>

#include <QFile>
#include <QtTest/QtTest>

namespace stage_work_test {

using namespace lowtide;
using memory::LeafId;
using memory::StageWork;
using nodes::WireRef;
using testing::ModelBench;
using testing::WalkCase;

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

std::vector<LeafId> leavesOf(const memory::ComponentWork& work, int64_t passes) {
    std::vector<LeafId> leaves;
    for (int64_t pass = 0; pass < passes; ++pass) {
        for (const memory::LeafUse& use : work.pass) {
            leaves.push_back(use.leaf);
        }
    }
    return leaves;
}

double flopsOf(const memory::ComponentWork& work, std::string_view leaf) {
    for (const memory::LeafUse& use : work.pass) {
        if (work.tree->leaves[use.leaf].name == leaf) {
            return use.flops;
        }
    }
    throw std::runtime_error("the walk did not use " + std::string(leaf));
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
            testing::outline(bench.stages(),
                             testing::EncodeRequest{
                                 .model = model, .prompt = "a", .negative = "b", .clipSkip = 1})
                .walk({"cpu"});
        const auto seen = leasesOf(bench, model, models::kTextEncoder, [&](auto& context) {
            (void)ModelBench::modelOf(model).encodePrompts(
                context, {.prompt = "a", .negative = "b", .clipSkip = 1});
        });
        QCOMPARE(work.components.size(), 1U);
        QCOMPARE(work.components[0].passes, 1);
        // Skipped layers give the final norm a second use.
        const std::vector<LeafId> once = leavesOf(work.components[0], 1);
        QCOMPARE(once.back(), once[once.size() - 2]);
        QCOMPARE(seen, once);
    }

    void asksAboutConvolutionsUnderItsOwnSwitches_data() {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<bool>("asks");
        QTest::addColumn<bool>("allowsTf32");
        QTest::newRow("quality") << "quality" << true << false;
        QTest::newRow("balanced") << "balanced" << true << true;
        QTest::newRow("speed") << "speed" << false << false;  // cuDNN searches for the fastest
    }

    /// On a card of compute capability 8.0; LibTorch's switches are as they were afterwards.
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
        const auto check = [&](const testing::StageOutline& outline) {
            asked.clear();
            const StageWork there = outline.walk({"cuda"});
            QCOMPARE(!asked.empty(), asks);
            QCOMPARE(there.guessed == 0, asks);
            const size_t count = asked.size();
            const StageWork absent =
                outline.walk({.device = {.spec = {.kind = "cuda"}, .isThere = false}});
            QCOMPARE(asked.size(), count);  // nobody knows that card
            QVERIFY(absent.guessed > 0 && absent.guessed < absent.activations);
            for (const residency::ConvolutionShape& shape : asked) {
                QCOMPARE(shape.card, 0);
            }
            (void)outline.walk({.device = {.spec = {.kind = "cuda", .index = 1}}});
            QCOMPARE(asked.size(), 2 * count);
            for (size_t i = count; i < asked.size(); ++i) {
                QCOMPARE(asked[i].card, 1);
            }
            for (const residency::ConvolutionShape& shape : asked) {
                QVERIFY(shape.isDeterministic);
                QCOMPARE(shape.allowsTf32, allowsTf32);
            }
            QCOMPARE(at::globalContext().deterministicCuDNN(), before);
        };
        const WalkCase walked{.steps = 2};
        testing::DenoiseRequest denoise = testing::requestOf(bench, model, walked);
        denoise.precision = precision;
        check(testing::outline(bench.stages(),
                               testing::known(testing::shapesOf(model, walked), denoise)));
        check(testing::outline(
            bench.stages(),
            testing::known({1, 4, 8, 8},
                           testing::DecodeRequest{.model = model, .precision = precision})));
        check(testing::outline(
            bench.stages(),
            testing::known({.image = {1, 3, 64, 64}},
                           testing::ImageEncodeRequest{.model = model, .precision = precision})));
    }

    void denoisesInTheOrderOfTheLeases_data() { addCheckpoints(); }

    void denoisesInTheOrderOfTheLeases() {
        QFETCH(QString, checkpoint);
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, checkpoint.toStdString());
        const WalkCase walked{.batch = 2, .sampler = "dpmpp_2m", .steps = 6};
        testing::DenoiseRequest request = testing::requestOf(bench, model, walked);
        const testing::DenoiseShapes shapes = testing::shapesOf(model, walked);
        request.positive = request.negative = std::make_shared<const tensor::Conditioning>(
            at::zeros(shapes.positive), at::Tensor(), "", -1);
        const auto seen = leasesOf(bench, model, models::kDenoiser, [&](auto& context) {
            (void)nodes::denoiseLatents(context, askedIn(request), bench.call("denoise"));
        });
        const StageWork work =
            testing::outline(bench.stages(), testing::known(shapes, request)).walk({"cpu"});
        QCOMPARE(work.components.size(), 1U);
        QCOMPARE(work.components[0].tree->role, std::string(models::kDenoiser));
        QCOMPARE(work.components[0].passes, 6);
        QCOMPARE(seen, leavesOf(work.components[0], 6));
    }

    /// On a card work is queued: progress tells of what is done.
    void stepsAndPicturesAreToldWhenTheyAreDone() {
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, "mini");
        testing::DenoiseRequest request = testing::requestOf(bench, model, {.cfg = 1, .steps = 5});
        request.positive = std::make_shared<const tensor::Conditioning>(
            at::zeros(testing::shapesOf(model, {}).positive), at::Tensor(), "", -1);
        NotedWaits weights(bench.residency());
        models::StageContext context{.weights = weights, .record = tensor::Record(nullptr)};
        std::vector<double> told;
        nodes::StageCall call = bench.call("node");
        call.progress = [&](std::string_view, double done, double) {
            told.push_back(done);
            QCOMPARE(weights.waits, done);
        };

        bench.runWith(model, models::kDenoiser, [&] {
            (void)nodes::denoiseLatents(context, askedIn(request), call);
        });
        QCOMPARE(told, (std::vector<double>{1, 2, 3, 4, 5}));

        weights.waits = 0;
        told.clear();
        const auto latents = std::make_shared<const tensor::Latents>(
            at::zeros({3, 4, 4, 4}), tensor::Provenance(), nullptr);
        bench.runWith(model, models::kAutoencoder, [&] {
            (void)nodes::decodeLatents(context, {.model = model, .latent = latents}, call);
        });
        QCOMPARE(told, (std::vector<double>{1, 2, 3}));
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
            testing::outline(bench.stages(),
                             testing::known(latents, testing::DecodeRequest{.model = model}))
                .walk({"cpu"});
        QCOMPARE(work.components[0].passes, 3);
        QCOMPARE(seen, leavesOf(work.components[0], 1));
    }

    void countsTheStepsThatRun() {
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, "mini");
        const WalkCase walked{.steps = 20};
        testing::DenoiseRequest request = testing::requestOf(bench, model, walked);
        const auto passes = [&](int start, int end) {
            request.startStep = start;
            request.endStep = end;
            const auto outline = testing::outline(
                bench.stages(), testing::known(testing::shapesOf(model, walked), request));
            return outline.walk({"cpu"}).components.at(0).passes;
        };
        QCOMPARE(passes(0, -1), 20);
        QCOMPARE(passes(5, -1), 15);
        QCOMPARE(passes(5, 12), 7);
        QCOMPARE(passes(18, 40), 2);
    }

    void countsEveryTileAsAPass() {
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, "sd15_1");
        // Tiles of 64 pixels overlap by 16 at least: 13 x 9 latents of 8 pixels are 2 x 2 tiles.
        const StageWork work =
            testing::outline(
                bench.stages(),
                testing::known({2, 4, 9, 13},
                               testing::DecodeRequest{.model = model, .tilePixels = 64}))
                .walk({"cpu"});
        QCOMPARE(work.components[0].passes, 2 * 2 * 2);
        constexpr double kPixels = 8 * 8;  // of each
        QCOMPARE(flopsOf(work.components[0], "post_quant_conv"), 2 * kPixels * 4 * 4);
    }

    void countsOperationsOfEachLeaf() {
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, "sd15_0");
        const WalkCase walked{.width = 96, .height = 64, .batch = 3};
        const testing::DenoiseRequest request = testing::requestOf(bench, model, walked);
        const memory::ComponentWork unet =
            testing::outline(bench.stages(),
                             testing::known(testing::shapesOf(model, walked), request))
                .walk({"fake"})
                .components.at(0);
        // Both halves of the guidance: 6 pictures of 8 x 12 latents.
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
        const WalkCase walked;
        const testing::DenoiseRequest request = testing::requestOf(bench, model, walked);
        const testing::DenoiseShapes shapes = testing::shapesOf(model, walked);
        nodes::Stages& stages = bench.stages();
        const std::vector<testing::StageOutline> outlines = {
            testing::outline(stages, testing::EncodeRequest{.model = model}),
            testing::outline(stages, testing::known(shapes, request)),
            testing::outline(stages,
                             testing::known({1, 4, 8, 8}, testing::DecodeRequest{.model = model}))};
        for (const testing::StageOutline& outline : outlines) {
            QCOMPARE(outline.components().size(), 1U);  // reads the headers
        }
        for (const char* file : {"text_encoder/model.safetensors",
                                 "unet/diffusion_pytorch_model.safetensors",
                                 "vae/diffusion_pytorch_model.safetensors"}) {
            QVERIFY(QFile::exists(copy.file(file)));
            copy.remove(file);
        }
        for (const testing::StageOutline& outline : outlines) {
            QVERIFY(outline.walk({"cpu"}).activations > 0);
        }
    }

    void refusesWhatTheStageRefuses() {
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, "mini");
        const WalkCase walked;
        testing::DenoiseShapes shapes = testing::shapesOf(model, walked);
        shapes.negative.clear();
        shapes.negativeEntries = nullptr;
        const auto outline = testing::outline(
            bench.stages(), testing::known(shapes, testing::requestOf(bench, model, walked)));
        QVERIFY_EXCEPTION_THROWN((void)outline.walk({"cpu"}), Error);
        // And leaves nothing behind for the next walk.
        QVERIFY(testing::outline(bench.stages(), testing::EncodeRequest{.model = model})
                    .walk({"cpu"})
                    .activations > 0);
    }
};

LOWTIDE_TEST(StageWorkTest)

}  // namespace stage_work_test

#include "stage_work_test.moc"
