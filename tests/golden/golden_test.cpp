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

QStringList argumentsOf(const Json& test, const QString& goldens, const QString& dump) {
    const std::string checkpoint = test.value("ours", test.at("checkpoint").get<std::string>());
    QStringList arguments = {
        "run",
        testing::exampleGraph("text_to_image"),
        "--out",
        QFileInfo(dump).absolutePath(),
        "--dump",
        dump,
        "--set",
        "load.checkpoint=" + goldens + "/checkpoints/" + QString::fromStdString(checkpoint)};
    for (const auto& [key, parameter] : kParameters) {
        if (test.contains(key)) {
            const Json& value = test.at(key);
            const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
            arguments << "--set" << QString(parameter) + "=" + QString::fromStdString(text);
        }
    }
    return arguments;
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
        const QTemporaryDir folder;
        const QString dump = folder.filePath("dump.safetensors");
        const testing::CommandResult run = testing::runLowtide(argumentsOf(test, goldens_, dump));
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));

        const std::string reference =
            goldens_.toStdString() + "/" + test.at("name").get<std::string>() + ".safetensors";
        const testing::TensorFile expected = testing::readTensorFile(reference);
        QVERIFY(expected.size() > 20);
        const std::string problems =
            testing::disagreements(expected, testing::readTensorFile(dump.toStdString()));
        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(GoldenTest)

}  // namespace golden_test

#include "golden_test.moc"
