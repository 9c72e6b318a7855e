#include "plugin/files/file_digests.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/adapter_bench.hpp"
#include "tests/unit/models/checkpoint_copy.hpp"
#include "tests/unit/models/image_values.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <ATen/ATen.h>

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <set>

namespace stages_test {

using namespace lowtide;
using nodes::WireRef;
using testing::denoise;
using testing::ModelBench;

namespace {

constexpr const char* kMini = "builtin:mini";
constexpr int kPatience = 10000;  ///< milliseconds, for 9 MiB that another thread reads
constexpr const char* kQuotedName = "Model: \"a, \\\"b\\\": c\", Version";

WireRef conditioning(int64_t width, const std::string& prompt = "a cat", int clipSkip = -1) {
    return std::make_shared<const tensor::Conditioning>(
        at::zeros({1, 32, width}), at::Tensor(), prompt, clipSkip);
}

/// A request that works on the mini model; tests break one thing of it.
testing::DenoiseRequest goodRequest(ModelBench& bench) {
    return {.model = bench.load(kMini),
            .positive = conditioning(128),
            .negative = conditioning(128, "blurry, dark"),
            .latent = testing::run(bench.stages(),
                                   testing::EmptyLatentRequest{
                                       .widthPixels = 32, .heightPixels = 16, .batch = 1},
                                   {})
                          .front(),
            .steps = 2,
            .cfg = 3,
            .seed = 5,
            .sampler = "ddim"};
}

WireRef decode(ModelBench& bench, const WireRef& model, const WireRef& latent, int64_t tile = 0) {
    WireRef image;
    bench.runWith(model, models::kAutoencoder, [&] {
        image = testing::run(
                    bench.stages(),
                    testing::DecodeRequest{.model = model, .latent = latent, .tilePixels = tile},
                    bench.call("decode"))
                    .front();
    });
    return image;
}

const at::Tensor& samplesOf(const WireRef& latent) {
    return dynamic_cast<const tensor::Latents&>(*latent).samples();
}

using Change = std::function<void(testing::DenoiseRequest&, ModelBench&)>;

struct Refusal {
    const char* row;
    Change change;
    const char* item;
    const char* expected;
};

std::vector<Refusal> refusals() {
    using Request = testing::DenoiseRequest;
    return {
        {"no negative", [](Request& r, ModelBench&) { r.negative = nullptr; }, "negative", "3"},
        {"no positive",
         [](Request& r, ModelBench&) { r.positive = nullptr; },
         "positive",
         "not connected"},
        {"another encoder",
         [](Request& r, ModelBench&) { r.positive = conditioning(768); },
         "positive",
         "field embeds is 768 wide, mini reads 128"},
        {"another negative",
         [](Request& r, ModelBench&) { r.negative = conditioning(64); },
         "negative",
         "64 wide"},
        {"odd size",
         [](Request& r, ModelBench& b) {
             r.latent = testing::run(b.stages(),
                                     testing::EmptyLatentRequest{
                                         .widthPixels = 36, .heightPixels = 32, .batch = 1},
                                     {})
                            .front();
         },
         "latent",
         "36 x 32"},
        {"other channels",
         [](Request& r, ModelBench&) {
             r.latent = std::make_shared<const tensor::Latents>(at::zeros({1, 16, 4, 4}),
                                                                tensor::Provenance());
         },
         "latent",
         "[1, 16, 4, 4]"},
        {"no step", [](Request& r, ModelBench&) { r.steps = 0; }, "steps", "0"},
        {"guidance is no number", [](Request& r, ModelBench&) { r.cfg = NAN; }, "cfg", "no number"},
        {"negative eta", [](Request& r, ModelBench&) { r.eta = -1; }, "eta", "-1"},
        {"unknown sampler",
         [](Request& r, ModelBench&) { r.sampler = "magic"; },
         "sampler",
         "magic"},
        {"empty range", [](Request& r, ModelBench&) { r.startStep = 2; }, "start_step", "2"},
        {"a latent as model",
         [](Request& r, ModelBench&) { r.positive = r.latent; },
         "positive",
         "no conditioning"},
    };
}

}  // namespace

/// The entry point: what it gives, what it refuses and with which words. On the mini model, without
/// the reference.
class StagesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Families share most of their roles.
    void aComponentIsChosenOnce() {
        ModelBench bench;
        std::set<std::string> ids;
        for (const ChoiceDesc& choice : bench.stages().componentChoices()) {
            QVERIFY2(ids.insert(choice.id).second, choice.id.c_str());
        }
        QVERIFY(ids.contains("denoiser") && ids.contains("text_encoder_2"));
    }

    void sameFilesGiveTheSameValue() {
        ModelBench bench;
        const testing::CheckpointCopy copy;
        const WireRef first = bench.load(copy.path());
        QCOMPARE(bench.load(copy.path() + "/").get(), first.get());
        const std::string fingerprint = bench.stages().fingerprint(first);

        copy.set("vae/config.json", "sample_size", 64);

        const WireRef second = bench.load(copy.path());
        QVERIFY(second != first);
        QVERIFY(bench.stages().fingerprint(second) != fingerprint);
    }

    void findsCheckpointsInTheFolderOfTheGraphThenInTheModelFolders() {
        ModelBench bench;
        const WireRef builtin = bench.load(kMini);
        QCOMPARE(bench.stages()
                     .loadCheckpoint({.checkpoint = "mini/model"},
                                     testing::sourcePath("resources").toStdString())
                     .get(),
                 builtin.get());
        QCOMPARE(bench.stages().loadCheckpoint({.checkpoint = "model"}, "/").get(), builtin.get());
        QCOMPARE(ModelBench::modelOf(builtin).info().checkpoint, std::string("mini"));
    }

    void namesCheckpointsThatAreNotThere_data() {
        QTest::addColumn<QString>("path");
        QTest::newRow("relative") << "no-such-model";
        QTest::newRow("absolute") << "/no/such/model";
        QTest::newRow("builtin") << "builtin:../../secret";
        QTest::newRow("empty") << "  ";
    }

    void namesCheckpointsThatAreNotThere() {
        QFETCH(QString, path);
        ModelBench bench;
        const auto error = testing::errorOf([&] { (void)bench.load(path.toStdString()); });
        QVERIFY(error && error->kind() == ErrorKind::NotFound);
        QCOMPARE(error->item(), std::string("checkpoint"));
    }

    void everyRefusedCheckpointBlamesTheParameter() {
        ModelBench bench;
        const testing::CheckpointCopy copy;
        copy.write("unet/config.json", "{");
        const auto error = testing::errorOf([&] { (void)bench.load(copy.path()); });
        QVERIFY(error);
        QCOMPARE(error->item(), std::string("checkpoint"));
    }

    void denoiseRefuses_data() { testing::addEach(refusals(), &Refusal::row); }

    void denoiseRefuses() {
        QFETCH(int, index);
        const Refusal refusal = refusals()[static_cast<size_t>(index)];
        ModelBench bench;
        testing::DenoiseRequest request = goodRequest(bench);
        refusal.change(request, bench);

        const auto error = testing::errorOf([&] { (void)denoise(bench, request); });

        QVERIFY(error);
        QVERIFY2(error->kind() == ErrorKind::InvalidInput, error->message().str().c_str());
        QCOMPARE(error->item(), std::string(refusal.item));
        QVERIFY2(error->message().str().find(refusal.expected) != std::string::npos,
                 error->message().str().c_str());
        QVERIFY(!error->hint().empty());
    }

    void guidanceOffNeedsNoNegative() {
        ModelBench bench;
        testing::DenoiseRequest request = goodRequest(bench);
        request.negative = nullptr;
        request.cfg = 1;
        QCOMPARE(samplesOf(denoise(bench, request)).sizes().vec(),
                 (std::vector<int64_t>{1, 4, 2, 4}));
    }

    void recordingDoesNotChangeABit() {
        ModelBench bench;
        const WireRef plain = denoise(bench, goodRequest(bench));
        bench.record();
        const WireRef recorded = denoise(bench, goodRequest(bench));
        QVERIFY(at::equal(samplesOf(plain), samplesOf(recorded)));
    }

    void specsHaveTheShapesOfTheResults() {
        ModelBench bench;
        const testing::DenoiseRequest request = goodRequest(bench);
        nodes::Stages& stages = bench.stages();
        const testing::StageSpec encode =
            testing::spec(stages, testing::EncodeRequest{.model = request.model});
        const testing::StageSpec noise = testing::spec(
            stages, testing::known({.latentKind = testing::emptyLatentSpec(32, 16)}, request));
        const testing::StageSpec decoded = testing::spec(
            stages,
            testing::known(noise.output().shape, testing::DecodeRequest{.model = request.model}));
        QCOMPARE(encode.output().shape, (Shape{1, 32, 128}));
        QCOMPARE(noise.components().at(0)->role, std::string("denoiser"));

        const WireRef latent = denoise(bench, request);
        QCOMPARE(noise.output().shape, samplesOf(latent).sizes().vec());
        const WireRef image = decode(bench, request.model, latent);
        QCOMPARE(decoded.output().shape,
                 dynamic_cast<const tensor::Images&>(*image).pixels().sizes().vec());
        QCOMPARE(decoded.output().type, std::string(image->type()));
    }

    void encodeReportsHowManyTokensAreCut() {
        ModelBench bench;
        std::string prompt;
        for (int i = 0; i < 40; ++i) {
            prompt += "cat ";
        }

        const Issues issues =
            testing::spec(bench.stages(),
                          testing::EncodeRequest{
                              .model = bench.load(kMini), .prompt = prompt, .negative = "dog"})
                .issues;

        QCOMPARE(issues.size(), size_t{1});
        QCOMPARE(issues[0].item, std::string("prompt"));
        QVERIFY2(issues[0].message.str().starts_with("10 tokens"), issues[0].message.str().c_str());
    }

    void clipSkipIsRefused_whenNothingWouldBeLeft() {
        ModelBench bench;
        const WireRef model = bench.load(kMini);
        const auto error = testing::errorOf([&] {
            bench.runWith(model, models::kTextEncoder, [&] {
                (void)testing::encodePrompt(
                    bench.stages(),
                    {.model = model, .prompt = "a", .negative = "", .clipSkip = 3},
                    bench.call("encode"));
            });
        });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("clip_skip"));
    }

    void decodeRefusesAnEmptyLatent() {
        ModelBench bench;
        const testing::DenoiseRequest request = goodRequest(bench);
        const auto error =
            testing::errorOf([&] { (void)decode(bench, request.model, request.latent); });
        QVERIFY(error && error->item() == "latent");
    }

    void decodeEndsAfterTheImage_whenCancelledSo() {
        ModelBench bench;
        const WireRef model = bench.load(kMini);
        const WireRef latent =
            std::make_shared<const tensor::Latents>(at::zeros({3, 4, 2, 2}), tensor::Provenance());
        StopSource source;
        int images = 0;
        nodes::StageCall call = bench.call("decode");
        call.stop = source.token();
        call.progress = [&](std::string_view, double, double) {
            ++images;
            source.cancel(CancelMode::AfterThisImage);
        };
        const auto error = testing::errorOf([&] {
            bench.runWith(model, models::kAutoencoder, [&] {
                (void)testing::run(
                    bench.stages(),
                    testing::DecodeRequest{.model = model, .latent = latent, .tilePixels = 0},
                    call)
                    .front();
            });
        });
        QVERIFY(error && error->kind() == ErrorKind::Cancelled);
        QCOMPARE(images, 1);
    }

    void anAdapterIsOpenedOnce_forTheSameModelAndStrengths() {
        const QTemporaryDir folder;
        ModelBench bench;
        const WireRef model = bench.load(kMini);
        const auto tree = ModelBench::modelOf(model).tree(models::kDenoiser);
        const auto weight = std::ranges::find_if(tree->weights, [](const auto& each) {
            return each.name.ends_with("attn2.to_q.weight");
        });
        const std::string path = folder.filePath("lora.safetensors").toStdString();
        testing::writeLora(path, weight->name, weight->shape);
        const auto loaded = [&](const models::LoraRequest& request) {
            return bench.stages().loadAdapter(request, "").model;
        };

        const WireRef first = loaded({.model = model, .file = path});

        QVERIFY(loaded({.model = model, .file = path}) == first);
        QVERIFY(loaded({.model = first, .file = path}) != first);
        QVERIFY(loaded({.model = model, .file = path, .strength = 0.5}) != first);
        QVERIFY(loaded({.model = model, .file = path, .textStrength = 0.5}) != first);
    }

    /// Images name the hash of the weights: the file is read while the sampler works.
    void weightsAreHashedWhileTheDenoiserRuns() {
        const QTemporaryDir folder;
        const QString kept = folder.filePath("hashes.json");
        ModelBench bench({}, std::make_shared<files::FileDigests>(folder.path().toStdString()));
        const testing::DenoiseRequest request = goodRequest(bench);
        nodes::StageCall call = bench.call("denoise");
        bool isHashed = false;
        call.progress = [&](std::string_view, double, double) {
            isHashed = isHashed || QTest::qWaitFor([&] { return QFile::exists(kept); }, kPatience);
        };
        QVERIFY(!QFile::exists(kept));

        bench.runWith(request.model, models::kDenoiser, [&] {
            (void)testing::run(bench.stages(), request, call);
        });

        QVERIFY(isHashed);
    }

    void imageTextHasWhatA1111Reads() {
        ModelBench bench;
        testing::DenoiseRequest request = goodRequest(bench);
        request.positive = conditioning(128, "two cats,\nwide", 1);
        request.sigmas = "karras";
        request.sampler = "dpmpp_2m";
        const WireRef image = decode(bench, request.model, denoise(bench, request));
        const std::string hash =
            files::sha256OfFile(testing::miniModel() + "/unet/diffusion_pytorch_model.safetensors")
                .substr(0, 10);
        QCOMPARE(bench.stages().parametersText(image, 0),
                 "two cats,\nwide\nNegative prompt: blurry, dark\nSteps: 2, Sampler: DPM++ 2M, "
                 "Schedule type: Karras, CFG scale: 3, Seed: 5, Size: 32x16, Model hash: " +
                     hash + ", Model: mini, Clip skip: 2, Version: Lowtide 0.1.0");
    }

    void imageTextQuotesSeparators() {
        ModelBench bench;
        const testing::CheckpointCopy copy;
        const QString odd = QFileInfo(copy.file("")).dir().filePath("../a, \"b\": c");
        QVERIFY(QDir().rename(QString::fromStdString(copy.path()), QDir::cleanPath(odd)));
        testing::DenoiseRequest request = goodRequest(bench);
        request.model = bench.load(QDir::cleanPath(odd).toStdString());
        const WireRef image = decode(bench, request.model, denoise(bench, request));
        const std::string text = bench.stages().parametersText(image, 0);
        const bool isQuoted = text.find(kQuotedName) != std::string::npos;
        QVERIFY2(isQuoted, text.c_str());
    }

    void imageTextIsEmpty_whenNoDenoiserMadeIt() {
        ModelBench bench;
        const WireRef image =
            std::make_shared<const tensor::Images>(at::zeros({1, 3, 4, 4}), tensor::Provenance());
        QCOMPARE(bench.stages().parametersText(image, 0), std::string());
    }

    void upscaleGivesTheRoundedSize() {
        ModelBench bench;
        const WireRef image = std::make_shared<const tensor::Images>(at::full({1, 3, 5, 7}, 0.25),
                                                                     tensor::Provenance());
        const WireRef large =
            testing::run(bench.stages(),
                         testing::UpscaleRequest{.image = image, .method = "area", .scale = 1.5},
                         bench.call("upscale"))
                .front();
        const at::Tensor pixels = dynamic_cast<const tensor::Images&>(*large).pixels();
        QCOMPARE(pixels.sizes().vec(), (std::vector<int64_t>{1, 3, 8, 11}));
        QVERIFY(at::allclose(pixels, at::full_like(pixels, 0.25)));
    }

    void upscaleRefuses_data() {
        const testing::Rows<QString, double, QString> row("method", "scale", "item");
        row("unknown method", "magic", 2.0, "method");
        row("no scale", "area", 0.0, "scale");
        row("no number", "area", static_cast<double>(NAN), "scale");
        row("too large", "area", 1e9, "scale");
    }

    void upscaleRefuses() {
        QFETCH(QString, method);
        QFETCH(double, scale);
        QFETCH(QString, item);
        ModelBench bench;
        const WireRef image =
            std::make_shared<const tensor::Images>(at::zeros({1, 3, 4, 4}), tensor::Provenance());
        const auto error = testing::errorOf([&] {
            (void)testing::run(bench.stages(),
                               testing::UpscaleRequest{
                                   .image = image, .method = method.toStdString(), .scale = scale},
                               bench.call("upscale"))
                .front();
        });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), item.toStdString());
    }
};

LOWTIDE_TEST(StagesTest)

}  // namespace stages_test

#include "stages_test.moc"
