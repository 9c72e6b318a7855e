#include "plugin/graph/preset.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/graphs.hpp"
#include "ui/document/clipboard.hpp"
#include "ui/document/free_space.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/document/groups.hpp"

#include <QtTest/QtTest>

namespace groups_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

const graph::Catalog& catalog() {
    static const graph::Catalog all(someNodes());
    return all;
}

}  // namespace

/// Nodes that are shown as one.
class GroupsTest : public QObject {
    Q_OBJECT

    graph::Document document_;
    NodeSizes sizes_;

    void fold(const std::string& id, bool isFolded = true) {
        foldGroup(document_, id, isFolded, sizes_);
    }

    /// encode and denoise in an inner group, with decode in an outer one.
    std::pair<std::string, std::string> addNested() {
        const std::string inner = addGroup(document_, {"denoise", "encode"}, "Sampling");
        return {addGroup(document_, {"decode", "denoise", "encode"}, "All"), inner};
    }

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        document_ = someGraph();
        sizes_.clear();
    }

    void holdsItsNodes() {
        const std::string id = addGroup(document_, {"denoise", "encode"}, "Sampling");
        const Groups groups(document_);
        QCOMPARE(groups.find(id)->title, std::string("Sampling"));
        QCOMPARE(groups.nodesIn(id), (NodeIds{"denoise", "encode"}));
        QCOMPARE(groups.of("denoise"), id);
        QCOMPARE(groups.of("decode"), std::string());
        QVERIFY(!groups.isDamaged());
    }

    void oneNodeIsNoGroup() {
        QCOMPARE(addGroup(document_, {"denoise"}, "One"), std::string());
        QVERIFY(document_.groups.is_null());
    }

    void groupsLieInGroups() {
        const auto [outer, inner] = addNested();
        const Groups groups(document_);
        QCOMPARE(groups.of(inner), outer);
        QCOMPARE(groups.around("encode"), (std::vector<std::string>{outer, inner}));
        QCOMPARE(groups.nodesIn(outer), (NodeIds{"decode", "denoise", "encode"}));
        QCOMPARE(groups.commonOf({"decode", "denoise"}), outer);
    }

    void aPartOfAGroupBecomesAGroupWithinIt() {
        const std::string outer = addGroup(document_, {"decode", "denoise", "encode"}, "All");
        const std::string inner = addGroup(document_, {"decode", "denoise"}, "Part");
        QCOMPARE(Groups(document_).of(inner), outer);
        QCOMPARE(Groups(document_).of("encode"), outer);
        QCOMPARE(addGroup(document_, {"decode", "denoise", "encode"}, "Again"), std::string());
    }

    void aNodeMovesIntoAGroupWithinItsOwn() {
        const auto [outer, inner] = addNested();
        moveIntoGroup(document_, {"decode"}, inner);
        QCOMPARE(Groups(document_).of("decode"), inner);
        QCOMPARE(Groups(document_).of(inner), outer);
        moveIntoGroup(document_, {"save"}, outer);
        QCOMPARE(Groups(document_).of("save"), outer);
    }

    void aPartOfAGroupInIt_andOfItself_becomeAGroup() {
        const auto [outer, inner] = addNested();
        const std::string third = addGroup(document_, {"decode", "denoise"}, "Third");
        QCOMPARE(Groups(document_).of(third), outer);
        QCOMPARE(Groups(document_).nodesIn(inner), (NodeIds{"encode"}));
    }

    void aFoldedGroupIsTakenOutWhole() {
        const auto [outer, inner] = addNested();
        fold(inner);
        takeOutOfGroup(document_, {"denoise", "encode"});
        QCOMPARE(Groups(document_).of(inner), std::string());
        QCOMPARE(Groups(document_).nodesIn(inner), (NodeIds{"denoise", "encode"}));
        QCOMPARE(Groups(document_).nodesIn(outer), (NodeIds{"decode"}));
    }

    void theOutermostFoldedOneIsShown() {
        const auto [outer, inner] = addNested();
        fold(inner);
        QCOMPARE(Groups(document_).shownAs("encode"), inner);
        fold(outer);
        QCOMPARE(Groups(document_).shownAs("encode"), outer);
        QCOMPARE(Groups(document_).shownAs(inner), outer);
        QCOMPARE(Groups(document_).shownAs("save"), std::string("save"));
    }

    void takenApart_itsNodesLieInTheOneAround() {
        const auto [outer, inner] = addNested();
        removeGroup(document_, inner);
        QCOMPARE(Groups(document_).of("encode"), outer);
        removeGroup(document_, outer);
        QVERIFY(document_.groups.is_null());
        QCOMPARE(shown(document_), shown(someGraph()));
    }

    void withItsLastNodeItGoes() {
        addGroup(document_, {"denoise", "encode"}, "Sampling");
        removeNodes(document_, catalog(), {"denoise"});
        QCOMPARE(Groups(document_).all().size(), size_t{1});
        removeNodes(document_, catalog(), {"encode"});
        QVERIFY(document_.groups.is_null());
    }

    void isKeptInAFile() {
        const auto [outer, inner] = addNested();
        Group group = *Groups(document_).find(inner);
        group.values = {{"denoise", "steps"}};
        group.inputs = {{.port = {"denoise", "latent"}, .label = "Start"}};
        putGroup(document_, group);
        document_.groups[0]["mood"] = "calm";
        fold(inner);

        const graph::Document read = graph::parseDocument(graph::toText(document_));
        const Groups groups(read);
        QVERIFY(groups.find(inner)->isFolded);
        QCOMPARE(groups.find(inner)->values.front().port, std::string("steps"));
        QCOMPARE(groups.find(inner)->inputs.front().label, std::string("Start"));
        QCOMPARE(groups.of(inner), outer);
        QCOMPARE(read.groups[0].at("mood"), Json("calm"));
        QCOMPARE(shown(read), shown(document_));
    }

    void isKeptInAPreset() {
        const std::string id = addGroup(document_, {"denoise", "encode"}, "Sampling");
        graph::Preset preset;
        preset.document = document_;
        const graph::Preset read = graph::parsePreset(graph::toText(preset));
        QCOMPARE(Groups(read.document).nodesIn(id), (NodeIds{"denoise", "encode"}));
    }

    void whatIsDamagedIsLeftOut_data() {
        QTest::addColumn<QString>("json");
        QTest::addColumn<int>("readable");
        QTest::newRow("no list") << R"({"id": "a"})" << 0;
        QTest::newRow("no object") << R"([3, {"id": "a"}])" << 1;
        QTest::newRow("no id") << R"([{"title": "x"}, {"id": "a"}])" << 1;
        QTest::newRow("the id of a node") << R"([{"id": "save"}, {"id": "a"}])" << 1;
        QTest::newRow("twice") << R"([{"id": "a"}, {"id": "a", "folded": true}])" << 1;
        QTest::newRow("an unknown parent") << R"([{"id": "a", "parent": "x"}])" << 1;
        QTest::newRow("its own parent") << R"([{"id": "a", "parent": "a"}])" << 1;
        QTest::newRow("a circle") << R"([{"id": "a", "parent": "b"}, {"id": "b", "parent": "a"}])"
                                  << 1;
        QTest::newRow("an unknown group") << R"([{"id": "b"}])" << 0;
        QTest::newRow("wrong types")
            << R"([{"id": "a", "values": 3, "inputs": [1], "parent": [], "outputs": {}}, 1])" << 1;
    }

    void whatIsDamagedIsLeftOut() {
        QFETCH(const QString, json);
        QFETCH(const int, readable);
        document_.groups = Json::parse(json.toStdString());
        setGroupName(document_.nodes.at("encode"), "a");
        const QString before = shown(document_);

        const Groups groups(document_);

        QCOMPARE(groups.all().size(), static_cast<size_t>(readable));
        QVERIFY(groups.isDamaged());
        QVERIFY(groups.around("encode").size() <= 2);
        QCOMPARE(shown(document_), before);  // it may be of a newer version
        QVERIFY(!addGroup(document_, {"decode", "denoise"}, "Another").empty());
    }

    void groupsLieInEachOtherToALimit() {
        document_.groups = Json::array();
        std::string parent;
        for (int number = 0; number < 5000; ++number) {
            const std::string id = "g" + std::to_string(number);
            document_.groups.push_back({{"id", id}, {"parent", parent}});
            parent = id;
        }
        setGroupName(document_.nodes.at("encode"), parent);
        const Groups groups(document_);
        QVERIFY(groups.around("encode").size() < 100);
        QVERIFY(groups.isDamaged());
    }

    /// The node between two of a group would lie in its frame; those of an inner group remain
    /// there.
    void arrangedNodesRemainInTheirGroup_andOthersOutside_data() {
        const testing::Rows<bool> row("isPart");
        row("all", false);
        row("those of a group", true);
    }

    void arrangedNodesRemainInTheirGroup_andOthersOutside() {
        QFETCH(const bool, isPart);
        const std::string inner = addGroup(document_, {"encode", "decode"}, "Inner");
        const std::string outer = addGroup(document_, {"encode", "decode", "save"}, "Outer");
        for (auto& [id, node] : document_.nodes) {
            setPosition(node, {});
        }
        setPosition(document_.nodes.at("denoise"), {150, 20});

        arrangeShown(document_, isPart ? NodeIds{"encode", "decode"} : NodeIds(), sizes_);

        const Groups groups(document_);
        const auto boxOf = [&](const std::string& unit) {
            return unitBox(document_, groups, unit, sizes_);
        };
        for (const std::string& group : {inner, outer}) {
            for (const auto& [id, node] : document_.nodes) {
                const bool isOutside = !groups.nodesIn(group).contains(id);
                QVERIFY2(!isOutside || !boxOf(id).touches(boxOf(group), 0), id.c_str());
            }
        }
        QVERIFY(!boxOf("encode").touches(boxOf("decode"), 0));
    }

    void aNewGroupTakesNoNameThatIsMeantForAnother() {
        setGroupName(document_.nodes.at("encode"), "group-1");
        const std::string id = addGroup(document_, {"decode", "denoise"}, "Another");
        QCOMPARE(Groups(document_).nodesIn(id), (NodeIds{"decode", "denoise"}));
    }

    void openedInPlace_pushesWhatItWouldLieOn() {
        document_ = {};
        for (const auto& [id, at] : std::map<std::string, Point>{
                 {"a", {0, 0}}, {"b", {0, 400}}, {"below", {0, 300}}, {"right", {900, 0}}}) {
            setPosition(document_.nodes[id], at);
        }
        const std::string id = addGroup(document_, {"a", "b"}, "Both");
        sizes_ = {{"a", {224, 200}}, {"b", {224, 200}}, {"below", {224, 80}}, {id, {224, 120}}};

        fold(id);
        QCOMPARE(positionOf(document_.nodes.at("below")), (Point{0, 300}));
        fold(id, false);

        QCOMPARE(positionOf(document_.nodes.at("a")), (Point{0, 0}));
        QCOMPARE(positionOf(document_.nodes.at("right")), (Point{900, 0}));
        const Groups groups(document_);
        const NodeBox frame = unitBox(document_, groups, id, sizes_);
        QVERIFY(!frame.touches(unitBox(document_, groups, "below", sizes_), 0));
    }

    /// A group that is opened within another one makes that one larger.
    void openedWithinAnother_pushesWhatLiesOutside() {
        document_ = {};
        for (const auto& [id, at] : std::map<std::string, Point>{
                 {"a", {0, 0}}, {"b", {0, 400}}, {"c", {300, 0}}, {"outside", {0, 320}}}) {
            setPosition(document_.nodes[id], at);
        }
        const std::string inner = addGroup(document_, {"a", "b"}, "Inner");
        const std::string outer = addGroup(document_, {"a", "b", "c"}, "Outer");
        sizes_ = {{"a", {224, 200}}, {"b", {224, 200}}, {"c", {224, 200}}, {inner, {224, 120}}};
        fold(inner);

        fold(inner, false);

        const Groups groups(document_);
        QVERIFY(!unitBox(document_, groups, outer, sizes_)
                     .touches(unitBox(document_, groups, "outside", sizes_), 0));
    }

    void aNewNodeLiesOnNoFoldedGroup() {
        const std::string id = addGroup(document_, {"denoise", "encode"}, "Sampling");
        sizes_[id] = {500, 900};
        fold(id);
        CanvasSizes sizes{.nodes = sizes_};
        const NodeBox group = unitBox(document_, Groups(document_), id, sizes_);

        const std::string added =
            addNodeNear(document_, *catalog().find("save.image"), {20, 600}, sizes);

        QVERIFY(!group.touches(unitBox(document_, Groups(document_), added, sizes.nodes), 0));
    }

    void movesAsOne_whereFoldedOnesAreAligned() {
        const std::string id = addGroup(document_, {"denoise", "encode"}, "Sampling");
        sizes_[id] = {224, 200};
        fold(id);
        const Point between = positionOf(document_.nodes.at("denoise"));

        editShown(document_, sizes_, [&](graph::Document& graph) {
            align(graph, {id, "decode"}, sizes_, Alignment::Right);
        });

        const Groups groups(document_);
        QCOMPARE(unitBox(document_, groups, id, sizes_).right(),
                 unitBox(document_, groups, "decode", sizes_).right());
        QCOMPARE(positionOf(document_.nodes.at("denoise")).x -
                     positionOf(document_.nodes.at("encode")).x,
                 between.x);
    }

    void showsTheWiresThatCrossItsBorder() {
        const std::string id = addGroup(document_, {"denoise", "encode"}, "Sampling");
        fold(id);
        const graph::Document graph = shownGraph(document_, Groups(document_), sizes_);
        QVERIFY(!graph.nodes.contains("encode"));
        QCOMPARE(linkInto(graph, {"decode", "latent"})->from.node, id);
        QCOMPARE(graph.links.size(), document_.links.size() - 1);
    }

    void isCopiedWithAllThatItHolds() {
        const auto [outer, inner] = addNested();
        Group group = *Groups(document_).find(inner);
        group.values = {{"denoise", "steps"}};
        putGroup(document_, group);
        fold(inner);
        const std::string text = copyText(document_, {"decode", "denoise", "encode"}, false);

        const NodeIds made = pasteText(document_, catalog(), text, {2000, 0});

        const Groups groups(document_);
        QCOMPARE(groups.all().size(), size_t{4});
        const std::string copy = groups.commonOf(made);
        QVERIFY(!copy.empty() && copy != outer);
        QCOMPARE(groups.nodesIn(copy), made);
        const std::string innerCopy = groups.of("denoise_2");
        QVERIFY(groups.find(innerCopy)->isFolded);
        QCOMPARE(groups.find(innerCopy)->values.front().node, std::string("denoise_2"));
        QVERIFY(!groups.isDamaged());
    }

    void aCopiedPartGoesWithoutTheGroup() {
        addGroup(document_, {"denoise", "encode"}, "Sampling");
        const graph::Document copied =
            graph::parseDocument(copyText(document_, {"denoise"}, false));
        QVERIFY(copied.groups.is_null());
        QCOMPARE(groupNameOf(copied.nodes.at("denoise")), std::string());
    }

    void isOneStep_andChangesNoRun() {
        GraphModel model(catalog());
        model.load(someGraph());
        Delta delta;
        connect(&model, &GraphModel::changed, this, [&](const Delta& now) { delta = now; });
        model.apply("Group", [](graph::Document& document) {
            addGroup(document, {"denoise", "encode"}, "Sampling");
        });
        QVERIFY(delta.groups);
        QVERIFY(!delta.changesMeaning());
        model.undoStack().undo();
        QCOMPARE(shown(model.document()), shown(someGraph()));
        model.undoStack().redo();
        QCOMPARE(Groups(model.document()).all().size(), size_t{1});
    }
};

LOWTIDE_TEST(GroupsTest)

}  // namespace groups_test

#include "groups_test.moc"
