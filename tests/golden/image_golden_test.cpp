#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace image_golden_test {

using namespace lowtide;

namespace {

/// The graph's parameter for each key of a case.
constexpr std::pair<const char*, const char*> kParameters[] = {{"prompt", "encode.prompt"},
                                                               {"negative", "encode.negative"},
                                                               {"steps", "denoise.steps"},
                                                               {"cfg", "denoise.cfg"},
                                                               {"seed", "denoise.seed"},
                                                               {"sampler", "denoise.sampler"},
                                                               {"sigmas", "denoise.sigmas"},
                                                               {"eta", "denoise.eta"},
                                                               {"strength", "denoise.strength"}};

/// The example that does what the case does.
QString exampleOf(const Json& test) {
    if (!test.contains("mask")) {
        return "image_to_image";
    }
    const bool fills = test.at("checkpoint").get<std::string>().starts_with("inpaint_");
    return fills ? "inpaint_model" : "inpaint";
}

QStringList settingsOf(const Json& test, const QString& goldens) {
    const auto textOf = [&](const char* key) {
        const Json& value = test.at(key);
        return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
    };
    const QString picture = goldens + "/images/" + textOf("image");
    const QString example = exampleOf(test);
    QStringList settings = {
        "load.checkpoint=" + goldens + "/checkpoints/" + textOf("checkpoint"),
        "load_image.image=" + picture + (example == "inpaint_model" ? "_hole.png" : ".png")};
    if (example == "inpaint") {
        settings << "load_mask.image=" + picture + "_mask.png";
    }
    for (const auto& [key, parameter] : kParameters) {
        if (test.contains(key)) {
            settings << QString(parameter) + "=" + textOf(key);
        }
    }
    return settings;
}

}  // namespace

/// Image to image, and inpainting with networks of 4 and of 9 channels, from the picture's file:
/// every value that diffusers' own pipelines compute, in their order of draws.
class ImageGoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::imageGoldenFolder();
        QFile file(testing::sourcePath("tests/golden/image_cases.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        cases_ = parseJson(file.readAll().toStdString(), "image_cases.json");
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
        QStringList arguments = {
            "run", testing::exampleGraph(exampleOf(test)), "--out", folder.path(), "--dump", dump};
        for (const QString& setting : settingsOf(test, goldens_)) {
            arguments << "--set" << setting;
        }
        const testing::CommandResult run = testing::runLowtide(arguments);
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));

        const testing::TensorFile expected = testing::readTensorFile(
            goldens_.toStdString() + "/" + test.at("name").get<std::string>() + ".safetensors");
        QVERIFY(expected.size() > 20 && expected.contains("random.001"));
        const std::string problems =
            testing::disagreements(expected, testing::readTensorFile(dump.toStdString()));
        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(ImageGoldenTest)

}  // namespace image_golden_test

#include "image_golden_test.moc"
