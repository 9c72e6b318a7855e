#include "tests/fixtures/cpu_timer.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/graphs.hpp"
#include "ui/document/edits.hpp"

#include <QtTest/QtTest>

namespace wires_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

/// Drawing, refusing, rerouting wires, and putting nodes into them.
class WiresTest : public QObject {
    Q_OBJECT

    graph::Catalog catalog_{someNodes()};
    graph::Document document_;

    std::string add(const char* type) { return addNode(document_, *catalog_.find(type), {100, 0}); }

    QString refusal(const graph::PortRef& from, const graph::PortRef& to) const {
        return QString::fromStdString(wireRefusal(document_, catalog_, from, to));
    }

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        document_ = someGraph();
        add("load.checkpoint");
        add("control.offload");
        add("finish.sharpen");
    }

    void drawingReplacesWhatFedTheInput() {
        ui::connect(document_, {"sharpen", "image"}, {"save", "image"});
        QCOMPARE(linkInto(document_, {"save", "image"})->from.node, std::string("sharpen"));
        QCOMPARE(std::count_if(document_.links.begin(),
                               document_.links.end(),
                               [](const graph::Link& link) { return link.to.node == "save"; }),
                 1);
    }

    void drawingAWireThatIsThereChangesNothing() {
        const QString before = shown(document_);
        ui::connect(document_, {"encode", "positive"}, {"denoise", "positive"});
        QCOMPARE(shown(document_), before);
    }

    void wiresRemainSorted() {
        ui::connect(document_, {"checkpoint", "model"}, {"denoise", "model"});
        ui::connect(document_, {"checkpoint", "model"}, {"decode", "model"});
        const graph::Document again = graph::parseDocument(graph::toText(document_));
        for (size_t index = 0; index < document_.links.size(); ++index) {
            QVERIFY(document_.links[index].to == again.links[index].to);
        }
        ui::disconnect(document_, {"decode", "model"});
        QVERIFY(!linkInto(document_, {"decode", "model"}));
        QVERIFY(linkInto(document_, {"denoise", "model"}));
    }

    void refusalsAreSentences_data() {
        testing::addTable<QStringList, QString>(
            {"wire", "sentence"},
            {{"fits", {"checkpoint", "model", "denoise", "model"}, ""},
             {"type",
              {"decode", "image", "denoise", "latent"},
              "Denoise takes a LATENT here, this is an IMAGE."},
             {"vowel",
              {"checkpoint", "model", "save", "image"},
              "Save takes an IMAGE here, this is a MODEL."},
             {"itself", {"sharpen", "image", "sharpen", "image"}, "A node cannot feed itself."},
             {"no output", {"save", "image", "sharpen", "image"}, "Save has no output “image”."},
             {"no input", {"decode", "image", "save", "mask"}, "Save has no input “mask”."},
             {"no node", {"nobody", "image", "save", "image"}, "There is no node “nobody”."},
             {"unknown type",
              {"decode", "image", "foreign", "anything"},
              "The node type “SomeOtherNode” is not known here, and neither are its ports."},
             {"control takes anything", {"checkpoint", "model", "offload", "value"}, ""},
             {"control gives anything", {"offload", "value", "save", "image"}, ""}});
    }

    void refusalsAreSentences() {
        QFETCH(QStringList, wire);
        QFETCH(QString, sentence);
        QCOMPARE(refusal({wire[0].toStdString(), wire[1].toStdString()},
                         {wire[2].toStdString(), wire[3].toStdString()}),
                 sentence);
    }

    void circlesAreRefusedThroughAnyNumberOfNodes() {
        const std::string second = add("finish.sharpen");
        ui::connect(document_, {"offload", "value"}, {"sharpen", "image"});
        ui::connect(document_, {"sharpen", "image"}, {second, "image"});
        document_.nodes.at(second).title = "Sharpen again";
        QCOMPARE(refusal({second, "image"}, {"offload", "value"}),
                 QString("That would be a circle: Offload already feeds Sharpen again."));
    }

    void titlesNameNodesInRefusals() {
        document_.nodes.at("denoise").title = "First pass";
        QCOMPARE(refusal({"decode", "image"}, {"denoise", "latent"}),
                 QString("First pass takes a LATENT here, this is an IMAGE."));
    }

    void whatAControlNodePassesOnHasATypeBothWays() {
        ui::connect(document_, {"checkpoint", "model"}, {"offload", "value"});
        QCOMPARE(refusal({"offload", "value"}, {"save", "image"}),
                 QString("Save takes an IMAGE here, this is a MODEL."));
        ui::disconnect(document_, {"offload", "value"});
        ui::connect(document_, {"offload", "value"}, {"save", "image"});
        QCOMPARE(refusal({"checkpoint", "model"}, {"offload", "value"}),
                 QString("Offload passes this on: Save takes an IMAGE here, this is a MODEL."));
        QCOMPARE(refusal({"decode", "image"}, {"offload", "value"}), QString());
    }

    void controlNodesInACircleAreNoTrap() {
        const std::string other = add("control.offload");
        ui::connect(document_, {"offload", "value"}, {other, "value"});
        ui::connect(document_, {other, "value"}, {"offload", "value"});
        QCOMPARE(refusal({"offload", "value"}, {"save", "image"}), QString());
        QVERIFY(!refusal({"decode", "image"}, {other, "value"}).contains("takes"));
    }

    void typesFitWhenEqualOrAny() {
        QVERIFY(typesFit("IMAGE", "IMAGE"));
        QVERIFY(typesFit("*", "IMAGE"));
        QVERIFY(typesFit("IMAGE", "*"));
        QVERIFY(!typesFit("IMAGE", "LATENT"));
    }

    void aNodeIsPutIntoAWire() {
        QVERIFY(insertIntoWire(document_, catalog_, "sharpen", {"save", "image"}));
        QCOMPARE(linkInto(document_, {"save", "image"})->from.node, std::string("sharpen"));
        QCOMPARE(linkInto(document_, {"sharpen", "image"})->from.node, std::string("decode"));
    }

    void insertingSharesTheReroutesAndKeepsUnknownKeys() {
        setPosition(document_.nodes.at("offload"), {250, 0});
        QVERIFY(insertIntoWire(document_, catalog_, "offload", {"denoise", "positive"}));
        const graph::Link& first = *linkInto(document_, {"offload", "value"});
        const graph::Link& second = *linkInto(document_, {"denoise", "positive"});
        QCOMPARE(reroutesOf(first), (std::vector<Point>{{230, 10}}));
        QCOMPARE(reroutesOf(second), (std::vector<Point>{{300.5, 20}}));
        QCOMPARE(second.extra.at("wobble"), Json(true));
    }

    void whatDoesNotFitIsNotInserted_data() {
        testing::addTable<QString, QString>({"node", "input"},
                                            {{"other types", "sharpen", "latent"},
                                             {"no outputs", "save", "latent"},
                                             {"end of the wire", "decode", "latent"},
                                             {"start of the wire", "denoise", "latent"},
                                             {"unknown type", "foreign", "latent"},
                                             {"no node", "nobody", "latent"},
                                             {"no wire", "offload", "model"}});
    }

    void whatDoesNotFitIsNotInserted() {
        QFETCH(QString, node);
        QFETCH(QString, input);
        const QString before = shown(document_);
        QVERIFY(!insertIntoWire(
            document_, catalog_, node.toStdString(), {"decode", input.toStdString()}));
        QCOMPARE(shown(document_), before);
    }

    void aNodeThatIsWiredAlreadyIsNotInserted() {
        ui::connect(document_, {"decode", "image"}, {"sharpen", "image"});
        QVERIFY(!insertIntoWire(document_, catalog_, "sharpen", {"save", "image"}));
    }

    void reroutesComeAndGo() {
        setReroutes(document_, {"save", "image"}, {{1, 2}, {3.5, 4}});
        QCOMPARE(linkInto(document_, {"save", "image"})->extra.dump(),
                 std::string(R"({"via":[[1,2],[3.5,4]]})"));
        setReroutes(document_, {"save", "image"}, {});
        QVERIFY(linkInto(document_, {"save", "image"})->extra.empty());
        setReroutes(document_, {"nobody", "image"}, {{1, 2}});
    }

    void reroutesThatAreNoneAreLeftOut() {
        graph::Link link;
        link.extra["via"] = Json::array({1, "x", Json::array({1, 2}), Json::array({1, "2"})});
        QCOMPARE(reroutesOf(link), (std::vector<Point>{{1, 2}}));
        link.extra["via"] = "straight";
        QVERIFY(reroutesOf(link).empty());
    }

    void allPortsOfALargeGraphAreAskedQuickly() {
        const graph::Document large = largeGraph(1000);
        CpuTimer timer;
        size_t refused = 0;
        for (const auto& [id, node] : large.nodes) {
            refused +=
                wireRefusal(large, catalog_, {"node_100500", "latent"}, {id, "latent"}).empty() ? 0
                                                                                                : 1;
        }
        const double milliseconds = timer.milliseconds();
        qInfo("1000 inputs asked in %.1f ms, %zu refused", milliseconds, refused);
        QVERIFY(refused > 100 && refused < 900);
        QVERIFY(milliseconds < 10 * 50);
    }
};

LOWTIDE_TEST(WiresTest)

}  // namespace wires_test

#include "wires_test.moc"
