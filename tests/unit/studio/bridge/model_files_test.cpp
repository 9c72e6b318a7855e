#include "plugin/base/error.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/bridge/model_library.hpp"
#include "ui/models/model_folders.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace model_files_test {

using namespace lowtide;
using namespace lowtide::ui;
using namespace lowtide::testing;

class ModelFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void takesWhatTheModuleStates_data() {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<int>("status");
        QTest::addColumn<ModelFile>("expected");
        const auto row =
            [](const char* name, const char* answer, Status status, ModelFile expected) {
                expected.path = "/models/m.safetensors";
                expected.name = "m.safetensors";
                QTest::newRow(name) << QByteArray(answer) << int(status) << expected;
            };
        row("a checkpoint",
            R"({"issues": [], "kind": "checkpoint", "family": "SD 1.x", "runs": true,
                "bytes": 300, "largest_bytes": 200, "problem": ""})",
            Status::Ok,
            {.kind = ModelKind::Checkpoint,
             .family = "SD 1.x",
             .isRunnable = true,
             .weights = 300,
             .largest = 200});
        row("a denoiser",
            R"({"kind": "denoiser", "family": "SDXL", "runs": true})",
            Status::Ok,
            {.kind = ModelKind::Denoiser, .family = "SDXL", .isRunnable = true});
        row("an autoencoder",
            R"({"kind": "autoencoder", "family": "autoencoder", "runs": true})",
            Status::Ok,
            {.kind = ModelKind::Autoencoder, .family = "autoencoder", .isRunnable = true});
        row("an upscaler",
            R"({"kind": "upscaler", "family": "ESRGAN", "runs": true})",
            Status::Ok,
            {.kind = ModelKind::Upscaler, .family = "ESRGAN", .isRunnable = true});
        row("a LoRA",
            R"({"kind": "lora", "family": "LoRA for SD 1.x", "runs": true})",
            Status::Ok,
            {.kind = ModelKind::Lora, .family = "LoRA for SD 1.x", .isRunnable = true});
        row("a diffusion model",
            R"({"kind": "diffusion_model", "family": "WAN 2.1 text to video", "runs": true})",
            Status::Ok,
            {.kind = ModelKind::DiffusionModel,
             .family = "WAN 2.1 text to video",
             .isRunnable = true});
        row("a text encoder",
            R"({"kind": "text_encoder", "family": "UMT5 XXL", "runs": true})",
            Status::Ok,
            {.kind = ModelKind::TextEncoder, .family = "UMT5 XXL", .isRunnable = true});
        row("what no graph can take",
            R"({"kind": "motion_module", "family": "motion module"})",
            Status::Ok,
            {.family = "motion module"});
        row("damaged",
            R"({"kind": "unknown", "problem": "m.safetensors is cut off"})",
            Status::Ok,
            {.problem = Message("m.safetensors is cut off")});
        row("refused",
            R"({"issues": [{"severity": "error", "code": "not_found", "message": "nothing there"}]})",
            Status::Invalid,
            {.problem = Message("nothing there")});
        row("no answer", "", Status::Ok, {});
    }

    void takesWhatTheModuleStates() {
        QFETCH(QByteArray, answer);
        QFETCH(int, status);
        QFETCH(ModelFile, expected);
        std::string asked;
        const auto module = [&](const std::string& path, std::string& result) {
            asked = path;
            result = answer.toStdString();
            return static_cast<Status>(status);
        };

        const ModelFile model = recogniseFile(module, expected.path);

        QCOMPARE(asked, expected.path);
        QCOMPARE(model.name, expected.name);
        QCOMPARE(model.kind, expected.kind);
        QCOMPARE(model.family, expected.family);
        QCOMPARE(model.isRunnable, expected.isRunnable);
        QCOMPARE(model.weights, expected.weights);
        QCOMPARE(model.largest, expected.largest);
        QVERIFY2(answer.isEmpty() ? !model.problem.empty() : model.problem == expected.problem,
                 model.problem.str().c_str());
    }

    void reportsThatNobodyCanBeAsked() {
        const ModelFile model = recogniseFile({}, "/models/m.safetensors");
        QVERIFY(model.problem.str().find("m.safetensors") != std::string::npos);
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
                                                "models/upscale_models",
                                                "models/loras"};
        QTest::newRow("its models")
            << QStringList{"diffusion_models", "checkpoints", "clip", "unet"}
            << QStringList{"checkpoints", "unet", "diffusion_models", "clip"};
        QTest::newRow("Automatic1111")
            << QStringList{"models/Stable-diffusion", "models/ESRGAN", "models/Lora", "embeddings"}
            << QStringList{"embeddings", "models/Stable-diffusion", "models/ESRGAN", "models/Lora"};
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
    controlnet: models/controlnet/
a111:
    base_path: ../webui
    upscale_models: models/ESRGAN
    unet: models/unet
    diffusion_models: models/dm
    diffusers: &d sub
    vae: *d
empty:
)";

        const std::vector<ModelFolder> folders = parseModelPaths(text, "/graphs/x", "paths.yaml");

        const std::vector<ModelFolder> expected = {
            {"/data/comfy/models/checkpoints", ModelKind::Checkpoint},
            {"/data/comfy/models/vae", ModelKind::Autoencoder},
            {"/elsewhere/vae", ModelKind::Autoencoder},
            {"/data/comfy/models/loras", ModelKind::Lora},
            {"/data/comfy/models/controlnet", ModelKind::ControlNet},
            {"/graphs/webui/models/ESRGAN", ModelKind::Upscaler},
            {"/graphs/webui/models/unet", ModelKind::Denoiser},
            {"/graphs/webui/models/dm", ModelKind::Denoiser},
            {"/graphs/webui/sub", ModelKind::Checkpoint},
            {"/graphs/webui/sub", ModelKind::Autoencoder}};
        QCOMPARE(folders, expected);
    }

    /// As ComfyUI does, which calls Python's expandvars.
    void expandsVariablesOfTheEnvironment_data() {
        QTest::addColumn<QByteArray>("base");
        QTest::addColumn<QString>("folder");
        QTest::newRow("name") << QByteArray("$LOWTIDE_TEST_MODELS/sd") << "/big/models/sd/loras";
        QTest::newRow("braces") << QByteArray("${LOWTIDE_TEST_MODELS}_2") << "/big/models_2/loras";
        QTest::newRow("unknown") << QByteArray("/a/$LOWTIDE_TEST_NONE/b")
                                 << "/a/$LOWTIDE_TEST_NONE/b/loras";
        QTest::newRow("open brace") << QByteArray("/a/${LOWTIDE_TEST") << "/a/${LOWTIDE_TEST/loras";
        QTest::newRow("sign alone") << QByteArray("/a/$/b$") << "/a/$/b$/loras";
    }

    void expandsVariablesOfTheEnvironment() {
        QFETCH(QByteArray, base);
        QFETCH(QString, folder);
        qputenv("LOWTIDE_TEST_MODELS", "/big/models");
        const QByteArray text = "comfyui:\n  base_path: " + base + "\n  loras: loras\n";

        const auto folders = parseModelPaths(text.toStdString(), "/graphs", "paths.yaml");

        qunsetenv("LOWTIDE_TEST_MODELS");
        QCOMPARE(folders.size(), size_t{1});
        QCOMPARE(QString::fromStdString(folders[0].path), folder);
    }

    void foldersOfTheDefaultSectionComeFirst() {
        const auto folders = parseModelPaths(
            "a:\n  loras: /one\nb:\n  is_default: true\n  loras: /two\n", "/", "paths.yaml");

        const std::vector<ModelFolder> expected = {{"/two", ModelKind::Lora},
                                                   {"/one", ModelKind::Lora}};
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
        QVERIFY(error->message().str().starts_with("p.yaml"));
        QVERIFY2(error->message().str().find(words.toStdString()) != std::string::npos,
                 error->what());
    }
};

LOWTIDE_TEST(ModelFilesTest)

}  // namespace model_files_test

#include "model_files_test.moc"
