#include "plugin/executor/graph_spec.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/executor/stub_nodes.hpp"

#include <QtTest/QtTest>

namespace lossy_marks_test {

using namespace lowtide;
using namespace lowtide::executor;

namespace {

const Json kSource = Json::parse(R"({
  "format": 1,
  "nodes": {"a": {"type": "test.source", "v": 1}, "out": {"type": "test.keep", "v": 1}},
  "links": [{"from": ["a", "value"], "to": ["out", "value"]}]
})");

}  // namespace

/// What makes a node lossy, and which of its choices a user would change.
class LossyMarksTest : public QObject {
    Q_OBJECT

    /// The graph of a source whose network is lossy so.
    static std::variant<GraphSpec, Issue> graphSpec(const memory::ComponentPrecision& precision,
                                                    bool isExact) {
        StubWorld world;
        std::vector<NodeType> types = stubNodes(world);
        const auto source = std::find_if(types.begin(), types.end(), [](const NodeType& type) {
            return type.desc.id == "test.source";
        });
        source->spec = [plain = source->spec, precision](const SpecContext& context) {
            NodeSpec work = plain(context);
            work.precisions = {precision};
            return work;
        };
        const NodeTypes nodeTypes(std::move(types));
        graph::Document document = graph::documentFromJson(kSource);
        document.isExact = isExact;
        return makeGraphSpec(
            *graph::makeSnapshot(document, nodeTypes.catalog()), nodeTypes, "", "");
    }

private Q_SLOTS:

    void eachLossIsMarkedWhereItWasChosen_data() {
        const testing::Rows<QStringList, QStringList, QStringList> row("lossy", "reuse", "marks");
        row("exact", {}, {}, {});
        row("types", {"bf16", "f8"}, {}, {"precision: bf16; f8"});
        row("step cache", {}, {"two of three steps"}, {"step_cache: two of three steps"});
        row("both",
            {"bf16"},
            {"two of three steps"},
            {"precision: bf16", "step_cache: two of three steps"});
    }

    void eachLossIsMarkedWhereItWasChosen() {
        QFETCH(QStringList, lossy);
        QFETCH(QStringList, reuse);
        QFETCH(QStringList, marks);
        memory::ComponentPrecision precision;
        for (const QString& each : lossy) {
            precision.lossy.emplace_back(each.toStdString());
        }
        for (const QString& each : reuse) {
            precision.reuse.emplace_back(each.toStdString());
        }
        const auto spec = graphSpec(precision, false);
        const auto* graph = std::get_if<GraphSpec>(&spec);
        QVERIFY(graph);
        QStringList seen;
        for (const Issue& mark : graph->marks) {
            QCOMPARE(mark.code, std::string("lossy"));
            QCOMPARE(mark.node, std::string("a"));
            seen.append(QString::fromStdString(mark.item + ": " + mark.message.str()));
        }
        QCOMPARE(seen, marks);
        QCOMPARE(graph->precisions.at("a").at("lossy").size(),
                 static_cast<size_t>(lossy.size() + reuse.size()));

        const auto strict = graphSpec(precision, true);
        const auto* refused = std::get_if<Issue>(&strict);
        QCOMPARE(refused != nullptr, !marks.isEmpty());
        if (refused) {
            QCOMPARE(QString::fromStdString(refused->item), marks.front().section(':', 0, 0));
            QVERIFY(!refused->hint.empty());
        }
    }
};

LOWTIDE_TEST(LossyMarksTest)

}  // namespace lossy_marks_test

#include "lossy_marks_test.moc"
