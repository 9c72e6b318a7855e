// Every value that diffusers' pipelines compute, in runs of the example that does the same. A
// family is a row; LOWTIDE_FAMILY names the one that is tested.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/tested_family.hpp"
#include "tests/golden/case_problems.hpp"

#include <QRegularExpression>
#include <QtTest/QtTest>

namespace golden_test {

using namespace lowtide;

namespace {

/// The checkpoints of Stable Diffusion as save_pretrained writes them today, with one
/// tokenizer.json; made once.
QString savedFolders(const QString& goldens) {
    const QString script = testing::sourcePath("tests/golden/make_saved_folders.py");
    QString folder = goldens + "/saved-" + testing::hashOfScript(script);
    testing::runReferenceAlone(folder, {script, goldens + "/checkpoints", folder});
    return folder;
}

struct FamilyCases {
    std::string name;
    QString (*goldens)(const QString& cases);
    QString cases;
    QString allCases = cases;   ///< where the whole test is asked for
    std::string key{};          ///< of a value that each case has
    std::string keyOfImages{};  ///< of a value that those with an image have
    double addedCfg = 0;        ///< ours counts from no guidance at 1
    QString emptyNegative{};    ///< our parameter for the empty text; "" is no text at all
    std::string ending{};       ///< of the names of its cases
    QString (*checkpoints)(const QString& goldens) = [](const QString& folder) {
        return folder + "/checkpoints";
    };
};

const FamilyCases kFamilies[] = {
    {.name = "sd15",
     .goldens = [](const QString&) { return testing::goldenFolder(); },
     .cases = "cases"},
    {.name = "saved",
     .goldens = [](const QString&) { return testing::goldenFolder(); },
     .cases = "cases",
     .ending = "_checkpoint",
     .checkpoints = savedFolders},
    {.name = "image",
     .goldens = [](const QString&) { return testing::imageGoldenFolder(); },
     .cases = "image_cases",
     .key = "random.001"},
    {.name = "sdxl",
     .goldens = testing::sdxlGoldenFolder,
     .cases = "sdxl_cases",
     .allCases = "sdxl_all_cases",
     .key = "added.time_ids",
     .emptyNegative = " "},
    {.name = "refiner",
     .goldens = testing::refinerGoldenFolder,
     .cases = "refiner_cases",
     .allCases = "refiner_all_cases",
     .key = "refine/added.time_ids"},
    {.name = "wan",
     .goldens = testing::wanGoldenFolder,
     .cases = "wan_cases",
     .allCases = "wan_all_cases",
     .keyOfImages = "condition"},
    {.name = "hidream",
     .goldens = testing::hidreamGoldenFolder,
     .cases = "hidream_cases",
     .allCases = "hidream_all_cases",
     .key = "text_encoder_4.hidden.0.000"},
    {.name = "zimage",
     .goldens = [](const QString&) { return testing::zimageGoldenFolder(); },
     .cases = "zimage_cases",
     .key = "embeds.prompt",
     .addedCfg = 1},
    {.name = "flux",
     .goldens = [](const QString&) { return testing::fluxGoldenFolder(); },
     .cases = "flux_cases",
     .key = "embeds.prompt"}};

const testing::CaseParameters kParameters = {
    {"prompt", {"encode.prompt"}},
    {"prompt_2", {"encode.prompt_2"}},
    {"prompt_3", {"encode.prompt_3"}},
    {"prompt_4", {"encode.prompt_4"}},
    {"negative", {"encode.negative"}},
    {"negative_2", {"encode.negative_2"}},
    {"negative_3", {"encode.negative_3"}},
    {"negative_4", {"encode.negative_4"}},
    {"clip_skip", {"encode.clip_skip"}},
    {"crop", {"encode.crop_top", "encode.crop_left"}},
    {"guidance", {"encode.guidance"}},
    {"length", {"encode.length"}},
    {"original_size", {"encode.original_height", "encode.original_width"}},
    {"width", {"latent.width"}},
    {"height", {"latent.height"}},
    {"batch", {"latent.batch"}},
    {"frames", {"video.frames"}},
    {"steps", {"denoise.steps"}},
    {"cfg", {"denoise.cfg"}},
    {"cfg_2", {"denoise.cfg_2"}},
    {"seed", {"denoise.seed"}},
    {"sampler", {"denoise.sampler"}},
    {"shift", {"denoise.shift"}},
    {"sigmas", {"denoise.sigmas"}},
    {"spacing", {"denoise.spacing"}},
    {"strength", {"denoise.strength"}},
    {"eta", {"denoise.eta"}},
    {"guidance_rescale", {"denoise.guidance_rescale"}},
    {"interval", {"deepcache.interval"}},
    {"depth", {"deepcache.depth"}},
    {"threshold", {"block_cache.threshold"}}};

/// The example that does what the case does.
QString exampleOf(const Json& test) {
    const bool isImage = test.contains("image");
    if (test.contains("refiner")) {
        return "base_refiner";
    }
    if (test.contains("frames")) {
        return isImage ? test.contains("last") ? "first_and_last_to_video" : "image_to_video"
               : test.contains("threshold") ? "text_to_video_block_cache"
                                            : "text_to_video";
    }
    if (!isImage) {
        return test.contains("depth") ? "text_to_image_deepcache" : "text_to_image";
    }
    if (!test.contains("mask")) {
        return "image_to_image";
    }
    const bool fills = test.at("checkpoint").get<std::string>().starts_with("inpaint_");
    return fills ? "inpaint_model" : "inpaint";
}

/// The images of a case, each in the node of its example that opens it.
QStringList imageSettings(const Json& test, const QString& goldens) {
    const QString example = exampleOf(test);
    const auto pathOf = [&](const char* key, const char* ending) {
        return goldens + "/images/" + testing::caseText(test.at(key)) + ending;
    };
    QStringList settings;
    if (test.contains("image")) {
        settings << "load_image.image=" +
                        pathOf("image", example == "inpaint_model" ? "_hole.png" : ".png");
    }
    if (example == "inpaint") {
        settings << "load_mask.image=" + pathOf("image", "_mask.png");
    }
    if (test.contains("last")) {
        settings << "load_last.image=" + pathOf("last", ".png");
    }
    if (test.contains("image") && test.contains("frames")) {
        settings << "video.fit=stretch";
    }
    return settings;
}

/// What the second half of a run is given besides: the same as the first, from where that ends.
QStringList refinerSettings(const Json& test, const QStringList& ofBase) {
    const QString fraction = testing::caseText(test.at("share"));
    QStringList settings = {"denoise.end_at=" + fraction, "refine.start_at=" + fraction};
    for (QString setting : ofBase) {
        for (const auto& [node, refiners] : {std::pair("encode.", "encode_refiner."),
                                             {"denoise.", "refine."},
                                             {"load.", "load_refiner."}}) {
            if (setting.startsWith(node)) {
                settings << setting.replace(0, QString(node).size(), refiners);
                break;
            }
        }
    }
    return settings;
}

}  // namespace

class GoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        const QString cases = testing::isFullTest() ? family_.allCases : family_.cases;
        goldens_ = family_.goldens(cases);
        cases_ = testing::readCases(cases);
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_, family_.ending); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const std::string problems = problemsOf(cases_[static_cast<size_t>(index)]);
        QVERIFY2(problems.empty(), problems.c_str());
    }

    /// The last case once more, by the program as it is installed.
    void theProgramAgrees() {
        const std::string problems = problemsOf(cases_.back(), testing::RunIn::Program);
        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    [[nodiscard]] std::string problemsOf(const Json& test,
                                         testing::RunIn process = testing::RunIn::Test) const {
        const bool hasOwnKey = test.contains("image") && !family_.keyOfImages.empty();
        return testing::caseProblems(test,
                                     goldens_,
                                     testing::exampleGraph(exampleOf(test)),
                                     settingsOf(test),
                                     hasOwnKey ? family_.keyOfImages : family_.key,
                                     process);
    }

    [[nodiscard]] QStringList settingsOf(Json test) const {
        test["cfg"] = test.at("cfg").get<double>() + family_.addedCfg;
        if (test.value("negative", "-").empty() && !family_.emptyNegative.isEmpty()) {
            test["negative"] = family_.emptyNegative.toStdString();
        }
        const QString checkpoints = family_.checkpoints(goldens_) + "/";
        const auto setCheckpoint = [&](const Json& name) {
            return "load.checkpoint=" + checkpoints + testing::caseText(name);
        };
        QStringList settings = testing::caseSettings(test, kParameters);
        if (test.contains("refiner")) {
            settings +=
                refinerSettings(test, QStringList(settings) << setCheckpoint(test.at("refiner")));
        }
        settings << setCheckpoint(test.at(test.contains("ours") ? "ours" : "checkpoint"));
        if (test.contains("frames")) {
            settings.replaceInStrings(QRegularExpression("^latent\\."), "video.");
        }
        if (test.contains("threshold")) {  // diffusers' First Block Cache has no limits
            settings << "block_cache.warm_up=0"
                     << "block_cache.max_consecutive=0"
                     << "block_cache.keep_last=0";
        }
        return settings + imageSettings(test, goldens_);
    }

    const FamilyCases& family_ = testing::ofTestedFamily(kFamilies);
    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(GoldenTest)

}  // namespace golden_test

#include "golden_test.moc"
