#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace sdxl_golden_test {

using namespace lowtide;

namespace {

/// The graph's parameters for each key of a case; a list has one for each of its numbers.
const std::pair<const char*, QStringList> kParameters[] = {
    {"prompt", {"encode.prompt"}},
    {"negative", {"encode.negative"}},
    {"prompt_2", {"encode.prompt_2"}},
    {"negative_2", {"encode.negative_2"}},
    {"original_size", {"encode.original_height", "encode.original_width"}},
    {"crop", {"encode.crop_top", "encode.crop_left"}},
    {"clip_skip", {"encode.clip_skip"}},
    {"width", {"latent.width"}},
    {"height", {"latent.height"}},
    {"batch", {"latent.batch"}},
    {"steps", {"denoise.steps"}},
    {"cfg", {"denoise.cfg"}},
    {"seed", {"denoise.seed"}},
    {"sampler", {"denoise.sampler"}},
    {"sigmas", {"denoise.sigmas"}},
    {"guidance_rescale", {"denoise.guidance_rescale"}},
    {"interval", {"deepcache.interval"}},
    {"depth", {"deepcache.depth"}},
    {"strength", {"denoise.strength"}}};

/// The example that does what the case does.
QString exampleOf(const Json& test) {
    if (!test.contains("image")) {
        return test.contains("depth") ? "text_to_image_deepcache" : "text_to_image";
    }
    if (!test.contains("mask")) {
        return "image_to_image";
    }
    const bool fills = test.at("checkpoint").get<std::string>().starts_with("inpaint_");
    return fills ? "inpaint_model" : "inpaint";
}

QString textOf(const Json& value) {
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

QStringList settingsOf(const Json& test, const QString& goldens) {
    const QString example = exampleOf(test);
    QStringList settings = {"load.checkpoint=" + goldens + "/checkpoints/" +
                            textOf(test.at("checkpoint"))};
    if (test.contains("image")) {
        const QString picture = goldens + "/images/" + textOf(test.at("image"));
        settings << "load_image.image=" + picture +
                        (example == "inpaint_model" ? "_hole.png" : ".png");
        if (example == "inpaint") {
            settings << "load_mask.image=" + picture + "_mask.png";
        }
    }
    for (const auto& [key, parameters] : kParameters) {
        if (!test.contains(key)) {
            continue;
        }
        const Json& value = test.at(key);
        for (qsizetype i = 0; i < parameters.size(); ++i) {
            settings << parameters[i] + "=" +
                            textOf(value.is_array() ? value[static_cast<size_t>(i)] : value);
        }
    }
    // Left empty it is no text at all; white space is the empty one.
    if (test.contains("negative") && test.at("negative") == "") {
        settings << "encode.negative= ";
    }
    return settings;
}

}  // namespace

/// Stable Diffusion XL: every value that diffusers' pipelines compute, for every case of
/// sdxl_cases.json, or where the whole test is asked for of sdxl_all_cases.json.
class SdxlGoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        const QString cases = testing::isWholeTest() ? "sdxl_all_cases" : "sdxl_cases";
        goldens_ = testing::sdxlGoldenFolder(cases);
        QFile file(testing::sourcePath("tests/golden/" + cases + ".json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        cases_ = parseJson(file.readAll().toStdString(), "the cases");
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
        QVERIFY(expected.size() > 20 && expected.contains("added.time_ids"));
        const std::string problems =
            testing::disagreements(expected, testing::readTensorFile(dump.toStdString()));
        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(SdxlGoldenTest)

}  // namespace sdxl_golden_test

#include "sdxl_golden_test.moc"
