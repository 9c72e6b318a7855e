// latent.upscale as a stage: sizes, refusals, what goes on with the latent, and its dry run.

#include "plugin/tensor/resample.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/image_bench.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/truth.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <cmath>
#include <limits>

namespace latent_upscale_test {

using namespace lowtide;
using image::PixelSize;
using nodes::WireRef;
using testing::ImageBench;
using testing::LatentUpscaleRequest;

namespace {

constexpr const char* kMini = "builtin:mini";
constexpr double kLargestError = 0.05;  ///< of a dry run on the CPU, as in dry_run_test

WireRef latentOf(const Shape& shape) {
    return std::make_shared<const tensor::Latents>(at::randn(shape), tensor::Provenance());
}

using Change = std::function<void(LatentUpscaleRequest&)>;

struct Refusal {
    const char* row;
    Change change;
    const char* item;
    const char* expected;
};

std::vector<Refusal> refusals() {
    using Request = LatentUpscaleRequest;
    const auto toSize = [](int64_t width, int64_t height) {
        return [=](Request& r) { r.size = PixelSize{.width = width, .height = height}; };
    };
    const auto byScale = [](double scale) { return [=](Request& r) { r.scale = scale; }; };
    return {{"unknown method", [](Request& r) { r.method = "lanczos"; }, "method", "lanczos"},
            {"no latent", [](Request& r) { r.latent = nullptr; }, "latent", "not connected"},
            {"scale 0", byScale(0), "scale", "would have 0 latent pixels"},
            {"scale is no number", byScale(NAN), "scale", "nan"},
            {"endless", byScale(std::numeric_limits<double>::infinity()), "scale", "inf"},
            {"too large", byScale(1e4), "scale", "would have 120000 latent pixels"},
            {"no model",
             [](Request& r) {
                 r.model = nullptr;
                 r.size = PixelSize{.width = 64, .height = 64};
             },
             "model",
             "is the model's"},
            {"width is no multiple", toSize(100, 96), "width", "100 pixels does not fit"},
            {"height is no multiple", toSize(96, 1), "height", "1 pixels does not fit"},
            {"negative", toSize(-8, 96), "width", "-8"},
            {"no side", toSize(0, 0), "width", "both 0"},
            {"too wide", toSize(1 << 17, 96), "width", "would have 16384"},
            {"too high by its shape", toSize(1 << 16, 0), "width", "would have 9830.4"}};
}

}  // namespace

class LatentUpscaleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void sizesAreWhole_data() {
        const testing::Rows<int, int, double, int, int> row(
            "height", "width", "scale", "newHeight", "newWidth");
        row("twice", 12, 10, 2.0, 24, 20);
        row("half to even", 5, 3, 1.5, 8, 4);  // 7.5 and 4.5
        row("smaller", 12, 10, 0.3, 4, 3);
        row("never nothing", 12, 10, 0.01, 1, 1);
        row("the same", 12, 10, 1.0, 12, 10);
    }

    void sizesAreWhole() {
        QFETCH(int, height);
        QFETCH(int, width);
        QFETCH(double, scale);
        QFETCH(int, newHeight);
        QFETCH(int, newWidth);
        compareSizes({height, width}, {.scale = scale}, {newHeight, newWidth});
    }

    void pixelsAreTheModels_data() {
        const testing::Rows<QString, int, int, int, int> row(
            "checkpoint", "width", "height", "newHeight", "newWidth");
        row("8 pixels a latent", kMini, 160, 96, 12, 20);
        row("4 pixels a latent", "sd15_3", 160, 92, 23, 40);
        row("height follows", kMini, 160, 0, 24, 20);
        row("width follows, half to even", kMini, 0, 24, 3, 2);
    }

    void pixelsAreTheModels() {
        QFETCH(QString, checkpoint);
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(int, newHeight);
        QFETCH(int, newWidth);
        ImageBench bench(checkpoint == kMini ? kMini
                                             : testing::goldenCheckpoint(checkpoint.toStdString()));
        compareSizes({12, 10},
                     {.model = bench.model(), .size = PixelSize{.width = width, .height = height}},
                     {newHeight, newWidth});
    }

    void whatCannotBeIsRefused_data() { testing::addEach(refusals(), &Refusal::row); }

    void whatCannotBeIsRefused() {
        QFETCH(int, index);
        const Refusal refusal = refusals()[static_cast<size_t>(index)];
        ImageBench bench(kMini);
        LatentUpscaleRequest request{.latent = latentOf({1, 4, 12, 10}), .model = bench.model()};
        refusal.change(request);
        const auto error = testing::errorOf([&] {
            (void)testing::run(bench.stages(), request, bench.bench().call("upscale")).front();
        });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string(refusal.item));
        QVERIFY2(error->message().str().find(refusal.expected) != std::string::npos,
                 error->message().str().c_str());
        if (request.latent) {
            const auto before = testing::errorOf([&] {
                (void)testing::spec(bench.stages(), testing::known({1, 4, 12, 10}, request));
            });
            QVERIFY2(before && before->message() == error->message(), "refused before the run");
        }
    }

    void anEmptyLatentIsRefused() {
        ImageBench bench(kMini);
        const LatentUpscaleRequest request{.latent = bench.emptyLatent(64, 64)};
        for (const auto& call : std::vector<std::function<void()>>{
                 [&] {
                     (void)testing::run(bench.stages(), request, bench.bench().call("upscale"))
                         .front();
                 },
                 [&] { (void)testing::spec(bench.stages(), testing::known({}, request)); }}) {
            const auto error = testing::errorOf(call);
            QVERIFY(error && error->item() == "latent");
            QVERIFY(error->message().str().find("empty") != std::string::npos);
        }
    }

    void theSamplersStateIsLeftOut() {
        ImageBench bench(kMini);
        testing::DenoiseRequest request = bench.request("a cat", "");
        request.latent = bench.emptyLatent(32, 32);
        request.steps = 3;
        request.endStep = 2;
        request.keepNoise = true;
        request.sampler = "dpmpp_2m";
        const WireRef first = bench.denoise(request);
        QVERIFY(dynamic_cast<const tensor::Latents&>(*first).carry());
        const WireRef larger = bench.upscale({.latent = first, .method = "bicubic"});
        QVERIFY(!dynamic_cast<const tensor::Latents&>(*larger).carry());
    }

    void imagesRecordIt() {
        ImageBench bench(kMini);
        testing::DenoiseRequest request = bench.request("a cat", "");
        request.latent = bench.emptyLatent(32, 48);
        request.steps = 2;
        request.sampler = "ddim";
        request.latent =
            bench.upscale({.latent = bench.denoise(request), .method = "area", .scale = 1.5});
        request.startStep = 1;
        const std::string text =
            bench.stages().parametersText(bench.decode(bench.denoise(request)), 0);
        for (const char* part :
             {"Size: 48x72", "Hires upscale: 1.5, Hires upscaler: Latent (area)"}) {
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
        }
    }

    void theDryRunPredictsActivations_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("method");
        QTest::addColumn<double>("scale");
        for (const char* device : {"cpu", "fake"}) {
            for (const char* method : {"nearest-exact", "bilinear", "bicubic", "area", "bislerp"}) {
                for (const double scale : {0.6, 1.0, 2.0}) {
                    QTest::addRow("%s %s x%g", device, method, scale) << device << method << scale;
                }
            }
        }
    }

    void theDryRunPredictsActivations() {
        QFETCH(QString, device);
        QFETCH(QString, method);
        QFETCH(double, scale);
        const std::string kind = device.toStdString();
        ImageBench bench(kMini, {.kind = kind});
        const Shape shape = {3, 4, 40, 56};
        LatentUpscaleRequest request{.method = method.toStdString(), .scale = scale};
        const auto there = [&] {
            const auto tree = bench.bench().modelOf(bench.model()).tree(models::kDenoiser);
            return bench.bench().residency().torchDeviceOf(*tree);
        };
        bench.bench().runWith(bench.model(), models::kDenoiser, [&] {
            request.latent = std::make_shared<const tensor::Latents>(
                tensor::upload(at::randn(shape), there()), tensor::Provenance());
        });

        const WireRef made = bench.upscale(request);

        const Bytes measured = bench.bench().activationPeak();
        const testing::StageSpec spec =
            testing::spec(bench.stages(), testing::known(shape, request));
        const Bytes predicted = spec.dryRun({kind}).activations;
        const double error =
            std::abs(static_cast<double>(predicted) / static_cast<double>(measured) - 1);
        QVERIFY2(
            error <= (kind == "fake" ? 0 : kLargestError),
            ("predicted " + std::to_string(predicted) + ", measured " + std::to_string(measured))
                .c_str());
        QCOMPARE(made->bytesOn(kind), bytesOf(spec, kind));
    }

private:
    static void compareSizes(const Shape& given,
                             LatentUpscaleRequest request,
                             const Shape& wanted) {
        testing::ModelBench bench;
        const Shape shape = {2, 4, given[0], given[1]};
        request.latent = latentOf(shape);
        const WireRef made = testing::run(bench.stages(), request, bench.call("upscale")).front();
        const Shape expected = {2, 4, wanted[0], wanted[1]};
        QCOMPARE(ImageBench::samplesOf(made).sizes().vec(), expected);
        QCOMPARE(testing::spec(bench.stages(), testing::known(shape, request)).output().shape,
                 expected);
    }

    static Bytes bytesOf(const testing::StageSpec& spec, const std::string& kind) {
        Bytes bytes = 0;
        for (const Bytes each : spec.output().tensors) {
            bytes += kind == "cpu" ? each : alignUp(each, memory::kSlotAlignment);
        }
        return bytes;
    }
};

LOWTIDE_TEST(LatentUpscaleTest)

}  // namespace latent_upscale_test

#include "latent_upscale_test.moc"
