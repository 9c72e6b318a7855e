// Block cache and step forecast through the stages: the real UNet, the walk, runs after runs.

#include "plugin/models/denoise_stage.hpp"
#include "plugin/sampling/step_caches/gates/mag_curve.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/picture_bench.hpp"
#include "tests/unit/models/walk_case.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

namespace block_cache_test {

using namespace lowtide;
using models::WireRef;
using testing::ModelBench;
using testing::WalkCase;

namespace {

constexpr int kSteps = 8;

WireRef cacheOf(const char* kind, const Json& settings) {
    return sampling::stepCacheNamed(kind).make(settings);
}

WireRef blockCache(const Json& changes) {
    Json settings = {{"gate", "first_block"},
                     {"threshold", 0.3},
                     {"mask", ""},
                     {"predictor", "reuse"},
                     {"warm_up", 1},
                     {"max_consecutive", 2},
                     {"keep_last", 1}};
    settings.update(changes);
    return cacheOf("block_cache", settings);
}

WireRef forecast(const Json& changes) {
    Json settings = {{"gate", "window"},
                     {"predictor", "taylor"},
                     {"threshold", 1.0},
                     {"start", 0.1},
                     {"end", 0.95},
                     {"window", 2.0},
                     {"window_growth", 0.5},
                     {"warm_up", 2},
                     {"max_consecutive", 0},
                     {"keep_last", 0}};
    settings.update(changes);
    return cacheOf("step_forecast", settings);
}

struct Made {
    at::Tensor samples;
    Json steps;
    Json record;
};

}  // namespace

class BlockCacheTest : public QObject {
    Q_OBJECT

    /// A model on a device with the prompts of one request.
    struct Scene {
        explicit Scene(const WalkCase& walked, memory::DeviceSpec device = {})
            : bench(std::move(device)),
              model(testing::loadModel(bench, walked.checkpoint)),
              request(testing::requestOf(bench, model, walked)),
              shapes(testing::shapesOf(model, walked)) {
            bench.runWith(model, models::kTextEncoder, [&] {
                const auto prompts = testing::encodePrompt(
                    bench.stages(), {.model = model, .prompt = "a red cup"}, bench.call("encode"));
                request.positive = prompts.positive;
                request.negative = prompts.negative;
            });
        }

        /// A cache by the name of a row.
        WireRef cacheNamed(const QString& name) {
            const std::string predictor = name.section(' ', 1).toStdString();
            if (name.startsWith("block")) {
                return blockCache({{"predictor", predictor}});
            }
            if (name.startsWith("mag")) {
                return blockCache({{"gate", "mag"},
                                   {"curve", recordedCurve().dump()},
                                   {"curve_name", "curve.json"},
                                   {"curve_threshold", 0.5},
                                   {"kept_share", 0.0},
                                   {"predictor", predictor}});
            }
            if (name.startsWith("mask")) {
                return blockCache(
                    {{"gate", "mask"}, {"mask", "10010010"}, {"predictor", predictor}});
            }
            return forecast({{"gate", name.startsWith("change") ? "output_change" : "window"},
                             {"predictor", predictor}});
        }

        /// Of the request as it stands.
        Json recordedCurve() {
            const Json record = denoise(cacheOf("mag_record", Json::object())).record;
            return sampling::toJson(
                sampling::MagCurve{.checkpoint = record.at("checkpoint").get<std::string>(),
                                   .scheduler = record.at("scheduler").get<std::string>(),
                                   .ratios = record.at("ratios").get<std::vector<double>>(),
                                   .check = {.runs = 1}});
        }

        Made denoise(WireRef cache) {
            request.stepCache = std::move(cache);
            Made made;
            models::StageCall call = bench.call("denoise");
            call.tell = [&](std::string_view name, Json facts) {
                (name == "steps" ? made.steps : made.record) = std::move(facts);
            };
            WireRef latents;
            bench.runWith(model, models::kDenoiser, [&] {
                latents = bench.stages().run(request, call).front();
            });
            made.samples = testing::PictureBench::samplesOf(latents);
            return made;
        }

        ModelBench bench;
        WireRef model;
        models::DenoiseRequest request;
        testing::DenoiseShapes shapes;
    };

    static void addCaches() {
        QTest::addColumn<QString>("cache");
        for (const char* name : {"block reuse",
                                 "block taylor",
                                 "mag reuse",
                                 "mag taylor",
                                 "mask reuse",
                                 "mask taylor",
                                 "window reuse",
                                 "window taylor",
                                 "window spectrum",
                                 "change reuse",
                                 "change taylor"}) {
            QTest::newRow(name) << name;
        }
    }

private Q_SLOTS:

    /// The first block of a UNet is its first level: what DeepCache cuts at depth 2. The second
    /// level has other widths here, so the value itself is kept and not what it adds.
    void aMaskIsDeepCacheOfDepthTwo() {
        Scene scene({.checkpoint = "sd15_1", .steps = kSteps});

        const Made deep = scene.denoise(
            cacheOf("deepcache",
                    {{"interval", 3}, {"depth", 2}, {"schedule", "mask"}, {"mask", "10010010"}}));
        const Made block =
            scene.denoise(blockCache({{"gate", "mask"}, {"mask", "10010010"}, {"keep_last", 0}}));

        QVERIFY(at::equal(block.samples, deep.samples));
        QCOMPARE(block.steps, deep.steps);
    }

    void runsAreEqual_whateverCameBefore_data() { addCaches(); }

    void runsAreEqual_whateverCameBefore() {
        QFETCH(QString, cache);
        Scene scene({.steps = kSteps});
        const WireRef kept = scene.cacheNamed(cache);
        const Made without = scene.denoise(nullptr);

        const Made first = scene.denoise(kept);
        scene.request.cfg = 1;
        (void)scene.denoise(kept);
        scene.request.cfg = 7.5;
        const Made second = scene.denoise(kept);

        QVERIFY(at::equal(first.samples, second.samples));
        QCOMPARE(first.steps, second.steps);
        QCOMPARE(first.steps.at("bytes_after"), Json(0));
        QVERIFY(first.steps.at("full").get<int>() < kSteps);
        QVERIFY(!at::equal(first.samples, without.samples));
    }

    void settingsThatDoNothingChangeNoBit() {
        Scene scene({.steps = kSteps});
        const Made without = scene.denoise(nullptr);
        for (const WireRef& cache : {blockCache({{"threshold", 0}}),
                                     blockCache({{"gate", "mask"}, {"mask", "11111111"}}),
                                     blockCache({{"threshold", 1e-12}}),
                                     forecast({{"window", 1.0}, {"window_growth", 0.0}}),
                                     forecast({{"gate", "output_change"}, {"threshold", 0}})}) {
            const Made with = scene.denoise(cache);

            QVERIFY(at::equal(with.samples, without.samples));
            QCOMPARE(with.steps.at("full"), Json(kSteps));
        }
    }

    void recordingChangesNoBit() {
        Scene scene({.steps = kSteps});
        const Made without = scene.denoise(nullptr);

        const Made with = scene.denoise(cacheOf("mag_record", Json::object()));

        QVERIFY(at::equal(with.samples, without.samples));
        QVERIFY(without.record.is_null());
        QCOMPARE(with.steps.at("full"), Json(kSteps));
        QCOMPARE(with.steps.at("bytes_after"), Json(0));
        QCOMPARE(with.record.at("ratios").size(), static_cast<size_t>(kSteps));
    }

    void theWalkHoldsRecordersToo() {
        Scene scene({.checkpoint = "sd15_1",
                     .width = 104,
                     .height = 72,
                     .batch = 2,
                     .sampler = "euler",
                     .steps = kSteps},
                    {.kind = "fake"});

        (void)scene.denoise(cacheOf("mag_record", Json::object()));

        const memory::StageWork work = scene.bench.stages()
                                           .outline(testing::known(scene.shapes, scene.request))
                                           .walk({"fake"});
        QVERIFY2(work.activations >= scene.bench.activationPeak(),
                 qPrintable(
                     QString("%1 of %2").arg(work.activations).arg(scene.bench.activationPeak())));
    }

    void theWalkPredictsActivations_data() { addCaches(); }

    void theWalkPredictsActivations() {
        QFETCH(QString, cache);
        Scene scene({.checkpoint = "sd15_1",
                     .width = 104,
                     .height = 72,
                     .batch = 2,
                     .sampler = "euler",
                     .steps = kSteps},
                    {.kind = "fake"});

        (void)scene.denoise(scene.cacheNamed(cache));

        const memory::StageWork work = scene.bench.stages()
                                           .outline(testing::known(scene.shapes, scene.request))
                                           .walk({"fake"});
        QCOMPARE(work.activations, scene.bench.activationPeak());
    }
};

LOWTIDE_TEST(BlockCacheTest)

}  // namespace block_cache_test

#include "block_cache_test.moc"
