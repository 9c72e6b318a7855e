#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace golden_test {

using namespace lowtide;

namespace {

const testing::CaseParameters kParameters = {{"prompt", {"encode.prompt"}},
                                             {"negative", {"encode.negative"}},
                                             {"clip_skip", {"encode.clip_skip"}},
                                             {"width", {"latent.width"}},
                                             {"height", {"latent.height"}},
                                             {"batch", {"latent.batch"}},
                                             {"steps", {"denoise.steps"}},
                                             {"cfg", {"denoise.cfg"}},
                                             {"seed", {"denoise.seed"}},
                                             {"sampler", {"denoise.sampler"}},
                                             {"sigmas", {"denoise.sigmas"}},
                                             {"spacing", {"denoise.spacing"}},
                                             {"eta", {"denoise.eta"}},
                                             {"guidance_rescale", {"denoise.guidance_rescale"}}};

/// The reference checkpoints as save_pretrained writes them, made once.
QString savedFolders() {
    const QString script = testing::sourcePath("tests/golden/make_saved_folders.py");
    QString folder = testing::goldenFolder() + "/saved-" + testing::hashOfScript(script);
    testing::runReferenceAlone(folder, {script, testing::goldenFolder() + "/checkpoints", folder});
    return folder;
}

}  // namespace

/// Every value that the reference recorded, for every case: tokens, text encoder, noise, schedule,
/// each call of the denoiser, each step, the decoder, the 8-bit picture.
class GoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::goldenFolder();
        cases_ = testing::readCases("cases");
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const std::string checkpoint = test.value("ours", test.at("checkpoint").get<std::string>());
        const std::string problems =
            problemsOf(test, goldens_ + "/checkpoints/" + QString::fromStdString(checkpoint));
        QVERIFY2(problems.empty(), problems.c_str());
    }

    void foldersOfTodaysDiffusersAgree_data() { testing::addCaseRows(cases_, "_checkpoint"); }

    /// Written by save_pretrained, whose tokenizers are one tokenizer.json.
    void foldersOfTodaysDiffusersAgree() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const std::string checkpoint = test.at("checkpoint");
        const std::string problems =
            problemsOf(test, savedFolders() + "/" + QString::fromStdString(checkpoint));
        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    /// What a run of the case with that checkpoint has other than the reference; empty: nothing.
    [[nodiscard]] std::string problemsOf(const Json& test, const QString& checkpoint) const {
        return testing::caseProblems(test,
                                     goldens_,
                                     testing::exampleGraph("text_to_image"),
                                     testing::caseSettings(test, kParameters)
                                         << "load.checkpoint=" + checkpoint);
    }

    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(GoldenTest)

}  // namespace golden_test

#include "golden_test.moc"
