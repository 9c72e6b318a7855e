// What a denoising stage shows while it works, and that nothing else changes by it.

#include "nodes/denoise/latent_preview.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/checkpoint_copy.hpp"
#include "tests/unit/models/dry_run_case.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/ATen.h>

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace latent_preview_test {

using namespace lowtide;
using nodes::LiveImage;
using nodes::WireRef;
using testing::DryRunCase;
using testing::ModelBench;

namespace {

constexpr int kSidePixels = 64;
constexpr int kDownsampling = 8;

bool isVideo(const std::string& name) {
    return name.starts_with("wan_");
}

Json caseNamed(const std::string& name) {
    QFile file(testing::sourcePath(isVideo(name) ? "tests/golden/wan_cases.json"
                                                 : "tests/golden/cases.json"));
    if (!file.open(QIODevice::ReadOnly)) {
        throw std::runtime_error("there are no golden cases");
    }
    for (const Json& test : parseJson(file.readAll().toStdString(), "cases.json")) {
        if (test.at("name") == name) {
            return test;
        }
    }
    throw std::runtime_error("there is no golden case " + name);
}

testing::EncodeResult encoded(ModelBench& bench, const WireRef& model, const Json& test) {
    testing::EncodeResult prompts;
    bench.runWith(model, models::kTextEncoder, [&] {
        prompts = testing::encodePrompt(bench.stages(),
                                        {.model = model,
                                         .prompt = test.value("prompt", "a cat"),
                                         .negative = test.value("negative", "")},
                                        bench.call("encode"));
    });
    return prompts;
}

testing::DenoiseRequest requestFor(ModelBench& bench, const WireRef& model, const Json& test) {
    const testing::EncodeResult prompts = encoded(bench, model, test);
    return {.model = model,
            .positive = prompts.positive,
            .negative = prompts.negative,
            .latent = testing::run(bench.stages(),
                                   testing::EmptyLatentRequest{
                                       .widthPixels = test.value("width", kSidePixels),
                                       .heightPixels = test.value("height", kSidePixels),
                                       .frames = test.value("frames", 1),
                                       .batch = test.value("batch", 1)},
                                   {})
                          .front(),
            .steps = test.value("steps", 3),
            .cfg = test.value("cfg", 7.5),
            .seed = test.value("seed", uint64_t{0}),
            .sampler = test.value("sampler", "checkpoint")};
}

struct Denoised {
    at::Tensor latents;
    std::vector<LiveImage> shown;
    Bytes activations = 0;
};

Denoised denoised(ModelBench& bench, const testing::DenoiseRequest& request, bool isWatched) {
    Denoised result;
    nodes::StageCall call = bench.call("denoise");
    if (isWatched) {
        call.preview = [&](const LiveImage& live) { result.shown.push_back(live); };
    }
    WireRef latent;
    bench.runWith(request.model, models::kDenoiser, [&] {
        latent = testing::run(bench.stages(), request, call).front()->onHost();
        result.activations = bench.activationPeak();
    });
    result.latents = dynamic_cast<const tensor::Latents&>(*latent).samples();
    result.activations = std::max(result.activations, bench.activationPeak());
    return result;
}

at::Tensor pixelsOf(const LiveImage& live) {
    const Image8& image = live.image;
    return at::from_blob(const_cast<uint8_t*>(image.pixels.get()),
                         {image.heightPixels, image.widthPixels, 3},
                         at::kByte)
        .to(at::kInt);
}

}  // namespace

class LatentPreviewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void showsWhatEveryCallStandsFor_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"sd15_0_ddim",
                                 "sd15_0_euler",
                                 "sd15_0_euler_a",
                                 "sd15_1_ddim",
                                 "sd15_1_euler",
                                 "sd15_1_heun",
                                 "sd15_1_dpmpp_2m",
                                 "sd15_1_unipc",
                                 "sd15_1_pndm",
                                 "sd15_1_lms",
                                 "wan_t2v_0_unipc"}) {
            QTest::newRow(name) << name;
        }
    }

    void showsWhatEveryCallStandsFor() {
        QFETCH(QString, name);
        const Json test = caseNamed(name.toStdString());
        const QString goldens =
            isVideo(name.toStdString()) ? testing::wanGoldenFolder() : testing::goldenFolder();
        const QTemporaryDir folder;
        const QString expectedFile = folder.filePath("images.safetensors");
        testing::runReference({testing::sourcePath("tests/unit/models/preview_reference.py"),
                               goldens + "/" + name + ".safetensors",
                               expectedFile});
        const at::Tensor expected =
            testing::tensorIn(testing::readTensorFile(expectedFile.toStdString()), "images");
        ModelBench bench;
        const WireRef model = bench.load((goldens + "/checkpoints/").toStdString() +
                                         test.at("checkpoint").get<std::string>());

        const Denoised result = denoised(bench, requestFor(bench, model, test), true);

        QCOMPARE(static_cast<int64_t>(result.shown.size()), expected.size(0));
        for (size_t i = 0; i < result.shown.size(); ++i) {
            const LiveImage& live = result.shown[i];
            QCOMPARE(live.done, static_cast<int>(i) + 1);
            QCOMPARE(live.total, static_cast<int>(result.shown.size()));
            QCOMPARE(live.scale * live.image.widthPixels, test.value("width", kSidePixels));
            const at::Tensor difference =
                (pixelsOf(live) - expected[static_cast<int64_t>(i)].to(at::kInt)).abs();
            QVERIFY2(difference.max().item<int>() <= 1,
                     qPrintable(QString("call %1 differs by %2 levels")
                                    .arg(i)
                                    .arg(difference.max().item<int>())));
        }
    }

    void changesNoBit_data() {
        const testing::Rows<QString, QString> row("device", "policy");
        row("cpu, none", "cpu", "none");
        row("cpu, leaf+stream", "cpu", "leaf+stream");
        row("GPU, none", "fake:1GiB", "none");
        row("GPU, sequential", "fake:1GiB", "sequential");
        row("GPU, block+stream", "fake:1GiB", "block+stream");
    }

    void changesNoBit() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        ModelBench bench(memory::parseDeviceSpec(device.toStdString()));
        bench.setPolicy(policy.toStdString());
        const WireRef model = bench.load(testing::miniModel());
        const testing::DenoiseRequest request = requestFor(bench, model, {{"sampler", "dpmpp_2m"}});

        const Denoised alone = denoised(bench, request, false);
        const Denoised watched = denoised(bench, request, true);

        QCOMPARE(watched.shown.size(), 3U);
        QVERIFY(alone.shown.empty());
        QVERIFY(at::equal(alone.latents, watched.latents));
    }

    void takesTheBytesOfItsPlan_data() {
        const testing::Rows<QString, int> row("device", "batch");
        row("cpu", "cpu", 1);
        row("cpu, batch", "cpu", 3);
        row("card", "fake:1GiB", 1);
    }

    void takesTheBytesOfItsPlan() {
        QFETCH(QString, device);
        QFETCH(int, batch);
        const memory::DeviceSpec spec = memory::parseDeviceSpec(device.toStdString());
        ModelBench bench(spec);
        const WireRef model = bench.load(testing::miniModel());
        const testing::DenoiseRequest request = requestFor(bench, model, {{"batch", batch}});
        const testing::DenoiseShapes shapes = testing::shapesOf(model, DryRunCase{.batch = batch});
        const auto walkWithPreviews = [&](bool isWatched) {
            return testing::spec(bench.stages(), testing::known(shapes, request))
                .dryRun({.device = {.spec = {.kind = spec.kind}}, .previews = isWatched})
                .activations;
        };

        const Denoised watched = denoised(bench, request, true);

        QVERIFY(watched.activations > 0);
        const Bytes side = kSidePixels / kDownsampling;
        const Bytes onItsWay = spec.kind == "cpu" ? 3 * side * side : 0;
        QCOMPARE(walkWithPreviews(true) - walkWithPreviews(false), onItsWay);
        QCOMPARE(watched.activations + onItsWay, walkWithPreviews(true));
    }

    void pausesInProportionToWhatAnImageTook_data() {
        const testing::Rows<double, double> row("cost", "rest");
        row("quick: five a second", 0.001, 0.2);
        row("slow: a hundredth of the time", 0.05, 4.95);
    }

    void pausesInProportionToWhatAnImageTook() {
        QFETCH(double, cost);
        QFETCH(double, rest);
        QCOMPARE(models::PreviewPace{}.restAfter(cost), rest);
    }

    /// For an image of 512 x 512: a step of its network takes seconds here.
    void costsLittle() {
        constexpr int kImages = 200;
        constexpr double kMostMilliseconds = 10;  // ten times the goal
        ModelBench bench;
        const WireRef model = bench.load(testing::miniModel());
        const nodes::LatentPreview::Show show = [](const LiveImage&) {};
        nodes::LatentPreview preview(
            ModelBench::modelOf(model).info(), {.interval = 0, .fraction = 1}, show);
        const at::Tensor latents = at::randn({1, 4, 64, 64});
        const at::Tensor prediction = at::randn({1, 4, 64, 64});
        const auto clean = [&] { return (latents - prediction * 0.5) / 0.8; };
        QElapsedTimer clock;
        clock.start();
        for (int i = 0; i < kImages; ++i) {
            preview.look(clean, i, kImages, false);
        }
        const double each = static_cast<double>(clock.nsecsElapsed()) * 1e-6 / kImages;
        qInfo("an image of 64 x 64 latents takes %.2f ms", each);
        QVERIFY(each < kMostMilliseconds);
    }

    void waitsForItsTime() {
        const models::ModelInfo info{.latentToRgb = models::LatentToRgb{.ofChannels = {{1, 1, 1}}}};
        int shown = 0;
        int asked = 0;
        const nodes::LatentPreview::Show show = [&](const LiveImage&) { ++shown; };
        nodes::LatentPreview preview(info, {.interval = 3600}, show);
        const auto clean = [&] {
            ++asked;
            return at::zeros({1, 1, 2, 2});
        };
        preview.look(clean, 1, 2, false);
        QCOMPARE(shown + asked, 0);
        preview.look(clean, 2, 2, true);
        QCOMPARE(shown, 1);
    }

    void readsTheColoursOfACheckpoint() {
        const models::LatentToRgb map = models::readLatentToRgb(
            {{"channels", {{1, 0, 0}, {0, -1, 0.5}}}, {"zero", {0.5, 0, -1}}}, "colours", 2);
        const at::Tensor latents = at::tensor({0.5, 1.0}, at::kFloat).view({2, 1, 1});
        const at::Tensor expected = at::tensor({1.0, 0.0, 0.25}, at::kFloat).view({3, 1, 1});
        QVERIFY(at::allclose(models::rgbOf(latents, map), expected));
    }

    void refusesColoursThatAreNone_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("no list") << R"({"channels": 1})";
        QTest::newRow("missing") << "{}";
        QTest::newRow("too few channels") << R"({"channels": [[1, 2, 3]]})";
        QTest::newRow("two numbers") << R"({"channels": [[1, 2], [1, 2, 3]]})";
        QTest::newRow("a text") << R"({"channels": [[1, 2, "3"], [1, 2, 3]]})";
        QTest::newRow("zero is none") << R"({"channels": [[1, 2, 3], [1, 2, 3]], "zero": [1]})";
    }

    void refusesColoursThatAreNone() {
        QFETCH(QString, text);
        const Json json = parseJson(text.toStdString(), "colours");
        const auto error = testing::errorOf(
            [&] { (void)models::readLatentToRgb(json, "vae/latent_to_rgb.json", 2); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Corrupt);
        QVERIFY(QString::fromStdString(error->message().str()).contains("vae/latent_to_rgb.json"));
    }
};

LOWTIDE_TEST(LatentPreviewTest)

}  // namespace latent_preview_test

#include "latent_preview_test.moc"
