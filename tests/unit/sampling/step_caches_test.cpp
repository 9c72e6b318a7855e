#include "plugin/sampling/denoise_loop.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/sampling/step_caches/cache_scope.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace lowtide::sampling::step_caches_test {

namespace {

/// A network with one cut: an outer part that every step computes and an inner one that a partial
/// step takes from a step before. Remembers what it did.
class CutNetwork : public Denoiser {
public:
    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor& timestep,
                       const StepInfo& step) override {
        if (beforeCall) {
            beforeCall(step);
        }
        CachedCall cached(step, CacheKey::of(latents, model));
        const at::Tensor outer = at::sin(latents * 0.7) + timestep.to(at::kFloat) / 1000;
        const bool isPartial = cached.isReused(outer);
        const at::Tensor inner = isPartial ? cached.value(outer) : at::cos(outer * 3);
        if (!isPartial) {
            cached.keep(outer, inner);
        }
        partial.push_back(isPartial);
        cached.finish(isPartial ? StepWork::Partial : StepWork::Full);
        return outer + inner * 0.5;
    }

    std::string model = "network";
    std::function<void(const StepInfo&)> beforeCall;
    std::vector<bool> partial;
};

const Json kConfig = {{"beta_schedule", "scaled_linear"},
                      {"beta_start", 0.00085},
                      {"beta_end", 0.012},
                      {"clip_sample", false}};
constexpr CachePoints kPoints{.deepest = 12};

std::shared_ptr<const StepCache> deepCache(Json settings) {
    return stepCacheNamed("deepcache").make(std::move(settings));
}

struct RunSettings {
    std::string sampler = "ddim";
    int steps = 12;
    int startStep = 0;
    double guidance = 7.5;
    at::Tensor latents = at::zeros({1, 4, 5, 6});
};

DenoiseResult run(const RunSettings& settings,
                  Denoiser& network,
                  std::shared_ptr<const StepCache> cache) {
    const auto sampler =
        samplerNamed(settings.sampler, kConfig).make(kConfig, {.steps = settings.steps});
    return denoise(*sampler,
                   network,
                   settings.latents,
                   {.guidanceScale = settings.guidance,
                    .seed = 5,
                    .part = {.startStep = settings.startStep},
                    .scheduleKey = "key",
                    .cache = std::move(cache),
                    .cachePoints = kPoints},
                   nullptr,
                   StopToken(),
                   tensor::Record(nullptr),
                   [](int, int) {});
}

/// What the helper does: its state belongs to what outlives runs, and a run that does not reset it
/// goes on where the last one ended.
class StateOfTheNode final : public StepCache {
public:
    [[nodiscard]] std::string label() const override { return "outlives runs"; }

    [[nodiscard]] CacheSessions begin(const CachedRun&) const override {
        CacheSessions sessions;
        sessions.inner = std::make_unique<Session>(kept_, calls_);
        return sessions;
    }

private:
    class Session final : public InnerSession {
    public:
        Session(std::map<CacheSlot, at::Tensor>& kept, int& calls) : kept_(kept), calls_(calls) {}

        [[nodiscard]] StepWork decide(const StepInfo&) const override {
            return calls_++ % 9 == 0 ? StepWork::Full : StepWork::Partial;
        }

        [[nodiscard]] int depth() const override { return 0; }

        void keep(const StepInfo& step, const at::Tensor&, const at::Tensor& value) override {
            kept_[step.slot] = value;
        }

        [[nodiscard]] at::Tensor value(const StepInfo& step, const at::Tensor&) const override {
            return kept_.at(step.slot);
        }

        void makeSpace(const CacheSlot&) override {}

        void forget(const CacheSlot&) override {}

        [[nodiscard]] std::vector<at::Tensor> held() const override {
            std::vector<at::Tensor> tensors;
            for (const auto& [slot, tensor] : kept_) {
                tensors.push_back(tensor);
            }
            return tensors;
        }

    private:
        std::map<CacheSlot, at::Tensor>& kept_;
        int& calls_;
    };

    mutable std::map<CacheSlot, at::Tensor> kept_;
    mutable int calls_ = 0;
};

/// Whether three runs with one cache are the same: latents, counts, and nothing is left over.
bool runsAreEqual(const std::shared_ptr<const StepCache>& cache) {
    CutNetwork network;
    const DenoiseResult first = run({}, network, cache);
    bool isEqual = first.steps.bytesAfter == 0;
    for (int again = 0; again < 2; ++again) {
        const DenoiseResult next = run({}, network, cache);
        isEqual = isEqual && at::equal(first.latents, next.latents) && first.steps == next.steps;
    }
    return isEqual;
}

/// A scope over a run of `calls` with every second call partial, in its call `taken`.
class OneScope {
public:
    OneScope() : scope_(deepCache({{"interval", 2}}).get(), cachedRun()) {}

    static CachedRun cachedRun() {
        return {.scheduleCalls = 8, .stages = std::vector<int>(8, 0), .points = kPoints};
    }

    /// Decides the next call, gives it to `network`, and compares.
    StepInfo call(Denoiser& network, const at::Tensor& input, uint64_t prompts = 0) {
        StepInfo info{.step = taken_, .stepCount = 8, .taken = taken_};
        ++taken_;
        scope_.decide(info, input, prompts);
        const at::Tensor made = network.predict(input, at::scalar_tensor(9, at::kLong), info);
        scope_.finish(info, input, made);
        return info;
    }

    StepCounts end() { return scope_.end(); }

private:
    CacheScope scope_;
    int taken_ = 0;
};

using Change = std::function<void(CutNetwork&, at::Tensor&)>;

struct Difference {
    const char* reason;
    Change change;
};

std::vector<Difference> differences() {
    return {{"shape",
             [](CutNetwork&, at::Tensor& input) {
                 input = at::cat({input, input});
             }},
            {"dtype", [](CutNetwork&, at::Tensor& input) { input = input.to(at::kDouble); }},
            {"device", [](CutNetwork&, at::Tensor& input) { input = input.to(at::kMeta); }},
            {"model", [](CutNetwork& network, at::Tensor&) { network.model = "another"; }}};
}

/// Does all of its work whatever was granted.
class Disobedient final : public Denoiser {
public:
    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor&,
                       const StepInfo& step) override {
        CachedCall cached(step, CacheKey::of(latents, "network"));
        cached.keep(latents, latents + 1);
        cached.finish(StepWork::Full);
        return latents;
    }
};

/// Does not ask what it is granted.
class Deaf final : public Denoiser {
public:
    at::Tensor predict(const at::Tensor& latents, const at::Tensor&, const StepInfo&) override {
        return latents;
    }
};

/// Looks at how many tensors the session holds once its work is granted.
class Watching final : public Denoiser {
public:
    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor&,
                       const StepInfo& step) override {
        CachedCall cached(step, CacheKey::of(latents, "network"));
        held.push_back(step.decision.cache->inner()->held().size());
        const bool isPartial = cached.isReused(latents);
        if (!isPartial) {
            cached.keep(latents, latents + 1);
        }
        cached.finish(isPartial ? StepWork::Partial : StepWork::Full);
        return latents;
    }

    std::vector<size_t> held;
};

}  // namespace

class StepCachesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void runsAreEqual_whateverCameBefore() { QVERIFY(runsAreEqual(deepCache({{"interval", 3}}))); }

    /// The same check fails where state outlives a run, as the helper's does.
    void runsDiffer_whereStateOutlivesThem() {
        QVERIFY(!runsAreEqual(std::make_shared<const StateOfTheNode>()));
    }

    void anInterruptedRunLeavesNothing() {
        const auto cache = deepCache({{"interval", 3}});
        CutNetwork network;
        const DenoiseResult expected = run({}, network, cache);
        for (const int failing : {0, 1, 4, 11}) {
            CutNetwork broken;
            broken.beforeCall = [&](const StepInfo& step) {
                if (step.taken == failing) {
                    throw std::runtime_error("stop");
                }
            };
            QVERIFY_EXCEPTION_THROWN((void)run({}, broken, cache), std::runtime_error);

            const DenoiseResult after = run({}, network, cache);

            QVERIFY(at::equal(after.latents, expected.latents));
            QCOMPARE(after.steps, expected.steps);
        }
    }

    void otherRunsBetweenChangeNothing() {
        const auto cache = deepCache({{"interval", 3}});
        CutNetwork network;
        const DenoiseResult expected = run({}, network, cache);
        for (const RunSettings& between : {RunSettings{.latents = at::zeros({2, 4, 5, 6})},
                                           RunSettings{.latents = at::zeros({1, 4, 9, 6})},
                                           RunSettings{.guidance = 1},
                                           RunSettings{.startStep = 5},
                                           RunSettings{.sampler = "heun"}}) {
            (void)run(between, network, cache);

            const DenoiseResult after = run({}, network, cache);

            QVERIFY(at::equal(after.latents, expected.latents));
            QCOMPARE(after.steps, expected.steps);
        }
    }

    void intervalOneChangesNoBit() {
        CutNetwork network;
        const DenoiseResult without = run({}, network, nullptr);
        const DenoiseResult with = run({}, network, deepCache({{"interval", 1}}));
        QVERIFY(at::equal(with.latents, without.latents));
        QCOMPARE(with.steps, without.steps);
        QCOMPARE(without.steps.full, 12);
    }

    void countsOfSamplers_data() {
        const testing::Rows<QString, QString, int, int, int> row(
            "sampler", "stages", "start", "full", "partial");
        // Heun takes 23 calls for 12 steps, PNDM 13; the helper does 1 full of 19 and 4 of 19.
        row("one call a step", "ddim", "calls", 0, 6, 6);
        row("from step 3", "ddim", "calls", 3, 5, 4);
        row("two stages", "heun", "calls", 0, 12, 11);
        row("first stages full", "heun", "first_full", 0, 12, 11);
        row("a repeated timestep", "pndm", "calls", 0, 7, 6);
        row("no stages to be full", "euler", "first_full", 0, 6, 6);
    }

    void countsOfSamplers() {
        QFETCH(QString, sampler);
        QFETCH(QString, stages);
        QFETCH(int, start);
        QFETCH(int, full);
        QFETCH(int, partial);
        CutNetwork network;
        const auto cache = deepCache({{"interval", 2}, {"stages", stages.toStdString()}});

        const DenoiseResult made =
            run({.sampler = sampler.toStdString(), .startStep = start}, network, cache);

        QCOMPARE(made.steps.full, full);
        QCOMPARE(made.steps.partial, partial);
        QCOMPARE(std::count(network.partial.begin(), network.partial.end(), true), partial);
        QVERIFY(made.steps.misses.empty());
        QVERIFY(!network.partial.front());
        if (stages == "first_full" && sampler == "heun") {
            for (size_t call = 0; call < network.partial.size(); ++call) {
                QVERIFY(!network.partial[call] || call % 2 == 1);
            }
        }
    }

    void anotherKeyIsAFullStep_data() { testing::addEach(differences(), &Difference::reason); }

    void anotherKeyIsAFullStep() {
        QFETCH(int, index);
        const Difference difference = differences()[static_cast<size_t>(index)];
        CutNetwork network;
        at::Tensor input = at::ones({1, 2, 3, 3});
        OneScope scope;
        (void)scope.call(network, input);
        difference.change(network, input);

        const StepInfo info = scope.call(network, input);

        QVERIFY(info.decision.work == StepWork::Partial);
        QCOMPARE(network.partial, (std::vector<bool>{false, false}));
        (void)scope.call(network, input);
        (void)scope.call(network, input);
        QCOMPARE(network.partial.back(), true);
        const StepCounts counts = scope.end();
        QCOMPARE(counts.full, 3);
        QCOMPARE(counts.partial, 1);
        QCOMPARE(counts.misses, (std::map<std::string, int64_t>{{difference.reason, 1}}));
        QCOMPARE(counts.bytesAfter, Bytes{0});
    }

    void otherPromptsAreAFullStep() {
        CutNetwork network;
        const at::Tensor input = at::ones({1, 2, 3, 3});
        OneScope scope;
        (void)scope.call(network, input, 7);
        (void)scope.call(network, input, 8);
        (void)scope.call(network, input, 8);
        (void)scope.call(network, input, 8);
        QCOMPARE(network.partial, (std::vector<bool>{false, false, false, true}));
        QCOMPARE(scope.end().misses, (std::map<std::string, int64_t>{{"prompts", 1}}));
    }

    void slotsAreApart() {
        const at::Tensor input = at::ones({1, 2, 3, 3});
        CacheScope scope(deepCache({{"interval", 2}}).get(), OneScope::cachedRun());
        CutNetwork network;
        for (int taken = 0; taken < 2; ++taken) {
            StepInfo info{.step = taken, .stepCount = 8, .taken = taken};
            scope.decide(info, input, 0);
            for (const uint32_t branch : {0U, 1U}) {
                info.slot.branch = branch;
                const at::Tensor own = input * (1 + static_cast<double>(branch));
                const at::Tensor made = network.predict(own, at::scalar_tensor(9, at::kLong), info);
                CutNetwork alone;
                const at::Tensor expected =
                    alone.predict(own, at::scalar_tensor(9, at::kLong), StepInfo());
                QVERIFY(at::equal(made, expected));
            }
            scope.finish(info, input, input);
        }
        QCOMPARE(network.partial, (std::vector<bool>{false, false, true, true}));
        QCOMPARE(scope.end().partial, 1);
    }

    /// Several denoisers may have one cache, at the same time too: there is nothing to be enabled
    /// twice.
    void runsAtOnceAreApart() {
        const auto cache = deepCache({{"interval", 2}});
        const auto inputOf = [](int run) { return at::full({1, 2, 3, 3}, 0.5 + run); };
        const auto callOf = [&](CacheScope& scope, CutNetwork& network, int taken, int run) {
            StepInfo info{.step = taken, .stepCount = 8, .taken = taken};
            scope.decide(info, inputOf(run), 0);
            at::Tensor made = network.predict(inputOf(run), at::scalar_tensor(9 - taken), info);
            scope.finish(info, inputOf(run), made);
            return made;
        };
        std::vector<at::Tensor> alone;
        for (const int run : {0, 1}) {
            CutNetwork network;
            CacheScope scope(cache.get(), OneScope::cachedRun());
            for (int taken = 0; taken < 4; ++taken) {
                alone.push_back(callOf(scope, network, taken, run));
            }
        }

        CutNetwork networks[2];
        CacheScope first(cache.get(), OneScope::cachedRun());
        CacheScope second(cache.get(), OneScope::cachedRun());
        for (int taken = 0; taken < 4; ++taken) {
            const auto index = static_cast<size_t>(taken);
            QVERIFY(at::equal(callOf(first, networks[0], taken, 0), alone[index]));
            QVERIFY(at::equal(callOf(second, networks[1], taken, 1), alone[4 + index]));
        }
        QCOMPARE(first.end(), second.end());
        QCOMPARE(networks[0].partial, (std::vector<bool>{false, true, false, true}));
    }

    void samplersStateWhetherTheyDraw_data() {
        QTest::addColumn<QString>("name");
        for (const SamplerType& type : samplers()) {
            QTest::newRow(type.name.c_str()) << QString::fromStdString(type.name);
        }
    }

    /// What the table of combinations learns of them.
    void samplersStateWhetherTheyDraw() {
        QFETCH(QString, name);
        const SamplerType& type = samplerNamed(name.toStdString(), kConfig);
        const auto sampler = type.make(kConfig, {.steps = 6});
        bool draws = false;
        at::Tensor latents = at::full({1, 4, 2, 2}, 0.5);
        for (int call = 0; call < sampler->callCount(); ++call) {
            latents = sampler->step(
                at::full({1, 4, 2, 2}, 0.1), call, latents, [&](at::IntArrayRef sizes) {
                    draws = true;
                    return at::zeros(sizes);
                });
        }
        QCOMPARE(type.drawsNoise, draws);
    }

    void otherWorkThanDecidedEndsTheRun() {
        const at::Tensor input = at::ones({1, 2, 3, 3});
        Disobedient network;
        OneScope scope;
        (void)scope.call(network, input);
        const auto error = testing::errorOf([&] { (void)scope.call(network, input); });
        QVERIFY(error && error->kind() == ErrorKind::Internal);
        QVERIFY2(
            error->message().str().find("decided as partial and was full") != std::string::npos,
            error->message().str().c_str());
    }

    void anUnseenCallEndsTheRun() {
        Deaf network;
        OneScope scope;
        const auto error = testing::errorOf([&] {
            (void)scope.call(network, at::ones({1, 2, 3, 3}));
        });
        QVERIFY(error && error->kind() == ErrorKind::Internal);
    }

    /// Else a full step would need space for the old value in addition to its activations.
    void aFullStepHoldsNothingOfTheOneBefore() {
        Watching network;
        OneScope scope;
        for (int call = 0; call < 4; ++call) {
            (void)scope.call(network, at::ones({1, 2, 3, 3}));
        }
        QCOMPARE(network.held, (std::vector<size_t>{0, 1, 0, 1}));
    }

    void whatIsStillAliveIsReported() {
        CutNetwork network;
        at::Tensor leaked;
        OneScope scope;
        network.beforeCall = [&](const StepInfo& step) {
            if (step.taken == 1) {
                leaked = step.decision.cache->inner()->held().front();
            }
        };
        (void)scope.call(network, at::ones({1, 2, 3, 3}));
        (void)scope.call(network, at::ones({1, 2, 3, 3}));
        QCOMPARE(scope.end().bytesAfter, static_cast<Bytes>(leaked.nbytes()));
    }
};

LOWTIDE_TEST(StepCachesTest)

}  // namespace lowtide::sampling::step_caches_test

#include "step_caches_test.moc"
