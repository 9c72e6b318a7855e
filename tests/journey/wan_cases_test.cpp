// Case 4 of the product: image to video with UMT5, CLIP vision, WAN's transformer, of which a layer
// is never executed, and its autoencoder, under every policy and on mixed devices.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/graph_edits.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/policy_runs.hpp"

#include <QtTest/QtTest>

namespace wan_cases_test {

using namespace lowtide;

namespace {

/// Policies next to "leaf+stream" everywhere, which put components on two devices.
const char* const kMixed[] = {"decode=auto@cpu",
                              "video.autoencoder=none@cpu",
                              "video.image_encoder=leaf+stream@cpu",
                              "encode=leaf+stream@cpu",
                              "denoise=block:1+stream@cpu"};

constexpr const char* kStages[] = {"encode", "video", "denoise", "decode"};
}  // namespace

class WanCasesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string goldens_;
    std::string graph_;
    QByteArray expected_;

    Json options(const std::string& policy, const std::string& device = "fake:256MiB") const {
        return {{"device", device},
                {"set",
                 {"load.checkpoint=" + goldens_ + "/checkpoints/wan_i2v_0",
                  "load_image.image=" + goldens_ + "/images/init.png",
                  "video.width=64",
                  "video.height=48",
                  "video.frames=9",
                  "denoise.steps=2",
                  "save_video.format=png"}},
                {"out", folder_.path().toStdString()},
                {"forceExecution", true},
                {"policies", testing::ofStages({"encode", "video", "denoise", "decode"}, policy)}};
    }

    testing::ModuleRun runDumping(const Json& options) const {
        return testing::runDumping(graph_, options, folder_);
    }

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::wanGoldenFolder().toStdString();
        graph_ = testing::exampleText("image_to_video");
        expected_ = testing::dumpToCompare(runDumping(options("none", "cpu")));
    }

    void cleanup() { testing::checkNothingIsLeft(); }

    void everyPolicy_data() { testing::addPolicyRows(); }

    void case4_noPolicyChangesAByte_data() { everyPolicy_data(); }

    /// Repeated, with the autoencoder's history of frames and both prompts' forwards.
    void case4_noPolicyChangesAByte() {
        QFETCH(QString, policy);
        Json wanted = options(policy.toStdString());
        wanted["repeat"] = testing::isFullTest() ? 3 : 2;
        testing::checkBits(runDumping(wanted), expected_);
    }

    void case4_devicesMix_data() { testing::addPolicyRows(kMixed); }

    void case4_devicesMix() {
        QFETCH(QString, policy);
        Json wanted = options("leaf+stream");
        wanted["policies"].push_back(policy.toStdString());
        wanted["repeat"] = testing::isFullTest() ? 3 : 2;
        testing::checkBits(runDumping(wanted), expected_);
    }

    void case4_bf16IsTheSameEverywhere_data() { everyPolicy_data(); }

    void case4_bf16IsTheSameEverywhere() {
        QFETCH(QString, policy);
        static QByteArray expected;
        if (expected.isEmpty()) {
            expected = runDumping(testing::inHalf(options("none", "cpu"))).dump;
            QVERIFY(expected.size() > testing::kFewestDumped && expected != expected_);
        }
        testing::checkBits(runDumping(testing::inHalf(options(policy.toStdString()))), expected);
    }

    void case4_twoRangesAreTheOne_data() { everyPolicy_data(); }

    /// The images that condition the first stage go on with its latents, like the sampler's state:
    /// also where they were made on another device.
    void case4_twoRangesAreTheOne() {
        QFETCH(QString, policy);
        Json graph = testing::withCopies(Json::parse(graph_), {{"denoise", "finish"}});
        testing::relink(graph, "denoise", "latent", "finish", "latent");
        testing::relink(graph, "finish", "latent", "decode", "latent");
        Json wanted = options(policy.toStdString());
        for (const char* setting : {"denoise.end_step=1",
                                    "denoise.keep_noise=true",
                                    "finish.steps=2",
                                    "finish.start_step=1",
                                    "finish.add_noise=false"}) {
            wanted["set"].push_back(setting);
        }
        wanted["policies"].push_back("finish=" + policy.toStdString());
        wanted["policies"].push_back("video.image_encoder=none@cpu");
        wanted["repeat"] = 2;
        const testing::ModuleRun ended = testing::runDumping(graph.dump(), wanted, folder_);
        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        const auto pixelsIn = [](const QByteArray& dump) {
            return testing::tensorsIn(dump).at("image").bytes;
        };
        QVERIFY(pixelsIn(ended.dump) == pixelsIn(expected_));
        const Json& ledger = ended.report.at("repetitions").back().at("ledger").at("fake");
        QCOMPARE(ledger.at("total"), Json(0));
        QCOMPARE(ledger.at("peak"), ended.report.at("plan").at("devices").at(0).at("peak"));
    }

    void case4_encodeAloneLeavesNothing_data() { everyPolicy_data(); }

    void case4_encodeAloneLeavesNothing() {
        QFETCH(QString, policy);
        for (const char* node : {"encode", "video"}) {
            Json wanted = options(policy.toStdString());
            wanted["until"] = {node};
            for (int time = 0; time < 2; ++time) {
                const testing::ModuleRun ended = testing::runModule(graph_, wanted);
                QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
                QVERIFY(ended.report.at("repetitions").back().at("bytesToDevice") > 0);
                QCOMPARE(testing::bytesOn("fake"), int64_t{0});
            }
        }
    }

    /// What each policy means, by the bytes that it brings to the device in two steps with
    /// guidance.
    void case4_policiesMeanWhatTheyState() {
        const auto moved = [&](const std::string& policy) {
            const testing::ModuleRun ended = runDumping(options(policy));
            return ended.report.at("repetitions").back().at("bytesToDevice").get<int64_t>();
        };
        const int64_t once = moved("none");
        QCOMPARE(moved("model"), once);        // each component whole, before it is used
        const int64_t leaves = moved("leaf");  // each pass brings all that it uses
        QVERIFY2(leaves > 2 * once, qPrintable(QString("%1, %2").arg(leaves).arg(once)));
        const int64_t ahead = moved("leaf+stream");  // but for what its ring buffer still holds
        QVERIFY2(ahead > 2 * once && ahead <= leaves, qPrintable(QString::number(ahead)));
        QVERIFY(moved("block:1") > once);
    }

    /// Its frames are then no burden of the GPU, before the run and in it.
    void case4_theAutoencoderOnTheCpuMakesSpace() {
        constexpr int64_t kGpu = 24 << 20;
        Json wanted = options("auto", "fake:24MiB");
        for (const char* size :
             {"video.width=256", "video.height=256", "video.frames=5", "denoise.steps=1"}) {
            wanted["set"].push_back(size);
        }
        testing::EventLog log;
        const testing::ModuleRun refused = testing::runModule(graph_, wanted, log);
        QVERIFY(refused.status != Status::Ok);
        wanted["policies"].push_back("video.autoencoder=auto@cpu");
        wanted["policies"].push_back("decode=auto@cpu");
        const testing::ModuleRun ended = testing::runModule(graph_, wanted, log);
        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        const Json& ledger = ended.report.at("repetitions").back().at("ledger");
        QVERIFY(ledger.at("fake").at("peak").get<int64_t>() <= kGpu);
    }

    void case4_noEndLeavesAnything_data() { testing::addStageRows(kStages); }

    /// Cancelled where each stage begins. SDXL has each kind of policy in every stage, WAN every
    /// policy in one, and in all where there is time.
    void case4_noEndLeavesAnything() {
        QFETCH(QString, policy);
        QFETCH(QString, node);
        testing::checkCancelledEnd(graph_, options(policy.toStdString()), node);
    }
};

LOWTIDE_TEST(WanCasesTest)

}  // namespace wan_cases_test

#include "wan_cases_test.moc"
