#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <map>

namespace split_refusal_test {

using namespace lowtide;

/// Files that make no model together: refused before the run, in a sentence with node and port.
class SplitRefusalTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        split_ = testing::splitFileFolder({"wan_i2v_0", "wan_i2v_1", "wan_t2v_0"});
        QVERIFY(QFile::copy(split_ + "/wan_i2v_0/original/text_encoder.pth",
                            folder_.filePath("alone.pth")));
        QVERIFY(QFile::copy(split_ + "/wan_i2v_0/diffusion_model.safetensors",
                            folder_.filePath("narrow.safetensors")));
        QVERIFY(QFile::copy(split_ + "/wan_i2v_0/image_encoder.safetensors",
                            folder_.filePath("tower.safetensors")));
    }

    void reportsWhatIsWrong_data() {
        const testing::Rows<QString, QString, QString, QStringList> row(
            "node", "file", "at", "messages");
        const QString single = testing::singleFileFolder();
        const QString quantised = testing::quantisedFile("sd15_1", "unet_fp8.safetensors");
        row("nothing", "load", "", "load", {"there is no diffusion model \"\""});
        row("no file",
            "text_encoder",
            "gone.gguf",
            "text_encoder",
            {"no text encoder \"gone.gguf\""});
        row("a UNet of Stable Diffusion",
            "load",
            quantised,
            "load",
            {"no diffusion model that is built alone", "kind \"denoiser\"", "Load checkpoint"});
        row("a text encoder as denoiser",
            "load",
            split_ + "/wan_i2v_0/text_encoder.safetensors",
            "load",
            {"kind \"text_encoder\"", "Load text encoder"});
        row("a denoiser as text encoder",
            "text_encoder",
            split_ + "/wan_i2v_0/diffusion_model.safetensors",
            "text_encoder",
            {"has no text_encoder"});
        row("an autoencoder of images",
            "autoencoder",
            single + "/vae_diffusers.safetensors",
            "load",
            {"vae is a AutoencoderKL", "AutoencoderKLWan", "Load autoencoder"});
        row("another width of texts",
            "text_encoder",
            split_ + "/wan_i2v_1/text_encoder.safetensors",
            "load",
            {"reads texts 48 wide", "gives 32"});
        row("another width of images",
            "image_encoder",
            split_ + "/wan_i2v_1/image_encoder.safetensors",
            "load",
            {"reads images 40 wide", "gives 32"});
        row("no tokenizer",
            "text_encoder",
            folder_.filePath("alone.pth"),
            "load",
            {"load.text_encoder: alone.pth has no tokenizer",
             "put spiece.model of UMT5 XXL into its folder, or into tokenizer/ there"});
        row("heads that no shape shows",
            "load",
            folder_.filePath("narrow.safetensors"),
            "load",
            {"heads no shape determines", "narrow.lowtide.json"});
        row("heads of a tower",
            "image_encoder",
            folder_.filePath("tower.safetensors"),
            "image_encoder",
            {"number of heads no shape determines", "tower.lowtide.json"});
        row("a denoiser that begins with no image",
            "load",
            split_ + "/wan_t2v_0/diffusion_model.safetensors",
            "video",
            {"begin with an image"});
    }

    void reportsWhatIsWrong() {
        QFETCH(QString, node);
        QFETCH(QString, file);
        QFETCH(QString, at);
        QFETCH(QStringList, messages);
        const testing::CommandResult ended = plan(node, file);
        QCOMPARE(ended.exitCode, 2);
        for (const QString& message : messages + QStringList{at}) {
            QVERIFY2(ended.errors.contains(message), qPrintable(ended.errors));
        }
        QVERIFY2(!ended.errors.contains("fault of the program"), qPrintable(ended.errors));
    }

    void asLowNoiseModel_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("message");
        QTest::newRow("the first again") << split_ + "/wan_i2v_0/diffusion_model.safetensors"
                                         << "both denoisers are the same file";
        QTest::newRow("of text to video") << split_ + "/wan_t2v_0/diffusion_model.safetensors"
                                          << "in_channels is 16, that of transformer is 36";
        QTest::newRow("a text encoder") << split_ + "/wan_i2v_0/text_encoder.safetensors"
                                        << "kind \"text_encoder\"";
        QTest::newRow("no file") << "gone.gguf"
                                 << "no low-noise model \"gone.gguf\"";
    }

    void asLowNoiseModel() {
        QFETCH(QString, file);
        QFETCH(QString, message);
        const testing::CommandResult ended = plan("load",
                                                  split_ + "/wan_i2v_0/diffusion_model.safetensors",
                                                  {},
                                                  {"load.low_noise=" + file});
        QCOMPARE(ended.exitCode, 2);
        QVERIFY2(ended.errors.contains(message) && ended.errors.contains("load.low_noise"),
                 qPrintable(ended.errors));
    }

    void aPartThatIsNotConnectedIsNamed_data() {
        QTest::addColumn<QString>("part");
        QTest::newRow("text") << "text_encoder";
        QTest::newRow("image") << "image_encoder";
        QTest::newRow("autoencoder") << "autoencoder";
    }

    void aPartThatIsNotConnectedIsNamed() {
        QFETCH(QString, part);
        Json graph = Json::parse(testing::exampleText("image_to_video_files"));
        Json& links = graph["links"];
        const std::string name = part.toStdString();
        for (size_t i = links.size(); i-- > 0;) {
            if (links[i].at("from")[0] == name) {
                links.erase(i);
            }
        }
        graph["nodes"].erase(name);
        const QString path = folder_.filePath(part + ".json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(graph.dump()));
        file.close();
        const testing::CommandResult ended = plan(part, {}, path);
        QCOMPARE(ended.exitCode, 2);
        for (const QString& message : {QString("load"), part}) {
            QVERIFY2(ended.errors.contains(message), qPrintable(ended.errors));
        }
    }

private:
    /// Of the image to video graph with all files of one checkpoint, but for one.
    testing::CommandResult plan(const QString& other,
                                const QString& file,
                                const QString& graph = {},
                                const QStringList& settings = {}) {
        QStringList arguments = {
            "plan", graph.isEmpty() ? testing::exampleGraph("image_to_video_files") : graph};
        std::map<QString, QString> files;
        for (const auto& [node, name] : {std::pair("load", "diffusion_model"),
                                         {"text_encoder", "text_encoder"},
                                         {"autoencoder", "autoencoder"},
                                         {"image_encoder", "image_encoder"}}) {
            files[node] = split_ + "/wan_i2v_0/" + name + ".safetensors";
        }
        if (graph.isEmpty()) {
            files[other] = file;
        } else {
            files.erase(other);
        }
        for (const auto& [node, path] : files) {
            arguments << "--set" << node + ".file=" + path;
        }
        for (const QString& setting : settings) {
            arguments << "--set" << setting;
        }
        arguments << "--set"
                  << "load_image.image=" + testing::wanGoldenFolder() + "/images/init.png";
        return testing::runInProcess(arguments);
    }

    QString split_;
    const QTemporaryDir folder_;
};

LOWTIDE_TEST(SplitRefusalTest)

}  // namespace split_refusal_test

#include "split_refusal_test.moc"
