#include "plugin/base/json.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <QtTest/QtTest>

namespace pipeline_test {

using namespace lowtide;
using nodes::WireRef;

namespace {

/// One way through the stages, with the settings of a case of tests/golden/cases.json.
void runCase(testing::ModelBench& bench, const WireRef& model, const Json& test) {
    testing::EncodeResult prompts;
    bench.runWith(model, models::kTextEncoder, [&] {
        prompts = testing::encodePrompt(bench.stages(),
                                        {.model = model,
                                         .prompt = test.value("prompt", ""),
                                         .negative = test.value("negative", ""),
                                         .clipSkip = test.value("clip_skip", -1)},
                                        bench.call("encode"));
    });
    WireRef latent =
        testing::run(bench.stages(),
                     testing::EmptyLatentRequest{.widthPixels = test.value("width", 64),
                                                 .heightPixels = test.value("height", 64),
                                                 .batch = test.value("batch", 1)},
                     {})
            .front();
    bench.runWith(model, models::kDenoiser, [&] {
        latent = testing::run(bench.stages(),
                              testing::DenoiseRequest{
                                  .model = model,
                                  .positive = prompts.positive,
                                  .negative = prompts.negative,
                                  .latent = latent,
                                  .steps = test.value("steps", 4),
                                  .cfg = test.value("cfg", 7.5),
                                  .seed = test.value("seed", uint64_t{0}),
                                  .sampler = test.value("sampler", "checkpoint"),
                                  .eta = test.value("eta", 0.0),
                                  .guidanceRescale = test.value("guidance_rescale", 0.0)},
                              bench.call("denoise"))
                     .front();
    });
    bench.runWith(model, models::kAutoencoder, [&] {
        (void)testing::run(
            bench.stages(),
            testing::DecodeRequest{.model = model, .latent = latent, .tilePixels = 0},
            bench.call("decode"))
            .front();
    });
}

Json caseNamed(const Json& cases, const std::string& name) {
    for (const Json& test : cases) {
        if (test.at("name") == name) {
            return test;
        }
    }
    throw std::runtime_error("tests/golden/cases.json has no case " + name);
}

}  // namespace

/// Encode, denoise, decode through the stages, without command, graph and executor: every value of
/// the reference.
class PipelineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::goldenFolder().toStdString();
        QFile file(testing::sourcePath("tests/golden/cases.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        cases_ = parseJson(file.readAll().toStdString(), "cases.json");
    }

    void everyRecordedValueAgrees_data() {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"sd15_0_ddim", "sd15_1_ddim", "sd15_2_ddim", "sd15_3_ddim", "sd15_5_ddim"}) {
            QTest::newRow(name) << name;
        }
    }

    void everyRecordedValueAgrees() {
        QFETCH(QString, name);
        const Json test = caseNamed(cases_, name.toStdString());
        testing::ModelBench bench;
        const WireRef model =
            bench.load(goldens_ + "/checkpoints/" + test.at("checkpoint").get<std::string>());
        bench.record();

        runCase(bench, model, test);

        const testing::TensorFile expected =
            testing::readTensorFile(goldens_ + "/" + name.toStdString() + ".safetensors");
        QVERIFY(expected.size() > 20);
        const std::string problems = testing::disagreements(expected, bench.recorded());
        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    std::string goldens_;
    Json cases_;
};

LOWTIDE_TEST(PipelineTest)

}  // namespace pipeline_test

#include "pipeline_test.moc"
