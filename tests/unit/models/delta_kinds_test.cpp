// Which factors make a delta, and what alphas count for.

#include "plugin/checkpoints/adapters/delta_kind.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/delta_bench.hpp"

#include <QtTest/QtTest>

namespace delta_kinds_test {

using namespace lowtide;
using models::deltaKind;
using testing::FactorShapes;

namespace {

constexpr int64_t kOut = 24;
constexpr int64_t kIn = 20;

struct Case {
    const char* kind;
    Shape weight;
    FactorShapes factors;
};

/// Complete deltas; each spoiled in many ways below.
std::vector<std::pair<const char*, Case>> goodCases() {
    const Shape linear = {kOut, kIn};
    const Shape conv = {kOut, kIn, 3, 3};
    return {
        {"linear", {"low_rank", linear, {{"up", {kOut, 4}}, {"down", {4, kIn}}}}},
        {"pixels with linear",
         {"low_rank", linear, {{"up", {kOut, 4, 1, 1}}, {"down", {4, kIn, 1, 1}}}}},
        {"linear with pixels",
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

bool isTaken(const Case& asked) {
    return testing::adaptsWeight(testing::settledLayer(asked.kind, asked.factors), asked.weight);
}

}  // namespace

class DeltaKindsTest : public QObject {
    Q_OBJECT

    static void addGood() { testing::addEach(goodCases(), &std::pair<const char*, Case>::first); }

private Q_SLOTS:

    void takesWhatFits_data() { addGood(); }

    void takesWhatFits() {
        QFETCH(int, index);
        QVERIFY(isTaken(goodCases()[static_cast<size_t>(index)].second));
    }

    void refusesEveryOtherSize_data() { addGood(); }

    /// Any side longer or shorter by one.
    void refusesEveryOtherSize() {
        QFETCH(int, index);
        const Case good = goodCases()[static_cast<size_t>(index)].second;
        for (const auto& [name, shape] : good.factors) {
            for (size_t axis = 0; axis < shape.size(); ++axis) {
                for (const int64_t step : {-1, 1}) {
                    Case bad = good;
                    bad.factors[name][axis] += step;
                    QVERIFY2(!isTaken(bad), qPrintable(shown(bad.factors)));
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
            QVERIFY2(isTaken(bad) == isOptional, qPrintable(shown(bad.factors)));
        }
    }

    /// As many as the other axis has are not enough: peft's are of outputs, others state their
    /// axis.
    void refusesLengthsOfTheOtherAxis() {
        FactorShapes factors = {{"up", {kOut, 4}}, {"down", {4, kIn}}};
        factors["magnitude"] = {kIn};
        QVERIFY(!isTaken({"low_rank", {kOut, kIn}, factors}));
        factors.erase("magnitude");
        factors["dora_scale"] = {1, kOut};
        QVERIFY(!isTaken({"low_rank", {kOut, kIn}, factors}));
    }

    /// 24 and 20 are no multiples of 5 and 3, though 4 and 6 are what is left of them.
    void refusesAFirstFactorThatDoesNotDivide() {
        QVERIFY(!isTaken({"kronecker", {kOut, kIn}, {{"w1", {5, 5}}, {"w2", {4, 4}}}}));
        QVERIFY(!isTaken({"kronecker", {kOut, kIn}, {{"w1", {4, 3}}, {"w2", {6, 6}}}}));
    }

    void alphasCountByRank_data() {
        const testing::Rows<int, double> row("index", "scale");
        const double ranks[] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 2, 2, 0, 0, 0, 0};
        const auto all = goodCases();
        for (size_t i = 0; i < all.size(); ++i) {
            row(all[i].first, static_cast<int>(i), (ranks[i] > 0 ? 3 / ranks[i] : 1.0));
        }
    }

    void alphasCountByRank() {
        QFETCH(int, index);
        QFETCH(double, scale);
        const Case good = goodCases()[static_cast<size_t>(index)].second;
        const auto scaleOf = [&](std::optional<double> alpha) {
            return testing::settledLayer(good.kind, good.factors, alpha).scale();
        };
        QCOMPARE(scaleOf(3), scale);
        QCOMPARE(scaleOf(std::nullopt), 1.0);
        QCOMPARE(scaleOf(0), 1.0);
    }

    void namesTheKindsThatAreBuilt() {
        const auto error = testing::errorOf([] { (void)deltaKind("oft"); });
        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
        for (const models::DeltaKind* kind : models::deltaKinds()) {
            QVERIFY(&deltaKind(kind->name) == kind);
            QVERIFY(error->message().str().find(kind->name) != std::string::npos);
        }
    }
};

LOWTIDE_TEST(DeltaKindsTest)

}  // namespace delta_kinds_test

#include "delta_kinds_test.moc"
