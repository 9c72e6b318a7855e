#include "tests/fixtures/test_program.hpp"
#include "tests/unit/examples/canvas_states.hpp"

#include <QtTest/QtTest>

#include "examples/qtnodes_host/adapter/wires.hpp"

namespace wires_test {

using namespace lowtide;
using namespace lowtide::qtnodes_host;

class WiresTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void takesWiresByType_data() {
        const testing::Rows<QByteArray, QByteArray, int, bool> row("from", "to", "input", "taken");

        row("model into model", "load.checkpoint", "decode.image", 0, true);
        row("model into latent", "load.checkpoint", "decode.image", 1, false);
        row("latent into image", "latent.empty", "save.image", 0, false);
        row("latent into any", "latent.empty", "control.offload", 1, true);
        row("any into image", "control.offload", "save.image", 0, true);
    }

    void takesWiresByType() {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(int, input);
        QFETCH(bool, taken);
        const CanvasStates canvas;
        const NodePtr source = canvas.add(from.toStdString());
        const NodePtr target = canvas.add(to.toStdString());

        QCOMPARE(mayConnect({.node = source}, *target, static_cast<size_t>(input)), taken);
    }

    void aControlNodeHasTheTypeOfWhatArrives() {
        const CanvasStates canvas;
        const NodePtr latent = canvas.add("latent.empty");
        const NodePtr first = canvas.add("control.offload");
        const NodePtr second = canvas.add("control.offload");
        const NodePtr save = canvas.add("save.image");
        const NodePtr decode = canvas.add("decode.image");
        CanvasStates::wire(first, 0, second, 1);
        QCOMPARE(typeOf({.node = second}), std::string("*"));

        CanvasStates::wire(latent, 0, first, 1);

        QCOMPARE(typeOf({.node = second}), std::string("LATENT"));
        QVERIFY(!mayConnect({.node = second}, *save, 0));
        QVERIFY(mayConnect({.node = second}, *decode, 1));
    }

    void refusesACircle_alsoThroughOthers() {
        const CanvasStates canvas;
        const NodePtr first = canvas.add("model.patch");
        const NodePtr second = canvas.add("model.patch");
        QVERIFY(!mayConnect({.node = first}, *first, 0));

        CanvasStates::wire(first, 0, second, 0);

        QVERIFY(!mayConnect({.node = second}, *first, 0));
        QVERIFY(mayConnect({.node = first}, *second, 0));
    }

    void refusesPortsThatAreNotThere() {
        const CanvasStates canvas;
        const NodePtr load = canvas.add("load.checkpoint");
        const NodePtr decode = canvas.add("decode.image");

        QVERIFY(!mayConnect({.node = load, .output = 1}, *decode, 0));
        QVERIFY(!mayConnect({.node = load}, *decode, 2));
        QCOMPARE(typeOf({.node = load, .output = 9}), std::string("*"));
    }

    void refusesTheWireOfANodeThatIsGone() {
        const CanvasStates canvas;
        const NodePtr decode = canvas.add("decode.image");
        NodePtr load = canvas.add("load.checkpoint");
        const Handle handle{.node = load};
        load.reset();

        QVERIFY(!mayConnect(handle, *decode, 0));
        QCOMPARE(typeOf(handle), std::string("*"));
    }

    void endsAtACircleThatAHostMade() {
        const CanvasStates canvas;
        const NodePtr first = canvas.add("control.offload");
        const NodePtr second = canvas.add("control.offload");
        first->connect(1, {.node = second});
        second->connect(1, {.node = first});

        QCOMPARE(typeOf({.node = first}), std::string("*"));
        QVERIFY(feeds(*second, *first));
    }
};

LOWTIDE_TEST(WiresTest)

}  // namespace wires_test

#include "wires_test.moc"
