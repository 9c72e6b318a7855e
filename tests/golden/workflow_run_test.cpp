// The templates of ComfyUI that this version covers, run as they are with small networks.

#include "tests/fixtures/command.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/template_workflows.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QFileInfo>
#include <QSet>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace workflow_run_test {

using namespace lowtide;

/// Only sizes and numbers of steps are others than the template's.
class WorkflowRunTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        linkSdxl();
        linkZImage();
        linkHiDream();
        linkWan();
        testing::linkModel(
            testing::upscaleGoldenFolder() + "/upscalers/esrgan_0/esrgan_basicsr.safetensors",
            at("upscale_models/RealESRGAN_x4plus.safetensors"));
        testing::linkTemplateImages(testing::wanGoldenFolder() + "/images/init.png",
                                    models_.path());
    }

    void runsAsItIs_data() {
        const testing::Rows<QString, QString> row("name", "settings");
        row("Z-Image Turbo", "image_z_image_turbo", "57:13.width=64 57:13.height=64");
        row("WAN 2.2, image",
            "video_wan2_2_14B_i2v",
            "129:98.width=64 129:98.height=64 129:98.frames=5 129:86.steps=4 129:86.end_step=2 "
            "129:85.steps=4 129:85.start_step=2");
        row("WAN 2.2, two images",
            "video_wan2_2_14B_flf2v",
            "81.width=64 81.height=64 81.frames=5 84.steps=4 84.end_step=2 87.steps=4 "
            "87.start_step=2");
        row("SDXL", "image_sdxl_simple", "13.width=64 13.height=64 12.steps=4");
        row("WAN 2.2, text",
            "video_wan2_2_14B_t2v",
            "128:74.width=64 128:74.height=64 128:74.frames=5 128:81.steps=4 128:81.end_step=2 "
            "128:78.steps=4 128:78.start_step=2");
        row("Z-Image Turbo, larger",
            "utility_z_image_turbo_2k_upscaler.app",
            "87:78.width=32 87:78.height=32");
        row("Z-Image Turbo, int8", "image_z_image_turbo_int8", "57:13.width=64 57:13.height=64");
        row("SDXL Turbo", "sdxlturbo_example", "5.width=64 5.height=64");
        row("Z-Image", "image_z_image", "76:68.width=64 76:68.height=64 76:69.steps=4");
        row("SDXL, refiner",
            "sdxl_simple_example",
            "5.width=64 5.height=64 10.steps=5 10.end_step=4 11.steps=5 11.start_step=4");
        row("WAN 2.1, image",
            "image_to_video_wan",
            "50.width=64 50.height=64 50.frames=5 3.steps=4");
        row("WAN 2.1, text", "text_to_video_wan", "40.width=64 40.height=64 40.frames=5 3.steps=4");
        row("SDXL, prompt of the refiner",
            "sdxl_refiner_prompt_example",
            "5.width=64 5.height=64 10.steps=5 10.end_step=4 11.steps=5 11.start_step=4");
        row("Z-Image, int8", "image_z_image_int8", "76:68.width=64 76:68.height=64 76:69.steps=4");
        row("HiDream-I1 Dev", "hidream_i1_dev", "53.width=128 53.height=128 3.steps=4");
        row("HiDream-I1 Full", "hidream_i1_full", "86.width=128 86.height=128 93.steps=4");
        row("no network", "utility_interpolation_image_upscale", "");
        row("WAN 2.1, two images",
            "wan2.1_flf2v_720_f16",
            "83.width=64 83.height=64 83.frames=5 90.steps=4");
        row("HiDream-I1 Fast", "hidream_i1_fast", "84.width=128 84.height=128 94.steps=4");
        row("switches", "basic_switch_node", "64:57.width=64 64:57.height=64");
    }

    void runsAsItIs() {
        QFETCH(QString, name);
        QFETCH(QString, settings);
        const QTemporaryDir out;
        QStringList arguments = {"run",
                                 testing::templateFile(name),
                                 "--model-folder",
                                 models_.path(),
                                 "--out",
                                 out.path()};
        for (const QString& setting : settings.split(' ', Qt::SkipEmptyParts)) {
            arguments << "--set" << setting;
        }

        const testing::CommandResult run = testing::runInProcess(arguments);

        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        QVERIFY2(run.errors.contains(" 0 missing,"), qPrintable(run.errors));
        const QStringList files = run.output.split('\n', Qt::SkipEmptyParts);
        QVERIFY2(!files.isEmpty(), qPrintable(run.errors));
        for (const QString& file : files) {
            QVERIFY2(QFileInfo(file).size() > 0, qPrintable(run.output));
        }
        run_.insert(name);
    }

    void everyCoveredOneIsRun() {
        for (const char* name : testing::kCoveredTemplates) {
            QVERIFY2(run_.contains(name), name);
        }
    }

private:
    [[nodiscard]] QString at(const QString& name) const { return models_.filePath(name); }

    void linkSdxl() const {
        const QString base = testing::xlFileFolder() + "/sdxl_0.safetensors";
        testing::linkModel(base, at("checkpoints/sd_xl_base_1.0.safetensors"));
        testing::linkModel(base, at("checkpoints/sd_xl_turbo_1.0_fp16.safetensors"));
        // A folder: no single file of a refiner has the base's autoencoder.
        testing::linkModel(testing::refinerGoldenFolder() + "/checkpoints/refiner_0",
                           at("checkpoints/sd_xl_refiner_1.0.safetensors"));
    }

    void linkZImage() const {
        const QString from = testing::zimageFileFolder({"zimage_0"}) + "/zimage_0/";
        const auto link = [&](const QString& file, const QString& name) {
            testing::linkModel(from + file, at(name));
        };
        for (const char* name : {"z_image", "z_image_turbo"}) {
            link("diffusion_model.safetensors",
                 QString("diffusion_models/%1_bf16.safetensors").arg(name));
            link("diffusion_model_int8_rows.safetensors",
                 QString("diffusion_models/%1_int8_convrot.safetensors").arg(name));
        }
        link("qwen.safetensors", "text_encoders/qwen_3_4b.safetensors");
        link("qwen_fp8.safetensors", "text_encoders/qwen_3_4b_fp8_mixed.safetensors");
        link("tokenizer", "text_encoders/tokenizer");
        link("autoencoder.safetensors", "vae/ae.safetensors");
        testing::linkModel(
            testing::zimageLoraFolder({"zimage_0"}) + "/zimage_0/comfyui.safetensors",
            at("loras/pixel_art_style_z_image_turbo.safetensors"));
    }

    void linkHiDream() const {
        const QString from = testing::hidreamFileFolder({"hidream_0"}) + "/hidream_0/";
        const auto link = [&](const QString& file, const QString& name) {
            testing::linkModel(from + file, at(name));
        };
        for (const char* kind : {"dev", "fast", "full"}) {
            link("diffusion_model_fp8.safetensors",
                 QString("diffusion_models/hidream_i1_%1_fp8.safetensors").arg(kind));
        }
        link("clip_l.safetensors", "text_encoders/clip_l_hidream.safetensors");
        link("clip_g.safetensors", "text_encoders/clip_g_hidream.safetensors");
        link("t5_fp8.safetensors", "text_encoders/t5xxl_fp8_e4m3fn_scaled.safetensors");
        link("llama_fp8.safetensors", "text_encoders/llama_3.1_8b_instruct_fp8_scaled.safetensors");
        link("tokenizer_3", "text_encoders/tokenizer_3");
        link("tokenizer_4", "text_encoders/tokenizer_4");
    }

    void linkWan() const {
        const QString split = testing::splitFileFolder(
            {"wan_i2v_0", "wan_t2v_0", "wan_flf_0", "wan22_i2v_0", "wan22_t2v_0"});
        const auto link = [&](const QString& file, const QString& name) {
            testing::linkModel(split + "/" + file, at(name));
        };
        for (const char* kind : {"i2v", "t2v"}) {
            const QString from = QString("wan22_%1_0/diffusion_model").arg(kind);
            const QString to =
                QString("diffusion_models/wan2.2_%1_%2_noise_14B_fp8_scaled").arg(kind, "%1") +
                ".safetensors";
            link(from + ".safetensors", to.arg("high"));
            link(from + "_low_noise.safetensors", to.arg("low"));
        }
        link("wan_i2v_0/diffusion_model.safetensors",
             "diffusion_models/wan2.1_i2v_480p_14B_fp16.safetensors");
        link("wan_t2v_0/diffusion_model.safetensors",
             "diffusion_models/wan2.1_t2v_1.3B_fp16.safetensors");
        link("wan_flf_0/diffusion_model_diffusers.safetensors",
             "diffusion_models/wan2.1_flf2v_720p_14B_fp16.safetensors");
        link("wan_i2v_0/text_encoder.safetensors",
             "text_encoders/umt5_xxl_fp8_e4m3fn_scaled.safetensors");
        link("wan_i2v_0/image_encoder.safetensors", "clip_vision/clip_vision_h.safetensors");
        link("wan_i2v_0/autoencoder.safetensors", "vae/wan_2.1_vae.safetensors");
    }

    const QTemporaryDir models_;
    QSet<QString> run_;
};

LOWTIDE_TEST(WorkflowRunTest)

}  // namespace workflow_run_test

#include "workflow_run_test.moc"
