// Which factors make a change, and what alphas count for.

#include "plugin/models/adapters/change_kind.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <limits>

namespace change_kinds_test {

using namespace lowtide;
using models::changeKind;
using models::FactorShapes;

namespace {

constexpr int64_t kOut = 24;
constexpr int64_t kIn = 20;

struct Case {
    const char* kind;
    Shape weight;
    FactorShapes factors;
};

/// Complete changes; each spoiled in many ways below.
std::vector<std::pair<const char*, Case>> goodCases() {
    const Shape linear = {kOut, kIn};
    const Shape conv = {kOut, kIn, 3, 3};
    return {
        {"linear", {"low_rank", linear, {{"up", {kOut, 4}}, {"down", {4, kIn}}}}},
        {"pixels beside linear",
         {"low_rank", linear, {{"up", {kOut, 4, 1, 1}}, {"down", {4, kIn, 1, 1}}}}},
        {"linear beside pixels",
         {"low_rank", {kOut, kIn, 1, 1}, {{"up", {kOut, 4}}, {"down", {4, kIn}}}}},
        {"conv", {"low_rank", conv, {{"up", {kOut, 4, 1, 1}}, {"down", {4, kIn, 3, 3}}}}},
        {"conv, flat", {"low_rank", conv, {{"up", {kOut, 4}}, {"down", {4, 9 * kIn}}}}},
        {"core",
         {"low_rank",
          conv,
          {{"up", {kOut, 4, 1, 1}}, {"down", {4, kIn, 1, 1}}, {"mid", {4, 4, 3, 3}}}}},
        {"dora of outputs",
         {"low_rank", linear, {{"up", {kOut, 4}}, {"down", {4, kIn}}, {"dora_scale", {kOut, 1}}}}},
        {"dora of inputs",
         {"low_rank",
          conv,
          {{"up", {kOut, 4, 1, 1}}, {"down", {4, kIn, 3, 3}}, {"dora_scale", {1, kIn, 1, 1}}}}},
        {"magnitude",
         {"low_rank",
          conv,
          {{"up", {kOut, 4, 1, 1}}, {"down", {4, kIn, 3, 3}}, {"magnitude", {1, kOut, 1, 1}}}}},
        {"hadamard",
         {"hadamard",
          conv,
          {{"w1_a", {kOut, 4}}, {"w1_b", {4, 9 * kIn}}, {"w2_a", {kOut, 4}}, {"w2_b", {4, 180}}}}},
        {"hadamard, cores",
         {"hadamard",
          conv,
          {{"t1", {4, 4, 3, 3}},
           {"w1_a", {4, kOut}},
           {"w1_b", {4, kIn}},
           {"t2", {4, 4, 3, 3}},
           {"w2_a", {4, kOut}},
           {"w2_b", {4, kIn}}}}},
        {"kronecker", {"kronecker", linear, {{"w1", {4, 5}}, {"w2", {6, 4}}}}},
        {"kronecker, factors",
         {"kronecker",
          conv,
          {{"w1_a", {4, 2}}, {"w1_b", {2, 5}}, {"w2_a", {6, 2}}, {"w2_b", {2, 36}}}}},
        {"kronecker, core",
         {"kronecker",
          conv,
          {{"w1", {4, 5}}, {"t2", {2, 2, 3, 3}}, {"w2_a", {2, 6}}, {"w2_b", {2, 4}}}}},
        {"on input", {"scale", conv, {{"on_input", {1, kIn, 1, 1}}}}},
        {"on output", {"scale", linear, {{"on_output", {kOut}}}}},
        {"difference", {"difference", conv, {{"difference", conv}}}},
        {"bias", {"difference", {kOut}, {{"difference", {kOut}}}}},
    };
}

QString shown(const FactorShapes& factors) {
    QString text;
    for (const auto& [name, shape] : factors) {
        text += QString::fromStdString(name + toText(shape) + " ");
    }
    return text;
}

std::optional<Error> refusalOf(const Case& asked) {
    return testing::errorOf(
        [&] { models::checkFactors(changeKind(asked.kind), asked.weight, asked.factors); });
}

}  // namespace

class ChangeKindsTest : public QObject {
    Q_OBJECT

    static void addGood() {
        QTest::addColumn<int>("index");
        const auto all = goodCases();
        for (size_t i = 0; i < all.size(); ++i) {
            QTest::newRow(all[i].first) << static_cast<int>(i);
        }
    }

private Q_SLOTS:

    void takesWhatFits_data() { addGood(); }

    void takesWhatFits() {
        QFETCH(int, index);
        const auto error = refusalOf(goodCases()[static_cast<size_t>(index)].second);
        QVERIFY2(!error, error ? error->message().c_str() : "");
    }

    void refusesEveryOtherSize_data() { addGood(); }

    /// Any side longer or shorter by one: the message has the shape that was seen.
    void refusesEveryOtherSize() {
        QFETCH(int, index);
        const Case good = goodCases()[static_cast<size_t>(index)].second;
        for (const auto& [name, shape] : good.factors) {
            for (size_t axis = 0; axis < shape.size(); ++axis) {
                for (const int64_t step : {-1, 1}) {
                    Case bad = good;
                    bad.factors[name][axis] += step;
                    const auto error = refusalOf(bad);
                    QVERIFY2(error && error->kind() == ErrorKind::Corrupt,
                             qPrintable(shown(bad.factors)));
                    const std::string item = error->item();
                    QVERIFY2(error->message().find('"' + item + '"') != std::string::npos &&
                                 error->message().find(toText(bad.factors.at(item))) !=
                                     std::string::npos,
                             error->message().c_str());
                }
            }
        }
    }

    void refusesAMissingFactor_data() { addGood(); }

    /// What is left may be a change of its own: a core, DoRA.
    void refusesAMissingFactor() {
        QFETCH(int, index);
        const Case good = goodCases()[static_cast<size_t>(index)].second;
        for (const auto& [name, shape] : good.factors) {
            Case bad = good;
            bad.factors.erase(name);
            const bool isOptional = name == "dora_scale" || name == "magnitude";
            const auto error = refusalOf(bad);
            QVERIFY2(error.has_value() != isOptional, qPrintable(shown(bad.factors)));
        }
    }

    void refusesRankZero_data() { addGood(); }

    void refusesRankZero() {
        QFETCH(int, index);
        const Case good = goodCases()[static_cast<size_t>(index)].second;
        for (const auto& [name, shape] : good.factors) {
            Case bad = good;
            bad.factors[name][0] = 0;
            const auto error = refusalOf(bad);
            QVERIFY(error && error->item() == name);
            QVERIFY(error->message().find("rank of 0") != std::string::npos);
        }
    }

    void refusesFactorsThatExcludeEachOther_data() {
        QTest::addColumn<int>("index");
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        const auto all = goodCases();
        const auto row = [&](const char* name, const char* factor, int rows, int columns) {
            const auto found = std::find_if(all.begin(), all.end(), [&](const auto& entry) {
                return std::string_view(entry.first) == name;
            });
            QTest::newRow((std::string(name) + " " + factor).c_str())
                << static_cast<int>(found - all.begin()) << QString(factor) << rows << columns;
        };
        row("linear", "w1_a", kOut, 4);
        row("linear", "alpha", 1, 1);
        row("dora of outputs", "magnitude", kOut, 1);
        row("kronecker", "w1_a", 4, 2);
        row("kronecker", "t2", 2, 2);
        row("hadamard", "t1", 4, 4);
        row("on output", "on_input", kIn, 1);
    }

    void refusesFactorsThatExcludeEachOther() {
        QFETCH(int, index);
        QFETCH(QString, name);
        QFETCH(int, rows);
        QFETCH(int, columns);
        Case bad = goodCases()[static_cast<size_t>(index)].second;
        bad.factors[name.toStdString()] = {rows, columns};
        const auto error = refusalOf(bad);
        QVERIFY(error && error->kind() == ErrorKind::Corrupt && !error->item().empty());
    }

    void saysWhatWasExpected() {
        const auto error =
            refusalOf({"low_rank", {640, 320}, {{"up", {640, 16}}, {"down", {16, 640}}}});
        QVERIFY(error);
        QCOMPARE(error->item(), std::string("down"));
        QCOMPARE(error->message(),
                 std::string("the factor \"down\" has the shape [16, 640], a weight of the shape "
                             "[640, 320] needs [16, 320]"));
    }

    /// 24 and 20 are no multiples of 5 and 3, though 4 and 6 are what is left of them.
    void refusesAFirstFactorThatDoesNotDivide() {
        const auto rows = refusalOf({"kronecker", {kOut, kIn}, {{"w1", {5, 5}}, {"w2", {4, 4}}}});
        QVERIFY(rows && rows->item() == "w1");
        const auto columns =
            refusalOf({"kronecker", {kOut, kIn}, {{"w1", {4, 3}}, {"w2", {6, 6}}}});
        QVERIFY(columns && columns->item() == "w1");
    }

    void refusesBiasesButDifferences() {
        const auto error = refusalOf({"low_rank", {kOut}, {{"up", {kOut, 4}}, {"down", {4, 1}}}});
        QVERIFY(error && error->message().find("[24]") != std::string::npos);
    }

    void alphasCountByRank_data() {
        QTest::addColumn<int>("index");
        QTest::addColumn<double>("scale");
        const double ranks[] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 2, 2, 0, 0, 0, 0};
        const auto all = goodCases();
        for (size_t i = 0; i < all.size(); ++i) {
            QTest::newRow(all[i].first)
                << static_cast<int>(i) << (ranks[i] > 0 ? 3 / ranks[i] : 1.0);
        }
    }

    void alphasCountByRank() {
        QFETCH(int, index);
        QFETCH(double, scale);
        const Case good = goodCases()[static_cast<size_t>(index)].second;
        const models::ChangeKind& kind = changeKind(good.kind);
        QCOMPARE(models::scaleOf(kind, 3.0, good.factors), scale);
        QCOMPARE(models::scaleOf(kind, std::nullopt, good.factors), 1.0);
        QCOMPARE(models::scaleOf(kind, 0.0, good.factors), 1.0);
        for (const double bad :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
            const auto error =
                testing::errorOf([&] { (void)models::scaleOf(kind, bad, good.factors); });
            QVERIFY(error && error->kind() == ErrorKind::Corrupt && error->item() == "alpha");
        }
    }

    void namesTheKindsThatAreBuilt() {
        const auto error = testing::errorOf([] { (void)changeKind("oft"); });
        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
        for (const models::ChangeKind* kind : models::changeKinds()) {
            QVERIFY(&changeKind(kind->name) == kind);
            QVERIFY(error->message().find(kind->name) != std::string::npos);
        }
    }
};

LOWTIDE_TEST(ChangeKindsTest)

}  // namespace change_kinds_test

#include "change_kinds_test.moc"
