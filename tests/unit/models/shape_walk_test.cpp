// The shape walk beside what runs: bytes, leases, operations.

#include "plugin/base/error.hpp"
#include "plugin/models/blocks/pass.hpp"
#include "plugin/models/blocks/weight_map.hpp"
#include "plugin/models/denoise_stage.hpp"
#include "plugin/models/denoisers/unet2d_condition.hpp"
#include "plugin/models/walk/shape_walk.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/unit/models/checkpoint_copy.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <ATen/ATen.h>

#include <QElapsedTimer>
#include <QFile>
#include <QtTest/QtTest>

using namespace lowtide;
using memory::LeafId;
using memory::StageWork;
using models::WireRef;
using testing::ModelBench;

namespace {

constexpr double kLargestError = 0.05;

/// One stage of one checkpoint at one size.
struct Stage {
    const char* checkpoint;
    int64_t width = 64;
    int64_t height = 64;
    int64_t batch = 1;
    double cfg = 7.5;
    const char* sampler = "ddim";
    double rescale = 0;
    int64_t tile = 0;
    int steps = 3;
};

std::vector<Stage> stages() {
    return {
        {.checkpoint = "mini"},
        {.checkpoint = "mini", .width = 96, .batch = 3, .sampler = "dpmpp_2m", .steps = 5},
        {.checkpoint = "mini", .width = 200, .height = 136, .cfg = 1, .tile = 64},
        {.checkpoint = "sd15_0", .sampler = "euler_a"},
        {.checkpoint = "sd15_0", .width = 96, .batch = 2, .rescale = 0.7},
        {.checkpoint = "sd15_0", .width = 128, .height = 128, .sampler = "dpmpp_2m", .tile = 96},
        {.checkpoint = "sd15_1", .cfg = 1, .sampler = "euler"},
        {.checkpoint = "sd15_1", .width = 104, .height = 72, .batch = 3, .tile = 64},
        {.checkpoint = "sd15_1", .width = 256, .height = 256},
        {.checkpoint = "sd15_2", .width = 72, .height = 88, .sampler = "dpmpp_2m"},
        {.checkpoint = "sd15_2", .width = 128, .batch = 2, .cfg = 1},
        {.checkpoint = "sd15_3", .width = 64, .height = 96, .batch = 2},
        {.checkpoint = "sd15_3", .width = 132, .height = 100, .sampler = "euler_a"},
        {.checkpoint = "sd15_4", .cfg = 4},
        {.checkpoint = "sd15_5", .width = 128, .height = 128, .batch = 3},
        {.checkpoint = "half_1", .width = 96, .sampler = "dpmpp_2m"},
    };
}

QByteArray nameOf(const Stage& stage) {
    return QByteArray(stage.checkpoint) + ' ' + QByteArray::number(stage.width) + 'x' +
           QByteArray::number(stage.height) + " batch " + QByteArray::number(stage.batch) +
           " cfg " + QByteArray::number(stage.cfg) + ' ' + stage.sampler +
           (stage.rescale > 0 ? " rescaled" : "") +
           (stage.tile > 0 ? " tile " + QByteArray::number(stage.tile) : QByteArray());
}

/// Leases that a run took, in order, by component.
struct Leases final : residency::WeightSource {
    explicit Leases(residency::WeightSource& real) : source(real) {}

    void beginPass(const memory::ComponentTree& tree) override {
        source.beginPass(tree);
    }

    [[nodiscard]] residency::Lease use(const memory::ComponentTree& tree, LeafId leaf) override {
        seen.push_back(leaf);
        return source.use(tree, leaf);
    }

    [[nodiscard]] at::Tensor gatherRows(const memory::ComponentTree& tree,
                                        LeafId leaf,
                                        const at::Tensor& ids) override {
        return source.gatherRows(tree, leaf, ids);
    }

    [[nodiscard]] c10::Device torchDeviceOf(const memory::ComponentTree& tree) override {
        return source.torchDeviceOf(tree);
    }

    [[nodiscard]] const StopToken& stop() const noexcept override { return source.stop(); }

    residency::WeightSource& source;
    std::vector<LeafId> seen;
};

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

/// One column of a table of errors.
struct Row {
    QByteArray name;
    Bytes predicted = 0;
    Bytes measured = 0;

    [[nodiscard]] double error() const {
        return static_cast<double>(predicted) / static_cast<double>(measured) - 1;
    }
};

}  // namespace

class ShapeWalkTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { checkpoints_ = testing::goldenFolder().toStdString() + "/checkpoints/"; }

    void predictsActivations_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("index");
        const std::vector<Stage> all = stages();
        for (const char* device : {"cpu", "fake"}) {
            for (size_t i = 0; i < all.size(); ++i) {
                QTest::newRow(device + (' ' + nameOf(all[i])))
                    << QString(device) << static_cast<int>(i);
            }
        }
    }

    void predictsActivations() {
        QFETCH(QString, device);
        QFETCH(int, index);
        const Stage stage = stages()[static_cast<size_t>(index)];
        ModelBench bench({.kind = device.toStdString()});
        const WireRef model = load(bench, stage.checkpoint);
        std::vector<Row> rows;
        const auto compare = [&](const char* name, const models::StageOutline& outline) {
            rows.push_back({device.toUtf8() + ' ' + nameOf(stage) + ' ' + name,
                            outline.walk(device.toStdString()).activations,
                            bench.activationPeak()});
        };

        const models::EncodeRequest words{.model = model, .prompt = "a cat", .negative = "dog"};
        const models::EncodeResult prompts = encode(bench, words);
        compare("encode", bench.stages().outlineEncode(words));

        models::DenoiseRequest request = requestOf(bench, model, stage);
        request.positive = prompts.positive;
        request.negative = prompts.negative;
        const WireRef latent = denoise(bench, request);
        compare("denoise", bench.stages().outlineDenoise(shapesOf(request, stage), request));

        const WireRef image = decode(bench, model, latent, stage.tile);
        const auto& samples = dynamic_cast<const tensor::Latents&>(*latent).samples();
        compare("decode", bench.stages().outlineDecode(model, samples.sizes().vec(), stage.tile));

        const models::UpscaleRequest larger{.image = image, .scale = 1.5};
        bench.runWith(model, models::kAutoencoder, [&] {
            (void)bench.stages().upscaleImage(larger, bench.call("upscale"));
        });
        const auto& pixels = dynamic_cast<const tensor::Images&>(*image).pixels();
        compare("upscale", bench.stages().outlineUpscale(pixels.sizes().vec(), larger));

        table_.insert(table_.end(), rows.begin(), rows.end());
        for (const Row& row : rows) {
            QVERIFY2(std::abs(row.error()) <= kLargestError,
                     (row.name + ": predicted " + QByteArray::number(row.predicted) +
                      ", measured " + QByteArray::number(row.measured))
                         .constData());
        }
    }

    void walksLeavesInTheOrderOfTheLeases_data() {
        QTest::addColumn<QString>("checkpoint");
        for (const char* name : {"mini", "sd15_1", "sd15_3", "sd15_4"}) {
            QTest::newRow(name) << name;
        }
    }

    void walksLeavesInTheOrderOfTheLeases() {
        QFETCH(QString, checkpoint);
        ModelBench bench;
        const Stage stage{.checkpoint = "", .batch = 2, .sampler = "dpmpp_2m", .steps = 6};
        const WireRef model = load(bench, checkpoint.toStdString());
        const models::Model& known = ModelBench::modelOf(model);

        const models::EncodeRequest words{
            .model = model, .prompt = "a", .negative = "b", .clipSkip = 1};
        models::EncodedPrompts prompts;
        const auto encoded = leasesOf(bench, model, models::kTextEncoder, [&](auto& context) {
            prompts = known.encodePrompts(context, {.prompt = "a", .negative = "b", .clipSkip = 1});
        });
        const StageWork encodes = bench.stages().outlineEncode(words).walk("cpu");
        QCOMPARE(encodes.components.size(), 1U);
        QCOMPARE(encodes.components[0].passes, 2);
        // Skipped layers give the final norm a second use, in the prompt's pass alone.
        std::vector<LeafId> twice = leavesOf(encodes.components[0], 2);
        twice.pop_back();
        QCOMPARE(encoded, twice);

        models::DenoiseRequest request = requestOf(bench, model, stage);
        request.positive = prompts.positive;
        request.negative = prompts.negative;
        WireRef latent;
        const auto denoised = leasesOf(bench, model, models::kDenoiser, [&](auto& context) {
            latent = models::denoiseStage(context, request, bench.call("denoise"));
        });
        const StageWork denoises =
            bench.stages().outlineDenoise(shapesOf(request, stage), request).walk("cpu");
        QCOMPARE(denoises.components.size(), 1U);
        QCOMPARE(denoises.components[0].passes, 6);
        QCOMPARE(denoised, leavesOf(denoises.components[0], 6));

        const at::Tensor samples = dynamic_cast<const tensor::Latents&>(*latent).samples();
        const auto decoded = leasesOf(bench, model, models::kAutoencoder, [&](auto& context) {
            (void)known.decode(context, samples.narrow(0, 0, 1));
        });
        const StageWork decodes =
            bench.stages().outlineDecode(model, samples.sizes().vec(), 0).walk("cpu");
        QCOMPARE(decodes.components[0].passes, 2);
        QCOMPARE(decoded, leavesOf(decodes.components[0], 1));
    }

    void countsEveryTileAsAPass() {
        ModelBench bench;
        const WireRef model = load(bench, "sd15_1");
        // Tiles of 64 pixels step by 48: 13 x 9 latents of 8 pixels are 3 x 2 tiles.
        const StageWork work = bench.stages().outlineDecode(model, {2, 4, 9, 13}, 64).walk("cpu");
        QCOMPARE(work.components[0].passes, 2 * 3 * 2);
    }

    void countsOperationsOfEachLeaf() {
        ModelBench bench;
        const WireRef model = load(bench, "sd15_0");
        const Stage stage{.checkpoint = "", .width = 96, .height = 64, .batch = 3, .steps = 2};
        const models::DenoiseRequest request = requestOf(bench, model, stage);
        const memory::ComponentWork unet = bench.stages()
                                               .outlineDenoise(shapesOf(request, stage), request)
                                               .walk("fake")
                                               .components[0];
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
        for (const char* file : {"text_encoder/model.safetensors",
                                 "unet/diffusion_pytorch_model.safetensors",
                                 "vae/diffusion_pytorch_model.safetensors"}) {
            QVERIFY(QFile::exists(copy.file(file)));
            copy.remove(file);
        }
        const Stage stage{.checkpoint = ""};
        const models::DenoiseRequest request = requestOf(bench, model, stage);
        QVERIFY(bench.stages().outlineEncode({.model = model}).walk("cpu").activations > 0);
        QVERIFY(bench.stages()
                    .outlineDenoise(shapesOf(request, stage), request)
                    .walk("cpu")
                    .activations > 0);
        QVERIFY(bench.stages().outlineDecode(model, {1, 4, 8, 8}, 0).walk("cpu").activations > 0);
    }

    void refusesWhatTheStageRefuses() {
        ModelBench bench;
        const WireRef model = load(bench, "mini");
        const Stage stage{.checkpoint = ""};
        const models::DenoiseRequest request = requestOf(bench, model, stage);
        models::DenoiseShapes shapes = shapesOf(request, stage);
        shapes.negative.clear();
        const auto outline = bench.stages().outlineDenoise(shapes, request);
        QVERIFY_EXCEPTION_THROWN((void)outline.walk("cpu"), Error);
    }

    void isCheapForHugeNetworks_data() {
        QTest::addColumn<int>("factor");
        QTest::addColumn<double>("goalSeconds");
        QTest::newRow("the width of SD 1.5") << 5 << 0.3;
        QTest::newRow("14 B parameters") << 45 << 1.0;
    }

    void isCheapForHugeNetworks() {
        QFETCH(int, factor);
        QFETCH(double, goalSeconds);
        const models::UNet2DCondition unet = widened(factor);
        QElapsedTimer timer;
        timer.start();
        models::ShapeWalk walk("cpu", {unet.tree()});
        models::Pass pass(walk, *unet.tree(), tensor::Record(nullptr));
        (void)unet.predict(pass,
                           models::ShapeWalk::onWire({2, 4, 64, 64}),
                           at::scalar_tensor(1, at::kLong),
                           models::ShapeWalk::onWire({2, 77, unet.config().contextWidth()}),
                           {});
        const double seconds = static_cast<double>(timer.nsecsElapsed()) * 1e-9;
        const StageWork work = walk.work();
        int64_t parameters = 0;
        for (const memory::Storage& storage : unet.tree()->storages) {
            parameters += storage.elementCount;
        }
        qInfo("%.2f B parameters, %.0f MiB of activations: walked in %.3f s",
              static_cast<double>(parameters) * 1e-9,
              static_cast<double>(work.activations) / kMiB,
              seconds);
        QVERIFY(seconds < 10 * goalSeconds);
    }

    void cleanupTestCase() {
        qInfo("%-70s %12s %12s %8s", "stage", "predicted", "measured", "error");
        for (const Row& row : table_) {
            qInfo("%-70s %12lld %12lld %7.2f%%",
                  row.name.constData(),
                  static_cast<long long>(row.predicted),
                  static_cast<long long>(row.measured),
                  100 * row.error());
        }
    }

private:
    [[nodiscard]] WireRef load(ModelBench& bench, const std::string& checkpoint) const {
        return bench.load(checkpoint == "mini" ? testing::miniModel() : checkpoints_ + checkpoint);
    }

    /// Wires that the shapes stand for are not set.
    [[nodiscard]] static models::DenoiseRequest requestOf(ModelBench& bench,
                                                          const WireRef& model,
                                                          const Stage& stage) {
        return {
            .model = model,
            .latent = bench.stages().emptyLatent(
                {.widthPixels = stage.width, .heightPixels = stage.height, .batch = stage.batch}),
            .steps = stage.steps,
            .cfg = stage.cfg,
            .sampler = stage.sampler,
            .guidanceRescale = stage.rescale};
    }

    [[nodiscard]] static models::DenoiseShapes shapesOf(const models::DenoiseRequest& request,
                                                        const Stage& stage) {
        const models::ModelInfo& info = ModelBench::modelOf(request.model).info();
        const Shape tokens = {1, info.promptTokens, info.conditioningWidth};
        return {.latent = {stage.batch, 3, stage.height, stage.width},
                .positive = tokens,
                .negative = tokens};
    }

    [[nodiscard]] static models::EncodeResult encode(ModelBench& bench,
                                                     const models::EncodeRequest& request) {
        models::EncodeResult result;
        bench.runWith(request.model, models::kTextEncoder, [&] {
            result = bench.stages().encodePrompt(request, bench.call("encode"));
        });
        return result;
    }

    [[nodiscard]] static WireRef denoise(ModelBench& bench, const models::DenoiseRequest& request) {
        WireRef result;
        bench.runWith(request.model, models::kDenoiser, [&] {
            result = bench.stages().denoise(request, bench.call("denoise"));
        });
        return result;
    }

    [[nodiscard]] static WireRef decode(ModelBench& bench,
                                        const WireRef& model,
                                        const WireRef& latent,
                                        int64_t tile) {
        WireRef result;
        bench.runWith(model, models::kAutoencoder, [&] {
            result = bench.stages().decodeImage(
                {.model = model, .latent = latent, .tilePixels = tile}, bench.call("decode"));
        });
        return result;
    }

    /// The leases of `work` in a real run.
    template <class Work>
    [[nodiscard]] static std::vector<LeafId> leasesOf(ModelBench& bench,
                                                      const WireRef& model,
                                                      std::string_view role,
                                                      Work&& work) {
        Leases leases(bench.residency());
        models::StageContext context{.weights = leases, .record = tensor::Record(nullptr)};
        bench.runWith(model, role, [&] { work(context); });
        return leases.seen;
    }

    /// The UNet of sd15_0 with `factor` times the channels, of which only names and shapes exist.
    [[nodiscard]] models::UNet2DCondition widened(int64_t factor) const {
        const std::string root = checkpoints_ + "sd15_0";
        QFile file(QString::fromStdString(root + "/unet/config.json"));
        if (!file.open(QIODevice::ReadOnly)) {
            throw std::runtime_error("the golden checkpoint has no config");
        }
        models::UNet2DConfig config =
            models::readUNet2DConfig(parseJson(file.readAll().toStdString(), "config"), "config");
        models::WeightMap weights = models::openWeights(root, "unet", "diffusion_pytorch_model");
        config.timeWidth *= factor;
        for (models::UNetLevel& level : config.levels) {
            level.channels *= factor;
            level.contextWidth *= factor;
        }
        for (auto& [name, place] : weights.tensors) {
            for (size_t axis = 0; axis < std::min<size_t>(place.shape.size(), 2); ++axis) {
                const bool isLatent = place.shape[axis] == config.inChannels;
                place.shape[axis] *= isLatent ? 1 : factor;
            }
        }
        return {config, weights};
    }

    std::string checkpoints_;
    std::vector<Row> table_;
};

QTEST_GUILESS_MAIN(ShapeWalkTest)
#include "shape_walk_test.moc"
