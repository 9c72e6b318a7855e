#include "plugin/base/text.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QElapsedTimer>
#include <QtTest/QtTest>

namespace text_test {

using namespace lowtide;

class TextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void trimsBothEnds() {
        QCOMPARE(trim(" \t a b\r\n"), std::string("a b"));
        QCOMPARE(trim(" \n"), std::string());
        QCOMPARE(trim(""), std::string());
    }

    void takesTheFirstLine() {
        QCOMPARE(firstLine("what\r\nwhere"), std::string_view("what"));
        QCOMPARE(firstLine("\nwhere"), std::string_view());
        QCOMPARE(firstLine("what"), std::string_view("what"));
    }

    void lowersAsciiOnly() { QCOMPARE(toLower("ABZ\xC3\x84"), std::string("abz\xC3\x84")); }

    void splitKeepsEmptyParts() {
        const std::vector<std::string> parts = {"", "a", "", "b", ""};
        QCOMPARE(split(",a,,b,", ','), parts);
        QCOMPARE(split("", ','), std::vector<std::string>{""});
    }

    void joinUndoesSplit() {
        const std::string text = ",a,,b,";
        QCOMPARE(join(split(text, ','), ","), text);
    }

    void listsOnlySome() {
        const std::vector<std::string> names = {"a", "b", "c", "d"};
        QCOMPARE(listSome(names, 4).str(), std::string("a, b, c, d"));
        QCOMPARE(listSome(names, 3).str(), std::string("a, b, c and 1 more"));
        QCOMPARE(listSome(std::vector<std::string>(), 3).str(), std::string());
    }

    void listsClausesInTheLanguage() {
        const std::vector<Message> clauses(3, message("a file is missing"));
        const Message listed = listSome(clauses, 2);
        QCOMPARE(listed.str(), std::string("a file is missing, a file is missing and 1 more"));
        const auto& names = std::get<Message>(listed.parts()->arguments.front());
        QVERIFY(std::holds_alternative<Message>(names.parts()->arguments.front()));
    }

    void numbersReadBackTheSame() {
        QCOMPARE(formatNumber(7.5), std::string("7.5"));
        QCOMPARE(formatNumber(4), std::string("4"));
        for (const double value : {0.1, 1e-5, 1.0 / 3.0, 1e300, -2.5e-308, 123456789.123456789}) {
            QCOMPARE(std::stod(formatNumber(value)), value);
        }
    }

    void recognisesUtf8_data() {
        const testing::Rows<QByteArray, bool> row("text", "valid");
        // The boundaries of RFC 3629, section 4.
        row("empty", "", true);
        row("ASCII and NUL", QByteArray("a\0b", 3), true);
        row("U+0080", "\xC2\x80", true);
        row("U+07FF", "\xDF\xBF", true);
        row("U+0800", "\xE0\xA0\x80", true);
        row("U+D7FF", "\xED\x9F\xBF", true);
        row("U+E000", "\xEE\x80\x80", true);
        row("U+FFFF", "\xEF\xBF\xBF", true);
        row("U+10000", "\xF0\x90\x80\x80", true);
        row("U+10FFFF", "\xF4\x8F\xBF\xBF", true);
        row("lone continuation", "\x80", false);
        row("overlong 2", "\xC1\xBF", false);
        row("overlong 3", "\xE0\x9F\xBF", false);
        row("overlong 4", "\xF0\x8F\xBF\xBF", false);
        row("surrogate low end", "\xED\xA0\x80", false);
        row("surrogate high end", "\xED\xBF\xBF", false);
        row("above U+10FFFF", "\xF4\x90\x80\x80", false);
        row("F5", "\xF5\x80\x80\x80", false);
        row("FF", "a\xFF", false);
        row("cut 2", "\xC3", false);
        row("cut 3", "\xE2\x82", false);
        row("cut 4", "\xF0\x9F\x98", false);
        row("no continuation", "\xC3(", false);
    }

    void recognisesUtf8() {
        QFETCH(QByteArray, text);
        QFETCH(bool, valid);
        QCOMPARE(isValidUtf8(text.toStdString()), valid);
    }

    void quotesNamesSafely_data() {
        const testing::Rows<QByteArray, QByteArray> row("name", "shown");
        row("plain", "a b", "\"a b\"");
        row("empty", "", "\"\"");
        row("just fits", "12345678", "\"12345678\"");
        row("long", "123456789", "\"12345678...\"");
        row("not cut inside a character", "1234567\xE2\x82\xAC!", "\"1234567\xE2\x82\xAC...\"");
        row("control", "a\n\x1B\x7F", "\"a???\"");
        row("not UTF-8", "a\xFF\xC3", "\"a??\"");
    }

    void quotesNamesSafely() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, shown);
        QCOMPARE(QByteArray::fromStdString(quotedName(name.toStdString(), 8)), shown);
    }

    void padsWithZeros() {
        QCOMPARE(zeroPadded(7, 3), std::string("007"));
        QCOMPARE(zeroPadded(1234, 3), std::string("1234"));
        QCOMPARE(zeroPadded(0, 0), std::string("0"));
        QCOMPARE(zeroPadded(UINT64_MAX, 21), std::string("018446744073709551615"));
    }

    void findsTheNearestName() {
        const std::vector<std::string> known = {"euler", "euler_a", "ddim", "dpmpp_2m"};
        QCOMPARE(nearestName("eular", known), std::string("euler"));
        QCOMPARE(nearestName("dpmpp2m", known), std::string("dpmpp_2m"));
        QCOMPARE(nearestName("something else", known), std::string());
        QCOMPARE(nearestName("euler", {}), std::string());
    }

    void aNameOfAHundredMegabytesIsNearToNone() {
        const std::vector<std::string> known = {"euler", "euler_a", "ddim", "dpmpp_2m"};
        const std::string name(100 << 20, 'e');
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(nearestName(name, known), std::string());
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    }

    void cutsLongNamesOfAList() {
        const std::vector<std::string> names = {"a", std::string(5000, 'b') + "c", "d\n"};
        const std::string shown = listSome(names).str();
        QVERIFY(shown.size() < 200);
        QVERIFY(shown.starts_with("a, bbb") && shown.ends_with("b..., d?"));
    }
};

LOWTIDE_TEST(TextTest)

}  // namespace text_test

#include "text_test.moc"
