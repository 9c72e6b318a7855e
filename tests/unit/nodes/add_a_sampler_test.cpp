// The recipe docs/recipes/add_a_sampler.md, followed once: drift.cpp and one line of
// sampler_list.inc. Everything else here is the program.

#include "nodes/node_list.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/dry_run_case.hpp"
#include "tests/unit/models/image_bench.hpp"
#include "tests/unit/models/image_values.hpp"
#include "tests/unit/sampling/denoise_run.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <algorithm>
#include <string>

namespace add_a_sampler_test {

using namespace lowtide;
using nodes::WireRef;
using sampling::denoise_run::run;
using testing::ImageBench;

namespace {

constexpr const char* kDrift = "drift";
constexpr int64_t kSide = 64;  ///< pixels

/// Four steps with guidance; without wires.
testing::DenoiseRequest denoising(const WireRef& model, const std::string& sampler) {
    return {.model = model, .steps = 4, .cfg = 2, .seed = 5, .sampler = sampler};
}

WireRef denoised(ImageBench& bench, const std::string& sampler) {
    const testing::DenoiseRequest prompts = bench.request("a red cat", "blurry");
    testing::DenoiseRequest request = denoising(bench.model(), sampler);
    request.positive = prompts.positive;
    request.negative = prompts.negative;
    request.latent = bench.emptyLatent(kSide, kSide);
    return bench.denoise(request);
}

}  // namespace

class AddASamplerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void theListHasItBehindTheProgramsOwn() {
        QVERIFY(sampling::samplers().size() > 1);
        QCOMPARE(sampling::samplers().back().name, std::string(kDrift));
    }

    void oneLineAddsIt() {
        const QStringList lines =
            QString::fromUtf8(
                testing::contentsOf(testing::sourcePath("tests/unit/nodes/sampler_list.inc")))
                .split('\n');
        QCOMPARE(lines.filter("LOWTIDE_SAMPLER"), QStringList("LOWTIDE_SAMPLER(drift)"));
    }

    void nodesOfferIt_data() {
        QTest::addColumn<QString>("node");
        for (const char* node : {"denoise.sample", "finish.detail"}) {
            QTest::newRow(node) << node;
        }
    }

    void nodesOfferIt() {
        QFETCH(QString, node);
        testing::ModelBench bench;
        const auto types = nodes::makeNodeTypes(bench.stages());
        const auto type = std::ranges::find_if(
            types, [&](const auto& each) { return each.desc.id == node.toStdString(); });
        const auto& choices = graph::findParam(type->desc, "sampler")->choices;
        const auto drift = std::ranges::find(choices, kDrift, &ChoiceDesc::id);

        QVERIFY(drift != choices.end());
        QCOMPARE(drift->label, std::string("Drift"));
    }

    void aCheckpointMayNameItsClass() {
        QCOMPARE(sampling::samplerNamed("checkpoint", Json{{"_class_name", "DriftScheduler"}}).name,
                 std::string(kDrift));
    }

    void aRefusalListsIt() {
        const auto error =
            testing::errorOf([] { (void)sampling::samplerNamed("drifting", Json::object()); });

        QVERIFY(error);
        QVERIFY2(error->hint().str().find("drift, or checkpoint") != std::string::npos,
                 error->what());
    }

    void itDenoises() {
        ImageBench bench(testing::kMini);

        const at::Tensor made = ImageBench::samplesOf(denoised(bench, kDrift));

        QCOMPARE(made.sizes().vec(), (Shape{1, 4, kSide / 8, kSide / 8}));
        QVERIFY(at::isfinite(made).all().item<bool>());
        QVERIFY(!at::equal(made, ImageBench::samplesOf(denoised(bench, "euler"))));
    }

    void twoRangesEqualOneBitForBit() {
        const at::Tensor whole = run(kDrift, {}).result.latents;
        for (int split = 1; split < sampling::denoise_run::kSteps; ++split) {
            const auto first = run(kDrift, {.end = split, .keepNoise = true});
            const auto second = run(kDrift,
                                    {.start = split, .addNoise = false},
                                    first.result.latents,
                                    first.result.carry);
            QVERIFY2(at::equal(second.result.latents, whole),
                     qPrintable(QString("split at %1").arg(split)));
        }
    }

    void theDryRunTakesTheBytesOfTheRun() {
        ImageBench bench(testing::kMini, {.kind = "fake"});
        (void)denoised(bench, kDrift);
        const Bytes taken = bench.bench().activationPeak();

        const testing::StageSpec spec = testing::spec(
            bench.stages(),
            testing::known(testing::shapesOf(bench.model(), {.width = kSide, .height = kSide}),
                           denoising(bench.model(), kDrift)));

        QCOMPARE(spec.dryRun({"fake"}).activations, taken);
    }
};

LOWTIDE_TEST(AddASamplerTest)

}  // namespace add_a_sampler_test

#include "add_a_sampler_test.moc"
