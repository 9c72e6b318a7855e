// What the stages compute under other types: how far from f32, with which memory, and what happens
// where half precision overflows.
#include "nodes/engine/stage_inputs.hpp"
#include "nodes/engine/stage_precision.hpp"
#include "plugin/base/error.hpp"
#include "plugin/files/safetensors.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/checkpoint_copy.hpp"
#include "tests/unit/models/dry_run_case.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include <QtTest/QtTest>

#include <map>

namespace precision_test {

using namespace lowtide;
using memory::PrecisionChoice;
using nodes::WireRef;
using testing::ModelBench;

namespace {

/// Research, step caches 4: per step of the denoiser, relative L2 to f32.
constexpr double kMostHalf = 5e-3;
constexpr double kMostBrain = 4e-2;
constexpr double kMostF8 = 0.15;

PrecisionChoice choice(const std::string& text) {
    return memory::parsePrecision(text);
}

/// What a stage gives in a run that has its network as the spec wants it.
WireRef run(ModelBench& bench,
            const testing::StageSpec& spec,
            const std::function<WireRef()>& stage) {
    WireRef result;
    bench.runWith(spec.components().front(), [&] { result = stage(); });
    return result;
}

WireRef decode(ModelBench& bench,
               const testing::DecodeRequest& request,
               const nodes::StageCall& call) {
    const auto& samples = nodes::latentsIn(request.latent).samples();
    return run(bench,
               testing::spec(bench.stages(), testing::known(samples.sizes().vec(), request)),
               [&] { return testing::run(bench.stages(), request, call).front(); });
}

at::Tensor noise(at::IntArrayRef shape, uint64_t seed) {
    return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed), at::kFloat);
}

WireRef latentOf(at::Tensor samples) {
    tensor::Provenance provenance;
    provenance.set("Steps", "1");  // as of a denoiser
    return std::make_shared<const tensor::Latents>(std::move(samples), std::move(provenance));
}

/// The denoiser's predictions at three times, from noise that does not depend on earlier ones.
std::vector<at::Tensor> predictions(ModelBench& bench,
                                    const WireRef& model,
                                    const std::string& text) {
    const models::Model& own = nodes::modelIn(model);
    const auto precisions = nodes::precisionsFor(own, {models::kDenoiser}, choice(text));
    const models::TypedNetworks typed = nodes::typedFor(own, precisions);
    const tensor::Conditioning prompt(noise(ModelBench::wordsShape(model), 9), {}, "", -1);
    std::vector<at::Tensor> predicted;
    bench.runWith(nodes::typedTrees(typed, own, precisions), [&] {
        models::StageContext context{
            .weights = bench.residency(), .record = tensor::Record(nullptr), .typed = typed};
        const auto denoiser = own.makeDenoiser(context, {.positive = prompt, .negative = nullptr});
        for (const int64_t time : {981, 500, 21}) {
            const at::Tensor latents =
                tensor::upload(noise({1, 4, 16, 16}, static_cast<uint64_t>(time)),
                               context.deviceOf(*own.tree(models::kDenoiser)));
            predicted.push_back(
                tensor::spill(denoiser->predict(latents, at::scalar_tensor(time, at::kLong), {})));
        }
    });
    return predicted;
}

double distance(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
    double most = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, ((a[i] - b[i]).norm() / b[i].norm()).item<double>());
    }
    return most;
}

/// Multiplies the tensors of a layer of the copy's autoencoder ("decoder.conv_in"), so that what
/// follows them overflows f16.
void enlarge(const testing::CheckpointCopy& copy, const std::string& layer, double factor) {
    const std::string path = copy.file("vae/diffusion_pytorch_model.safetensors").toStdString();
    testing::TensorFile tensors = testing::readTensorFile(path);
    std::map<std::string, files::TensorBytes> content;
    for (auto& [name, tensor] : tensors) {
        if (name == layer + ".weight" || name == layer + ".bias") {
            at::from_blob(tensor.bytes.data(),
                          tensor.shape,
                          tensor.type == DType::F32 ? at::kFloat : at::kHalf)
                .mul_(factor);
        }
        content[name] = {tensor.type, tensor.shape, std::as_bytes(std::span(tensor.bytes))};
    }
    files::writeSafetensors(path, content);
}

/// A stage's call that keeps what is reported.
struct Reported {
    Issues issues;
    std::function<void()> during = [] {};

    nodes::StageCall call() {
        return {.node = "decode",
                .stop = {},
                .progress = [this](std::string_view, double, double) { during(); },
                .issue = [this](Issue issue) { issues.push_back(std::move(issue)); }};
    }
};

/// The metadata of the image that a denoiser makes of `latent`.
std::string textOfDenoised(ModelBench& bench,
                           const WireRef& model,
                           const WireRef& latent,
                           const nodes::StageCall& call) {
    testing::EncodeResult prompts;
    bench.runWith(model, models::kTextEncoder, [&] {
        prompts = testing::encodePrompt(bench.stages(), {.model = model, .prompt = "a cat"}, call);
    });
    const testing::DenoiseRequest request{.model = model,
                                          .positive = prompts.positive,
                                          .negative = prompts.negative,
                                          .latent = latent,
                                          .steps = 2,
                                          .sampler = "euler",
                                          .strength = 0.5};
    WireRef denoised;
    bench.runWith(model, models::kDenoiser, [&] {
        denoised = testing::run(bench.stages(), request, call).front();
    });
    return bench.stages().parametersText(decode(bench, {.model = model, .latent = denoised}, call),
                                         0);
}

std::string fieldOf(const WireRef& image, const std::string& key) {
    for (const auto& [name, value] : nodes::imagesIn(image).provenance().fields) {
        if (name == key) {
            return value;
        }
    }
    return {};
}

}  // namespace

class PrecisionTest : public QObject {
    Q_OBJECT

    testing::OpenedModels opened_;
    std::map<std::string, std::vector<at::Tensor>> exact_;

    const std::vector<at::Tensor>& exactOn(const std::string& device,
                                           const std::string& checkpoint) {
        std::vector<at::Tensor>& exact = exact_[device + " " + checkpoint];
        if (exact.empty()) {
            auto& [bench, model] = opened_.on(device, checkpoint);
            exact = predictions(bench, model, "quality");
        }
        return exact;
    }

private Q_SLOTS:

    void aStepIsAsFarFromF32AsItsTypesState_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("storage");
        QTest::addColumn<QString>("compute");
        QTest::addColumn<double>("most");
        const auto row =
            [](const char* device, const char* storage, const char* compute, double most) {
                QTest::addRow("%s, %s in %s", device, storage, compute)
                    << device << storage << compute << most;
            };
        for (const char* device : {"cpu", "fake"}) {
            row(device, "file", "f32", 0);
            row(device, "f16", "f32", kMostHalf);
            row(device, "bf16", "f32", kMostBrain);
            row(device, "f8", "f32", kMostF8);
            row(device, "f32", "bf16", kMostBrain);
            row(device, "bf16", "bf16", kMostBrain);
            row(device, "f8", "bf16", kMostF8);
            row(device, "f16", "f16", kMostHalf);
        }
    }

    void aStepIsAsFarFromF32AsItsTypesState() {
        QFETCH(QString, device);
        QFETCH(QString, storage);
        QFETCH(QString, compute);
        QFETCH(double, most);
        const std::string text =
            "quality,storage=" + storage.toStdString() + ",compute=" + compute.toStdString();
        for (const char* checkpoint : {"sd15_0", "sd15_3"}) {
            auto& [bench, model] = opened_.on(device.toStdString(), checkpoint);
            const double seen = distance(predictions(bench, model, text),
                                         exactOn(device.toStdString(), checkpoint));
            qInfo("%s %s stored as %s in %s: relative L2 %.2g",
                  qPrintable(device),
                  checkpoint,
                  qPrintable(storage),
                  qPrintable(compute),
                  seen);
            QVERIFY(seen <= most);
            QVERIFY((seen > 0) == (most > 0));
        }
    }

    /// Without the norms a step in bf16 is nearer to f32: they compute in it.
    void keptLayersComputeInF32() {
        auto& [bench, model] = opened_.on("cpu", "sd15_0");
        const auto& exact = exactOn("cpu", "sd15_0");
        const std::string half = "quality,storage=bf16,compute=bf16";
        const auto all = predictions(bench, model, half);
        const auto kept = predictions(
            bench, model, half + ",keep_f32=norm+conv_out+conv_in+time_embedding+proj_out+conv2");
        QVERIFY(distance(kept, exact) < distance(all, exact));
        QVERIFY(distance(kept, exact) > 0);
    }

    void memoryIsAsPredicted_data() {
        QTest::addColumn<QString>("precision");
        QTest::addColumn<QString>("checkpoint");
        for (const char* precision : {"quality,storage=file",
                                      "quality,storage=f16",
                                      "quality,storage=f8",
                                      "quality,storage=bf16,compute=bf16",
                                      "quality,storage=f8,compute=bf16",
                                      "quality,storage=f16,compute=f16,keep_f32=norm"}) {
            for (const char* checkpoint : {"mini", "sd15_1"}) {
                QTest::addRow("%s, %s", precision, checkpoint) << precision << checkpoint;
            }
        }
    }

    /// On the card that a rehearsal plays: to the byte.
    void memoryIsAsPredicted() {
        QFETCH(QString, precision);
        QFETCH(QString, checkpoint);
        const PrecisionChoice wanted = choice(precision.toStdString());
        const testing::DryRunCase dryRunCase{.checkpoint = checkpoint.toStdString(), .width = 96};
        auto& [bench, model] = opened_.on("fake", dryRunCase.checkpoint);
        const nodes::StageCall call = bench.call("node");
        const auto compare = [&](const char* stage, const testing::StageSpec& spec) {
            const Bytes predicted = spec.dryRun({"fake"}).activations;
            qInfo("%s: predicted %lld, measured %lld",
                  stage,
                  static_cast<long long>(predicted),
                  static_cast<long long>(bench.activationPeak()));
            QCOMPARE(predicted, bench.activationPeak());
        };

        const testing::EncodeRequest words{
            .model = model, .prompt = "a cat", .negative = "dog", .precision = wanted};
        const testing::StageSpec encoding = testing::spec(bench.stages(), words);
        testing::EncodeResult prompts;
        bench.runWith(encoding.components().front(),
                      [&] { prompts = testing::encodePrompt(bench.stages(), words, call); });
        compare("encode", encoding);

        testing::DenoiseRequest request = testing::requestOf(bench, model, dryRunCase);
        request.positive = prompts.positive;
        request.negative = prompts.negative;
        request.precision = wanted;
        const auto denoising = testing::spec(
            bench.stages(), testing::known(testing::shapesOf(model, dryRunCase), request));
        const WireRef latent = run(
            bench, denoising, [&] { return testing::run(bench.stages(), request, call).front(); });
        compare("denoise", denoising);

        const testing::DecodeRequest decoding{
            .model = model, .latent = latent, .precision = wanted};
        static_cast<void>(decode(bench, decoding, call));
        compare("decode",
                testing::spec(
                    bench.stages(),
                    testing::known(nodes::latentsIn(latent).samples().sizes().vec(), decoding)));
    }

    void anOverflowIsComputedOnceMoreInF32_data() {
        QTest::addColumn<QString>("source");
        QTest::newRow("mini") << QString::fromStdString(testing::miniModel());
        // force_upcast decides what happens.
        QTest::newRow("sdxl_1") << QString::fromStdString(testing::goldenCheckpoint("sdxl_1"));
    }

    void anOverflowIsComputedOnceMoreInF32() {
        QFETCH(QString, source);
        const testing::CheckpointCopy copy(source);
        enlarge(copy, "decoder.conv_in", 4096);
        ModelBench bench;
        const WireRef model = bench.load(copy.path());
        const WireRef latent = latentOf(noise({2, 4, 8, 8}, 3));
        Reported reported;
        const WireRef image =
            decode(bench,
                   {.model = model, .latent = latent, .precision = choice("quality,compute=f16")},
                   reported.call());
        QCOMPARE(reported.issues.size(), size_t{1});
        QCOMPARE(reported.issues[0].code, std::string("precision_retry"));
        QVERIFY(reported.issues[0].severity == Severity::Warning);
        QCOMPARE(fieldOf(image, "VAE precision"), std::string("f32 after an overflow"));
        Reported quiet;
        const WireRef exact =
            decode(bench,
                   {.model = model, .latent = latent, .precision = choice("quality")},
                   quiet.call());
        QVERIFY(at::equal(nodes::imagesIn(image).pixels(), nodes::imagesIn(exact).pixels()));
        // bf16 has the range of f32, and f32 needs no second look.
        const WireRef brain =
            decode(bench,
                   {.model = model, .latent = latent, .precision = choice("quality,compute=bf16")},
                   quiet.call());
        QCOMPARE(quiet.issues.size(), size_t{0});
        QCOMPARE(fieldOf(brain, "VAE precision"), std::string());
    }

    /// For an image that was loaded: the field stands behind those of the denoiser that takes it.
    void anOverflowOfAnEncodeIsReportedToo() {
        const testing::CheckpointCopy copy;
        enlarge(copy, "encoder.conv_out", 32768);
        ModelBench bench;
        const WireRef model = bench.load(copy.path());
        const WireRef image = std::make_shared<const tensor::Images>(
            noise({1, 3, 64, 64}, 3).sigmoid(), tensor::Provenance{});
        Reported reported;
        const auto encoded = [&](const char* precision) {
            const testing::ImageEncodeRequest request{
                .model = model, .image = image, .sampling = "mean", .precision = choice(precision)};
            return run(
                bench,
                testing::spec(bench.stages(), testing::known({.image = {1, 3, 64, 64}}, request)),
                [&] { return testing::run(bench.stages(), request, reported.call()).front(); });
        };

        const WireRef latent = encoded("quality,compute=f16");
        const WireRef exact = encoded("quality");

        QCOMPARE(reported.issues.size(), size_t{1});
        QCOMPARE(reported.issues[0].code, std::string("precision_retry"));
        QVERIFY(at::equal(nodes::latentsIn(latent).samples(), nodes::latentsIn(exact).samples()));
        QVERIFY(nodes::latentsIn(exact).provenance().fields.empty());
        const std::string field = "VAE encode precision: f32 after an overflow";
        const WireRef decoded = decode(bench, {.model = model, .latent = latent}, reported.call());
        QCOMPARE(bench.stages().parametersText(decoded, 0),
                 std::string());  // no denoiser was there
        const std::string text = textOfDenoised(bench, model, latent, reported.call());
        QVERIFY2(text.find("\nSteps: 2, ") != std::string::npos, text.c_str());
        QVERIFY2(text.find(field) != std::string::npos, text.c_str());
    }

    void whatIsNotFiniteInF32EitherIsRefused() {
        const testing::CheckpointCopy copy;
        enlarge(copy, "decoder.conv_in", std::nan(""));
        ModelBench bench;
        const WireRef model = bench.load(copy.path());
        Reported reported;
        const auto error = testing::errorOf([&] {
            static_cast<void>(decode(bench,
                                     {.model = model,
                                      .latent = latentOf(noise({1, 4, 8, 8}, 3)),
                                      .precision = choice("quality,compute=bf16")},
                                     reported.call()));
        });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QVERIFY2(error->message().str().find("autoencoder") != std::string::npos, error->what());
        QVERIFY2(error->message().str().find("compute=f32") != std::string::npos, error->what());
        QCOMPARE(reported.issues.size(), size_t{1});
    }

    void whatComesInIsBlamedFirst_data() {
        QTest::addColumn<QString>("precision");
        QTest::newRow("f32") << "quality";
        QTest::newRow("bf16") << "quality,compute=bf16";
        QTest::newRow("f16") << "quality,compute=f16";
    }

    /// Nothing is computed again, and the network is not suspected.
    void whatComesInIsBlamedFirst() {
        QFETCH(QString, precision);
        ModelBench bench;
        const WireRef model = bench.load(testing::miniModel());
        at::Tensor latent = noise({1, 4, 8, 8}, 3);
        latent.select(3, 7).fill_(std::nan(""));
        Reported reported;
        const auto error = testing::errorOf([&] {
            static_cast<void>(decode(bench,
                                     {.model = model,
                                      .latent = latentOf(latent),
                                      .precision = choice(precision.toStdString())},
                                     reported.call()));
        });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("latent"));
        QVERIFY2(error->message().str().find("what comes in") != std::string::npos, error->what());
        QCOMPARE(reported.issues.size(), size_t{0});
    }

    void theHostsSwitchesAreSetDuringAStageAlone_data() {
        QTest::addColumn<bool>("throws");
        QTest::newRow("it ends well") << false;
        QTest::newRow("it throws") << true;
    }

    void theHostsSwitchesAreSetDuringAStageAlone() {
        QFETCH(bool, throws);
        at::Context& context = at::globalContext();
        context.setSDPUseFlash(false);  // as a host may have it
        context.setBenchmarkCuDNN(true);
        ModelBench bench;
        const WireRef model = bench.load(testing::miniModel());
        Reported reported;
        int seen = 0;
        reported.during = [&] {
            ++seen;
            QVERIFY(context.userEnabledFlashSDP());
            QVERIFY(context.allowFP16BF16ReductionMathSDP());
            QVERIFY(context.benchmarkCuDNN());  // no cuDNN here: it remains as it is
            if (throws) {
                throw Error(ErrorKind::Internal, Message("on purpose"));
            }
        };
        const auto stage = [&] {
            static_cast<void>(decode(bench,
                                     {.model = model,
                                      .latent = latentOf(noise({1, 4, 8, 8}, 3)),
                                      .precision = choice("speed,compute=bf16")},
                                     reported.call()));
        };
        if (throws) {
            QVERIFY_THROWS_EXCEPTION(Error, stage());
        } else {
            stage();
        }
        QCOMPARE(seen, 1);
        QVERIFY(!context.userEnabledFlashSDP());
        QVERIFY(!context.allowFP16BF16ReductionMathSDP());
        QVERIFY(context.benchmarkCuDNN());
        context.setSDPUseFlash(true);
        context.setBenchmarkCuDNN(false);
    }
};

LOWTIDE_TEST(PrecisionTest)

}  // namespace precision_test

#include "precision_test.moc"
