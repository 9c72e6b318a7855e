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
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("valid");
        // The boundaries of RFC 3629, section 4.
        QTest::newRow("empty") << QByteArray("") << true;
        QTest::newRow("ASCII and NUL") << QByteArray("a\0b", 3) << true;
        QTest::newRow("U+0080") << QByteArray("\xC2\x80") << true;
        QTest::newRow("U+07FF") << QByteArray("\xDF\xBF") << true;
        QTest::newRow("U+0800") << QByteArray("\xE0\xA0\x80") << true;
        QTest::newRow("U+D7FF") << QByteArray("\xED\x9F\xBF") << true;
        QTest::newRow("U+E000") << QByteArray("\xEE\x80\x80") << true;
        QTest::newRow("U+FFFF") << QByteArray("\xEF\xBF\xBF") << true;
        QTest::newRow("U+10000") << QByteArray("\xF0\x90\x80\x80") << true;
        QTest::newRow("U+10FFFF") << QByteArray("\xF4\x8F\xBF\xBF") << true;
        QTest::newRow("lone continuation") << QByteArray("\x80") << false;
        QTest::newRow("overlong 2") << QByteArray("\xC1\xBF") << false;
        QTest::newRow("overlong 3") << QByteArray("\xE0\x9F\xBF") << false;
        QTest::newRow("overlong 4") << QByteArray("\xF0\x8F\xBF\xBF") << false;
        QTest::newRow("surrogate low end") << QByteArray("\xED\xA0\x80") << false;
        QTest::newRow("surrogate high end") << QByteArray("\xED\xBF\xBF") << false;
        QTest::newRow("above U+10FFFF") << QByteArray("\xF4\x90\x80\x80") << false;
        QTest::newRow("F5") << QByteArray("\xF5\x80\x80\x80") << false;
        QTest::newRow("FF") << QByteArray("a\xFF") << false;
        QTest::newRow("cut 2") << QByteArray("\xC3") << false;
        QTest::newRow("cut 3") << QByteArray("\xE2\x82") << false;
        QTest::newRow("cut 4") << QByteArray("\xF0\x9F\x98") << false;
        QTest::newRow("no continuation") << QByteArray("\xC3(") << false;
    }

    void recognisesUtf8() {
        QFETCH(QByteArray, text);
        QFETCH(bool, valid);
        QCOMPARE(isValidUtf8(text.toStdString()), valid);
    }

    void quotesNamesSafely_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("shown");
        QTest::newRow("plain") << QByteArray("a b") << QByteArray("\"a b\"");
        QTest::newRow("empty") << QByteArray("") << QByteArray("\"\"");
        QTest::newRow("just fits") << QByteArray("12345678") << QByteArray("\"12345678\"");
        QTest::newRow("long") << QByteArray("123456789") << QByteArray("\"12345678...\"");
        QTest::newRow("not cut inside a character")
            << QByteArray("1234567\xE2\x82\xAC!") << QByteArray("\"1234567\xE2\x82\xAC...\"");
        QTest::newRow("control") << QByteArray("a\n\x1B\x7F") << QByteArray("\"a???\"");
        QTest::newRow("not UTF-8") << QByteArray("a\xFF\xC3") << QByteArray("\"a??\"");
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
