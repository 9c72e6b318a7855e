#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace lora_golden_test {

using namespace lowtide;

namespace {

const testing::CaseParameters kParameters = {{"prompt", {"encode.prompt"}},
                                             {"negative", {"encode.negative"}},
                                             {"width", {"latent.width"}},
                                             {"height", {"latent.height"}},
                                             {"batch", {"latent.batch"}},
                                             {"steps", {"denoise.steps"}},
                                             {"cfg", {"denoise.cfg"}},
                                             {"seed", {"denoise.seed"}},
                                             {"sampler", {"denoise.sampler"}}};

/// The example, with one node of load.lora behind the other between the checkpoint and what reads
/// its prompt and denoises.
Json withLoras(const QString& example, const Json& loras) {
    Json graph =
        parseJson(testing::contentsOf(testing::exampleGraph(example)).toStdString(), "graph");
    std::string last = "load";
    for (size_t i = 0; i < loras.size(); ++i) {
        const std::string id = "lora_" + std::to_string(i);
        graph["nodes"][id] = {{"type", "load.lora"}, {"v", 1}};
        graph["links"].push_back({{"from", {last, "model"}}, {"to", {id, "model"}}});
        last = id;
    }
    for (Json& link : graph["links"]) {
        const std::string target = link["to"][0];
        if (link["from"][0] == "load" && (target == "encode" || target == "denoise")) {
            link["from"][0] = last;
        }
    }
    return graph;
}

}  // namespace

/// LoRA files of every spelling on every construction: each value that diffusers' pipelines compute
/// with them, for every case of lora_cases.json.
class LoraGoldenTest : public QObject {
    Q_OBJECT

    QString goldens_;
    Json cases_;
    QTemporaryDir folder_;

    [[nodiscard]] QString fileOf(const Json& test, const Json& lora) const {
        return QString("%1/lora/%2_%3/%4.safetensors")
            .arg(goldens_,
                 testing::caseText(test.at("checkpoint")),
                 testing::caseText(lora.at("variant")),
                 testing::caseText(lora.at("file")));
    }

    [[nodiscard]] QStringList settingsOf(const Json& test) const {
        QStringList settings = testing::caseSettings(test, kParameters);
        settings << "load.checkpoint=" + goldens_ + "/checkpoints/" +
                        testing::caseText(test.at("checkpoint"));
        if (test.contains("image")) {
            settings << "load_image.image=" + goldens_ + "/images/" +
                            testing::caseText(test.at("image")) + ".png"
                     << "denoise.strength=" + testing::caseText(test.at("strength"));
        }
        return settings;
    }

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::loraGoldenFolder();
        cases_ = testing::readCases("lora_cases");
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const Json& loras = test.at("loras");
        const QString graph = folder_.filePath("graph.json");
        QFile file(graph);
        QVERIFY(file.open(QIODevice::WriteOnly));
        const bool isOfImage = test.contains("image");
        file.write(QByteArray::fromStdString(
            withLoras(isOfImage ? "image_to_image" : "text_to_image", loras).dump()));
        file.close();
        QStringList settings = settingsOf(test);
        for (size_t i = 0; i < loras.size(); ++i) {
            const QString node = QString("lora_%1").arg(i);
            const QString strength = testing::caseText(loras[i].at("strength"));
            settings << node + ".file=" + fileOf(test, loras[i]) << node + ".strength=" + strength
                     << node + ".text_strength=" + strength;
        }
        const std::string problems = testing::caseProblems(test, goldens_, graph, settings);
        QVERIFY2(problems.empty(), problems.c_str());
    }

    /// The example does what the graph of the first case does.
    void theExampleAgrees() {
        const Json& test = cases_.front();
        QStringList settings = settingsOf(test);
        settings << "lora.file=" + fileOf(test, test.at("loras").front());
        const std::string problems =
            testing::caseProblems(test, goldens_, testing::exampleGraph("lora"), settings);
        QVERIFY2(problems.empty(), problems.c_str());
    }
};

LOWTIDE_TEST(LoraGoldenTest)

}  // namespace lora_golden_test

#include "lora_golden_test.moc"
