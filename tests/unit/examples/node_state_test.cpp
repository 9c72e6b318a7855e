#include "plugin/base/error.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/examples/canvas_states.hpp"

#include <QtTest/QtTest>

#include "examples/qtnodes_host/adapter/node_state.hpp"

namespace node_state_test {

using namespace lowtide;
using namespace lowtide::qtnodes_host;

class NodeStateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void startsWithTheDefaults_andLeavesOutWhatMustBeGiven() {
        QCOMPARE(canvas_.add("denoise.sample")->node().params.at("steps"), Json(20));
        QVERIFY(canvas_.add("load.checkpoint")->node().params.empty());
    }

    void savesAndLoads_withSeedsOf64Bits() {
        const NodePtr node = canvas_.add("denoise.sample");
        node->setParam("seed", 18446744073709551615ull);
        node->setMemory("leaf+stream");
        node->setPosition(3, -4.5);

        const NodePtr loaded = canvas_.add("denoise.sample");
        loaded->load(node->save());

        QCOMPARE(loaded->save(), node->save());
        QCOMPARE(loaded->node().params.at("seed"), Json(18446744073709551615ull));
        QCOMPARE(loaded->node().memory, Json("leaf+stream"));
        QCOMPARE(loaded->node().position, Json({3.0, -4.5}));
    }

    void keepsWhatItDoesNotKnow_acrossLoadAndSave() {
        const Json saved = {{"type", "CLIPTextEncode"},
                            {"v", 1},
                            {"params", {{"prompt", 7}, {"of tomorrow", {1, 2}}}},
                            {"colour", "red"}};
        const NodePtr node = canvas_.add("prompt.encode");

        node->load(saved.dump());

        QCOMPARE(Json::parse(node->save()), saved);
    }

    void refusesWhatIsNotItsOwn_andRemainsAsItWas_data() {
        const testing::Rows<QByteArray, QByteArray> row("text", "named");

        row("no JSON", "{", "saved node");
        row("another type", QByteArray(R"({"type": "save.image"})"), "\"save.image\"");
        row("parameters that are a list",
            QByteArray(R"({"type": "prompt.encode", "params": [1]})"),
            "params");
        row("a list", "[]", "node");
    }

    void refusesWhatIsNotItsOwn_andRemainsAsItWas() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, named);
        const NodePtr node = canvas_.add("prompt.encode");
        const std::string before = node->save();

        try {
            node->load(text.toStdString());
            QFAIL("it was taken");
        } catch (const Error& error) {
            QVERIFY2(QByteArray(error.what()).contains(named), error.what());
        }
        QCOMPARE(node->save(), before);
    }

    void forgetsASourceThatIsGone() {
        const NodePtr save = canvas_.add("save.image");
        {
            const NodePtr decode = canvas_.add("decode.image");
            CanvasStates::wire(decode, 0, save, 0);
            QCOMPARE(save->sourceNode(0).get(), decode.get());
        }
        QVERIFY(!save->sourceNode(0));
        save->connect(7, {});  // a port that is not there
    }

    void findsTheNodeThatOnlyShows() {
        std::vector<NodeDesc> nodes = canvas_.types();
        QVERIFY(!showingNode(nodes));  // saving has a parameter: it writes

        nodes.push_back({.id = "look", .output = true, .inputs = {graph::port("image", "IMAGE")}});

        QCOMPARE(showingNode(nodes), &nodes.back());
    }

private:
    const CanvasStates canvas_;
};

LOWTIDE_TEST(NodeStateTest)

}  // namespace node_state_test

#include "node_state_test.moc"
