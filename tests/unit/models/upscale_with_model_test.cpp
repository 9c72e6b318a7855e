#include "plugin/base/json.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/component_source.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/ATen.h>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <limits>

namespace upscale_with_model_test {

using namespace lowtide;
using nodes::WireRef;
using testing::ModelBench;
using testing::TensorFile;
using testing::tensorIn;
using testing::UpscaleWithModelRequest;

namespace {

/// Of pixels 0..1, 1/78 of an 8-bit level: in a tile a pixel has another position within the
/// squares of the Winograd convolutions, which round some 1e-6 each by position (decision 0017).
constexpr double kWholeTolerance = 5e-5;
/// On the CPU oneDNN chooses its layouts by processor; the fake GPU holds tensors alone.
constexpr double kLargestError = 0.05;

WireRef imageOf(const at::Tensor& pixels) {
    return std::make_shared<const tensor::Images>(pixels, tensor::Provenance{});
}

/// Smooth waves with some noise, as images are.
at::Tensor testImage(int64_t height, int64_t width, int64_t batch = 1) {
    const at::Tensor y = at::arange(height, at::kFloat).view({1, 1, height, 1});
    const at::Tensor x = at::arange(width, at::kFloat).view({1, 1, 1, width});
    const at::Tensor channel = at::arange(batch * 3, at::kFloat).view({batch, 3, 1, 1});
    const at::Tensor waves = at::sin(y / 7 + channel) * at::cos(x / 11 - channel);
    return (waves * 0.4 + 0.5 + at::sin(x * y * 0.37) * 0.1).clamp(0, 1);
}

const models::Upscaler& upscalerOf(const WireRef& value) {
    return dynamic_cast<const models::Upscaler&>(*value);
}

struct DryRunRow {
    const char* checkpoint;
    int64_t width;
    int64_t height;
    int64_t batch;
    int64_t tile;
    int64_t overlap;
};

std::vector<DryRunRow> dryRuns() {
    return {{"esrgan_0/esrgan_basicsr", 32, 24, 1, 0, 0},
            {"esrgan_0/esrgan_old", 96, 80, 2, 0, 0},
            {"esrgan_0/esrgan_old", 97, 80, 2, 48, 16},
            {"esrgan_1/esrgan_trunk", 63, 41, 1, 0, 0},
            {"esrgan_1/esrgan_trunk", 131, 70, 3, 64, 24},
            {"esrgan_2/esrgan_old", 100, 64, 1, 40, 8},
            {"scales/x1_unshuffled", 130, 66, 1, 64, 16},
            {"scales/x8_flat", 24, 40, 1, 16, 4},
            {"scales/half", 64, 64, 1, 0, 0}};
}

}  // namespace

/// Compares images that networks enlarge with those of the reference and of spandrel.
class UpscaleWithModelTest : public QObject {
    Q_OBJECT

    std::string folder_;
    Json cases_;

    WireRef load(ModelBench& bench,
                 const std::string& name,
                 const std::string& ending = ".safetensors") const {
        return bench.stages().loadUpscaler(folder_ + "/upscalers/" + name + ending, "");
    }

    static at::Tensor run(ModelBench& bench,
                          const UpscaleWithModelRequest& request,
                          std::optional<nodes::StageCall> call = {}) {
        WireRef result;
        bench.runWith(upscalerOf(request.upscaler).tree(models::kUpscaler), [&] {
            result =
                testing::run(bench.stages(), request, call ? *call : bench.call("upscale")).front();
        });
        return dynamic_cast<const tensor::Images&>(*result).pixels();
    }

    /// Largest difference between tiles and the whole image, before anything is clamped.
    double errorOfTiles(const std::string& name,
                        const at::Tensor& pixels,
                        int64_t tile,
                        int64_t overlap) const {
        ModelBench bench;
        const WireRef upscaler = load(bench, name);
        const auto raw = [&](int64_t side) {
            bench.record();
            (void)run(bench,
                      {.upscaler = upscaler,
                       .image = imageOf(pixels),
                       .tilePixels = side,
                       .overlapPixels = overlap});
            return tensorIn(bench.recorded(), "upscale_raw");
        };
        return (raw(tile) - raw(0)).abs().max().item<double>();
    }

private Q_SLOTS:

    void initTestCase() {
        folder_ = testing::upscaleGoldenFolder().toStdString();
        QFile file(testing::sourcePath("tests/golden/upscale_cases.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        cases_ = parseJson(file.readAll().toStdString(), "upscale_cases.json");
    }

    void everyRecordedValueAgrees_data() {
        QTest::addColumn<int>("index");
        QTest::addColumn<QString>("ending");
        for (size_t i = 0; i < cases_.size(); ++i) {
            const std::string name = cases_[i].at("name").get<std::string>();
            QTest::addRow("%s", name.c_str()) << static_cast<int>(i) << ".safetensors";
            if (cases_[i].at("checkpoint").get<std::string>().starts_with("esrgan_")) {
                QTest::addRow("%s of a .pth file", name.c_str()) << static_cast<int>(i) << ".pth";
            }
        }
    }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        QFETCH(QString, ending);
        const Json& test = cases_[static_cast<size_t>(index)];
        const TensorFile expected = testing::readTensorFile(
            folder_ + "/" + test.at("name").get<std::string>() + ".safetensors");
        ModelBench bench;
        bench.record();
        const at::Tensor pixels =
            run(bench,
                {.upscaler =
                     load(bench, test.at("checkpoint").get<std::string>(), ending.toStdString()),
                 .image = imageOf(tensorIn(expected, "upscale_in")),
                 .tilePixels = 0});
        const TensorFile ours = bench.recorded();
        for (const char* key : {"upscale_in", "upscale_raw"}) {
            const auto problem = testing::disagreement(expected.at(key), ours.at(key));
            QVERIFY2(!problem, (key + (": " + problem.value_or(""))).c_str());
        }
        QVERIFY(at::equal(pixels, tensorIn(ours, "upscale_raw").clamp(0, 1)));
        if (expected.contains("image_u8")) {
            const std::vector<Image8> shown = tensor::image8(pixels);
            const std::string& bytes = expected.at("image_u8").bytes;
            QCOMPARE(shown.at(0).byteCount(), bytes.size());
            for (size_t i = 0; i < bytes.size(); ++i) {
                const int level = static_cast<uint8_t>(bytes[i]);
                QVERIFY(std::abs(shown[0].pixels[i] - level) <= 1);
            }
        }
    }

    /// A network of one block sees 19 pixels (of the shuffled image) to each side; the outer
    /// quarter of an overlap, which is not shown, is wider.
    void tilesGiveTheWholeImage_whenOverlapsAreWiderThanTheNetworkSees_data() {
        const testing::Rows<QString, int, int, int, int> row(
            "checkpoint", "height", "width", "tile", "overlap");
        row("x4", "scales/half", 200, 240, 160, 80);
        row("x2", "scales/x2_flat", 30, 511, 170, 77);
        row("x1", "scales/x1_flat", 301, 20, 200, 90);
        row("two blocks, squares of 2 pixels", "esrgan_1/esrgan_old", 33, 701, 580, 288);
    }

    void tilesGiveTheWholeImage_whenOverlapsAreWiderThanTheNetworkSees() {
        QFETCH(QString, checkpoint);
        QFETCH(int, height);
        QFETCH(int, width);
        QFETCH(int, tile);
        QFETCH(int, overlap);
        const double error =
            errorOfTiles(checkpoint.toStdString(), testImage(height, width), tile, overlap);
        qInfo("largest difference %.1e", error);
        QVERIFY(error <= kWholeTolerance);
    }

    void widerOverlapsComeNearerToTheWholeImage() {
        const at::Tensor pixels = testImage(64, 150);
        double before = 1e9;
        for (const int overlap : {0, 32}) {
            const double error = errorOfTiles("scales/half", pixels, 64, overlap);
            qInfo("overlap %d: largest difference %.1e", overlap, error);
            QVERIFY(error < before && error > kWholeTolerance);
            before = error;
        }
    }

    void anImageThatFitsATileIsTakenWhole() {
        ModelBench bench;
        UpscaleWithModelRequest request{.upscaler = load(bench, "esrgan_1/esrgan_old"),
                                        .image = imageOf(testImage(31, 47)),
                                        .tilePixels = 0};
        const at::Tensor whole = run(bench, request);
        request.tilePixels = 48;
        request.overlapPixels = 24;
        QVERIFY(at::equal(run(bench, request), whole));
    }

    void aBatchIsItsImages() {
        ModelBench bench;
        const at::Tensor pixels = testImage(30, 50, 3);
        UpscaleWithModelRequest request{.upscaler = load(bench, "esrgan_1/esrgan_basicsr"),
                                        .image = imageOf(pixels),
                                        .tilePixels = 32,
                                        .overlapPixels = 8};
        const at::Tensor all = run(bench, request);
        QCOMPARE(all.sizes().vec(), (std::vector<int64_t>{3, 3, 60, 100}));
        for (int64_t i = 0; i < 3; ++i) {
            request.image = imageOf(pixels.narrow(0, i, 1).clone());
            QVERIFY(at::equal(run(bench, request), all.narrow(0, i, 1)));
        }
    }

    void theGpuHasTheBitsOfTheCpu() {
        ModelBench cpu;
        ModelBench gpu({.kind = "fake"});
        const at::Tensor pixels = testImage(33, 50, 2);
        const auto on = [&](ModelBench& bench) {
            bench.record();
            (void)run(bench,
                      {.upscaler = load(bench, "esrgan_1/esrgan_trunk"),
                       .image = imageOf(pixels),
                       .tilePixels = 32,
                       .overlapPixels = 8});
            return bench.recorded().at("upscale_raw").bytes;
        };
        QVERIFY(on(cpu) == on(gpu));
    }

    void countsTilesAndEndsBetweenThem_data() {
        const testing::Rows<int, int> row("mode", "tiles");
        row("not cancelled", -1, 8);
        row("after this image", static_cast<int>(CancelMode::AfterThisImage), 4);
        row("now", static_cast<int>(CancelMode::Now), 1);
    }

    void countsTilesAndEndsBetweenThem() {
        QFETCH(int, mode);
        QFETCH(int, tiles);
        ModelBench bench;
        const WireRef upscaler = load(bench, "scales/x1_flat");
        StopSource source;
        std::vector<double> done;
        double total = 0;
        nodes::StageCall call = bench.call("upscale");
        call.stop = source.token();
        call.progress = [&](std::string_view phase, double part, double all) {
            QCOMPARE(std::string(phase), std::string("tile"));
            done.push_back(part);
            total = all;
            if (mode >= 0) {
                source.cancel(static_cast<CancelMode>(mode));
            }
        };
        const auto error = testing::errorOf([&] {
            (void)run(bench,
                      {.upscaler = upscaler,
                       .image = imageOf(testImage(24, 24, 2)),
                       .tilePixels = 16,
                       .overlapPixels = 8},
                      call);
        });
        QCOMPARE(error.has_value(), mode >= 0);
        QVERIFY(!error || error->kind() == ErrorKind::Cancelled);
        QCOMPARE(done.size(), static_cast<size_t>(tiles));
        QCOMPARE(done.back(), static_cast<double>(tiles));
        QCOMPARE(total, 8.0);
    }

    /// Which a clamp to 0..1 would make white or black.
    void infinityIsNoImage() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("large.safetensors").toStdString();
        TensorFile file =
            testing::readTensorFile(folder_ + "/upscalers/esrgan_1/esrgan_basicsr.safetensors");
        testing::FileTensor& bias = file.at("conv_last.bias");
        const std::vector<float> large(3, std::numeric_limits<float>::infinity());
        std::memcpy(bias.bytes.data(), large.data(), bias.bytes.size());
        testing::writeTensorFile(path, file);
        ModelBench bench;
        const auto error = testing::errorOf([&] {
            (void)run(bench,
                      {.upscaler = bench.stages().loadUpscaler(path, ""),
                       .image = imageOf(testImage(8, 8)),
                       .tilePixels = 0});
        });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("upscaler"));
        QVERIFY2(error->message().str().find("large.safetensors") != std::string::npos,
                 error->what());
    }

    void imageTextNamesTheUpscaler() {
        ModelBench bench;
        tensor::Provenance provenance{.prompt = "a cat", .negative = {}, .fields = {}};
        provenance.set("Steps", "4");
        const WireRef upscaler = load(bench, "esrgan_0/esrgan_old");
        WireRef image = std::make_shared<const tensor::Images>(testImage(8, 8), provenance);
        bench.runWith(upscalerOf(upscaler).tree(models::kUpscaler), [&] {
            image =
                testing::run(bench.stages(),
                             testing::UpscaleWithModelRequest{.upscaler = upscaler, .image = image},
                             bench.call("upscale"))
                    .front();
        });
        QCOMPARE(bench.stages().parametersText(image, 0),
                 std::string("a cat\nSteps: 4, Postprocess upscale by: 4, Postprocess upscaler: "
                             "esrgan_old, Version: Lowtide 0.1.0"));
    }

    void theDryRunPredictsActivations_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("index");
        const std::vector<DryRunRow> all = dryRuns();
        for (const char* device : {"cpu", "fake"}) {
            for (size_t i = 0; i < all.size(); ++i) {
                QTest::addRow("%s %s %lldx%lld batch %lld tile %lld",
                              device,
                              all[i].checkpoint,
                              static_cast<long long>(all[i].width),
                              static_cast<long long>(all[i].height),
                              static_cast<long long>(all[i].batch),
                              static_cast<long long>(all[i].tile))
                    << QString(device) << static_cast<int>(i);
            }
        }
    }

    void theDryRunPredictsActivations() {
        QFETCH(QString, device);
        QFETCH(int, index);
        const DryRunRow row = dryRuns()[static_cast<size_t>(index)];
        ModelBench bench({.kind = device.toStdString()});
        UpscaleWithModelRequest request{.upscaler = load(bench, row.checkpoint),
                                        .tilePixels = row.tile,
                                        .overlapPixels = row.overlap};
        const Shape shape = {row.batch, 3, row.height, row.width};
        const testing::StageSpec spec =
            testing::spec(bench.stages(), testing::known(shape, request));
        const memory::StageWork work = spec.dryRun({device.toStdString()});

        const at::Tensor pixels = testImage(row.height, row.width, row.batch);
        request.image = imageOf(device == "fake" ? pixels.to(c10::kPrivateUse1) : pixels);
        const at::Tensor result = run(bench, request);

        QCOMPARE(spec.output().shape, result.sizes().vec());
        QCOMPARE(work.components.size(), 1U);
        const auto measured = static_cast<double>(bench.activationPeak());
        const double error = static_cast<double>(work.activations) / measured - 1;
        qInfo("predicted %lld, measured %.0f, error %.2f %%",
              static_cast<long long>(work.activations),
              measured,
              100 * error);
        QVERIFY(std::abs(error) <= (device == "fake" ? 0 : kLargestError));
    }

    void theDryRunCountsEveryTileAndEveryLeaf() {
        ModelBench bench;
        const WireRef upscaler = load(bench, "esrgan_0/esrgan_old");
        const memory::StageWork work =
            testing::spec(
                bench.stages(),
                testing::known({2, 3, 24, 24},
                               testing::UpscaleWithModelRequest{
                                   .upscaler = upscaler, .tilePixels = 16, .overlapPixels = 8}))
                .dryRun({"cpu"});
        const memory::ComponentWork& component = work.components.at(0);
        QCOMPARE(component.forwards, 8);
        QCOMPARE(component.forward.size(), component.tree->leaves.size());
        for (size_t i = 0; i < component.forward.size(); ++i) {
            QCOMPARE(component.forward[i].leaf, static_cast<memory::LeafId>(i));
        }
        QCOMPARE(component.forward[0].flops, 2.0 * 16 * 16 * 3 * 9 * 16);
        QCOMPARE(component.forward.back().flops, 2.0 * 64 * 64 * 16 * 9 * 3);
    }
};

LOWTIDE_TEST(UpscaleWithModelTest)

}  // namespace upscale_with_model_test

#include "upscale_with_model_test.moc"
