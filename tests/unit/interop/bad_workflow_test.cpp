#include "plugin/interop/fold.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/interop/sample_workflow.hpp"

#include <QtTest/QtTest>

namespace bad_workflow_test {

using namespace lowtide;
using namespace lowtide::interop;

/// Workflows that are damaged or made to do harm end with a sentence.
class BadWorkflowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void isRefused_data() {
        const testing::Rows<QString, QString> row("text", "words");
        row("an id twice",
            R"({"nodes": [{"id": 1, "type": "A"}, {"id": 1, "type": "B"}], "links": []})",
            "two nodes have the id");
        row("a node without a type",
            R"({"nodes": [{"id": 1}], "links": [], "last_node_id": 1})",
            "no \"type\"");
        row("a link of two",
            R"({"nodes": [], "links": [[1, 2]], "last_node_id": 1})",
            "a link is neither");
        row("a link without an id",
            R"({"nodes": [], "links": [[null, 1, 0, 2, 0]], "last_node_id": 1})",
            "a link has no id");
        row("an id as that of a node in a subgraph",
            R"({"nodes": [{"id": 2, "type": "s"}, {"id": "2:7", "type": "A"}], "links": [], "last_node_id": 1,
                "definitions": {"subgraphs": [{"id": "s", "nodes": [{"id": 7, "type": "B"}], "links": []}]}})",
            "two nodes have the id");
        row("reroutes in a circle",
            R"({"nodes": [{"id": 1, "type": "Reroute", "inputs": [{"name": "", "type": "*", "link": 1}]},
                {"id": 2, "type": "Reroute", "inputs": [{"name": "", "type": "*", "link": 2}]},
                {"id": 3, "type": "VAEDecode", "inputs": [{"name": "samples", "type": "LATENT", "link": 3}], "widgets_values": []}],
                "links": [[1, 2, 0, 1, 0], [2, 1, 0, 2, 0], [3, 1, 0, 3, 0]]})",
            "runs in a circle");
        row("a subgraph in itself",
            R"({"nodes": [{"id": 1, "type": "s"}], "links": [], "last_node_id": 1,
                "definitions": {"subgraphs": [{"id": "s", "name": "S", "nodes": [{"id": 2, "type": "s"}], "links": []}]}})",
            "in itself");
        row("two subgraphs of one id",
            R"({"nodes": [], "links": [], "last_node_id": 1, "definitions": {"subgraphs": [{"id": "s"}, {"id": "s"}]}})",
            "two subgraphs have the id");
        row("nodes in a circle",
            R"({"1": {"class_type": "VAEDecode", "inputs": {"samples": ["2", 0]}}, "2": {"class_type": "VAEEncode", "inputs": {"pixels": ["1", 0]}}})",
            "in a circle: \"1\", \"2\"");
        row("no inputs", R"({"1": {"class_type": "VAEDecode"}})", "has no \"inputs\"");
        row("half of it", R"({"1": {"class_type": "VAEDecode", "inputs": {)", "line");
        row("something else", R"({"base_model": 3})", "neither a workflow of ComfyUI");
    }

    void isRefused() {
        QFETCH(QString, text);
        QFETCH(QString, words);
        const std::string bytes = text.toStdString();

        const std::optional<Error> error =
            testing::errorOf([&] { static_cast<void>(importedFrom(bytes.c_str())); });

        QVERIFY(error.has_value());
        QVERIFY2(QString::fromStdString(error->message().str()).contains(words), error->what());
    }

    void aThousandUsesOfASubgraphInASubgraphAreTooMany() {
        Json inner = Json::array();
        for (int i = 0; i < 200; ++i) {
            inner.push_back({{"id", i}, {"type", "b"}});
        }
        Json leaf = Json::array();
        for (int i = 0; i < 200; ++i) {
            leaf.push_back({{"id", i}, {"type", "KSampler"}});
        }
        const auto subgraph = [](const char* id, const Json& nodes) {
            return Json{{"id", id}, {"nodes", nodes}, {"links", Json::array()}};
        };
        Json workflow = {{"links", Json::array()}};
        workflow["nodes"].push_back({{"id", 1}, {"type", "a"}});
        workflow["definitions"]["subgraphs"].push_back(subgraph("a", inner));
        workflow["definitions"]["subgraphs"].push_back(subgraph("b", leaf));

        const std::optional<Error> error =
            testing::errorOf([&] { static_cast<void>(readPrompt(workflow, sourceTable())); });

        QVERIFY(error.has_value());
        QVERIFY(QString::fromStdString(error->message().str()).contains("more than 10000 nodes"));
    }

    void aLongTextInASubgraphThatIsUsedOftenIsTooMuch() {
        Json workflow = {{"links", Json::array()}};
        for (int i = 0; i < 100; ++i) {
            workflow["nodes"].push_back({{"id", i}, {"type", "s"}});
        }
        const Json inner = {
            {"id", 1}, {"type", "Odd"}, {"widgets_values", {std::string(2'000'000, 'x')}}};
        workflow["definitions"]["subgraphs"].push_back(
            {{"id", "s"}, {"nodes", {inner}}, {"links", Json::array()}});

        const std::optional<Error> error =
            testing::errorOf([&] { static_cast<void>(readPrompt(workflow, sourceTable())); });

        QVERIFY(error.has_value());
        QVERIFY(QString::fromStdString(error->message().str()).contains("used so often"));
    }

    void manyWiresThroughANodeOfManyInputsAreTooMuch() {
        Json bypassed = {{"id", 1}, {"type", "Odd"}, {"mode", 4}};
        Json end = {{"id", 2}, {"type", "Odd"}};
        for (int i = 0; i < 4000; ++i) {
            bypassed["inputs"].push_back({{"name", "a"}, {"type", "A"}, {"link", nullptr}});
            end["inputs"].push_back({{"name", "b"}, {"type", "B"}, {"link", 5}});
        }
        const Json workflow = {{"nodes", {bypassed, end}}, {"links", {{5, 1, 0, 2, 0}}}};

        const std::optional<Error> error =
            testing::errorOf([&] { static_cast<void>(readPrompt(workflow, sourceTable())); });

        QVERIFY(error.has_value());
        QVERIFY(QString::fromStdString(error->message().str()).contains("too many inputs"));
    }

    void manyLoadersOfPartsForManyModelsEnd() {
        Json json = Json::object();
        for (int i = 0; i < 2000; ++i) {
            const std::string n = std::to_string(i);
            json["m" + n] = {{"class_type", "CheckpointLoaderSimple"},
                             {"inputs", {{"ckpt_name", "a.ckpt"}}}};
            json["c" + n] = {{"class_type", "CLIPLoader"}, {"inputs", {{"clip_name", "c.pt"}}}};
            json["t" + n] = {{"class_type", "CLIPTextEncode"},
                             {"inputs", {{"text", "cat"}, {"clip", {"c" + n, 0}}}}};
            json["k" + n] = {{"class_type", "KSampler"},
                             {"inputs",
                              {{"model", {"m" + n, 0}},
                               {"positive", {"t" + n, 0}},
                               {"latent_image", {"k" + std::to_string(i - 1), 0}}}}};
        }

        const Imported imported = importedFrom(json.dump().c_str());

        for (const ReportEntry& entry : imported.report.near) {
            QVERIFY2(entry.why.size() <= 100, entry.id.c_str());
        }
    }

    void manyLoadersOnALongWayAreTooMany() {
        Json json = Json::object();
        json["t"] = {{"class_type", "CLIPTextEncode"}, {"inputs", {{"text", "cat"}}}};
        for (int i = 0; i < 1500; ++i) {
            const std::string id = "c" + std::to_string(i);
            json[id] = {{"class_type", "CLIPLoader"}, {"inputs", {{"clip_name", "c.pt"}}}};
            json["t"]["inputs"][id] = Json::array({id, 0});
        }
        for (int i = 0; i < 3000; ++i) {
            const std::string before = i == 0 ? "t" : "a" + std::to_string(i - 1);
            json["a" + std::to_string(i)] = {
                {"class_type", "ConditioningSetArea"},
                {"inputs", {{"conditioning", Json::array({before, 0})}}}};
        }

        const std::optional<Error> error =
            testing::errorOf([&] { static_cast<void>(importedFrom(json.dump().c_str())); });

        QVERIFY(error.has_value());
        QVERIFY(QString::fromStdString(error->message().str()).contains("too many loaders"));
    }

    void aTextThatDoublesInEachNodeEnds() {
        Json json = {{"n0", {{"class_type", "PrimitiveString"}, {"inputs", {{"value", "cat"}}}}}};
        for (int i = 1; i < 60; ++i) {
            const Json before = {"n" + std::to_string(i - 1), 0};
            json["n" + std::to_string(i)] = {
                {"class_type", "StringConcatenate"},
                {"inputs", {{"string_a", before}, {"string_b", before}, {"delimiter", ""}}}};
        }
        Prompt prompt = readPrompt(json, sourceTable());

        static_cast<void>(foldPrompt(prompt, sourceTable(), {}));

        QVERIFY(prompt.nodes.contains("n59"));
    }

    void aTextForVeryManyNodesIsTooMuch() {
        Json json = {{"n",
                      {{"class_type", "PrimitiveString"},
                       {"inputs", {{"value", std::string(1'000'000, 'x')}}}}}};
        for (int i = 0; i < 100; ++i) {
            json["e" + std::to_string(i)] = {{"class_type", "Odd"}, {"inputs", {{"x", {"n", 0}}}}};
        }
        Prompt prompt = readPrompt(json, sourceTable());

        const std::optional<Error> error =
            testing::errorOf([&] { static_cast<void>(foldPrompt(prompt, sourceTable(), {})); });

        QVERIFY(error.has_value());
    }

    void aLinkToNowhereIsReported() {
        const Prompt prompt = promptOf(
            R"({"nodes": [{"id": 3, "type": "VAEDecode", "inputs": [{"name": "samples", "type": "LATENT", "link": 3}], "widgets_values": []}],
                "links": [[3, 77, 0, 3, 0]]})");

        QVERIFY(!prompt.nodes.at("3").inputs.contains("samples"));
        QVERIFY(QString::fromStdString(prompt.leftOut.at(0).why.str()).contains("77"));
    }

    void aPathOutOfTheFolderIsNotTaken_data() {
        testing::addRows("name",
                         {"../secret.safetensors",
                          "/etc/passwd",
                          "a/../../b.pt",
                          "C:\\x.pt",
                          "..\\x.pt",
                          "~/x.pt"});
    }

    void aPathOutOfTheFolderIsNotTaken() {
        QFETCH(QString, name);
        Json json = parsed(kTextToImage);
        json["4"]["inputs"]["ckpt_name"] = name.toStdString();
        json["9"]["inputs"]["filename_prefix"] = name.toStdString();

        const Imported imported = importedFrom(json.dump().c_str());

        QVERIFY(!imported.document.nodes.at("4").params.contains("checkpoint"));
        QVERIFY(!imported.document.nodes.at("9").params.contains("prefix"));
        QCOMPARE(imported.report.missing.at(0).kind, std::string("model"));
        QVERIFY(imported.report.runs.empty());
    }

    void nanIsNotStated() {
        QString text = kTextToImage;
        text.replace("6.5", "NaN");

        const Imported imported = importedFrom(text.toStdString().c_str());

        QVERIFY(!imported.document.nodes.at("3").params.contains("cfg"));
    }
};

LOWTIDE_TEST(BadWorkflowTest)

}  // namespace bad_workflow_test

#include "bad_workflow_test.moc"
