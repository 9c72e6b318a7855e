// Sharpening, matching of colours and the detail pass as stages.

#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/feathered_tiles.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/image_values.hpp"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <QtTest/QtTest>

#include <cmath>

namespace finish_test {

using namespace lowtide;
using nodes::WireRef;
using testing::DetailRequest;
using testing::imageOf;
using testing::ModelBench;
using testing::testImage;

namespace {

/// On the CPU oneDNN chooses its layouts by processor; the fake GPU holds tensors alone.
constexpr double kLargestError = 0.05;

const tensor::Images& imagesOf(const WireRef& value) {
    return dynamic_cast<const tensor::Images&>(*value);
}

at::Tensor pixelsOf(const WireRef& value) {
    return tensor::spill(imagesOf(value).pixels());
}

WireRef words(const WireRef& model, double level) {
    return std::make_shared<const tensor::Conditioning>(
        at::full(ModelBench::wordsShape(model), level), at::Tensor(), "a cat", -1);
}

executor::ValueSpec shapeOf(const WireRef& value) {
    const auto& conditioning = dynamic_cast<const tensor::Conditioning&>(*value);
    return {.shape = conditioning.tensor("embeds").sizes().vec()};
}

/// Two tiles across, one down.
DetailRequest requestOf(ModelBench& bench, const at::Tensor& pixels) {
    const WireRef model = bench.load(testing::kMini);
    return {.model = model,
            .positive = words(model, 0.1),
            .negative = words(model, 0),
            .image = imageOf(pixels),
            .tilePixels = 32,
            .overlapPixels = 16,
            .steps = 4,
            .cfg = 2,
            .seed = 7,
            .sampler = "euler_a",
            .strength = 0.5};
}

testing::DetailShapes shapesOf(const DetailRequest& request) {
    return {.image = pixelsOf(request.image).sizes().vec(),
            .positive = shapeOf(request.positive),
            .negative = shapeOf(request.negative)};
}

/// Both networks of the model on the device.
void runWithModel(ModelBench& bench, const WireRef& model, const std::function<void()>& work) {
    bench.runWith({ModelBench::modelOf(model).tree(models::kAutoencoder),
                   ModelBench::modelOf(model).tree(models::kDenoiser)},
                  work);
}

WireRef withDetail(ModelBench& bench,
                   const DetailRequest& request,
                   const std::optional<nodes::StageCall>& call = {}) {
    WireRef result;
    runWithModel(bench, request.model, [&] {
        result = testing::run(bench.stages(), request, call ? *call : bench.call("detail")).front();
    });
    return result;
}

/// A stage without networks; the component only makes a run of it.
WireRef inRun(ModelBench& bench, const std::function<WireRef()>& stage) {
    WireRef result;
    bench.runWith(bench.load(testing::kMini), models::kDenoiser, [&] { result = stage(); });
    return result;
}

WireRef sharpen(ModelBench& bench, const testing::SharpenRequest& request) {
    return inRun(bench, [&] {
        return testing::run(bench.stages(), request, bench.call("sharpen")).front();
    });
}

WireRef match(ModelBench& bench, const testing::MatchColourRequest& request) {
    return inRun(
        bench, [&] { return testing::run(bench.stages(), request, bench.call("match")).front(); });
}

/// What a detail pass makes of one tile, stage by stage.
at::Tensor byHand(ModelBench& bench, const DetailRequest& request, const at::Tensor& tile) {
    testing::DenoiseRequest denoise{.model = request.model,
                                    .positive = request.positive,
                                    .negative = request.negative,
                                    .steps = request.steps,
                                    .cfg = request.cfg,
                                    .seed = request.seed,
                                    .sampler = request.sampler,
                                    .strength = request.strength,
                                    .precision = request.precision};
    WireRef image;
    denoise.latent = testing::encode(bench,
                                     {.model = request.model,
                                      .image = imageOf(tile),
                                      .sampling = "mean",
                                      .precision = request.precision});
    const WireRef latent = testing::denoise(bench, denoise);
    bench.runWith(request.model, models::kAutoencoder, [&] {
        image = testing::run(
                    bench.stages(),
                    testing::DecodeRequest{
                        .model = request.model, .latent = latent, .precision = request.precision},
                    bench.call("decode"))
                    .front();
    });
    return pixelsOf(image);
}

struct DryRunRow {
    int64_t width;
    int64_t height;
    int64_t batch;
    int64_t tile;
};

std::vector<DryRunRow> dryRuns() {
    return {{48, 32, 1, 32}, {64, 64, 1, 0}, {100, 60, 2, 48}, {35, 50, 1, 64}};
}

}  // namespace

class FinishTest : public QObject {
    Q_OBJECT

    static void checkBytes(Bytes predicted, Bytes measured, const QString& device) {
        const double error = static_cast<double>(predicted) / static_cast<double>(measured) - 1;
        qInfo("predicted %lld, measured %lld, error %.2f %%",
              static_cast<long long>(predicted),
              static_cast<long long>(measured),
              100 * error);
        QVERIFY(std::abs(error) <= (device == "fake" ? 0 : kLargestError));
    }

private Q_SLOTS:

    void oneImageOfOneTileIsEncodedDenoisedAndDecoded() {
        ModelBench bench;
        const at::Tensor pixels = testImage(32, 32);
        const DetailRequest request = requestOf(bench, pixels);
        QVERIFY(at::equal(pixelsOf(withDetail(bench, request)), byHand(bench, request, pixels)));
    }

    void eachNetworkComputesAsAsked_data() {
        const testing::Rows<QString, QString, QString> row(
            "precision", "ofDenoiser", "ofAutoencoder");
        row("both", R"("quality,compute=bf16")", "bf16", "bf16");
        row("the denoiser", R"({"components": {"denoiser": {"compute": "bf16"}}})", "bf16", "f32");
        row("the autoencoder",
            R"({"components": {"autoencoder": {"compute": "bf16"}}})",
            "f32",
            "bf16");
    }

    /// As the stages compute that it takes a tile through.
    void eachNetworkComputesAsAsked() {
        QFETCH(QString, precision);
        QFETCH(QString, ofDenoiser);
        QFETCH(QString, ofAutoencoder);
        ModelBench bench;
        const at::Tensor pixels = testImage(32, 32);
        DetailRequest request = requestOf(bench, pixels);
        const at::Tensor plain = pixelsOf(withDetail(bench, request));
        request.precision =
            memory::precisionFromJson(Json::parse(precision.toStdString()), "detail");

        const testing::StageSpec spec =
            testing::spec(bench.stages(), testing::known(shapesOf(request), request));
        const at::Tensor made = pixelsOf(withDetail(bench, request));

        QCOMPARE(spec.precisions.size(), size_t{2});
        for (const memory::ComponentPrecision& resolved : spec.precisions) {
            const bool isDenoiser = resolved.role == models::kDenoiser;
            QCOMPARE(memory::shortNameOf(resolved.compute),
                     (isDenoiser ? ofDenoiser : ofAutoencoder).toStdString());
            QCOMPARE(resolved.lossy.empty(), resolved.compute == DType::F32);
        }
        QVERIFY(!at::equal(made, plain));
        QVERIFY(at::equal(made, byHand(bench, request, pixels)));
    }

    /// Half of the bytes of both, to the byte as walked.
    void storedTypesArePlanned() {
        ModelBench bench({.kind = "fake"});
        DetailRequest request = requestOf(bench, testImage(32, 48));
        request.precision = memory::parsePrecision("quality,storage=bf16,compute=bf16");
        const testing::StageSpec spec =
            testing::spec(bench.stages(), testing::known(shapesOf(request), request));
        WireRef result;

        const memory::StageWork work = spec.dryRun(
            {.device = {.spec = {.kind = "fake"}}, .elsewhere = {"positive", "negative", "image"}});
        bench.runWith(spec.components(), [&] {
            result = testing::run(bench.stages(), request, bench.call("detail")).front();
        });

        QCOMPARE(work.activations, bench.activationPeak());
        for (const memory::ComponentWork& component : work.components) {
            QVERIFY(std::all_of(component.tree->storages.begin(),
                                component.tree->storages.end(),
                                [](const memory::Storage& storage) {
                                    return sizeOf(storage.deviceType.value_or(DType::F32)) == 2;
                                }));
        }
    }

    void everyTileHasItsOwnSeed_andFadesIntoTheNext() {
        const c10::InferenceMode asOnTheRunThread;
        ModelBench bench;
        const at::Tensor pixels = testImage(32, 48);
        DetailRequest request = requestOf(bench, pixels);
        const at::Tensor whole = pixelsOf(withDetail(bench, request));
        const models::FeatheredTiles tiles(pixels, {.side = 32, .overlap = 16, .multiple = 8});
        QCOMPARE(tiles.count(), 2);
        const c10::InferenceMode inference;  // as on the run thread: tiles are written over
        at::Tensor expected = at::zeros_like(pixels);
        for (int64_t i = 0; i < tiles.count(); ++i) {
            tiles.show(i, byHand(bench, request, tiles.tile(i)), 1, expected);
            ++request.seed;
        }
        QVERIFY(at::equal(whole, expected));
    }

    void aBatchIsItsImages() {
        ModelBench bench;
        const at::Tensor pixels = testImage(32, 48, 2);
        DetailRequest request = requestOf(bench, pixels);
        const at::Tensor both = pixelsOf(withDetail(bench, request));
        for (int64_t i = 0; i < 2; ++i) {
            request.image = imageOf(pixels.narrow(0, i, 1).clone());
            QVERIFY(at::equal(pixelsOf(withDetail(bench, request)), both.narrow(0, i, 1)));
        }
    }

    void theGpuHasTheBitsOfTheCpu() {
        const at::Tensor pixels = testImage(37, 50, 2);
        ModelBench cpu;
        ModelBench gpu({.kind = "fake"});
        const at::Tensor expected = pixelsOf(withDetail(cpu, requestOf(cpu, pixels)));
        QVERIFY(at::equal(pixelsOf(withDetail(gpu, requestOf(gpu, pixels))), expected));
        const WireRef onGpu = imageOf(pixels.to(c10::kPrivateUse1));
        QVERIFY(at::equal(pixelsOf(sharpen(gpu, {.image = onGpu})),
                          pixelsOf(sharpen(cpu, {.image = imageOf(pixels)}))));
        for (const char* method : {"histogram", "statistics"}) {
            testing::MatchColourRequest request{.image = imageOf(pixels),
                                                .reference = imageOf(testImage(20, 20) * 0.5),
                                                .method = method};
            const at::Tensor matched = pixelsOf(match(cpu, request));
            request.image = onGpu;
            QVERIFY(at::equal(pixelsOf(match(gpu, request)), matched));
        }
    }

    void endsBetweenImages_orAtOnce_data() {
        const testing::Rows<int, int> row("mode", "steps");
        row("not cancelled", -1, 8);
        row("after this image", static_cast<int>(CancelMode::AfterThisImage), 4);
        row("now", static_cast<int>(CancelMode::Now), 1);
    }

    void endsBetweenImages_orAtOnce() {
        QFETCH(int, mode);
        QFETCH(int, steps);
        ModelBench bench;
        const DetailRequest request = requestOf(bench, testImage(32, 48, 2));
        StopSource source;
        int done = 0;
        nodes::StageCall call = bench.call("detail");
        call.stop = source.token();
        call.progress = [&](std::string_view phase, double, double total) {
            if (phase == "step") {
                QCOMPARE(total, 4.0);  // two of each tile
                ++done;
                source.cancel(mode < 0 ? CancelMode::No : static_cast<CancelMode>(mode));
            }
        };
        const auto error = testing::errorOf([&] { (void)withDetail(bench, request, call); });
        QCOMPARE(error.has_value(), mode >= 0);
        QVERIFY(!error || error->kind() == ErrorKind::Cancelled);
        QVERIFY2(mode == static_cast<int>(CancelMode::Now) ? done <= steps + 1 : done == steps,
                 qPrintable(QString::number(done)));
    }

    void imagesRecordHowTheyWereFinished() {
        ModelBench bench;
        tensor::Provenance provenance{.prompt = "a cat", .negative = {}, .fields = {}};
        provenance.set("Steps", "4");
        DetailRequest request = requestOf(bench, testImage(32, 32));
        request.image = std::make_shared<const tensor::Images>(testImage(32, 32), provenance);
        WireRef image = withDetail(bench, request);
        image = sharpen(bench, {.image = match(bench, {.image = image, .reference = image})});
        QCOMPARE(bench.stages().parametersText(image, 0),
                 std::string("a cat\nSteps: 4, Detail pass: \"strength 0.5, steps 4, seed 7, tile "
                             "32\", Colour match: \"histogram, strength 1\", Sharpen: \"radius 2, "
                             "percent 150, threshold 3\", Version: Lowtide 0.1.0"));
    }

    void strengthMixesTheColours() {
        ModelBench bench;
        const WireRef image = imageOf(testImage(20, 30));
        const WireRef reference = imageOf(testImage(10, 10) * 0.3);
        const auto matched = [&](double strength) {
            return pixelsOf(
                match(bench, {.image = image, .reference = reference, .strength = strength}));
        };
        QVERIFY(at::equal(matched(0), pixelsOf(image)));
        const at::Tensor mixed = pixelsOf(image) * 0.75 + matched(1) * 0.25;
        QVERIFY(at::allclose(matched(0.25), mixed, 0, 1e-6));
    }

    void eachImageMayHaveItsReference() {
        ModelBench bench;
        const at::Tensor pixels = testImage(20, 30, 2);
        const at::Tensor references = at::cat({testImage(10, 10) * 0.3, testImage(10, 10) * 0.9});
        const auto matched = [&](const at::Tensor& image, const at::Tensor& reference) {
            return pixelsOf(
                match(bench, {.image = imageOf(image), .reference = imageOf(reference)}));
        };
        const at::Tensor both = matched(pixels, references);
        for (int64_t i = 0; i < 2; ++i) {
            QVERIFY(at::equal(matched(pixels.narrow(0, i, 1), references.narrow(0, i, 1)),
                              both.narrow(0, i, 1)));
        }
    }

    void theDryRunPredictsActivationsOfDetail_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("index");
        for (const char* device : {"cpu", "fake"}) {
            for (size_t i = 0; i < dryRuns().size(); ++i) {
                QTest::addRow("%s %zu", device, i) << QString(device) << static_cast<int>(i);
            }
        }
    }

    void theDryRunPredictsActivationsOfDetail() {
        QFETCH(QString, device);
        QFETCH(int, index);
        const DryRunRow row = dryRuns()[static_cast<size_t>(index)];
        ModelBench bench({.kind = device.toStdString()});
        const at::Tensor pixels = testImage(row.height, row.width, row.batch);
        DetailRequest request = requestOf(bench, pixels);
        request.tilePixels = row.tile;
        const testing::StageSpec spec =
            testing::spec(bench.stages(), testing::known(shapesOf(request), request));
        QVERIFY(spec.components().size() == 2);
        memory::StageDevices devices{.device = {.spec = {.kind = "cpu"}}, .elsewhere = {}};
        if (device == "fake") {
            devices = {.device = {.spec = {.kind = "fake"}},
                       .elsewhere = {"positive", "negative", "image"}};
        }
        const memory::StageWork work = spec.dryRun(devices);
        const WireRef result = withDetail(bench, request);
        QCOMPARE(spec.output().shape, pixelsOf(result).sizes().vec());
        checkBytes(work.activations, bench.activationPeak(), device);
    }

    void theDryRunCountsEveryTileAndEveryStep() {
        ModelBench bench;
        const DetailRequest request = requestOf(bench, testImage(32, 48, 3));
        const memory::StageWork work =
            testing::spec(bench.stages(), testing::known(shapesOf(request), request))
                .dryRun({.device = {.spec = {.kind = "cpu"}}});
        QCOMPARE(work.components.size(), 2U);
        QCOMPARE(work.components[0].tree->role, std::string(models::kAutoencoder));
        QCOMPARE(work.components[0].forwards, 3 * 2 * 2);  // there and back
        QCOMPARE(work.components[1].forwards, 3 * 2 * 2);  // two of four steps
    }

    void theDryRunPredictsActivationsOfTheOthers_data() {
        QTest::addColumn<QString>("device");
        QTest::newRow("cpu") << "cpu";
        QTest::newRow("fake") << "fake";
    }

    void theDryRunPredictsActivationsOfTheOthers() {
        QFETCH(QString, device);
        ModelBench bench({.kind = device.toStdString()});
        const Shape shape = {2, 3, 300, 200};
        const at::Tensor pixels = testImage(300, 200, 2);
        const WireRef image = imageOf(device == "fake" ? pixels.to(c10::kPrivateUse1) : pixels);
        const std::string kind = device.toStdString();
        const memory::StageDevices devices{.device = {.spec = {.kind = kind}}, .elsewhere = {}};
        (void)sharpen(bench, {.image = image});
        checkBytes(testing::spec(bench.stages(), testing::known(shape, testing::SharpenRequest{}))
                       .dryRun(devices)
                       .activations,
                   bench.activationPeak(),
                   device);
        for (const char* method : {"histogram", "statistics"}) {
            testing::MatchColourRequest request{.method = method};
            const memory::StageWork work =
                testing::spec(bench.stages(), testing::known(shape, shape, request))
                    .dryRun(devices);
            request.image = image;
            request.reference = image;
            (void)match(bench, request);
            checkBytes(work.activations, bench.activationPeak(), device);
        }
    }

    void whatCannotBeIsRefused() {
        ModelBench bench;
        const auto itemOf = [](const std::function<void()>& work) {
            const auto error = testing::errorOf(work);
            return error && error->kind() == ErrorKind::InvalidInput ? error->item()
                                                                     : std::string("none");
        };
        const Shape shape = {2, 3, 40, 40};
        const auto sharpening = [&](const testing::SharpenRequest& request) {
            return itemOf(
                [&] { (void)testing::spec(bench.stages(), testing::known(shape, request)); });
        };
        QCOMPARE(sharpening({.radius = -1}), std::string("radius"));
        QCOMPARE(sharpening({.percent = NAN}), std::string("percent"));
        QCOMPARE(sharpening({.threshold = 256}), std::string("threshold"));
        const auto matching = [&](const Shape& reference,
                                  const testing::MatchColourRequest& asked) {
            return itemOf([&] {
                (void)testing::spec(bench.stages(), testing::known(shape, reference, asked));
            });
        };
        QCOMPARE(matching(shape, {.method = "magic"}), std::string("method"));
        QCOMPARE(matching(shape, {.strength = 2}), std::string("strength"));
        QCOMPARE(matching({3, 3, 4, 4}, {}), std::string("reference"));
        DetailRequest request = requestOf(bench, testImage(32, 48));
        const auto detailing = [&] {
            return itemOf([&] {
                (void)testing::spec(bench.stages(), testing::known(shapesOf(request), request));
            });
        };
        request.overlapPixels = 17;
        QCOMPARE(detailing(), std::string("overlap"));
        request.overlapPixels = 16;
        request.strength = 1.5;
        QCOMPARE(detailing(), std::string("strength"));
        request.strength = 0;
        QCOMPARE(detailing(), std::string("strength"));
    }

    void promptsForAreasAreRefused() {
        ModelBench bench;
        DetailRequest request = requestOf(bench, testImage(32, 48));
        testing::ConditioningEdit edit{
            .edit = testing::AreaEdit{
                .area = {.xPixels = 0, .yPixels = 0, .widthPixels = 16, .heightPixels = 16}}};
        testing::DetailShapes shapes = shapesOf(request);
        shapes.positive.value =
            testing::spec(bench.stages(), testing::known({shapes.positive}, edit)).output().value;
        const auto before = testing::errorOf(
            [&] { (void)testing::spec(bench.stages(), testing::known(shapes, request)); });
        QVERIFY(before && before->item() == "positive");
        edit.first = request.positive;
        request.positive = testing::run(bench.stages(), edit, bench.call("area")).front();
        const auto during = testing::errorOf([&] { (void)withDetail(bench, request); });
        QVERIFY(during && during->item() == "positive");
    }
};

LOWTIDE_TEST(FinishTest)

}  // namespace finish_test

#include "tests/unit/models/known_shapes.hpp"

#include "finish_test.moc"
