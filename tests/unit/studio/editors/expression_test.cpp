#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/editors/sample_params.hpp"
#include "ui/editors/number_text.hpp"
#include "ui/editors/prompt_weight.hpp"

namespace lowtide::ui::expression_test {

class ExpressionTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void givesANumber_data() {
        testing::addTable<QString, double, double>({"text", "current", "number"},
                                                   {{"number", "512", 3.0, 512.0},
                                                    {"sum", "512+64", 3.0, 576.0},
                                                    {"brackets", "(1+2)*3", 0.0, 9.0},
                                                    {"product first", "1+2*3", 0.0, 7.0},
                                                    {"goes on, plus", "+1", 20.0, 21.0},
                                                    {"goes on, times", "*2", 20.0, 40.0},
                                                    {"goes on, by", "/ 4", 20.0, 5.0},
                                                    {"goes on, minus", "-=5", 20.0, 15.0},
                                                    {"goes on with a sum", "*2+1", 20.0, 41.0},
                                                    {"negative", "-5", 20.0, -5.0},
                                                    {"negative inside", "2*-3", 0.0, -6.0},
                                                    {"decimal comma", "7,5", 0.0, 7.5},
                                                    {"spaces", "  8 / ( 3 - 1 ) ", 0.0, 4.0}});
    }

    void givesANumber() {
        QFETCH(QString, text);
        QFETCH(double, current);
        QFETCH(double, number);

        const Evaluated result = evaluate(text, current);

        QVERIFY2(result.number.has_value(), qPrintable(result.problem));
        QCOMPARE(static_cast<double>(*result.number), number);
    }

    void refusesWithAReason_data() {
        testing::addTable<QString, QString>({"text", "word"},
                                            {{"nothing", "", "missing"},
                                             {"letters", "many", "many"},
                                             {"tail", "5 steps", "steps"},
                                             {"by zero", "1/(2-2)", "zero"},
                                             {"open bracket", "(1+2", "bracket"},
                                             {"lone sign", "5+", "missing"},
                                             {"huge", "1e4932*1e4932", "large"},
                                             {"deep", QString(500, '(') + "1", "brackets"}});
    }

    void refusesWithAReason() {
        QFETCH(QString, text);
        QFETCH(QString, word);

        const Evaluated result = evaluate(text, 1);

        QVERIFY(!result.number);
        QVERIFY2(result.problem.contains(word), qPrintable(result.problem));
    }

    void seedsRemainIntegers() {
        const NodeDesc node = test::sampleNode();
        const ParamDesc& seed = test::paramOf(node, "seed");
        const uint64_t most = UINT64_MAX;

        const Evaluated result = evaluate("+1", static_cast<long double>(most - 1));

        QCOMPARE(valueFrom(seed, *result.number).value->get<uint64_t>(), most);
        const Evaluated beyond = evaluate("+1", static_cast<long double>(most));
        QVERIFY(!valueFrom(seed, *beyond.number).value);
        QVERIFY(valueFrom(seed, *beyond.number).problem.contains("64 bits"));
    }

    void decimalsComeFromTheStep_data() {
        testing::addTable<double, double, QString>(
            {"step", "value", "text"},
            {{"halves", 0.5, 7.5, "7.5"},
             {"halves of a whole", 0.5, 7.0, "7.0"},
             {"hundredths", 0.05, 0.1, "0.10"},
             {"whole steps", 1.0, 3.0, "3"},
             {"more than the step has", 0.5, 7.125, "7.125"}});
    }

    void decimalsComeFromTheStep() {
        QFETCH(double, step);
        QFETCH(double, value);
        QFETCH(QString, text);
        const ParamDesc param{.id = "x", .kind = ParamKind::Float, .step = step};

        QCOMPARE(numberText(param, value), text);
    }

    void scrubKeepsToTheSoftRange() {
        const NodeDesc node = test::sampleNode();
        const ParamDesc& steps = test::paramOf(node, "steps");

        QCOMPARE(double(scrubbed(steps, 20, 1000, 1)), 50.0);
        QCOMPARE(double(scrubbed(steps, 20, -1000, 1)), 1.0);
        // A start beyond the soft range is no wall on the way back.
        QCOMPARE(double(scrubbed(steps, 120, 1000, 1)), 120.0);
        QCOMPARE(double(scrubbed(steps, 120, -10, 1)), 110.0);
    }

    void weightOfThePrompt_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        QTest::addColumn<double>("change");
        QTest::addColumn<QString>("after");
        QTest::addColumn<QString>("selected");
        QTest::addColumn<WeightSyntax>("syntax");
        constexpr auto kA1111 = WeightSyntax::A1111;
        QTest::newRow("selection") << "a red cat" << 2 << 5 << 0.05 << "a (red:1.05) cat"
                                   << "red" << kA1111;
        QTest::newRow("word at the cursor") << "a red cat" << 3 << 3 << 0.05 << "a (red:1.05) cat"
                                            << "red" << kA1111;
        QTest::newRow("up again") << "a (red:1.05) cat" << 3 << 6 << 0.05 << "a (red:1.1) cat"
                                  << "red" << kA1111;
        QTest::newRow("down to one") << "a (red:1.05) cat" << 3 << 6 << -0.05 << "a red cat"
                                     << "red" << kA1111;
        QTest::newRow("below one") << "a red cat" << 2 << 5 << -0.05 << "a (red:0.95) cat"
                                   << "red" << kA1111;
        QTest::newRow("brackets selected")
            << "a (red:1.05) cat" << 2 << 12 << 0.05 << "a (red:1.1) cat"
            << "red" << kA1111;
        QTest::newRow("several words") << "a red cat" << 2 << 9 << 0.05 << "a (red cat:1.05)"
                                       << "red cat" << kA1111;
        QTest::newRow("spaces are outside") << "a red cat" << 1 << 6 << 0.05 << "a (red:1.05) cat"
                                            << "red" << kA1111;
        QTest::newRow("no word") << "a, b" << 2 << 2 << 0.05 << "a, b"
                                 << "" << kA1111;
        QTest::newRow("never negative") << "(red:0.02)" << 1 << 4 << -0.05 << "(red:0)"
                                        << "red" << kA1111;
        QTest::newRow("comfyui, up again")
            << "a (red:1.05) cat" << 3 << 6 << 0.05 << "a (red:1.1) cat"
            << "red" << WeightSyntax::ComfyUi;
        constexpr auto kCompel = WeightSyntax::Compel;
        QTest::newRow("compel") << "a red cat" << 2 << 5 << 0.05 << "a (red)1.05 cat"
                                << "red" << kCompel;
        QTest::newRow("compel, up again") << "a (red)1.05 cat" << 3 << 6 << 0.05 << "a (red)1.1 cat"
                                          << "red" << kCompel;
        QTest::newRow("compel, brackets selected")
            << "a (red)1.05 cat" << 2 << 11 << -0.05 << "a red cat"
            << "red" << kCompel;
        QTest::newRow("compel, no number") << "a (red) cat" << 3 << 6 << 0.05 << "a ((red)1.05) cat"
                                           << "red" << kCompel;
    }

    void weightOfThePrompt() {
        QFETCH(QString, text);
        QFETCH(int, from);
        QFETCH(int, to);
        QFETCH(double, change);
        QFETCH(QString, after);
        QFETCH(QString, selected);
        QFETCH(WeightSyntax, syntax);

        const SelectedText result = changedWeight({text, from, to}, change, syntax);

        QCOMPARE(result.text, after);
        QCOMPARE(result.text.mid(result.from, result.to - result.from), selected);
    }
};

LOWTIDE_WINDOW_TEST(ExpressionTest)

}  // namespace lowtide::ui::expression_test

#include "expression_test.moc"
