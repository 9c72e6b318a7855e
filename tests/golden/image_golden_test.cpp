#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace image_golden_test {

using namespace lowtide;

namespace {

const testing::CaseParameters kParameters = {{"prompt", {"encode.prompt"}},
                                             {"negative", {"encode.negative"}},
                                             {"steps", {"denoise.steps"}},
                                             {"cfg", {"denoise.cfg"}},
                                             {"seed", {"denoise.seed"}},
                                             {"sampler", {"denoise.sampler"}},
                                             {"sigmas", {"denoise.sigmas"}},
                                             {"eta", {"denoise.eta"}},
                                             {"strength", {"denoise.strength"}}};

/// The example that does what the case does.
QString exampleOf(const Json& test) {
    if (!test.contains("mask")) {
        return "image_to_image";
    }
    const bool fills = test.at("checkpoint").get<std::string>().starts_with("inpaint_");
    return fills ? "inpaint_model" : "inpaint";
}

QStringList settingsOf(const Json& test, const QString& goldens) {
    const QString picture = goldens + "/images/" + testing::caseText(test.at("image"));
    const QString example = exampleOf(test);
    QStringList settings = testing::caseSettings(test, kParameters);
    settings << "load.checkpoint=" + goldens + "/checkpoints/" +
                    testing::caseText(test.at("checkpoint"))
             << "load_image.image=" + picture + (example == "inpaint_model" ? "_hole.png" : ".png");
    if (example == "inpaint") {
        settings << "load_mask.image=" + picture + "_mask.png";
    }
    return settings;
}

}  // namespace

/// Image to image, and inpainting with networks of 4 and of 9 channels, from the picture's file:
/// every value that diffusers' own pipelines compute, in their order of draws.
class ImageGoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::imageGoldenFolder();
        cases_ = testing::readCases("image_cases");
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const std::string problems = testing::caseProblems(test,
                                                           goldens_,
                                                           testing::exampleGraph(exampleOf(test)),
                                                           settingsOf(test, goldens_),
                                                           "random.001");
        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(ImageGoldenTest)

}  // namespace image_golden_test

#include "image_golden_test.moc"
