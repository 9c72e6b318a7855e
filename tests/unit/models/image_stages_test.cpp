#include "plugin/files/output_file.hpp"
#include "plugin/image/png.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/image_values.hpp"

#include <ATen/ATen.h>

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace image_stages_test {

using namespace lowtide;
using nodes::WireRef;
using testing::denoise;
using testing::DenoiseRequest;
using testing::encode;
using testing::ImageEncodeRequest;
using testing::imageOf;
using testing::imageRequest;
using testing::kMini;
using testing::latentsOf;
using testing::leftHalf;
using testing::maskOf;
using testing::ModelBench;
using testing::testImage;

/// Images on their way to the denoiser: how they are encoded, and masks made of them.
class ImageStagesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void encodeRefuses_data() {
        const testing::Rows<int, int, QString, QString> row(
            "height", "maskWidth", "sampling", "item");
        row("height", 20, 0, "sample", "image");
        row("mask", 16, 24, "sample", "mask");
        row("sampling", 16, 0, "median", "sampling");
    }

    void encodeRefuses() {
        QFETCH(int, height);
        QFETCH(int, maskWidth);
        QFETCH(QString, sampling);
        QFETCH(QString, item);
        ModelBench bench;
        ImageEncodeRequest request{.model = bench.load(kMini),
                                   .image = imageOf(testImage(height, 32)),
                                   .sampling = sampling.toStdString()};
        testing::ImageEncodeShapes shapes{.image = {1, 3, height, 32}};
        if (maskWidth > 0) {
            request.mask = maskOf(at::ones({1, 1, height, maskWidth}));
            shapes.mask = {1, 1, height, maskWidth};
        }
        const auto ran = testing::errorOf([&] { (void)encode(bench, request); });
        const auto planned = testing::errorOf(
            [&] { (void)testing::spec(bench.stages(), testing::known(shapes, request)); });
        QVERIFY(ran && ran->kind() == ErrorKind::InvalidInput);
        QCOMPARE(QString::fromStdString(ran->item()), item);
        QVERIFY(planned && planned->message() == ran->message());
    }

    void specsHaveShapesAndTensors() {
        ModelBench bench;
        ImageEncodeRequest request{.model = bench.load(kMini),
                                   .image = imageOf(testImage(16, 40, 2))};
        for (const char* sampling : {"sample", "mean"}) {
            request.sampling = sampling;
            const testing::StageSpec spec =
                testing::spec(bench.stages(), testing::known({.image = {2, 3, 16, 40}}, request));
            const WireRef latent = encode(bench, request);
            QCOMPARE(spec.output().shape, latentsOf(latent).samples().sizes().vec());
            Bytes bytes = 0;
            for (const Bytes tensor : spec.output().tensors) {
                bytes += tensor;
            }
            QCOMPARE(bytes, latent->bytesOn("cpu"));
            QCOMPARE(latentsOf(latent).deviation().defined(), request.sampling == "sample");
        }
        const QTemporaryDir folder;
        const std::string path = folder.filePath("small.png").toStdString();
        const Image8 small{7, 5, 3, std::make_shared<uint8_t[]>(size_t{5} * 7 * 3)};
        files::writeFileAtomically(path, image::encodePng(small, {}));
        const testing::StageSpec testImage = testing::specOfNode(
            bench.stages(), {.node = "load.image", .params = {{"image", path}}});
        QCOMPARE(testImage.output().shape, (Shape{1, 3, 5, 7}));
        QCOMPARE(testImage.outputs[1].shape, (Shape{1, 1, 5, 7}));
    }

    void aSampleIsDrawnByTheDenoiser() {
        ModelBench bench;
        const WireRef model = bench.load(kMini);
        const auto latentWith = [&](const char* sampling) {
            return encode(
                bench, {.model = model, .image = imageOf(testImage(16, 32)), .sampling = sampling});
        };
        const WireRef sample = latentWith("sample");
        const WireRef mean = latentWith("mean");
        QVERIFY(at::equal(latentsOf(sample).samples(), latentsOf(mean).samples()));
        QVERIFY(latentsOf(sample).deviation().min().item<double>() > 0);

        DenoiseRequest request = imageRequest(model);
        const auto firstDraw = [&](const WireRef& latent) {
            request.latent = latent;
            bench.record();
            (void)denoise(bench, request);
            return bench.recorded();
        };
        QVERIFY(firstDraw(sample).contains("random.001"));
        QVERIFY(!firstDraw(mean).contains("random.001"));
    }

    void whatAMaskCoversIsNotSeen() {
        ModelBench bench;
        const WireRef model = bench.load(kMini);
        const at::Tensor mask = leftHalf(16, 32);
        const auto seen = [&](const at::Tensor& pixels, const WireRef& connected) {
            return latentsOf(
                       encode(bench, {.model = model, .image = imageOf(pixels), .mask = connected}))
                .samples();
        };
        const at::Tensor first = testImage(16, 32);
        const at::Tensor second = at::where(mask.expand_as(first) > 0.5, 1 - first, first);
        QVERIFY(at::equal(seen(first, maskOf(mask)), seen(second, maskOf(mask))));
        QVERIFY(!at::equal(seen(first, nullptr), seen(second, nullptr)));
        const at::Tensor grey = at::where(mask.expand_as(first) > 0.5, at::full({1}, 0.5), first);
        QVERIFY(at::equal(seen(first, maskOf(mask)), seen(grey, nullptr)));
        const auto half = [&](double level) { return maskOf(mask * level); };
        QVERIFY(at::equal(seen(first, half(0.5)), seen(first, maskOf(mask))));
        QVERIFY(at::equal(seen(first, half(0.499)), seen(first, nullptr)));
    }

    void imagesAreEncodedOneByOne_whenCancelledSo() {
        ModelBench bench;
        StopSource source;
        int images = 0;
        nodes::StageCall call = bench.call("encode");
        call.stop = source.token();
        call.progress = [&](std::string_view phase, double, double total) {
            QCOMPARE(std::string(phase), std::string("encode"));
            QCOMPARE(total, 3.0);
            ++images;
            source.cancel(CancelMode::AfterThisImage);
        };
        const auto error = testing::errorOf([&] {
            (void)encode(
                bench, {.model = bench.load(kMini), .image = imageOf(testImage(16, 16, 3))}, call);
        });
        QVERIFY(error && error->kind() == ErrorKind::Cancelled);
        QCOMPARE(images, 1);
    }

    void masksAreMadeOfLevels_data() {
        const testing::Rows<QString, double, bool, QList<double>> row(
            "channel", "threshold", "isInverted", "expected");
        using List = QList<double>;
        // brightness of the pixels below: 0.1495, 0.55, 0.794
        row("brightness", "brightness", 0.5, false, List{0, 1, 1});
        row("threshold", "brightness", 0.6, false, List{0, 0, 1});
        row("inverted", "brightness", 0.6, true, List{1, 1, 0});
        row("soft", "brightness", 0.0, false, List{0.1495, 0.55, 0.794});
        row("red", "red", 0.5, false, List{1, 1, 0});
        row("green", "green", 0.0, false, List{0, 0.55, 1});
        row("blue, inverted", "blue", 0.0, true, List{1, 0.45, 0});
    }

    void masksAreMadeOfLevels() {
        QFETCH(QString, channel);
        QFETCH(double, threshold);
        QFETCH(bool, isInverted);
        QFETCH(QList<double>, expected);
        ModelBench bench;
        const at::Tensor pixels =
            at::tensor({0.5, 0.55, 0.31103678929765886, 0.0, 0.55, 1.0, 0.0, 0.55, 1.0})
                .to(at::kFloat)
                .view({1, 3, 1, 3});
        const WireRef mask = testing::run(bench.stages(),
                                          testing::MaskRequest{.image = imageOf(pixels),
                                                               .channel = channel.toStdString(),
                                                               .threshold = threshold,
                                                               .isInverted = isInverted},
                                          bench.call("mask"))
                                 .front();
        const at::Tensor& values = dynamic_cast<const tensor::Masks&>(*mask).values();
        QCOMPARE(values.sizes().vec(), (std::vector<int64_t>{1, 1, 1, 3}));
        for (int i = 0; i < 3; ++i) {
            QVERIFY(std::abs(values[0][0][0][i].item<double>() - expected[i]) < 1e-6);
        }
    }
};

LOWTIDE_TEST(ImageStagesTest)

}  // namespace image_stages_test

#include "tests/unit/models/known_shapes.hpp"

#include "image_stages_test.moc"
