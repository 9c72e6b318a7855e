#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/file_nodes.hpp"
#include "ui/document/auto_wires.hpp"
#include "ui/document/free_space.hpp"

#include <QtTest/QtTest>

#include <cmath>

namespace free_space_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

/// Where new nodes lie, and which wires they get by themselves.
class FreeSpaceTest : public QObject {
    Q_OBJECT

    static constexpr Point kSize{200, 100};

    graph::Catalog catalog_{fileNodes()};
    graph::Document document_;
    CanvasSizes sizes_;

    std::string put(Point at) {
        const std::string id = addNode(document_, *catalog_.find("save.image"), at);
        sizes_.nodes[id] = kSize;
        return id;
    }

    std::string add(Point at) {
        return addNodeNear(document_, *catalog_.find("save.image"), at, sizes_);
    }

    Point topLeft(const std::string& id) const { return positionOf(document_.nodes.at(id)); }

    bool touches(const std::string& a, const std::string& b) const {
        const std::vector<NodeBox> boxes = nodeBoxesOf(document_, {a, b}, sizes_.nodes);
        return boxes[0].touches(boxes[1], 0);
    }

    /// So densely that no node fits in between.
    void fill() {
        for (int column = -4; column <= 4; ++column) {
            for (int row = -8; row <= 8; ++row) {
                put({column * 220.0, row * 120.0});
            }
        }
    }

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        document_ = {};
        sizes_ = {.nodes = {}, .ofNew = [](const NodeDesc&) { return kSize; }};
    }

    void aFreePointIsTakenAsItIs() {
        put({0, 0});
        QCOMPARE(topLeft(add({301.5, 7})), (Point{301.5, 7}));
    }

    void anotherNodeIsAvoided_andNotMoved() {
        const std::string other = put({0, 0});

        const std::string added = add({20, 10});

        QVERIFY(!touches(other, added));
        QCOMPARE(topLeft(other), (Point{0, 0}));
        QVERIFY(std::abs(topLeft(added).y - 10) < 200);
    }

    void nodesOnEachOtherGoDown_othersRemain() {
        const std::string first = put({0, 0});
        const std::string second = put({20, 40});
        const std::string free = put({400, 30});

        spreadApart(document_, sizes_.nodes);

        QCOMPARE(topLeft(first), (Point{0, 0}));
        QVERIFY(!touches(first, second));
        QCOMPARE(topLeft(second).x, 20.0);
        QVERIFY(topLeft(second).y >= 100);
        QCOMPARE(topLeft(free), (Point{400, 30}));
    }

    void manyAtOnePointLieNextToEachOther() {
        NodeIds added;
        for (int i = 0; i < 6; ++i) {
            const std::string id = add({0, 0});
            for (const std::string& other : added) {
                QVERIFY(!touches(other, id));
            }
            added.insert(id);
        }
    }

    void whereNothingIsFreeTheOthersAreMoved() {
        fill();

        const std::string added = add({0, 0});

        QCOMPARE(topLeft(added), (Point{0, 0}));
        for (const auto& [id, node] : document_.nodes) {
            QVERIFY(id == added || !touches(id, added));
            for (const auto& [other, otherNode] : document_.nodes) {
                QVERIFY(id == other || !touches(id, other));
            }
        }
    }

    void aPinnedNodeRemains() {
        fill();
        const std::string pinned = put({0, 0});
        setPinned(document_.nodes.at(pinned), true);

        const std::string added = add({0, 0});

        QCOMPARE(topLeft(pinned), (Point{0, 0}));
        QVERIFY(!touches(pinned, added));
    }

    void aNewNodeIsWiredWhereOnePortCanBeMeant_data() {
        addTable<QString, QStringList>(
            {"type", "wires"},
            {{"save", "save.image", {"decode.image > image"}},
             {"decode", "decode.image", {"load.model > model", "denoise.latent > latent"}},
             {"denoise",
              "denoise.sample",
              {"load.model > model",
               "encode.positive > positive",
               "encode.negative > negative",
               "denoise.latent > latent"}},
             {"lora", "load.lora", {"load.model > model"}},
             {"empty latent", "latent.empty", {}}});
    }

    void aNewNodeIsWiredWhereOnePortCanBeMeant() {
        QFETCH(QString, type);
        QFETCH(QStringList, wires);
        document_ = textToImage();
        const std::vector<graph::Link> before = document_.links;
        const NodeDesc& desc = *catalog_.find(type.toStdString());
        const std::string id = addNode(document_, desc, {2000, 0});

        connectFreePorts(document_, catalog_, id);

        QStringList made;
        for (const PortDesc& input : desc.inputs) {
            if (const std::string from = feeding(document_, id, input.id); !from.empty()) {
                made << QString::fromStdString(from + " > " + input.id);
            }
        }
        QCOMPARE(made, wires);
        QCOMPARE(document_.links.size(), before.size() + static_cast<size_t>(made.size()));
    }

    void anInputThatLacksItsWireGetsIt() {
        document_ = textToImage();
        removeNodes(document_, catalog_, {"encode"});
        const std::string id = addNode(document_, *catalog_.find("prompt.encode"), {320, 0});

        connectFreePorts(document_, catalog_, id);

        QCOMPARE(feeding(document_, "denoise", "positive"), id + ".positive");
        QCOMPARE(feeding(document_, "denoise", "negative"), id + ".negative");
        QCOMPARE(feeding(document_, id, "model"), std::string("load.model"));
        QCOMPARE(feeding(document_, "denoise", "model"), std::string("load.model"));
    }

    void theOnlyModelGoesToAllThatLackOne() {
        document_ = textToImage();
        removeNodes(document_, catalog_, {"load"});
        const std::string id = addNode(document_, *catalog_.find("load.checkpoint"), {0, 0});

        connectFreePorts(document_, catalog_, id);

        for (const char* reader : {"encode", "denoise", "decode"}) {
            QCOMPARE(feeding(document_, reader, "model"), id + ".model");
        }
    }

    void aNodeOnAWireGoesIntoThatOne_aLoraIntoAllOfTheOutput() {
        document_ = textToImage();
        const std::string lora = addNode(document_, *catalog_.find("load.lora"), {250, 0});
        const std::string upscale = addNode(document_, *catalog_.find("upscale.model"), {0, 0});

        QVERIFY(insertIntoWires(document_, catalog_, lora, {"encode", "model"}));
        QVERIFY(insertIntoWires(document_, catalog_, upscale, {"save", "image"}));
        QVERIFY(!insertIntoWires(document_, catalog_, upscale, {"denoise", "latent"}));

        for (const char* reader : {"encode", "denoise", "decode"}) {
            QCOMPARE(feeding(document_, reader, "model"), lora + ".model");
        }
        QCOMPARE(feeding(document_, lora, "model"), std::string("load.model"));
        QCOMPARE(feeding(document_, "save", "image"), upscale + ".image");
        QCOMPARE(feeding(document_, upscale, "image"), std::string("decode.image"));
    }

    void whatGoesBehindAnOutputKeepsTheBendsBehindIt() {
        document_ = textToImage();
        setReroutes(document_, {"denoise", "model"}, {{100, -40}, {500, -40}});
        const std::string id = addNode(document_, *catalog_.find("load.lora"), {250, 0});

        insertBehind(document_, catalog_, id, {"load", "model"});

        const std::vector<Point> rest = reroutesOf(*linkInto(document_, {"denoise", "model"}));
        QCOMPARE(rest, (std::vector<Point>{{500, -40}}));
    }
};

LOWTIDE_TEST(FreeSpaceTest)

}  // namespace free_space_test

#include "free_space_test.moc"
