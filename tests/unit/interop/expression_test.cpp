#include "plugin/interop/expression.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <string>

namespace expression_test {

using namespace lowtide;
using namespace lowtide::interop;

class ExpressionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void isWhatPythonGives_data() {
        const testing::Rows<QString, QString> row("expression", "result");
        row("order of operators", "2 + 3 * 4 ** 2", "50");
        row("power from the right", "2 ** 3 ** 2", "512");
        row("minus before a power", "-2 ** 2", "-4");
        row("division is real", "7 / 2", "3.5");
        row("floor division of negatives", "-7 // 2", "-4");
        row("remainder has the divisor's sign", "-7 % 3", "2");
        row("frames of a video",
            "max(5, round(a * 24)) + (5 - (max(5, round(a * 24)) % 17)) % 17",
            "124");
        row("half to even", "round(2.5)", "2");
        row("bits", "a & -2 | 8", "12");
        row("shift", "1 << 4 >> 1", "8");
        row("comparison in a row", "1 < 2 < 3", "1");
        row("choice", "10 if a > 4 else 20", "10");
        row("choice of a choice", "1 if a < 4 else 2 if a < 6 else 3", "2");
        row("and gives a value", "a and 3", "3");
        row("or gives a value", "0 or a", "5");
        row("not", "not a", "0");
        row("a division that is not taken", "a / 0 if a < 0 else int(7 / 1)", "7");
        row("a division that is not asked for", "0 and 1 / 0", "0");
        row("int cuts", "int(-2.7)", "-2");
        row("ceil", "ceil(2.1)", "3");
        row("names of a module", "math.floor(2.9)", "2");
        row("truth", "True + True", "2");
    }

    void isWhatPythonGives() {
        QFETCH(QString, expression);
        QFETCH(QString, result);

        const std::optional<Json> value = evaluate(expression.toStdString(), {{"a", 5}});

        QVERIFY(value.has_value());
        QCOMPARE(QString::fromStdString(value->dump()), result);
    }

    void givesNothing_whereThereIsNone_data() {
        testing::addRows("expression",
                         {"",
                          "1 +",
                          "b",
                          "1 / 0",
                          "5 % 0",
                          "1 // 0",
                          "1 if 1 / 0 > 1 else 2",
                          "1 if 1 % 0 else 2",
                          "not 1 / 0",
                          "1 / 0 and 3",
                          "max(1, 1 / 0)",
                          "(1",
                          "1)",
                          "min()",
                          "a.b",
                          "__import__('os')",
                          "9223372036854775807 + 1",
                          "1 << 99",
                          "~1.5",
                          "1e400",
                          "2 ** 9999 * 1.0 - 2 ** 9999 * 1.0",
                          "a = 3"});
    }

    void givesNothing_whereThereIsNone() {
        QFETCH(QString, expression);
        QVERIFY(!evaluate(expression.toStdString(), {{"a", 5}}).has_value());
    }

    void endsEarly_whereItNestsWithoutEnd() {
        QVERIFY(!evaluate(std::string(4000, '('), {}).has_value());
        QVERIFY(!evaluate(std::string(4000, '-') + "1", {}).has_value());
        QVERIFY(!evaluate(std::string(100000, ' ') + "1", {}).has_value());
    }
};

LOWTIDE_TEST(ExpressionTest)

}  // namespace expression_test

#include "expression_test.moc"
