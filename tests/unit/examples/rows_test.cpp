#include "tests/fixtures/test_program.hpp"
#include "tests/unit/examples/canvas_states.hpp"

#include <QtTest/QtTest>

#include "examples/qtnodes_host/adapter/rows.hpp"

namespace rows_test {

using namespace lowtide;
using namespace lowtide::qtnodes_host;

namespace {

Row rowNamed(const NodeState& node, Row::Kind kind, const std::string& id) {
    for (const Row& row : rowsOf(node)) {
        if (row.kind == kind && row.id == id) {
            return row;
        }
    }
    throw std::invalid_argument("no row " + id);
}

}  // namespace

class RowsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void everyParameterIsARow_thenTheMemory() {
        const CanvasStates canvas;
        const std::vector<Row> rows = rowsOf(*canvas.add("denoise.sample"));

        QCOMPARE(rows.size(), size_t{7});  // six parameters; one component is the node itself
        QCOMPARE(rows[0].id, std::string("steps"));
        QCOMPARE(rows[0].text, std::string("20"));
        QCOMPARE(rows[1].text, std::string("7.5"));
        QCOMPARE(rows[4].choices.size(), size_t{2});
        QCOMPARE(rows[6].kind, Row::Kind::Policy);
        QCOMPARE(rows[6].text, std::string());
    }

    void setsTypedValues_data() {
        const testing::Rows<QByteArray, QByteArray, QByteArray> row("param", "typed", "stored");

        row("whole number", "steps", " 7 ", "7");
        row("number", "cfg", "4", "4.0");
        row("largest seed", "seed", "18446744073709551615", "18446744073709551615");
        row("switch", "add_noise", "false", "false");
        row("choice", "sampler", "ddim", "\"ddim\"");
        row("text as typed", "note", " a  cat\n", "\" a  cat\\n\"");
    }

    void setsTypedValues() {
        QFETCH(QByteArray, param);
        QFETCH(QByteArray, typed);
        QFETCH(QByteArray, stored);
        const CanvasStates canvas;
        const NodePtr node = canvas.add("denoise.sample");
        const Row row = rowNamed(*node, Row::Kind::Param, param.toStdString());

        const auto refusal = setFromText(*node, row, typed.toStdString());

        QVERIFY2(!refusal, refusal.value_or("").c_str());
        QCOMPARE(QByteArray::fromStdString(node->node().params.at(row.id).dump()), stored);
    }

    void refusesTypedValues_andKeepsTheOld_data() {
        const testing::Rows<QByteArray, QByteArray, QByteArray> row("param", "typed", "reported");

        row("no number", "steps", "many", "from 1 to 150");
        row("too large", "steps", "151", "150");
        row("a part", "steps", "7.5", "whole");
        row("negative seed", "seed", "-1", "0");
        row("more than 64 bits", "seed", "18446744073709551616", "whole");
        row("infinity", "cfg", "inf", "30");
        row("no choice", "sampler", "dim", "did you mean \"ddim\"");
    }

    void refusesTypedValues_andKeepsTheOld() {
        QFETCH(QByteArray, param);
        QFETCH(QByteArray, typed);
        QFETCH(QByteArray, reported);
        const CanvasStates canvas;
        const NodePtr node = canvas.add("denoise.sample");
        const std::string before = node->save();

        const auto refusal = setFromText(
            *node, rowNamed(*node, Row::Kind::Param, param.toStdString()), typed.toStdString());

        QVERIFY(refusal);
        QVERIFY2(QByteArray::fromStdString(*refusal).contains(reported), refusal->c_str());
        QCOMPARE(node->save(), before);
    }

    void setsAndTakesBackThePolicyOfTheNode() {
        const CanvasStates canvas;
        const NodePtr node = canvas.add("denoise.sample");
        const Row row = rowNamed(*node, Row::Kind::Policy, "");

        QVERIFY(!setFromText(*node, row, " leaf+stream,budget=1GiB "));
        QCOMPARE(node->node().memory, Json("leaf+stream,budget=1GiB"));
        QCOMPARE(rowNamed(*node, Row::Kind::Policy, "").text,
                 std::string("leaf+stream,budget=1GiB"));

        QVERIFY(!setFromText(*node, row, ""));
        QVERIFY(node->node().memory.is_null());
    }

    void setsThePolicyOfAComponent_besidesTheNodes() {
        NodeDesc desc = CanvasStates().add("prompt.encode")->desc();
        desc.components = {"text_encoder", "text_encoder_2"};
        NodeState node(desc);

        QVERIFY(!setFromText(node, rowNamed(node, Row::Kind::Policy, "text_encoder_2"), "leaf"));
        QCOMPARE(node.node().memory, Json({{"components", {{"text_encoder_2", "leaf"}}}}));

        QVERIFY(!setFromText(node, rowNamed(node, Row::Kind::Policy, ""), "model"));
        QCOMPARE(node.node().memory,
                 Json({{"policy", "model"}, {"components", {{"text_encoder_2", "leaf"}}}}));

        QVERIFY(!setFromText(node, rowNamed(node, Row::Kind::Policy, "text_encoder_2"), ""));
        QCOMPARE(rowNamed(node, Row::Kind::Policy, "").text, std::string("model"));
        QCOMPARE(rowNamed(node, Row::Kind::Policy, "text_encoder_2").text, std::string());
    }

    void showsAPolicyThatAnotherProgramWrote() {
        const CanvasStates canvas;
        const NodePtr node = canvas.add("denoise.sample");

        node->setMemory({{"policy", "block"}, {"blocks_per_group", 2}, {"stream", true}});
        QCOMPARE(rowNamed(*node, Row::Kind::Policy, "").text, std::string("block:2+stream"));

        node->setMemory({{"policy", "of tomorrow"}});
        QCOMPARE(rowNamed(*node, Row::Kind::Policy, "").text,
                 std::string("{\"policy\":\"of tomorrow\"}"));
    }

    void refusesAPolicy_andKeepsTheOld() {
        const CanvasStates canvas;
        const NodePtr node = canvas.add("denoise.sample");
        node->setMemory("model");

        const auto refusal = setFromText(*node, rowNamed(*node, Row::Kind::Policy, ""), "leafy");

        QVERIFY(refusal && refusal->find("\"leafy\"") != std::string::npos &&
                refusal->find("sequential") != std::string::npos);
        QCOMPARE(node->node().memory, Json("model"));
    }

    void aNodeWithoutComponentsHasNoPolicy() {
        const CanvasStates canvas;
        for (const Row& row : rowsOf(*canvas.add("save.image"))) {
            QCOMPARE(row.kind, Row::Kind::Param);
        }
    }
};

LOWTIDE_TEST(RowsTest)

}  // namespace rows_test

#include "rows_test.moc"
