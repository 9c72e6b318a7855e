#include "plugin/image/png.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/image/png_bytes.hpp"

#include <QtTest/QtTest>

namespace png_decode_test {

using namespace lowtide;
using namespace lowtide::image;
using namespace lowtide::testing;

namespace {

enum Color { Grey = 0, Rgb = 2, Palette = 3, GreyAlpha = 4, Rgba = 6 };

/// Adam7 of a grey image, from the table of the PNG specification (8.2).
QByteArray interlacedRows(const QByteArray& pixels, int width, int height) {
    struct Pass {
        int x, y, stepX, stepY;
    };

    constexpr std::array<Pass, 7> kPasses = {{{0, 0, 8, 8},
                                              {4, 0, 8, 8},
                                              {0, 4, 4, 8},
                                              {2, 0, 4, 4},
                                              {0, 2, 2, 4},
                                              {1, 0, 2, 2},
                                              {0, 1, 1, 2}}};
    QByteArray rows;
    for (const Pass& pass : kPasses) {
        for (int y = pass.y; y < height; y += pass.stepY) {
            QByteArray row;
            for (int x = pass.x; x < width; x += pass.stepX) {
                row += pixels[y * width + x];
            }
            if (!row.isEmpty()) {
                rows += '\0' + row;
            }
        }
    }
    return rows;
}

}  // namespace

class PngDecodeTest : public QObject {
    Q_OBJECT

    static void row(const char* name,
                    PngHeader header,
                    const char* rows,
                    int channels,
                    const char* pixels,
                    const QByteArray& before = {}) {
        QTest::newRow(name) << pngOf(header, QByteArray::fromHex(rows), before) << channels
                            << QByteArray(pixels);
    }

private Q_SLOTS:

    /// Rows and pixels in hexadecimal; a row begins with filter 0.
    void convertsEveryKindOfImage_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<int>("channels");
        QTest::addColumn<QByteArray>("pixels");
        const QByteArray palette = chunk("PLTE", QByteArray::fromHex("102030405060708090a0b0c0"));
        const QByteArray paletteAlpha = palette + chunk("tRNS", QByteArray::fromHex("00ff80"));
        row("grey 1", {.width = 4, .depth = 1, .color = Grey}, "00a0", 1, "ff00ff00");
        row("grey 2", {.width = 4, .depth = 2, .color = Grey}, "001b", 1, "0055aaff");
        row("grey 4", {.width = 2, .depth = 4, .color = Grey}, "000f", 1, "00ff");
        row("grey 8", {.width = 2, .height = 2, .color = Grey}, "000102000304", 1, "01020304");
        // 16 bits are rounded: v * 255 / 65535. 0x80ff is 128.5 + 0.0x: 128.996 -> 129; 0x807f ->
        // 128.
        row("grey 16",
            {.width = 4, .depth = 16, .color = Grey},
            "000000ffff00ffff00",
            1,
            "00ff01fe");
        row("RGB 8", {.width = 2, .color = Rgb}, "00010203040506", 3, "010203040506");
        row("RGB 16", {.depth = 16, .color = Rgb}, "00010100ffff00", 3, "0101fe");
        row("grey-alpha 8", {.width = 2, .color = GreyAlpha}, "0011224455", 4, "1111112244444455");
        row("grey-alpha 16", {.depth = 16, .color = GreyAlpha}, "0000ffff00", 4, "010101fe");
        row("RGBA 8", {.color = Rgba}, "0001020304", 4, "01020304");
        row("RGBA 16", {.depth = 16, .color = Rgba}, "0000000101ffff8080", 4, "0001ff80");
        row("palette 1",
            {.width = 2, .depth = 1, .color = Palette},
            "0040",
            3,
            "102030405060",
            palette);
        row("palette 2",
            {.width = 2, .depth = 2, .color = Palette},
            "00e0",
            3,
            "a0b0c0708090",
            palette);
        row("palette 4",
            {.width = 2, .depth = 4, .color = Palette},
            "0021",
            3,
            "708090405060",
            palette);
        row("palette 8", {.width = 2, .color = Palette}, "000300", 3, "a0b0c0102030", palette);
        row("palette with alpha",
            {.width = 4, .depth = 2, .color = Palette},
            "001b",
            4,
            "1020300040506"
            "0ff70809080a0b0c0ff",
            paletteAlpha);
        row("grey with a clear value",
            {.width = 2, .color = Grey},
            "000102",
            4,
            "0101010002020"
            "2ff",
            chunk("tRNS", QByteArray::fromHex("0001")));
        row("grey 1 with a clear value",
            {.width = 2, .depth = 1, .color = Grey},
            "0040",
            4,
            "00000000ffffffff",
            chunk("tRNS", QByteArray::fromHex("0000")));
        row("RGB with a clear colour",
            {.width = 2, .color = Rgb},
            "00010203040506",
            4,
            "01020300040506ff",
            chunk("tRNS", QByteArray::fromHex("000100020003")));
        row("filters sub, up, average, Paeth",
            {.width = 2, .height = 4, .color = Grey},
            "010a0a"
            "020101"
            "030505"
            "040101",
            1,
            "0a140b150a140b15");
        row("colour space and other chunks",
            {.color = Grey},
            "0042",
            1,
            "42",
            chunk("gAMA", bigEndian(45455)) + chunk("sRGB", QByteArray(1, '\0')) +
                chunk("xxXx", "?"));
    }

    void convertsEveryKindOfImage() {
        QFETCH(QByteArray, file);
        QFETCH(int, channels);
        QFETCH(QByteArray, pixels);
        const DecodedImage png = decodePng(bytesOf(file), "x.png");
        QCOMPARE(png.image.channels, channels);
        QCOMPARE(pixelsOf(png.image).toHex(), pixels);
        QCOMPARE(png.texts.size(), size_t{0});
    }

    void readsInterlacedImages() {
        QByteArray pixels(11 * 9, '\0');
        std::iota(pixels.begin(), pixels.end(), '\0');
        const PngHeader header{.width = 11, .height = 9, .color = Grey, .interlace = 1};
        const DecodedImage png =
            decodePng(bytesOf(pngOf(header, interlacedRows(pixels, 11, 9))), "x.png");
        QCOMPARE(png.image.widthPixels, 11);
        QCOMPARE(png.image.heightPixels, 9);
        QCOMPARE(pixelsOf(png.image).toHex(), pixels.toHex());
    }

    void pixelsMayBeSplitOverChunks() {
        const QByteArray data = deflated(QByteArray::fromHex("000102000304"));
        const QByteArray file = kPngSignature + headerChunk({.width = 2, .height = 2}) +
                                chunk("IDAT", data.first(3)) + chunk("IDAT", {}) +
                                chunk("IDAT", data.mid(3)) + chunk("IEND", {});
        QCOMPARE(pixelsOf(decodePng(bytesOf(file), "x.png").image).toHex(), QByteArray("01020304"));
    }

    void bytesBehindTheEndAreIgnored() {
        const QByteArray file = pngOf({}, QByteArray::fromHex("0042")) + "something else";
        QCOMPARE(pixelsOf(decodePng(bytesOf(file), "x.png").image).toHex(), QByteArray("42"));
    }

    void readsEveryKindOfText_data() {
        QTest::addColumn<QByteArray>("chunks");
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("text");
        const QByteArray plain = QByteArray("\0\0\0\0\0", 5);
        const QByteArray packed = QByteArray("\0\1\0\0\0", 5);
        QTest::newRow("tEXt") << chunk("tEXt", QByteArray("Title\0a\nb", 9)) << QByteArray("Title")
                              << QByteArray("a\nb");
        QTest::newRow("tEXt, empty")
            << chunk("tEXt", QByteArray("Title\0", 6)) << QByteArray("Title") << QByteArray();
        QTest::newRow("tEXt of Latin-1") << chunk("tEXt", QByteArray("Gr\xF6\xDF\x65\0\xE9\xFF", 8))
                                         << QByteArray(
                                                "Gr\xC3\xB6\xC3\x9F"
                                                "e")
                                         << QByteArray("\xC3\xA9\xC3\xBF");
        QTest::newRow("zTXt") << chunk("zTXt", QByteArray("Title\0\0", 7) + deflated("packed \xE9"))
                              << QByteArray("Title") << QByteArray("packed \xC3\xA9");
        QTest::newRow("iTXt") << chunk("iTXt", "Title" + plain + "\xE2\x82\xAC")
                              << QByteArray("Title") << QByteArray("\xE2\x82\xAC");
        QTest::newRow("iTXt, empty")
            << chunk("iTXt", "Title" + plain) << QByteArray("Title") << QByteArray();
        QTest::newRow("iTXt, packed") << chunk("iTXt", "Title" + packed + deflated("\xE2\x82\xAC"))
                                      << QByteArray("Title") << QByteArray("\xE2\x82\xAC");
        QTest::newRow("iTXt with language")
            << chunk("iTXt", QByteArray("Title\0\0\0de\0Titel\0x", 18)) << QByteArray("Title")
            << QByteArray("x");
        QTest::newRow("zTXt of 9 MiB")
            << chunk("zTXt", QByteArray("a\0\0", 3) + deflated(QByteArray(9 << 20, 'x')))
            << QByteArray("a") << QByteArray(9 << 20, 'x');
    }

    void readsEveryKindOfText() {
        QFETCH(QByteArray, chunks);
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, text);
        const QByteArray rows = QByteArray::fromHex("0042");
        for (const QByteArray& file : {pngOf({}, rows, chunks), pngOf({}, rows, {}, chunks)}) {
            const DecodedImage png = decodePng(bytesOf(file), "x.png");
            QCOMPARE(png.texts.size(), size_t{1});
            QCOMPARE(QByteArray::fromStdString(png.texts[0].key), key);
            QVERIFY(QByteArray::fromStdString(png.texts[0].text) == text);
        }
    }

    void textsKeepTheirOrder() {
        const auto text = [](const char* value) {
            return chunk("tEXt", QByteArray("k\0", 2) + value);
        };
        const QByteArray file =
            pngOf({}, QByteArray::fromHex("0042"), text("1") + text("2"), text("3"));
        std::string seen;
        for (const ImageText& entry : decodePng(bytesOf(file), "x.png").texts) {
            seen += entry.text;
        }
        QCOMPARE(seen, std::string("123"));
    }
};

LOWTIDE_TEST(PngDecodeTest)

}  // namespace png_decode_test

#include "png_decode_test.moc"
