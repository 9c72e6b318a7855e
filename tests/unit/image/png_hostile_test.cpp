#include "plugin/image/png.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/image/png_bytes.hpp"

#include <QtTest/QtTest>

namespace png_hostile_test {

using namespace lowtide;
using namespace lowtide::image;
using namespace lowtide::testing;

/// Files that are damaged or made to do harm give Error{Corrupt}.
class PngHostileTest : public QObject {
    Q_OBJECT

    static const QByteArray& rows() {
        static const QByteArray bytes = QByteArray::fromHex("000102000304");
        return bytes;
    }

    static PngHeader small() { return {.width = 2, .height = 2}; }

    static QByteArray valid() {
        return pngOf(small(),
                     rows(),
                     chunk("tEXt", QByteArray("a\0before", 8)),
                     chunk("zTXt", QByteArray("b\0\0", 3) + deflated("behind")));
    }

    static std::optional<Error> errorFor(const QByteArray& file) {
        return errorOf([&] { (void)decodePng(bytesOf(file), "x.png"); });
    }

    static QByteArray textBomb(int mebibytes) {
        return chunk("zTXt", QByteArray("a\0\0", 3) + deflated(QByteArray(mebibytes << 20, 'x')));
    }

private Q_SLOTS:

    void theFileThatIsDamagedBelowIsFine() { QVERIFY(!errorFor(valid())); }

    void everyCutIsRefused() {
        const QByteArray file = valid();
        for (qsizetype size = 0; size < file.size(); ++size) {
            const auto error = errorFor(file.first(size));
            QVERIFY2(error && error->kind() == ErrorKind::Corrupt,
                     qPrintable(QString::number(size)));
        }
    }

    void everyFlippedBitIsRefused() {
        const QByteArray file = valid();
        for (qsizetype bit = 0; bit < 8 * file.size(); ++bit) {
            QByteArray flipped = file;
            flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
            const auto error = errorFor(flipped);
            QVERIFY2(error && error->kind() == ErrorKind::Corrupt,
                     qPrintable(QString::number(bit)));
        }
    }

    void refuses_data() {
        const testing::Rows<QByteArray, QString> row("file", "text");
        const QByteArray end = chunk("IEND", {});
        row("empty", "", "ends early");
        row("text", "hello, this is no image at all", "Not a PNG");
        row("signature only", kPngSignature, "ends early");
        row("no pixels", kPngSignature + headerChunk(small()) + end, "");
        row("no header", kPngSignature + chunk("IDAT", deflated(rows())) + end, "");
        row("two headers", pngOf(small(), rows(), headerChunk(small())), "");
        row("no palette", pngOf({.color = 3}, QByteArray::fromHex("0000")), "");
        row("too few rows", pngOf({.width = 2, .height = 3}, rows()), "");
        row("no zlib stream",
            kPngSignature + headerChunk(small()) + chunk("IDAT", "rubbish") + end,
            "");
        row("unknown filter", pngOf(small(), QByteArray::fromHex("090102000304")), "");
        row("unknown colour type", pngOf({.color = 5}, rows()), "");
        row("depth 3", pngOf({.depth = 3}, rows()), "");
        row("no width", pngOf({.width = 0}, rows()), "");
        row("width 2^31", pngOf({.width = 1u << 31}, rows()), "");
        row("width 2^31 - 1", pngOf({.width = ~0u >> 1}, rows()), "");
        row("wider than 2^20", pngOf({.width = (1u << 20) + 1}, rows()), "");
        row("more than 2^28 pixels",
            pngOf({.width = 1u << 14, .height = (1u << 14) + 1}, rows()),
            "at most 2^28");
        row("2^28 pixels in 70 bytes",
            pngOf({.width = 1u << 14, .height = 1u << 14}, rows()),
            "cannot hold");
        row("unknown critical chunk", pngOf(small(), rows(), chunk("XXXX", "?")), "");
        row("chunk of 2^31 bytes",
            kPngSignature + headerChunk(small()) + bigEndian(1u << 31) + "tEXt",
            "");
        row("chunk of 2^31 - 1 bytes",
            kPngSignature + headerChunk(small()) + bigEndian(~0u >> 1) + "tEXt",
            "");
    }

    void refuses() {
        QFETCH(QByteArray, file);
        QFETCH(QString, text);
        const auto error = errorFor(file);
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Corrupt);
        const QString message = QString::fromStdString(error->message().str());
        QVERIFY2(message.startsWith("\"x.png\" cannot be read as a PNG image: "),
                 qPrintable(message));
        QVERIFY2(!message.endsWith(": "), "the message must state what is wrong");
        QVERIFY2(message.contains(text), qPrintable(message));
    }

    void refusesTexts_data() {
        const testing::Rows<QByteArray> row("chunks");
        const QByteArray plain = QByteArray("\0\0\0\0\0", 5);
        row("zTXt with a broken stream", chunk("zTXt", QByteArray("a\0\0", 3) + "rubbish"));
        row("zTXt with a cut stream",
            chunk("zTXt", QByteArray("a\0\0", 3) + deflated("some text").chopped(6)));
        row("zTXt of an unknown method", chunk("zTXt", QByteArray("a\0\7", 3) + deflated("x")));
        row("iTXt without its fields", chunk("iTXt", QByteArray("a\0", 2)));
        row("iTXt of an unknown method",
            chunk("iTXt", QByteArray("a\0\1\7\0\0", 6) + deflated("x")));
        row("iTXt that is not UTF-8", chunk("iTXt", "a" + plain + "\xFF\xFE"));
        row("iTXt without key", chunk("iTXt", plain + "x"));
        row("zTXt of 33 MiB", textBomb(33));
        row("iTXt of 33 MiB",
            chunk("iTXt", QByteArray("a\0\1\0\0\0", 6) + deflated(QByteArray(33 << 20, 'x'))));
        row("33 times 1 MiB", textBomb(1).repeated(33));
        row("500 times 30 MiB", textBomb(30).repeated(500));
        row("1001 texts", chunk("tEXt", QByteArray("a\0b", 3)).repeated(1001));
    }

    void refusesTexts() {
        QFETCH(QByteArray, chunks);
        for (const QByteArray& file :
             {pngOf(small(), rows(), chunks), pngOf(small(), rows(), {}, chunks)}) {
            const auto error = errorFor(file);
            QVERIFY(error);
            QCOMPARE(error->kind(), ErrorKind::Corrupt);
        }
    }

    void anImageThatPacksAsWellAsCanBeIsFine() {
        constexpr int kSide = 4096;
        const QByteArray pixels = deflated(QByteArray(kSide * (kSide + 1), '\0'), 9);
        QVERIFY(kSide * kSide / pixels.size() > 1000);
        const QByteArray file = kPngSignature + headerChunk({.width = kSide, .height = kSide}) +
                                chunk("IDAT", pixels) + chunk("IEND", {});
        QVERIFY(!errorFor(file));
    }

    void aSideHasALimit() {
        const auto wide = [](uint32_t width) {
            return pngOf({.width = width}, QByteArray(static_cast<int>(width) + 1, '\0'));
        };
        QVERIFY(!errorFor(wide(1u << 20)));
        QVERIFY(errorFor(wide((1u << 20) + 1)));
    }
};

LOWTIDE_TEST(PngHostileTest)

}  // namespace png_hostile_test

#include "png_hostile_test.moc"
