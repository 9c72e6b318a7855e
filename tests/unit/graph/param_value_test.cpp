#include "plugin/graph/param_value.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/graph/sample_graph.hpp"

#include <QtTest/QtTest>

#include <cmath>
#include <limits>

namespace param_value_test {

using namespace lowtide;
using namespace lowtide::graph;

namespace {

std::string codeFor(const ParamDesc& desc, const Json& value) {
    const ParamCheck check = checkParam(desc, value);
    const auto* refusal = std::get_if<ParamRefusal>(&check);
    return refusal ? refusal->code : "";
}

const ParamDesc kSteps = rangedParam("steps", ParamKind::Int, int64_t{20}, 1, 150);
const ParamDesc kCfg = rangedParam("cfg", ParamKind::Float, 7.5, 0, 30);
const ParamDesc kSeed = param("seed", ParamKind::Seed, uint64_t{0});
const ParamDesc kFlag = param("flag", ParamKind::Bool, true);
const ParamDesc kText = param("text", ParamKind::Text, std::string());

ParamDesc samplerParam() {
    ParamDesc desc = param("sampler", ParamKind::Choice, std::string("euler"));
    desc.choices = {{"euler", ""}, {"ddim", ""}};
    return desc;
}

}  // namespace

class ParamValueTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void refusesWhatDoesNotFit_data() {
        QTest::addColumn<ParamDesc>("desc");
        QTest::addColumn<Json>("value");
        QTest::addColumn<QString>("code");
        const QString type = "invalid_input_type";
        QTest::newRow("float for int") << kSteps << Json(20.0) << type;
        QTest::newRow("text for int") << kSteps << Json("7") << type;
        QTest::newRow("null for int") << kSteps << Json() << type;
        QTest::newRow("bool for int") << kSteps << Json(true) << type;
        QTest::newRow("int below") << kSteps << Json(0) << "value_smaller_than_min";
        QTest::newRow("int above") << kSteps << Json(151) << "value_bigger_than_max";
        QTest::newRow("int of 64 unsigned bits") << param("n", ParamKind::Int, int64_t{0})
                                                 << Json(1ull << 63) << "value_bigger_than_max";
        QTest::newRow("text for float") << kCfg << Json("7") << type;
        QTest::newRow("nan") << kCfg << Json(std::nan("")) << type;
        QTest::newRow("infinity") << kCfg << Json(std::numeric_limits<double>::infinity()) << type;
        QTest::newRow("float below") << kCfg << Json(-0.001) << "value_smaller_than_min";
        QTest::newRow("float above") << kCfg << Json(30.5) << "value_bigger_than_max";
        QTest::newRow("negative seed") << kSeed << Json(-1) << "value_smaller_than_min";
        QTest::newRow("float seed") << kSeed << Json(1.8446744073709552e19) << type;
        QTest::newRow("number for bool") << kFlag << Json(1) << type;
        QTest::newRow("number for text") << kText << Json(5) << type;
        QTest::newRow("unknown choice") << samplerParam() << Json("eulr") << "value_not_in_list";
        QTest::newRow("number for choice") << samplerParam() << Json(0) << type;
    }

    void refusesWhatDoesNotFit() {
        QFETCH(ParamDesc, desc);
        QFETCH(Json, value);
        QFETCH(QString, code);

        QCOMPARE(QString::fromStdString(codeFor(desc, value)), code);
    }

    void takesTheLimitsThemselves() {
        QCOMPARE(codeFor(kSteps, 1), std::string());
        QCOMPARE(codeFor(kSteps, 150), std::string());
        QCOMPARE(codeFor(kCfg, 0), std::string());
        QCOMPARE(codeFor(kCfg, 30.0), std::string());
    }

    void givesTheTypeOfTheKind() {
        QVERIFY(std::get<Scalar>(checkParam(kSteps, 5)) == Scalar(int64_t{5}));
        QVERIFY(std::get<Scalar>(checkParam(kCfg, 5)) == Scalar(5.0));
        QVERIFY(std::get<Scalar>(checkParam(kSeed, std::numeric_limits<uint64_t>::max())) ==
                Scalar(std::numeric_limits<uint64_t>::max()));
        QVERIFY(std::get<Scalar>(checkParam(kFlag, false)) == Scalar(false));
    }

    void reportsValueAndRange() {
        const auto refusal = std::get<ParamRefusal>(checkParam(kSteps, 151));

        QVERIFY(refusal.reason.str().find("151") != std::string::npos);
        QVERIFY(refusal.hint.str().find("from 1 to 150") != std::string::npos);
    }

    void suggestsTheNearestChoice_andListsAll() {
        const auto refusal = std::get<ParamRefusal>(checkParam(samplerParam(), "eulr"));

        QVERIFY(refusal.reason.str().find("did you mean \"euler\"") != std::string::npos);
        QVERIFY(refusal.hint.str().find("euler, ddim") != std::string::npos);
    }

    void cutsLongValues_betweenCharacters() {
        std::string text;
        for (int i = 0; i < 100; ++i) {
            text += "é";
        }

        const auto refusal = std::get<ParamRefusal>(checkParam(kSteps, text));

        QVERIFY(refusal.reason.str().size() < 200);
        QVERIFY(QString::fromStdString(refusal.reason.str()).toUtf8().toStdString() ==
                refusal.reason.str());
    }

    void readsTextByKind() {
        QCOMPARE(paramFromText(kSteps, "7"), Json(7));
        QCOMPARE(paramFromText(kSeed, "18446744073709551615"), Json(18446744073709551615ull));
        QCOMPARE(paramFromText(kCfg, "7.5"), Json(7.5));
        QCOMPARE(paramFromText(kFlag, "false"), Json(false));
        QCOMPARE(paramFromText(kText, "7"), Json("7"));
    }

    void aNodeHasItsOwnValue_orTheDefault() {
        DocumentNode node;
        QCOMPARE(valueOf(node, kSteps), Json(20));

        node.params["steps"] = nullptr;  // stated, though it is no number
        QCOMPARE(valueOf(node, kSteps), Json());
    }

    void leavesUnreadableTextToTheCheck_data() {
        const testing::Rows<ParamDesc, QString> row("desc", "text");
        row("int with rest", kSteps, "7x");
        row("int as float", kSteps, "7.0");
        row("empty int", kSteps, "");
        row("nan", kCfg, "nan");
        row("infinity", kCfg, "inf");
        row("huge", kCfg, "1e999");
        row("seed past 64 bits", kSeed, "18446744073709551616");
        row("negative seed", kSeed, "-3");
        row("yes", kFlag, "yes");
    }

    void leavesUnreadableTextToTheCheck() {
        QFETCH(ParamDesc, desc);
        QFETCH(QString, text);

        QVERIFY(!codeFor(desc, paramFromText(desc, text.toStdString())).empty());
    }
};

LOWTIDE_TEST(ParamValueTest)

}  // namespace param_value_test

#include "param_value_test.moc"
