#include "plugin/base/error.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/model_sample.hpp"
#include "ui/bridge/model_folders.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace model_files_test {

using namespace lowtide;
using namespace lowtide::ui;
using namespace lowtide::testing;

class ModelFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void saysWhatAFileIs_data() {
        QTest::addColumn<QStringList>("names");
        QTest::addColumn<int>("channels");
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("isRunnable");
        const QString unet = "model.diffusion_model.input_blocks.0.0.weight";
        const auto row = [](const char* name,
                            QStringList names,
                            int channels,
                            const char* family,
                            ModelKind kind,
                            bool isRunnable) {
            QTest::newRow(name) << names << channels << QString(family) << int(kind) << isRunnable;
        };
        const QString clip = "cond_stage_model.transformer.a";
        row("SD 1.x", {unet, clip}, 4, "SD 1.x", ModelKind::Checkpoint, true);
        row("SD 1.x that fills masks",
            {unet, clip},
            9,
            "SD 1.x inpainting",
            ModelKind::Checkpoint,
            true);
        row("SD 2.x", {unet, "cond_stage_model.model.a"}, 4, "SD 2.x", ModelKind::Checkpoint, true);
        row("SDXL", {unet, "conditioner.a"}, 4, "SDXL", ModelKind::Checkpoint, false);
        row("a UNet alone",
            {unet},
            4,
            "denoiser without a text encoder",
            ModelKind::Checkpoint,
            false);
        row("Flux", {"double_blocks.0.a"}, 0, "Flux", ModelKind::Checkpoint, false);
        row("LoRA", {"lora_unet_a", "lora_te_b"}, 0, "LoRA", ModelKind::Other, false);
        row("autoencoder",
            {"encoder.conv_in.weight", "decoder.conv_in.weight"},
            0,
            "autoencoder",
            ModelKind::Autoencoder,
            true);
        row("Real-ESRGAN",
            {"conv_first.weight", "body.0.rdb1.conv1.weight"},
            0,
            "ESRGAN",
            ModelKind::Upscaler,
            true);
        row("old ESRGAN",
            {"model.0.weight", "model.1.sub.0.RDB1.conv1.0.weight"},
            0,
            "ESRGAN",
            ModelKind::Upscaler,
            true);
        row("something else", {"a", "b"}, 0, "", ModelKind::Other, false);
    }

    void saysWhatAFileIs() {
        QFETCH(QStringList, names);
        QFETCH(int, channels);
        QFETCH(bool, isRunnable);
        std::vector<std::string> tensors;
        for (const QString& name : names) {
            tensors.push_back(name.toStdString());
        }
        const QTemporaryDir folder;
        writeModel(folder.filePath("m.safetensors"), tensors, 4, channels);

        const ModelFile model = readModelFile(folder.filePath("m.safetensors").toStdString());

        QCOMPARE(model.problem, std::string());
        QTEST(QString::fromStdString(model.family), "family");
        QTEST(int(model.kind), "kind");
        QCOMPARE(model.isRunnable, isRunnable);
        const Bytes each = 4 * (channels > 0 ? channels : 4);
        QCOMPARE(model.largest, each);
        QCOMPARE(model.weights, each * names.size());
    }

    void readsTheMiniModel_asAFolder() {
        const ModelFile model = readModelFolder(sourcePath("resources/mini/model").toStdString());

        QCOMPARE(model.problem, std::string());
        QCOMPARE(model.family, std::string("SD 1.x"));
        QVERIFY(model.isRunnable);
        QVERIFY(model.weights > 4 * kMiB);
    }

    void saysWhatIsWrong_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("cut off") << QByteArray("\x40\0\0\0\0\0\0\0{\"a\"", 12);
        QTest::newRow("text") << QByteArray("this is no file of weights, but a page of words");
        QTest::newRow("a huge header") << QByteArray("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10);
        QTest::newRow("half a zip") << QByteArray("PK\x03\x04 and no more", 16);
    }

    void saysWhatIsWrong() {
        QFETCH(QByteArray, bytes);
        const QTemporaryDir folder;
        QFile file(folder.filePath("bad.safetensors"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.close();

        const ModelFile model = readModelFile(file.fileName().toStdString());

        QVERIFY2(model.problem.find("bad.safetensors") != std::string::npos, model.problem.c_str());
        QVERIFY(!model.isRunnable);
    }

    void judgesByTheRuleThatItStates_data() {
        QTest::addColumn<qint64>("weights");
        QTest::addColumn<qint64>("largest");
        QTest::addColumn<qint64>("budget");
        QTest::addColumn<ModelVerdict>("verdict");
        QTest::newRow("fits exactly")
            << qint64{300} << qint64{300} << qint64{400} << ModelVerdict::Fits;
        QTest::newRow("one more") << qint64{301} << qint64{75} << qint64{400}
                                  << ModelVerdict::Streams;
        QTest::newRow("a tensor too large")
            << qint64{301} << qint64{76} << qint64{400} << ModelVerdict::TooBig;
        QTest::newRow("no budget") << qint64{1} << qint64{1} << qint64{0} << ModelVerdict::Unknown;
        QTest::newRow("nothing known")
            << qint64{0} << qint64{0} << qint64{400} << ModelVerdict::Unknown;
    }

    void judgesByTheRuleThatItStates() {
        QFETCH(qint64, weights);
        QFETCH(qint64, largest);
        QFETCH(qint64, budget);
        QFETCH(ModelVerdict, verdict);

        QCOMPARE(verdictOf({.weights = weights, .largest = largest}, budget), verdict);
    }

    void findsFoldersByTheirNames_data() {
        QTest::addColumn<QStringList>("made");
        QTest::addColumn<QStringList>("found");
        QTest::newRow("ComfyUI") << QStringList{"models/checkpoints",
                                                "models/vae",
                                                "models/loras",
                                                "models/upscale_models"}
                                 << QStringList{"models/checkpoints",
                                                "models/vae",
                                                "models/upscale_models"};
        QTest::newRow("its models")
            << QStringList{"checkpoints", "clip"} << QStringList{"checkpoints"};
        QTest::newRow("Automatic1111") << QStringList{"models/Stable-diffusion", "models/ESRGAN"}
                                       << QStringList{"models/Stable-diffusion", "models/ESRGAN"};
        QTest::newRow("none of them") << QStringList{"mine"} << QStringList{"."};
    }

    void findsFoldersByTheirNames() {
        QFETCH(QStringList, made);
        QFETCH(QStringList, found);
        const QTemporaryDir folder;
        for (const QString& each : made) {
            QVERIFY(QDir(folder.path()).mkpath(each));
        }

        QStringList relative;
        for (const ModelFolder& each : modelFoldersIn(folder.path().toStdString())) {
            relative.push_back(
                QDir(folder.path()).relativeFilePath(QString::fromStdString(each.path)));
        }

        QCOMPARE(relative, found);
    }

    void readsPathsOfOtherPrograms() {
        const char* text = R"(# a comment
comfyui:
    base_path: "/data/comfy"   # quoted
    is_default: true
    checkpoints: models/checkpoints/
    vae: |
         models/vae/
         /elsewhere/vae
    loras: models/loras/
a111:
    base_path: ../webui
    upscale_models: models/ESRGAN
    diffusers: &d sub
    vae: *d
empty:
)";

        const std::vector<ModelFolder> folders = parseModelPaths(text, "/graphs/x", "paths.yaml");

        const std::vector<ModelFolder> expected = {
            {"/data/comfy/models/checkpoints", ModelKind::Checkpoint},
            {"/data/comfy/models/vae", ModelKind::Autoencoder},
            {"/elsewhere/vae", ModelKind::Autoencoder},
            {"/graphs/webui/models/ESRGAN", ModelKind::Upscaler},
            {"/graphs/webui/sub", ModelKind::Checkpoint},
            {"/graphs/webui/sub", ModelKind::Autoencoder}};
        QCOMPARE(folders, expected);
    }

    void takesAnEmptyPathsFile_asNoFolders() {
        QVERIFY(parseModelPaths("", "/", "p").empty());
        QVERIFY(parseModelPaths("# only a comment\n", "/", "p").empty());
    }

    void refusesWhatIsNoPathsFile_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("words");
        QTest::newRow("a list") << QByteArray("- a\n- b\n") << "no list of sections";
        QTest::newRow("a tab") << QByteArray("a:\n\tb: c\n") << "line 2";
        QTest::newRow("an open quote") << QByteArray("a:\n  b: \"c\n") << "line";
        QTest::newRow("control bytes") << QByteArray("a: \x01\x02") << "no YAML";
        QTest::newRow("an unknown alias") << QByteArray("a: *b") << "no YAML";
    }

    void refusesWhatIsNoPathsFile() {
        QFETCH(QByteArray, text);
        QFETCH(QString, words);

        const auto error =
            errorOf([&] { static_cast<void>(parseModelPaths(text.toStdString(), "/", "p.yaml")); });

        QVERIFY(error.has_value());
        QVERIFY(error->message().starts_with("p.yaml"));
        QVERIFY2(error->message().find(words.toStdString()) != std::string::npos, error->what());
    }
};

LOWTIDE_TEST(ModelFilesTest)

}  // namespace model_files_test

#include "model_files_test.moc"
