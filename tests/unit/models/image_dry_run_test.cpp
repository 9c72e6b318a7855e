// Compares the bytes of the dry run with those of the ledger, for images that are encoded and
// masks.

#include "nodes/engine/spec_parts.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/image_values.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace image_dry_run_test {

using namespace lowtide;
using nodes::WireRef;
using testing::encode;
using testing::latentsOf;
using testing::ModelBench;

namespace {

/// On the CPU oneDNN chooses its layouts by processor. The fake GPU holds tensors alone, so there
/// no byte may differ.
constexpr double kLargestError = 0.05;

/// A way from an image to denoised latents.
struct Way {
    std::string checkpoint;  ///< "mini", or one of the image goldens
    int64_t width = 64;
    int64_t height = 64;
    int64_t batch = 1;
    int64_t tile = 0;
    bool hasMask = false;
    std::string sampling = "sample";
    std::string sampler = "ddim";
    double strength = 0.6;
    double cfg = 7.5;

    [[nodiscard]] std::string name() const {
        return checkpoint + " " + std::to_string(width) + "x" + std::to_string(height) + " batch " +
               std::to_string(batch) + " tile " + std::to_string(tile) +
               (hasMask ? " masked " : " ") + sampling + " " + sampler + " " +
               std::to_string(strength);
    }
};

std::vector<Way> ways() {
    return {{.checkpoint = "mini"},
            {.checkpoint = "mini", .width = 200, .height = 136, .tile = 64, .sampling = "mean"},
            {.checkpoint = "mini", .width = 96, .batch = 3, .hasMask = true, .strength = 1},
            {.checkpoint = "sd15_1", .width = 104, .height = 72, .hasMask = true},
            {.checkpoint = "sd15_1", .batch = 2, .sampler = "heun", .cfg = 1},
            {.checkpoint = "sd15_3", .width = 96, .tile = 48, .sampler = "dpmpp_2m"},
            {.checkpoint = "sd15_3", .hasMask = true, .sampling = "mean", .sampler = "euler_a"},
            {.checkpoint = "inpaint_1", .hasMask = true, .strength = 1},
            {.checkpoint = "inpaint_3", .width = 96, .batch = 2, .hasMask = true},
            {.checkpoint = "inpaint_1", .hasMask = true, .sampling = "mean", .cfg = 1}};
}

Shape shapeOf(const at::Tensor& tensor) {
    return tensor.sizes().vec();
}

}  // namespace

class ImageDryRunTest : public QObject {
    Q_OBJECT

    std::string goldens_;

    /// What comes into a stage: on its device or, with `isElsewhere`, on the host.
    struct Wires {
        WireRef image;
        WireRef mask;
    };

    static at::Tensor onDevice(const at::Tensor& values, const std::string& device) {
        return device == "fake" ? values.to(c10::kPrivateUse1) : values;
    }

    static Wires wiresOf(const Way& way, const std::string& device) {
        const at::Tensor pixels = at::rand({way.batch, 3, way.height, way.width});
        at::Tensor mask = at::zeros({1, 1, way.height, way.width});
        mask.narrow(3, 0, way.width / 2).fill_(1);
        return {
            std::make_shared<const tensor::Images>(onDevice(pixels, device), tensor::Provenance{}),
            std::make_shared<const tensor::Masks>(onDevice(mask, device))};
    }

    static void check(const std::string& name, Bytes predicted, Bytes measured, double most) {
        const double error = static_cast<double>(predicted) / static_cast<double>(measured) - 1;
        qInfo("%-66s %12lld %12lld %7.2f%%",
              name.c_str(),
              static_cast<long long>(predicted),
              static_cast<long long>(measured),
              100 * error);
        QVERIFY2(std::abs(error) <= most, name.c_str());
    }

    static testing::ImageEncodeRequest encodeRequest(const WireRef& model, const Way& way) {
        return {.model = model, .tilePixels = way.tile, .sampling = way.sampling};
    }

    nodes::WireRef load(ModelBench& bench, const Way& way) const {
        return bench.load(way.checkpoint == "mini" ? testing::miniModel()
                                                   : goldens_ + "/checkpoints/" + way.checkpoint);
    }

    static testing::ImageEncodeShapes encodeShapes(const Way& way, bool hasMask) {
        return {.image = {way.batch, 3, way.height, way.width},
                .mask = hasMask ? Shape{1, 1, way.height, way.width} : Shape()};
    }

    struct Denoising {
        testing::DenoiseRequest request;
        testing::DenoiseShapes shapes;
    };

    static Denoising denoisingOf(const Way& way, const WireRef& model, const WireRef& latent) {
        const Shape tokens = ModelBench::wordsShape(model);
        const auto latentKind =
            std::make_shared<const nodes::LatentSpec>(latentsOf(latent).deviation().defined());
        return {.request = {.model = model,
                            .latent = latent,
                            .steps = 5,
                            .cfg = way.cfg,
                            .sampler = way.sampler,
                            .strength = way.strength},
                .shapes = {.latent = shapeOf(latentsOf(latent).samples()),
                           .positive = tokens,
                           .negative = tokens,
                           .latentKind = latentKind}};
    }

    static void denoise(ModelBench& bench, testing::DenoiseRequest request, const Shape& tokens) {
        const WireRef words = std::make_shared<const tensor::Conditioning>(
            onDevice(at::zeros(tokens), bench.device().kind), at::Tensor(), "", -1);
        request.positive = words;
        request.negative = words;
        (void)testing::denoise(bench, request);
    }

private Q_SLOTS:

    void initTestCase() { goldens_ = testing::imageGoldenFolder().toStdString(); }

    void predictsActivations_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("index");
        const std::vector<Way> all = ways();
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
        const std::string kind = device.toStdString();
        const double most = kind == "fake" ? 0 : kLargestError;
        const Way way = ways()[static_cast<size_t>(index)];
        ModelBench bench({.kind = kind});
        const WireRef model = load(bench, way);
        const Wires wires = wiresOf(way, kind);

        testing::ImageEncodeRequest whole = encodeRequest(model, way);
        whole.image = wires.image;
        const WireRef latent = encode(bench, whole);
        check("encode " + way.name(),
              testing::spec(bench.stages(),
                            testing::known(encodeShapes(way, false), encodeRequest(model, way)))
                  .dryRun({kind})
                  .activations,
              bench.activationPeak(),
              most);

        Denoising denoising = denoisingOf(way, model, latent);
        if (way.hasMask) {
            testing::ImageEncodeRequest masked = whole;
            masked.mask = wires.mask;
            const WireRef maskedLatent = encode(bench, masked);
            check("encode masked " + way.name(),
                  testing::spec(bench.stages(),
                                testing::known(encodeShapes(way, true), encodeRequest(model, way)))
                      .dryRun({kind})
                      .activations,
                  bench.activationPeak(),
                  most);
            denoising.request.mask = wires.mask;
            denoising.shapes.mask = {1, 1, way.height, way.width};
            if (ModelBench::modelOf(model).info().fillsMasks) {
                denoising.request.masked = maskedLatent;
                denoising.shapes.masked = denoising.shapes.latent;
                denoising.shapes.maskedKind = denoising.shapes.latentKind;
            }
        }
        denoise(bench, denoising.request, denoising.shapes.positive);
        check("denoise " + way.name(),
              testing::spec(bench.stages(), testing::known(denoising.shapes, denoising.request))
                  .dryRun({kind})
                  .activations,
              bench.activationPeak(),
              most);
    }

    void predictsActivationsOfMasks() {
        for (const std::string kind : {"cpu", "fake"}) {
            ModelBench bench({.kind = kind});
            const WireRef model = bench.load(testing::miniModel());
            const WireRef image = wiresOf({.checkpoint = "mini", .batch = 2}, kind).image;
            for (const double threshold : {0.0, 0.5}) {
                const testing::MaskRequest request{.image = image, .threshold = threshold};
                bench.runWith(model, models::kAutoencoder, [&] {
                    (void)testing::run(bench.stages(), request, bench.call("mask")).front();
                });
                check("mask on " + kind,
                      testing::spec(bench.stages(), testing::known({2, 3, 64, 64}, request))
                          .dryRun({kind})
                          .activations,
                      bench.activationPeak(),
                      kind == "fake" ? 0 : kLargestError);
            }
        }
    }

    /// An image and a mask are read into host memory; the GPU takes copies.
    void countsCopiesOfWhatLiesElsewhere() {
        const Way way{.checkpoint = "inpaint_1", .width = 104, .height = 72, .hasMask = true};
        ModelBench bench({.kind = "fake"});
        const WireRef model = load(bench, way);
        const Wires wires = wiresOf(way, "cpu");
        testing::ImageEncodeRequest request = encodeRequest(model, way);
        request.image = wires.image;
        request.mask = wires.mask;
        const WireRef masked = encode(bench, request);
        check("encode from the host",
              testing::spec(bench.stages(),
                            testing::known(encodeShapes(way, true), encodeRequest(model, way)))
                  .dryRun({.device = {.spec = {.kind = "fake"}}, .elsewhere = {"image", "mask"}})
                  .activations,
              bench.activationPeak(),
              0);

        const WireRef onHost = masked->onHost();
        Denoising denoising = denoisingOf(way, model, onHost);
        denoising.request.mask = wires.mask;
        denoising.request.masked = onHost;
        denoising.shapes.mask = {1, 1, way.height, way.width};
        denoising.shapes.masked = denoising.shapes.latent;
        denoising.shapes.maskedKind = denoising.shapes.latentKind;
        denoise(bench, denoising.request, denoising.shapes.positive);
        check("denoise from the host",
              testing::spec(bench.stages(), testing::known(denoising.shapes, denoising.request))
                  .dryRun({.device = {.spec = {.kind = "fake"}},
                           .elsewhere = {"latent", "mask", "masked"}})
                  .activations,
              bench.activationPeak(),
              0);
    }

    void theDryRunCountsEveryTile() {
        ModelBench bench;
        const WireRef model = bench.load(testing::miniModel());
        const auto work =
            testing::spec(
                bench.stages(),
                testing::known({.image = {2, 3, 96, 160}, .mask = {}},
                               testing::ImageEncodeRequest{.model = model, .tilePixels = 64}))
                .dryRun({"cpu"});
        QCOMPARE(work.components.size(), 1U);
        // Tiles overlap by 16 pixels at least: 2 rows of 3, twice.
        QCOMPARE(work.components[0].forwards, int64_t{12});
    }
};

LOWTIDE_TEST(ImageDryRunTest)

}  // namespace image_dry_run_test

#include "tests/unit/models/known_shapes.hpp"

#include "image_dry_run_test.moc"
