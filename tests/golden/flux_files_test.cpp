// FLUX.1 of one file for each network: the same bits as its folder, in every naming and encoding.

#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/image_files.hpp"

#include <QtTest/QtTest>

#include <optional>

namespace flux_files_test {

using namespace lowtide;

class FluxFilesTest : public QObject {
    Q_OBJECT

    std::optional<testing::FileImages> images_;

private Q_SLOTS:

    void initTestCase() {
        const QString split = testing::fluxFileFolder({"flux_0", "flux_1"});
        const QStringList comfy = {"clip_l.safetensors", "t5.safetensors"};
        images_ = testing::FileImages(testing::fluxGoldenFolder(),
                                      {{"flux_0", {.folder = split + "/flux_0", .texts = comfy}},
                                       {"flux_1", {.folder = split + "/flux_1", .texts = comfy}}});
    }

    void areTheFolder_data() {
        const auto row = images_->folderRows();
        row("dev as ComfyUI has it", "flux_0", {});
        row("schnell as ComfyUI has it", "flux_1", {});
        row("a whole checkpoint's names",
            "flux_0",
            {.denoiser = "diffusion_model_prefixed.safetensors"});
        row("a denoiser of diffusers",
            "flux_0",
            {.denoiser = "diffusion_model_diffusers.safetensors"});
        row("schnell of diffusers",
            "flux_1",
            {.denoiser = "diffusion_model_diffusers.safetensors"});
        row("texts in another order",
            "flux_0",
            {.texts = {"t5.safetensors", "clip_l.safetensors"}});
        row("an autoencoder of diffusers",
            "flux_0",
            {.autoencoder = "autoencoder_diffusers.safetensors"});
        row("a text encoder's folder",
            "flux_1",
            {.texts = {"clip_l.safetensors",
                       testing::fluxGoldenFolder() + "/checkpoints/flux_1/text_encoder_2"}});
    }

    void areTheFolder() { images_->checkSameAsFolder(); }

    void areWhatTheyDecodeTo_data() {
        QTest::addColumn<QString>("stem");
        for (const char* stem : {"diffusion_model_fp8",
                                 "diffusion_model_int8_rows",
                                 "t5_fp8",
                                 "diffusion_model_q8_0"}) {
            QTest::newRow(stem) << stem;
        }
    }

    /// Parts of fused matrices too; what streams are the stored bytes.
    void areWhatTheyDecodeTo() {
        QFETCH(QString, stem);
        images_->checkSameAsDecoded(stem);
    }

    void convertedFilesRun_data() {
        QTest::addColumn<QString>("storage");
        for (const char* storage : {"f16", "f8", "int8", "q8_0"}) {
            QTest::newRow(storage) << storage;
        }
    }

    void convertedFilesRun() {
        QFETCH(QString, storage);
        images_->checkConverted("flux_0", storage);
    }
};

LOWTIDE_TEST(FluxFilesTest)

}  // namespace flux_files_test

#include "flux_files_test.moc"
