// Block cache and step forecast through the stages: the real UNet, the dry run, runs after runs.

#include "plugin/sampling/step_caches/gates/mag_curve.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/cache_scene.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <map>
#include <memory>

namespace block_cache_test {

using namespace lowtide;
using nodes::WireRef;
using testing::MadeUnderCache;

namespace {

constexpr int kSteps = 8;

WireRef cacheOf(const char* kind, const Json& settings) {
    return sampling::stepCacheNamed(kind).make(settings);
}

WireRef blockCache(const Json& changes) {
    Json settings = {{"gate", "first_block"},
                     {"threshold", 0.3},
                     {"mask", ""},
                     {"mask_file", ""},
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

/// EDM has samplers of its own.
std::string samplerFor(const QString& checkpoint, const char* otherwise = "ddim") {
    return checkpoint.startsWith("playground") ? "checkpoint" : otherwise;
}

/// A scene whose caches have the names of rows.
struct Scene : testing::CacheScene {
    using CacheScene::CacheScene;

    WireRef cacheNamed(const QString& name) {
        const std::string predictor = name.section(' ', 1).toStdString();
        if (name.startsWith("block")) {
            return blockCache({{"predictor", predictor}, {"threshold", threshold}});
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
            return blockCache({{"gate", "mask"}, {"mask", "10010010"}, {"predictor", predictor}});
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

    double threshold = 0.3;  ///< of a first block
};

/// A checkpoint with what its request makes without a cache.
struct Uncached {
    explicit Uncached(const QString& checkpoint)
        : scene({.checkpoint = checkpoint.toStdString(),
                 .sampler = samplerFor(checkpoint),
                 .steps = kSteps}),
          without(scene.denoise(nullptr)) {}

    Scene scene;
    MadeUnderCache without;
};

}  // namespace

class BlockCacheTest : public QObject {
    Q_OBJECT

    std::map<QString, std::unique_ptr<Uncached>> uncached_;

    Uncached& uncachedOf(const QString& checkpoint) {
        std::unique_ptr<Uncached>& uncached = uncached_[checkpoint];
        if (!uncached) {
            uncached = std::make_unique<Uncached>(checkpoint);
        }
        return *uncached;
    }

    std::map<QString, std::unique_ptr<Scene>> onGpu_;

    Scene& sceneOnGpu(const QString& checkpoint) {
        std::unique_ptr<Scene>& scene = onGpu_[checkpoint];
        if (!scene) {
            scene = std::make_unique<Scene>(
                testing::DryRunCase{.checkpoint = checkpoint.toStdString(),
                                    .width = 104,
                                    .height = 72,
                                    .sampler = samplerFor(checkpoint, "euler"),
                                    .steps = kSteps},
                memory::DeviceSpec{.kind = "fake"});
        }
        return *scene;
    }

    static void addCheckpoints(std::initializer_list<const char*> names) {
        QTest::addColumn<QString>("checkpoint");
        for (const char* name : names) {
            QTest::newRow(name) << name;
        }
    }

    /// Each kind of cache on `checkpoint`, and some on networks of Stable Diffusion XL.
    static void addCaches(const char* checkpoint) {
        QTest::addColumn<QString>("cache");
        QTest::addColumn<QString>("checkpoint");
        const auto add = [](const char* cache, const char* on) {
            QTest::addRow("%s, %s", cache, on) << cache << on;
        };
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
            add(name, checkpoint);
        }
        add("block taylor", "sdxl_1");  // whose random weights change more
        add("mag reuse", "sdxl_2");
        add("mask taylor", "ssd_1");
        add("window spectrum", "sdxl_2");
        add("change reuse", "playground_1");
    }

private Q_SLOTS:

    void aMaskIsDeepCacheOfDepthTwo_data() { addCheckpoints({"sd15_1", "sdxl_2", "refiner_0"}); }

    /// The first block of a UNet is its first level: what DeepCache cuts at depth 2. The second
    /// level has other widths here, so the value itself is kept and not what it adds.
    void aMaskIsDeepCacheOfDepthTwo() {
        QFETCH(QString, checkpoint);
        Scene scene({.checkpoint = checkpoint.toStdString(), .steps = kSteps});

        const MadeUnderCache deep = scene.denoise(
            cacheOf("deepcache",
                    {{"interval", 3}, {"depth", 2}, {"schedule", "mask"}, {"mask", "10010010"}}));
        const MadeUnderCache block =
            scene.denoise(blockCache({{"gate", "mask"}, {"mask", "10010010"}, {"keep_last", 0}}));

        QVERIFY(at::equal(block.samples, deep.samples));
        QCOMPARE(block.steps, deep.steps);
    }

    void runsAreEqual_whateverCameBefore_data() { addCaches("mini"); }

    void runsAreEqual_whateverCameBefore() {
        QFETCH(QString, cache);
        QFETCH(QString, checkpoint);
        auto& [scene, without] = uncachedOf(checkpoint);
        scene.threshold = checkpoint == "sdxl_1" ? 2 : scene.threshold;
        const WireRef kept = scene.cacheNamed(cache);

        const MadeUnderCache first = scene.denoise(kept);
        scene.request.cfg = 1;
        (void)scene.denoise(kept);
        scene.request.cfg = 7.5;
        const MadeUnderCache second = scene.denoise(kept);

        QVERIFY(at::equal(first.samples, second.samples));
        QCOMPARE(first.steps, second.steps);
        QCOMPARE(first.steps.at("bytes_after"), Json(0));
        QVERIFY(first.steps.at("full").get<int>() < kSteps);
        QVERIFY(!at::equal(first.samples, without.samples));
    }

    void settingsThatDoNothingChangeNoBit_data() {
        addCheckpoints({"mini", "sdxl_1", "playground_1"});
    }

    void settingsThatDoNothingChangeNoBit() {
        QFETCH(QString, checkpoint);
        auto& [scene, without] = uncachedOf(checkpoint);
        for (const WireRef& cache : {blockCache({{"threshold", 0}}),
                                     blockCache({{"gate", "mask"}, {"mask", "11111111"}}),
                                     blockCache({{"threshold", 1e-12}}),
                                     forecast({{"window", 1.0}, {"window_growth", 0.0}}),
                                     forecast({{"gate", "output_change"}, {"threshold", 0}})}) {
            const MadeUnderCache with = scene.denoise(cache);

            QVERIFY(at::equal(with.samples, without.samples));
            QCOMPARE(with.steps.at("full"), Json(kSteps));
        }
    }

    void recordingChangesNoBit() {
        auto& [scene, without] = uncachedOf("mini");

        const MadeUnderCache with = scene.denoise(cacheOf("mag_record", Json::object()));

        QVERIFY(at::equal(with.samples, without.samples));
        QVERIFY(without.record.is_null());
        QCOMPARE(with.steps.at("full"), Json(kSteps));
        QCOMPARE(with.steps.at("bytes_after"), Json(0));
        QCOMPARE(with.record.at("ratios").size(), static_cast<size_t>(kSteps));
    }

    /// On a part of a schedule a solver has other levels at the same calls.
    void aCurveOfAWholeScheduleIsNoneForAPartOfIt() {
        Scene scene({.checkpoint = "mini", .sampler = "euler", .steps = kSteps});
        scene.request.schedule = "karras";
        const WireRef mag = scene.cacheNamed("mag reuse");
        (void)scene.denoise(mag);
        scene.request.startStep = kSteps / 2;
        const auto error = testing::errorOf([&] { (void)scene.denoise(mag); });
        QVERIFY(error);
        const std::string part = "steps 4 to 8 of 8";
        QVERIFY2(error->message().str().find(part) != std::string::npos,
                 error->message().str().c_str());
    }

    /// Which a step of SA-Solver has in the middle of a schedule.
    void theDryRunHoldsTheNoiseOfLaterSteps() {
        constexpr int kManySteps = 32;
        Scene scene({.checkpoint = "sd15_1",
                     .width = 104,
                     .height = 72,
                     .sampler = "sa_solver",
                     .steps = kManySteps},
                    memory::DeviceSpec{.kind = "fake"});
        (void)scene.denoise(nullptr);
        const Bytes predicted = scene.dryRun().activations;
        QVERIFY2(predicted >= scene.bench.activationPeak(),
                 qPrintable(QString("%1 of %2").arg(predicted).arg(scene.bench.activationPeak())));
    }

    void theDryRunHoldsRecordersToo() {
        Scene& scene = sceneOnGpu("sd15_1");

        (void)scene.denoise(cacheOf("mag_record", Json::object()));

        const Bytes predicted = scene.dryRun().activations;
        QVERIFY2(predicted >= scene.bench.activationPeak(),
                 qPrintable(QString("%1 of %2").arg(predicted).arg(scene.bench.activationPeak())));
    }

    void theDryRunPredictsActivations_data() { addCaches("sd15_1"); }

    void theDryRunPredictsActivations() {
        QFETCH(QString, cache);
        QFETCH(QString, checkpoint);
        Scene& scene = sceneOnGpu(checkpoint);

        (void)scene.denoise(scene.cacheNamed(cache));

        QCOMPARE(scene.dryRun().activations, scene.bench.activationPeak());
    }
};

LOWTIDE_TEST(BlockCacheTest)

}  // namespace block_cache_test

#include "block_cache_test.moc"
