// Compares DeepCache in the UNet with DeepCacheSDHelper (make_deepcache_goldens.py).

#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/cache_scene.hpp"
#include "tests/unit/models/cached_steps.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include <map>

namespace deepcache_test {

using namespace lowtide;
using nodes::WireRef;
using sampling::StepInfo;
using testing::CachedCalls;
using testing::ModelBench;
using testing::Truth;

namespace {

constexpr const char* kScript = "make_deepcache_goldens.py";
constexpr int kDepths = 13;  ///< of four levels

at::Tensor allTimes() {
    return at::tensor({901, 751, 601, 451, 301, 151}, at::kLong);
}

}  // namespace

class DeepCacheTest : public QObject {
    Q_OBJECT

    std::unique_ptr<Truth> truth_;
    ModelBench bench_;
    std::map<std::string, WireRef> models_;  ///< their vocabularies are large

    CachedCalls steps(const std::string& variant,
                      const std::string& row,
                      const sampling::StepCache* cache,
                      const std::function<void(const StepInfo&)>& afterCall = {}) {
        WireRef& model = models_[variant];
        if (!model) {
            model = bench_.load(truth_->checkpoint(variant));
        }
        const tensor::Conditioning prompt(
            truth_->tensor(variant + ".context"), at::Tensor(), "", -1);
        const testing::GivenCalls given{.prompt = prompt,
                                        .latents = truth_->tensor(variant + ".latents"),
                                        .times = allTimes(),
                                        .residuals = testing::residualsOf(*truth_, variant, row),
                                        .cache = cache,
                                        .afterCall = afterCall};
        CachedCalls made;
        bench_.runWith(model, models::kDenoiser, [&] {
            made = testing::runCalls(bench_, ModelBench::modelOf(model), given);
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
        constexpr int kIntervals[] = {2, 3, 5};
        constexpr const char* kResiduals[] = {"control", "blocks", "all"};
        for (int number = 0; number < 6; ++number) {
            const std::string variant = "sd15_" + std::to_string(number);
            const bool hasResiduals = truth_->has(variant + ".middle");
            for (int depth = 0; depth < kDepths; ++depth) {
                const auto add = [&](const char* row, int interval) {
                    QTest::addRow(
                        "%s, %s, depth %d, interval %d", variant.c_str(), row, depth, interval)
                        << QString::fromStdString(variant) << row << interval << depth;
                };
                for (int i = 0; i < 3; ++i) {  // where time is short, one of each three
                    if (!testing::isFullTest() && (number + depth) % 3 != i) {
                        continue;
                    }
                    add("plain", kIntervals[i]);
                    if (hasResiduals) {
                        add(kResiduals[i], 3);
                    }
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
        const auto cache = testing::deepCacheOf(interval, depth);

        const CachedCalls made = steps(name, row.toStdString(), cache.get());

        const std::string key = row.toStdString() + "." + std::to_string(interval);
        QCOMPARE(testing::helperDisagreement(*truth_, name, key, depth, made), std::string());
    }

    void intervalOneChangesNoBit() {
        const auto cache = testing::deepCacheOf(1, 3);

        const CachedCalls with = steps("sd15_2", "all", cache.get());
        const CachedCalls without = steps("sd15_2", "all", nullptr);

        QVERIFY(at::equal(with.made, without.made));
        QCOMPARE(with.counts, without.counts);
        QCOMPARE(with.counts.mostBytes, Bytes{0});
    }

    void fullStepsHaveTheBitsOfStepsWithoutACache() {
        const auto cache = testing::deepCacheOf(3, 12);

        const CachedCalls with = steps("sd15_3", "all", cache.get());
        const CachedCalls without = steps("sd15_3", "all", nullptr);

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
        const auto cache = testing::deepCacheOf(3, depth);
        testing::KeptWatch watch;
        (void)steps("sd15_3", "all", cache.get(), [&](const StepInfo& info) { watch.look(info); });
        QCOMPARE(watch.untouched(), 4);
    }

    /// Research, 1.4: the error rises with the interval and falls with the depth.
    void whatIsLostFollowsIntervalAndDepth() {
        const CachedCalls exact = steps("sd15_0", "plain", nullptr);
        const auto errorOf = [&](int interval, int depth) {
            const auto cache = testing::deepCacheOf(interval, depth);
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

    void theDryRunPredictsActivationsAndForwards_data() {
        const testing::Rows<int, int, QString, double> row("interval", "depth", "sampler", "cfg");
        row("guided", 3, 1, "ddim", 7.5);
        row("plain, deep", 2, 12, "dpmpp_2m", 1.0);
        row("all full", 1, 0, "euler_a", 7.5);
        row("two stages", 3, 4, "heun", 7.5);
    }

    /// What a session holds is part of it, also in full steps that follow partial ones.
    void theDryRunPredictsActivationsAndForwards() {
        QFETCH(int, interval);
        QFETCH(int, depth);
        QFETCH(QString, sampler);
        QFETCH(double, cfg);
        testing::CacheScene scene({.checkpoint = "sd15_1",
                                   .width = 104,
                                   .height = 72,
                                   .cfg = cfg,
                                   .sampler = sampler.toStdString(),
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
        QCOMPARE(network.others.size(), interval == 1 ? size_t{0} : size_t{1});
        if (interval > 1) {
            QVERIFY(network.pattern(1).size() < network.forward.size());
        }
    }
};

LOWTIDE_TEST(DeepCacheTest)

}  // namespace deepcache_test

#include "deepcache_test.moc"
