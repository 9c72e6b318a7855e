#include "plugin/image/png.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/image/png_bytes.hpp"

#include <QtTest/QtTest>

#include <random>

namespace png_encode_test {

using namespace lowtide;
using namespace lowtide::image;
using namespace lowtide::testing;

namespace {

QByteArray encoded(const Image8& image, const std::vector<ImageText>& texts = {}) {
    return QByteArray::fromStdString(encodePng(image, texts));
}

const Image8 kDot = imageOf(1, 1, 1, "\x7F");

}  // namespace

class PngEncodeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void chunksStandInOrder() {
        const QByteArray file =
            encoded(kDot, {{"parameters", "a cat"}, {"title", "\xE2\x82\xAC"}, {"empty", ""}});
        QVERIFY(file.startsWith(kPngSignature));
        const std::vector<RawChunk> chunks = chunksOf(file);
        QCOMPARE(chunks.size(), size_t{6});
        QCOMPARE(kPngSignature + chunk("IHDR", chunks[0].data), file.first(33));
        QCOMPARE(chunks[0].data, bigEndian(1) + bigEndian(1) + QByteArray("\x08\0\0\0\0", 5));
        QCOMPARE(chunks[1].type + chunks[1].data, QByteArray("tEXtparameters\0a cat", 20));
        QCOMPARE(chunks[2].type + chunks[2].data,
                 QByteArray("iTXttitle\0\0\0\0\0\xE2\x82\xAC", 17));
        QCOMPARE(chunks[3].type + chunks[3].data, QByteArray("tEXtempty\0", 10));
        QCOMPARE(chunks[4].type, QByteArray("IDAT"));
        QCOMPARE(chunks[5].type, QByteArray("IEND"));
    }

    void pixelsAreWrittenWithTheFixedFilter() {
        const QByteArray pixels = QByteArray::fromHex("0a141e28323c");
        const std::vector<RawChunk> chunks = chunksOf(encoded(imageOf(3, 2, 1, pixels)));
        const QByteArray data = chunks.at(1).data;
        const QByteArray rows = qUncompress(bigEndian(8) + data);
        // Paeth (4): in the first row the difference to the left; 40 - 10, then 50 - 40 and 60
        // - 50.
        QCOMPARE(rows.toHex(), QByteArray("040a0a0a041e0a0a"));
    }

    void theSameImageGivesTheSameBytes() {
        const Image8 image = imageOf(50, 40, 3, QByteArray(6000, 'x'));
        QCOMPARE(encoded(image, {{"k", "v"}}), encoded(image, {{"k", "v"}}));
    }

    void imagesComeBack_data() {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("channels");
        for (const int channels : {1, 3, 4}) {
            for (const auto& [width, height] :
                 {std::pair(1, 1), {7, 5}, {300, 1}, {1, 300}, {64, 64}}) {
                QTest::addRow("%d x %d x %d", width, height, channels)
                    << width << height << channels;
            }
        }
    }

    void imagesComeBack() {
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(int, channels);
        std::mt19937 random(42);
        QByteArray pixels(width * height * channels, '\0');
        std::generate(pixels.begin(), pixels.end(), [&] { return static_cast<char>(random()); });
        const DecodedImage back =
            decodePng(bytesOf(encoded(imageOf(width, height, channels, pixels))), "back");
        QCOMPARE(back.image.widthPixels, width);
        QCOMPARE(back.image.heightPixels, height);
        QCOMPARE(back.image.channels, channels);
        QCOMPARE(pixelsOf(back.image), pixels);
    }

    void textsComeBack_data() {
        const testing::Rows<QByteArray, QByteArray> row("key", "text");
        row("plain", "parameters", "a cat");
        row("lines and spaces", "parameters", " a\n\n  b\t\r\nc \n");
        row("empty", "a", "");
        row("Latin-1 letters", "a", "\xC3\xA9");
        row("emoji", "a", "\xF0\x9F\x98\x80 yes");
        row("JSON", "lowtide", QByteArray(R"({"a": "\u00e9", "b": [1, 2]})"));
        row("a mebibyte", "a", QByteArray(1 << 20, 'x'));
        row("nine mebibytes, not ASCII", "a", QByteArray("\xC3\xA9") + QByteArray(9 << 20, 'x'));
        row("longest key", QByteArray(79, 'k'), "v");
        row("key of Latin-1",
            QByteArray("Gr\xC3\xB6\xC3\x9F"
                       "e in px"),
            "v");
    }

    void textsComeBack() {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, text);
        const DecodedImage back = decodePng(
            bytesOf(encoded(
                kDot, {{"first", "1"}, {key.toStdString(), text.toStdString()}, {"first", "2"}})),
            "back");
        QCOMPARE(back.texts.size(), size_t{3});
        QCOMPARE(back.texts[0].text, std::string("1"));
        QCOMPARE(back.texts[1].key, key.toStdString());
        QVERIFY(back.texts[1].text == text.toStdString());
        QCOMPARE(back.texts[2].text, std::string("2"));
    }

    void whatIsWrittenAtTheLimitsCanBeRead() {
        const std::vector<ImageText> texts(1000, {.key = "key", .text = std::string(30000, 'x')});
        QCOMPARE(decodePng(bytesOf(encoded(kDot, texts)), "back").texts.size(), size_t{1000});
    }

    void refusesTexts_data() {
        const testing::Rows<QByteArray, QByteArray> row("key", "text");
        row("no key", "", "v");
        row("key too long", QByteArray(80, 'k'), "v");
        row("key not in Latin-1", "\xE2\x82\xAC", "v");
        row("key not UTF-8", "\xE9", "v");
        row("key with NUL", QByteArray("a\0b", 3), "v");
        row("key with a line break", "a\nb", "v");
        row("key with a hard space",
            QByteArray("a\xC2\xA0"
                       "b"),
            "v");
        row("key begins with a space", " a", "v");
        row("key ends with a space", "a ", "v");
        row("two spaces in a key", "a  b", "v");
        row("text not UTF-8", "a", "\xE9");
        row("text with NUL", "a", QByteArray("x\0y", 3));
        row("text too long", "a", QByteArray(32 << 20, 'x'));
    }

    void refusesTexts() {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, text);
        const auto error = errorOf([&] {
            (void)encoded(kDot, {{key.toStdString(), text.toStdString()}});
        });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::InvalidInput);
    }

    void refusesTooManyTexts() {
        QVERIFY(errorOf(
            [] { (void)encoded(kDot, std::vector<ImageText>(1001, {.key = "k", .text = "v"})); }));
    }

    void refusesImages_data() {
        const testing::Rows<int, int, int> row("width", "height", "channels");
        row("no width", 0, 1, 3);
        row("no height", 1, 0, 3);
        row("negative", -1, 1, 3);
        row("two channels", 1, 1, 2);
        row("too wide", (1 << 20) + 1, 1, 1);
        row("too many pixels", (1 << 14), (1 << 14) + 1, 1);
    }

    void refusesImages() {
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(int, channels);
        Image8 image = kDot;
        image.widthPixels = width;
        image.heightPixels = height;
        image.channels = channels;
        const auto error = errorOf([&] { (void)encodePng(image, {}); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::InvalidInput);
    }

    void aCancelledOneIsNotWritten() {
        StopSource source;
        source.cancel(CancelMode::AfterThisImage);
        QVERIFY(!encodePng(kDot, {}, source.token()).empty());
        source.cancel(CancelMode::Now);
        const auto error = errorOf([&] { (void)encodePng(kDot, {}, source.token()); });
        QVERIFY(error && error->kind() == ErrorKind::Cancelled);
    }

    void refusesAnImageWithoutPixels() {
        Image8 image = kDot;
        image.pixels = nullptr;
        QVERIFY(errorOf([&] { (void)encodePng(image, {}); }));
    }
};

LOWTIDE_TEST(PngEncodeTest)

}  // namespace png_encode_test

#include "png_encode_test.moc"
