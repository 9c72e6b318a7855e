// HiDream-I1 of one file for each network, and of a folder with Llama from another one: the same
// bits as the whole folder, in every naming and encoding.

#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/image_files.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <filesystem>
#include <optional>

namespace hidream_files_test {

using namespace lowtide;
using testing::dumpOfFiles;
using testing::dumpOfFolder;
using testing::ImageFiles;
using testing::kFewestBytes;

namespace fs = std::filesystem;

namespace {

constexpr const char* kCheckpoint = "hidream_0";

}  // namespace

class HiDreamFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        checkpoint_ = testing::hidreamGoldenFolder() + "/checkpoints/" + kCheckpoint;
        const QString split = testing::hidreamFileFolder({kCheckpoint}) + "/" + kCheckpoint + "/";
        images_ = testing::FileImages(testing::hidreamGoldenFolder(),
                                      {{kCheckpoint,
                                        {.folder = split,
                                         .texts = {"clip_l.safetensors",
                                                   "clip_g.safetensors",
                                                   "t5.safetensors",
                                                   "llama.safetensors"}}}});
    }

    void areTheFolder_data() {
        const auto row = images_->folderRows();
        row("as ComfyUI has them", kCheckpoint, {});
        row("texts in another order",
            kCheckpoint,
            {.texts = {"llama.safetensors",
                       "clip_g.safetensors",
                       "t5.safetensors",
                       "clip_l.safetensors"}});
        row("a whole checkpoint's names",
            kCheckpoint,
            {.denoiser = "diffusion_model_prefixed.safetensors"});
        row("autoencoder of diffusers",
            kCheckpoint,
            {.autoencoder = "autoencoder_diffusers.safetensors"});
        row("folders of transformers",
            kCheckpoint,
            {.texts = {"clip_l.safetensors",
                       "clip_g.safetensors",
                       checkpoint_ + "/text_encoder_3",
                       checkpoint_ + "/text_encoder_4"}});
    }

    void areTheFolder() { images_->checkSameAsFolder(); }

    /// Its queries and keys have their rows in another order: sums of the same numbers.
    void llamaOfLlamaCppAgrees() {
        ImageFiles files = images_->usual(kCheckpoint);
        files.texts.last() = "llama.gguf";
        const QByteArray seen = dumpOfFiles(files);
        QVERIFY2(seen.size() > kFewestBytes, seen.left(2000).constData());
        const std::string problems = testing::disagreements(
            testing::tensorsIn(images_->expected(kCheckpoint)), testing::tensorsIn(seen));
        QVERIFY2(problems.empty(), problems.c_str());
    }

    void areWhatTheyDecodeTo_data() {
        QTest::addColumn<QString>("stem");
        QTest::newRow("denoiser fp8") << "diffusion_model_fp8";
        QTest::newRow("denoiser q8_0") << "diffusion_model_q8_0";
        QTest::newRow("t5 fp8") << "t5_fp8";
        QTest::newRow("llama fp8") << "llama_fp8";
    }

    /// Under offload too: what streams are the stored bytes.
    void areWhatTheyDecodeTo() {
        QFETCH(QString, stem);
        images_->checkSameAsDecoded(stem);
    }

    /// As the published folder of HiDream-I1, which leaves Llama to another repository.
    void llamaFromAnotherFolder() {
        const QTemporaryDir folder;
        const fs::path whole = folder.filePath("hidream").toStdString();
        const fs::path llama = folder.filePath("Meta-Llama-3.1-8B-Instruct").toStdString();
        const fs::path source = checkpoint_.toStdString();
        fs::copy(source, whole, fs::copy_options::recursive);
        fs::remove_all(whole / "text_encoder_4");
        fs::remove_all(whole / "tokenizer_4");
        fs::copy(source / "text_encoder_4", llama);
        fs::copy(source / "tokenizer_4", llama);
        const QString checkpoint = "load.checkpoint=" + QString::fromStdString(whole.string());
        const QByteArray seen = dumpOfFolder(
            {checkpoint, "load.text_encoder_4=" + QString::fromStdString(llama.string())});
        QVERIFY2(seen == images_->expected(kCheckpoint), seen.left(2000).constData());
        const QByteArray missing = dumpOfFolder({checkpoint});
        QVERIFY2(missing.contains("lacks its fourth text encoder, Llama 3.1 8B Instruct") &&
                     missing.contains("Meta-Llama-3.1-8B-Instruct"),
                 missing.constData());
    }

    /// Zeros stand for what is not connected, and nothing of it is opened.
    void encodersMayBeMissing_data() {
        const testing::Rows<QStringList> row("texts");
        row("no CLIP", {"t5.safetensors", "llama.safetensors"});
        row("no CLIP-L", {"clip_g.safetensors", "t5.safetensors", "llama.safetensors"});
        row("Llama alone", {"llama.safetensors"});
    }

    void encodersMayBeMissing() {
        QFETCH(QStringList, texts);
        ImageFiles files = images_->usual(kCheckpoint);
        files.texts = texts;
        const QByteArray seen = dumpOfFiles(files);
        QVERIFY2(seen.size() > kFewestBytes / 2, seen.left(2000).constData());
        const auto tensors = testing::tensorsIn(seen);
        QCOMPARE(tensors.at("pooled.prompt").shape, (std::vector<int64_t>{1, 80}));
        QCOMPARE(tensors.at("embeds.t5.prompt").shape, (std::vector<int64_t>{1, 128, 40}));
        QCOMPARE(tensors.contains("tokens_3.000"), texts.size() > 1);
        QVERIFY(tensors.contains("image"));
    }

private:
    QString checkpoint_;
    std::optional<testing::FileImages> images_;
};

LOWTIDE_TEST(HiDreamFilesTest)

}  // namespace hidream_files_test

#include "hidream_files_test.moc"
