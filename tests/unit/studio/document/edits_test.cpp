#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/graphs.hpp"
#include "ui/document/edits.hpp"

#include <QtTest/QtTest>

namespace edits_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

/// Adding and removing nodes, modes, flags of the canvas, seeds, the form.
class EditsTest : public QObject {
    Q_OBJECT

    graph::Catalog catalog_{someNodes()};
    graph::Document document_;

    graph::DocumentNode& node(const char* id) { return document_.nodes.at(id); }

    QString sourceOf(const char* id, const char* port) const {
        const graph::Link* link = linkInto(document_, {id, port});
        return link ? QString::fromStdString(link->from.node + "." + link->from.port) : QString();
    }

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        document_ = someGraph();
    }

    void aNewNodeHasItsDefaultsAndANameThatStatesWhatItIs() {
        const std::string id = addNode(document_, *catalog_.find("denoise.sample"), {8, 16});
        QCOMPARE(id, std::string("denoise_2"));
        const Json defaults{{"seed", uint64_t{0}}, {"steps", 20}, {"cfg", 7.5}};
        QCOMPARE(QString::fromStdString(document_.nodes.at(id).params.dump()),
                 QString::fromStdString(defaults.dump()));
        QCOMPARE(document_.nodes.at(id).version, 3u);
        QCOMPARE(document_.nodes.at(id).position.dump(), std::string("[8,16]"));
    }

    void aParameterWithoutADefaultIsNotInvented() {
        const std::string id = addNode(document_, *catalog_.find("load.checkpoint"), {});
        QVERIFY(document_.nodes.at(id).params.empty());
    }

    void freshIdsAreFree_data() {
        testing::addTable<QString, QString>(
            {"label", "id"},
            {{"label", "Sharpen", "sharpen"},
             {"words", "Encode prompt (SD 1.5)", "encode_prompt_sd_1_5"},
             {"taken", "Encode", "encode_2"},
             {"no letters", QString::fromUtf8("シャープ"), "finish_sharpen"}});
    }

    void freshIdsAreFree() {
        QFETCH(QString, label);
        QFETCH(QString, id);
        const NodeDesc desc{.id = "finish.sharpen", .label = label.toStdString()};
        QCOMPARE(QString::fromStdString(freshId(document_, desc)), id);
    }

    void positionsThatAreNoneReadAsTheOriginAndRemain() {
        QCOMPARE(positionOf(node("foreign")), (Point{0, 0}));
        QCOMPARE(positionOf(node("save")), (Point{0, 0}));
        node("save").position = Json::array({1e300, -5});
        QCOMPARE(positionOf(node("save")), (Point{1e7, -5}));
        QCOMPARE(node("foreign").position, Json("somewhere"));
    }

    void removingTakesWiresAndFormEntriesAlong() {
        removeNodes(document_, catalog_, {"encode", "decode"});
        QVERIFY(document_.links.empty());
        QVERIFY(document_.exposed.empty());
        QCOMPARE(document_.nodes.size(), size_t{3});
    }

    void removingWithHealingWiresOnWhatFits() {
        const std::string id = addNode(document_, *catalog_.find("finish.sharpen"), {});
        QVERIFY(insertIntoWire(document_, catalog_, id, {"save", "image"}));
        QCOMPARE(sourceOf("save", "image"), QString("sharpen.image"));
        removeNodes(document_, catalog_, {id}, true);
        QCOMPARE(sourceOf("save", "image"), QString("decode.image"));
    }

    void healingCrossesSeveralRemovedNodes() {
        const NodeDesc& sharpen = *catalog_.find("finish.sharpen");
        QVERIFY(insertIntoWire(
            document_, catalog_, addNode(document_, sharpen, {}), {"save", "image"}));
        QVERIFY(insertIntoWire(document_,
                               catalog_,
                               addNode(document_, *catalog_.find("control.offload"), {}),
                               {"save", "image"}));
        removeNodes(document_, catalog_, {"sharpen", "offload"}, true);
        QCOMPARE(sourceOf("save", "image"), QString("decode.image"));
    }

    void healingNeverJoinsOtherTypes() {
        removeNodes(document_, catalog_, {"decode"}, true);
        QCOMPARE(sourceOf("save", "image"), QString());
    }

    void removingWithoutHealingLeavesTheInputOpen() {
        const std::string id = addNode(document_, *catalog_.find("finish.sharpen"), {});
        insertIntoWire(document_, catalog_, id, {"save", "image"});
        removeNodes(document_, catalog_, {id});
        QCOMPARE(sourceOf("save", "image"), QString());
    }

    void modesAreSetForAllAndTakenBackWhenAllHaveThem() {
        const NodeIds both{"denoise", "decode"};
        node("decode").mode = graph::NodeMode::Muted;
        toggleMode(document_, both, graph::NodeMode::Muted);
        QVERIFY(node("denoise").mode == graph::NodeMode::Muted);
        QVERIFY(node("decode").mode == graph::NodeMode::Muted);
        toggleMode(document_, both, graph::NodeMode::Muted);
        QVERIFY(node("denoise").mode == graph::NodeMode::Active);
        QVERIFY(node("decode").mode == graph::NodeMode::Active);
        toggleMode(document_, {"nobody"}, graph::NodeMode::Muted);
    }

    void bypassingIsOfferedWhereSomethingPassesThrough() {
        const std::string sharpen = addNode(document_, *catalog_.find("finish.sharpen"), {});
        QVERIFY(canBypass(document_, catalog_, sharpen));
        QVERIFY(canBypass(document_, catalog_, "denoise"));
        QVERIFY(!canBypass(document_, catalog_, "decode"));
        QVERIFY(!canBypass(document_, catalog_, "foreign"));
        QVERIFY(!canBypass(document_, catalog_, "nobody"));
    }

    void flagsOfTheCanvasComeAndGoWithoutATrace() {
        const QString before = shown(document_);
        setCollapsed(node("denoise"), true);
        setPinned(node("denoise"), true);
        setShowsUnusedInputs(node("denoise"), true);
        QVERIFY(isCollapsed(node("denoise")));
        QVERIFY(isPinned(node("denoise")));
        QVERIFY(showsUnusedInputs(node("denoise")));
        setCollapsed(node("denoise"), false);
        setPinned(node("denoise"), false);
        setShowsUnusedInputs(node("denoise"), false);
        QVERIFY(!isCollapsed(node("denoise")));
        QVERIFY(!isPinned(node("denoise")));
        QVERIFY(!showsUnusedInputs(node("denoise")));
        QCOMPARE(shown(document_), before);
    }

    void seedModesKeepWhatOthersWrote() {
        QVERIFY(seedModeOf(node("denoise"), "seed") == SeedMode::Random);
        QVERIFY(seedModeOf(node("denoise"), "other") == SeedMode::Keep);
        QVERIFY(seedModeOf(node("encode"), "seed") == SeedMode::Keep);
        setSeedMode(node("denoise"), "seed", SeedMode::Keep);
        QCOMPARE(node("denoise").extra.at("seed_modes").dump(),
                 std::string(R"({"other":"shuffle"})"));
        setSeedMode(node("denoise"), "seed", SeedMode::Increment);
        QVERIFY(seedModeOf(node("denoise"), "seed") == SeedMode::Increment);
    }

    void aSeedModeThatIsKeptLeavesNoKey() {
        setSeedMode(node("encode"), "seed", SeedMode::Random);
        setSeedMode(node("encode"), "seed", SeedMode::Keep);
        QVERIFY(node("encode").extra.empty());
    }

    void theFormTakesRenamesAndDropsParameters() {
        setExposed(document_, "denoise", "steps", "Steps", true);
        QCOMPARE(document_.exposed.size(), size_t{2});
        setExposed(document_, "encode", "prompt", "Text", true);
        QCOMPARE(document_.exposed.size(), size_t{2});
        QCOMPARE(document_.exposed[0].label, std::string("Text"));
        QCOMPARE(document_.exposed[0].extra.at("hue"), Json(3));
        setExposed(document_, "encode", "prompt", {}, false);
        QCOMPARE(document_.exposed.size(), size_t{1});
        QCOMPARE(document_.exposed[0].param, std::string("steps"));
    }
};

LOWTIDE_TEST(EditsTest)

}  // namespace edits_test

#include "edits_test.moc"
