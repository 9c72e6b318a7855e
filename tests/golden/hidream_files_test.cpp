// HiDream-I1 of one file for each network, and of a folder with Llama from another one: the same
// bits as the whole folder, in every naming and encoding.

#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <filesystem>

namespace hidream_files_test {

using namespace lowtide;

namespace fs = std::filesystem;

namespace {

constexpr qint64 kFewestBytes = 100'000;
constexpr const char* kCheckpoint = "hidream_0";

/// The files of a run; the text encoders in any order.
struct Files {
    QString denoiser = "diffusion_model.safetensors";
    QStringList texts = {
        "clip_l.safetensors", "clip_g.safetensors", "t5.safetensors", "llama.safetensors"};
    QString autoencoder = "autoencoder.safetensors";
};

}  // namespace

class HiDreamFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        checkpoint_ = testing::hidreamGoldenFolder() + "/checkpoints/" + kCheckpoint;
        split_ = testing::hidreamFileFolder({kCheckpoint}) + "/" + kCheckpoint + "/";
        expected_ = dumpOfFolder({"load.checkpoint=" + checkpoint_});
        QVERIFY2(expected_.size() > kFewestBytes, expected_.left(2000).constData());
    }

    void areTheFolder_data() {
        QTest::addColumn<QString>("denoiser");
        QTest::addColumn<QString>("autoencoder");
        QTest::addColumn<QStringList>("texts");
        const Files usual;
        const auto row = [](const char* name, const Files& files) {
            QTest::newRow(name) << files.denoiser << files.autoencoder << files.texts;
        };
        row("as ComfyUI has them", usual);
        row("texts in another order",
            {.texts = {"llama.safetensors",
                       "clip_g.safetensors",
                       "t5.safetensors",
                       "clip_l.safetensors"}});
        row("a whole checkpoint's names", {.denoiser = "diffusion_model_prefixed.safetensors"});
        row("autoencoder of diffusers", {.autoencoder = "autoencoder_diffusers.safetensors"});
        row("folders of transformers",
            {.texts = {"clip_l.safetensors",
                       "clip_g.safetensors",
                       checkpoint_ + "/text_encoder_3",
                       checkpoint_ + "/text_encoder_4"}});
    }

    void areTheFolder() {
        QFETCH(QString, denoiser);
        QFETCH(QString, autoencoder);
        QFETCH(QStringList, texts);
        const QByteArray seen =
            dumpOfFiles({.denoiser = denoiser, .texts = texts, .autoencoder = autoencoder});
        QVERIFY2(seen == expected_, seen.left(2000).constData());
    }

    /// Its queries and keys have their rows in another order: sums of the same numbers.
    void llamaOfLlamaCppAgrees() {
        Files files;
        files.texts.last() = "llama.gguf";
        const QByteArray seen = dumpOfFiles(files);
        QVERIFY2(seen.size() > kFewestBytes, seen.left(2000).constData());
        const std::string problems =
            testing::disagreements(testing::tensorsIn(expected_), testing::tensorsIn(seen));
        QVERIFY2(problems.empty(), problems.c_str());
    }

    void areWhatTheyDecodeTo_data() {
        QTest::addColumn<QString>("stem");
        QTest::addColumn<QString>("ending");
        QTest::newRow("denoiser fp8") << "diffusion_model_fp8"
                                      << ".safetensors";
        QTest::newRow("denoiser q8_0") << "diffusion_model_q8_0"
                                       << ".gguf";
        QTest::newRow("t5 fp8") << "t5_fp8"
                                << ".safetensors";
        QTest::newRow("llama fp8") << "llama_fp8"
                                   << ".safetensors";
    }

    /// Under offload too: what streams are the stored bytes.
    void areWhatTheyDecodeTo() {
        QFETCH(QString, stem);
        QFETCH(QString, ending);
        const auto with = [&](const QString& file) {
            Files files;
            if (file.startsWith("diffusion")) {
                files.denoiser = file;
            } else {
                files.texts.replace(file.startsWith("t5") ? 2 : 3, file);
            }
            return files;
        };
        const QByteArray decoded = dumpOfFiles(with(stem + "_decoded.safetensors"));
        QVERIFY2(decoded.size() > kFewestBytes, decoded.left(2000).constData());
        QVERIFY(decoded != expected_);
        for (const char* policy : {"none", "leaf+stream"}) {
            const QByteArray seen = dumpOfFiles(with(stem + ending), policy);
            QVERIFY2(seen == decoded, seen.left(2000).constData());
        }
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
        QVERIFY2(seen == expected_, seen.left(2000).constData());
        const QByteArray missing = dumpOfFolder({checkpoint});
        QVERIFY2(missing.contains("lacks its fourth text encoder, Llama 3.1 8B Instruct") &&
                     missing.contains("Meta-Llama-3.1-8B-Instruct"),
                 missing.constData());
    }

    /// Zeros stand for what is not connected, and nothing of it is opened.
    void encodersMayBeMissing_data() {
        QTest::addColumn<QStringList>("texts");
        QTest::newRow("no CLIP") << QStringList{"t5.safetensors", "llama.safetensors"};
        QTest::newRow("no CLIP-L")
            << QStringList{"clip_g.safetensors", "t5.safetensors", "llama.safetensors"};
        QTest::newRow("Llama alone") << QStringList{"llama.safetensors"};
    }

    void encodersMayBeMissing() {
        QFETCH(QStringList, texts);
        Files files;
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
    [[nodiscard]] static QByteArray dumpOf(const QString& graph,
                                           const QStringList& settings,
                                           const QString& policy = "none") {
        const QTemporaryDir folder;
        const QString dump = folder.filePath("dump.safetensors");
        QStringList arguments = {"run", graph, "--out", folder.path(), "--dump", dump};
        for (const QString& setting : settings + QStringList{"latent.width=64",
                                                             "latent.height=64",
                                                             "denoise.steps=2",
                                                             "denoise.cfg=3",
                                                             "encode.prompt=a red boat",
                                                             "encode.negative=fog"}) {
            arguments << "--set" << setting;
        }
        for (const char* stage : {"encode", "denoise", "decode"}) {
            arguments << "--policy" << stage + ("=" + policy);
        }
        const testing::CommandResult ended = testing::runLowtide(arguments);
        return ended.exitCode == 0 ? testing::contentsOf(dump) : ended.errors.toUtf8();
    }

    [[nodiscard]] static QByteArray dumpOfFolder(const QStringList& settings) {
        return dumpOf(testing::exampleGraph("text_to_image"), settings);
    }

    [[nodiscard]] QByteArray dumpOfFiles(const Files& files, const QString& policy = "none") const {
        const auto pathOf = [&](const QString& file) {
            return file.startsWith('/') ? file : split_ + file;
        };
        QStringList settings = {"load.file=" + pathOf(files.denoiser),
                                "autoencoder.file=" + pathOf(files.autoencoder)};
        for (qsizetype i = 0; i < files.texts.size(); ++i) {
            settings << "text_encoders.file" + (i == 0 ? "" : QString("_%1").arg(i + 1)) + "=" +
                            pathOf(files.texts[i]);
        }
        return dumpOf(testing::exampleGraph("text_to_image_files"), settings, policy);
    }

    QString checkpoint_;
    QString split_;
    QByteArray expected_;
};

LOWTIDE_TEST(HiDreamFilesTest)

}  // namespace hidream_files_test

#include "hidream_files_test.moc"
