// MagCache inside a network: what is recorded, and what a curve spares, compared with the recorded
// calls of the reference.

#include "plugin/sampling/step_caches/gates/mag_curve.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/sampling/cached_forward.hpp"

#include <QtTest>

#include <limits>

namespace lowtide::sampling::mag_cache_test {

namespace {

constexpr const char* kScript = "tests/unit/sampling/make_step_cache_goldens.py";

std::vector<double> doublesOf(const at::Tensor& values) {
    const at::Tensor numbers = values.to(at::kDouble).contiguous();
    return {numbers.const_data_ptr<double>(), numbers.const_data_ptr<double>() + numbers.numel()};
}

Json curveOf(const std::vector<double>& ratios) {
    return toJson(MagCurve{.checkpoint = std::string(64, 'a'),
                           .scheduler = "euler",
                           .ratios = ratios,
                           .check = {.runs = 1}});
}

std::shared_ptr<const StepCache> magCache(const Json& curve, const Json& changes = Json::object()) {
    Json settings = {{"gate", "mag"},
                     {"threshold", 0.15},
                     {"mask", ""},
                     {"curve", curve.dump()},
                     {"curve_name", "cat.json"},
                     {"curve_threshold", 0.06},
                     {"kept_share", 0.0},
                     {"predictor", "reuse"},
                     {"warm_up", 0},
                     {"max_consecutive", 0},
                     {"keep_last", 0}};
    settings.update(changes);
    return stepCacheNamed("block_cache").make(settings);
}

std::shared_ptr<const StepCache> recorder() {
    return stepCacheNamed("mag_record").make(Json::object());
}

CachedRun runOf(int calls) {
    return {.scheduleCalls = calls,
            .stages = std::vector<int>(static_cast<size_t>(calls), 0),
            .sigmas = evenSigmas(calls),
            .points = CachedForward::kPoints,
            .identity = CachedForward::identity()};
}

/// Gives the recorded tensors of a golden case and compares what the cache makes of them. There the
/// cache lies before the first block: the probe is what went in.
class RecordedNetwork final : public Denoiser {
public:
    RecordedNetwork(const testing::PythonGolden& golden, const std::string& name)
        : in_(golden.tensor(name + "/in")),
          out_(golden.tensor(name + "/out")),
          reused_(golden.tensor(name + "/reused")) {}

    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor&,
                       const StepInfo& step) override {
        const int i = step.taken;
        CachedCall cached(step, CacheKey::of(latents, "wan"));
        const bool isReused = cached.isReused(in_[i]);
        differences += isReused == reused_.const_data_ptr<bool>()[i] ? 0 : 1;
        if (isReused) {
            differences += at::equal(cached.value(in_[i]), out_[i]) ? 0 : 1;
        } else {
            cached.keep(in_[i], out_[i]);
        }
        cached.finish(isReused ? StepWork::Partial : StepWork::Full);
        return latents;
    }

    [[nodiscard]] int calls() const { return static_cast<int>(in_.size(0)); }

    int differences = 0;

private:
    at::Tensor in_;
    at::Tensor out_;
    at::Tensor reused_;
};

/// Blocks that give the values, one evaluation for each of the lists of a call.
class GivenNetwork final : public Denoiser {
public:
    explicit GivenNetwork(std::vector<at::Tensor> branches) : branches_(std::move(branches)) {}

    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor&,
                       const StepInfo& step) override {
        for (size_t branch = 0; branch < branches_.size(); ++branch) {
            StepInfo own = step;
            own.slot.branch = static_cast<uint32_t>(branch);
            CachedCall cached(own, CacheKey::of(latents, "given"));
            const at::Tensor value = branches_[branch][step.taken];
            const at::Tensor probe = isAdded ? at::zeros_like(value) : at::zeros({1});
            reused += cached.isReused(probe) ? 1 : 0;
            cached.keep(probe, value);
            cached.finish(StepWork::Full);
        }
        return latents;
    }

    bool isAdded = true;  ///< what they give has the shape of what goes in
    int reused = 0;

private:
    std::vector<at::Tensor> branches_;
};

std::vector<double> recorded(GivenNetwork network, int calls) {
    CachedForward run(*recorder(), evenSigmas(calls));
    for (int call = 0; call < calls; ++call) {
        (void)run.call(network, at::zeros({1, 4, 5, 6}));
    }
    return network.reused == 0 ? run.record().at("ratios").get<std::vector<double>>()
                               : std::vector<double>();
}

}  // namespace

class MagCacheTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void equalsTheReference_data() {
        QTest::addColumn<QByteArray>("item");
        int rows = 0;
        for (const Json& item : parseJson(testing::PythonGolden(kScript).text("cases"), "cases")) {
            if (item["kind"] == "mag") {
                QTest::newRow(item["name"].get<std::string>().c_str())
                    << QByteArray::fromStdString(item.dump());
                ++rows;
            }
        }
        QCOMPARE(rows, 40);
    }

    void equalsTheReference() {
        QFETCH(QByteArray, item);
        const Json facts = parseJson(item.toStdString(), "item");
        const testing::PythonGolden golden(kScript);
        RecordedNetwork network(golden, facts["name"].get<std::string>());
        const auto cache =
            magCache(curveOf(doublesOf(golden.tensor(facts["curve"].get<std::string>()))),
                     {{"curve_threshold", facts["threshold"]},
                      {"kept_share", facts["kept"]},
                      {"max_consecutive", facts["most"]}});
        CachedForward run(*cache, evenSigmas(network.calls()));
        for (int call = 0; call < network.calls(); ++call) {
            (void)run.call(network, at::zeros({1, 4, 8, 6}));
        }

        QCOMPARE(network.differences, 0);
        QCOMPARE(run.end().bytesAfter, Bytes{0});
    }

    /// Error after a step: .05, then .15; so every third one is computed. A jump ends the row.
    void marksFollowTheCurve() {
        std::vector<double> ratios(12, 1.05);
        StackNetwork network;
        CachedForward run(*magCache(curveOf(ratios), {{"curve_threshold", 0.16}}), evenSigmas(12));
        ratios[4] = 1.5;
        StackNetwork jumping;
        CachedForward jump(*magCache(curveOf(ratios), {{"curve_threshold", 0.16}}), evenSigmas(12));
        for (int call = 0; call < 12; ++call) {
            (void)run.call(network, at::ones({2, 4, 5, 6}));
            (void)jump.call(jumping, at::ones({2, 4, 5, 6}));
        }

        QCOMPARE(network.partial, std::string("100100100100"));
        QCOMPARE(jumping.partial, std::string("100110010010"));
    }

    /// A pass that begins in the middle reads the curve from there on.
    void aLateRangeReadsItsPartOfTheCurve() {
        std::vector<double> ratios(12, 1.0);
        ratios[8] = 2;
        CachedRun run = runOf(7);
        run.firstCall = 5;
        run.scheduleCalls = 12;
        CacheScope scope(magCache(curveOf(ratios)).get(), run);
        StackNetwork network;
        for (int taken = 0; taken < 7; ++taken) {
            StepInfo info{.step = 5 + taken, .stepCount = 12, .taken = taken};
            const at::Tensor input = at::ones({1, 4, 5, 6});
            scope.decide(info, input, 0);
            const at::Tensor made = network.predict(input, at::scalar_tensor(500), info);
            scope.finish(info, input, made);
        }

        QCOMPARE(network.partial, std::string("1001000"));
    }

    void thresholdZeroCachesNothing() {
        QVERIFY(!magCache(curveOf({1, 1}), {{"curve_threshold", 0}})->begin(runOf(2)).inner);
    }

    void refusesRunsOfOthers_data() {
        QTest::addColumn<QString>("scheduler");
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<bool>("hasStages");
        QTest::addColumn<QString>("expected");
        const QString a(64, 'a');
        QTest::newRow("checkpoint") << "euler" << QString(64, 'b') << false
                                    << "the checkpoint aaaaaaaaaa, this is bbbbbbbbbb";
        QTest::newRow("scheduler")
            << "ddim" << a << false << "the scheduler \"euler\", this is \"ddim\"";
        QTest::newRow("stages") << "euler" << a << true << "has 3 calls, the schedule has 4";
    }

    void refusesRunsOfOthers() {
        QFETCH(QString, scheduler);
        QFETCH(QString, checkpoint);
        QFETCH(bool, hasStages);
        QFETCH(QString, expected);
        CachedRun run = runOf(4);
        run.stages.back() = hasStages ? 1 : 0;
        run.identity = {.scheduler = scheduler.toStdString(),
                        .checkpoint = [&] { return checkpoint.toStdString(); }};

        const auto error = testing::errorOf([&] {
            (void)magCache(curveOf({1, 1, 1}))->begin(run);
        });

        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("curve"));
        QVERIFY2(error->message().str().find(expected.toStdString()) != std::string::npos,
                 error->what());
    }

    void refusesSettings_data() {
        const testing::Rows<QByteArray, QByteArray> row("changes", "item");
        row("threshold", QByteArray(R"({"curve_threshold": -1})"), "curve_threshold");
        row("share", QByteArray(R"({"kept_share": 2})"), "kept_share");
        row("text", QByteArray(R"({"curve": "no JSON"})"), "curve");
        row("other file", QByteArray(R"({"curve": "{}"})"), "curve");
    }

    void refusesSettings() {
        QFETCH(QByteArray, changes);
        QFETCH(QByteArray, item);
        const auto error = testing::errorOf(
            [&] { (void)magCache(curveOf({1}), parseJson(changes.toStdString(), "changes")); });

        QVERIFY(error);
        QCOMPARE(error->item(), item.toStdString());
    }

    void recordsTheRatiosOfTheReference() {
        const testing::PythonGolden golden(kScript);
        const at::Tensor values = golden.tensor("lengths/values");
        const int calls = static_cast<int>(values.size(0));
        const std::vector<double> expected = doublesOf(golden.tensor("lengths/ratios"));

        QCOMPARE(recorded(GivenNetwork({values}), calls), expected);
    }

    /// In maps the channels are the second dimension.
    void recordsMapsAsTokens() {
        const at::Tensor tokens = testing::PythonGolden(kScript).tensor("lengths/values");
        const at::Tensor maps =
            tokens.transpose(2, 3).reshape({tokens.size(0), 2, 24, 5, 6}).contiguous();
        const int calls = static_cast<int>(tokens.size(0));
        const std::vector<double> expected = recorded(GivenNetwork({tokens}), calls);
        for (const bool isAdded : {true, false}) {
            GivenNetwork network({maps});
            network.isAdded = isAdded;
            const std::vector<double> ratios = recorded(network, calls);
            for (size_t call = 0; call < ratios.size(); ++call) {
                QVERIFY(std::abs(ratios[call] / expected[call] - 1) < 1e-6);
            }
        }
    }

    /// Both branches in one batch, or each for itself: the same mean.
    void branchesCountAlike() {
        const at::Tensor values = testing::PythonGolden(kScript).tensor("lengths/values");
        const int calls = static_cast<int>(values.size(0));
        const std::vector<double> together = recorded(GivenNetwork({values}), calls);

        const std::vector<double> apart =
            recorded(GivenNetwork({values.narrow(1, 0, 1), values.narrow(1, 1, 1)}), calls);

        for (size_t call = 0; call < apart.size(); ++call) {
            QVERIFY(std::abs(apart[call] / together[call] - 1) < 1e-6);  // float32 means
        }
    }

    void recordingChangesNothing_andLeavesNothing() {
        StackNetwork plain;
        StackNetwork watched;
        CachedForward run(*recorder(), evenSigmas(6));
        for (int call = 0; call < 6; ++call) {
            const at::Tensor input = at::cos(at::arange(240, at::kFloat) * call).view({2, 4, 5, 6});
            const StepInfo info{.step = call, .stepCount = 6, .taken = call};
            QVERIFY(at::equal(run.call(watched, input),
                              plain.predict(input, at::scalar_tensor(900 - 10 * call), info)));
        }
        const Json record = run.record();

        QCOMPARE(watched.partial, std::string("111111"));
        QCOMPARE(record.at("checkpoint"), Json(std::string(64, 'a')));
        QCOMPARE(record.at("scheduler"), Json("euler"));
        QCOMPARE(record.at("ratios").size(), size_t{6});
        const StepCounts counts = run.end();
        QCOMPARE(counts.full, int64_t{6});
        QVERIFY(counts.misses.empty());
        QCOMPARE(counts.mostBytes, Bytes{240 * 4 + 5 * 4});
        QCOMPARE(counts.bytesAfter, Bytes{0});
        QVERIFY(!recorder()->isLossy());
    }

    void refusesToRecord_data() {
        QTest::addColumn<double>("broken");
        QTest::addColumn<int>("othersAt");
        QTest::addColumn<QString>("expected");
        QTest::newRow("no numbers")
            << std::numeric_limits<double>::quiet_NaN() << 99 << "the ratio of step 1 is nan";
        QTest::newRow("other prompts") << 1.0 << 3 << "step 3 cannot be compared";
    }

    void refusesToRecord() {
        QFETCH(double, broken);
        QFETCH(int, othersAt);
        QFETCH(QString, expected);
        StackNetwork network;
        network.broken = broken;
        CachedForward run(*recorder(), evenSigmas(6));
        for (int call = 0; call < 6; ++call) {
            (void)run.call(network, at::ones({2, 4, 5, 6}), call < othersAt ? 1 : 2);
        }

        const auto error = testing::errorOf([&] { (void)run.record(); });

        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QVERIFY2(error->message().str().find(expected.toStdString()) != std::string::npos,
                 error->what());
    }

    void recordsWholeSchedulesOnly() {
        CachedRun run = runOf(4);
        run.scheduleCalls = 8;
        const auto error = testing::errorOf([&] { (void)recorder()->begin(run); });

        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QVERIFY2(error->message().str().find("4 of its 8 calls") != std::string::npos,
                 error->what());
    }
};

LOWTIDE_TEST(MagCacheTest)

}  // namespace lowtide::sampling::mag_cache_test

#include "mag_cache_test.moc"
