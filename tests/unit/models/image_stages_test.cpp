#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

using namespace lowtide;
using models::DenoiseRequest;
using models::ImageEncodeRequest;
using models::WireRef;
using testing::ModelBench;

namespace {

constexpr const char* kMini = "builtin:mini";

WireRef imageOf(const at::Tensor& pixels) {
    return std::make_shared<const tensor::Images>(pixels, tensor::Provenance{});
}

WireRef maskOf(const at::Tensor& values) {
    return std::make_shared<const tensor::Masks>(values);
}

WireRef latentOf(at::IntArrayRef shape) {
    return std::make_shared<const tensor::Latents>(at::zeros(shape), tensor::Provenance{});
}

at::Tensor picture(int64_t height, int64_t width, int64_t batch = 1) {
    const at::Tensor places = at::arange(batch * 3 * height * width, at::kFloat);
    return (at::sin(places * 0.05) * 0.4 + 0.5).view({batch, 3, height, width});
}

at::Tensor leftHalf(int64_t height, int64_t width) {
    at::Tensor mask = at::zeros({1, 1, height, width});
    mask.narrow(3, 0, width / 2).fill_(1);
    return mask;
}

const tensor::Latents& latentsOf(const WireRef& value) {
    return dynamic_cast<const tensor::Latents&>(*value);
}

WireRef encode(ModelBench& bench,
               const ImageEncodeRequest& request,
               std::optional<models::StageCall> call = {}) {
    WireRef result;
    bench.runWith(request.model, models::kAutoencoder, [&] {
        result = bench.stages().encodeImage(request, call ? *call : bench.call("encode"));
    });
    return result;
}

WireRef denoise(ModelBench& bench,
                const DenoiseRequest& request,
                std::optional<models::StageCall> call = {}) {
    WireRef result;
    bench.runWith(request.model, models::kDenoiser, [&] {
        result = bench.stages().denoise(request, call ? *call : bench.call("denoise"));
    });
    return result;
}

/// A request that goes on with a picture of 32 x 16 pixels; tests break one thing of it.
DenoiseRequest goodRequest(const WireRef& model) {
    const models::ModelInfo& info = ModelBench::modelOf(model).info();
    const WireRef words = std::make_shared<const tensor::Conditioning>(
        at::zeros({1, info.promptTokens, info.conditioningWidth}), at::Tensor(), "a cat", -1);
    const int64_t factor = info.downsampling;
    DenoiseRequest request{.model = model,
                           .positive = words,
                           .negative = words,
                           .latent = latentOf({1, 4, 16 / factor, 32 / factor}),
                           .steps = 4,
                           .cfg = 3,
                           .seed = 5,
                           .sampler = "ddim",
                           .strength = 0.5};
    if (info.fillsMasks) {
        request.mask = maskOf(leftHalf(16, 32));
        request.masked = request.latent;
    }
    return request;
}

using Change = std::function<void(DenoiseRequest&, ModelBench&)>;

struct Refusal {
    const char* row;
    Change change;
    const char* item;
    const char* says;
};

WireRef emptyLatent(ModelBench& bench) {
    return bench.stages().emptyLatent({.widthPixels = 32, .heightPixels = 16, .batch = 1});
}

std::vector<Refusal> refusals() {
    using Request = DenoiseRequest;
    return {
        {"mask of another size",
         [](Request& r, ModelBench&) {
             r.mask = maskOf(at::ones({1, 1, 16, 24}));
         },
         "mask",
         "24 x 16 pixels, the picture 32 x 16"},
        {"mask that is a picture",
         [](Request& r, ModelBench&) { r.mask = imageOf(picture(16, 32)); },
         "mask",
         "no mask"},
        {"more masks than pictures",
         [](Request& r, ModelBench&) {
             r.mask = maskOf(at::ones({2, 1, 16, 32}));
         },
         "mask",
         "2 masks for 1"},
        {"mask behind another pass",
         [](Request& r, ModelBench&) {
             r.mask = maskOf(at::ones({1, 1, 16, 32}));
             r.addNoise = false;
         },
         "add_noise",
         "mask"},
        {"strength above 1", [](Request& r, ModelBench&) { r.strength = 1.5; }, "strength", "1.5"},
        {"strength is no number",
         [](Request& r, ModelBench&) { r.strength = NAN; },
         "strength",
         "nan"},
        {"no step is left",
         [](Request& r, ModelBench&) { r.strength = 0.2; },
         "strength",
         "takes none of 4"},
        {"two beginnings",
         [](Request& r, ModelBench&) { r.startStep = 1; },
         "strength",
         "start_step 1"},
        {"strength of nothing",
         [](Request& r, ModelBench& b) { r.latent = emptyLatent(b); },
         "strength",
         "the latent is empty"},
    };
}

std::vector<Refusal> blendRefusals() {
    using Request = DenoiseRequest;
    return {
        {"mask around nothing",
         [](Request& r, ModelBench& b) {
             r.latent = emptyLatent(b);
             r.mask = maskOf(at::ones({1, 1, 16, 32}));
             r.strength = 1;
         },
         "latent",
         "no picture around the mask"},
        {"masked picture for four channels",
         [](Request& r, ModelBench&) {
             r.mask = maskOf(at::ones({1, 1, 16, 32}));
             r.masked = r.latent;
         },
         "masked",
         "takes no masked picture"},
    };
}

std::vector<Refusal> fillRefusals() {
    using Request = DenoiseRequest;
    return {
        {"no mask", [](Request& r, ModelBench&) { r.mask = nullptr; }, "mask", "fills masks"},
        {"no masked picture",
         [](Request& r, ModelBench&) { r.masked = nullptr; },
         "masked",
         "wants to see"},
        {"masked picture of another size",
         [](Request& r, ModelBench&) {
             r.masked = latentOf({1, 4, 2, 3});
         },
         "masked",
         "[1, 4, 2, 3]"},
        {"masked picture that is empty",
         [](Request& r, ModelBench& b) { r.masked = emptyLatent(b); },
         "masked",
         "no latent picture"},
    };
}

models::DenoiseShapes shapesOf(const DenoiseRequest& request) {
    const auto conditioning = [](const WireRef& value) {
        return dynamic_cast<const tensor::Conditioning&>(*value).embeds().sizes().vec();
    };
    models::DenoiseShapes shapes{.latent = {1, 3, 16, 32},
                                 .positive = conditioning(request.positive),
                                 .negative = conditioning(request.negative)};
    const auto shapeOf = [](const WireRef& value) -> Shape {
        const auto* latents = dynamic_cast<const tensor::Latents*>(value.get());
        return latents ? Shape(latents->samples().sizes().vec()) : Shape();
    };
    if (const Shape shape = shapeOf(request.latent); !shape.empty()) {
        shapes.latent = shape;
    }
    if (const auto* mask = dynamic_cast<const tensor::Masks*>(request.mask.get())) {
        shapes.mask = mask->values().sizes().vec();
    }
    shapes.masked = shapeOf(request.masked);
    return shapes;
}

}  // namespace

/// Pictures and masks on their way to the denoiser: what the stages give and what they refuse.
class ImageStagesTest : public QObject {
    Q_OBJECT

    static void checkRefusal(const std::string& checkpoint,
                             const Refusal& refusal,
                             bool isSeenBefore) {
        ModelBench bench;
        DenoiseRequest request = goodRequest(bench.load(checkpoint));
        refusal.change(request, bench);
        const auto ran = testing::errorOf([&] { (void)denoise(bench, request); });
        QVERIFY(ran);
        QVERIFY2(ran->kind() == ErrorKind::InvalidInput, ran->message().c_str());
        QCOMPARE(ran->item(), std::string(refusal.item));
        QVERIFY2(ran->message().find(refusal.says) != std::string::npos, ran->message().c_str());
        QVERIFY(!ran->hint().empty());
        if (isSeenBefore) {
            const auto planned = testing::errorOf(
                [&] { (void)bench.stages().outlineDenoise(shapesOf(request), request); });
            QVERIFY(planned);
            QCOMPARE(planned->message(), ran->message());
        }
    }

    std::string goldens_;

private Q_SLOTS:

    void initTestCase() { goldens_ = testing::imageGoldenFolder().toStdString(); }

    void denoiseRefuses_data() {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const Refusal& refusal : refusals()) {
            QTest::newRow(refusal.row) << index++;
        }
    }

    /// Before the run in the same words.
    void denoiseRefuses() {
        QFETCH(int, index);
        const Refusal refusal = refusals()[static_cast<size_t>(index)];
        const bool isOfAnotherKind = std::string_view(refusal.says) == "no mask";
        checkRefusal(kMini, refusal, !isOfAnotherKind);
    }

    void fourChannelsRefuse_data() {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const Refusal& refusal : blendRefusals()) {
            QTest::newRow(refusal.row) << index++;
        }
    }

    void fourChannelsRefuse() {
        QFETCH(int, index);
        checkRefusal(kMini, blendRefusals()[static_cast<size_t>(index)], true);
    }

    void nineChannelsRefuse_data() {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const Refusal& refusal : fillRefusals()) {
            QTest::newRow(refusal.row) << index++;
        }
    }

    void nineChannelsRefuse() {
        QFETCH(int, index);
        const Refusal refusal = fillRefusals()[static_cast<size_t>(index)];
        const bool isOfAnotherKind = std::string_view(refusal.says) == "no latent picture";
        checkRefusal(goldens_ + "/checkpoints/inpaint_1", refusal, !isOfAnotherKind);
    }

    void whatIsRefusedAboveWorksUnbroken() {
        ModelBench bench;
        for (const std::string& checkpoint :
             {std::string(kMini), goldens_ + "/checkpoints/inpaint_1"}) {
            const DenoiseRequest request = goodRequest(bench.load(checkpoint));
            QCOMPARE(latentsOf(denoise(bench, request)).samples().sizes().vec(),
                     latentsOf(request.latent).samples().sizes().vec());
        }
    }

    void encodeRefuses_data() {
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("maskWidth");
        QTest::addColumn<QString>("sampling");
        QTest::addColumn<QString>("item");
        QTest::newRow("height") << 20 << 0 << "sample"
                                << "image";
        QTest::newRow("mask") << 16 << 24 << "sample"
                              << "mask";
        QTest::newRow("sampling") << 16 << 0 << "median"
                                  << "sampling";
    }

    void encodeRefuses() {
        QFETCH(int, height);
        QFETCH(int, maskWidth);
        QFETCH(QString, sampling);
        QFETCH(QString, item);
        ModelBench bench;
        ImageEncodeRequest request{.model = bench.load(kMini),
                                   .image = imageOf(picture(height, 32)),
                                   .sampling = sampling.toStdString()};
        models::ImageEncodeShapes shapes{.image = {1, 3, height, 32}};
        if (maskWidth > 0) {
            request.mask = maskOf(at::ones({1, 1, height, maskWidth}));
            shapes.mask = {1, 1, height, maskWidth};
        }
        const auto ran = testing::errorOf([&] { (void)encode(bench, request); });
        const auto planned =
            testing::errorOf([&] { (void)bench.stages().outlineEncodeImage(shapes, request); });
        QVERIFY(ran && ran->kind() == ErrorKind::InvalidInput);
        QCOMPARE(QString::fromStdString(ran->item()), item);
        QVERIFY(planned && planned->message() == ran->message());
    }

    void outlinesTellShapesAndTensors() {
        ModelBench bench;
        ImageEncodeRequest request{.model = bench.load(kMini),
                                   .image = imageOf(picture(16, 40, 2))};
        for (const char* sampling : {"sample", "mean"}) {
            request.sampling = sampling;
            const models::StageOutline outline =
                bench.stages().outlineEncodeImage({.image = {2, 3, 16, 40}}, request);
            const WireRef latent = encode(bench, request);
            QCOMPARE(outline.outputShape, latentsOf(latent).samples().sizes().vec());
            Bytes bytes = 0;
            for (const Bytes tensor : outline.tensors) {
                bytes += tensor;
            }
            QCOMPARE(bytes, latent->bytesOn("cpu"));
            QCOMPARE(latentsOf(latent).deviation().defined(), request.sampling == "sample");
        }
        const models::PictureOutline picture = bench.stages().outlinePicture(5, 7);
        QCOMPARE(picture.outputShape, (Shape{1, 3, 5, 7}));
        QCOMPARE(picture.mask.outputShape, (Shape{1, 1, 5, 7}));
    }

    void aSampleIsDrawnByTheDenoiser() {
        ModelBench bench;
        const WireRef model = bench.load(kMini);
        const auto latentWith = [&](const char* sampling) {
            return encode(
                bench, {.model = model, .image = imageOf(picture(16, 32)), .sampling = sampling});
        };
        const WireRef sample = latentWith("sample");
        const WireRef mean = latentWith("mean");
        QVERIFY(at::equal(latentsOf(sample).samples(), latentsOf(mean).samples()));
        QVERIFY(latentsOf(sample).deviation().min().item<double>() > 0);

        DenoiseRequest request = goodRequest(model);
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
        const at::Tensor first = picture(16, 32);
        const at::Tensor second = at::where(mask.expand_as(first) > 0.5, 1 - first, first);
        QVERIFY(at::equal(seen(first, maskOf(mask)), seen(second, maskOf(mask))));
        QVERIFY(!at::equal(seen(first, nullptr), seen(second, nullptr)));
        const at::Tensor grey = at::where(mask.expand_as(first) > 0.5, at::full({1}, 0.5), first);
        QVERIFY(at::equal(seen(first, maskOf(mask)), seen(grey, nullptr)));
    }

    void picturesAreEncodedOneByOne_whenCancelledSo() {
        ModelBench bench;
        StopSource source;
        int pictures = 0;
        models::StageCall call = bench.call("encode");
        call.stop = source.token();
        call.progress = [&](std::string_view phase, double, double total) {
            QCOMPARE(std::string(phase), std::string("encode"));
            QCOMPARE(total, 3.0);
            ++pictures;
            source.cancel(CancelMode::AfterThisImage);
        };
        const auto error = testing::errorOf([&] {
            (void)encode(
                bench, {.model = bench.load(kMini), .image = imageOf(picture(16, 16, 3))}, call);
        });
        QVERIFY(error && error->kind() == ErrorKind::Cancelled);
        QCOMPARE(pictures, 1);
    }

    void masksAreMadeOfLevels_data() {
        QTest::addColumn<QString>("channel");
        QTest::addColumn<double>("threshold");
        QTest::addColumn<bool>("isInverted");
        QTest::addColumn<QList<double>>("expected");
        using List = QList<double>;
        // brightness of the pixels below: 0.1495, 0.55, 0.794
        QTest::newRow("brightness") << "brightness" << 0.5 << false << List{0, 1, 1};
        QTest::newRow("threshold") << "brightness" << 0.6 << false << List{0, 0, 1};
        QTest::newRow("inverted") << "brightness" << 0.6 << true << List{1, 1, 0};
        QTest::newRow("soft") << "brightness" << 0.0 << false << List{0.1495, 0.55, 0.794};
        QTest::newRow("red") << "red" << 0.5 << false << List{1, 1, 0};
        QTest::newRow("green") << "green" << 0.0 << false << List{0, 0.55, 1};
        QTest::newRow("blue, inverted") << "blue" << 0.0 << true << List{1, 0.45, 0};
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
        const WireRef mask = bench.stages().makeMask({.image = imageOf(pixels),
                                                      .channel = channel.toStdString(),
                                                      .threshold = threshold,
                                                      .isInverted = isInverted},
                                                     bench.call("mask"));
        const at::Tensor& values = dynamic_cast<const tensor::Masks&>(*mask).values();
        QCOMPARE(values.sizes().vec(), (std::vector<int64_t>{1, 1, 1, 3}));
        for (int i = 0; i < 3; ++i) {
            QVERIFY(std::abs(values[0][0][0][i].item<double>() - expected[i]) < 1e-6);
        }
    }

    void strengthTakesTheLastSteps_data() {
        QTest::addColumn<int>("steps");
        QTest::addColumn<double>("strength");
        QTest::addColumn<int>("calls");
        // int(steps * strength) of Python
        QTest::newRow("10 x 0.7") << 10 << 0.7 << 7;
        QTest::newRow("100 x 0.29") << 100 << 0.29 << 28;
        QTest::newRow("5 x 0.6") << 5 << 0.6 << 3;
        QTest::newRow("3 x 1") << 3 << 1.0 << 3;
        QTest::newRow("4 x 0.25") << 4 << 0.25 << 1;
    }

    void strengthTakesTheLastSteps() {
        QFETCH(int, steps);
        QFETCH(double, strength);
        QFETCH(int, calls);
        ModelBench bench;
        DenoiseRequest request = goodRequest(bench.load(kMini));
        request.steps = steps;
        request.strength = strength;
        request.cfg = 1;
        int done = 0;
        models::StageCall call = bench.call("denoise");
        call.progress = [&](std::string_view, double, double) { ++done; };
        (void)denoise(bench, request, call);
        QCOMPARE(done, calls);
        const memory::StageWork work =
            bench.stages().outlineDenoise(shapesOf(request), request).walk({"cpu"});
        QCOMPARE(work.components.at(0).passes, int64_t{calls});
    }

    void pictureTextHasTheStrength() {
        ModelBench bench;
        DenoiseRequest request = goodRequest(bench.load(kMini));
        const auto textFor = [&] {
            const WireRef latent = denoise(bench, request);
            return bench.stages().parametersText(std::make_shared<const tensor::Images>(
                at::zeros({1, 3, 8, 8}), latentsOf(latent).provenance()));
        };
        QVERIFY(textFor().find("Denoising strength: 0.5, ") != std::string::npos);
        request.strength = 1;
        QVERIFY(textFor().find("Denoising strength") == std::string::npos);
    }
};

QTEST_GUILESS_MAIN(ImageStagesTest)
#include "image_stages_test.moc"
