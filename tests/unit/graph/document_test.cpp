#include "plugin/base/error.hpp"
#include "plugin/graph/document.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/graph/sample_graph.hpp"

#include <QtTest/QtTest>

namespace document_test {

using namespace lowtide;
using namespace lowtide::graph;

namespace {

/// Everything that this version does not know, at every position where it may stand.
constexpr const char* kForeign = R"({
  "future": {"deep": [1, {"a": null}]}, "format": 2, "memory_budget": "2GiB", "device": "cpu",
  "gc_threshold": 55, "low_memory": "on",
  "nodes": {
    "z": {"type": "nobody.knows", "v": 7, "params": {"x": {"y": [1.5, "t"]}, "none": null}, "colour": "#fff", "precision": null,
          "memory": "leaf+stream", "position": [10, -2.5], "title": "Ünïcode 🐚", "mode": "muted"},
    "a": {"type": "denoise.sample", "params": {"seed": 18446744073709551615, "steps": "seven", "gone": -9223372036854775808},
          "memory": {"policy": "model", "odd": true}, "precision": {"weights": "f16"}, "mode": "bypassed", "title": ""}
  },
  "links": [{"to": ["z", "in"], "from": ["a", "latent"], "route": [1, 2]}],
  "exposed": [{"node": "a", "param": "seed", "label": "Seed", "group": 3}],
  "frames": [{"any": "thing"}], "notes": {"text": "hello"},
  "groups": [{"id": "g", "parent": null}, 3]
})";

std::string refusalOf(const std::string& text) {
    try {
        static_cast<void>(parseDocument(text));
    } catch (const Error& error) {
        return error.message().str();
    }
    return {};
}

}  // namespace

class DocumentTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void savesWhatItLoaded_knownOrNot() {
        const Json original = parseJson(kForeign, "test");
        Json expected = original;
        expected["nodes"]["a"]["v"] = 1;  // the only value that saving states by itself

        const std::string once = toText(documentFromJson(original));
        const std::string twice = toText(parseDocument(once));

        QCOMPARE(parseJson(once, "saved"), expected);
        QCOMPARE(twice, once);
    }

    void savesOneText_whateverTheOrderWas() {
        Json shuffled = textToImage();
        std::reverse(shuffled["links"].begin(), shuffled["links"].end());

        const std::string text = toText(documentFromJson(textToImage()));

        QCOMPARE(toText(documentFromJson(shuffled)), text);
        QVERIFY(text.starts_with("{\n  \"format\": 2,\n  \"links\": [\n    {\n"));
        QVERIFY(text.ends_with("}\n"));
    }

    void keepsSixtyFourBitNumbers() {
        const std::string text = toText(parseDocument(kForeign));

        QVERIFY(text.find("\"seed\": 18446744073709551615") != std::string::npos);
        QVERIFY(text.find("\"gone\": -9223372036854775808") != std::string::npos);
    }

    void takesSafeDefaults_whenKeysAreAbsent() {
        const Document document = parseDocument(R"({"format": 1, "nodes": {"n": {"type": "t"}}})");

        QVERIFY(document.links.empty());
        QCOMPARE(document.nodes.at("n").version, 1u);
        QVERIFY(document.nodes.at("n").mode == NodeMode::Active);
        QVERIFY(document.nodes.at("n").memory.is_null());
    }

    void refusesWrongShapes_namingThePosition_data() {
        const testing::Rows<QString, QString> row("text", "named");
        row("no object", "[]", "graph");
        row("no format", R"({"nodes": {}})", "format");
        row("nodes as list", R"({"format": 1, "nodes": []})", "nodes");
        row("node without type", R"({"format": 1, "nodes": {"n7": {}}})", "n7");
        row("type no text", R"({"format": 1, "nodes": {"n7": {"type": 3}}})", "n7");
        row("node no object", R"({"format": 1, "nodes": {"n7": 3}})", "n7");
        row("empty id", R"({"format": 1, "nodes": {"": {"type": "t"}}})", "without an id");
        row("params as list",
            R"({"format": 1, "nodes": {"n7": {"type": "t", "params": [1]}}})",
            "n7");
        row("unknown mode",
            R"({"format": 1, "nodes": {"n7": {"type": "t", "mode": "asleep"}}})",
            "asleep");
        row("negative version", R"({"format": 1, "nodes": {"n7": {"type": "t", "v": -1}}})", "n7");
        row("link as list", R"({"format": 1, "links": [["a", "b"]]})", "link 0");
        row("link without to", R"({"format": 1, "links": [{"from": ["a", "b"]}]})", "to");
        row("link by index",
            R"({"format": 1, "links": [{"from": ["a", 0], "to": ["b", "x"]}]})",
            "from");
        row("links no list", R"({"format": 1, "links": {}})", "links");
        row("budget a number", R"({"format": 1, "memory_budget": 5})", "memory_budget");
        row("exposed nothing", R"({"format": 1, "exposed": [{"node": "a"}]})", "param");
        row("key twice", R"({"format": 1, "nodes": {}, "nodes": {}})", "nodes");
    }

    void refusesWrongShapes_namingThePosition() {
        QFETCH(QString, text);
        QFETCH(QString, named);

        const QString refusal = QString::fromStdString(refusalOf(text.toStdString()));

        QVERIFY2(refusal.contains(named), qPrintable("refusal: " + refusal));
    }

    void refusesTextThatIsNotUtf8_whenSaving() {
        Document document = documentFromJson(textToImage());
        document.nodes.at("save").title.emplace("\xff");

        QVERIFY_EXCEPTION_THROWN(static_cast<void>(toText(document)), Error);
    }
};

LOWTIDE_TEST(DocumentTest)

}  // namespace document_test

#include "document_test.moc"
