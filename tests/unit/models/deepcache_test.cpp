// DeepCache in the UNet beside DeepCacheSDHelper (make_deepcache_goldens.py).

#include "plugin/models/denoise_stage.hpp"
#include "plugin/models/denoisers/unet2d_residuals.hpp"
#include "plugin/models/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/sampling/step_caches/cache_scope.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"
#include "tests/unit/models/truth.hpp"
#include "tests/unit/models/walk_case.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include <array>

namespace deepcache_test {

using namespace lowtide;
using models::UNetResiduals;
using models::WireRef;
using sampling::CacheScope;
using sampling::StepInfo;
using testing::ModelBench;
using testing::Truth;
using testing::WalkCase;

namespace {

constexpr const char* kScript = "make_deepcache_goldens.py";
constexpr std::array<int64_t, 6> kTimesteps = {901, 751, 601, 451, 301, 151};
constexpr int kDepths = 13;  ///< of four levels

std::shared_ptr<const sampling::StepCache> cacheOf(int interval, int depth) {
    return sampling::stepCacheNamed("deepcache").make({{"interval", interval}, {"depth", depth}});
}

sampling::CachedRun runOf(const models::Model& model) {
    return {.scheduleCalls = static_cast<int>(kTimesteps.size()),
            .stages = std::vector<int>(kTimesteps.size(), 0),
            .points = model.info().cachePoints};
}

std::vector<at::Tensor> listIn(const Truth& truth, const std::string& prefix) {
    std::vector<at::Tensor> list;
    for (size_t i = 0; truth.has(prefix + std::to_string(i)); ++i) {
        list.push_back(truth.tensor(prefix + std::to_string(i)));
    }
    return list;
}

UNetResiduals residualsOf(const Truth& truth, const std::string& variant, const std::string& row) {
    UNetResiduals residuals;
    if (row == "control" || row == "all") {
        residuals.skips = listIn(truth, variant + ".skip.");
        residuals.middle = truth.tensor(variant + ".middle");
    }
    if (row == "blocks" || row == "all") {
        residuals.blocks = listIn(truth, variant + ".block.");
    }
    if (row == "all") {
        residuals.blocks.push_back(truth.tensor(variant + ".extra"));
    }
    return residuals;
}

/// What the network is given in every step, and what it made of it.
struct Steps {
    at::Tensor latents;  ///< [steps, N, C, h, w]
    at::Tensor made;
    std::vector<int64_t> isFull;
    sampling::StepCounts counts;
};

/// The denoiser of `model` in every step on the given latents, as the sampler's loop runs it.
Steps runSteps(residency::WeightSource& weights,
               const models::Model& model,
               const tensor::Conditioning& prompt,
               const at::Tensor& latents,
               const UNetResiduals& residuals,
               const sampling::StepCache* cache,
               const std::function<void(const StepInfo&)>& afterCall = {}) {
    models::StageContext context{weights, tensor::Record(nullptr)};
    const auto denoiser =
        model.makeDenoiser(context,
                           {.positive = prompt,
                            .negative = nullptr,
                            .batch = latents.size(1),
                            .cfg = 1,
                            .residuals = [&](const auto&, const auto&, const auto&, const auto*) {
                                return residuals;
                            }});
    CacheScope scope(cache, runOf(model));
    Steps steps{.latents = latents};
    std::vector<at::Tensor> made;
    for (int step = 0; step < latents.size(0); ++step) {
        StepInfo info{.step = step, .stepCount = static_cast<int>(latents.size(0)), .taken = step};
        const at::Tensor input = latents[step];
        scope.decide(info, input, 0);
        made.push_back(denoiser->predict(
            input, at::scalar_tensor(kTimesteps.at(static_cast<size_t>(step)), at::kLong), info));
        scope.finish(info, input, made.back());
        if (afterCall) {
            afterCall(info);
        }
        steps.isFull.push_back(info.decision.work == sampling::StepWork::Full ? 1 : 0);
    }
    steps.made = at::stack(made);
    steps.counts = scope.end();
    return steps;
}

}  // namespace

class DeepCacheTest : public QObject {
    Q_OBJECT

    std::unique_ptr<Truth> truth_;
    ModelBench bench_;
    std::function<void(const StepInfo&)> afterCall_;  ///< of the network

    Steps steps(const std::string& variant,
                const std::string& row,
                const sampling::StepCache* cache) {
        const WireRef model = bench_.load(testing::goldenCheckpoint(variant));
        const tensor::Conditioning prompt(
            truth_->tensor(variant + ".context"), at::Tensor(), "", -1);
        Steps made;
        bench_.runWith(model, models::kDenoiser, [&] {
            made = runSteps(bench_.residency(),
                            ModelBench::modelOf(model),
                            prompt,
                            truth_->tensor(variant + ".latents"),
                            residualsOf(*truth_, variant, row),
                            cache,
                            afterCall_);
        });
        return made;
    }

private Q_SLOTS:

    void initTestCase() {
        truth_ = std::make_unique<Truth>(kScript, "seeded");
        at::set_num_threads(1);  // small networks: threads would wait for each other
    }

    void predictsWhatTheHelperDoes_data() {
        QTest::addColumn<QString>("variant");
        QTest::addColumn<QString>("row");
        QTest::addColumn<int>("interval");
        QTest::addColumn<int>("depth");
        const std::vector<std::string> rows = {"control", "blocks", "all"};
        for (const char* variant : {"sd15_0", "sd15_1", "sd15_2", "sd15_3", "sd15_4", "sd15_5"}) {
            const bool hasResiduals = truth_->has(std::string(variant) + ".middle");
            for (int depth = 0; depth < kDepths; ++depth) {
                const auto add = [&](const char* row, int interval) {
                    QTest::addRow("%s, %s, depth %d, interval %d", variant, row, depth, interval)
                        << variant << row << interval << depth;
                };
                for (const int interval : {2, 3, 5}) {
                    add("plain", interval);
                }
                for (const std::string& row : hasResiduals ? rows : std::vector<std::string>()) {
                    add(row.c_str(), 3);
                }
            }
        }
    }

    void predictsWhatTheHelperDoes() {
        QFETCH(QString, variant);
        QFETCH(QString, row);
        QFETCH(int, interval);
        QFETCH(int, depth);
        const std::string name = variant.toStdString();
        const auto cache = cacheOf(interval, depth);

        const Steps made = steps(name, row.toStdString(), cache.get());

        const std::string key = name + "." + row.toStdString() + "." + std::to_string(interval) +
                                "." + std::to_string(depth);
        QCOMPARE(truth_->disagreement(key, made.made), std::string());
        const at::Tensor full = truth_->tensor(name + ".full." + std::to_string(interval));
        const std::vector<int64_t> expected(full.const_data_ptr<int64_t>(),
                                            full.const_data_ptr<int64_t>() + full.numel());
        QCOMPARE(made.isFull, expected);
        QCOMPARE(made.counts.full, full.sum().item<int64_t>());
        QCOMPARE(made.counts.partial, static_cast<int64_t>(kTimesteps.size()) - made.counts.full);
        QVERIFY(made.counts.misses.empty());
        QVERIFY(made.counts.mostBytes > 0);
        QCOMPARE(made.counts.bytesAfter, Bytes{0});
    }

    /// As an adapter that comes and goes between two runs.
    void patchesBetweenRunsChangeNothing() {
        ModelBench bench({.kind = "fake"});
        const WireRef model = bench.load(testing::goldenCheckpoint("sd15_2"));
        const auto tree = ModelBench::modelOf(model).tree(models::kDenoiser);
        const auto cache = cacheOf(3, 4);
        const auto made = [&] {
            Steps steps;
            bench.runWith(model, models::kDenoiser, [&] {
                const c10::Device there = bench.residency().torchDeviceOf(*tree);
                steps = runSteps(bench.residency(),
                                 ModelBench::modelOf(model),
                                 {truth_->tensor("sd15_2.context"), at::Tensor(), "", -1},
                                 tensor::upload(truth_->tensor("sd15_2.latents"), there),
                                 {},
                                 cache.get());
                steps.made = tensor::spill(steps.made);
            });
            return steps;
        };
        const Steps first = made();
        const uint64_t epoch = bench.residency().patchEpoch(*tree);

        bench.residency().setPatches(
            *tree, {{.weight = 0, .add = [](at::Tensor& weight) { weight.mul_(1.5); }}});
        const Steps patched = made();
        bench.residency().setPatches(*tree, {});
        const Steps again = made();

        QVERIFY(!at::equal(patched.made, first.made));
        QVERIFY(at::equal(again.made, first.made));
        QCOMPARE(patched.counts, first.counts);
        QCOMPARE(again.counts, first.counts);
        QCOMPARE(bench.residency().patchEpoch(*tree), epoch + 2);
    }

    void intervalOneChangesNoBit() {
        const auto cache = cacheOf(1, 3);

        const Steps with = steps("sd15_2", "all", cache.get());
        const Steps without = steps("sd15_2", "all", nullptr);

        QVERIFY(at::equal(with.made, without.made));
        QCOMPARE(with.counts, without.counts);
        QCOMPARE(with.counts.mostBytes, Bytes{0});
    }

    void fullStepsHaveTheBitsOfStepsWithoutACache() {
        const auto cache = cacheOf(3, 12);

        const Steps with = steps("sd15_3", "all", cache.get());
        const Steps without = steps("sd15_3", "all", nullptr);

        for (const int step : {0, 3}) {
            QVERIFY(at::equal(with.made[step], without.made[step]));
            QVERIFY(!at::equal(with.made[step + 1], without.made[step + 1]));
        }
    }

    void whatIsKeptIsNeverWrittenTo_data() {
        QTest::addColumn<int>("depth");
        for (const int depth : {0, 1, 6, 11, 12}) {
            QTest::addRow("depth %d", depth) << depth;
        }
    }

    /// The helper's `sample += residual` piles residuals up in what is kept behind the middle, and
    /// FreeU writes into it.
    void whatIsKeptIsNeverWrittenTo() {
        QFETCH(int, depth);
        std::vector<at::Tensor> kept;
        std::vector<at::Tensor> copies;
        int looked = 0;
        afterCall_ = [&](const StepInfo& info) {
            if (info.decision.work == sampling::StepWork::Full) {
                kept = info.decision.cache->inner()->held();
                copies.clear();
                for (const at::Tensor& tensor : kept) {
                    copies.push_back(tensor.clone());
                }
                return;
            }
            for (size_t i = 0; i < kept.size(); ++i, ++looked) {
                QVERIFY(at::equal(kept[i], copies[i]));
            }
        };
        const auto cache = cacheOf(3, depth);
        (void)steps("sd15_3", "all", cache.get());
        afterCall_ = {};
        QCOMPARE(looked, 4);
    }

    /// Research, 1.4: the error rises with the interval and falls with the depth.
    void whatIsLostFollowsIntervalAndDepth() {
        const Steps exact = steps("sd15_0", "plain", nullptr);
        const auto errorOf = [&](int interval, int depth) {
            const auto cache = cacheOf(interval, depth);
            const at::Tensor made = steps("sd15_0", "plain", cache.get()).made;
            return (at::norm(made - exact.made) / at::norm(exact.made)).item<double>();
        };

        const std::vector<double> byInterval = {errorOf(2, 1), errorOf(3, 1), errorOf(6, 1)};
        const std::vector<double> byDepth = {
            errorOf(3, 0), errorOf(3, 3), errorOf(3, 6), errorOf(3, 9)};

        QVERIFY(byInterval[0] > 0 && byInterval[0] < byInterval[1] &&
                byInterval[1] < byInterval[2]);
        QVERIFY(byDepth[0] > byDepth[1] && byDepth[1] > byDepth[2] && byDepth[2] > byDepth[3]);
    }

    void theWalkPredictsActivationsAndPasses_data() {
        QTest::addColumn<int>("interval");
        QTest::addColumn<int>("depth");
        QTest::addColumn<QString>("sampler");
        QTest::addColumn<double>("cfg");
        QTest::newRow("guided") << 3 << 1 << "ddim" << 7.5;
        QTest::newRow("plain, deep") << 2 << 12 << "dpmpp_2m" << 1.0;
        QTest::newRow("all full") << 1 << 0 << "euler_a" << 7.5;
        QTest::newRow("two stages") << 3 << 4 << "heun" << 7.5;
    }

    /// What a session holds is part of it, also in full steps that follow partial ones.
    void theWalkPredictsActivationsAndPasses() {
        QFETCH(int, interval);
        QFETCH(int, depth);
        QFETCH(QString, sampler);
        QFETCH(double, cfg);
        const WalkCase walked{.checkpoint = "sd15_1",
                              .width = 104,
                              .height = 72,
                              .batch = 2,
                              .cfg = cfg,
                              .sampler = sampler.toStdString(),
                              .steps = 7};
        ModelBench bench({.kind = "fake"});
        const WireRef model = testing::loadModel(bench, walked.checkpoint);
        models::DenoiseRequest request = testing::requestOf(bench, model, walked);
        request.stepCache = cacheOf(interval, depth);
        const testing::DenoiseShapes shapes = testing::shapesOf(model, walked);
        bench.runWith(model, models::kTextEncoder, [&] {
            const auto prompts = testing::encodePrompt(
                bench.stages(), {.model = model, .prompt = "a"}, bench.call("encode"));
            request.positive = prompts.positive;
            request.negative = prompts.negative;
        });
        Json told;
        models::StageCall call = bench.call("denoise");
        call.tell = [&](std::string_view, Json facts) { told = std::move(facts); };
        bench.runWith(
            model, models::kDenoiser, [&] { (void)bench.stages().run(request, call).front(); });

        const memory::StageWork work =
            bench.stages().outline(testing::known(shapes, request)).walk({"fake"});

        QCOMPARE(work.activations, bench.activationPeak());
        const memory::ComponentWork& network = work.components.at(0);
        const int64_t partial = std::count_if(network.sequence.begin(),
                                              network.sequence.end(),
                                              [](const auto& hint) { return hint.pattern == 1; });
        QCOMPARE(told.at("partial"), Json(partial));
        QCOMPARE(told.at("full"), Json(network.passes - partial));
        QCOMPARE(network.others.size(), interval == 1 ? size_t{0} : size_t{1});
        if (interval > 1) {
            QVERIFY(network.pattern(1).size() < network.pass.size());
        }
    }
};

LOWTIDE_TEST(DeepCacheTest)

}  // namespace deepcache_test

#include "deepcache_test.moc"
