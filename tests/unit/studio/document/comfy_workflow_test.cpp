#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/graphs.hpp"
#include "ui/document/comfy_workflow.hpp"
#include "ui/document/saved_file.hpp"

#include <QtTest/QtTest>

namespace comfy_workflow_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

const char* const kWorkflow = R"({"last_node_id": 9, "nodes": [
    {"id": 3, "type": "KSampler", "pos": [0, 0]}, {"id": 4, "type": "LoraLoader"},
    {"id": 5, "type": "KSampler"}], "links": [[1, 4, 0, 3, 0, "MODEL"]], "version": 0.4})";
const char* const kPrompt = R"({"3": {"class_type": "KSampler", "inputs": {"seed": 5}},
    "4": {"class_type": "LoraLoader", "inputs": {}}})";

QString html(const char* attribute) {
    return QStringLiteral(
               "<meta charset=\"utf-8\"><div><span %1=\"%2\"></span></div><span>Text</span>")
        .arg(QLatin1String(attribute), QString::fromLatin1(QByteArray(kWorkflow).toBase64()));
}

}  // namespace

/// Workflows of another program are distinguished from other texts.
class ComfyWorkflowTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void itIsRecognised_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("nodes");
        QTest::newRow("workflow") << kWorkflow << 3;
        QTest::newRow("prompt") << kPrompt << 2;
        QTest::newRow("clipboard") << html("data-metadata") << 3;
        QTest::newRow("newer clipboard") << html("data-comfy-metadata") << 3;
        QTest::newRow("not a number") << QString(kPrompt).replace("5", "NaN") << 2;
        QTest::newRow("own graph") << QString::fromStdString(graph::toText(someGraph())) << 0;
        QTest::newRow("words") << "a cat on a {blue} ground" << 0;
        QTest::newRow("nothing") << "" << 0;
        QTest::newRow("empty object") << "{}" << 0;
        QTest::newRow("other object") << R"({"3": {"class_type": 5}})" << 0;
        QTest::newRow("other nodes") << R"({"nodes": [{"id": 1}], "links": []})" << 0;
        QTest::newRow("numbers as nodes") << R"({"nodes": [1, 2], "links": []})" << 0;
        QTest::newRow("cut off") << QString(kWorkflow).left(80) << 0;
        QTest::newRow("other page") << "<p data-metadata=\"!\">text</p>" << 0;
        QTest::newRow("deep") << QString("{\"nodes\": ") + QString(100000, '[') << 0;
    }

    void itIsRecognised() {
        QFETCH(QString, text);
        QFETCH(int, nodes);
        const std::optional<ComfyWorkflow> workflow = comfyWorkflow(text.toStdString());
        QCOMPARE(workflow ? static_cast<int>(workflow->nodes) : 0, nodes);
        if (workflow) {
            QCOMPARE(workflow->types, (std::vector<std::string>{"KSampler", "LoraLoader"}));
        }
    }

    void itIsReportedWhatStandsHereForItsNodes() {
        const graph::Catalog catalog(
            {{.id = "denoise.sample", .label = "Denoise", .aliases = {"KSampler"}}});
        const ComfyWorkflow workflow = *comfyWorkflow(kWorkflow);
        QVERIFY(comfyRefusal(workflow).contains("ComfyUI workflow with 3 nodes"));
        QCOMPARE(
            comfyCounterparts(workflow, catalog),
            QString("The node search finds the counterparts of KSampler. There is no counterpart "
                    "of LoraLoader."));
    }

    void anImageCarriesIt() {
        const auto nodesIn = [](const std::vector<image::ImageText>& texts) {
            const std::optional<ComfyWorkflow> found = comfyWorkflow(texts);
            return found ? found->nodes : 0;
        };
        QCOMPARE(nodesIn({{"prompt", kPrompt}, {"workflow", kWorkflow}}), size_t{3});
        QCOMPARE(nodesIn({{"prompt", kPrompt}, {"workflow", "broken"}}), size_t{2});
        QCOMPARE(nodesIn({{"prompt", "a cat"}, {"parameters", kPrompt}}), size_t{0});
    }

    void longListsAreCut() {
        ComfyWorkflow workflow{.nodes = 9};
        for (int i = 0; i < 9; ++i) {
            workflow.types.push_back("Type" + std::to_string(i) + std::string(500, 'x'));
        }
        const QString text = comfyCounterparts(workflow, graph::Catalog({}));
        QVERIFY2(text.endsWith("and 3 more."), qPrintable(text));
        QVERIFY(text.size() < 400);
    }

    void aFileOfItReportsIt() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("flow.json");
        testing::writeFile(path, kWorkflow);
        const std::optional<Error> error = errorOf([&] { static_cast<void>(loadGraph(path)); });
        QVERIFY(error.has_value());
        QCOMPARE(error->kind(), ErrorKind::Unsupported);
        QVERIFY(QString::fromStdString(error->message().str()).contains("ComfyUI workflow"));
        QVERIFY(QString::fromStdString(error->hint().str()).contains("node search"));
    }
};

LOWTIDE_WINDOW_TEST(ComfyWorkflowTest)

}  // namespace comfy_workflow_test

#include "comfy_workflow_test.moc"
