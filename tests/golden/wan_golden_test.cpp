#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace wan_golden_test {

using namespace lowtide;

namespace {

const testing::CaseParameters kParameters = {{"prompt", {"encode.prompt"}},
                                             {"negative", {"encode.negative"}},
                                             {"width", {"video.width"}},
                                             {"height", {"video.height"}},
                                             {"frames", {"video.frames"}},
                                             {"steps", {"denoise.steps"}},
                                             {"cfg", {"denoise.cfg"}},
                                             {"seed", {"denoise.seed"}},
                                             {"shift", {"denoise.shift"}},
                                             {"sampler", {"denoise.sampler"}}};

}  // namespace

/// WAN: every value that diffusers' pipelines compute, for every case of wan_cases.json.
class WanGoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::wanGoldenFolder();
        cases_ = testing::readCases("wan_cases");
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const bool hasImage = test.contains("image");
        QStringList settings = testing::caseSettings(test, kParameters);
        settings << "load.checkpoint=" + goldens_ + "/checkpoints/" +
                        testing::caseText(test.at("checkpoint"));
        if (hasImage) {
            settings << "load_image.image=" + goldens_ + "/images/" +
                            testing::caseText(test.at("image")) + ".png"
                     << "video.fit=stretch";
        }
        const std::string problems = testing::caseProblems(
            test,
            goldens_,
            testing::exampleGraph(hasImage ? "image_to_video" : "text_to_video"),
            settings,
            hasImage ? "condition" : "");
        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(WanGoldenTest)

}  // namespace wan_golden_test

#include "wan_golden_test.moc"
