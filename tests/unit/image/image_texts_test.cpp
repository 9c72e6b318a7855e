#include "plugin/image/image_file.hpp"
#include "plugin/image/image_header.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/image/png_bytes.hpp"

#include <QtTest/QtTest>

namespace image_texts_test {

using namespace lowtide;
using namespace lowtide::image;
using namespace lowtide::testing;

namespace {

const std::vector<ImageText> kTexts = {{"lowtide_graph", "{\"nodes\": \"\xE7\x8C\xAB\"}"},
                                       {"parameters", "a cat\nSteps: 20"}};

struct Kind {
    const char* name;
    ImageEncoding encoding;
};

const std::array<Kind, 4> kKinds = {
    {{"PNG", {.format = ImageFormat::Png}},
     {"JPEG", {.format = ImageFormat::Jpeg}},
     {"WebP", {.format = ImageFormat::WebP}},
     {"WebP, lossless", {.format = ImageFormat::WebP, .isLossless = true}}}};

Image8 noise(int side) {
    QByteArray pixels(3 * side * side, '\0');
    uint32_t state = 1;
    for (char& byte : pixels) {
        state = state * 1664525 + 1013904223;
        byte = static_cast<char>(state >> 24);
    }
    return imageOf(side, side, 3, pixels);
}

QStringList shown(const std::vector<ImageText>& texts) {
    QStringList lines;
    for (const ImageText& each : texts) {
        lines << QString::fromStdString(each.key + "=" + each.text);
    }
    lines.sort();
    return lines;
}

}  // namespace

class ImageTextsTest : public QObject {
    Q_OBJECT

    static void addKinds() {
        QTest::addColumn<int>("kind");
        for (size_t i = 0; i < kKinds.size(); ++i) {
            QTest::newRow(kKinds[i].name) << static_cast<int>(i);
        }
    }

    static QByteArray encoded(int kind, int side) {
        return QByteArray::fromStdString(
            encodeImage(noise(side), kTexts, kKinds[static_cast<size_t>(kind)].encoding));
    }

private Q_SLOTS:

    void findsWhatDecodingFinds_data() { addKinds(); }

    void findsWhatDecodingFinds() {
        QFETCH(int, kind);
        const QByteArray file = encoded(kind, 20);
        const QStringList found = shown(readImageTexts(sourceOf(bytesOf(file)), "x"));
        QCOMPARE(found, shown(kTexts));
        QCOMPARE(found, shown(decodeImage(bytesOf(file), "x").texts));
    }

    void readsNoPixels_data() { addKinds(); }

    void readsNoPixels() {
        QFETCH(int, kind);
        const QByteArray file = encoded(kind, 1000);
        QVERIFY2(file.size() > 800 << 10, qPrintable(QString::number(file.size())));
        uint64_t read = 0;
        const ByteSource memory = sourceOf(bytesOf(file));
        const ByteSource counted{.size = memory.size, .read = [&](auto target, uint64_t at) {
                                     read += target.size();
                                     memory.read(target, at);
                                 }};
        QCOMPARE(shown(readImageTexts(counted, "x")), shown(kTexts));
        QVERIFY2(read < 64 << 10, qPrintable(QString::number(read)));
    }

    void refusesWhatIsNoImage() {
        for (const QByteArray& file : {QByteArray(), QByteArray("{}"), QByteArray(50, 'x')}) {
            const auto error = errorOf([&] { (void)readImageTexts(sourceOf(bytesOf(file)), "x"); });
            QVERIFY(error && error->kind() == ErrorKind::Corrupt);
        }
    }
};

LOWTIDE_TEST(ImageTextsTest)

}  // namespace image_texts_test

#include "image_texts_test.moc"
