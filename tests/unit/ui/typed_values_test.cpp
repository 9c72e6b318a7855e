#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/vary/variation.hpp"

#include <QtTest/QtTest>

namespace typed_values_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

QStringList listOf(const std::vector<std::string>& values) {
    QStringList list;
    for (const std::string& value : values) {
        list << QString::fromStdString(value);
    }
    return list;
}

}  // namespace

/// Values of an axis as they are typed.
class TypedValuesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void numbersAreRead_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<bool>("areIntegers");
        QTest::addColumn<QStringList>("values");
        const auto row = [](const char* typed, bool areIntegers, const QStringList& values) {
            QTest::addRow("%s%s", typed, areIntegers ? "" : ", any")
                << typed << areIntegers << values;
        };
        row("4, 8,12", true, {"4", "8", "12"});
        row("", true, {});
        row(" 4 , , 4", true, {"4"});
        row("1-5", true, {"1", "2", "3", "4", "5"});
        row("1-5 (+2)", true, {"1", "3", "5"});
        row("4-12 (+3)", true, {"4", "7", "10"});
        row("10-4 (-3)", true, {"10", "7", "4"});
        row("10-4 (+3)", true, {"10", "7", "4"});
        row("1..5 step 2", true, {"1", "3", "5"});
        row("1 .. 3", true, {"1", "2", "3"});
        row("1-10 [5]", true, {"1", "3", "6", "8", "10"});
        row("1-5 [3]", true, {"1", "3", "5"});
        row("1-2 [3]", false, {"1", "1.5", "2"});
        row("7-7 [1]", true, {"7"});
        row("-3--1", true, {"-3", "-2", "-1"});
        row("-1..1", true, {"-1", "0", "1"});
        row("0.1-0.5 (+0.1)", false, {"0.1", "0.2", "0.3", "0.4", "0.5"});
        row("1.5, 2..3 step .5", false, {"1.5", "2", "2.5", "3"});
        row("4，8、12", true, {"4", "8", "12"});
        row("18446744073709551615, 9007199254740993",
            true,
            {"18446744073709551615", "9007199254740993"});
        row("1-100", true, [] {
            QStringList all;
            for (int i = 1; i <= 100; ++i) {
                all << QString::number(i);
            }
            return all;
        }());
    }

    void numbersAreRead() {
        QFETCH(QString, typed);
        QFETCH(bool, areIntegers);
        QFETCH(QStringList, values);
        QCOMPARE(listOf(numbersTyped(typed.toStdString(), areIntegers)), values);
    }

    void whatIsNoNumberIsNamed_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("named");
        for (const auto& [typed, named] : {std::pair("4, eight", "\"eight\" is no number"),
                                           std::pair("4.5", "no whole number"),
                                           std::pair("1-", "has no end"),
                                           std::pair("1-5 (+0)", "no distance"),
                                           std::pair("1-5 (+2", "no distance"),
                                           std::pair("1-5 (+0.5)", "no whole number"),
                                           std::pair("1-5 [0]", "how many"),
                                           std::pair("1-5 [3", "how many"),
                                           std::pair("1-5 and so on", "cannot be read"),
                                           std::pair("4 8", "no number and no range"),
                                           std::pair("1.5-3", "no whole number"),
                                           std::pair("1-101", "more than 100"),
                                           std::pair("1-1000000000 [1000000000]", "more than 100"),
                                           std::pair("0-9999999999999999999", "too large"),
                                           std::pair("--5", "is no number"),
                                           std::pair("1e999", "is no number")}) {
            QTest::newRow(typed) << typed << named;
        }
    }

    void whatIsNoNumberIsNamed() {
        QFETCH(QString, typed);
        QFETCH(QString, named);
        const auto error = testing::errorOf([&] { (void)numbersTyped(typed.toStdString(), true); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QVERIFY2(QString::fromStdString(error->message().str()).contains(named),
                 error->message().str().c_str());
    }

    /// Each is answered at once, not number by number.
    void endlessRangesAreRefused_data() {
        QTest::addColumn<QString>("typed");
        QTest::newRow("a step below what is written") << "1..5 step 0.00000000000000000001";
        QTest::newRow("ends beyond whole numbers") << "100000000000000000000-200000000000000000000";
        QTest::newRow("more than a hundred") << "0..1 step 0.001";
        QTest::newRow("fractions") << "0-1 [1000000000]";
    }

    void endlessRangesAreRefused() {
        QFETCH(QString, typed);
        const auto error =
            testing::errorOf([&] { (void)numbersTyped(typed.toStdString(), false); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QVERIFY(QString::fromStdString(error->message().str()).contains("more than 100"));
    }

    void fractionsOfFewIntegersAreAllOfThem() {
        QCOMPARE(listOf(numbersTyped("1-5 [1000000000]", true)),
                 (QStringList{"1", "2", "3", "4", "5"}));
        QCOMPARE(listOf(numbersTyped("9-7 [50]", true)), (QStringList{"9", "8", "7"}));
        QCOMPARE(listOf(numbersTyped("7-7 [1000000000]", false)), QStringList{"7"});
    }

    void linesAndWordsAreRead() {
        QCOMPARE(listOf(linesTyped("a cat, red\n\n a dog \na dog\n", false)),
                 (QStringList{"a cat, red", "a dog"}));
        QCOMPARE(listOf(linesTyped("cat, dog,fox, cat", true)), (QStringList{"cat", "dog", "fox"}));
        QCOMPARE(listOf(linesTyped("a cat, red\na dog", true)),
                 (QStringList{"a cat, red", "a dog"}));
        QCOMPARE(listOf(linesTyped(" \n", true)), QStringList());
    }

    void aWordOfThePromptIsReplaced() {
        QCOMPARE(
            listOf(replacedIn("a cat and a cat", {"cat", "caterpillar", "狗"})),
            (QStringList{"a cat and a cat", "a caterpillar and a caterpillar", "a 狗 and a 狗"}));
        for (const std::vector<std::string>& terms :
             {std::vector<std::string>(), std::vector<std::string>{"fox", "dog"}}) {
            const auto error = testing::errorOf([&] { (void)replacedIn("a cat", terms); });
            QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        }
    }
};

LOWTIDE_TEST(TypedValuesTest)

}  // namespace typed_values_test

#include "typed_values_test.moc"
