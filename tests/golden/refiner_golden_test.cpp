#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace refiner_golden_test {

using namespace lowtide;

namespace {

/// The graph's parameters for each key of a case.
const std::pair<const char*, QStringList> kParameters[] = {
    {"share", {"denoise.end_at", "refine.start_at"}},
    {"prompt", {"encode.prompt", "encode_refiner.prompt"}},
    {"negative", {"encode.negative", "encode_refiner.negative"}},
    {"width", {"latent.width"}},
    {"height", {"latent.height"}},
    {"batch", {"latent.batch"}},
    {"steps", {"denoise.steps", "refine.steps"}},
    {"cfg", {"denoise.cfg", "refine.cfg"}},
    {"seed", {"denoise.seed", "refine.seed"}},
    {"sampler", {"denoise.sampler", "refine.sampler"}},
    {"sigmas", {"denoise.sigmas", "refine.sigmas"}}};

QString valueText(const Json& value) {
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

QStringList settingsFor(const Json& test, const QString& goldens) {
    const QString checkpoints = goldens + "/checkpoints/";
    QStringList settings = {
        "load.checkpoint=" + checkpoints + valueText(test.at("checkpoint")),
        "load_refiner.checkpoint=" + checkpoints + valueText(test.at("refiner"))};
    for (const auto& [key, parameters] : kParameters) {
        for (const QString& parameter : parameters) {
            if (test.contains(key)) {
                settings << parameter + "=" + valueText(test.at(key));
            }
        }
    }
    return settings;
}

}  // namespace

/// A base and its refiner, base_refiner.json: every value that diffusers' pipelines compute with
/// denoising_end and denoising_start, for every case of refiner_cases.json, or where the whole test
/// is asked for of refiner_all_cases.json.
class RefinerGoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        const QString cases = testing::isWholeTest() ? "refiner_all_cases" : "refiner_cases";
        goldens_ = testing::refinerGoldenFolder(cases);
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
            "run", testing::exampleGraph("base_refiner"), "--out", folder.path(), "--dump", dump};
        for (const QString& setting : settingsFor(test, goldens_)) {
            arguments << "--set" << setting;
        }
        const testing::CommandResult run = testing::runLowtide(arguments);
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const testing::TensorFile expected = testing::readTensorFile(
            goldens_.toStdString() + "/" + test.at("name").get<std::string>() + ".safetensors");
        const testing::TensorFile ours = testing::readTensorFile(dump.toStdString());
        QVERIFY(expected.contains("added.time_ids") && expected.contains("refine/added.time_ids"));
        QCOMPARE(callsIn(ours, ""), callsIn(expected, ""));
        QCOMPARE(callsIn(ours, "refine/"), callsIn(expected, "refine/"));
        const std::string problems = testing::disagreements(expected, ours);
        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    /// Of the network whose values have the prefix.
    static int callsIn(const testing::TensorFile& file, const std::string& prefix) {
        int calls = 0;
        for (const auto& [name, tensor] : file) {
            calls += name.starts_with(prefix + "model_out.") ? 1 : 0;
        }
        return calls;
    }

    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(RefinerGoldenTest)

}  // namespace refiner_golden_test

#include "refiner_golden_test.moc"
