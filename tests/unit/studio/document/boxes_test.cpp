#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/graphs.hpp"
#include "ui/document/edits.hpp"

#include <QtTest/QtTest>

namespace boxes_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

/// Frames and notes.
class BoxesTest : public QObject {
    Q_OBJECT

    graph::Document document_;

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        document_ = someGraph();
    }

    void whatIsNoBoxIsLeftOutAndRemains() {
        QCOMPARE(boxesOf(document_, BoxKind::Frame).size(), size_t{1});
        QCOMPARE(document_.frames.size(), size_t{2});
        const Box box = boxesOf(document_, BoxKind::Frame).front();
        QCOMPARE(box.text, std::string("Sampling"));
        QCOMPARE(box.topLeft, (Point{-20, -40}));
        QCOMPARE(box.size, (Point{500, 400}));
    }

    void aNewBoxIsGivenAnId() {
        const std::string first = putBox(document_, BoxKind::Note, {.text = "a"});
        const std::string second = putBox(document_, BoxKind::Note, {.text = "b"});
        QVERIFY(first != second);
        QCOMPARE(boxesOf(document_, BoxKind::Note).size(), size_t{3});
    }

    void aChangedBoxKeepsItsUnknownKeysAndPosition() {
        Box box = boxesOf(document_, BoxKind::Frame).front();
        box.text = "Denoising";
        box.colour = "blue";
        box.isCollapsed = true;
        QCOMPARE(putBox(document_, BoxKind::Frame, box), std::string("f1"));
        const Json expected = {{"id", "f1"},
                               {"mood", "calm"},
                               {"position", {-20, -40}},
                               {"size", {500, 400}},
                               {"text", "Denoising"},
                               {"colour", "blue"},
                               {"collapsed", true}};
        QCOMPARE(QString::fromStdString(document_.frames[0].dump()),
                 QString::fromStdString(expected.dump()));
    }

    void changingBackLeavesNoTrace() {
        const QString before = shown(document_);
        Box box = boxesOf(document_, BoxKind::Frame).front();
        const Box original = box;
        box.colour = "blue";
        box.isCollapsed = true;
        putBox(document_, BoxKind::Frame, box);
        putBox(document_, BoxKind::Frame, original);
        QCOMPARE(shown(document_), before);
    }

    void theLastBoxTakesTheListAlong() {
        removeBox(document_, BoxKind::Note, "n1");
        QVERIFY(document_.notes.is_null());
        removeBox(document_, BoxKind::Note, "n1");
        removeBox(document_, BoxKind::Frame, "f1");
        QCOMPARE(document_.frames, Json::array({"not a frame"}));
    }

    void boxesThatCannotBeAreLeftOut_data() {
        QTest::addColumn<QString>("json");
        QTest::newRow("no id") << R"({"position": [0, 0], "size": [1, 1]})";
        QTest::newRow("id of a number") << R"({"id": 1, "position": [0, 0], "size": [1, 1]})";
        QTest::newRow("no position") << R"({"id": "x", "size": [1, 1]})";
        QTest::newRow("three numbers") << R"({"id": "x", "position": [0, 0, 0], "size": [1, 1]})";
        QTest::newRow("texts") << R"({"id": "x", "position": ["0", "0"], "size": [1, 1]})";
        QTest::newRow("no area") << R"({"id": "x", "position": [0, 0], "size": [0, 1]})";
        QTest::newRow("negative") << R"({"id": "x", "position": [0, 0], "size": [5, -1]})";
        QTest::newRow("list") << "[1, 2]";
    }

    void boxesThatCannotBeAreLeftOut() {
        QFETCH(QString, json);
        document_.notes = Json::array({Json::parse(json.toStdString())});
        QVERIFY(boxesOf(document_, BoxKind::Note).empty());
        putBox(document_, BoxKind::Note, {.text = "mine"});
        QCOMPARE(document_.notes.size(), size_t{2});
        QCOMPARE(boxesOf(document_, BoxKind::Note).size(), size_t{1});
    }

    void whatIsNoListAtAllRemainsAsAnEntry() {
        document_.notes = {{"written by", "another program"}};
        QVERIFY(boxesOf(document_, BoxKind::Note).empty());
        const std::string id = putBox(document_, BoxKind::Note, {.text = "mine"});
        QCOMPARE(document_.notes[0].at("written by"), Json("another program"));
        removeBox(document_, BoxKind::Note, id);
        QCOMPARE(document_.notes.size(), size_t{1});
    }

    void ofTwoBoxesWithOneIdTheFirstCounts() {
        document_.notes.push_back(document_.notes[0]);
        document_.notes[1]["text"] = "second";
        QCOMPARE(boxesOf(document_, BoxKind::Note).size(), size_t{1});
        QCOMPARE(boxesOf(document_, BoxKind::Note)[0].text, std::string("try more steps"));
    }
};

LOWTIDE_TEST(BoxesTest)

}  // namespace boxes_test

#include "boxes_test.moc"
