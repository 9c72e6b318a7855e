// Z-Image of one file for each network: the same bits as its folder, in every naming and encoding.

#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/image_files.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <optional>

namespace zimage_files_test {

using namespace lowtide;
using testing::ImageFiles;

class ZImageFilesTest : public QObject {
    Q_OBJECT

    QString split_;
    std::optional<testing::FileImages> images_;

private Q_SLOTS:

    /// The second checkpoint's shift is not the one that files are taken to have.
    void initTestCase() {
        split_ = testing::zimageFileFolder({"zimage_0", "zimage_1"});
        const QStringList comfy = {"qwen.safetensors"};
        images_ = testing::FileImages(
            testing::zimageGoldenFolder(),
            {{"zimage_0", {.folder = split_ + "/zimage_0", .texts = comfy}},
             {"zimage_1",
              {.folder = split_ + "/zimage_1", .texts = comfy, .settings = {"denoise.shift=6"}}}});
    }

    void areTheFolder_data() {
        const auto row = images_->folderRows();
        row("as ComfyUI has them", "zimage_0", {});
        row("the second one", "zimage_1", {});
        row("a whole checkpoint's names",
            "zimage_0",
            {.denoiser = "diffusion_model_prefixed.safetensors"});
        row("a denoiser of diffusers",
            "zimage_1",
            {.denoiser = "diffusion_model_diffusers.safetensors"});
        row("Qwen of llama.cpp", "zimage_0", {.texts = {"qwen.gguf"}});
        row("the second Qwen of llama.cpp", "zimage_1", {.texts = {"qwen.gguf"}});
        row("an autoencoder of diffusers",
            "zimage_0",
            {.autoencoder = "autoencoder_diffusers.safetensors"});
        row("a text encoder's folder",
            "zimage_1",
            {.texts = {testing::zimageGoldenFolder() + "/checkpoints/zimage_1/text_encoder"}});
    }

    void areTheFolder() { images_->checkSameAsFolder(); }

    void areWhatTheyDecodeTo_data() {
        QTest::addColumn<QString>("stem");
        for (const char* stem : {"diffusion_model_fp8",
                                 "diffusion_model_int8_rows",
                                 "diffusion_model_nvfp4",
                                 "qwen_fp8",
                                 "diffusion_model_q8_0"}) {
            QTest::newRow(stem) << stem;
        }
    }

    /// Thirds of a fused matrix too, and learnt tokens that a GGUF file has as one row; what
    /// streams are the stored bytes.
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
        images_->checkConverted("zimage_0", storage);
    }

    /// As users who have tokenizer.json alone keep it, next to the file.
    void aTokenizerWithoutSettingsIsOfQwen() {
        const QTemporaryDir folder;
        const QString from = split_ + "/zimage_0/";
        QVERIFY(QFile::copy(from + "qwen.safetensors", folder.filePath("qwen.safetensors")));
        QVERIFY(QFile::copy(from + "tokenizer/tokenizer.json", folder.filePath("tokenizer.json")));
        ImageFiles files = images_->usual("zimage_0");
        files.texts = {folder.filePath("qwen.safetensors")};
        images_->checkSameAsFolder("zimage_0", files);
    }

    /// Llama's and T5's tokenizers lie where Qwen's is looked for first, as in a folder that all
    /// models share.
    void theTokenizerOfItsKindIsTaken() {
        const QTemporaryDir folder;
        const QString hidream = testing::hidreamFileFolder({"hidream_0"}) + "/hidream_0/";
        const QString own = split_ + "/zimage_0/";
        QVERIFY(QFile::copy(own + "qwen.safetensors", folder.filePath("qwen.safetensors")));
        QVERIFY(
            QFile::copy(hidream + "tokenizer_3/tokenizer.json", folder.filePath("tokenizer.json")));
        testing::copyFolder(hidream + "tokenizer_4", folder.filePath("tokenizer"));
        testing::copyFolder(own + "tokenizer", folder.filePath("tokenizer_4"));
        ImageFiles files = images_->usual("zimage_0");
        files.texts = {folder.filePath("qwen.safetensors")};
        images_->checkSameAsFolder("zimage_0", files);
    }
};

LOWTIDE_TEST(ZImageFilesTest)

}  // namespace zimage_files_test

#include "zimage_files_test.moc"
