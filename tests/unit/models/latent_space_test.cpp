// Latents of other spaces than Stable Diffusion's: means and deviations, a shift, another factor,
// videos.

#include "nodes/engine/spec_parts.hpp"
#include "plugin/base/error.hpp"
#include "plugin/nn/latent_space.hpp"
#include "plugin/sampling/schedule_range.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"
#include "tests/unit/models/stated_model.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace latent_space_test {

using namespace lowtide;
using memory::WireRef;
using models::ImageSize;
using models::LatentSpace;
using testing::ModelBench;
using testing::StatedModel;

namespace {

/// Wan 2.1: 16 channels, 8 x 8 pixels and four frames for one, the first frame alone.
LatentSpace ofVideos() {
    return {.channels = 16, .factor = 8, .frameFactor = 4, .multiple = 16, .hasFrames = true};
}

LatentSpace ofEveryFrame() {
    return {.channels = 16, .hasFrames = true};
}

LatentSpace withStatistics() {
    return {.channels = 2, .mean = {-1.5, 4}, .deviation = {0.5, 8}, .scale = 0.25};
}

struct Sized {
    const char* row;
    LatentSpace space;
    ImageSize size;
    Shape shape;  ///< empty: none
};

std::vector<Sized> sizes() {
    const LatentSpace packed{.channels = 64, .factor = 16, .multiple = 32};
    return {{"Stable Diffusion", {}, {640, 384}, {3, 4, 48, 80}},
            {"an odd side", {}, {644, 384}, {}},
            {"nothing", {}, {0, 384}, {}},
            {"frames of an image", {}, {640, 384, 2}, {}},
            {"factor 16", packed, {640, 384}, {3, 64, 24, 40}},
            {"a multiple above the factor", packed, {656, 384}, {}},
            {"a video", ofVideos(), {832, 480, 81}, {3, 16, 21, 60, 104}},
            {"a video of one frame", ofVideos(), {832, 480, 1}, {3, 16, 1, 60, 104}},
            {"frames between", ofVideos(), {832, 480, 80}, {}},
            {"no frame", ofVideos(), {832, 480, 0}, {}},
            {"a latent for each frame", ofEveryFrame(), {64, 32, 3}, {3, 16, 3, 4, 8}},
            {"no frame of them", ofEveryFrame(), {64, 32, 0}, {}}};
}

at::Tensor row(std::vector<double> values) {
    return at::tensor(values, at::kDouble).view({1, -1, 1, 1});
}

bool areClose(const at::Tensor& ours, const at::Tensor& expected) {
    return at::allclose(ours.to(at::kDouble), expected, 1e-6, 1e-6);
}

}  // namespace

class LatentSpaceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void knowsShapesAndSizes_data() { testing::addEach(sizes(), &Sized::row); }

    void knowsShapesAndSizes() {
        QFETCH(int, index);
        const Sized sized = sizes()[static_cast<size_t>(index)];
        const std::optional<Shape> shape = sized.space.shapeFor(sized.size, 3);
        QCOMPARE(shape.value_or(Shape()), sized.shape);
        if (shape) {
            QVERIFY(sized.space.holds(*shape));
            QVERIFY(sized.space.sizeOf(*shape) == sized.size);
        }
    }

    /// In f64, by the lines of diffusers 0.42.1: pipeline_stable_diffusion_xl.py and _img2img.py
    /// with latents_mean and latents_std, pipeline_stable_diffusion_3_img2img.py with shift_factor.
    void goesToTheAutoencoderAndBackAsDiffusersDoes() {
        const at::Tensor latents = at::randn({3, 2, 4, 5});
        const at::Tensor moments = at::randn({3, 4, 4, 5}) * 4;
        const at::Tensor seen = moments.to(at::kDouble).narrow(1, 0, 2);
        const at::Tensor spread = (moments.to(at::kDouble).narrow(1, 2, 2) * 0.5).exp();
        const at::Tensor mean = row({-1.5, 4});
        const at::Tensor deviation = row({0.5, 8});

        const LatentSpace playground = withStatistics();
        QVERIFY(areClose(models::forAutoencoder(playground, latents),
                         latents.to(at::kDouble) * deviation / 0.25 + mean));
        const sampling::LatentDistribution ours = models::forDenoiser(playground, moments);
        QVERIFY(areClose(ours.mean, (seen - mean) * 0.25 / deviation));
        QVERIFY(areClose(ours.deviation, spread * 0.25 / deviation));

        const LatentSpace shifted{.channels = 2, .scale = 1.5, .shift = 0.06};
        QVERIFY(areClose(models::forAutoencoder(shifted, latents),
                         latents.to(at::kDouble) / 1.5 + 0.06));
        QVERIFY(areClose(models::forDenoiser(shifted, moments).mean, (seen - 0.06) * 1.5));
        QVERIFY(areClose(models::forDenoiser(shifted, moments).deviation, spread * 1.5));
    }

    /// By diffusers 0.42.1, DiagonalGaussianDistribution: log variances are cut at -30 and 20.
    void logarithmsOfTheVarianceAreBounded() {
        const at::Tensor logarithms = at::tensor({-1000.0, -31.0, 21.0, 1000.0}).view({1, 1, 2, 2});
        const at::Tensor moments = at::cat({at::zeros_like(logarithms), logarithms}, 1);
        const at::Tensor deviation =
            models::forDenoiser({.channels = 1}, moments.to(at::kFloat)).deviation;
        const at::Tensor expected = at::tensor({-15.0, -15.0, 10.0, 10.0}, at::kDouble).exp();
        QVERIFY(at::allclose(deviation.to(at::kDouble).flatten(), expected, 1e-6, 0));
    }

    void videosHaveTheStatisticsOfTheirChannels() {
        LatentSpace space = withStatistics();
        space.hasFrames = true;
        const at::Tensor latents = at::randn({1, 2, 3, 4, 5});
        const at::Tensor whole = models::forAutoencoder(space, latents);
        for (int64_t frame = 0; frame < 3; ++frame) {
            QVERIFY(at::equal(whole.select(2, frame),
                              models::forAutoencoder(space, latents.select(2, frame))));
        }
    }

    /// An empty latent gets its shape where the model is known: before the run, and in it.
    void anEmptyVideoIsDenoised() {
        ModelBench bench;
        const WireRef model = videosOf(bench);
        testing::DenoiseRequest request = requestOf(bench, model, {64, 32, 9});
        const testing::StageSpec spec = specOf(bench, request, {64, 32, 9});
        QCOMPARE(spec.output().shape, (Shape{2, 16, 3, 4, 8}));
        QVERIFY(spec.dryRun({"cpu"}).activations > 0);

        const at::Tensor samples = denoised(bench, request);

        QCOMPARE(samples.sizes().vec(), spec.output().shape);
        QVERIFY(samples.std().item<double>() > 0);
        QVERIFY(!at::equal(samples.select(2, 0), samples.select(2, 1)));
        QCOMPARE(images_.size(), size_t{2});  // the dry run's and the run's
        QVERIFY(images_.back() == (ImageSize{64, 32, 9}));
    }

    /// Of the whole video, also where the prompt speaks in a part of it; elsewhere nothing does.
    void promptsOfAreasSpeakInEveryFrame() {
        ModelBench bench;
        const WireRef model = videosOf(bench);
        testing::DenoiseRequest request = requestOf(bench, model, {64, 32, 9});
        request.positive = testing::run(bench.stages(),
                                        testing::ConditioningEdit{
                                            .edit = testing::AreaEdit{.area = {.xPixels = 32,
                                                                               .widthPixels = 32,
                                                                               .heightPixels = 32}},
                                            .first = request.positive},
                                        bench.call("area"))
                               .front();
        request.cfg = 1;
        request.keepNoise = true;
        request.endStep = 1;
        bench.record();
        const at::Tensor samples = denoised(bench, request);
        QCOMPARE(samples.sizes().vec(), (std::vector<int64_t>{2, 16, 3, 4, 8}));
        const testing::TensorFile recorded = bench.recorded();
        const at::Tensor seen = testing::tensorIn(recorded, "model_in.000");
        const at::Tensor reported = testing::tensorIn(recorded, "model_out.000");
        QVERIFY(at::equal(reported.narrow(-1, 0, 4), at::zeros({2, 16, 3, 4, 4})));
        // The network predicts half of what it sees.
        QVERIFY(at::allclose(reported.narrow(-1, 4, 4), seen.narrow(-1, 4, 4) / 2, 1e-5, 1e-6));
        QVERIFY(images_.back() == (ImageSize{64, 32, 9}));
    }

    void whatIsForImagesAloneRefusesVideos_data() {
        const testing::Rows<QString, QString> row("stage", "item");
        row("encode", "encode", "model");
        row("mask", "mask", "model");
        row("upscale", "upscale", "latent");
    }

    void whatIsForImagesAloneRefusesVideos() {
        QFETCH(QString, stage);
        QFETCH(QString, item);
        ModelBench bench;
        const WireRef model = videosOf(bench);
        const Shape latents = {1, 16, 3, 4, 8};
        const auto error = testing::errorOf([&] {
            if (stage == "encode") {
                (void)testing::spec(bench.stages(),
                                    testing::known({.image = {1, 3, 32, 64}},
                                                   testing::ImageEncodeRequest{.model = model}));
            } else if (stage == "mask") {
                (void)testing::spec(
                    bench.stages(),
                    testing::known(
                        {.latent = latents, .mask = {1, 1, 32, 64}},
                        testing::DenoiseRequest{.model = model, .cfg = 1, .sampler = "euler"}));
            } else {
                (void)testing::spec(bench.stages(),
                                    testing::known(latents, testing::LatentUpscaleRequest{}));
            }
        });
        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
        QCOMPARE(QString::fromStdString(error->item()), item);
    }

    void aVideoIsDecodedAlone() {
        ModelBench bench;
        const WireRef model = videosOf(bench);
        const auto decoded = [&](const Shape& latents) {
            return testing::spec(bench.stages(),
                                 testing::known(latents, testing::DecodeRequest{.model = model}))
                .output()
                .shape;
        };
        QCOMPARE(decoded({1, 16, 3, 4, 8}), (Shape{9, 3, 32, 64}));
        const auto error = testing::errorOf([&] { (void)decoded({2, 16, 3, 4, 8}); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(QString::fromStdString(error->item()), QString("latent"));
    }

    void aLatentOfAnotherSpaceIsRefusedBeforeTheRun_data() {
        const testing::Rows<bool, Shape, QString> row("isVideo", "latent", "expected");
        row("an image for a model of videos", true, {1, 16, 4, 8}, "[B, 16, F, h, w]");
        row("a video for a model of images", false, {1, 4, 3, 4, 8}, "[B, 4, h, w]");
        row("a video of other channels", true, {1, 4, 3, 4, 8}, "[B, 16, F, h, w]");
        row("an image of other channels", false, {1, 16, 4, 8}, "[B, 4, h, w]");
    }

    void aLatentOfAnotherSpaceIsRefusedBeforeTheRun() {
        QFETCH(bool, isVideo);
        QFETCH(Shape, latent);
        QFETCH(QString, expected);
        ModelBench bench;
        const WireRef model = isVideo ? videosOf(bench) : bench.load(testing::miniModel());
        const auto error = testing::errorOf([&] {
            (void)testing::spec(bench.stages(),
                                testing::known({.latent = latent},
                                               testing::DenoiseRequest{
                                                   .model = model, .cfg = 1, .sampler = "euler"}));
        });
        QVERIFY(error && error->item() == "latent");
        QVERIFY(QString::fromStdString(error->message().str()).contains(expected));
    }

    void framesThatDoNotFitAreRefused() {
        ModelBench bench;
        const WireRef video = videosOf(bench);
        const WireRef image = bench.load(testing::miniModel());
        const auto refused = [&](const WireRef& model, int64_t frames, const char* hint) {
            const auto error = testing::errorOf([&] {
                (void)specOf(bench, requestOf(bench, model, {64, 32, 1}), {64, 32, frames});
            });
            return error && error->item() == "latent" &&
                   error->hint().str().find(hint) != std::string::npos;
        };
        QVERIFY(refused(video, 8, "1 frame more than a multiple of 4"));
        QVERIFY(refused(image, 9, "makes images"));
    }

private:
    WireRef videosOf(ModelBench& bench) {
        const auto mini =
            std::dynamic_pointer_cast<const models::Model>(bench.load(testing::miniModel()));
        return std::make_shared<const StatedModel>(
            mini,
            [](models::ModelInfo& info) { info.latent = ofVideos(); },
            [this](const models::DenoiserRequest& request) { images_.push_back(request.image); });
    }

    static testing::EmptyLatentRequest emptyOf(const ImageSize& size) {
        return {.widthPixels = size.width, .heightPixels = size.height, .frames = size.frames};
    }

    static testing::DenoiseRequest requestOf(ModelBench& bench,
                                             const WireRef& model,
                                             const ImageSize& size) {
        const WireRef words = std::make_shared<const tensor::Conditioning>(
            at::zeros({1, 32, 128}), at::Tensor(), "a cat", -1);
        return {.model = model,
                .positive = words,
                .negative = words,
                .latent = testing::run(
                              bench.stages(),
                              testing::LatentRepeatRequest{
                                  .latent = testing::run(bench.stages(), emptyOf(size), {}).front(),
                                  .count = 2},
                              {})
                              .front(),
                .steps = 3,
                .cfg = 3,
                .seed = 5,
                .sampler = "euler",
                .guidanceRescale = 0.5};
    }

    static testing::StageSpec specOf(ModelBench& bench,
                                     const testing::DenoiseRequest& request,
                                     const ImageSize& size) {
        const WireRef one = testing::spec(bench.stages(), emptyOf(size)).output().value;
        const testing::StageSpec two = testing::spec(
            bench.stages(), testing::known({}, one, testing::LatentRepeatRequest{.count = 2}));
        return testing::spec(bench.stages(),
                             testing::known({.positive = {1, 32, 128},
                                             .negative = {1, 32, 128},
                                             .latentKind = two.output().value},
                                            request));
    }

    static at::Tensor denoised(ModelBench& bench, const testing::DenoiseRequest& request) {
        at::Tensor samples;
        bench.runWith(request.model, models::kDenoiser, [&] {
            const WireRef result =
                testing::run(bench.stages(), request, bench.call("denoise")).front();
            samples = dynamic_cast<const tensor::Latents&>(*result).samples();
        });
        return samples;
    }

    std::vector<ImageSize> images_;
};

LOWTIDE_TEST(LatentSpaceTest)

}  // namespace latent_space_test

#include "latent_space_test.moc"
