// Z-Image and Z-Image-Turbo: every value that diffusers' pipeline computes.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace zimage_golden_test {

using namespace lowtide;

namespace {

const testing::CaseParameters kParameters = {{"prompt", {"encode.prompt"}},
                                             {"negative", {"encode.negative"}},
                                             {"width", {"latent.width"}},
                                             {"height", {"latent.height"}},
                                             {"batch", {"latent.batch"}},
                                             {"steps", {"denoise.steps"}},
                                             {"seed", {"denoise.seed"}},
                                             {"sampler", {"denoise.sampler"}},
                                             {"strength", {"denoise.strength"}}};

/// The example that does what the case does.
QString zimageExampleOf(const Json& test) {
    return test.contains("mask")    ? "inpaint"
           : test.contains("image") ? "image_to_image"
                                    : "text_to_image";
}

}  // namespace

class ZImageGoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::zimageGoldenFolder();
        cases_ = testing::readCases("zimage_cases");
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    /// The pipeline's guidance of s is 1 + s where others count from no guidance at 1.
    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        QStringList settings = testing::caseSettings(test, kParameters);
        settings << QString("denoise.cfg=%1").arg(test.at("cfg").get<double>() + 1)
                 << "load.checkpoint=" + goldens_ + "/checkpoints/" +
                        testing::caseText(test.at("checkpoint"));
        if (test.contains("image")) {
            const QString picture = goldens_ + "/images/" + testing::caseText(test.at("image"));
            settings << "load_image.image=" + picture + ".png";
            if (test.contains("mask")) {
                settings << "load_mask.image=" + picture + "_mask.png";
            }
        }
        const std::string problems =
            testing::caseProblems(test,
                                  goldens_,
                                  testing::exampleGraph(zimageExampleOf(test)),
                                  settings,
                                  "embeds.prompt");
        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(ZImageGoldenTest)

}  // namespace zimage_golden_test

#include "zimage_golden_test.moc"
