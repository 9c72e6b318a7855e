#include "plugin/base/text.hpp"
#include "plugin/image/exif.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace latin1_test {

using namespace lowtide;
using namespace lowtide::image;

class Latin1Test : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void everyByteBecomesItsCharacter() {
        for (int code = 0; code < 256; ++code) {
            const std::string byte(1, static_cast<char>(code));
            const std::string text = utf8FromLatin1(byte);
            QCOMPARE(text, QString(QChar(code)).toStdString());
            QVERIFY(isValidUtf8(text));
            QCOMPARE(latin1FromUtf8(text), std::optional(byte));
        }
    }

    void otherCharactersHaveNoByte() {
        QCOMPARE(latin1FromUtf8("a\xC4\x80"), std::nullopt);         // U+0100
        QCOMPARE(latin1FromUtf8("\xE2\x82\xAC"), std::nullopt);      // U+20AC
        QCOMPARE(latin1FromUtf8("\xF0\x9F\x98\x80"), std::nullopt);  // U+1F600
    }

    void emptyRemainsEmpty() {
        QCOMPARE(utf8FromLatin1(""), std::string());
        QCOMPARE(latin1FromUtf8(""), std::optional<std::string>(""));
    }
};

LOWTIDE_TEST(Latin1Test)

}  // namespace latin1_test

#include "latin1_test.moc"
