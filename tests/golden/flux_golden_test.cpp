// FLUX.1 dev and schnell: every value that diffusers' pipelines compute.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace flux_golden_test {

using namespace lowtide;

namespace {

const testing::CaseParameters kParameters = {{"prompt", {"encode.prompt"}},
                                             {"prompt_2", {"encode.prompt_2"}},
                                             {"negative", {"encode.negative"}},
                                             {"negative_2", {"encode.negative_2"}},
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
QString fluxExampleOf(const Json& test) {
    return test.contains("mask")    ? "inpaint"
           : test.contains("image") ? "image_to_image"
                                    : "text_to_image";
}

}  // namespace

class FluxGoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::fluxGoldenFolder();
        cases_ = testing::readCases("flux_cases");
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
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
            test, goldens_, testing::exampleGraph(fluxExampleOf(test)), settings, "embeds.prompt");
        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(FluxGoldenTest)

}  // namespace flux_golden_test

#include "flux_golden_test.moc"
