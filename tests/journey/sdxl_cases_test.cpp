// Cases 1, 2 and 5 of the product on Stable Diffusion XL: two encoders, a network of three levels,
// one file. What is predicted, what fails and in which order leaves are used likewise.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/policy_runs.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>

namespace sdxl_cases_test {

using namespace lowtide;

namespace {

/// Of each stage's peak on a rehearsed card.
constexpr double kPeakTolerance = 0.01;

constexpr int64_t kNone = 1000000000;  ///< no run has so many allocations
/// Allocations of a kind that are made to fail; out_of_memory_test has more on another family.
const int kFailures = testing::isFullTest() ? 12 : 4;

const char* const kPolicies[] = {"none", "model", "auto", "block:2+stream", "leaf+stream"};

}  // namespace

class SdxlCasesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string checkpoint_;
    std::string plain_;   ///< text to image
    std::string cached_;  ///< with DeepCache
    QByteArray expected_;
    QByteArray expectedCached_;
    Json expectedSteps_;

    Json options(const std::string& policy, const std::string& device = "fake:256MiB") const {
        return {{"device", device},
                {"set",
                 {"load.checkpoint=" + checkpoint_,
                  "latent.width=64",
                  "latent.height=64",
                  "latent.batch=2",
                  "denoise.steps=4",
                  "denoise.sampler=euler_a"}},
                {"out", folder_.path().toStdString()},
                {"forceExecution", true},
                {"policies", {"encode=" + policy, "denoise=" + policy, "decode=" + policy}}};
    }

    testing::ModuleRun runDumping(const std::string& graph, const Json& options) const {
        return testing::runDumping(graph, options, folder_);
    }

    Json plan(const Json& options) const {
        std::string text;
        testing::openModule().runner()->plan(plain_, options.dump(), text);
        return Json::parse(text);
    }

    int64_t weightsOf(const std::string& role) const {
        const Json answer = plan(options("model"));
        for (const Json& component : answer.at("plan").at("components")) {
            if (component.at("role") == role) {
                return component.at("weights").get<int64_t>();
            }
        }
        return 0;
    }

    testing::ModuleRun runFailing(const std::string& kind, int64_t number) const {
        Json wanted = options("auto", "fake:1GiB,fail=" + kind + ":" + std::to_string(number));
        wanted["policies"] = Json::array();
        return runDumping(plain_, wanted);
    }

private Q_SLOTS:

    void initTestCase() {
        checkpoint_ = testing::xlFileFolder().toStdString() + "/sdxl_1_half.safetensors";
        plain_ = testing::exampleText("text_to_image");
        cached_ = testing::exampleText("text_to_image_deepcache");
        const testing::ModuleRun plain = runDumping(plain_, options("none", "cpu"));
        QVERIFY2(plain.status == Status::Ok, plain.report.dump().c_str());
        expected_ = plain.dump;
        const testing::ModuleRun cached = runDumping(cached_, options("none", "cpu"));
        QVERIFY2(cached.status == Status::Ok, cached.report.dump().c_str());
        expectedCached_ = cached.dump;
        expectedSteps_ = testing::stepsIn(cached.report.at("repetitions").back());
        QVERIFY(expected_.size() > 10000 && expectedCached_.size() > 10000);
        QVERIFY(expectedSteps_.at("full") == 2 && expectedSteps_.at("partial") == 2);
        QVERIFY(expectedSteps_.at("bytes") > 0);
        QCOMPARE(expectedSteps_.at("bytes_after"), Json(0));
    }

    void cleanup() { testing::checkNothingIsLeft(); }

    void everyPolicy_data() { testing::addRows("policy", kPolicies); }

    void case1_aStepCacheDiesWithItsRun_data() { everyPolicy_data(); }

    /// A batch of 2, repeated: the bits and the recomputed steps of the cache without offload.
    void case1_aStepCacheDiesWithItsRun() {
        QFETCH(QString, policy);
        Json wanted = options(policy.toStdString());
        wanted["repeat"] = testing::isFullTest() ? 3 : 2;

        const testing::ModuleRun ended = runDumping(cached_, wanted);

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        QVERIFY(ended.dump == expectedCached_);
        QCOMPARE(ended.report.at("repetitions").size(), wanted.at("repeat").get<size_t>());
        for (const Json& repetition : ended.report.at("repetitions")) {
            QCOMPARE(testing::stepsIn(repetition), expectedSteps_);
            QCOMPARE(repetition.at("ledger").at("fake").at("total"), Json(0));
        }
        QVERIFY(runDumping(plain_, options(policy.toStdString())).dump == expected_);
    }

    void case2_encodeAloneLeavesNothing_data() { everyPolicy_data(); }

    void case2_encodeAloneLeavesNothing() {
        QFETCH(QString, policy);
        Json wanted = options(policy.toStdString());
        wanted["until"] = {"encode"};

        const testing::ModuleRun ended = testing::runModule(plain_, wanted);

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        QVERIFY(ended.report.at("repetitions").back().at("bytesToDevice") > 0);
        QCOMPARE(testing::bytesOn("fake"), int64_t{0});
    }

    /// One encoder of two is kept, and no byte next to it.
    void case2_whatIsKeptIsAllThatRemains() {
        Json wanted = options("model");
        wanted["policies"].push_back("encode.text_encoder_2=model,after=keep");

        const testing::ModuleRun ended = runDumping(plain_, wanted);

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        QVERIFY(ended.dump == expected_);
        QVERIFY(weightsOf("text_encoder_2") > 0);
        QCOMPARE(testing::bytesOn("fake"), weightsOf("text_encoder_2"));
    }

    void case2_noEndLeavesAnything_data() {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<QString>("node");
        for (const char* policy : kPolicies) {
            for (const char* node : {"encode", "denoise", "decode"}) {
                QTest::addRow("%s, %s", policy, node) << policy << node;
            }
        }
    }

    /// Cancelled where each stage begins.
    void case2_noEndLeavesAnything() {
        QFETCH(QString, policy);
        QFETCH(QString, node);
        testing::checkCancelledEnd(plain_, options(policy.toStdString()), node);
    }

    void case5_aLossyChoiceIsSeenAndRefusedWhereBitsMustHold_data() {
        testing::addTable<QString>({"role"}, {{"denoiser", "denoise"}, {"autoencoder", "decode"}});
    }

    void case5_aLossyChoiceIsSeenAndRefusedWhereBitsMustHold() {
        QFETCH(QString, role);
        const std::string node = role.toStdString();
        Json wanted = options("auto");
        wanted["precisions"] = {node + "=quality,compute=bf16"};
        const testing::ModuleRun softer = runDumping(plain_, wanted);
        QVERIFY2(softer.status == Status::Ok, softer.report.dump().c_str());
        QVERIFY(softer.dump != expected_);
        QVERIFY(!softer.report.at("precision").at(node).at("lossy").empty());

        wanted["exact"] = true;
        const testing::ModuleRun refused = testing::runModule(plain_, wanted);
        QVERIFY(refused.status != Status::Ok);
        QVERIFY2(refused.report.dump().find("node " + node + " is lossy") != std::string::npos,
                 refused.report.dump().c_str());
        wanted["precisions"] = {node + "=quality"};
        QVERIFY(runDumping(plain_, wanted).dump == expected_);
    }

    void peaksAreThosePredicted_data() {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("batch");
        int number = 0;
        for (const char* policy : kPolicies) {
            for (const auto& [width, height] : {std::pair{64, 64}, {128, 96}, {160, 192}}) {
                ++number;
                for (const int batch : {1, 2}) {
                    // Every pair of a policy, a size and a batch; all three where there is time.
                    if (testing::isFullTest() || (number + batch) % 2 == 0) {
                        QTest::addRow("%s, %d x %d x %d", policy, width, height, batch)
                            << policy << width << height << batch;
                    }
                }
            }
        }
    }

    void peaksAreThosePredicted() {
        QFETCH(QString, policy);
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(int, batch);
        Json wanted = options(policy.toStdString(), "fake:1GiB");
        for (const auto& [name, number] :
             {std::pair{"width", width}, {"height", height}, {"batch", batch}}) {
            wanted["set"].push_back("latent." + std::string(name) + "=" + std::to_string(number));
        }
        wanted["set"].push_back("denoise.steps=2");

        const testing::ModuleRun ended = testing::runModule(plain_, wanted);

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        int compared = 0;
        for (const Json& node : ended.report.at("repetitions").back().at("nodes")) {
            for (const Json& stage : ended.report.at("plan").at("stages")) {
                if (stage.at("node") != node.at("node") || node.at("device") != "fake") {
                    continue;
                }
                const auto predicted = stage.at("devices").at("fake").at("total").get<double>();
                const auto measured = node.at("peakBytes").get<double>();
                QVERIFY2(std::abs(predicted - measured) <= kPeakTolerance * measured,
                         (node.at("node").get<std::string>() + ": predicted " +
                          std::to_string(predicted) + ", measured " + std::to_string(measured))
                             .c_str());
                ++compared;
            }
        }
        QVERIFY(compared >= 3);
    }

    void anAllocationThatFailsCostsNoBit_data() {
        testing::addRows("kind", {"arena", "staging", "wire", "activation"});
    }

    /// Some of each kind, from the first to the last: recovered with the same bits, or reported
    /// with the node; nothing is left.
    void anAllocationThatFailsCostsNoBit() {
        QFETCH(QString, kind);
        const std::string what = kind.toStdString();
        const auto all = runFailing(what, kNone)
                             .report.at("rehearsal")
                             .at("fake")
                             .at("allocations")
                             .at(what)
                             .get<int64_t>();
        QVERIFY(all > 0);
        int recovered = 0;
        for (int i = 0; i < kFailures; ++i) {
            const int64_t number = 1 + i * (all - 1) / (kFailures - 1);
            const testing::ModuleRun ended = runFailing(what, number);
            QCOMPARE(testing::bytesOn("fake"), int64_t{0});
            if (ended.status == Status::Ok) {
                QVERIFY2(ended.dump == expected_, std::to_string(number).c_str());
                ++recovered;
                continue;
            }
            const Json& issue = ended.report.at("issues").back();
            QVERIFY2(issue.at("code") == "out_of_memory" && issue.at("node") != "",
                     issue.dump().c_str());
        }
        qInfo("%s: %d of %d recovered", what.c_str(), recovered, kFailures);
        QVERIFY(recovered > kFailures / 2);
    }

    /// Added embeddings are constructed last and used first; both encoders stream one after the
    /// other. The dry run has shown it: nothing comes late, not even in the first forward.
    void theOrderOfCallsIsAHint() {
        const testing::ModuleRun ended = runDumping(plain_, options("leaf+stream"));

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        QVERIFY(ended.dump == expected_);
        const Json& traffic = ended.report.at("repetitions").back().at("traffic");
        const auto copies = traffic.at("copies").get<int>();
        QVERIFY2(copies > 500, traffic.dump().c_str());  // groups of several forwards
        QVERIFY2(traffic.at("misses") == 0, traffic.dump().c_str());
    }
};

LOWTIDE_TEST(SdxlCasesTest)

}  // namespace sdxl_cases_test

#include "sdxl_cases_test.moc"
