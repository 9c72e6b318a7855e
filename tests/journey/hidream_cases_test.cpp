// Case 2 of the product: HiDream-I1 with two CLIPs, T5, Llama, a transformer whose experts take the
// tokens that a gate sends them, under every policy and on mixed devices; after every end of
// encoding nothing is left on the GPU.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/policy_runs.hpp"

#include <QtTest/QtTest>

#include <chrono>
#include <filesystem>
#include <set>

namespace hidream_cases_test {

using namespace lowtide;

namespace fs = std::filesystem;

namespace {

/// Policies next to "leaf+stream" everywhere, which put components on two devices.
const char* const kMixed[] = {"encode.text_encoder_4=leaf+stream@cpu",
                              "encode.text_encoder=none@cpu",
                              "encode.text_encoder_3=block:1+stream@cpu",
                              "encode=leaf+stream@cpu",
                              "decode=auto@cpu",
                              "denoise=block:1+stream@cpu"};

constexpr const char* kEncoders[] = {
    "text_encoder", "text_encoder_2", "text_encoder_3", "text_encoder_4"};
}  // namespace

class HiDreamCasesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string checkpoint_;
    std::string graph_;
    QByteArray expected_;

    Json options(const std::string& policy, const std::string& device = "fake:256MiB") const {
        return {{"device", device},
                {"set",
                 {"load.checkpoint=" + checkpoint_,
                  "encode.prompt=a boat on the lake",
                  "encode.prompt_3=ein Boot",
                  "encode.negative=fog",
                  "encode.length=256",
                  "latent.width=96",
                  "latent.height=64",
                  "latent.batch=2",
                  "denoise.steps=2",
                  "denoise.cfg=4",
                  "denoise.sampler=unipc"}},
                {"out", folder_.path().toStdString()},
                {"forceExecution", true},
                {"policies", testing::ofStages({"encode", "denoise", "decode"}, policy)}};
    }

    testing::ModuleRun runDumping(const Json& options) const {
        return testing::runDumping(graph_, options, folder_);
    }

    testing::ModuleRun encodeAlone(Json options, testing::EventLog& log) const {
        options["until"] = {"encode"};
        return testing::runModule(graph_, options, log);
    }

    /// Of one encoder, when it begins.
    template <class Work>
    static testing::EventLog whenBegins(const char* role, const Work& work) {
        return testing::EventLog([role = std::string(role), work](const Json& arrived) {
            if (arrived.at("event") == "nodeProgress" && arrived.at("phase") == role) {
                work(arrived.at("run").get<RunId>());
            }
        });
    }

    /// Whether a run ends as `ends` looks for: events come while it goes on, so some are too late.
    /// Nothing is left on the GPU, however it ends.
    template <class Ends>
    static bool seenEmptied(const Ends& ends) {
        constexpr int kMostTries = 50;
        bool isSeen = false;
        for (int i = 0; i < kMostTries && !isSeen; ++i) {
            isSeen = ends();
            if (testing::bytesOn("fake") != 0) {
                return false;
            }
        }
        return isSeen;
    }

private Q_SLOTS:

    void initTestCase() {
        // A copy: other tests read the original while one here pretends that it changed.
        const QString copy = folder_.filePath("hidream_0");
        testing::copyFolder(testing::hidreamGoldenFolder() + "/checkpoints/hidream_0", copy);
        checkpoint_ = copy.toStdString();
        graph_ = testing::exampleText("text_to_image");
        expected_ = testing::dumpToCompare(runDumping(options("none", "cpu")));
    }

    void cleanup() { testing::checkNothingIsLeft(); }

    void everyPolicy_data() { testing::addPolicyRows(); }

    void case2_noPolicyChangesAByte_data() { everyPolicy_data(); }

    /// Repeated, and what the plan stated of the peak holds.
    void case2_noPolicyChangesAByte() {
        QFETCH(QString, policy);
        Json wanted = options(policy.toStdString());
        wanted["repeat"] = testing::isFullTest() ? 3 : 2;
        testing::checkBits(runDumping(wanted), expected_);
    }

    void case2_devicesMix_data() { testing::addPolicyRows(kMixed); }

    void case2_devicesMix() {
        QFETCH(QString, policy);
        Json wanted = options("leaf+stream");
        wanted["policies"].push_back(policy.toStdString());
        wanted["repeat"] = testing::isFullTest() ? 3 : 2;
        testing::checkBits(runDumping(wanted), expected_);
    }

    void case2_bf16IsTheSameEverywhere_data() { everyPolicy_data(); }

    void case2_bf16IsTheSameEverywhere() {
        QFETCH(QString, policy);
        static QByteArray expected;
        if (expected.isEmpty()) {
            expected = runDumping(testing::inHalf(options("none", "cpu"))).dump;
            QVERIFY(expected.size() > testing::kFewestDumped && expected != expected_);
        }
        testing::checkBits(runDumping(testing::inHalf(options(policy.toStdString()))), expected);
    }

    void case2_peaksAreAsPlanned_data() { everyPolicy_data(); }

    void case2_peaksAreAsPlanned() {
        QFETCH(QString, policy);
        for (const char* until : {"encode", "decode"}) {
            Json wanted = options(policy.toStdString());
            wanted["until"] = {until};
            const testing::ModuleRun ended = testing::runModule(graph_, wanted);
            QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
            testing::checkPeaks(ended);
        }
    }

    void case2_encodeAloneLeavesNothing_data() { everyPolicy_data(); }

    /// Finished, failed in the third encoder, cancelled in the fourth: twice each.
    void case2_encodeAloneLeavesNothing() {
        QFETCH(QString, policy);
        const Json wanted = options(policy.toStdString());
        const fs::path weights = fs::path(checkpoint_) / "text_encoder_3" / "model.safetensors";
        const auto time = fs::last_write_time(weights);
        Runner& runner = *testing::openModule().runner();
        for (int i = 0; i < 2; ++i) {
            testing::EventLog plain;
            const testing::ModuleRun finished = encodeAlone(wanted, plain);
            QVERIFY2(finished.status == Status::Ok, finished.report.dump().c_str());
            QVERIFY(finished.report.at("repetitions").back().at("bytesToDevice") > 0);
            QCOMPARE(testing::bytesOn("fake"), int64_t{0});

            const auto cancelled = [&] {
                testing::EventLog log = whenBegins(
                    "text_encoder_4", [&](RunId run) { runner.cancel(run, CancelMode::Now); });
                return encodeAlone(wanted, log).status == Status::Cancelled;
            };
            QVERIFY(seenEmptied(cancelled));

            const auto failed = [&] {
                testing::EventLog log = whenBegins("text_encoder", [&](RunId) {
                    fs::last_write_time(weights, time + std::chrono::seconds(1));
                });
                const Status status = encodeAlone(wanted, log).status;
                fs::last_write_time(weights, time);
                return status != Status::Ok && status != Status::Cancelled;
            };
            QVERIFY(seenEmptied(failed));
        }
    }

    /// Which encoder held weights when: one after the other where each is a "model".
    void case2_theLedgerStatesWhoHeldWhat() {
        const testing::ModuleRun ended = runDumping(options("model"));
        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        std::vector<std::string> order;
        for (const Json& event : ended.report.at("timeline")) {
            const auto what = event.at("what").get<std::string>();
            const auto subject = event.at("subject").get<std::string>();
            const std::string role = subject.substr(0, subject.find('.'));
            const bool isEncoder = role.starts_with("text_encoder");
            if (isEncoder && (what == "copy" || what == "evict")) {
                const std::string moved = what + " " + role;
                if (order.empty() || order.back() != moved) {
                    order.push_back(moved);
                }
            }
        }
        std::vector<std::string> expected;
        for (const char* role : kEncoders) {
            expected.push_back(std::string("copy ") + role);
            expected.push_back(std::string("evict ") + role);
        }
        QVERIFY2(order == expected, Json(order).dump().c_str());
    }

    void case2_noEndLeavesAnything_data() {
        constexpr const char* kStages[] = {"encode", "denoise", "decode"};
        testing::addStageRows(kStages);
    }

    /// Cancelled where each stage begins. SDXL has each kind of policy in every stage, HiDream-I1
    /// every policy in one, and in all where there is time.
    void case2_noEndLeavesAnything() {
        QFETCH(QString, policy);
        QFETCH(QString, node);
        testing::checkCancelledEnd(graph_, options(policy.toStdString()), node);
    }
};

LOWTIDE_TEST(HiDreamCasesTest)

}  // namespace hidream_cases_test

#include "hidream_cases_test.moc"
