// How one graph differs from another.
#include "tests/fixtures/test_program.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/graph_differences.hpp"

#include <QtTest/QtTest>

namespace graph_differences_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

using What = GraphDifference::What;

graph::Document twoNodes() {
    return graph::parseDocument(R"({"format": 2,
        "nodes": {"a": {"type": "load", "params": {"file": "x"}, "position": [0, 0]},
                  "b": {"type": "denoise", "params": {"steps": 20, "seed": 1}, "memory": "model"}},
        "links": [{"from": ["a", "model"], "to": ["b", "model"]}]})");
}

}  // namespace

class GraphDifferencesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void theSameHasNone() { QVERIFY(differencesBetween(twoNodes(), twoNodes()).empty()); }

    void whatNoRunSeesIsLeftOut() {
        graph::Document other = twoNodes();
        setPosition(other.nodes.at("a"), {400, 300});
        other.nodes.at("a").title = "another title";
        other.exposed.push_back({.node = "b", .param = "steps", .label = "Steps"});
        other.notes = Json::array();
        QVERIFY(differencesBetween(twoNodes(), other).empty());
    }

    void eachIsNamed() {
        graph::Document other = twoNodes();
        graph::DocumentNode& b = other.nodes.at("b");
        b.params["steps"] = 30;
        b.params["cfg"] = 7.5;
        b.params.erase("seed");
        b.memory = "leaf";
        b.precision = "balanced";
        b.mode = graph::NodeMode::Muted;
        other.links.clear();
        other.memoryBudget = "6GiB";
        const std::vector<GraphDifference> expected = {
            {What::Setting, "", "memory_budget", {}, "6GiB"},
            {What::Param, "b", "cfg", {}, 7.5},
            {What::Param, "b", "seed", 1, {}},
            {What::Param, "b", "steps", 20, 30},
            {What::Memory, "b", "", "model", "leaf"},
            {What::Precision, "b", "", {}, "balanced"},
            {What::Mode, "b", "", {}, "muted"},
            {What::Source, "b", "model", "a.model", {}}};
        QVERIFY(differencesBetween(twoNodes(), other) == expected);
    }

    /// One of another type is another node.
    void nodesComeAndGo() {
        graph::Document other = twoNodes();
        other.nodes.erase("a");
        other.nodes.at("b").type = "upscale";
        other.nodes["c"].type = "save";
        const std::vector<GraphDifference> expected = {{What::Removed, "a", "", "load", {}},
                                                       {What::Removed, "b", "", "denoise", {}},
                                                       {What::Added, "b", "", {}, "upscale"},
                                                       {What::Added, "c", "", {}, "save"}};
        QVERIFY(differencesBetween(twoNodes(), other) == expected);
    }
};

LOWTIDE_TEST(GraphDifferencesTest)

}  // namespace graph_differences_test

#include "graph_differences_test.moc"
