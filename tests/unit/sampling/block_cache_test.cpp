// The block cache inside a network, call by call, and compared with the recorded calls of the
// reference.

#include "plugin/base/json.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/sampling/cached_forward.hpp"

#include <QtTest>

#include <limits>

namespace lowtide::sampling::block_cache_test {

namespace {

constexpr int kCalls = 12;

Json settings(const Json& changes) {
    Json all = {{"gate", "first_block"},
                {"threshold", 0.1},
                {"mask", ""},
                {"mask_file", ""},
                {"predictor", "reuse"},
                {"warm_up", 0},
                {"max_consecutive", 0},
                {"keep_last", 0}};
    all.update(changes);
    return all;
}

std::shared_ptr<const StepCache> blockCache(const Json& changes = Json::object()) {
    return stepCacheNamed("block_cache").make(settings(changes));
}

struct Made {
    at::Tensor latents;
    StepCounts counts;
    std::string partial;
};

/// Latents that go along with what the network gives.
Made run(const std::shared_ptr<const StepCache>& cache, StackNetwork network = {}) {
    CachedForward forward(*cache, evenSigmas(kCalls));
    at::Tensor latents = at::cos(at::arange(240, at::kFloat)).view({2, 4, 5, 6});
    for (int call = 0; call < kCalls; ++call) {
        latents = latents - forward.call(network, latents) * 0.05;
    }
    return {latents, forward.end(), network.partial};
}

/// Gives the recorded tensors of a golden case and compares what the cache makes of them.
class RecordedNetwork final : public Denoiser {
public:
    RecordedNetwork(const testing::PythonGolden& golden, const std::string& name)
        : in_(golden.tensor(name + "/in")),
          probe_(golden.tensor(name + "/probe")),
          out_(golden.tensor(name + "/out")),
          reused_(golden.tensor(name + "/reused")) {}

    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor&,
                       const StepInfo& step) override {
        const int i = step.taken;
        CachedCall cached(step, CacheKey::of(latents, "wan"));
        cached.enter(in_[i]);
        const bool isReused = cached.isReused(probe_[i]);
        differences += isReused == reused_.const_data_ptr<bool>()[i] ? 0 : 1;
        if (isReused) {
            differences += at::equal(cached.value(probe_[i]), out_[i]) ? 0 : 1;
        } else {
            cached.keep(probe_[i], out_[i]);
        }
        cached.finish(isReused ? StepWork::Partial : StepWork::Full);
        return latents;
    }

    [[nodiscard]] int calls() const { return static_cast<int>(in_.size(0)); }

    int differences = 0;

private:
    at::Tensor in_;
    at::Tensor probe_;
    at::Tensor out_;
    at::Tensor reused_;
};

}  // namespace

class BlockCacheTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void equalsTheReference_data() {
        const testing::Rows<QString, double, int, int> row("name", "threshold", "warmUp", "most");
        const testing::PythonGolden golden(kScript);
        for (const Json& item : parseJson(golden.text("cases"), "cases")) {
            if (item["kind"] == "first_block") {
                const int most =
                    item.contains("most") && !item["most"].is_null() ? item["most"].get<int>() : 0;
                row(item["name"].get<std::string>().c_str(),
                    QString::fromStdString(item["name"].get<std::string>()),
                    item["threshold"].get<double>(),
                    item.value("warmUp", 0),
                    most);
            }
        }
    }

    void equalsTheReference() {
        QFETCH(QString, name);
        QFETCH(double, threshold);
        QFETCH(int, warmUp);
        QFETCH(int, most);
        if (threshold == 0) {
            QVERIFY(!blockCache({{"threshold", 0}})->begin(runOf(4)).inner);
            return;
        }
        RecordedNetwork network(testing::PythonGolden(kScript), name.toStdString());
        const auto cache =
            blockCache({{"threshold", threshold}, {"warm_up", warmUp}, {"max_consecutive", most}});
        CachedForward forward(*cache, evenSigmas(network.calls()));
        for (int call = 0; call < network.calls(); ++call) {
            (void)forward.call(network, at::zeros({1, 4, 8, 6}));
        }

        QCOMPARE(network.differences, 0);
    }

    void runsAreEqual_andNothingIsLeft() {
        for (const char* predictor : {"reuse", "taylor"}) {
            const auto cache = blockCache({{"predictor", predictor}});
            const Made first = run(cache);
            QVERIFY(first.counts.partial > 2);
            for (int again = 0; again < 2; ++again) {
                const Made next = run(cache);
                QVERIFY(at::equal(next.latents, first.latents));
                QCOMPARE(next.counts, first.counts);
                QCOMPARE(next.counts.bytesAfter, Bytes{0});
            }
        }
    }

    void holdsWhatIsKnownBefore() {
        const Bytes one = 240 * 4;
        // What the first block added, and what the others added: once, or twice for a line.
        QCOMPARE(run(blockCache()).counts.mostBytes, 2 * one);
        QCOMPARE(run(blockCache({{"predictor", "taylor"}})).counts.mostBytes, 3 * one);
        const Json mask = {{"gate", "mask"}, {"mask", "101010101010"}};
        QCOMPARE(run(blockCache(mask)).counts.mostBytes, one);
    }

    void maskStatesWhatIsComputed() {
        const Made made = run(blockCache({{"gate", "mask"}, {"mask", "110100010001"}}));

        QCOMPARE(made.partial, std::string("110100010001"));
        QVERIFY(made.counts.misses.empty());
    }

    void thresholdZeroChangesNoBit() {
        const Made without = run(blockCache({{"gate", "mask"}, {"mask", "111111111111"}}));
        const Made with = run(blockCache({{"threshold", 0}}));

        QVERIFY(at::equal(with.latents, without.latents));
        QCOMPARE(with.counts.full, int64_t{kCalls});
    }

    void limitsHold() {
        const Made made = run(blockCache(
            {{"threshold", 1000}, {"warm_up", 2}, {"max_consecutive", 3}, {"keep_last", 1}}));

        QCOMPARE(made.partial, std::string("110001000101"));
    }

    void whatIsNoNumberIsComputed() {
        StackNetwork network;
        network.broken = std::numeric_limits<double>::quiet_NaN();

        const Made made = run(blockCache({{"threshold", 1000}}), network);

        QCOMPARE(made.partial, std::string(kCalls, '1'));
        QCOMPARE(made.counts.misses.at("gate"), int64_t{kCalls - 1});
    }

    void otherPromptsForgetTheLine() {
        const Json line = {{"gate", "mask"}, {"mask", "1111101"}, {"predictor", "taylor"}};
        const at::Tensor far = at::ones({1, 4, 5, 6}) * 50;
        const at::Tensor near = at::ones({1, 4, 5, 6});
        StackNetwork network;
        CachedForward mixed(*blockCache(line), evenSigmas(7));
        CachedForward pure(*blockCache(line), evenSigmas(7));
        at::Tensor fromMixed;
        at::Tensor fromPure;
        for (int call = 0; call < 6; ++call) {
            const bool isOther = call == 3;
            fromMixed = mixed.call(network, call < 4 ? far : near, call < 4 ? 1 : 2);
            fromPure = pure.call(network, isOther ? near * 7 : near, isOther ? 1 : 2);
        }

        QVERIFY(at::equal(fromMixed, fromPure));  // both know call 4 alone
    }

    void refuses_data() {
        const testing::Rows<QString, QString> add("changes", "item");
        add("gate", R"({"gate": "guess"})", "gate");
        add("predictor", R"({"predictor": "spectrum"})", "predictor");
        add("threshold", R"({"threshold": -1})", "threshold");
        add("row", R"({"max_consecutive": -1})", "max_consecutive");
        add("warm-up", R"({"warm_up": 10001})", "warm_up");
        add("missing", R"({"keep_last": null})", "keep_last");
        add("mask", R"({"gate": "mask", "mask": "12"})", "mask");
    }

    void refuses() {
        QFETCH(QString, changes);
        QFETCH(QString, item);
        const auto error = testing::errorOf(
            [&] { (void)blockCache(parseJson(changes.toStdString(), "changes")); });

        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), item.toStdString());
    }

    void refusesMasksOfAnotherLength() {
        const auto cache = blockCache({{"gate", "mask"}, {"mask", "1010"}});
        const auto error = testing::errorOf([&] { (void)cache->begin(runOf(5)); });

        QVERIFY(error && error->item() == "mask");
    }

    void refusesNetworksWithoutAFirstBlock() {
        const auto error = testing::errorOf([] {
            CachedForward forward(*blockCache(), evenSigmas(3), CachePoints{.deepest = 12});
        });

        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
        QVERIFY(error->hint().str().find("step forecast") != std::string::npos);
    }

private:
    static constexpr const char* kScript = "tests/unit/sampling/make_step_cache_goldens.py";

    static CachedRun runOf(int calls) {
        return {.scheduleCalls = calls,
                .stages = std::vector<int>(static_cast<size_t>(calls), 0),
                .sigmas = evenSigmas(calls),
                .points = CachedForward::kPoints};
    }
};

LOWTIDE_TEST(BlockCacheTest)

}  // namespace lowtide::sampling::block_cache_test

#include "block_cache_test.moc"
