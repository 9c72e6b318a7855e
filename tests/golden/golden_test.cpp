#include "plugin/base/hash.hpp"
#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace golden_test {

using namespace lowtide;

namespace {

/// The graph's parameter for each key of a case.
constexpr std::pair<const char*, const char*> kParameters[] = {
    {"prompt", "encode.prompt"},
    {"negative", "encode.negative"},
    {"clip_skip", "encode.clip_skip"},
    {"width", "latent.width"},
    {"height", "latent.height"},
    {"batch", "latent.batch"},
    {"steps", "denoise.steps"},
    {"cfg", "denoise.cfg"},
    {"seed", "denoise.seed"},
    {"sampler", "denoise.sampler"},
    {"sigmas", "denoise.sigmas"},
    {"spacing", "denoise.spacing"},
    {"eta", "denoise.eta"},
    {"guidance_rescale", "denoise.guidance_rescale"}};

QStringList argumentsOf(const Json& test, const QString& checkpoint, const QString& dump) {
    QStringList arguments = {"run",
                             testing::exampleGraph("text_to_image"),
                             "--out",
                             QFileInfo(dump).absolutePath(),
                             "--dump",
                             dump,
                             "--set",
                             "load.checkpoint=" + checkpoint};
    for (const auto& [key, parameter] : kParameters) {
        if (test.contains(key)) {
            const Json& value = test.at(key);
            const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
            arguments << "--set" << QString(parameter) + "=" + QString::fromStdString(text);
        }
    }
    return arguments;
}

/// The reference checkpoints as save_pretrained writes them, made once.
QString savedFolders() {
    const QString script = testing::sourcePath("tests/golden/make_saved_folders.py");
    const std::string hash = sha256Hex(testing::contentsOf(script).toStdString()).substr(0, 16);
    QString folder = testing::goldenFolder() + "/saved-" + QString::fromStdString(hash);
    testing::runReferenceAlone(folder, {script, testing::goldenFolder() + "/checkpoints", folder});
    return folder;
}

}  // namespace

/// Every value that the reference recorded, for every case: tokens, text encoder, noise, schedule,
/// each call of the denoiser, each step, the decoder, the 8-bit picture.
class GoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::goldenFolder();
        QFile file(testing::sourcePath("tests/golden/cases.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        cases_ = parseJson(file.readAll().toStdString(), "cases.json");
    }

    void everyRecordedValueAgrees_data() {
        QTest::addColumn<int>("index");
        for (size_t i = 0; i < cases_.size(); ++i) {
            QTest::newRow(cases_[i].at("name").get<std::string>().c_str()) << static_cast<int>(i);
        }
    }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const std::string checkpoint = test.value("ours", test.at("checkpoint").get<std::string>());
        QCOMPARE(problemsOf(test, goldens_ + "/checkpoints/" + QString::fromStdString(checkpoint)),
                 std::string());
    }

    void foldersOfTodaysDiffusersAgree_data() {
        QTest::addColumn<int>("index");
        for (size_t i = 0; i < cases_.size(); ++i) {
            const std::string name = cases_[i].at("name");
            if (name.ends_with("_checkpoint")) {
                QTest::newRow(name.c_str()) << static_cast<int>(i);
            }
        }
    }

    /// Written by save_pretrained, whose tokenizers are one tokenizer.json.
    void foldersOfTodaysDiffusersAgree() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const std::string checkpoint = test.at("checkpoint");
        QCOMPARE(problemsOf(test, savedFolders() + "/" + QString::fromStdString(checkpoint)),
                 std::string());
    }

private:
    /// What a run of the case with that checkpoint has other than the reference; empty: nothing.
    [[nodiscard]] std::string problemsOf(const Json& test, const QString& checkpoint) const {
        const QTemporaryDir folder;
        const QString dump = folder.filePath("dump.safetensors");
        const testing::CommandResult run = testing::runLowtide(argumentsOf(test, checkpoint, dump));
        if (run.exitCode != 0) {
            return run.errors.toStdString();
        }
        const testing::TensorFile expected = testing::readTensorFile(
            goldens_.toStdString() + "/" + test.at("name").get<std::string>() + ".safetensors");
        constexpr size_t kFewestValues = 20;
        if (expected.size() <= kFewestValues) {
            return "the reference recorded only " + std::to_string(expected.size()) + " values";
        }
        return testing::disagreements(expected, testing::readTensorFile(dump.toStdString()));
    }

    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(GoldenTest)

}  // namespace golden_test

#include "golden_test.moc"
