// Workflows of ComfyUI, imported and run: every value of the denoiser and the decoder as diffusers'
// networks give them in a loop that samples as ComfyUI does, from the same noise.

#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/template_workflows.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/case_problems.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace workflow_golden_test {

using namespace lowtide;

class WorkflowGoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// The files that the workflows name, next to where they will lie.
    void initTestCase() {
        const QString sdxl = testing::xlFileFolder() + "/sdxl_0";
        const QString zimage = testing::zimageFileFolder({"zimage_0"}) + "/zimage_0/";
        const QString wan = testing::splitFileFolder({"wan_t2v_0"}) + "/wan_t2v_0/";
        for (const auto& [file, name] : {std::pair(sdxl, "sdxl"),
                                         {zimage + "diffusion_model", "z_image"},
                                         {zimage + "qwen", "qwen"},
                                         {zimage + "autoencoder", "ae"},
                                         {wan + "diffusion_model", "wan2.1_t2v"},
                                         {wan + "text_encoder", "umt5"},
                                         {wan + "autoencoder", "wan_vae"}}) {
            testing::linkModel(file + ".safetensors",
                               folder_.filePath(QString(name) + ".safetensors"));
        }
        testing::linkModel(zimage + "tokenizer", folder_.filePath("tokenizer"));
        goldens_ = testing::workflowGoldenFolder();
        cases_ = testing::readCases("workflow_cases");
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const QString path = folder_.filePath(testing::caseText(test.at("name")) + ".json");
        testing::writeFile(path, QByteArray::fromStdString(test.at("workflow").dump()));

        const std::string problems =
            testing::caseProblems(test, goldens_, path, {}, "latents.final");

        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    const QTemporaryDir folder_;
    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(WorkflowGoldenTest)

}  // namespace workflow_golden_test

#include "workflow_golden_test.moc"
