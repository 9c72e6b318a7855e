// WAN 2.2: two denoisers that share the noise levels, each a component with a policy of its own.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/graph_edits.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/policy_runs.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>

namespace wan_noise_models_test {

using namespace lowtide;

namespace {

/// Policies of the denoisers, one next to the other.
const char* const kMixed[] = {"denoise.denoiser=none denoise.denoiser_2=leaf+stream",
                              "denoise.denoiser=leaf+stream denoise.denoiser_2=model",
                              "denoise.denoiser=sequential denoise.denoiser_2=auto",
                              "denoise.denoiser=model denoise.denoiser_2=block:1+stream@cpu",
                              "denoise.denoiser=leaf@cpu denoise.denoiser_2=leaf+stream"};

}  // namespace

class WanNoiseModelsTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string goldens_;
    std::string graph_;
    QByteArray expected_;

    /// Four steps, two of each noise model, the low-noise one without guidance.
    Json options(const std::string& policy, const std::string& device = "fake:256MiB") const {
        return {{"device", device},
                {"set",
                 {"load.checkpoint=" + goldens_ + "/checkpoints/wan22_i2v_0",
                  "load_image.image=" + goldens_ + "/images/init.png",
                  "video.width=32",
                  "video.height=32",
                  "video.frames=5",
                  "denoise.steps=4",
                  "denoise.cfg=3.5",
                  "denoise.cfg_2=1",
                  "denoise.shift=5",
                  "save_video.format=png"}},
                {"out", folder_.path().toStdString()},
                {"forceExecution", true},
                {"policies",
                 {"encode=leaf+stream",
                  "video=leaf+stream",
                  "decode=leaf+stream",
                  "denoise=" + policy}}};
    }

    testing::ModuleRun runDumping(const Json& options, const std::string& graph) const {
        return testing::runDumping(graph, options, folder_);
    }

    /// Nothing is left, and the plan knew the peak.
    static void accountsFor(const testing::ModuleRun& ended) {
        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        for (const Json& repetition : ended.report.at("repetitions")) {
            QCOMPARE(repetition.at("ledger").at("fake").at("total"), Json(0));
        }
    }

    static int64_t peakOf(const testing::ModuleRun& ended) {
        return ended.report.at("repetitions")
            .back()
            .at("ledger")
            .at("fake")
            .at("peak")
            .get<int64_t>();
    }

    static int64_t plannedPeakOf(const testing::ModuleRun& ended) {
        return ended.report.at("plan").at("devices").at(0).at("peak").get<int64_t>();
    }

    /// The graph with two prompts, one of them in a part of the schedule.
    [[nodiscard]] Json withSeveralPrompts() const {
        Json graph = testing::withCopies(Json::parse(graph_), {{"encode", "encode_2"}});
        graph["nodes"]["encode_2"]["params"]["prompt"] = "rain";
        graph["nodes"]["late"] = {{"type", "conditioning.time_range"},
                                  {"params", {{"start", 0.3}, {"end", 1}}}};
        graph["nodes"]["both"] = {{"type", "conditioning.combine"}, {"params", Json::object()}};
        testing::relink(graph, "encode_2", "positive", "late", "conditioning");
        testing::relink(graph, "encode", "positive", "both", "first");
        testing::relink(graph, "late", "conditioning", "both", "second");
        testing::relink(graph, "both", "conditioning", "denoise", "positive");
        return graph;
    }

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::wanGoldenFolder().toStdString();
        graph_ = testing::exampleText("image_to_video");
        expected_ = testing::dumpToCompare(runDumping(options("none", "cpu"), graph_));
    }

    void cleanup() { testing::checkNothingIsLeft(); }

    /// The matrix has two noise models in the full test alone.
    void noPolicyChangesAByte_data() { testing::addPolicyRows(testing::kEveryPolicy); }

    void noPolicyChangesAByte() {
        QFETCH(QString, policy);
        Json wanted = options(policy.toStdString());
        wanted["repeat"] = testing::isFullTest() ? 3 : 2;
        const testing::ModuleRun ended = runDumping(wanted, graph_);
        testing::checkBits(ended, expected_);
        QCOMPARE(peakOf(ended), plannedPeakOf(ended));
    }

    void longSchedulesMoveWhatIsPlanned_data() { testing::addPolicyRows(); }

    /// A dry run goes all the way to the low-noise model.
    void longSchedulesMoveWhatIsPlanned() {
        QFETCH(QString, policy);
        Json wanted = options(policy.toStdString());
        wanted["set"].push_back("denoise.steps=12");
        const testing::ModuleRun ended = runDumping(wanted, graph_);
        accountsFor(ended);
        const Json& traffic = ended.report.at("repetitions").back().at("traffic");
        QCOMPARE(testing::entryOf(traffic.at("stages"), "denoise").at("moved"),
                 testing::entryOf(ended.report.at("plan").at("stages"), "denoise").at("moved"));
        QCOMPARE(peakOf(ended), plannedPeakOf(ended));
    }

    void eachHasItsPolicy_data() { testing::addRows("policies", kMixed); }

    /// Devices too.
    void eachHasItsPolicy() {
        QFETCH(QString, policies);
        Json wanted = options("leaf+stream");
        for (const QString& policy : policies.split(' ')) {
            wanted["policies"].push_back(policy.toStdString());
        }
        wanted["repeat"] = testing::isFullTest() ? 3 : 2;
        const testing::ModuleRun ended = runDumping(wanted, graph_);
        accountsFor(ended);
        QVERIFY(ended.dump == expected_);
        QVERIFY(peakOf(ended) <= plannedPeakOf(ended));
    }

    /// What "model" guarantees: at most one of them is on the GPU.
    void theFirstLeavesForTheSecond() {
        const testing::ModuleRun both = runDumping(options("none"), graph_);
        const testing::ModuleRun one = runDumping(options("model"), graph_);
        const auto weights = [](const testing::ModuleRun& ended) {
            return ended.report.at("plan").at("devices").at(0).at("peak_weights").get<int64_t>();
        };
        QVERIFY2(10 * weights(one) < 6 * weights(both),
                 qPrintable(QString("%1 of %2").arg(weights(one)).arg(weights(both))));
        const auto moved = [](const testing::ModuleRun& ended) {
            return ended.report.at("repetitions").back().at("bytesToDevice").get<int64_t>();
        };
        QCOMPARE(moved(one), moved(both));
    }

    /// The sampler's history goes over the boundary, in one pass and in two.
    void twoRangesAreTheOne_data() {
        QTest::addColumn<int>("end");
        for (const int end : {1, 2, 3}) {
            QTest::addRow("%d", end) << end;
        }
    }

    void twoRangesAreTheOne() {
        QFETCH(int, end);
        Json graph = testing::withCopies(Json::parse(graph_), {{"denoise", "finish"}});
        testing::relink(graph, "denoise", "latent", "finish", "latent");
        testing::relink(graph, "finish", "latent", "decode", "latent");
        Json wanted = options("leaf+stream");
        const std::string cut = std::to_string(end);
        for (const std::string& setting : {"denoise.end_step=" + cut,
                                           std::string("denoise.keep_noise=true"),
                                           std::string("finish.steps=4"),
                                           std::string("finish.cfg=3.5"),
                                           std::string("finish.cfg_2=1"),
                                           std::string("finish.shift=5"),
                                           "finish.start_step=" + cut,
                                           std::string("finish.add_noise=false")}) {
            wanted["set"].push_back(setting);
        }
        const testing::ModuleRun ended = runDumping(wanted, graph.dump());
        accountsFor(ended);
        QVERIFY(testing::tensorsIn(ended.dump).at("image").bytes ==
                testing::tensorsIn(expected_).at("image").bytes);
    }

    /// A noise model that has no timestep brings nothing, and the boundary decides which it is.
    void theBoundaryMoves() {
        const auto ran = [&](const char* boundary) {
            Json wanted = options("model");
            wanted["set"].push_back(std::string("denoise.boundary=") + boundary);
            return runDumping(wanted, graph_);
        };
        const testing::ModuleRun first = ran("0.001");
        const testing::ModuleRun own = ran("0.9");
        accountsFor(first);
        accountsFor(own);
        QVERIFY(own.dump == expected_);
        QVERIFY(first.dump != expected_);
        const auto moved = [](const testing::ModuleRun& ended) {
            return ended.report.at("repetitions").back().at("bytesToDevice").get<int64_t>();
        };
        QVERIFY2(moved(first) < moved(own), qPrintable(QString::number(moved(first))));
    }

    void severalPromptsSpeak_data() { testing::addPolicyRows(); }

    /// Guided by the high-noise model alone.
    void severalPromptsSpeak() {
        QFETCH(QString, policy);
        const Json graph = withSeveralPrompts();
        static QByteArray expected;
        if (expected.isEmpty()) {
            const testing::ModuleRun plain = runDumping(options("none", "cpu"), graph.dump());
            QVERIFY2(plain.status == Status::Ok, plain.report.at("issues").dump().c_str());
            expected = plain.dump;
            QVERIFY(expected != expected_);
        }
        const testing::ModuleRun ended = runDumping(options(policy.toStdString()), graph.dump());
        accountsFor(ended);
        QVERIFY(ended.dump == expected);
        QCOMPARE(peakOf(ended), plannedPeakOf(ended));
    }

    /// Steps of the low-noise model, without guidance, are those of a run that has none at all.
    void aNoiseModelWithoutGuidanceReadsNoNegative() {
        for (const Json& graph : {Json::parse(graph_), withSeveralPrompts()}) {
            const auto pixels = [&](const char* guidance) {
                Json wanted = options("model");
                wanted["set"].push_back("denoise.start_step=2");
                wanted["set"].push_back(guidance);
                const testing::ModuleRun ended = runDumping(wanted, graph.dump());
                return ended.status == Status::Ok ? testing::tensorsIn(ended.dump).at("image").bytes
                                                  : std::string();
            };
            const auto alone = pixels("denoise.cfg=1");
            QVERIFY(!alone.empty());
            QVERIFY(pixels("denoise.cfg=3.5") == alone);
        }
    }

    void aStepCacheStartsOver_data() {
        QTest::addColumn<QString>("cache");
        QTest::addColumn<QString>("policy");
        bool isBlock = false;
        for (const char* policy : testing::testedPolicies()) {
            isBlock = !isBlock;  // in turn; both where there is time
            if (isBlock || testing::isFullTest()) {
                QTest::addRow("block, %s", policy) << "block" << policy;
            }
            if (!isBlock || testing::isFullTest()) {
                QTest::addRow("forecast, %s", policy) << "forecast" << policy;
            }
        }
    }

    /// A step cache, inside the network or around it, holds nothing of the one noise model when the
    /// other begins.
    void aStepCacheStartsOver() {
        QFETCH(QString, cache);
        QFETCH(QString, policy);
        const bool isBlock = cache == "block";
        Json params = {{"warm_up", 0}, {"keep_last", 0}};
        params.update(isBlock ? Json{{"threshold", 10}, {"max_consecutive", 0}}
                              : Json{{"window", 10}, {"predictor", "reuse"}, {"end", 1}});
        Json graph = Json::parse(graph_);
        graph["nodes"]["cache"] = {{"type", "cache." + cache.toStdString()}, {"params", params}};
        graph["links"].push_back(
            {{"from", {"cache", "step_cache"}}, {"to", {"denoise", "step_cache"}}});
        const auto cached = [&](Json wanted) {
            wanted["set"].push_back("denoise.cfg_2=2");  // nothing but the noise model changes
            wanted["repeat"] = 2;
            return runDumping(wanted, graph.dump());
        };
        static std::map<QString, QByteArray> known;
        QByteArray& expected = known[cache];
        if (expected.isEmpty()) {
            const testing::ModuleRun plain = cached(options("none", "cpu"));
            QVERIFY2(plain.status == Status::Ok, plain.report.at("issues").dump().c_str());
            expected = plain.dump;
            QVERIFY(expected != expected_);
        }
        const testing::ModuleRun ended = cached(options(policy.toStdString()));
        accountsFor(ended);
        QVERIFY(ended.dump == expected);
        const Json& steps = testing::stepsIn(ended.report.at("repetitions").back());
        QCOMPARE(steps.at("full"), Json(2));  // the first of each
        QCOMPARE(steps.at(isBlock ? "partial" : "predicted"), Json(2));
    }

    void noEndLeavesAnything_data() { testing::addPolicyRows(); }

    /// Cancelled in the high-noise model, where the low-noise one takes over, and in that one.
    void noEndLeavesAnything() {
        QFETCH(QString, policy);
        for (const char* setting :
             {"denoise.boundary=0.8", "denoise.boundary=0.999", "denoise.start_step=2"}) {
            Json wanted = options(policy.toStdString());
            wanted["set"].push_back(setting);
            const testing::ModuleRun ended =
                testing::runCancelled(graph_, wanted, [](const Json& arrived) {
                    return testing::isOf(arrived, "nodeProgress", "denoise") &&
                           arrived.at("phase") == "step" && arrived.at("done") == 1;
                });
            QCOMPARE(ended.status, Status::Cancelled);
            QCOMPARE(testing::bytesOn("fake"), int64_t{0});
        }
    }
};

LOWTIDE_TEST(WanNoiseModelsTest)

}  // namespace wan_noise_models_test

#include "wan_noise_models_test.moc"
