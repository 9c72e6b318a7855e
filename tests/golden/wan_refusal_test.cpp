#include "plugin/base/json.hpp"
#include "plugin/files/output_file.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace wan_refusal_test {

using namespace lowtide;

/// What cannot be asked of WAN: refused before the run, in a sentence with node and parameter.
class WanRefusalTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { goldens_ = testing::wanGoldenFolder(); }

    void reportsWhatIsWrong_data() {
        const testing::Rows<QString, QString, QStringList, QString> row(
            "graph", "checkpoint", "settings", "message");
        row("frames", "text_to_video", "wan_t2v_0", {"video.frames=8"}, "frames");
        row("frames of a start",
            "image_to_video",
            "wan_i2v_0",
            {"video.frames=2"},
            "video.frames: 2 frames do not fit");
        row("width", "text_to_video", "wan_t2v_0", {"video.width=72"}, "72");
        row("no image", "text_to_video", "wan_i2v_0", {}, "begins with none");
        row("an image", "image_to_video", "wan_t2v_0", {}, "begin with an image");
        row("shift", "text_to_video", "wan_t2v_0", {"denoise.shift=200"}, "shift");
        row("sampler", "text_to_video", "wan_t2v_0", {"denoise.sampler=ddim"}, "flow matching");
        row("sigmas", "text_to_video", "wan_t2v_0", {"denoise.sigmas=lu"}, "sigmas");
        row("spacing", "text_to_video", "wan_t2v_0", {"denoise.spacing=leading"}, "spacing");
        row("guidance", "text_to_video", "wan_t2v_0", {"denoise.cfg_2=3"}, "has one denoiser");
        row("boundary", "text_to_video", "wan_t2v_0", {"denoise.boundary=0.5"}, "one denoiser");
        row("no guidance", "text_to_video", "wan22_t2v_0", {"denoise.cfg_2=-1"}, "cfg_2");
        row("no share", "text_to_video", "wan22_t2v_0", {"denoise.boundary=1.5"}, "boundary");
    }

    void reportsWhatIsWrong() {
        QFETCH(QString, graph);
        QFETCH(QString, checkpoint);
        QFETCH(QStringList, settings);
        QFETCH(QString, message);
        const CommandResult ended = run(graph, checkpoint, settings);
        QCOMPARE(ended.exitCode, 2);
        const QString& text = ended.errors;
        QVERIFY2(text.contains(message) && !text.contains("fault of the program"),
                 qPrintable(text));
    }

    /// The denoiser of text to video in the place of the second one.
    void refusesANoiseModelOfAnotherModel() {
        const QTemporaryDir changed;
        const QString folder = changed.filePath("wan");
        testing::copyFolder(goldens_ + "/checkpoints/wan22_i2v_0", folder);
        QVERIFY(QDir(folder + "/transformer_2").removeRecursively());
        testing::copyFolder(goldens_ + "/checkpoints/wan_t2v_0/transformer",
                            folder + "/transformer_2");
        const CommandResult ended = testing::runInProcess({"plan",
                                                           testing::exampleGraph("image_to_video"),
                                                           "--set",
                                                           "load.checkpoint=" + folder});
        QCOMPARE(ended.exitCode, 2);
        QVERIFY2(ended.errors.contains(
                     "transformer_2/config.json: in_channels is 16, that of transformer is 36"),
                 qPrintable(ended.errors));
    }

    void refusesOtherNetworks_data() {
        const testing::Rows<QString, QString, QString, QString, QString> add(
            "checkpoint", "file", "key", "value", "message");
        QString checkpoint = "wan_i2v_0";
        const auto row = [&](const char* name,
                             const char* file,
                             const char* key,
                             const char* value,
                             const char* text) { add(name, checkpoint, file, key, value, text); };
        const char* const index = "model_index.json";
        const char* const transformer = "transformer/config.json";
        row("one noise model", index, "boundary_ratio", "0.9", "it has no transformer_2");
        row("times of tokens", index, "expand_timesteps", "true", "expand_timesteps is true");
        row("second noise model",
            index,
            "transformer_2",
            R"(["diffusers", "WanTransformer3DModel"])",
            "transformer_2");
        row("frames", transformer, "patch_size", "[2, 2, 2]", "patch_size has 2 frames");
        row("odd heads", transformer, "attention_head_dim", "5", "attention_head_dim is 5");
        checkpoint = "wan22_i2v_0";
        row("ratio", index, "boundary_ratio", "1.5", "boundary_ratio is 1.5");
        row("words", index, "boundary_ratio", R"("high")", R"(boundary_ratio is "high")");
        row("class", index, "transformer_2", R"(["diffusers", "UNet2DModel"])", "UNet2DModel");
    }

    void refusesOtherNetworks() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, file);
        QFETCH(QString, key);
        QFETCH(QString, value);
        QFETCH(QString, message);
        const QTemporaryDir changed;
        const QString folder = changed.filePath("wan");
        testing::copyFolder(goldens_ + "/checkpoints/" + checkpoint, folder);
        const std::string path = (folder + "/" + file).toStdString();
        Json json = parseJson(testing::contentsOf(folder + "/" + file).toStdString(), path);
        json[key.toStdString()] = Json::parse(value.toStdString());
        files::writeFileAtomically(path, json.dump());

        const CommandResult ended = testing::runInProcess({"plan",
                                                           testing::exampleGraph("image_to_video"),
                                                           "--set",
                                                           "load.checkpoint=" + folder});

        QCOMPARE(ended.exitCode, 2);
        QVERIFY2(ended.errors.contains(message), qPrintable(ended.errors));
    }

private:
    using CommandResult = testing::CommandResult;

    CommandResult run(const QString& graph,
                      const QString& checkpoint,
                      const QStringList& settings) {
        QStringList arguments = {"run", testing::exampleGraph(graph), "--out", folder_.path()};
        for (const QString& setting :
             QStringList{"load.checkpoint=" + goldens_ + "/checkpoints/" + checkpoint,
                         "video.width=64",
                         "video.height=48",
                         "video.frames=5",
                         "denoise.steps=2"} +
                 settings) {
            arguments << "--set" << setting;
        }
        if (graph == "image_to_video") {
            arguments << "--set"
                      << "load_image.image=" + goldens_ + "/images/init.png";
        }
        return testing::runInProcess(arguments);
    }

    QString goldens_;
    const QTemporaryDir folder_;
};

LOWTIDE_TEST(WanRefusalTest)

}  // namespace wan_refusal_test

#include "wan_refusal_test.moc"
