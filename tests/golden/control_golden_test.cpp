#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace control_golden_test {

using namespace lowtide;

namespace {

const testing::CaseParameters kEmptyParameters = {
    {"width", {"latent.width"}}, {"height", {"latent.height"}}, {"batch", {"latent.batch"}}};
const testing::CaseParameters kControlParameters = {{"prompt", {"encode.prompt"}},
                                                    {"negative", {"encode.negative"}},
                                                    {"steps", {"denoise.steps"}},
                                                    {"cfg", {"denoise.cfg"}},
                                                    {"seed", {"denoise.seed"}},
                                                    {"sampler", {"denoise.sampler"}}};

/// The example, with as many hints behind one another as there are controls.
Json withControls(const QString& example, size_t count) {
    Json graph =
        parseJson(testing::contentsOf(testing::exampleGraph(example)).toStdString(), "graph");
    std::string last;
    for (size_t i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        const std::string own = "control_" + number;
        graph["nodes"]["net_" + number] = {{"type", "load.controlnet"}, {"v", 1}};
        graph["nodes"]["hint_" + number] = {{"type", "load.image"}, {"v", 1}};
        graph["nodes"][own] = {{"type", "control.apply"}, {"v", 1}};
        graph["links"].push_back(
            {{"from", {"net_" + number, "controlnet"}}, {"to", {own, "controlnet"}}});
        graph["links"].push_back({{"from", {"hint_" + number, "image"}}, {"to", {own, "image"}}});
        if (!last.empty()) {
            graph["links"].push_back({{"from", {last, "control"}}, {"to", {own, "control"}}});
        }
        last = own;
    }
    graph["links"].push_back({{"from", {last, "control"}}, {"to", {"denoise", "control"}}});
    return graph;
}

}  // namespace

/// ControlNets and T2I-Adapters on every construction: each value that diffusers' pipelines compute
/// with them, for every case of control_cases.json.
class ControlGoldenTest : public QObject {
    Q_OBJECT

    QString goldens_;
    Json cases_;
    QTemporaryDir folder_;

    [[nodiscard]] QString pictureOf(const Json& name) const {
        return goldens_ + "/images/" + testing::caseText(name) + ".png";
    }

    [[nodiscard]] QString netOf(const Json& test, const Json& control) const {
        return QString("%1/controlnet/%2_%3")
            .arg(goldens_,
                 testing::caseText(test.at("checkpoint")),
                 testing::caseText(control.at("variant")));
    }

    [[nodiscard]] QStringList settingsOf(const Json& test) const {
        QStringList settings = testing::caseSettings(test, kControlParameters);
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

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::controlGoldenFolder();
        cases_ = testing::readCases("control_cases");
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const Json& controls = test.at("controls");
        const QString graph = folder_.filePath("graph.json");
        QFile file(graph);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(
            withControls(test.contains("image") ? "image_to_image" : "text_to_image",
                         controls.size())
                .dump()));
        file.close();
        QStringList settings = settingsOf(test);
        for (size_t i = 0; i < controls.size(); ++i) {
            const Json& control = controls[i];
            settings << QString("net_%1.controlnet=").arg(i) + netOf(test, control)
                     << QString("hint_%1.image=").arg(i) + pictureOf(control.at("image"));
            for (const char* param : {"strength", "start", "end", "mode"}) {
                if (control.contains(param)) {
                    settings << QString("control_%1.%2=").arg(i).arg(param) +
                                    testing::caseText(control.at(param));
                }
            }
        }
        const std::string problems = testing::caseProblems(
            test,
            goldens_,
            graph,
            settings,
            controls.front().at("variant").is_string() ? "model_out.000" : "control.pixels.000");
        QVERIFY2(problems.empty(), problems.c_str());
    }

    /// The example does what the graph of the first case does.
    void theExampleAgrees() {
        const Json& test = cases_.front();
        const Json& control = test.at("controls").front();
        QStringList settings = settingsOf(test);
        settings << "load_control.controlnet=" + netOf(test, control)
                 << "load_hint.image=" + pictureOf(control.at("image"));
        const std::string problems =
            testing::caseProblems(test, goldens_, testing::exampleGraph("controlnet"), settings);
        QVERIFY2(problems.empty(), problems.c_str());
    }
};

LOWTIDE_TEST(ControlGoldenTest)

}  // namespace control_golden_test

#include "control_golden_test.moc"
