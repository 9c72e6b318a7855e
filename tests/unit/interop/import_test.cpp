#include "tests/fixtures/test_program.hpp"
#include "tests/unit/interop/sample_workflow.hpp"

#include <QtTest/QtTest>

namespace import_test {

using namespace lowtide;
using namespace lowtide::interop;

namespace {

constexpr const char* kWorkflow =
    R"({"last_node_id": 1, "nodes": [{"id": 1, "type": "CLIPTextEncode", "widgets_values": ["cat"]}], "links": []})";
constexpr const char* kOwnGraph =
    R"({"format": 2, "nodes": {"a": {"type": "comfyui.Odd", "params": {"widgets_values": [1]}}}, "links": []})";
constexpr const char* kA1111 = "cat\nSteps: 5, Sampler: Euler, Seed: 1";

}  // namespace

/// Which text is imported.
class ImportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void knowsWhatIsForeign_data() {
        const testing::Rows<QString, bool> row("text", "isForeign");
        row("a workflow", kWorkflow, true);
        row("what the server is sent", kTextToImage, true);
        row("half of it", QString(kTextToImage).left(300), true);
        row("A1111's", kA1111, true);
        row("the clipboard",
            "<meta charset='utf-8'><div><span data-metadata=\"" +
                QString(QByteArray(kWorkflow).toBase64()) + "\"></span></div>",
            true);
        row("a graph with a placeholder", kOwnGraph, false);
        row("other JSON", R"({"a": 1})", false);
        row("a page", "<html></html>", false);
        row("a prompt", "a cat, sitting", false);
        row("nothing", "", false);
    }

    void knowsWhatIsForeign() {
        QFETCH(QString, text);
        QFETCH(bool, isForeign);
        QCOMPARE(interop::isForeign(text.toStdString()), isForeign);
    }

    void readsTheClipboard() {
        const std::string html =
            "<span data-metadata=\"" + QByteArray(kWorkflow).toBase64().toStdString() + "\">";
        QCOMPARE(importedFrom(html.c_str()).document.nodes.at("1").type,
                 std::string("prompt.encode"));
    }

    void theWorkflowOfAnImageComesFirst() {
        QCOMPARE(carriedForeignText(
                     {{"prompt", kTextToImage}, {"parameters", kA1111}, {"workflow", kWorkflow}}),
                 std::string(kWorkflow));
    }

    void thePromptStandsIn_whereTheWorkflowIsDamaged() {
        const std::string half = std::string(kWorkflow).substr(0, 60);
        QCOMPARE(carriedForeignText({{"workflow", half}, {"prompt", kTextToImage}}),
                 std::string(kTextToImage));
        QCOMPARE(carriedForeignText({{"workflow", half}}), half);  // to state what is wrong
    }

    void anOwnGraphIsNotForeign() {
        QCOMPARE(carriedForeignText({{"parameters", kA1111}, {"lowtide_graph", kOwnGraph}}),
                 std::string());
    }

    void videosCarryBothInAComment() {
        const Json comment = {{"prompt", kTextToImage}, {"workflow", parsed(kWorkflow)}};

        const std::string text = carriedForeignText({{"COMMENT", comment.dump()}});

        QVERIFY(!text.empty());
        QCOMPARE(importedFrom(text.c_str()).document.nodes.size(), size_t{1});
    }
};

LOWTIDE_TEST(ImportTest)

}  // namespace import_test

#include "import_test.moc"
