// The step forecast around a network, call by call.

#include "plugin/base/json.hpp"
#include "plugin/sampling/denoise_loop.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/sampling/cached_forward.hpp"
#include "tests/unit/sampling/fake_denoiser.hpp"

#include <QtTest>

namespace lowtide::sampling::step_forecast_test {

namespace {

constexpr const char* kScript = "tests/unit/sampling/make_step_cache_goldens.py";
constexpr int kCalls = 20;

Json settings(const Json& changes) {
    Json all = {{"gate", "window"},
                {"predictor", "taylor"},
                {"threshold", 0.2},
                {"start", 0.15},
                {"end", 0.9},
                {"window", 2.0},
                {"window_growth", 0.5},
                {"warm_up", 4},
                {"max_consecutive", 0},
                {"keep_last", 0}};
    all.update(changes);
    return all;
}

std::shared_ptr<const StepCache> forecast(const Json& changes = Json::object()) {
    return stepCacheNamed("step_forecast").make(settings(changes));
}

/// Its output lies on a line in -log(sigma), whatever it is given.
class LineNetwork final : public Denoiser {
public:
    explicit LineNetwork(std::vector<double> sigmas) : sigmas_(std::move(sigmas)) {}

    [[nodiscard]] at::Tensor at(int call) const {
        const double time = -std::log(sigmas_[static_cast<size_t>(call)]);
        return at::arange(120, at::kDouble).view({1, 4, 5, 6}) * time + 3;
    }

    at::Tensor predict(const at::Tensor&, const at::Tensor&, const StepInfo& step) override {
        return at(step.taken);
    }

private:
    std::vector<double> sigmas_;
};

/// Gives the recorded outputs of a golden case.
class RecordedNetwork final : public Denoiser {
public:
    explicit RecordedNetwork(at::Tensor outputs) : outputs_(std::move(outputs)) {}

    at::Tensor predict(const at::Tensor&, const at::Tensor&, const StepInfo& step) override {
        return outputs_[step.taken];
    }

private:
    at::Tensor outputs_;
};

double farthest(const at::Tensor& a, const at::Tensor& b) {
    return at::max(at::abs(a - b)).item<double>();
}

DenoiseResult run(const char* sampler, std::shared_ptr<const StepCache> cache) {
    const Json config = {{"beta_schedule", "scaled_linear"},
                         {"beta_start", 0.00085},
                         {"beta_end", 0.012},
                         {"clip_sample", false}};
    const auto made = samplerNamed(sampler, config).make(config, {.steps = kCalls});
    FakeDenoiser network;
    return denoise(*made,
                   network,
                   at::zeros({1, 4, 5, 6}),
                   {.guidanceScale = 5, .seed = 3, .scheduleKey = {}, .cache = std::move(cache)},
                   nullptr,
                   StopToken(),
                   tensor::Record(nullptr),
                   [](int, int) {});
}

}  // namespace

class StepForecastTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void equalsTheReference_data() {
        const testing::Rows<QString, double, double, double> row(
            "name", "threshold", "begin", "end");
        const testing::PythonGolden golden(kScript);
        for (const Json& item : parseJson(golden.text("cases"), "cases")) {
            if (item["kind"] == "easy") {
                row(item["name"].get<std::string>().c_str(),
                    QString::fromStdString(item["name"].get<std::string>()),
                    item["threshold"].get<double>(),
                    item["begin"].get<double>(),
                    item["end"].get<double>());
            }
        }
    }

    void equalsTheReference() {
        QFETCH(QString, name);
        QFETCH(double, threshold);
        QFETCH(double, begin);
        QFETCH(double, end);
        const testing::PythonGolden golden(kScript);
        const std::string key = name.toStdString();
        const at::Tensor in = golden.tensor(key + "/in");
        const at::Tensor out = golden.tensor(key + "/out");
        const at::Tensor reused = golden.tensor(key + "/reused");
        const auto cache = forecast({{"gate", "output_change"},
                                     {"predictor", "reuse"},
                                     {"threshold", threshold},
                                     {"start", begin},
                                     {"end", end},
                                     {"warm_up", 0}});
        RecordedNetwork network(out);
        CachedForward run(*cache, evenSigmas(static_cast<int>(in.size(0))));
        for (int64_t call = 0; call < in.size(0); ++call) {
            QVERIFY(at::equal(run.call(network, in[call]), out[call]));
            QCOMPARE(run.marks.back() == '0', reused.const_data_ptr<bool>()[call]);
        }
    }

    void linesInLogSigmaAreForetold_data() {
        QTest::addColumn<QString>("predictor");
        QTest::newRow("taylor") << "taylor";
        QTest::newRow("spectrum") << "spectrum";
    }

    void linesInLogSigmaAreForetold() {
        QFETCH(QString, predictor);
        std::vector<double> sigmas;
        for (int call = 0; call < kCalls; ++call) {  // uneven in every way
            sigmas.push_back(15 * std::pow(0.8, call) + (call % 3) * 0.01);
        }
        LineNetwork network(sigmas);
        const auto cache = forecast({{"predictor", predictor.toStdString()}});
        CachedForward run(*cache, sigmas);
        at::Tensor newest;
        for (int call = 0; call < kCalls; ++call) {
            const at::Tensor made = run.call(network, at::zeros({1, 4, 5, 6}, at::kDouble));
            const double distance = farthest(made, network.at(call));
            if (run.marks.back() == '1') {
                newest = made;
                QCOMPARE(distance, 0.0);
                continue;
            }
            // Spectrum's ridge bends a line: it must remain nearer than the newest output again.
            const double allowed =
                predictor == "taylor" ? 1e-9 : farthest(newest, network.at(call));
            QVERIFY2(distance < allowed, qPrintable(QString::number(distance)));
        }

        QCOMPARE(run.marks, std::string("11110101001001000111"));
    }

    void callsWithoutATimeAreComputed() {
        std::vector<double> sigmas(kCalls, std::numeric_limits<double>::infinity());
        LineNetwork network(evenSigmas(kCalls));
        CachedForward run(*forecast({{"warm_up", 0}}), sigmas);
        for (int call = 0; call < kCalls; ++call) {
            (void)run.call(network, at::zeros({1, 4, 5, 6}));
        }

        QCOMPARE(run.marks, std::string(kCalls, '1'));
    }

    void otherPromptsForgetWhatWasSeen() {
        LineNetwork network(evenSigmas(kCalls));
        CachedForward run(*forecast({{"predictor", "spectrum"}}), evenSigmas(kCalls));
        for (int call = 0; call < 8; ++call) {
            (void)run.call(network, at::zeros({1, 4, 5, 6}), call < 6 ? 1 : 2);
        }

        // Call 6 is computed because of its prompts; Spectrum then has one value where it needs
        // two.
        QCOMPARE(run.marks, std::string("11110111"));
        QCOMPARE(run.end().misses, (std::map<std::string, int64_t>{{"prompts", 1}}));
    }

    void everySamplerIsForecast_data() {
        QTest::addColumn<QString>("sampler");
        QTest::addColumn<QString>("predictor");
        for (const char* sampler :
             {"ddim", "euler", "dpmpp_2m", "heun", "kdpm2", "pndm", "unipc"}) {
            for (const char* predictor : {"reuse", "taylor", "spectrum"}) {
                QTest::addRow("%s %s", sampler, predictor) << sampler << predictor;
            }
        }
    }

    void everySamplerIsForecast() {
        QFETCH(QString, sampler);
        QFETCH(QString, predictor);
        const QByteArray name = sampler.toUtf8();
        const auto cache = forecast({{"predictor", predictor.toStdString()}});

        const DenoiseResult first = run(name.constData(), cache);
        const DenoiseResult second = run(name.constData(), cache);

        QVERIFY(first.steps.predicted > 5);
        QVERIFY(at::isfinite(first.latents).all().item<bool>());
        QVERIFY(at::equal(first.latents, second.latents));
        QCOMPARE(first.steps, second.steps);
        QCOMPARE(first.steps.bytesAfter, Bytes{0});
    }

    void noOpsChangeNoBit() {
        const DenoiseResult without = run("euler", nullptr);
        for (const Json& off : {Json{{"window", 1.0}, {"window_growth", 0.0}},
                                Json{{"gate", "output_change"}, {"threshold", 0}}}) {
            const DenoiseResult with = run("euler", forecast(off));

            QVERIFY(at::equal(with.latents, without.latents));
            QCOMPARE(with.steps, without.steps);
        }
    }

    void holdsWhatIsKnownBefore() {
        const Bytes one = 2 * 120 * 4;  // guidance doubles the batch
        QCOMPARE(run("euler", forecast({{"predictor", "reuse"}})).steps.mostBytes, one);
        QCOMPARE(run("euler", forecast()).steps.mostBytes, 2 * one);
        QCOMPARE(run("euler", forecast({{"predictor", "spectrum"}})).steps.mostBytes, 6 * one);
        const Json change = {{"gate", "output_change"}, {"threshold", 9.0}, {"predictor", "reuse"}};
        QCOMPARE(run("euler", forecast(change)).steps.mostBytes, 3 * one);
    }

    void refuses_data() {
        const testing::Rows<QString, QString> row("changes", "item");
        row("gate", R"({"gate": "mask"})", "gate");
        row("predictor", R"({"predictor": "guess"})", "predictor");
        row("window", R"({"window": 0})", "window");
        row("growth", R"({"window_growth": -1})", "window_growth");
        row("stop", R"({"end": 1.5})", "end");
        row("range", R"({"gate": "output_change", "start": 0.9, "end": 0.2})", "end");
        row("threshold", R"({"gate": "output_change", "threshold": -1})", "threshold");
        row("missing", R"({"warm_up": null})", "warm_up");
    }

    void refuses() {
        QFETCH(QString, changes);
        QFETCH(QString, item);
        const auto error =
            testing::errorOf([&] { (void)forecast(parseJson(changes.toStdString(), "changes")); });

        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), item.toStdString());
    }
};

LOWTIDE_TEST(StepForecastTest)

}  // namespace lowtide::sampling::step_forecast_test

#include "step_forecast_test.moc"
