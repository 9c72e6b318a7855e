// Experts of HiDream-I1: where they come one by one, those alone move to the GPU that the gate
// sends a token to.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <map>

namespace hidream_experts_test {

using namespace lowtide;

namespace {

constexpr int kSteps = 3;
constexpr int kExperts = 4;
constexpr int kActive = 2;  ///< of them, for each token

/// Of a time line's copies while the node "denoise" runs: how often each expert of each block came.
std::map<std::string, std::map<int, int>> expertsCopied(const Json& timeline) {
    std::map<std::string, std::map<int, int>> copies;
    for (const Json& event : timeline) {
        const auto subject = event.at("subject").get<std::string>();
        const size_t at = subject.find(".experts.");
        if (event.at("what") == "copy" && at != std::string::npos) {
            ++copies[subject.substr(0, at)][subject[at + sizeof(".experts.") - 1] - '0'];
        }
    }
    return copies;
}

}  // namespace

class HiDreamExpertsTest : public QObject {
    Q_OBJECT

    static testing::ModuleRun denoised(const std::string& policy, int side) {
        const std::string pixels = std::to_string(side);
        const std::string checkpoint =
            (testing::hidreamGoldenFolder() + "/checkpoints/hidream_0").toStdString();
        const Json options = {{"device", "fake:256MiB"},
                              {"set",
                               {"load.checkpoint=" + checkpoint,
                                "latent.width=" + pixels,
                                "latent.height=" + pixels,
                                "denoise.steps=" + std::to_string(kSteps),
                                "denoise.cfg=1",
                                "denoise.sampler=euler"}},
                              {"until", {"denoise"}},
                              {"forceExecution", true},
                              {"policies", {"denoise=" + policy}}};
        return testing::runModule(testing::exampleText("text_to_image"), options);
    }

    static int64_t movedIn(const Json& stages) {
        for (const Json& stage : stages) {
            if (stage.at("node") == "denoise") {
                return stage.at("moved").get<int64_t>();
            }
        }
        return -1;
    }

    static int64_t moved(const testing::ModuleRun& run) {
        return movedIn(run.report.at("repetitions").back().at("traffic").at("stages"));
    }

private Q_SLOTS:

    /// An image of one token: in the double block, whose experts see the image alone, two of
    /// four; in the single block, through which the prompt goes too, all.
    void movesNoExpertThatNoTokenWasSentTo() {
        const testing::ModuleRun few = denoised("leaf", 16);
        const testing::ModuleRun many = denoised("leaf", 96);
        QVERIFY2(few.status == Status::Ok, few.report.dump().c_str());
        QVERIFY2(many.status == Status::Ok, many.report.dump().c_str());
        const auto copies = expertsCopied(few.report.at("timeline"));
        QCOMPARE(copies.size(), size_t{2});
        int64_t left = 0;
        for (const auto& [block, experts] : copies) {
            int all = 0;
            for (const auto& [expert, times] : experts) {
                QVERIFY(times <= kSteps);
                all += times;
            }
            const bool isDouble = block.find("double_stream_blocks") != std::string::npos;
            QCOMPARE(all, kSteps * (isDouble ? kActive : kExperts));
            left += kSteps * kExperts - all;
        }
        for (const auto& [block, experts] : expertsCopied(many.report.at("timeline"))) {
            QCOMPARE(experts.size(), size_t{kExperts});
        }
        // What the plan lets every image move is what one moves that sends tokens to all.
        const int64_t planned = movedIn(few.report.at("plan").at("stages"));
        QCOMPARE(movedIn(many.report.at("plan").at("stages")), planned);
        QCOMPARE(moved(many), planned);
        constexpr int64_t kExpertBytes = 3 * 256 * 64 * 4;
        QCOMPARE(moved(few), planned - left * kExpertBytes);
    }

    /// Copies that run ahead of the gate bring all; never more than planned.
    void aheadOfTheGateAllMayCome() {
        const testing::ModuleRun few = denoised("leaf+stream", 16);
        QVERIFY2(few.status == Status::Ok, few.report.dump().c_str());
        QVERIFY(moved(few) <= movedIn(few.report.at("plan").at("stages")));
    }
};

LOWTIDE_TEST(HiDreamExpertsTest)

}  // namespace hidream_experts_test

#include "hidream_experts_test.moc"
