// The templates of ComfyUI that this version covers, planned as they are for 12 GiB, with files of
// the published lengths.

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/published_files.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/template_workflows.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QSet>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace workflow_plans_test {

using namespace lowtide;

namespace {

constexpr const char* kPlannedFor = "cuda:8.9,12GiB";
constexpr double kMostBytes = 12.0 * 1024 * 1024 * 1024;
constexpr double kGigabyte = 1e9;

}  // namespace

class WorkflowPlansTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Llama's tokenizer, which no package has, and an image for each that a template opens.
    void initTestCase() {
        for (const char* name : {"llama_3.1_8b_instruct_fp8_scaled.safetensors", "tokenizer_4"}) {
            const QString file = QString("/text_encoders/") + name;
            testing::linkModel(testing::hollowModelFolder() + file, own_.path() + file);
        }
        testing::linkTemplateImages(testing::publishedFolder() + "/pictures/plain.png",
                                    own_.path());
    }

    void fits12GiB_data() {
        const testing::Rows<double, double, QString> row("least", "most", "settings");
        row("image_z_image_turbo", 20, 21.5, "");
        row("video_wan2_2_14B_i2v", 35, 36, "");
        row("video_wan2_2_14B_flf2v", 35, 36, "");
        row("image_sdxl_simple", 6.5, 7.5, "");
        row("video_wan2_2_14B_t2v", 35, 36, "");
        row("utility_z_image_turbo_2k_upscaler.app", 20, 21.5, "87:65.tile=1024");
        row("image_z_image_turbo_int8", 11.5, 12.5, "");
        row("sdxlturbo_example", 6.5, 7.5, "");
        row("image_z_image", 20, 21.5, "");
        row("sdxl_simple_example", 12, 14, "");
        row("image_to_video_wan", 40, 42, "");
        row("text_to_video_wan", 9.5, 10.5, "");
        row("sdxl_refiner_prompt_example", 12, 14, "");
        row("image_z_image_int8", 14, 15, "");
        row("hidream_i1_dev", 31, 33, "");
        row("hidream_i1_full", 31, 33, "");
        row("utility_interpolation_image_upscale", 0, 0, "");
        row("wan2.1_flf2v_720_f16", 40, 42, "8.tile=1024");
        row("hidream_i1_fast", 31, 33, "");
        row("basic_switch_node", 20, 21.5, "");
    }

    /// `least` and `most`: gigabytes of the weights in the files. Two decode more pixels at once
    /// than fit, where ComfyUI tries again in tiles: the setting is the one that the refusal names.
    void fits12GiB() {
        QFETCH(double, least);
        QFETCH(double, most);
        QFETCH(QString, settings);
        const QString name = QTest::currentDataTag();

        QStringList arguments = {
            "plan", testing::templateFile(name), "--as", kPlannedFor, "--json"};
        for (const QString& folder : {own_.path(), testing::publishedFolder()}) {
            arguments << "--model-folder" << folder;
        }
        if (!settings.isEmpty()) {
            arguments << "--set" << settings;
        }

        const testing::CommandResult planned = testing::runInProcess(arguments);

        QVERIFY2(planned.exitCode == 0, qPrintable(planned.errors));
        QVERIFY2(planned.errors.contains(" 0 missing,"), qPrintable(planned.errors));
        const Json plan = parseJson(planned.output.toStdString(), "plan");
        for (const Json& device : plan.at("devices")) {
            if (device.at("device") != "cpu") {
                QVERIFY2(device.at("peak").get<double>() <= kMostBytes, device.dump().c_str());
            }
        }
        double inFiles = 0;
        std::string components;
        for (const Json& part : plan.at("components")) {
            inFiles += part.at("file_bytes").get<double>() / kGigabyte;
            components += part.at("role").dump() + " " + part.at("file_bytes").dump() + "\n";
        }
        QVERIFY2(inFiles >= least && inFiles <= most, components.c_str());
        planned_.insert(name);
    }

    void everyCoveredOneIsPlanned() {
        for (const char* name : testing::kCoveredTemplates) {
            QVERIFY2(planned_.contains(name), name);
        }
    }

private:
    const QTemporaryDir own_;
    QSet<QString> planned_;
};

LOWTIDE_TEST(WorkflowPlansTest)

}  // namespace workflow_plans_test

#include "workflow_plans_test.moc"
