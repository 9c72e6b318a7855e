// Numbers that a family reads in addition to the text, and what a checkpoint reports that does not
// read them.

#include "plugin/nn/conditioning/conditioning_spec.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <QtTest/QtTest>

namespace conditioning_statement_test {

using namespace lowtide;
using models::ConditioningStatement;
using models::ZeroMeans;
using tensor::NamedNumbers;

namespace {

/// As an SDXL refiner has it.
const ConditioningStatement& refiner() {
    static const ConditioningStatement stated{
        .fields = {},
        .numbers = {{.name = "original_width", .zero = ZeroMeans::ImageWidth},
                    {.name = "original_height", .zero = ZeroMeans::ImageHeight},
                    {.name = "crop_left"},
                    {.name = "aesthetic_score", .byDefault = 6, .ofNegative = 2.5}},
        .texts = 2};
    return stated;
}

}  // namespace

class ConditioningStatementTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void condAndUncondHaveTheDefaultsWithoutARequest() {
        QVERIFY(refiner().numbersOf({}, false) == (NamedNumbers{{"original_width", 0},
                                                                {"original_height", 0},
                                                                {"crop_left", 0},
                                                                {"aesthetic_score", 6}}));
        QVERIFY(refiner().numbersOf({}, true) == (NamedNumbers{{"original_width", 0},
                                                               {"original_height", 0},
                                                               {"crop_left", 0},
                                                               {"aesthetic_score", 2.5}}));
    }

    /// As diffusers 0.42.1 has it: sizes hold for both sides, a score for its own.
    void aScoreHoldsForItsSideAndASizeForBoth() {
        const NamedNumbers asked = {
            {"original_width", 640}, {"aesthetic_score", 7}, {"target_width", 9}};
        const NamedNumbers positive = refiner().numbersOf(asked, false);
        const NamedNumbers negative = refiner().numbersOf(asked, true);
        QCOMPARE(positive.at("original_width"), 640.0);
        QCOMPARE(negative.at("original_width"), 640.0);
        QCOMPARE(positive.at("aesthetic_score"), 7.0);
        QCOMPARE(negative.at("aesthetic_score"), 2.5);
        QVERIFY(!positive.contains("target_width"));
        QCOMPARE(refiner().numbersOf({{"negative_aesthetic_score", 1}}, true).at("aesthetic_score"),
                 1.0);
    }

    void zeroIsTheImagesSideWhereTheFamilySetsIt() {
        const auto numberOf = [](size_t index, const NamedNumbers& held) {
            return models::numberFor(
                refiner().numbers[index], held, {.width = 832, .height = 1216});
        };
        QCOMPARE(numberOf(0, {{"original_width", 0}}), 832.0);
        QCOMPARE(numberOf(1, {{"original_height", 0}}), 1216.0);
        QCOMPARE(numberOf(0, {{"original_width", 640}}), 640.0);
        QCOMPARE(numberOf(0, {}), 832.0);  // a prompt that does not hold it
        QCOMPARE(numberOf(2, {{"crop_left", 0}}), 0.0);
        QCOMPARE(numberOf(3, {}), 6.0);
    }

    void knowsWhatItTakes_data() {
        const testing::Rows<QString, bool> row("parameter", "isTaken");
        row("second text", "prompt_2", true);
        row("second negative text", "negative_2", true);
        row("size", "original_height", true);
        row("size of the negative side", "negative_original_height", false);
        row("score", "aesthetic_score", true);
        row("score of the negative side", "negative_aesthetic_score", true);
        row("another size", "target_width", false);
    }

    void knowsWhatItTakes() {
        QFETCH(QString, parameter);
        QFETCH(bool, isTaken);
        QCOMPARE(refiner().takes(parameter.toStdString()), isTaken);
        QVERIFY(!ConditioningStatement().takes(parameter.toStdString()));
    }

    void warnsOfWhatTheCheckpointDoesNotRead() {
        testing::ModelBench bench;
        const testing::EncodeRequest plain{.model = bench.load(testing::miniModel()),
                                           .prompt = "a cat"};
        QVERIFY(testing::spec(bench.stages(), plain).issues.empty());
        testing::EncodeRequest request = plain;
        request.others.front().prompt = "a dog";
        request.numbers = {{"crop_left", 8}};

        const Issues issues = testing::spec(bench.stages(), request).issues;

        QCOMPARE(issues.size(), size_t{2});
        QCOMPARE(issues[0].item, std::string("prompt_2"));
        QCOMPARE(issues[1].item, std::string("crop_left"));
        for (const Issue& issue : issues) {
            QCOMPARE(issue.severity, Severity::Warning);
            QCOMPARE(issue.code, std::string("prompt_unused"));
            QCOMPARE(issue.message.str(),
                     testing::ModelBench::modelOf(plain.model).info().checkpoint +
                         " has no use for " + issue.item + ", which is left out");
        }
    }
};

LOWTIDE_TEST(ConditioningStatementTest)

}  // namespace conditioning_statement_test

#include "conditioning_statement_test.moc"
