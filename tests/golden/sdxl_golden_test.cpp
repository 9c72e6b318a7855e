#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace sdxl_golden_test {

using namespace lowtide;

namespace {

const testing::CaseParameters kParameters = {
    {"prompt", {"encode.prompt"}},
    {"negative", {"encode.negative"}},
    {"prompt_2", {"encode.prompt_2"}},
    {"negative_2", {"encode.negative_2"}},
    {"original_size", {"encode.original_height", "encode.original_width"}},
    {"crop", {"encode.crop_top", "encode.crop_left"}},
    {"clip_skip", {"encode.clip_skip"}},
    {"width", {"latent.width"}},
    {"height", {"latent.height"}},
    {"batch", {"latent.batch"}},
    {"steps", {"denoise.steps"}},
    {"cfg", {"denoise.cfg"}},
    {"seed", {"denoise.seed"}},
    {"sampler", {"denoise.sampler"}},
    {"sigmas", {"denoise.sigmas"}},
    {"guidance_rescale", {"denoise.guidance_rescale"}},
    {"interval", {"deepcache.interval"}},
    {"depth", {"deepcache.depth"}},
    {"strength", {"denoise.strength"}}};

/// The example that does what the case does.
QString exampleOf(const Json& test) {
    if (!test.contains("image")) {
        return test.contains("depth") ? "text_to_image_deepcache" : "text_to_image";
    }
    if (!test.contains("mask")) {
        return "image_to_image";
    }
    const bool fills = test.at("checkpoint").get<std::string>().starts_with("inpaint_");
    return fills ? "inpaint_model" : "inpaint";
}

QStringList settingsOf(const Json& test, const QString& goldens) {
    const QString example = exampleOf(test);
    QStringList settings = testing::caseSettings(test, kParameters);
    settings << "load.checkpoint=" + goldens + "/checkpoints/" +
                    testing::caseText(test.at("checkpoint"));
    if (test.contains("image")) {
        const QString picture = goldens + "/images/" + testing::caseText(test.at("image"));
        settings << "load_image.image=" + picture +
                        (example == "inpaint_model" ? "_hole.png" : ".png");
        if (example == "inpaint") {
            settings << "load_mask.image=" + picture + "_mask.png";
        }
    }
    // Left empty it is no text at all; white space is the empty one.
    if (test.contains("negative") && test.at("negative") == "") {
        settings << "encode.negative= ";
    }
    return settings;
}

}  // namespace

/// Stable Diffusion XL: every value that diffusers' pipelines compute, for every case of
/// sdxl_cases.json, or where the whole test is asked for of sdxl_all_cases.json.
class SdxlGoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        const QString cases = testing::isWholeTest() ? "sdxl_all_cases" : "sdxl_cases";
        goldens_ = testing::sdxlGoldenFolder(cases);
        cases_ = testing::readCases(cases);
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const std::string problems = testing::caseProblems(test,
                                                           goldens_,
                                                           testing::exampleGraph(exampleOf(test)),
                                                           settingsOf(test, goldens_),
                                                           "added.time_ids");
        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(SdxlGoldenTest)

}  // namespace sdxl_golden_test

#include "sdxl_golden_test.moc"
