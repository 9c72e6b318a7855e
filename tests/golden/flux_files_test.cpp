// FLUX.1 of one file for each network: the same bits as its folder, in every naming and encoding.

#include "tests/fixtures/command.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/picture_files.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <map>

namespace flux_files_test {

using namespace lowtide;
using testing::dumpOfFiles;
using testing::PictureFiles;

namespace {

constexpr qint64 kFewestBytes = 100'000;

}  // namespace

class FluxFilesTest : public QObject {
    Q_OBJECT

    QString split_;
    std::map<QString, QByteArray> expected_;  ///< by checkpoint

    /// As ComfyUI has them.
    [[nodiscard]] PictureFiles usual(const QString& checkpoint) const {
        return {.folder = split_ + "/" + checkpoint,
                .texts = {"clip_l.safetensors", "t5.safetensors"}};
    }

private Q_SLOTS:

    void initTestCase() {
        split_ = testing::fluxFileFolder({"flux_0", "flux_1"});
        for (const char* checkpoint : {"flux_0", "flux_1"}) {
            const QString folder = testing::fluxGoldenFolder() + "/checkpoints/" + checkpoint;
            QByteArray& expected = expected_[checkpoint];
            expected = testing::dumpOfFolder({"load.checkpoint=" + folder});
            QVERIFY2(expected.size() > kFewestBytes, expected.left(2000).constData());
        }
    }

    void areTheFolder_data() {
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<QString>("denoiser");
        QTest::addColumn<QStringList>("texts");
        QTest::addColumn<QString>("autoencoder");
        const QStringList comfy = {"clip_l.safetensors", "t5.safetensors"};
        const auto row = [&](const char* name,
                             const char* checkpoint,
                             const QString& denoiser,
                             const QStringList& texts,
                             const QString& autoencoder = "autoencoder.safetensors") {
            QTest::newRow(name) << checkpoint << denoiser << texts << autoencoder;
        };
        const QString own = "diffusion_model.safetensors";
        row("dev as ComfyUI has it", "flux_0", own, comfy);
        row("schnell as ComfyUI has it", "flux_1", own, comfy);
        row("a whole checkpoint's names", "flux_0", "diffusion_model_prefixed.safetensors", comfy);
        row("a denoiser of diffusers", "flux_0", "diffusion_model_diffusers.safetensors", comfy);
        row("schnell of diffusers", "flux_1", "diffusion_model_diffusers.safetensors", comfy);
        row("texts in another order", "flux_0", own, {comfy.last(), comfy.first()});
        row("an autoencoder of diffusers",
            "flux_0",
            own,
            comfy,
            "autoencoder_diffusers.safetensors");
        row("a text encoder's folder",
            "flux_1",
            own,
            {"clip_l.safetensors",
             testing::fluxGoldenFolder() + "/checkpoints/flux_1/text_encoder_2"});
    }

    void areTheFolder() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, denoiser);
        QFETCH(QStringList, texts);
        QFETCH(QString, autoencoder);
        PictureFiles files = usual(checkpoint);
        files.denoiser = denoiser;
        files.texts = texts;
        files.autoencoder = autoencoder;
        const QByteArray seen = dumpOfFiles(files);
        QVERIFY2(seen == expected_[checkpoint], seen.left(2000).constData());
    }

    void areWhatTheyDecodeTo_data() {
        QTest::addColumn<QString>("stem");
        QTest::addColumn<QString>("ending");
        for (const char* stem : {"diffusion_model_fp8", "diffusion_model_int8_rows", "t5_fp8"}) {
            QTest::newRow(stem) << stem << ".safetensors";
        }
        QTest::newRow("diffusion_model_q8_0") << "diffusion_model_q8_0"
                                              << ".gguf";
    }

    /// Parts of fused matrices too; what streams are the stored bytes.
    void areWhatTheyDecodeTo() {
        QFETCH(QString, stem);
        QFETCH(QString, ending);
        for (const char* checkpoint : {"flux_0", "flux_1"}) {
            const auto with = [&](const QString& file) {
                PictureFiles files = usual(checkpoint);
                (file.startsWith("t5") ? files.texts.last() : files.denoiser) = file;
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
        PictureFiles files = usual("flux_0");
        const testing::CommandResult written = testing::runLowtide(
            {"convert", files.folder + "/" + files.denoiser, "--storage", storage, "--out", out});
        QVERIFY2(written.exitCode == 0, qPrintable(written.errors));
        files.denoiser = out;
        const QByteArray whole = dumpOfFiles(files);
        QVERIFY2(whole.size() > kFewestBytes, whole.left(2000).constData());
        QVERIFY(whole != expected_["flux_0"]);
        QVERIFY(dumpOfFiles(files, "leaf+stream") == whole);
    }
};

LOWTIDE_TEST(FluxFilesTest)

}  // namespace flux_files_test

#include "flux_files_test.moc"
