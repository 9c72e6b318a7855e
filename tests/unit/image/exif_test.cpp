#include "plugin/base/text.hpp"
#include "plugin/image/exif.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace exif_test {

using namespace lowtide;
using namespace lowtide::image;
using namespace std::literals;

namespace {

/// A TIFF file with one directory at 8, made by hand.
std::string tiff(bool isBigEndian, const std::string& entries, const std::string& values = {}) {
    const auto count = static_cast<char>(entries.size() / 12);
    const std::string begin =
        isBigEndian ? "MM\0*\0\0\0\x08"s + '\0' + count : "II*\0\x08\0\0\0"s + count + '\0';
    return begin + entries + "\0\0\0\0"s + values;
}

QString shown(const std::vector<ImageText>& texts) {
    QStringList lines;
    for (const ImageText& text : texts) {
        lines << QString::fromStdString(text.key + "=" + text.text);
    }
    return lines.join("|");
}

/// UserComment in a directory of its own at 26, behind one entry.
std::string withComment(bool isBigEndian, const std::string& comment) {
    const auto size = static_cast<char>(comment.size());
    return isBigEndian
               ? tiff(true,
                      "\x87\x69\0\x04\0\0\0\x01\0\0\0\x1a"s,
                      "\0\x01\x92\x86\0\x07\0\0\0"s + size + "\0\0\0\x2c\0\0\0\0"s + comment)
               : tiff(false,
                      "\x69\x87\x04\0\x01\0\0\0\x1a\0\0\0"s,
                      "\x01\0\x86\x92\x07\0"s + size + "\0\0\0\x2c\0\0\0\0\0\0\0"s + comment);
}

}  // namespace

/// Orientation and texts of EXIF that is put together by hand.
class ExifTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void readsTheOrientation_data() {
        const testing::Rows<QByteArray, int> add("bytes", "orientation");
        const auto row = [&](const char* name, const std::string& bytes, int orientation) {
            add(name, QByteArray::fromStdString(bytes), orientation);
        };
        row("big end first", tiff(true, "\x01\x12\0\x03\0\0\0\x01\0\x06\0\0"s), 6);
        row("little end first", tiff(false, "\x12\x01\x03\0\x01\0\0\0\x08\0\0\0"s), 8);
        row("as LONG", tiff(false, "\x12\x01\x04\0\x01\0\0\0\x03\0\0\0"s), 3);
        row("0", tiff(true, "\x01\x12\0\x03\0\0\0\x01\0\0\0\0"s), 1);
        row("9", tiff(true, "\x01\x12\0\x03\0\0\0\x01\0\x09\0\0"s), 1);
        row("as text", tiff(true, "\x01\x12\0\x02\0\0\0\x01\x06\0\0\0"s), 1);
        row("two values", tiff(true, "\x01\x12\0\x03\0\0\0\x02\0\x06\0\x06"s), 1);
        row("cut entry", tiff(true, "\x01\x12\0\x03\0\0\0\x01\0\x06\0\0"s).substr(0, 18), 1);
        row("nothing", "", 1);
        row("no TIFF", "hello, this is no EXIF", 1);
        row("directory behind the end", "MM\0*\xff\xff\xff\xff"s, 1);
    }

    void readsTheOrientation() {
        QFETCH(QByteArray, bytes);
        QFETCH(int, orientation);
        QCOMPARE(readExif(bytes.toStdString()).orientation, orientation);
    }

    void readsTexts_data() {
        const testing::Rows<QByteArray, QString> add("bytes", "texts");
        const auto row = [&](const char* name, const std::string& bytes, const char* texts) {
            add(name, QByteArray::fromStdString(bytes), QString::fromUtf8(texts));
        };
        row("A1111", withComment(true, "UNICODE\0\0h\0i\x20\xac"s), "parameters=hi\u20ac");
        row("low bytes first",
            withComment(false, "UNICODE\0h\0i\0\xac\x20"s),
            "parameters=hi\u20ac");
        row("high bytes first in a file that has them last",
            withComment(false, "UNICODE\0\0h\0i\0!"s),
            "parameters=hi!");
        row("beyond 16 bits",
            withComment(true, "UNICODE\0\xd8\x3d\xde\x00"s),
            "parameters=\U0001F600");
        row("half a pair", withComment(true, "UNICODE\0\xd8\x3d\0x"s), "parameters=\uFFFDx");
        row("ASCII", withComment(true, "ASCII\0\0\0plain"s), "parameters=plain");
        row("no code", withComment(true, "\0\0\0\0\0\0\0\0plain"s), "parameters=plain");
        row("blank", withComment(true, "ASCII\0\0\0   "s), "");
        row("JIS", withComment(true, "JIS\0\0\0\0\0xx"s), "");
        row("ComfyUI",
            tiff(true, "\x01\x10\0\x02\0\0\0\x0a\0\0\0\x1a"s, "prompt:{}\0"s),
            "prompt={}");
        row("a camera", tiff(true, "\x01\x0f\0\x02\0\0\0\x04"s + "Ace\0"s), "");
        row("value behind the end",
            tiff(true, "\x01\x10\0\x02\0\0\0\x0a\0\0\xff\x1a"s, "prompt:{}\0"s),
            "");
    }

    void readsTexts() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, texts);
        QCOMPARE(shown(readExif(bytes.toStdString()).texts), texts);
    }

    void aDirectoryThatNamesItselfEnds() {
        const std::string bytes = tiff(true, "\x87\x69\0\x04\0\0\0\x01\0\0\0\x08"s);
        QVERIFY(readExif(bytes).texts.empty());
    }

    // The characters of Latin-1, which other programs write.

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

    void emptyTextsRemainEmpty() {
        QCOMPARE(utf8FromLatin1(""), std::string());
        QCOMPARE(latin1FromUtf8(""), std::optional<std::string>(""));
    }
};

LOWTIDE_TEST(ExifTest)

}  // namespace exif_test

#include "exif_test.moc"
