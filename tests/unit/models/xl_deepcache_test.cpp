// Compares DeepCache in the UNets of Stable Diffusion XL with DeepCacheSDHelper
// (make_xl_deepcache_goldens.py): three levels, attention in the first one, a refiner's four, none
// in the middle, the times of EDM.

#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/cache_scene.hpp"
#include "tests/unit/models/cached_steps.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include <algorithm>
#include <map>

namespace xl_deepcache_test {

using namespace lowtide;
using nodes::WireRef;
using sampling::StepInfo;
using testing::CachedCalls;
using testing::ModelBench;
using testing::Truth;

namespace {

constexpr const char* kScript = "make_xl_deepcache_goldens.py";

/// A UNet with the depths that it has.
struct Cuttable {
    const char* checkpoint;
    int deepest;
};

constexpr Cuttable kCuttables[] = {{"sdxl_0", 9},
                                   {"sdxl_1", 9},
                                   {"sdxl_2", 9},
                                   {"playground_1", 9},
                                   {"refiner_0", 12},
                                   // Behind the last unit of the way down nothing is left out.
                                   {"ssd_1", 7}};

/// One prompt as the checkpoint's family states it.
tensor::Conditioning promptOf(const models::Model& model,
                              const Truth& truth,
                              const std::string& checkpoint) {
    return {model.info().conditioning.fields,
            {{.tensors = {{tensor::kEmbeds, truth.tensor(checkpoint + ".context")},
                          {tensor::kPooled, truth.tensor(checkpoint + ".pooled")}},
              .numbers = model.info().conditioning.numbersOf({}, false)}},
            "",
            -1};
}

}  // namespace

class XlDeepCacheTest : public QObject {
    Q_OBJECT

    std::unique_ptr<Truth> truth_;
    ModelBench bench_;
    std::map<std::string, WireRef> models_;  ///< their vocabularies are large

    /// Opened once.
    const WireRef& modelNamed(const std::string& checkpoint) {
        WireRef& model = models_[checkpoint];
        if (!model) {
            model = bench_.load(truth_->checkpoint(checkpoint));
        }
        return model;
    }

    CachedCalls calls(const std::string& checkpoint,
                      const std::string& row,
                      const sampling::StepCache* cache,
                      const std::function<void(const StepInfo&)>& afterCall = {}) {
        const WireRef& model = modelNamed(checkpoint);
        const models::Model& own = ModelBench::modelOf(model);
        const tensor::Conditioning prompt = promptOf(own, *truth_, checkpoint);
        const testing::GivenCalls given{.prompt = prompt,
                                        .latents = truth_->tensor(checkpoint + ".latents"),
                                        .times = truth_->tensor(checkpoint + ".times"),
                                        .residuals = testing::residualsOf(*truth_, checkpoint, row),
                                        .cache = cache,
                                        .afterCall = afterCall};
        CachedCalls made;
        bench_.runWith(
            model, models::kDenoiser, [&] { made = testing::runCalls(bench_, own, given); });
        return made;
    }

private Q_SLOTS:

    void initTestCase() {
        truth_ =
            std::make_unique<Truth>(kScript,
                                    testing::isFullTest() ? "whole" : "covering",
                                    testing::sdxlGoldenFolder().toStdString() + "/checkpoints");
        at::set_num_threads(1);  // small networks: threads would wait for each other
    }

    void everyDepthIsStated_data() {
        const testing::Rows<QString, int> row("checkpoint", "deepest");
        for (const auto& [checkpoint, deepest] : kCuttables) {
            row(checkpoint, checkpoint, deepest);
        }
    }

    void everyDepthIsStated() {
        QFETCH(QString, checkpoint);
        QFETCH(int, deepest);
        const WireRef& model = modelNamed(checkpoint.toStdString());
        QCOMPARE(ModelBench::modelOf(model).info().cachePoints.deepest, deepest);
    }

    void predictsWhatTheHelperDoes_data() {
        const testing::Rows<QString, QString, int, int> add(
            "checkpoint", "row", "interval", "depth");
        int compared = 0;
        for (const auto& [checkpoint, deepest] : kCuttables) {
            for (int depth = 0; depth <= deepest; ++depth) {
                for (const char* row :
                     {"plain.2", "plain.3", "plain.5", "control.3", "blocks.3", "all.3"}) {
                    const std::string key =
                        std::string(checkpoint) + "." + row + "." + std::to_string(depth);
                    if (!truth_->has(key)) {
                        continue;
                    }
                    ++compared;
                    add(key, checkpoint, row, QString(row).section('.', 1).toInt(), depth);
                }
            }
        }
        QCOMPARE(compared, testing::isFullTest() ? 366 : 61);
    }

    /// Each depth of each UNet: alone, and with what a ControlNet and a T2I-Adapter add.
    void predictsWhatTheHelperDoes() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, row);
        QFETCH(int, interval);
        QFETCH(int, depth);
        const std::string name = checkpoint.toStdString();
        const auto cache = testing::deepCacheOf(interval, depth);

        const CachedCalls made = calls(name, row.section('.', 0, 0).toStdString(), cache.get());

        QCOMPARE(testing::helperDisagreement(*truth_, name, row.toStdString(), depth, made),
                 std::string());
    }

    void intervalOneChangesNoBit_data() { everyDepthIsStated_data(); }

    void intervalOneChangesNoBit() {
        QFETCH(QString, checkpoint);
        QFETCH(int, deepest);
        const auto cache = testing::deepCacheOf(1, deepest);

        const CachedCalls with = calls(checkpoint.toStdString(), "all", cache.get());
        const CachedCalls without = calls(checkpoint.toStdString(), "all", nullptr);

        QVERIFY(at::equal(with.made, without.made));
        QCOMPARE(with.counts, without.counts);
        QCOMPARE(with.counts.mostBytes, Bytes{0});
    }

    void whatIsKeptIsNeverWrittenTo_data() {
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<int>("depth");
        for (const auto& [checkpoint, deepest] : kCuttables) {
            for (const int depth : {2, deepest - 1, deepest}) {
                QTest::addRow("%s, depth %d", checkpoint, depth) << checkpoint << depth;
            }
        }
    }

    /// The helper's `sample += residual` piles up behind the middle, from depth 8 on.
    void whatIsKeptIsNeverWrittenTo() {
        QFETCH(QString, checkpoint);
        QFETCH(int, depth);
        const auto cache = testing::deepCacheOf(3, depth);
        testing::KeptWatch watch;
        (void)calls(checkpoint.toStdString(), "all", cache.get(), [&](const StepInfo& info) {
            watch.look(info);
        });
        QCOMPARE(watch.untouched(), 4);
    }

    void theDryRunPredictsActivationsAndForwards_data() {
        const testing::Rows<QString, int, int> row("checkpoint", "interval", "depth");
        row("behind the first level", "sdxl_1", 3, 2);
        row("attention in the first level", "sdxl_2", 2, 1);
        row("the middle alone", "sdxl_0", 3, 9);
        row("EDM", "playground_1", 3, 5);
        row("no middle", "ssd_1", 2, 7);
    }

    /// What a session holds is part of it, and what a partial call leaves where it is.
    void theDryRunPredictsActivationsAndForwards() {
        QFETCH(QString, checkpoint);
        QFETCH(int, interval);
        QFETCH(int, depth);
        testing::CacheScene scene({.checkpoint = checkpoint.toStdString(),
                                   .width = 104,
                                   .height = 72,
                                   .sampler = "checkpoint",
                                   .steps = 7},
                                  {.kind = "fake"});

        const testing::MadeUnderCache made = scene.denoise(testing::deepCacheOf(interval, depth));

        const memory::StageWork work = scene.dryRun();
        QCOMPARE(work.activations, scene.bench.activationPeak());
        const memory::ComponentWork& network = work.components.at(0);
        const int64_t partial = std::count_if(network.sequence.begin(),
                                              network.sequence.end(),
                                              [](const auto& hint) { return hint.pattern == 1; });
        QCOMPARE(made.steps.at("partial"), Json(partial));
        QCOMPARE(made.steps.at("full"), Json(network.forwards - partial));
        QVERIFY(network.pattern(1).size() < network.forward.size());
    }
};

LOWTIDE_TEST(XlDeepCacheTest)

}  // namespace xl_deepcache_test

#include "xl_deepcache_test.moc"
