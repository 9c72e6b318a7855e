#include "plugin/image/image_header.hpp"
#include "plugin/image/png.hpp"
#include "plugin/image/png_header.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/image/png_bytes.hpp"

#include <QtTest/QtTest>

namespace image_header_test {

using namespace lowtide;
using namespace lowtide::image;
using namespace lowtide::testing;

class ImageHeaderTest : public QObject {
    Q_OBJECT

    static std::optional<Error> errorOfPng(const QByteArray& begin) {
        return errorOf([&] { (void)pngSize(bytesOf(begin), "x.png"); });
    }

private Q_SLOTS:

    void otherFormatsAreNamed_data() {
        const testing::Rows<QByteArray, QString> row("begin", "format");
        row("GIF", "GIF89a", "GIF");
        row("BMP", QByteArray("BM\x10\0", 4), "BMP");
        row("TIFF", QByteArray("II*\0", 4), "TIFF");
        row("AVIF",
            QByteArray("\0\0\0\x20"
                       "ftypavif",
                       12),
            "AVIF");
        row("HEIC",
            QByteArray("\0\0\0\x18"
                       "ftypheic",
                       12),
            "HEIC");
        row("JPEG XL", QByteArray("\0\0\0\x0cJXL \r\n\x87\n", 12), "JPEG XL");
    }

    void otherFormatsAreNamed() {
        QFETCH(QByteArray, begin);
        QFETCH(QString, format);
        const QByteArray file = begin + QByteArray(40, 'x');
        const auto error = errorOf([&] { (void)decodeImage(bytesOf(file), "x.png"); });
        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
        QVERIFY(QString::fromStdString(error->message().str()).contains(format));
        QVERIFY(error->hint().str().find("save it as one of these") != std::string::npos);
        QVERIFY(beginsAsImage(bytesOf(file.first(qsizetype{kImageBeginBytes}))));
    }

    void otherFilesAreNoImages() {
        for (const QByteArray& file : {QByteArray(),
                                       QByteArray("{\"nodes\": {}}"),
                                       QByteArray("RIFF\x10\0\0\0WAVEfmt ", 16)}) {
            QVERIFY(!beginsAsImage(bytesOf(file)));
        }
    }

    /// A container of sound begins as WebP does.
    void soundIsNoImage() {
        const QByteArray file("RIFF\x10\0\0\0WAVEfmt ", 16);
        const auto error = errorOf([&] { (void)decodeImage(bytesOf(file), "x.webp"); });
        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
    }

    void knowsTheNamesOfImages() {
        for (const char* name : {"a.png", "a.JPG", "b/c.jpeg", "d.WebP"}) {
            QVERIFY2(hasImageName(name), name);
        }
        for (const char* name : {"a.json", "png", "a.png.json", ""}) {
            QVERIFY2(!hasImageName(name), name);
        }
    }

    /// What is looked at before a run is little, however large the file is.
    void readsLittleOfALargeFile() {
        QByteArray file = pngOf({.width = 600, .height = 500}, QByteArray(500 * 601, '\0'));
        file.insert(33, chunk("IDAT", QByteArray(8 << 20, 'x')));
        uint64_t read = 0;
        const ByteSource memory = sourceOf(bytesOf(file));
        const ByteSource counted{.size = memory.size, .read = [&](auto target, uint64_t at) {
                                     read += target.size();
                                     memory.read(target, at);
                                 }};
        QCOMPARE(readImageHeader(counted, "x").size.widthPixels, 600);
        QVERIFY2(read < 64 << 10, qPrintable(QString::number(read)));
    }

    void reportsTheSizeOfAPngThatTheReaderReports() {
        const Image8 image = imageOf(7, 3, 3, QByteArray(63, 'a'));
        const QByteArray file = QByteArray::fromStdString(encodePng(image, {}));

        const ImageSize size = pngSize(bytesOf(file.first(kPngHeaderBytes)), "x.png");

        QCOMPARE(size.widthPixels, 7);
        QCOMPARE(size.heightPixels, 3);
    }

    void readsEveryByteOfASideOfAPng() {
        const QByteArray file = kPngSignature + headerChunk({.width = 0x00012304, .height = 0x105});

        const ImageSize size = pngSize(bytesOf(file), "x.png");

        QCOMPARE(size.widthPixels, 0x00012304);
        QCOMPARE(size.heightPixels, 0x105);
    }

    void everyCutOfAPngIsRefused() {
        const QByteArray file = kPngSignature + headerChunk({.width = 2, .height = 2});
        for (qsizetype size = 0; size < qsizetype{kPngHeaderBytes}; ++size) {
            const auto error = errorOfPng(file.first(size));
            QVERIFY2(error && error->kind() == ErrorKind::Corrupt,
                     qPrintable(QString::number(size)));
        }
    }

    void sizesOfAPngBeyondTheLimitsAreRefused_data() {
        const testing::Rows<uint, uint> row("width", "height");
        row("no width", 0u, 5u);
        row("no height", 5u, 0u);
        row("a long side", (1u << 20) + 1, 1u);
        row("many pixels", (1u << 14) + 1, (1u << 14));
        row("negative", 0xFFFFFFFFu, 1u);
    }

    void sizesOfAPngBeyondTheLimitsAreRefused() {
        QFETCH(uint, width);
        QFETCH(uint, height);
        const auto error =
            errorOfPng(kPngSignature + headerChunk({.width = width, .height = height}));
        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
        QVERIFY(error->message().str().find(std::to_string(width)) != std::string::npos);
    }
};

LOWTIDE_TEST(ImageHeaderTest)

}  // namespace image_header_test

#include "image_header_test.moc"
