#include "plugin/base/json.hpp"
#include "plugin/image/image_difference.hpp"
#include "plugin/image/image_file.hpp"
#include "plugin/image/image_header.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/image/png_bytes.hpp"

#include <QCryptographicHash>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <functional>

namespace image_encode_test {

using namespace lowtide;
using namespace lowtide::image;
using namespace lowtide::testing;

namespace {

/// Of quality 90 on slopes; both libraries reach about 40.
constexpr double kLeastPsnr = 33;

const std::vector<ImageText> kTexts = {{"lowtide_graph", "{\"prompt\": \"a cat, \xE7\x8C\xAB\"}"},
                                       {"lowtide_precision", "{}"},
                                       {"parameters", "a cat \xF0\x9F\x90\x88\nSteps: 20"}};

Image8 slopes(int width, int height, int channels) {
    QByteArray pixels;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const std::array<int, 4> levels = {
                x * 255 / width, y * 255 / height, (x + y) % 256, 255 - x};
            for (int channel = 0; channel < channels; ++channel) {
                pixels += static_cast<char>(levels[static_cast<size_t>(channel)]);
            }
        }
    }
    return imageOf(width, height, channels, pixels);
}

struct Kind {
    const char* name;
    ImageEncoding encoding;
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all = {
        {"PNG", {.format = ImageFormat::Png}},
        {"JPEG", {.format = ImageFormat::Jpeg}},
        {"JPEG 50", {.format = ImageFormat::Jpeg, .quality = 50}},
        {"WebP", {.format = ImageFormat::WebP}},
        {"WebP lossless", {.format = ImageFormat::WebP, .isLossless = true}}};
    return all;
}

bool isExact(const ImageEncoding& encoding) {
    return encoding.format == ImageFormat::Png || encoding.isLossless;
}

QByteArray encoded(const Image8& image,
                   const std::vector<ImageText>& texts,
                   const ImageEncoding& encoding) {
    return QByteArray::fromStdString(encodeImage(image, texts, encoding));
}

std::map<std::string, std::string> asMap(const std::vector<ImageText>& texts) {
    std::map<std::string, std::string> map;
    for (const ImageText& text : texts) {
        map[text.key] = text.text;
    }
    return map;
}

}  // namespace

class ImageEncodeTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    static void addKinds() {
        QTest::addColumn<int>("kind");
        for (size_t i = 0; i < kinds().size(); ++i) {
            QTest::newRow(kinds()[i].name) << static_cast<int>(i);
        }
    }

    Json seenByPillow(const QByteArray& bytes) const {
        QFile file(folder_.filePath("picture"));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
            throw std::runtime_error("the image cannot be written");
        }
        file.close();
        return Json::parse(
            runReference({sourcePath("tests/unit/image/read_with_pillow.py"), file.fileName()})
                .toStdString());
    }

private Q_SLOTS:

    void imagesComeBack_data() { addKinds(); }

    void imagesComeBack() {
        QFETCH(int, kind);
        const ImageEncoding& encoding = kinds()[static_cast<size_t>(kind)].encoding;
        for (const int channels : {1, 3, 4}) {
            if (channels == 4 && encoding.format == ImageFormat::Jpeg) {
                continue;
            }
            const Image8 image = slopes(61, 37, channels);
            const QByteArray bytes = encoded(image, kTexts, encoding);
            const DecodedImage back = decodeImage(bytesOf(bytes), "back");
            QCOMPARE(asMap(back.texts), asMap(kTexts));
            QCOMPARE(back.image.widthPixels, 61);
            QCOMPARE(back.image.heightPixels, 37);
            if (isExact(encoding) && back.image.channels == channels) {
                QVERIFY(pixelsOf(back.image) == pixelsOf(image));
            } else if (channels == 3 && encoding.quality == 90) {
                QVERIFY(difference(image, back.image).psnr > kLeastPsnr);
            }
        }
    }

    void theSameImageGivesTheSameBytes_data() { addKinds(); }

    void theSameImageGivesTheSameBytes() {
        QFETCH(int, kind);
        const ImageEncoding& encoding = kinds()[static_cast<size_t>(kind)].encoding;
        QVERIFY(encoded(slopes(40, 30, 3), kTexts, encoding) ==
                encoded(slopes(40, 30, 3), kTexts, encoding));
        QVERIFY(encoded(slopes(40, 30, 3), {}, encoding).size() <
                encoded(slopes(40, 30, 3), kTexts, encoding).size());
    }

    void otherProgramsSeeTheImageAndItsTexts_data() { addKinds(); }

    void otherProgramsSeeTheImageAndItsTexts() {
        QFETCH(int, kind);
        const ImageEncoding& encoding = kinds()[static_cast<size_t>(kind)].encoding;
        const QByteArray bytes = encoded(slopes(61, 37, 3), kTexts, encoding);
        const Json seen = seenByPillow(bytes);
        QCOMPARE(seen.at("size"), Json({61, 37}));
        QCOMPARE(seen.at("mode"), Json("RGB"));
        const QByteArray ours = pixelsOf(decodeImage(bytesOf(bytes), "x").image);
        QCOMPARE(QByteArray::fromStdString(seen.at("pixels").get<std::string>()),
                 QCryptographicHash::hash(ours, QCryptographicHash::Sha256).toHex());
        if (encoding.format != ImageFormat::Png) {
            QCOMPARE(seen.at("parameters").get<std::string>(), kTexts[2].text);
            QCOMPARE(seen.at("texts").at("lowtide_graph").get<std::string>(), kTexts[0].text);
        }
    }

    /// A JPEG segment ends at 64 KiB: what is longer goes on in the next ones.
    void longTextsComeBack_data() { addKinds(); }

    void longTextsComeBack() {
        QFETCH(int, kind);
        const ImageEncoding& encoding = kinds()[static_cast<size_t>(kind)].encoding;
        for (const size_t size : {size_t{65400}, size_t{65530}, size_t{131000}, size_t{1} << 20}) {
            const std::vector<ImageText> texts = {{"lowtide_graph", std::string(size, 'g')},
                                                  {"parameters", std::string(size / 3, 'p')}};
            const QByteArray bytes = encoded(slopes(8, 8, 3), texts, encoding);
            QCOMPARE(asMap(readImageTexts(sourceOf(bytesOf(bytes)), "x")), asMap(texts));
        }
    }

    void pillowReadsEXIFOfSeveralSegments() {
        const std::string graph(200000, 'g');
        const Json seen = seenByPillow(encoded(slopes(8, 8, 3),
                                               {{"lowtide_graph", graph}, {"parameters", "p"}},
                                               {.format = ImageFormat::Jpeg}));
        QCOMPARE(seen.at("texts").at("lowtide_graph").get<std::string>(), graph);
        QCOMPARE(seen.at("parameters").get<std::string>(), std::string("p"));
    }

    void coloursKeepTheirResolutionFromQuality90On() {
        const auto sampling = [&](int quality) {
            return seenByPillow(encoded(slopes(32, 32, 3),
                                        {},
                                        {.format = ImageFormat::Jpeg, .quality = quality}))
                .at("layers")
                .at(0)
                .at(1)
                .get<int>();
        };
        QCOMPARE(sampling(90), 1);
        QCOMPARE(sampling(89), 2);
    }

    void refuses_data() {
        QTest::addColumn<QString>("what");
        for (const char* what : {"no pixels",
                                 "channels",
                                 "wide JPEG",
                                 "wide WebP",
                                 "quality 0",
                                 "quality 101",
                                 "key",
                                 "text",
                                 "empty text",
                                 "NUL",
                                 "five texts"}) {
            QTest::newRow(what) << QString(what);
        }
    }

    void refuses() {
        QFETCH(QString, what);
        Image8 image = slopes(8, 8, 3);
        ImageEncoding encoding{.format = ImageFormat::Jpeg};
        std::vector<ImageText> texts;
        const std::map<QString, std::function<void()>> changes = {
            {"no pixels", [&] { image.pixels = nullptr; }},
            {"channels", [&] { image = slopes(8, 8, 4); }},
            {"wide JPEG", [&] { image = slopes(65501, 1, 1); }},
            {"wide WebP",
             [&] { image = slopes(16384, 1, 3), encoding.format = ImageFormat::WebP; }},
            {"quality 0", [&] { encoding.quality = 0; }},
            {"quality 101", [&] { encoding.quality = 101; }},
            {"key",
             [&] {
                 texts = {{"a key", "x"}};
             }},
            {"text",
             [&] {
                 texts = {{"key", "\xFF"}};
             }},
            {"empty text",
             [&] {
                 texts = {{"key", " "}};
             }},
            {"NUL",
             [&] {
                 texts = {{"key", std::string("a\0b", 3)}};
             }},
            {"five texts", [&] {
                 texts = {{"a", "x"}, {"b", "x"}, {"c", "x"}, {"d", "x"}, {"e", "x"}};
             }}};
        changes.at(what)();
        const auto error = errorOf([&] { (void)encodeImage(image, texts, encoding); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::InvalidInput);
        QVERIFY(!error->message().empty());
    }

    void stopsWhereItIsCancelled_data() { addKinds(); }

    void stopsWhereItIsCancelled() {
        QFETCH(int, kind);
        StopSource source;
        source.cancel(CancelMode::Now);
        const ImageEncoding& encoding = kinds()[static_cast<size_t>(kind)].encoding;
        const auto error = errorOf(
            [&] { (void)encodeImage(slopes(64, 64, 3), kTexts, encoding, source.token()); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Cancelled);
    }

    void theLargestSidesAreWritten() {
        for (const ImageFormat format : {ImageFormat::Jpeg, ImageFormat::WebP}) {
            const auto width = static_cast<int>(largestSide(format));
            const QByteArray bytes = encoded(slopes(width, 1, 3), {}, {.format = format});
            QCOMPARE(decodeImage(bytesOf(bytes), "x").image.widthPixels, width);
        }
    }
};

LOWTIDE_TEST(ImageEncodeTest)

}  // namespace image_encode_test

#include "image_encode_test.moc"
