// Models of one file for each network: the same bits as their folder, in every naming and encoding.

#include "plugin/base/json.hpp"
#include "plugin/files/output_file.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <map>

namespace split_files_test {

using namespace lowtide;

namespace {

/// Files by the node that opens them ("load", "text_encoder", ...).
using Files = std::map<QString, QString>;

constexpr qint64 kFewestBytes = 100'000;

/// The example for a model that reads an image as channels next to the latents only.
std::string withoutImageEncoder(const QString& example) {
    constexpr const char* kNode = "image_encoder";
    Json graph = Json::parse(testing::exampleText(example));
    graph["nodes"].erase(kNode);
    Json links = Json::array();
    for (const Json& link : graph["links"]) {
        if (link["from"][0] != kNode) {
            links.push_back(link);
        }
    }
    graph["links"] = links;
    return graph.dump();
}

}  // namespace

class SplitFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::wanGoldenFolder();
        split_ = testing::splitFileFolder(
            {"wan_i2v_0", "wan_i2v_1", "wan_t2v_0", "wan22_i2v_0", "wan22_t2v_0"});
    }

    void areTheFolder_data() {
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("file");
        const auto row = [](const char* checkpoint, const char* node, const char* file) {
            QTest::addRow("%s %s", checkpoint, file) << checkpoint << node << file;
        };
        for (const char* checkpoint : {"wan_i2v_0", "wan_i2v_1", "wan_t2v_0"}) {
            row(checkpoint, "load", "diffusion_model.safetensors");
        }
        row("wan22_i2v_0", "load", "diffusion_model.safetensors");
        row("wan22_t2v_0", "load", "diffusion_model_diffusers.safetensors");
        row("wan_i2v_0", "load", "diffusion_model_prefixed.safetensors");
        row("wan_i2v_0", "load", "diffusion_model_f32.gguf");
        row("wan_i2v_1", "load", "diffusion_model_diffusers.safetensors");
        row("wan_i2v_0", "autoencoder", "original/autoencoder.pth");
        row("wan_i2v_1", "autoencoder", "autoencoder_diffusers.safetensors");
        row("wan_i2v_0", "text_encoder", "original/text_encoder.pth");
        row("wan_i2v_0", "text_encoder", "text_encoder_alone.gguf");
    }

    /// One part in another form than ComfyUI's.
    void areTheFolder() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, node);
        QFETCH(QString, file);
        const QByteArray& expected = dumpOfFolder(checkpoint);
        QVERIFY2(expected.size() > kFewestBytes, expected.left(2000).constData());
        const QByteArray seen = dumpOfFiles(checkpoint, {{node, file}});
        QVERIFY2(seen == expected, seen.left(2000).constData());
    }

    void areWhatTheyDecodeTo_data() {
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("decoded");
        const auto row = [](const char* checkpoint,
                            const char* node,
                            const QString& file,
                            const QString& decoded) {
            QTest::addRow("%s %s", checkpoint, qPrintable(file))
                << checkpoint << node << file << decoded;
        };
        const QString denoiser = "diffusion_model_";
        for (const char* checkpoint : {"wan_i2v_0", "wan_t2v_0"}) {
            for (const char* file : {"fp8.safetensors", "q8_0.gguf", "q4_k.gguf"}) {
                const QString name = QString(file).section('.', 0, 0);
                row(checkpoint, "load", denoiser + file, denoiser + name + "_decoded.safetensors");
            }
        }
        row("wan_i2v_0",
            "text_encoder",
            "text_encoder_fp8.safetensors",
            "text_encoder_fp8_decoded.safetensors");
        row("wan_i2v_0",
            "text_encoder",
            "original/text_encoder.gguf",
            "text_encoder_half.safetensors");
    }

    /// Under offload too: what streams are the stored bytes.
    void areWhatTheyDecodeTo() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, node);
        QFETCH(QString, file);
        QFETCH(QString, decoded);
        const QByteArray expected = dumpOfFiles(checkpoint, {{node, decoded}});
        QVERIFY2(expected.size() > kFewestBytes, expected.left(2000).constData());
        QVERIFY(expected != dumpOfFolder(checkpoint));
        for (const char* policy : {"none", "leaf+stream"}) {
            const QByteArray seen = dumpOfFiles(checkpoint, {{node, file}}, policy);
            QVERIFY2(seen == expected, seen.left(2000).constData());
        }
    }

    void convertedFilesRun_data() {
        QTest::addColumn<QString>("storage");
        for (const char* storage : {"f16", "f8", "int8", "q8_0", "q4_k"}) {
            QTest::newRow(storage) << storage;
        }
    }

    /// What `lowtide convert` writes of a denoiser: another video than the source's, and the same
    /// under offload.
    void convertedFilesRun() {
        QFETCH(QString, storage);
        const QString checkpoint = "wan_i2v_0";
        const QString source = split_ + "/" + checkpoint + "/diffusion_model";
        const QTemporaryDir folder;
        const QString out = folder.filePath(storage.startsWith('q') ? "a.gguf" : "a.safetensors");
        QVERIFY(QFile::copy(source + ".lowtide.json", folder.filePath("a.lowtide.json")));
        const testing::CommandResult written = testing::runInProcess(
            {"convert", source + ".safetensors", "--storage", storage, "--out", out});
        QVERIFY2(written.exitCode == 0, qPrintable(written.errors));
        const QByteArray expected = dumpOfFiles(checkpoint, {{"load", out}});
        QVERIFY2(expected.size() > kFewestBytes, expected.left(2000).constData());
        QVERIFY(expected != dumpOfFolder(checkpoint));
        QVERIFY(dumpOfFiles(checkpoint, {{"load", out}}, "leaf+stream") == expected);
    }

private:
    const QByteArray& dumpOfFolder(const QString& checkpoint) {
        QByteArray& dump = ofFolders_[checkpoint];
        if (dump.isEmpty()) {
            dump =
                dumpOf(checkpoint, {"load.checkpoint=" + goldens_ + "/checkpoints/" + checkpoint});
        }
        return dump;
    }

    /// All parts in the forms that ComfyUI has, but for those of `others`.
    QByteArray dumpOfFiles(const QString& checkpoint,
                           const Files& others,
                           const QString& policy = "none") {
        Files files = {{"load", "diffusion_model.safetensors"},
                       {"text_encoder", "text_encoder.safetensors"},
                       {"autoencoder", "autoencoder.safetensors"}};
        if (checkpoint.startsWith("wan_i2v")) {
            files["image_encoder"] = "image_encoder.safetensors";
        }
        QStringList settings;
        for (const auto& [node, file] : files) {
            const auto other = others.find(node);
            const QString& name = other == others.end() ? file : other->second;
            const bool isWhole = name.startsWith('/');
            settings << node + ".file=" + (isWhole ? "" : split_ + "/" + checkpoint + "/") + name;
        }
        if (hasTwoNoiseModels(checkpoint)) {
            settings << "load.low_noise=" + split_ + "/" + checkpoint +
                            "/diffusion_model_low_noise.safetensors";
        }
        return dumpOf(checkpoint, settings, "_files", policy);
    }

    static bool hasImage(const QString& checkpoint) { return checkpoint.contains("_i2v_"); }

    static bool hasTwoNoiseModels(const QString& checkpoint) {
        return checkpoint.startsWith("wan22");
    }

    /// The dump, or what went wrong.
    QByteArray dumpOf(const QString& checkpoint,
                      const QStringList& settings,
                      const QString& ending = {},
                      const QString& policy = "none") {
        const QTemporaryDir folder;
        const bool isImage = hasImage(checkpoint);
        const QString graph = isImage ? "image_to_video" : "text_to_video";
        const QString dump = folder.filePath("dump.safetensors");
        QString path = testing::exampleGraph(graph + ending);
        if (isImage && hasTwoNoiseModels(checkpoint) && !ending.isEmpty()) {
            path = folder.filePath("graph.json");
            files::writeFileAtomically(path.toStdString(), withoutImageEncoder(graph + ending));
        }
        QStringList arguments = {"run", path, "--dump", dump, "--out", folder.path()};
        const QStringList ofImage = isImage ? QStringList{"video"} : QStringList();
        for (const QString& node : QStringList{"encode", "denoise", "decode"} + ofImage) {
            arguments << "--policy" << node + "=" + policy;
        }
        // Four steps of a flow shifted by 3 are two of each noise model.
        const QStringList sizes = {
            "video.width=64",
            "video.height=48",
            "video.frames=5",
            hasTwoNoiseModels(checkpoint) ? "denoise.steps=4" : "denoise.steps=2",
            "denoise.shift=3",
            "encode.negative=grey",
            "save_video.format=png"};
        for (const QString& setting : settings + sizes) {
            arguments << "--set" << setting;
        }
        if (isImage) {
            arguments << "--set"
                      << "load_image.image=" + goldens_ + "/images/init.png";
        }
        const testing::CommandResult ended = testing::runInProcess(arguments);
        return ended.exitCode == 0 ? testing::contentsOf(dump) : ended.errors.toUtf8();
    }

    QString goldens_;
    QString split_;
    std::map<QString, QByteArray> ofFolders_;
};

LOWTIDE_TEST(SplitFilesTest)

}  // namespace split_files_test

#include "split_files_test.moc"
