#include "nodes/engine/spec_parts.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/image_values.hpp"

#include <ATen/ATen.h>

#include <QRect>
#include <QtTest/QtTest>

namespace inpaint_requests_test {

using namespace lowtide;
using nodes::WireRef;
using testing::denoise;
using testing::DenoiseRequest;
using testing::imageOf;
using testing::imageRequest;
using testing::kMini;
using testing::latentOf;
using testing::latentsOf;
using testing::leftHalf;
using testing::maskOf;
using testing::ModelBench;
using testing::shapesOf;
using testing::testImage;

namespace {

using Change = std::function<void(DenoiseRequest&, ModelBench&)>;

struct Refusal {
    const char* row;
    Change change;
    const char* item;
    const char* expected;
};

WireRef emptyLatent(ModelBench& bench) {
    return testing::run(
               bench.stages(),
               testing::EmptyLatentRequest{.widthPixels = 32, .heightPixels = 16, .batch = 1},
               {})
        .front();
}

std::vector<Refusal> refusals() {
    using Request = DenoiseRequest;
    return {
        {"mask of another size",
         [](Request& r, ModelBench&) {
             r.mask = maskOf(at::ones({1, 1, 16, 24}));
         },
         "mask",
         "24 x 16 pixels, the image 32 x 16"},
        {"mask that is an image",
         [](Request& r, ModelBench&) { r.mask = imageOf(testImage(16, 32)); },
         "mask",
         "no mask"},
        {"more masks than images",
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
         "no image around the mask"},
        {"masked image for four channels",
         [](Request& r, ModelBench&) {
             r.mask = maskOf(at::ones({1, 1, 16, 32}));
             r.masked = r.latent;
         },
         "masked",
         "takes no masked image"},
    };
}

std::vector<Refusal> fillRefusals() {
    using Request = DenoiseRequest;
    return {
        {"no mask", [](Request& r, ModelBench&) { r.mask = nullptr; }, "mask", "fills masks"},
        {"no masked image",
         [](Request& r, ModelBench&) { r.masked = nullptr; },
         "masked",
         "wants to see"},
        {"masked image of another size",
         [](Request& r, ModelBench&) {
             r.masked = latentOf({1, 4, 2, 3});
         },
         "masked",
         "[1, 4, 2, 3]"},
        {"masked image that is empty",
         [](Request& r, ModelBench& b) { r.masked = emptyLatent(b); },
         "masked",
         "no latent image"},
    };
}

}  // namespace

/// Where a run over an image begins, and what it refuses of strength, masks and masked images.
class InpaintRequestsTest : public QObject {
    Q_OBJECT

    static void checkRefusal(const std::string& checkpoint,
                             const Refusal& refusal,
                             bool isSeenBefore) {
        ModelBench bench;
        DenoiseRequest request = imageRequest(bench.load(checkpoint));
        refusal.change(request, bench);
        const auto ran = testing::errorOf([&] { (void)denoise(bench, request); });
        QVERIFY(ran);
        QVERIFY2(ran->kind() == ErrorKind::InvalidInput, ran->message().str().c_str());
        QCOMPARE(ran->item(), std::string(refusal.item));
        QVERIFY2(ran->message().str().find(refusal.expected) != std::string::npos,
                 ran->message().str().c_str());
        QVERIFY(!ran->hint().empty());
        if (isSeenBefore) {
            const auto planned = testing::errorOf([&] {
                (void)testing::spec(bench.stages(), testing::known(shapesOf(request), request));
            });
            QVERIFY(planned);
            QCOMPARE(planned->message(), ran->message());
        }
    }

    std::string goldens_;

private Q_SLOTS:

    void initTestCase() { goldens_ = testing::imageGoldenFolder().toStdString(); }

    void denoiseRefuses_data() { testing::addEach(refusals(), &Refusal::row); }

    /// Before the run in the same words.
    void denoiseRefuses() {
        QFETCH(int, index);
        const Refusal refusal = refusals()[static_cast<size_t>(index)];
        const bool isOfAnotherKind = std::string_view(refusal.expected) == "no mask";
        checkRefusal(kMini, refusal, !isOfAnotherKind);
    }

    void fourChannelsRefuse_data() { testing::addEach(blendRefusals(), &Refusal::row); }

    void fourChannelsRefuse() {
        QFETCH(int, index);
        checkRefusal(kMini, blendRefusals()[static_cast<size_t>(index)], true);
    }

    void nineChannelsRefuse_data() { testing::addEach(fillRefusals(), &Refusal::row); }

    void nineChannelsRefuse() {
        QFETCH(int, index);
        const Refusal refusal = fillRefusals()[static_cast<size_t>(index)];
        const bool isOfAnotherKind = std::string_view(refusal.expected) == "no latent image";
        checkRefusal(goldens_ + "/checkpoints/inpaint_1", refusal, !isOfAnotherKind);
    }

    void whatIsRefusedAboveWorksUnbroken() {
        ModelBench bench;
        for (const std::string& checkpoint :
             {std::string(kMini), goldens_ + "/checkpoints/inpaint_1"}) {
            const DenoiseRequest request = imageRequest(bench.load(checkpoint));
            QCOMPARE(latentsOf(denoise(bench, request)).samples().sizes().vec(),
                     latentsOf(request.latent).samples().sizes().vec());
        }
    }

    void everyStrokeReachesItsLatentPixels_data() {
        QTest::addColumn<QRect>("stroke");  // pixels of an image of 32 x 16
        QTest::newRow("between two corners") << QRect(1, 1, 7, 7);
        QTest::newRow("right edge of a block") << QRect(15, 0, 1, 16);
        QTest::newRow("lower edge of a block") << QRect(0, 7, 32, 1);
        QTest::newRow("one pixel") << QRect(12, 12, 1, 1);
        QTest::newRow("last pixel") << QRect(31, 15, 1, 1);
        QTest::newRow("across blocks") << QRect(7, 3, 10, 2);
        QTest::newRow("whole blocks") << QRect(8, 0, 16, 16);
        QTest::newRow("nothing") << QRect(0, 0, 0, 0);
    }

    /// A latent pixel is regenerated where the mask has a pixel of its block; all others are those
    /// of the image, bit for bit.
    void everyStrokeReachesItsLatentPixels() {
        QFETCH(QRect, stroke);
        ModelBench bench;
        DenoiseRequest request = imageRequest(bench.load(kMini));
        const at::Tensor given = at::rand({1, 4, 2, 4});
        request.latent = std::make_shared<const tensor::Latents>(given, tensor::Provenance{});
        at::Tensor mask = at::zeros({1, 1, 16, 32});
        mask.narrow(2, stroke.y(), stroke.height()).narrow(3, stroke.x(), stroke.width()).fill_(1);
        request.mask = maskOf(mask);
        const at::Tensor made = latentsOf(denoise(bench, request)).samples();
        for (int y = 0; y < 2; ++y) {
            for (int x = 0; x < 4; ++x) {
                const bool isMasked = QRect(8 * x, 8 * y, 8, 8).intersects(stroke);
                const bool isKept =
                    at::equal(made.select(2, y).select(2, x), given.select(2, y).select(2, x));
                QVERIFY2(isKept != isMasked, qPrintable(QString("%1, %2").arg(x).arg(y)));
            }
        }
    }

    void nineChannelsSeeAMaskOfNoughtsAndOnes_data() {
        const testing::Rows<double, double> row("level", "seen");
        row("white", 1.0, 1.0);
        row("grey", 0.6, 1.0);
        row("the least", 0.5, 1.0);
        row("faint", 0.4, 0.0);
    }

    /// As diffusers makes it; a mask that is too faint for that is reported.
    void nineChannelsSeeAMaskOfNoughtsAndOnes() {
        QFETCH(double, level);
        QFETCH(double, seen);
        ModelBench bench;
        DenoiseRequest request = imageRequest(bench.load(goldens_ + "/checkpoints/inpaint_1"));
        at::Tensor mask = at::zeros({1, 1, 16, 32});
        mask.select(2, 3).select(2, 15).fill_(level);
        request.mask = maskOf(mask);
        nodes::StageCall call = bench.call("denoise");
        Issues issues;
        call.issue = [&](Issue issue) { issues.push_back(std::move(issue)); };
        bench.record();
        (void)denoise(bench, request, call);
        const std::vector<double> given = bench.recorded().at("model_in.000").values();
        constexpr size_t kMask = 4 * 8;  // behind four channels of 2 x 4 latent pixels
        for (size_t i = 0; i < 8; ++i) {
            QCOMPARE(given.at(kMask + i), i == 1 ? seen : 0.0);
        }
        QCOMPARE(issues.size(), size_t{seen > 0 ? 0U : 1U});
        QVERIFY(issues.empty() || issues.front().code == "mask_faint");
    }

    void strengthTakesTheLastSteps_data() {
        const testing::Rows<int, double, int> row("steps", "strength", "calls");
        // int(steps * strength) of Python
        row("10 x 0.7", 10, 0.7, 7);
        row("100 x 0.29", 100, 0.29, 28);
        row("5 x 0.6", 5, 0.6, 3);
        row("3 x 1", 3, 1.0, 3);
        row("4 x 0.25", 4, 0.25, 1);
    }

    void strengthTakesTheLastSteps() {
        QFETCH(int, steps);
        QFETCH(double, strength);
        QFETCH(int, calls);
        ModelBench bench;
        DenoiseRequest request = imageRequest(bench.load(kMini));
        request.steps = steps;
        request.strength = strength;
        request.cfg = 1;
        int done = 0;
        nodes::StageCall call = bench.call("denoise");
        call.progress = [&](std::string_view, double, double) { ++done; };
        (void)denoise(bench, request, call);
        QCOMPARE(done, calls);
        const memory::StageWork work =
            testing::spec(bench.stages(), testing::known(shapesOf(request), request))
                .dryRun({"cpu"});
        QCOMPARE(work.components.at(0).forwards, int64_t{calls});
    }

    void aStrengthOfNothingGivesTheImageBack_data() {
        QTest::addColumn<bool>("isMasked");
        QTest::newRow("whole") << false;
        QTest::newRow("masked") << true;
    }

    /// As A1111 and ComfyUI: no step is taken, no network runs, and nothing is drawn.
    void aStrengthOfNothingGivesTheImageBack() {
        QFETCH(bool, isMasked);
        ModelBench bench;
        DenoiseRequest request = imageRequest(bench.load(kMini));
        request.latent = std::make_shared<const tensor::Latents>(
            at::rand({1, 4, 2, 4}), tensor::Provenance{}, nullptr, at::rand({1, 4, 2, 4}));
        request.strength = 0;
        if (isMasked) {
            request.mask = maskOf(at::ones({1, 1, 16, 32}));
        }
        bench.record();
        const WireRef result = denoise(bench, request);
        QVERIFY(at::equal(latentsOf(result).samples(), latentsOf(request.latent).samples()));
        QVERIFY(at::equal(latentsOf(result).deviation(), latentsOf(request.latent).deviation()));
        QVERIFY(bench.recorded().empty());
        testing::DenoiseShapes shapes = shapesOf(request);
        shapes.latentKind = std::make_shared<const nodes::LatentSpec>(true);
        const testing::StageSpec spec =
            testing::spec(bench.stages(), testing::known(shapes, request));
        QVERIFY(!spec.components);
        QVERIFY(nodes::isDistribution(spec.output().value));
        QCOMPARE(spec.output().tensors.size(), 2U);
        QVERIFY(spec.dryRun({"cpu"}).components.empty());
    }

    void imageTextHasTheStrength() {
        ModelBench bench;
        DenoiseRequest request = imageRequest(bench.load(kMini));
        const auto textFor = [&] {
            const WireRef latent = denoise(bench, request);
            return bench.stages().parametersText(
                std::make_shared<const tensor::Images>(at::zeros({1, 3, 8, 8}),
                                                       latentsOf(latent).provenance()),
                0);
        };
        QVERIFY(textFor().find("Denoising strength: 0.5, ") != std::string::npos);
        request.strength = 1;
        QVERIFY(textFor().find("Denoising strength") == std::string::npos);
    }
};

LOWTIDE_TEST(InpaintRequestsTest)

}  // namespace inpaint_requests_test

#include "tests/unit/models/known_shapes.hpp"

#include "inpaint_requests_test.moc"
