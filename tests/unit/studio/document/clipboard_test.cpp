#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/graphs.hpp"
#include "ui/document/clipboard.hpp"

#include <QtTest/QtTest>

namespace clipboard_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

/// Copying and pasting as text.
class ClipboardTest : public QObject {
    Q_OBJECT

    graph::Catalog catalog_{someNodes()};
    graph::Document document_;

    const NodeIds pair_{"denoise", "encode"};

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        document_ = someGraph();
    }

    void theTextIsADocument() {
        const graph::Document copied = graph::parseDocument(copyText(document_, pair_, false));
        QCOMPARE(copied.nodes.size(), size_t{2});
        QCOMPARE(copied.links.size(), size_t{1});
        QVERIFY(copied.exposed.empty());
        QVERIFY(copied.extra.empty());
    }

    void pastedNodesAreTheCopiedOnesUnderFreshIds() {
        const NodeIds made =
            pasteText(document_, catalog_, copyText(document_, pair_, false), {50, 60});
        QCOMPARE(made, (NodeIds{"denoise_2", "encode_prompt"}));
        const graph::DocumentNode& node = document_.nodes.at("denoise_2");
        const graph::DocumentNode& original = document_.nodes.at("denoise");
        QCOMPARE(node.params, original.params);
        QCOMPARE(node.extra, original.extra);
        QCOMPARE(node.memory, original.memory);
        QCOMPARE(node.version, original.version);
        QCOMPARE(node.title, original.title);
    }

    void pastedNodesKeepTheirDistances() {
        pasteText(document_, catalog_, copyText(document_, pair_, false), {50, 60});
        QCOMPARE(positionOf(document_.nodes.at("encode_prompt")), (Point{50, 60}));
        QCOMPARE(positionOf(document_.nodes.at("denoise_2")), (Point{450, 60.5}));
    }

    void wiresBetweenThemComeAlongWithTheirKeysAndMovedReroutes() {
        pasteText(document_, catalog_, copyText(document_, pair_, false), {100, 0});
        const graph::Link* link = linkInto(document_, {"denoise_2", "positive"});
        QVERIFY(link);
        QCOMPARE(link->from.node, std::string("encode_prompt"));
        QCOMPARE(link->extra.at("wobble"), Json(true));
        QCOMPARE(reroutesOf(*link), (std::vector<Point>{{330, 10}, {400.5, 20}}));
    }

    void wiresFromOutsideComeAlongWhenAsked_data() {
        testing::addTable<bool>({"incoming"}, {{"with", true}, {"without", false}});
    }

    void wiresFromOutsideComeAlongWhenAsked() {
        QFETCH(bool, incoming);
        pasteText(document_, catalog_, copyText(document_, {"decode"}, incoming), {});
        QCOMPARE(linkInto(document_, {"decode_2", "latent"}) != nullptr, incoming);
    }

    void aWireFromOutsideThatNoLongerFitsIsLeftOut() {
        const std::string text = copyText(document_, {"decode"}, true);
        document_.nodes.at("denoise").type = "finish.sharpen";
        pasteText(document_, catalog_, text, {});
        QVERIFY(!linkInto(document_, {"decode_2", "latent"}));
        removeNodes(document_, catalog_, {"denoise"});
        pasteText(document_, catalog_, text, {});
        QVERIFY(!linkInto(document_, {"decode_3", "latent"}));
    }

    void unknownNodesArePastedVerbatim() {
        const NodeIds made =
            pasteText(document_, catalog_, copyText(document_, {"foreign"}, false), {});
        const graph::DocumentNode& node = document_.nodes.at(*made.begin());
        QCOMPARE(node.type, std::string("SomeOtherNode"));
        QCOMPARE(node.params, document_.nodes.at("foreign").params);
        QCOMPARE(node.extra, document_.nodes.at("foreign").extra);
    }

    void aFrameComesAlongWhenAllOfItDoes() {
        const NodeIds inFrame{"denoise", "encode", "foreign", "save"};
        const graph::Document some = graph::parseDocument(copyText(document_, pair_, false));
        QVERIFY(some.frames.is_null());
        QVERIFY(some.notes.is_null());
        pasteText(document_, catalog_, copyText(document_, inFrame, false), {980, 960});
        const std::vector<Box> frames = boxesOf(document_, BoxKind::Frame);
        QCOMPARE(frames.size(), size_t{2});
        QCOMPARE(frames[1].topLeft, (Point{980, 960}));
        QCOMPARE(frames[1].text, std::string("Sampling"));
        QVERIFY(frames[1].id != frames[0].id);
        QCOMPARE(document_.frames[2].at("mood"), Json("calm"));
        QCOMPARE(boxesOf(document_, BoxKind::Note)[1].topLeft, (Point{1010, 1200}));
    }

    void aNoteThatIsChosenItselfComesAlong() {
        pasteText(document_, catalog_, copyText(document_, {"n1"}, false), {5, 6});
        QCOMPARE(boxesOf(document_, BoxKind::Note).size(), size_t{2});
        QCOMPARE(boxesOf(document_, BoxKind::Note)[1].topLeft, (Point{5, 6}));
    }

    void aWholeGraphIsPastedWithItsForm() {
        graph::Document empty;
        pasteText(empty, catalog_, someGraphText().toStdString(), {});
        QCOMPARE(empty.nodes.size(), size_t{5});
        QCOMPARE(empty.exposed.size(), size_t{1});
        QCOMPARE(empty.exposed[0].node, std::string("encode_prompt"));
        QVERIFY(!empty.memoryBudget);
    }

    void whatIsNoGraphIsRefusedAndChangesNothing_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("kind");
        QTest::newRow("prose") << "a lighthouse" << int(ErrorKind::Corrupt);
        QTest::newRow("nothing") << "" << int(ErrorKind::Corrupt);
        QTest::newRow("other JSON") << "[1, 2]" << int(ErrorKind::Corrupt);
        QTest::newRow("newer") << R"({"format": 99})" << int(ErrorKind::Unsupported);
        QTest::newRow("deep") << QString(100000, '[') << int(ErrorKind::Corrupt);
    }

    void whatIsNoGraphIsRefusedAndChangesNothing() {
        QFETCH(QString, text);
        QFETCH(int, kind);
        const auto error = errorOf([&] { pasteText(document_, catalog_, text.toStdString(), {}); });
        QVERIFY(error);
        QCOMPARE(int(error->kind()), kind);
        QCOMPARE(shown(document_), someGraphText());
    }

    void anEmptyGraphPastesNothing() {
        QVERIFY(pasteText(document_, catalog_, R"({"format": 1})", {3, 4}).empty());
        QCOMPARE(shown(document_), someGraphText());
    }
};

LOWTIDE_TEST(ClipboardTest)

}  // namespace clipboard_test

#include "clipboard_test.moc"
