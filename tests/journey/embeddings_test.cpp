// Textual inversions in whole runs: what a changed file, another name and a wrong width do.

#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QImage>
#include <QtTest/QtTest>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

namespace embeddings_test {

using namespace lowtide;

namespace {

constexpr int64_t kMiniWidth = 128;

/// One vector of `width` numbers.
void writeVector(const QString& path, int64_t width, float value) {
    std::vector<float> values(static_cast<size_t>(width), value);
    const std::string bytes(reinterpret_cast<const char*>(values.data()),
                            values.size() * sizeof(float));
    testing::writeTensorFile(
        path.toStdString(),
        {{"emb_params", {.type = DType::F32, .shape = {1, width}, .bytes = bytes}}});
}

}  // namespace

class EmbeddingsJourneyTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;

    [[nodiscard]] QString fileOf(const QString& name) const {
        return folder_->filePath("embeddings/" + name);
    }

    /// In this process, which keeps results; the example is as if it lay next to the embeddings.
    [[nodiscard]] testing::ModuleRun run(const std::string& prompt, bool isDumped = true) const {
        const std::string folder = folder_->path().toStdString();
        Json options = {{"graphFolder", folder},
                        {"out", folder},
                        {"set",
                         {"latent.width=64",
                          "latent.height=64",
                          "denoise.steps=2",
                          "encode.prompt=" + prompt}}};
        if (isDumped) {
            options["dump"] = folder + "/dump.safetensors";
        }
        return testing::runModule(testing::exampleText("text_to_image"), options);
    }

    [[nodiscard]] testing::CommandResult runCommand(const QString& prompt) const {
        const QString graph = folder_->filePath("graph.json");
        QFile::copy(testing::exampleGraph("text_to_image"), graph);
        return testing::runInProcess({"run",
                                      graph,
                                      "--out",
                                      folder_->path(),
                                      "--set",
                                      "latent.width=64",
                                      "--set",
                                      "latent.height=64",
                                      "--set",
                                      "denoise.steps=2",
                                      "--set",
                                      "encode.prompt=" + prompt});
    }

private Q_SLOTS:

    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(QDir().mkpath(fileOf("")));
        writeVector(fileOf("inky.safetensors"), kMiniWidth, 0.25F);
    }

    /// A vector in the place of a word, and of another word's.
    void aChangedFileGivesAnotherImage() {
        const QByteArray word = run("a cat").dump;
        const QByteArray first = run("a inky").dump;
        const QByteArray again = run("a embedding:inky").dump;
        writeVector(fileOf("inky.safetensors"), kMiniWidth, -0.5F);
        const QByteArray changed = run("a inky").dump;
        writeVector(fileOf("inky.safetensors"), kMiniWidth, 0.25F);
        const QByteArray back = run("a inky").dump;

        QVERIFY(first.size() > 10000);
        QVERIFY(first != word);
        QVERIFY(first == again);
        QVERIFY(changed != first);
        QVERIFY(back == first);
    }

    /// A result is kept for the file that it was made with.
    void keptResultsKnowTheFile() {
        const auto executed = [&] {
            const Json nodes = run("a inky", false).report.at("repetitions").at(0).at("executed");
            return std::find(nodes.begin(), nodes.end(), "encode") != nodes.end();
        };
        writeVector(fileOf("inky.safetensors"), kMiniWidth, 0.75F);
        QVERIFY(executed());
        QVERIFY(!executed());
        writeVector(fileOf("inky.safetensors"), kMiniWidth, -0.75F);
        QVERIFY(executed());
    }

    void imagesStateTheirHashes() {
        const testing::CommandResult ran = runCommand("a (inky:1.2) cat, embedding:inky");
        QVERIFY2(ran.exitCode == 0, qPrintable(ran.errors));
        const QStringList images = QDir(folder_->path()).entryList({"*.png"});
        QCOMPARE(images.size(), 1);
        const QString text = QImage(folder_->filePath(images.front())).text("parameters");
        const QString digest =
            QString::fromStdString(files::sha256OfFile(fileOf("inky.safetensors").toStdString()));
        QVERIFY2(text.contains("TI hashes: \"inky: " + digest.first(12) + "\", "),
                 qPrintable(text));
    }

    void whatIsMissingIsReported_andTheRestIsEncoded() {
        const testing::CommandResult ran = runCommand("a cat embedding:inkly");
        QVERIFY2(ran.exitCode == 0, qPrintable(ran.errors));
        const QString message = ran.errors + ran.output;
        QVERIFY2(message.contains("there is no embedding \"inkly\", which is left out of the text"),
                 qPrintable(message));
        QVERIFY2(message.contains("did you mean \"inky\"?"), qPrintable(message));
    }

    void badFilesAreRefused_data() {
        testing::addTable<QString, QString>(
            {"made", "expected"},
            {{"another width",
              "wide",
              "\"inky.safetensors\" has vectors 96 wide, the text encoder (text_encoder) "
              "reads 128"},
             {"NaN", "nan", "not finite"},
             {"empty", "empty", "\"inky.safetensors\""}});
    }

    void badFilesAreRefused() {
        QFETCH(QString, made);
        QFETCH(QString, expected);
        if (made == "empty") {
            testing::writeFile(fileOf("inky.safetensors"), "");
        } else {
            const bool isWide = made == "wide";
            writeVector(fileOf("inky.safetensors"),
                        isWide ? 96 : kMiniWidth,
                        isWide ? 1.0F : std::numeric_limits<float>::quiet_NaN());
        }
        const testing::CommandResult ran = runCommand("a inky cat");
        QCOMPARE(ran.exitCode, 2);
        QVERIFY2(ran.errors.contains("encode") && ran.errors.contains("prompt") &&
                     ran.errors.contains(expected),
                 qPrintable(ran.errors));
    }
};

LOWTIDE_TEST(EmbeddingsJourneyTest)

}  // namespace embeddings_test

#include "embeddings_test.moc"
