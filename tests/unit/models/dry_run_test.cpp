// Compares the bytes of the dry run with those of the ledger.

#include "plugin/checkpoints/adapters/adapter_math.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/dry_run.hpp"
#include "plugin/residency/device/cpu/cpu_device.hpp"
#include "plugin/tensor/cpu_paths.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/dry_run_case.hpp"
#include "tests/unit/models/host_weights.hpp"
#include "tests/unit/models/image_values.hpp"
#include "tests/unit/models/known_shapes.hpp"

#include <ATen/ATen.h>

#include <QElapsedTimer>
#include <QtTest/QtTest>

namespace dry_run_test {

using namespace lowtide;
using nodes::WireRef;
using testing::denoise;
using testing::DryRunCase;
using testing::ModelBench;

namespace {

/// On the CPU oneDNN chooses its layouts by processor. The fake GPU holds tensors alone, so there
/// no byte may differ.
constexpr double kLargestError = 0.05;

std::vector<DryRunCase> cases() {
    return {
        {.cfg = 5},
        {.width = 96, .batch = 3, .sampler = "dpmpp_2m", .steps = 4},
        {.width = 200, .height = 136, .cfg = 1, .tile = 64},
        {.checkpoint = "sd15_0", .sampler = "euler_a"},
        {.checkpoint = "sd15_0", .width = 96, .batch = 2, .rescale = 0.7},
        {.checkpoint = "sd15_0",
         .width = 128,
         .height = 128,
         .sampler = "dpmpp_2m",
         .steps = 4,
         .tile = 96},
        {.checkpoint = "sd15_1", .cfg = 1, .sampler = "euler"},
        {.checkpoint = "sd15_1", .width = 104, .height = 72, .batch = 3, .tile = 64},
        {.checkpoint = "sd15_1", .width = 256, .height = 256, .cfg = 1},
        {.checkpoint = "sd15_2", .width = 72, .height = 88, .sampler = "dpmpp_2m", .steps = 4},
        {.checkpoint = "sd15_2", .width = 128, .batch = 2, .cfg = 1},
        {.checkpoint = "sd15_3", .width = 64, .height = 96, .batch = 2},
        {.checkpoint = "sd15_3", .width = 132, .height = 100, .sampler = "euler_a"},
        {.checkpoint = "sd15_4", .cfg = 4},
        {.checkpoint = "sd15_5", .width = 128, .height = 128, .batch = 3},
        {.checkpoint = "half_1", .width = 96, .sampler = "dpmpp_2m", .steps = 4},
    };
}

/// Values on the CPU for every weight, all of them views of one block.
class EqualWeights final : public testing::HostWeights {
public:
    explicit EqualWeights(const memory::ComponentTree& tree)
        : values_(at::full({mostElements(tree)}, 0.01, at::kFloat)) {}

    [[nodiscard]] residency::Lease use(const memory::ComponentTree& tree,
                                       memory::LeafId leaf) override {
        std::vector<at::Tensor> tensors;
        for (const memory::WeightId id : tree.leaves[leaf].weights) {
            const memory::Weight& weight = tree.weights[id];
            const int64_t count = tree.storages[weight.storage].elementCount;
            tensors.push_back(values_.narrow(0, 0, count).view(weight.shape));
        }
        return {std::move(tensors), nullptr};
    }

private:
    at::Tensor values_;
};

/// One step of a UNet on the weights of `source`, for inputs that are there already.
void predict(const models::UNet2DCondition& unet,
             residency::WeightSource& source,
             const at::Tensor& latents,
             const at::Tensor& context) {
    models::Forward forward(source, *unet.tree(), tensor::Record(nullptr));
    (void)unet.predict(forward, latents, at::scalar_tensor(1, at::kLong), {.context = context});
}

/// One line of the table of errors.
struct Row {
    std::string name;
    Bytes predicted = 0;
    Bytes measured = 0;

    [[nodiscard]] double error() const {
        return static_cast<double>(predicted) / static_cast<double>(measured) - 1;
    }
};

}  // namespace

class DryRunTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void predictsActivations_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("index");
        const std::vector<DryRunCase> all = cases();
        for (const std::string device : {"cpu", "fake"}) {
            for (size_t i = 0; i < all.size(); ++i) {
                QTest::newRow((device + " " + all[i].name()).c_str())
                    << QString::fromStdString(device) << static_cast<int>(i);
            }
        }
    }

    void predictsActivations() {
        QFETCH(QString, device);
        QFETCH(int, index);
        const DryRunCase dryRunCase = cases()[static_cast<size_t>(index)];
        auto& [bench, model] = opened_.on(device.toStdString(), dryRunCase.checkpoint);
        std::vector<Row> rows;
        const auto compare = [&](const char* stage, const testing::StageSpec& spec) {
            rows.push_back({device.toStdString() + " " + dryRunCase.name() + " " + stage,
                            spec.dryRun({device.toStdString()}).activations,
                            bench.activationPeak()});
        };

        const testing::EncodeRequest words{.model = model, .prompt = "a cat", .negative = "dog"};
        const testing::EncodeResult prompts = encode(bench, words);
        compare("encode", testing::spec(bench.stages(), words));

        testing::DenoiseRequest request = testing::requestOf(bench, model, dryRunCase);
        request.positive = prompts.positive;
        request.negative = prompts.negative;
        const WireRef latent = denoise(bench, request);
        compare("denoise",
                testing::spec(bench.stages(),
                              testing::known(testing::shapesOf(model, dryRunCase), request)));

        const WireRef image = decode(bench, model, latent, dryRunCase.tile);
        const auto& samples = dynamic_cast<const tensor::Latents&>(*latent).samples();
        compare("decode",
                testing::spec(bench.stages(),
                              testing::known(samples.sizes().vec(),
                                             testing::DecodeRequest{
                                                 .model = model, .tilePixels = dryRunCase.tile})));

        const testing::UpscaleRequest larger{.image = image, .scale = 1.5};
        upscale(bench, model, larger);
        const auto& pixels = dynamic_cast<const tensor::Images&>(*image).pixels();
        compare("upscale",
                testing::spec(bench.stages(), testing::known(pixels.sizes().vec(), larger)));

        for (const Row& row : rows) {
            check(row, device == "fake" ? 0 : kLargestError);
        }
    }

    /// At full size a block's input has twice the channels of its result: both, the shortcut and
    /// the second convolution's result were four times the result.
    void theLargestMomentOfDecodingIsThreeResults() {
        const tensor::CpuPaths paths = tensor::cpuPaths();
        if (paths.convolution == tensor::CpuPath::Plain ||
            paths.groupNorm == tensor::CpuPath::Plain) {
            QSKIP("ATen's own operators write nothing over their input");
        }
        constexpr int64_t kSide = 1024;
        constexpr double kScratch = 0.1;  // of a result
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, "sd15_1");  // 64 channels, then 32
        const auto result = static_cast<double>(32 * kSide * kSide * 4);
        const auto most = static_cast<double>(
            testing::spec(bench.stages(),
                          testing::known({1, 4, kSide / 8, kSide / 8},
                                         testing::DecodeRequest{.model = model}))
                .dryRun({"cpu"})
                .activations);
        QVERIFY2(most < (3 + kScratch) * result, std::to_string(most / result).c_str());
    }

    /// What is made of an image in tiles is written where it is kept, next to one tile's
    /// activations.
    void anImageInTilesIsHeldOnce_data() {
        QTest::addColumn<int>("batch");
        QTest::newRow("one") << 1;
        QTest::newRow("two") << 2;
    }

    void anImageInTilesIsHeldOnce() {
        QFETCH(int, batch);
        constexpr int64_t kSide = 4096;
        constexpr int64_t kTile = 256;
        ModelBench bench;
        const WireRef model = testing::loadModel(bench, "mini");
        const auto activations = [&](const testing::StageSpec& spec) {
            return spec.dryRun({"cpu"}).activations;
        };
        const auto decoded = [&](int64_t images, int64_t side, int64_t tile) {
            return activations(testing::spec(
                bench.stages(),
                testing::known({images, 4, side / 8, side / 8},
                               testing::DecodeRequest{.model = model, .tilePixels = tile})));
        };
        const auto encoded = [&](int64_t images, int64_t side, int64_t tile) {
            return activations(testing::spec(
                bench.stages(),
                testing::known({.image = {images, 3, side, side}},
                               testing::ImageEncodeRequest{.model = model, .tilePixels = tile})));
        };
        const Bytes pixels = batch * 3 * kSide * kSide * static_cast<Bytes>(sizeof(float));
        const Bytes latents = 8 * pixels / 64;  // and what is made of them
        // With several images the one that comes is copied into all.
        const Bytes coming = batch > 1 ? pixels / batch : 0;

        QVERIFY(decoded(batch, kSide, kTile) <= pixels + coming + latents + decoded(1, kTile, 0));
        QVERIFY(encoded(batch, kSide, kTile) <= pixels + latents + encoded(1, kTile, 0));
    }

    /// With guidance the copies of the prompts live until they are joined, without it until the
    /// end.
    void countsCopiesOfWhatLiesElsewhere_data() {
        QTest::addColumn<double>("cfg");
        QTest::newRow("guidance") << 7.5;
        QTest::newRow("no guidance") << 1.0;
    }

    void countsCopiesOfWhatLiesElsewhere() {
        QFETCH(double, cfg);
        const DryRunCase dryRunCase{.checkpoint = "sd15_1", .width = 104, .height = 72, .cfg = cfg};
        ModelBench bench({.kind = "fake"});
        const WireRef model = testing::loadModel(bench, dryRunCase.checkpoint);
        const testing::EncodeResult prompts = encode(bench, {.model = model, .prompt = "a cat"});
        testing::DenoiseRequest request = testing::requestOf(bench, model, dryRunCase);
        request.positive = prompts.positive->onHost();
        request.negative = prompts.negative->onHost();
        const WireRef made = denoise(bench, request);
        const auto& samples = dynamic_cast<const tensor::Latents&>(*made).samples();
        testing::DenoiseShapes shapes = testing::shapesOf(model, dryRunCase);
        shapes.latent = samples.sizes().vec();
        shapes.latentKind = nullptr;

        request.latent = made->onHost();
        const WireRef again = denoise(bench, request);
        check({"denoise with cfg " + std::to_string(cfg),
               testing::spec(bench.stages(), testing::known(shapes, request))
                   .dryRun({.device = {.spec = {.kind = "fake"}},
                            .elsewhere = {"positive", "negative", "latent"}})
                   .activations,
               bench.activationPeak()},
              0);

        (void)decode(bench, model, again->onHost(), 0);
        check({"decode",
               testing::spec(bench.stages(),
                             testing::known(shapes.latent, testing::DecodeRequest{.model = model}))
                   .dryRun({.device = {.spec = {.kind = "fake"}}, .elsewhere = {"latent"}})
                   .activations,
               bench.activationPeak()},
              0);
    }

    void predictsActivationsOfWideNetworks_data() {
        QTest::addColumn<bool>("isPlain");
        QTest::newRow("own operators") << false;
        QTest::newRow("ATen's operators") << true;
    }

    /// Channels as in published checkpoints; the small ones above have few.
    void predictsActivationsOfWideNetworks() {
        QFETCH(bool, isPlain);
        const tensor::CpuPathsScope scope(isPlain ? tensor::CpuPaths() : tensor::defaultCpuPaths());
        const models::UNet2DCondition unet = testing::widenedUNet(5);
        ModelBench bench;  // its device counts the tensors of this thread
        const Shape latents = {1, 4, 24, 32};
        const Shape context = {1, 77, unet.config().contextWidth()};
        EqualWeights weights(*unet.tree());
        const at::Tensor input = at::ones(latents);
        const at::Tensor tokens = at::ones(context);
        const auto& counter = residency::CpuAllocations::ofProcess();
        const Bytes before = counter->bytes();
        counter->resetPeak();
        predict(unet, weights, input, tokens);
        const Bytes measured = counter->peak() - before;

        models::DryRun dryRun(
            {.device = {.spec = {.kind = "cpu"}}}, {unet.tree()}, models::adapterMath());
        predict(unet, dryRun, models::DryRun::onWire(latents), models::DryRun::onWire(context));
        check({std::string("cpu UNet of 320 to 640 channels, 256x192") + (isPlain ? ", plain" : ""),
               dryRun.work().activations,
               measured},
              kLargestError);
    }

    void countsWhatARecordKeeps_data() {
        const testing::Rows<QString, int64_t> row("device", "bytes");
        row("fake", "fake", 8 * kKiB);
        row("cuda", "cuda", 4 * kKiB + 8 * kKiB + 8 * kKiB);
    }

    /// Its inputs and its result lie next to those of the forward.
    void countsWhatARecordKeeps() {
        QFETCH(QString, device);
        QFETCH(int64_t, bytes);
        const models::UNet2DCondition unet = testing::widenedUNet(1);
        models::DryRun dryRun({.device = {.spec = {.kind = device.toStdString()}}},
                              {unet.tree()},
                              models::adapterMath());
        const at::Tensor input = models::DryRun::onWire({kKiB});
        static_cast<void>(
            dryRun.runForward(*unet.tree(), {input, at::Tensor()}, [](const auto& inputs) {
                return at::empty({2 * kKiB}, inputs[0].options());
            }));
        QCOMPARE(dryRun.work().activations, bytes);
    }

    void countsWhatDecodingTakes_data() {
        const testing::Rows<int64_t, bool, bool> row("block", "decodesAtOnce", "takesMore");
        row("ATen", 64, false, true);
        row("a kernel", 64, true, false);
        row("blocks that kernels do not share", 16, true, true);
    }

    /// The kernel of a GPU takes its result alone, ATen's operators also an index of a number.
    void countsWhatDecodingTakes() {
        QFETCH(int64_t, block);
        QFETCH(bool, decodesAtOnce);
        QFETCH(bool, takesMore);
        constexpr int64_t kSide = 256;
        const Bytes result = kSide * kSide * sizeOf(DType::F16);
        auto tree = std::make_shared<memory::ComponentTree>();
        tree->storages.push_back(
            {.elementCount = kSide * kSide,
             .encoded = memory::Encoded{.encoding = "bnb_nf4",
                                        .blockElements = block,
                                        .blockBytes = block / 2,
                                        .columns = kSide,
                                        .companions = {{.elementCount = kSide * kSide / block}}},
             .isKeptEncoded = true});
        tree->weights.push_back({.computeType = DType::F16, .shape = {kSide, kSide}});
        tree->leaves.push_back({.weights = {0}});
        models::DryRun dryRun(
            {.device = {.spec = {.kind = "cuda"}, .decodesAtOnce = decodesAtOnce}},
            {tree},
            models::adapterMath());
        dryRun.beginForward(*tree, {});
        static_cast<void>(dryRun.use(*tree, 0));
        const Bytes taken = dryRun.work().activations;
        QVERIFY(takesMore ? taken > 2 * result : taken == result);
    }

    void isCheapForHugeNetworks_data() {
        const testing::Rows<int, double> row("factor", "goalSeconds");
        row("320 to 640 channels", 5, 0.3);
        row("more than 14 B parameters", 40, 1.0);
    }

    void isCheapForHugeNetworks() {
        QFETCH(int, factor);
        QFETCH(double, goalSeconds);
        const models::UNet2DCondition unet = testing::widenedUNet(factor);
        QElapsedTimer timer;
        timer.start();
        models::DryRun dryRun(
            {.device = {.spec = {.kind = "cpu"}}}, {unet.tree()}, models::adapterMath());
        predict(unet,
                dryRun,
                models::DryRun::onWire({2, 4, 64, 64}),
                models::DryRun::onWire({2, 77, unet.config().contextWidth()}));
        const double seconds = static_cast<double>(timer.nsecsElapsed()) * 1e-9;
        int64_t parameters = 0;
        for (const memory::Storage& storage : unet.tree()->storages) {
            parameters += storage.elementCount;
        }
        qInfo("%.2f B parameters, %s of activations: walked in %.3f s",
              static_cast<double>(parameters) * 1e-9,
              formatBytes(dryRun.work().activations).c_str(),
              seconds);
        QVERIFY(seconds < 10 * goalSeconds);
    }

    void cleanupTestCase() {
        qInfo("%-66s %12s %12s %8s", "stage", "predicted", "measured", "error");
        for (const Row& row : table_) {
            qInfo("%-66s %12lld %12lld %7.2f%%",
                  row.name.c_str(),
                  static_cast<long long>(row.predicted),
                  static_cast<long long>(row.measured),
                  100 * row.error());
        }
    }

private:
    void check(const Row& row, double most) {
        table_.push_back(row);
        QVERIFY2(std::abs(row.error()) <= most,
                 (row.name + ": predicted " + std::to_string(row.predicted) + ", measured " +
                  std::to_string(row.measured))
                     .c_str());
    }

    [[nodiscard]] static testing::EncodeResult encode(ModelBench& bench,
                                                      const testing::EncodeRequest& request) {
        testing::EncodeResult result;
        bench.runWith(request.model, models::kTextEncoder, [&] {
            result = testing::encodePrompt(bench.stages(), request, bench.call("encode"));
        });
        return result;
    }

    [[nodiscard]] static WireRef decode(ModelBench& bench,
                                        const WireRef& model,
                                        const WireRef& latent,
                                        int64_t tile) {
        WireRef result;
        bench.runWith(model, models::kAutoencoder, [&] {
            result = testing::run(bench.stages(),
                                  testing::DecodeRequest{
                                      .model = model, .latent = latent, .tilePixels = tile},
                                  bench.call("decode"))
                         .front();
        });
        return result;
    }

    static void upscale(ModelBench& bench,
                        const WireRef& model,
                        const testing::UpscaleRequest& request) {
        bench.runWith(model, models::kAutoencoder, [&] {
            (void)testing::run(bench.stages(), request, bench.call("upscale")).front();
        });
    }

    std::vector<Row> table_;
    testing::OpenedModels opened_;
};

LOWTIDE_TEST(DryRunTest)

}  // namespace dry_run_test

#include "dry_run_test.moc"
