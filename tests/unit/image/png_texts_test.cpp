#include "plugin/base/error.hpp"
#include "plugin/image/png.hpp"
#include "plugin/image/png_header.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/image/png_bytes.hpp"

#include <QtTest/QtTest>

namespace png_texts_test {

using namespace lowtide;
using namespace lowtide::image;
using namespace lowtide::testing;

namespace {

const QByteArray kRow = QByteArray::fromHex("0000");

QByteArray text(const char* key, const char* value) {
    return chunk("tEXt", key + QByteArray(1, '\0') + value);
}

QByteArray packed(const char* key, const QByteArray& value) {
    return chunk("zTXt", key + QByteArray(2, '\0') + deflated(value));
}

QByteArray international(const char* key, const char* value) {
    return chunk("iTXt", key + QByteArray(5, '\0') + value);
}

/// How many bytes were read, of a file that lies in memory.
struct Reader {
    QByteArray file;
    size_t bytes = 0;

    std::vector<ImageText> texts() {
        const auto read = [this](std::span<std::byte> target, uint64_t offset) {
            bytes += target.size();
            const auto size = static_cast<uint64_t>(file.size());
            QVERIFY(offset <= size && target.size() <= size - offset);
            sourceOf(bytesOf(file)).read(target, offset);
        };
        return readPngTexts({.size = static_cast<uint64_t>(file.size()), .read = read}, "p.png");
    }
};

QStringList shown(const std::vector<ImageText>& texts) {
    QStringList lines;
    for (const ImageText& each : texts) {
        lines << QString::fromStdString(each.key + "=" + each.text);
    }
    return lines;
}

}  // namespace

class PngTextsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void findsWhatDecodingFinds_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::newRow("none") << pngOf({}, kRow);
        QTest::newRow("before the pixels") << pngOf({}, kRow, text("a", "1") + text("b", "2"));
        QTest::newRow("after the pixels") << pngOf({}, kRow, {}, text("a", "1"));
        QTest::newRow("on both sides") << pngOf({}, kRow, text("a", "1"), text("a", "2"));
        QTest::newRow("packed") << pngOf({}, kRow, packed("a", QByteArray(5000, 'x')));
        QTest::newRow("UTF-8") << pngOf({}, kRow, international("a", "\xc3\xa4\xe2\x82\xac"));
        QTest::newRow("Latin-1") << pngOf({}, kRow, text("a", "\xe4"));
        QTest::newRow("next to others")
            << pngOf({}, kRow, chunk("gAMA", QByteArray::fromHex("0000b18f")) + text("a", "1"));
    }

    void findsWhatDecodingFinds() {
        QFETCH(QByteArray, file);
        Reader reader{file};
        QCOMPARE(shown(reader.texts()), shown(decodePng(bytesOf(file), "p.png").texts));
    }

    void readsNoPixels() {
        constexpr int kSide = 2000;
        QByteArray noise(3 * kSide * kSide, '\0');
        uint32_t state = 1;
        for (char& byte : noise) {
            state = state * 1664525 + 1013904223;
            byte = static_cast<char>(state >> 24);
        }
        Reader reader{QByteArray::fromStdString(
            encodePng(imageOf(kSide, kSide, 3, noise), {{"lowtide_graph", "{}"}}))};
        QVERIFY(reader.file.size() > 10 << 20);
        QCOMPARE(shown(reader.texts()), QStringList{"lowtide_graph={}"});
        QVERIFY2(reader.bytes < 64 << 10, qPrintable(QString::number(reader.bytes)));
    }

    void refusesWhatIsNoUsablePng_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<int>("kind");
        const QByteArray good = pngOf({}, kRow, text("key", "value"));
        const auto corrupt = static_cast<int>(ErrorKind::Corrupt);
        QTest::newRow("empty") << QByteArray() << corrupt;
        QTest::newRow("a few bytes") << good.left(20) << corrupt;
        QTest::newRow("its header alone") << good.left(33) << corrupt;
        QTest::newRow("cut off in a text") << good.left(40) << corrupt;
        QTest::newRow("without its end") << good.left(good.size() - 12) << corrupt;
        QTest::newRow("a damaged text") << QByteArray(good).replace("value", "vilue") << corrupt;
        QTest::newRow("a length beyond the file")
            << QByteArray(good).replace(33, 4, "\x7f\xff\xff\xff", 4) << corrupt;
        QTest::newRow("too much text")
            << pngOf({}, kRow, packed("a", QByteArray((32 << 20) + 1, 'x'))) << corrupt;
        QTest::newRow("JPEG") << QByteArray("\xff\xd8\xff\xe0JFIF and so on, and so on") << corrupt;
    }

    void refusesWhatIsNoUsablePng() {
        QFETCH(QByteArray, file);
        QFETCH(int, kind);
        Reader reader{file};
        const auto error = errorOf([&] { static_cast<void>(reader.texts()); });
        QVERIFY(error);
        QCOMPARE(static_cast<int>(error->kind()), kind);
        QVERIFY(QString::fromStdString(error->message().str()).contains("p.png"));
    }
};

LOWTIDE_TEST(PngTextsTest)

}  // namespace png_texts_test

#include "png_texts_test.moc"
