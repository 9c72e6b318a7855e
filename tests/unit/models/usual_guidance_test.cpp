// Guidance that a graph leaves to the model.

#include "nodes/denoise/denoise_notes.hpp"
#include "nodes/denoise/denoise_schedule.hpp"
#include "plugin/base/error.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"
#include "tests/unit/models/stated_model.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <memory>
#include <string>
#include <vector>

namespace usual_guidance_test {

using namespace lowtide;
using models::ModelInfo;
using nodes::WireRef;
using testing::DenoiseRequest;
using testing::DetailRequest;
using testing::ModelBench;
using testing::StatedModel;

namespace {

constexpr double kAutomatic = -1;
constexpr int64_t kSide = 64;  ///< pixels

ModelInfo usuallyRunWith(double cfg) {
    ModelInfo info;
    info.checkpoint = "model";
    info.usual.cfg = cfg;
    return info;
}

}  // namespace

class UsualGuidanceTest : public QObject {
    Q_OBJECT

    /// How the denoiser was made, for a dry run and for a run.
    struct Made {
        double cfg;
        bool hasNegative;
    };

    std::vector<Made> made_;

private Q_SLOTS:

    void init() { made_.clear(); }

    void whatIsNotSetIsTheModels_data() {
        const testing::Rows<double, double, double> row("usual", "asked", "taken");
        row("FLUX.1", 1.0, kAutomatic, 1.0);
        row("WAN", 5.0, kAutomatic, 5.0);
        row("nothing known", 0.0, kAutomatic, 7.5);
        row("set", 1.0, 4.0, 4.0);
        row("off", 5.0, 0.0, 0.0);
    }

    void whatIsNotSetIsTheModels() {
        QFETCH(double, usual);
        QFETCH(double, asked);
        QFETCH(double, taken);
        QCOMPARE(nodes::guidanceOf(usuallyRunWith(usual), asked), taken);
    }

    void anAutomaticOneIsNoted() {
        const Issues notes = nodes::guidanceNotes(usuallyRunWith(1), kAutomatic);

        QCOMPARE(notes.size(), size_t{1});
        QVERIFY(notes.front().severity == Severity::Info);
        QCOMPARE(notes.front().code, std::string("automatic_guidance"));
        QCOMPARE(notes.front().message.str(),
                 std::string("the guidance is 1, with which model is usually run"));
        QVERIFY(nodes::guidanceNotes(usuallyRunWith(0), kAutomatic).empty());
    }

    void eachFamilyStatesItsOwn_data() {
        const testing::Rows<QString, double> add("checkpoint", "usual");
        const auto row = [&](const QString& folder, const char* name, double usual) {
            add(name, folder + "/checkpoints/" + name, usual);
        };
        row(testing::goldenFolder(), "sd15_1", 0);
        row(testing::sdxlGoldenFolder(), "sdxl_1", 0);
        row(testing::fluxGoldenFolder(), "flux_0", 1);
        row(testing::zimageGoldenFolder(), "zimage_0", 1);
        row(testing::zimageGoldenFolder(), "zimage_1", 5);
        row(testing::hidreamGoldenFolder(), "hidream_0", 5);
        row(testing::wanGoldenFolder(), "wan_t2v_0", 5);
        row(testing::wanGoldenFolder(), "wan22_t2v_0", 4);
        row(testing::wanGoldenFolder(), "wan22_i2v_0", 3.5);
    }

    void eachFamilyStatesItsOwn() {
        QFETCH(QString, checkpoint);
        QFETCH(double, usual);
        ModelBench bench;
        const WireRef model = bench.load(checkpoint.toStdString());
        QCOMPARE(ModelBench::modelOf(model).info().usual.cfg, usual);
    }

    /// In what the denoiser is asked, in the bits, and in the image's text.
    void planAndRunTakeTheUsualOne() {
        ModelBench bench;
        const WireRef model = modelWith(bench, 4);
        DenoiseRequest request = requestOf(bench, model);
        request.cfg = 4;
        const at::Tensor stated = samplesIn(denoised(bench, request)).clone();
        made_.clear();
        request.cfg = kAutomatic;

        (void)testing::spec(bench.stages(), known(request)).dryRun({"cpu"});
        const WireRef latent = denoised(bench, request);

        QCOMPARE(made_.size(), size_t{2});
        for (const Made& made : made_) {
            QCOMPARE(made.cfg, 4.0);
            QVERIFY(made.hasNegative);
        }
        QVERIFY(at::equal(samplesIn(latent), stated));
        const std::string text = textOf(bench, latent);
        QVERIFY2(text.find("CFG scale: 4, ") != std::string::npos, text.c_str());
    }

    /// A second pass in every step is neither planned nor made.
    void aModelWithoutGuidanceNeedsNoNegative() {
        ModelBench bench;
        DenoiseRequest request = requestOf(bench, modelWith(bench, 1));
        request.cfg = kAutomatic;
        request.negative = nullptr;

        (void)testing::spec(bench.stages(), known(request)).dryRun({"cpu"});
        (void)denoised(bench, request);

        QCOMPARE(made_.size(), size_t{2});
        for (const Made& made : made_) {
            QCOMPARE(made.cfg, 1.0);
            QVERIFY(!made.hasNegative);
        }
        request.model = modelWith(bench, 0);
        const auto error = testing::errorOf([&] { (void)denoised(bench, request); });
        QVERIFY(error && error->item() == "negative");
        QVERIFY(error->message().str().find("7.5") != std::string::npos);
    }

    void aDetailPassTakesItToo() {
        ModelBench bench;
        const DetailRequest request = testing::known(
            testing::DetailShapes{
                .image = {1, 3, kSide, kSide}, .positive = {.shape = {1, 32, 128}}, .negative = {}},
            DetailRequest{.model = modelWith(bench, 1), .cfg = kAutomatic, .sampler = "euler"});

        const testing::StageSpec spec = testing::spec(bench.stages(), request);
        (void)spec.dryRun({"cpu"});

        QVERIFY(!made_.empty());
        QCOMPARE(made_.back().cfg, 1.0);
        QVERIFY(!made_.back().hasNegative);
        QCOMPARE(spec.issues.back().code, std::string("automatic_guidance"));
    }

    /// The files of a model do not state it, and the parameter is the same.
    void resultKeysHoldIt() {
        ModelBench bench;
        const auto fingerprints = [&](double usual, double asked) {
            DenoiseRequest request = requestOf(bench, modelWith(bench, usual));
            request.cfg = asked;
            return testing::spec(bench.stages(), known(request)).fingerprints;
        };
        QVERIFY(fingerprints(1, kAutomatic) != fingerprints(5, kAutomatic));
        QVERIFY(fingerprints(1, kAutomatic) == fingerprints(1, kAutomatic));
        QVERIFY(fingerprints(1, 4).empty());
    }

private:
    /// The mini model, of a family that is usually run with this guidance.
    WireRef modelWith(ModelBench& bench, double usual) {
        return std::make_shared<const StatedModel>(
            std::dynamic_pointer_cast<const models::Model>(bench.load(testing::miniModel())),
            [usual](ModelInfo& info) { info.usual.cfg = usual; },
            [this](const models::DenoiserRequest& request) {
                made_.push_back({request.cfg, request.negative != nullptr});
            });
    }

    static DenoiseRequest requestOf(ModelBench& bench, const WireRef& model) {
        const WireRef words = std::make_shared<const tensor::Conditioning>(
            at::zeros({1, 32, 128}), at::Tensor(), "a cat", -1);
        return {.model = model,
                .positive = words,
                .negative = words,
                .latent = testing::run(bench.stages(),
                                       testing::EmptyLatentRequest{.widthPixels = kSide,
                                                                   .heightPixels = kSide},
                                       {})
                              .front(),
                .steps = 2,
                .seed = 5,
                .sampler = "euler"};
    }

    /// As before a run.
    static DenoiseRequest known(const DenoiseRequest& request) {
        return testing::known({.positive = {1, 32, 128},
                               .negative = request.negative ? Shape{1, 32, 128} : Shape(),
                               .latentKind = testing::emptyLatentSpec(kSide, kSide)},
                              request);
    }

    static WireRef denoised(ModelBench& bench, const DenoiseRequest& request) {
        WireRef latent;
        bench.runWith(request.model, models::kDenoiser, [&] {
            latent = testing::run(bench.stages(), request, bench.call("denoise")).front();
        });
        return latent;
    }

    static const at::Tensor& samplesIn(const WireRef& latent) {
        return dynamic_cast<const tensor::Latents&>(*latent).samples();
    }

    static std::string textOf(ModelBench& bench, const WireRef& latent) {
        const auto& provenance = dynamic_cast<const tensor::Latents&>(*latent).provenance();
        return bench.stages().parametersText(
            std::make_shared<const tensor::Images>(at::zeros({1, 3, 8, 8}), provenance), 0);
    }
};

LOWTIDE_TEST(UsualGuidanceTest)

}  // namespace usual_guidance_test

#include "usual_guidance_test.moc"
