#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace ip_golden_test {

using namespace lowtide;

namespace {

const testing::CaseParameters kEmptyParameters = {
    {"width", {"latent.width"}}, {"height", {"latent.height"}}, {"batch", {"latent.batch"}}};
const testing::CaseParameters kIpParameters = {{"prompt", {"encode.prompt"}},
                                               {"negative", {"encode.negative"}},
                                               {"steps", {"denoise.steps"}},
                                               {"cfg", {"denoise.cfg"}},
                                               {"seed", {"denoise.seed"}},
                                               {"sampler", {"denoise.sampler"}}};

class GraphWriter {
public:
    explicit GraphWriter(const QString& example)
        : graph_(parseJson(testing::contentsOf(testing::exampleGraph(example)).toStdString(),
                           "graph")) {}

    void add(const std::string& id, const char* type) {
        graph_["nodes"][id] = {{"type", type}, {"v", 1}};
    }

    void link(const std::string& from,
              const char* output,
              const std::string& to,
              const std::string& input) {
        graph_["links"].push_back({{"from", {from, output}}, {"to", {to, input}}});
    }

    /// An IP-Adapter with its pictures and its mask, behind `before`; its node.
    std::string addAdapter(const Json& adapter, size_t index, const std::string& before) {
        const std::string number = std::to_string(index);
        const std::string own = "ip_" + number;
        add("load_" + own, "load.ip_adapter");
        add(own, "control.ip_adapter");
        link("load_" + own, "ip_adapter", own, "ip_adapter");
        for (size_t i = 0; i < adapter.at("images").size(); ++i) {
            const std::string picture = "picture_" + number + "_" + std::to_string(i);
            add(picture, "load.image");
            link(picture, "image", own, i == 0 ? "image" : "image_" + std::to_string(i + 1));
        }
        if (adapter.contains("mask")) {
            add("mask_file_" + number, "load.image");
            add("mask_" + number, "mask.from_image");
            link("mask_file_" + number, "image", "mask_" + number, "image");
            link("mask_" + number, "mask", own, "mask");
        }
        if (!before.empty()) {
            link(before, "image_prompt", own, "image_prompt");
        }
        return own;
    }

    [[nodiscard]] std::string text() const { return graph_.dump(); }

private:
    Json graph_;
};

/// The example, with the case's IP-Adapters behind one another.
std::string withAdapters(const QString& example, const Json& adapters) {
    GraphWriter writer(example);
    std::string last;
    for (size_t i = 0; i < adapters.size(); ++i) {
        last = writer.addAdapter(adapters[i], i, last);
    }
    writer.link(last, "image_prompt", "denoise", "image_prompt");
    return writer.text();
}

}  // namespace

/// IP-Adapters on every construction: each value that diffusers' pipelines compute with them, for
/// every case of ip_cases.json.
class IpGoldenTest : public QObject {
    Q_OBJECT

    QString goldens_;
    Json cases_;
    QTemporaryDir folder_;

    [[nodiscard]] QString pictureOf(const Json& name) const {
        return goldens_ + "/images/" + testing::caseText(name) + ".png";
    }

    [[nodiscard]] QString adapterOf(const Json& test, const Json& adapter) const {
        const bool isPlus = adapter.at("variant") == 1;
        return QString("%1/ip/%2_%3/ip-adapter%4_sd15.%5")
            .arg(goldens_,
                 testing::caseText(test.at("checkpoint")),
                 testing::caseText(adapter.at("variant")),
                 isPlus ? "-plus" : "",
                 QString::fromStdString(adapter.value("file", "safetensors")));
    }

    [[nodiscard]] QStringList settingsOf(const Json& test) const {
        QStringList settings = testing::caseSettings(test, kIpParameters);
        settings << "load.checkpoint=" + goldens_ + "/checkpoints/" +
                        testing::caseText(test.at("checkpoint"));
        if (test.contains("image")) {
            settings << "load_image.image=" + pictureOf(test.at("image"))
                     << "denoise.strength=" + testing::caseText(test.at("strength"));
        } else {
            settings << testing::caseSettings(test, kEmptyParameters);
        }
        return settings;
    }

    [[nodiscard]] QStringList settingsOf(const Json& test,
                                         const Json& adapter,
                                         size_t index) const {
        const QString number = QString::number(index);
        QStringList settings = {
            "load_ip_" + number + ".adapter=" + adapterOf(test, adapter),
            "ip_" + number + ".strength=" + testing::caseText(adapter.at("strength"))};
        for (size_t i = 0; i < adapter.at("images").size(); ++i) {
            settings << QString("picture_%1_%2.image=").arg(index).arg(i) +
                            pictureOf(adapter.at("images")[i]);
        }
        if (adapter.contains("mask")) {
            settings << "mask_file_" + number + ".image=" + pictureOf(adapter.at("mask"));
        }
        if (adapter.contains("weights")) {
            QStringList weights;
            for (const Json& weight : adapter.at("weights")) {
                weights << testing::caseText(weight);
            }
            settings << "ip_" + number + ".weights=" + weights.join(", ");
        }
        return settings;
    }

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::ipGoldenFolder();
        cases_ = testing::readCases("ip_cases");
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const Json& adapters = test.at("adapters");
        const QString graph = folder_.filePath("graph.json");
        QFile file(graph);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(
            withAdapters(test.contains("image") ? "image_to_image" : "text_to_image", adapters)));
        file.close();
        QStringList settings = settingsOf(test);
        for (size_t i = 0; i < adapters.size(); ++i) {
            settings << settingsOf(test, adapters[i], i);
        }
        const std::string problems =
            testing::caseProblems(test, goldens_, graph, settings, "ip.embeds.0");
        QVERIFY2(problems.empty(), problems.c_str());
    }

    /// The example does what the graph of the first case does.
    void theExampleAgrees() {
        const Json& test = cases_.front();
        const Json& adapter = test.at("adapters").front();
        QStringList settings = settingsOf(test);
        settings << "load_ip.adapter=" + adapterOf(test, adapter)
                 << "load_reference.image=" + pictureOf(adapter.at("images").front());
        const std::string problems =
            testing::caseProblems(test, goldens_, testing::exampleGraph("ip_adapter"), settings);
        QVERIFY2(problems.empty(), problems.c_str());
    }
};

LOWTIDE_TEST(IpGoldenTest)

}  // namespace ip_golden_test

#include "ip_golden_test.moc"
