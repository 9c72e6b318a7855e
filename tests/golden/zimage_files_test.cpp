// Z-Image of one file for each network: the same bits as its folder, in every naming and encoding.

#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/picture_files.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <map>

namespace zimage_files_test {

using namespace lowtide;
using testing::dumpOfFiles;
using testing::PictureFiles;

namespace {

constexpr qint64 kFewestBytes = 100'000;

}  // namespace

class ZImageFilesTest : public QObject {
    Q_OBJECT

    QString split_;
    std::map<QString, QByteArray> expected_;  ///< by checkpoint

    /// As ComfyUI has them. The second checkpoint's shift is not the one that files are taken to
    /// have.
    [[nodiscard]] PictureFiles usual(const QString& checkpoint) const {
        return {
            .folder = split_ + "/" + checkpoint,
            .texts = {"qwen.safetensors"},
            .settings = checkpoint == "zimage_1" ? QStringList{"denoise.shift=6"} : QStringList{}};
    }

private Q_SLOTS:

    void initTestCase() {
        split_ = testing::zimageFileFolder({"zimage_0", "zimage_1"});
        for (const char* checkpoint : {"zimage_0", "zimage_1"}) {
            const QString folder = testing::zimageGoldenFolder() + "/checkpoints/" + checkpoint;
            QByteArray& expected = expected_[checkpoint];
            expected = testing::dumpOfFolder({"load.checkpoint=" + folder});
            QVERIFY2(expected.size() > kFewestBytes, expected.left(2000).constData());
        }
    }

    void areTheFolder_data() {
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<QString>("denoiser");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("autoencoder");
        const auto row = [](const char* name,
                            const char* checkpoint,
                            const QString& denoiser,
                            const QString& text = "qwen.safetensors",
                            const QString& autoencoder = "autoencoder.safetensors") {
            QTest::newRow(name) << checkpoint << denoiser << text << autoencoder;
        };
        const QString own = "diffusion_model.safetensors";
        row("as ComfyUI has them", "zimage_0", own);
        row("the second one", "zimage_1", own);
        row("a whole checkpoint's names", "zimage_0", "diffusion_model_prefixed.safetensors");
        row("a denoiser of diffusers", "zimage_1", "diffusion_model_diffusers.safetensors");
        row("Qwen of llama.cpp", "zimage_0", own, "qwen.gguf");
        row("the second Qwen of llama.cpp", "zimage_1", own, "qwen.gguf");
        row("an autoencoder of diffusers",
            "zimage_0",
            own,
            "qwen.safetensors",
            "autoencoder_diffusers.safetensors");
        row("a text encoder's folder",
            "zimage_1",
            own,
            testing::zimageGoldenFolder() + "/checkpoints/zimage_1/text_encoder");
    }

    void areTheFolder() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, denoiser);
        QFETCH(QString, text);
        QFETCH(QString, autoencoder);
        PictureFiles files = usual(checkpoint);
        files.denoiser = denoiser;
        files.texts = {text};
        files.autoencoder = autoencoder;
        const QByteArray seen = dumpOfFiles(files);
        QVERIFY2(seen == expected_[checkpoint], seen.left(2000).constData());
    }

    void areWhatTheyDecodeTo_data() {
        QTest::addColumn<QString>("stem");
        QTest::addColumn<QString>("ending");
        for (const char* stem : {"diffusion_model_fp8",
                                 "diffusion_model_int8_rows",
                                 "diffusion_model_nvfp4",
                                 "qwen_fp8"}) {
            QTest::newRow(stem) << stem << ".safetensors";
        }
        QTest::newRow("diffusion_model_q8_0") << "diffusion_model_q8_0"
                                              << ".gguf";
    }

    /// Thirds of a fused matrix too, and learnt tokens that a GGUF file has as one row; what
    /// streams are the stored bytes.
    void areWhatTheyDecodeTo() {
        QFETCH(QString, stem);
        QFETCH(QString, ending);
        for (const char* checkpoint : {"zimage_0", "zimage_1"}) {
            const auto with = [&](const QString& file) {
                PictureFiles files = usual(checkpoint);
                (file.startsWith("qwen") ? files.texts.front() : files.denoiser) = file;
                return files;
            };
            const QByteArray decoded = dumpOfFiles(with(stem + "_decoded.safetensors"));
            QVERIFY2(decoded.size() > kFewestBytes, decoded.left(2000).constData());
            QVERIFY(decoded != expected_[checkpoint]);
            for (const char* policy : {"none", "leaf+stream"}) {
                const QByteArray seen = dumpOfFiles(with(stem + ending), policy);
                QVERIFY2(seen == decoded, seen.left(2000).constData());
            }
        }
    }

    void convertedFilesRun_data() {
        QTest::addColumn<QString>("storage");
        for (const char* storage : {"f16", "f8", "int8", "q8_0"}) {
            QTest::newRow(storage) << storage;
        }
    }

    /// What `lowtide convert` writes of a denoiser: another picture than the source's, and the same
    /// under every policy.
    void convertedFilesRun() {
        QFETCH(QString, storage);
        const QTemporaryDir folder;
        const QString out = folder.filePath(storage == "q8_0" ? "a.gguf" : "a.safetensors");
        PictureFiles files = usual("zimage_0");
        const testing::CommandResult written = testing::runLowtide(
            {"convert", files.folder + "/" + files.denoiser, "--storage", storage, "--out", out});
        QVERIFY2(written.exitCode == 0, qPrintable(written.errors));
        files.denoiser = out;
        const QByteArray whole = dumpOfFiles(files);
        QVERIFY2(whole.size() > kFewestBytes, whole.left(2000).constData());
        QVERIFY(whole != expected_["zimage_0"]);
        QVERIFY(dumpOfFiles(files, "leaf+stream") == whole);
    }

    /// As people who have tokenizer.json alone keep it, beside the file.
    void aTokenizerWithoutSettingsIsOfQwen() {
        const QTemporaryDir folder;
        const QString from = split_ + "/zimage_0/";
        QVERIFY(QFile::copy(from + "qwen.safetensors", folder.filePath("qwen.safetensors")));
        QVERIFY(QFile::copy(from + "tokenizer/tokenizer.json", folder.filePath("tokenizer.json")));
        PictureFiles files = usual("zimage_0");
        files.texts = {folder.filePath("qwen.safetensors")};
        const QByteArray seen = dumpOfFiles(files);
        QVERIFY2(seen == expected_["zimage_0"], seen.left(2000).constData());
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
        PictureFiles files = usual("zimage_0");
        files.texts = {folder.filePath("qwen.safetensors")};
        const QByteArray seen = dumpOfFiles(files);
        QVERIFY2(seen == expected_["zimage_0"], seen.left(2000).constData());
    }
};

LOWTIDE_TEST(ZImageFilesTest)

}  // namespace zimage_files_test

#include "zimage_files_test.moc"
