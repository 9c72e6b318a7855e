// FLUX.1, Z-Image or HiDream-I1: every value that diffusers' pipelines compute.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/tested_family.hpp"

#include <QtTest/QtTest>

namespace picture_golden_test {

using namespace lowtide;

namespace {

struct Family {
    std::string name;
    QString (*goldens)(const QString& cases);
    QString cases;
    QString allCases;     ///< where the whole test is asked for
    std::string key;      ///< of a value that each case has
    double addedCfg = 0;  ///< ours counts from no guidance at 1
};

const Family kFamilies[] = {
    {.name = "flux",
     .goldens = [](const QString&) { return testing::fluxGoldenFolder(); },
     .cases = "flux_cases",
     .allCases = "flux_cases",
     .key = "embeds.prompt"},
    {.name = "zimage",
     .goldens = [](const QString&) { return testing::zimageGoldenFolder(); },
     .cases = "zimage_cases",
     .allCases = "zimage_cases",
     .key = "embeds.prompt",
     .addedCfg = 1},
    {.name = "hidream",
     .goldens = testing::hidreamGoldenFolder,
     .cases = "hidream_cases",
     .allCases = "hidream_all_cases",
     .key = "text_encoder_4.hidden.0.000"}};

const testing::CaseParameters kParameters = {{"prompt", {"encode.prompt"}},
                                             {"prompt_2", {"encode.prompt_2"}},
                                             {"prompt_3", {"encode.prompt_3"}},
                                             {"prompt_4", {"encode.prompt_4"}},
                                             {"negative", {"encode.negative"}},
                                             {"negative_2", {"encode.negative_2"}},
                                             {"negative_3", {"encode.negative_3"}},
                                             {"negative_4", {"encode.negative_4"}},
                                             {"guidance", {"encode.guidance"}},
                                             {"length", {"encode.length"}},
                                             {"width", {"latent.width"}},
                                             {"height", {"latent.height"}},
                                             {"batch", {"latent.batch"}},
                                             {"steps", {"denoise.steps"}},
                                             {"cfg", {"denoise.cfg"}},
                                             {"seed", {"denoise.seed"}},
                                             {"sampler", {"denoise.sampler"}},
                                             {"strength", {"denoise.strength"}}};

/// The example that does what the case does.
QString pictureExampleOf(const Json& test) {
    return test.contains("mask")    ? "inpaint"
           : test.contains("image") ? "image_to_image"
                                    : "text_to_image";
}

}  // namespace

/// Every variant, sampler, shape, length of texts, negative prompt, one picture and two.
class PictureGoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        const QString cases = testing::isWholeTest() ? family_.allCases : family_.cases;
        goldens_ = family_.goldens(cases);
        cases_ = testing::readCases(cases);
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        Json test = cases_[static_cast<size_t>(index)];
        test["cfg"] = test.at("cfg").get<double>() + family_.addedCfg;
        QStringList settings = testing::caseSettings(test, kParameters);
        settings << "load.checkpoint=" + goldens_ + "/checkpoints/" +
                        testing::caseText(test.at("checkpoint"));
        if (test.contains("image")) {
            const QString picture = goldens_ + "/images/" + testing::caseText(test.at("image"));
            settings << "load_image.image=" + picture + ".png";
            if (test.contains("mask")) {
                settings << "load_mask.image=" + picture + "_mask.png";
            }
        }
        const std::string problems = testing::caseProblems(
            test, goldens_, testing::exampleGraph(pictureExampleOf(test)), settings, family_.key);
        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    const Family& family_ = testing::ofTestedFamily(kFamilies);
    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(PictureGoldenTest)

}  // namespace picture_golden_test

#include "picture_golden_test.moc"
