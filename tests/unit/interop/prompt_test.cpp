#include "plugin/base/error.hpp"
#include "plugin/interop/export.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/interop/sample_workflow.hpp"

#include <QtTest/QtTest>

namespace prompt_test {

using namespace lowtide;
using namespace lowtide::interop;

namespace {

/// A subgraph of a text encoder, whose text its instance shows.
std::string subgraphWorkflow(const char* instance) {
    return std::string(R"({"nodes": [
      {"id": 1, "type": "CheckpointLoaderSimple", "mode": 0, "outputs": [{"name": "MODEL", "type": "MODEL"}, {"name": "CLIP", "type": "CLIP"}],
       "widgets_values": ["dream.safetensors"]},
      {"id": 2, "type": "aaaa", "title": "My prompt", "inputs": [{"name": "clip", "type": "CLIP", "link": 10},
       {"name": "text", "type": "STRING", "widget": {"name": "text"}, "link": null}], )") +
           instance + R"(},
      {"id": 3, "type": "PreviewAny", "inputs": [{"name": "source", "type": "*", "link": 11}]}],
     "links": [[10, 1, 1, 2, 0, "CLIP"], [11, 2, 0, 3, 0, "CONDITIONING"]],
     "definitions": {"subgraphs": [{"id": "aaaa", "name": "Prompt",
       "inputs": [{"name": "clip", "type": "CLIP"}, {"name": "text", "type": "STRING"}], "outputs": [{"name": "C", "type": "CONDITIONING"}],
       "nodes": [{"id": 7, "type": "CLIPTextEncode", "inputs": [{"name": "clip", "type": "CLIP", "link": 1},
          {"name": "text", "type": "STRING", "widget": {"name": "text"}, "link": 2}],
          "outputs": [{"name": "C", "type": "CONDITIONING"}], "widgets_values": ["inner"]}],
       "links": [{"id": 1, "origin_id": -10, "origin_slot": 0, "target_id": 7, "target_slot": 0},
          {"id": 2, "origin_id": -10, "origin_slot": 1, "target_id": 7, "target_slot": 1},
          {"id": 3, "origin_id": 7, "origin_slot": 0, "target_id": -20, "target_slot": 0}]}]}})";
}

/// A subgraph in a subgraph: "aaaa" has a node "bbbb", which has the text encoder 7.
constexpr const char* kNested = R"({"nodes": [
      {"id": 2, "type": "aaaa", "pos": [100, 50], "inputs": [{"name": "seen", "type": "STRING", "widget": {"name": "seen"}, "link": null}],
       "widgets_values": ["outer"]}], "links": [],
     "definitions": {"subgraphs": [
      {"id": "aaaa", "name": "Outer", "inputs": [{"name": "seen", "label": "What to see", "type": "STRING"}],
       "nodes": [{"id": 5, "type": "bbbb", "pos": [-400, 7],
          "inputs": [{"name": "words", "type": "STRING", "widget": {"name": "words"}, "link": 1}]}],
       "links": [{"id": 1, "origin_id": -10, "origin_slot": 0, "target_id": 5, "target_slot": 0}]},
      {"id": "bbbb", "name": "Inner", "inputs": [{"name": "words", "type": "STRING"}],
       "nodes": [{"id": 7, "type": "CLIPTextEncode", "pos": [30, 20], "inputs": [
          {"name": "text", "type": "STRING", "widget": {"name": "text"}, "link": 2}], "widgets_values": ["inner"]},
         {"id": 8, "type": "CLIPTextEncode", "pos": [40, 50], "widgets_values": ["other"]}],
       "links": [{"id": 2, "origin_id": -10, "origin_slot": 0, "target_id": 7, "target_slot": 0}]}]}})";

/// A text encoder whose clip comes through the nodes that are given, the last one with the id 5.
Prompt throughNodes(const char* nodes, const char* links) {
    const std::string text =
        std::string(
            R"({"nodes": [{"id": 1, "type": "CheckpointLoaderSimple", "outputs": [{"type": "MODEL"}, {"type": "CLIP"}],
       "widgets_values": ["dream.safetensors"]},
      {"id": 9, "type": "CLIPTextEncode", "inputs": [{"name": "clip", "type": "CLIP", "link": 90}], "widgets_values": ["cat"]}, )") +
        nodes + R"(], "links": [[90, 5, 0, 9, 0, "CLIP"], )" + links + "]}";
    return promptOf(text.c_str());
}

}  // namespace

class PromptTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// ComfyUI's server: a list of two whose first is a text and whose second is a number. Python
    /// counts truth values among these.
    void knowsLinksFromValues_data() {
        const testing::Rows<QString, QString> row("value", "read");
        row("a link", R"(["4", 1])", R"(["4", 1])");
        row("a real number", R"(["4", 1.0])", R"(["4", 1])");
        row("a truth value", R"(["4", true])", R"(["4", 1])");
        row("of no output", R"(["4", 0.5])", R"(["4", -1])");
        row("below all outputs", R"(["4", -2])", R"(["4", -1])");
        row("above all outputs", R"(["4", 1e300])", R"(["4", -1])");
        row("a number first", R"([4, 1])", "[4, 1]");
        row("a text second", R"(["4", "1"])", R"(["4", "1"])");
        row("three", R"(["4", 1, 2])", R"(["4", 1, 2])");
        row("a wrapped list", R"({"__value__": ["4", 1]})", R"(["4", 1])");
    }

    void knowsLinksFromValues() {
        QFETCH(QString, value);
        QFETCH(QString, read);
        Json json = parsed(
            R"({"4": {"class_type": "A", "inputs": {}}, "5": {"class_type": "B", "inputs": {}}})");
        json["5"]["inputs"]["x"] = parsed(value.toStdString().c_str());

        const PromptInput input = readPrompt(json, sourceTable()).nodes.at("5").inputs.at("x");

        const bool isLink =
            value.startsWith(R"(["4",)") && value != R"(["4", "1"])" && value != R"(["4", 1, 2])";
        QCOMPARE(input.from.has_value(), isLink);
        QCOMPARE(input.from ? Json::array({input.from->node, input.from->slot}) : input.value,
                 parsed(read.toStdString().c_str()));
    }

    void aGetterIsWiredToWhatItsSetterHas_data() {
        const testing::Rows<QString, QString> row("name", "source");
        row("by its name", "clip", R"(["1", 1])");
        row("the first of that name", "twice", R"(["1", 1])");
        row("from another getter", "again", R"(["1", 1])");
        row("of no setter", "odd", R"(["5", 0])");
    }

    /// Setters and getters of KJNodes.
    void aGetterIsWiredToWhatItsSetterHas() {
        QFETCH(QString, name);
        QFETCH(QString, source);
        const std::string nodes = withType(R"(
            {"id": 5, "type": "GetNode", "outputs": [{"type": "CLIP"}], "widgets_values": ["TYPE"]},
            {"id": 2, "type": "SetNode", "inputs": [{"name": "CLIP", "type": "CLIP", "link": 1}], "widgets_values": ["clip"]},
            {"id": 3, "type": "SetNode", "mode": 2, "inputs": [{"name": "CLIP", "type": "CLIP", "link": 2}], "widgets_values": ["twice"]},
            {"id": 4, "type": "SetNode", "inputs": [{"name": "CLIP", "type": "CLIP", "link": null}], "widgets_values": ["twice"]},
            {"id": 6, "type": "GetNode", "outputs": [{"type": "CLIP"}], "widgets_values": ["clip"]},
            {"id": 7, "type": "SetNode", "inputs": [{"name": "CLIP", "type": "CLIP", "link": 3}], "widgets_values": ["again"]})",
                                           name.toStdString());

        const Prompt prompt = throughNodes(
            nodes.c_str(),
            R"([1, 1, 1, 2, 0, "CLIP"], [2, 1, 1, 3, 0, "CLIP"], [3, 6, 0, 7, 0, "CLIP"])");

        const Json api = apiOf(prompt);
        QCOMPARE(api["9"]["inputs"]["clip"], parsed(source.toStdString().c_str()));
        QCOMPARE(api.contains("5"), name == "odd");
        QVERIFY(!api.contains("2") && !api.contains("6"));
    }

    void aGetterOfASubgraphFindsTheSetterAroundIt() {
        const char* kText = R"({"nodes": [
            {"id": 1, "type": "CheckpointLoaderSimple", "outputs": [{"type": "MODEL"}, {"type": "CLIP"}], "widgets_values": ["dream.safetensors"]},
            {"id": 2, "type": "aaaa"},
            {"id": 3, "type": "SetNode", "inputs": [{"name": "CLIP", "type": "CLIP", "link": 1}], "widgets_values": ["clip"]}],
            "links": [[1, 1, 1, 3, 0, "CLIP"]],
            "definitions": {"subgraphs": [{"id": "aaaa", "name": "Prompt", "nodes": [
               {"id": 7, "type": "CLIPTextEncode", "inputs": [{"name": "clip", "type": "CLIP", "link": 5}], "widgets_values": ["cat"]},
               {"id": 8, "type": "GetNode", "outputs": [{"type": "CLIP"}], "widgets_values": ["clip"]}],
               "links": [{"id": 5, "origin_id": 8, "origin_slot": 0, "target_id": 7, "target_slot": 0}]}]}})";

        QCOMPARE(apiOf(promptOf(kText))["2:7"]["inputs"]["clip"], parsed(R"(["1", 1])"));
    }

    void settersInACircleAreRefused() {
        QVERIFY_THROWS_EXCEPTION(
            Error,
            throughNodes(
                R"({"id": 5, "type": "GetNode", "outputs": [{"type": "CLIP"}], "widgets_values": ["a"]},
                   {"id": 2, "type": "SetNode", "inputs": [{"name": "CLIP", "type": "CLIP", "link": 1}], "widgets_values": ["a"]})",
                R"([1, 5, 0, 2, 0, "CLIP"])"));
    }

    void whatIsOfTheEditorAloneIsLeftOut() {
        const std::string text = withType(
            R"({"nodes": [{"id": 1, "type": "TYPE", "outputs": [{"type": "*"}]}], "links": []})",
            "Fast Groups Muter (rgthree)");

        const Prompt prompt = promptOf(text.c_str());

        QVERIFY(prompt.nodes.empty());
        QCOMPARE(prompt.leftOut.at(0).type, std::string("Fast Groups Muter (rgthree)"));
    }

    void aListThatIsAValueIsWrittenWrapped() {
        const char* kText =
            R"({"5": {"class_type": "B", "inputs": {"x": {"__value__": ["4", 1]}}, "_meta": {"title": "B"}}})";
        QCOMPARE(apiPrompt(promptOf(kText)), parsed(kText));
    }

    void realNumbersAreIdsOfTheEditor_too() {
        const Prompt prompt = promptOf(
            R"({"nodes": [{"id": 1.0, "type": "Odd", "outputs": [{"type": "X"}]},
              {"id": 2, "type": "Odder", "inputs": [{"name": "x", "type": "X", "link": 3.0}]}], "links": [[3, 1.0, 0.0, 2.0, 0, "X"]]})");

        QCOMPARE(apiOf(prompt)["2"]["inputs"]["x"], parsed(R"(["1", 0])"));
    }

    void namesTheValuesOfWidgets() {
        const Prompt prompt = promptOf(R"({"nodes": [{"id": 3, "type": "KSampler",
            "widgets_values": [5, "randomize", 20, 8, "euler", "normal", 0.5]}], "links": []})");

        QCOMPARE(
            apiOf(prompt)["3"]["inputs"],
            parsed(
                R"({"seed": 5, "steps": 20, "cfg": 8, "sampler_name": "euler", "scheduler": "normal", "denoise": 0.5})"));
    }

    void namesThemWithoutTheControl() {
        const Prompt prompt = promptOf(R"({"nodes": [{"id": 3, "type": "KSampler",
            "widgets_values": [5, 20, 8, "euler", "normal"]}], "links": []})");

        const PromptNode& node = prompt.nodes.at("3");
        QCOMPARE(node.inputs.at("steps").value, Json(20));
        QCOMPARE(node.inputs.at("denoise").value, Json(1.0));  // by the table
    }

    void takesTheNamesThatTheFileStates() {
        const Prompt prompt = promptOf(R"({"nodes": [
            {"id": 1, "type": "Odd", "widgets_values": [3, "randomize", "fast"],
             "widgets_values_named": {"noise": 3, "control_after_generate": "randomize", "mode": "fast"}},
            {"id": 2, "type": "EmptyLatentImage", "widgets_values": [],
             "widgets_values_named": {"height": 640}}], "links": []})");

        QCOMPARE(apiOf(prompt)["1"]["inputs"], parsed(R"({"noise": 3, "mode": "fast"})"));
        QVERIFY(prompt.nodes.at("1").unnamed.empty());
        QCOMPARE(apiOf(prompt)["2"]["inputs"],
                 parsed(R"({"width": 512, "height": 640, "batch_size": 1})"));
    }

    void keepsValuesThatItCannotName() {
        const Prompt prompt = promptOf(
            R"({"nodes": [{"id": 1, "type": "CLIPTextEncode", "widgets_values": ["cat", 1, 2]},
                {"id": 2, "type": "Odd", "widgets_values": [3]}], "links": []})");

        QCOMPARE(prompt.nodes.at("1").unnamed, parsed("[1, 2]"));
        QCOMPARE(prompt.nodes.at("2").unnamed, parsed("[3]"));
    }

    void namesThoseOfUnknownClasses_asTheNodeListsThem() {
        const Prompt prompt = promptOf(
            R"({"nodes": [{"id": 1, "type": "Odd", "inputs": [{"name": "image", "type": "IMAGE", "link": null},
            {"name": "seed", "type": "INT", "widget": {"name": "seed"}, "link": null},
            {"name": "mode", "type": "COMBO", "widget": {"name": "mode"}, "link": null}],
            "widgets_values": [4, "fixed", "fast"]}], "links": []})");

        QCOMPARE(apiOf(prompt)["1"]["inputs"], parsed(R"({"seed": 4, "mode": "fast"})"));
    }

    void opensSubgraphs_withTheOlderFormOfPromotedValues() {
        const std::string text = subgraphWorkflow(
            R"("properties": {"proxyWidgets": [["7", "text"]]}, "widgets_values": ["outer"])");

        const Prompt prompt = promptOf(text.c_str());

        QCOMPARE(
            apiOf(prompt)["2:7"],
            parsed(
                R"({"class": "CLIPTextEncode", "inputs": {"clip": ["1", 1], "text": "outer"}})"));
        QCOMPARE(prompt.nodes.at("3").inputs.at("source").from->node, std::string("2:7"));
        QCOMPARE(prompt.groups.at(0).title, std::string("My prompt"));
        QCOMPARE(prompt.promoted.at(0).input, std::string("text"));
    }

    void opensSubgraphs_withValuesByName() {
        const std::string text = subgraphWorkflow(R"("widgets_values_named": {"text": "by name"})");
        QCOMPARE(promptOf(text.c_str()).nodes.at("2:7").inputs.at("text").value, Json("by name"));
    }

    void opensSubgraphs_withTheNewerFormOfPromotedValues() {
        const std::string text = subgraphWorkflow(R"("widgets_values": ["outer"])");
        QCOMPARE(apiOf(promptOf(text.c_str()))["2:7"]["inputs"]["text"], Json("outer"));
    }

    void aSubgraphShowsItsValues_data() {
        const testing::Rows<QString> row("instance");
        row("the older form",
            R"("properties": {"proxyWidgets": [["7", "text"]]}, "widgets_values": ["outer"])");
        row("the newer form", R"("widgets_values": ["outer"])");
    }

    void aSubgraphShowsItsValues() {
        QFETCH(QString, instance);

        const Prompt prompt = promptOf(subgraphWorkflow(qPrintable(instance)).c_str());

        QCOMPARE(prompt.promoted.size(), size_t{1});
        QCOMPARE(prompt.promoted.at(0).group, std::string("2"));
        QCOMPARE(prompt.promoted.at(0).node, std::string("2:7"));
        QCOMPARE(prompt.promoted.at(0).label, std::string("text"));
    }

    void theGroupsAroundAGroupShowItsValuesToo_underTheirNames() {
        const Prompt prompt = promptOf(kNested);

        QCOMPARE(prompt.groups.size(), size_t{2});
        QCOMPARE(prompt.groups.at(1).parent, std::string("2"));
        QCOMPARE(prompt.promoted.size(), size_t{2});
        QCOMPARE(prompt.promoted.at(0).group, std::string("2:5"));
        QCOMPARE(prompt.promoted.at(0).label, std::string("words"));
        QCOMPARE(prompt.promoted.at(1).group, std::string("2"));
        QCOMPARE(prompt.promoted.at(1).label, std::string("What to see"));
        QCOMPARE(prompt.promoted.at(1).node, std::string("2:5:7"));
        QCOMPARE(prompt.promoted.at(1).input, std::string("text"));
    }

    void whatIsInASubgraphLiesWhereItsNodeDoes() {
        const Prompt prompt = promptOf(kNested);

        // The first nodes of both begin at [100, 50], where the outer one stands.
        QCOMPARE(prompt.nodes.at("2:5:7").position, parsed("[100.0, 50.0]"));
        QCOMPARE(prompt.nodes.at("2:5:8").position, parsed("[110.0, 80.0]"));
    }

    void framesAreThere() {
        const Prompt prompt = promptOf(R"({"nodes": [], "links": [], "groups": [
            {"title": "Models", "bounding": [10, 20, 300, 400]}, {"title": "Half"}]})");

        QCOMPARE(prompt.frames.size(), size_t{1});
        QCOMPARE(prompt.frames.at(0).title, std::string("Models"));
        QCOMPARE(prompt.frames.at(0).position, parsed("[10, 20]"));
        QCOMPARE(prompt.frames.at(0).size, parsed("[300, 400]"));
    }

    void anInnerValueRemains_whereTheSubgraphStatesNone() {
        const std::string text = subgraphWorkflow(R"("widgets_values": [])");
        QCOMPARE(apiOf(promptOf(text.c_str()))["2:7"]["inputs"]["text"], Json("inner"));
    }

    void muteAndBypass() {
        const char* kClipSkip =
            R"({"id": 5, "type": "CLIPSetLastLayer", "mode": %1, "inputs": [{"name": "clip", "type": "CLIP", "link": 1}],
            "outputs": [{"type": "CLIP"}], "widgets_values": [-2]})";
        const auto mode = [&](int value) { return QString(kClipSkip).arg(value).toStdString(); };

        const Prompt muted = throughNodes(mode(2).c_str(), "[1, 1, 1, 5, 0]");
        const Prompt bypassed = throughNodes(mode(4).c_str(), "[1, 1, 1, 5, 0]");

        QVERIFY(!muted.nodes.at("9").inputs.contains("clip"));
        QCOMPARE(bypassed.nodes.at("9").inputs.at("clip").from, (Socket{"1", 1}));
        QCOMPARE(bypassed.leftOut.at(0).node, std::string("5"));
    }

    void followsTheTypeThatIsAskedFor_throughARerouteIntoABypassedNode() {
        const Prompt prompt = throughNodes(
            R"({"id": 5, "type": "Reroute", "inputs": [{"name": "", "type": "*", "link": 2}], "outputs": [{"type": "*"}]},
               {"id": 4, "type": "LoraLoader", "mode": 4, "inputs": [{"name": "model", "type": "MODEL", "link": 3}, {"name": "clip", "type": "CLIP", "link": 1}],
                "outputs": [{"type": "MODEL"}, {"type": "CLIP"}]})",
            "[1, 1, 1, 4, 1], [3, 1, 0, 4, 0], [2, 4, 1, 5, 0]");

        QCOMPARE(prompt.nodes.at("9").inputs.at("clip").from, (Socket{"1", 1}));
    }

    void takesAPrimitive() {
        const Prompt prompt = promptOf(
            R"({"nodes": [{"id": 1, "type": "PrimitiveNode", "outputs": [{"type": "INT"}], "widgets_values": [99, "fixed"]},
            {"id": 2, "type": "KSampler", "inputs": [{"name": "seed", "type": "INT", "widget": {"name": "seed"}, "link": 1}],
             "widgets_values": [5, "fixed", 20]}], "links": [[1, 1, 0, 2, 0, "INT"]]})");

        QCOMPARE(prompt.nodes.at("2").inputs.at("seed").value, Json(99));
        QVERIFY(!prompt.nodes.contains("1"));
    }

    void keepsNotes() {
        const Prompt prompt = promptOf(
            R"({"nodes": [{"id": 1, "type": "MarkdownNote", "pos": [5, 6], "size": {"0": 100, "1": 50},
            "widgets_values": ["hello"]}], "links": []})");

        QVERIFY(prompt.nodes.empty());
        QCOMPARE(prompt.notes.at(0).text, std::string("hello"));
        QCOMPARE(prompt.notes.at(0).size, parsed("[100, 50]"));
    }

    void readsWhatTheServerIsSent() {
        const Prompt prompt = promptOf(kTextToImage);

        QCOMPARE(prompt.nodes.size(), size_t{7});
        QCOMPARE(prompt.nodes.at("3").inputs.at("model").from, (Socket{"4", 0}));
        QCOMPARE(prompt.nodes.at("6").title, std::string("Positive"));
    }

    void readsWhatWrapsIt() {
        const Json wrapped = {{"client_id", "x"}, {"prompt", parsed(kTextToImage)}};
        QCOMPARE(readPrompt(wrapped, sourceTable()).nodes.size(), size_t{7});
    }
};

LOWTIDE_TEST(PromptTest)

}  // namespace prompt_test

#include "prompt_test.moc"
