#include "plugin/image/png.hpp"
#include "plugin/image/png_header.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/image/png_bytes.hpp"

#include <QtTest/QtTest>

namespace png_header_test {

using namespace lowtide;
using namespace lowtide::image;
using namespace lowtide::testing;

/// The size of an image from the start of its file.
class PngHeaderTest : public QObject {
    Q_OBJECT

    static std::optional<Error> errorFor(const QByteArray& begin) {
        return errorOf([&] { (void)pngSize(bytesOf(begin), "x.png"); });
    }

private Q_SLOTS:

    void reportsTheSizeThatTheReaderReports() {
        const Image8 image = imageOf(7, 3, 3, QByteArray(63, 'a'));
        const QByteArray file = QByteArray::fromStdString(encodePng(image, {}));

        const ImageSize size = pngSize(bytesOf(file.first(kPngHeaderBytes)), "x.png");

        QCOMPARE(size.widthPixels, 7);
        QCOMPARE(size.heightPixels, 3);
    }

    void readsEveryByteOfASide() {
        const QByteArray file = kPngSignature + headerChunk({.width = 0x00012304, .height = 0x105});

        const ImageSize size = pngSize(bytesOf(file), "x.png");

        QCOMPARE(size.widthPixels, 0x00012304);
        QCOMPARE(size.heightPixels, 0x105);
    }

    void everyCutIsRefused() {
        const QByteArray file = kPngSignature + headerChunk({.width = 2, .height = 2});
        for (qsizetype size = 0; size < qsizetype{kPngHeaderBytes}; ++size) {
            const auto error = errorFor(file.first(size));
            QVERIFY2(error && error->kind() == ErrorKind::Corrupt,
                     qPrintable(QString::number(size)));
        }
    }

    void sizesBeyondTheLimitsAreRefused_data() {
        const testing::Rows<uint, uint> row("width", "height");
        row("no width", 0u, 5u);
        row("no height", 5u, 0u);
        row("a long side", (1u << 20) + 1, 1u);
        row("many pixels", (1u << 14) + 1, (1u << 14));
        row("negative", 0xFFFFFFFFu, 1u);
    }

    void sizesBeyondTheLimitsAreRefused() {
        QFETCH(uint, width);
        QFETCH(uint, height);
        const auto error =
            errorFor(kPngSignature + headerChunk({.width = width, .height = height}));
        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
        QVERIFY(error->message().str().find(std::to_string(width)) != std::string::npos);
    }
};

LOWTIDE_TEST(PngHeaderTest)

}  // namespace png_header_test

#include "png_header_test.moc"
