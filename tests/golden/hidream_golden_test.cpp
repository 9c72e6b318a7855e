#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace hidream_golden_test {

using namespace lowtide;

namespace {

const testing::CaseParameters kParameters = {{"prompt", {"encode.prompt"}},
                                             {"negative", {"encode.negative"}},
                                             {"prompt_2", {"encode.prompt_2"}},
                                             {"prompt_3", {"encode.prompt_3"}},
                                             {"prompt_4", {"encode.prompt_4"}},
                                             {"negative_2", {"encode.negative_2"}},
                                             {"negative_3", {"encode.negative_3"}},
                                             {"negative_4", {"encode.negative_4"}},
                                             {"length", {"encode.length"}},
                                             {"width", {"latent.width"}},
                                             {"height", {"latent.height"}},
                                             {"batch", {"latent.batch"}},
                                             {"steps", {"denoise.steps"}},
                                             {"cfg", {"denoise.cfg"}},
                                             {"seed", {"denoise.seed"}},
                                             {"sampler", {"denoise.sampler"}}};

}  // namespace

/// HiDream-I1: every value that diffusers' pipeline computes, for every case of hidream_cases.json,
/// or where the whole test is asked for of hidream_all_cases.json: both variants, every sampler,
/// shape, length of texts, negative prompt, one picture and two.
class HiDreamGoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        const QString name = testing::isWholeTest() ? "hidream_all_cases" : "hidream_cases";
        goldens_ = testing::hidreamGoldenFolder(name);
        cases_ = testing::readCases(name);
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        QStringList settings = testing::caseSettings(test, kParameters);
        settings << "load.checkpoint=" + goldens_ + "/checkpoints/" +
                        testing::caseText(test.at("checkpoint"));
        const std::string problems = testing::caseProblems(test,
                                                           goldens_,
                                                           testing::exampleGraph("text_to_image"),
                                                           settings,
                                                           "text_encoder_4.hidden.0.000");
        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(HiDreamGoldenTest)

}  // namespace hidream_golden_test

#include "hidream_golden_test.moc"
