#include "plugin/image/image_header.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <cstdlib>

namespace image_variants_test {

using namespace lowtide;
using namespace lowtide::image;
using testing::FileTensor;
using testing::TensorFile;

namespace {

/// Levels between 8 bits and 16 that are rounded to them: half a level of 255.
constexpr double kRounding = 0.5;

std::span<const std::byte> bytesIn(const FileTensor& tensor) {
    return std::as_bytes(std::span(tensor.bytes));
}

template <class Image>
Shape shapeOf(const Image& image) {
    return {image.heightPixels, image.widthPixels, image.channels};
}

template <class Image>
std::string bytesOfPixels(const Image& image) {
    const auto count = static_cast<size_t>(image.widthPixels) *
                       static_cast<size_t>(image.heightPixels) *
                       static_cast<size_t>(image.channels);
    return {reinterpret_cast<const char*>(image.pixels.get()), count * sizeof image.pixels[0]};
}

}  // namespace

/// Files that Pillow wrote have the pixels that Pillow sees in them, or are refused with a
/// sentence. JPEG too: both sides are libjpeg-turbo, whose slow transform gives the same integers
/// in every version.
class ImageVariantsTest : public QObject {
    Q_OBJECT

    TensorFile files_;

    void addRows(const std::string& kind) const {
        QTest::addColumn<QString>("name");
        for (const auto& [key, tensor] : files_) {
            if (const size_t dot = key.rfind('.'); key.substr(dot + 1) == kind) {
                const std::string name = key.substr(0, dot);
                QTest::newRow(name.c_str()) << QString::fromStdString(name);
            }
        }
    }

    const FileTensor& tensor(const QString& name, const char* kind) const {
        return files_.at(name.toStdString() + "." + kind);
    }

private Q_SLOTS:

    void initTestCase() {
        files_ = testing::readTensorFile(
            testing::goldenFile("tests/unit/image/make_image_variants.py").toStdString());
        QVERIFY(files_.size() > 150);
    }

    void showsWhatPillowShows_data() { addRows("pixels"); }

    void showsWhatPillowShows() {
        QFETCH(QString, name);
        const FileTensor& expected = tensor(name, "pixels");
        const DecodedImage decoded = decodeImage(bytesIn(tensor(name, "file")), "x", Depth::Stored);
        QVERIFY(!decoded.deep);
        QCOMPARE(shapeOf(decoded.image), expected.shape);
        QVERIFY(bytesOfPixels(decoded.image) == expected.bytes);
    }

    void sixteenBitsAreKept_data() { addRows("deep"); }

    void sixteenBitsAreKept() {
        QFETCH(QString, name);
        const FileTensor& expected = tensor(name, "deep");
        const DecodedImage decoded = decodeImage(bytesIn(tensor(name, "file")), "x", Depth::Stored);
        QVERIFY(decoded.deep);
        QCOMPARE(shapeOf(*decoded.deep), expected.shape);
        QVERIFY(bytesOfPixels(*decoded.deep) == expected.bytes);
    }

    void sixteenBitsAreRoundedWhereEightAreAsked_data() { addRows("deep"); }

    void sixteenBitsAreRoundedWhereEightAreAsked() {
        QFETCH(QString, name);
        const Image8 image = decodeImage(bytesIn(tensor(name, "file")), "x").image;
        const auto* levels = reinterpret_cast<const uint16_t*>(tensor(name, "deep").bytes.data());
        QCOMPARE(shapeOf(image), tensor(name, "deep").shape);
        for (size_t i = 0; i < image.byteCount(); ++i) {
            QVERIFY(std::abs(image.pixels[i] - levels[i] / 257.0) <= kRounding);
        }
    }

    void theHeaderStatesTheSizeThatIsShown_data() { addRows("pixels"); }

    void theHeaderStatesTheSizeThatIsShown() {
        QFETCH(QString, name);
        const auto bytes = bytesIn(tensor(name, "file"));
        const ImageSize size = readImageHeader(sourceOf(bytes), "x").size;
        const Shape& expected = tensor(name, "pixels").shape;
        QCOMPARE(size.heightPixels, expected[0]);
        QCOMPARE(size.widthPixels, expected[1]);
    }

    void profilesOtherThanSrgbAreNamed_data() { addRows("profile"); }

    void profilesOtherThanSrgbAreNamed() {
        QFETCH(QString, name);
        const auto bytes = bytesIn(tensor(name, "file"));
        QCOMPARE(readImageHeader(sourceOf(bytes), "x").profile, tensor(name, "profile").bytes);
    }

    void refusesTheOthersWithASentence_data() { addRows("said"); }

    void refusesTheOthersWithASentence() {
        QFETCH(QString, name);
        const std::optional<Error> error = testing::errorOf(
            [&] { (void)decodeImage(bytesIn(tensor(name, "file")), name.toStdString()); });
        QVERIFY(error);
        QVERIFY(error->kind() == ErrorKind::Corrupt || error->kind() == ErrorKind::Unsupported);
        const std::string& message = error->message().str();
        QVERIFY2(message.find(tensor(name, "said").bytes) != std::string::npos, message.c_str());
        QVERIFY2(message.find(name.toStdString()) != std::string::npos, message.c_str());
        QVERIFY(!message.ends_with(": ") && !error->hint().empty());
        if (error->kind() == ErrorKind::Unsupported) {  // its kind is known before the run
            const auto bytes = bytesIn(tensor(name, "file"));
            const std::optional<Error> before = testing::errorOf(
                [&] { (void)readImageHeader(sourceOf(bytes), name.toStdString()); });
            QVERIFY(before);
            QCOMPARE(before->message().str(), message);
        }
    }

    /// Cut anywhere, a file is refused: no half of an image becomes an input.
    void everyCutIsRefused_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"png_alpha",
                                 "jpeg_420",
                                 "jpeg_progressive",
                                 "webp_alpha",
                                 "webp_lossless",
                                 "jpeg_orientation_6",
                                 "png_orientation_6"}) {
            QTest::newRow(name) << QString(name);
        }
    }

    void everyCutIsRefused() {
        QFETCH(QString, name);
        const auto whole = bytesIn(tensor(name, "file"));
        for (size_t size = 0; size < whole.size(); ++size) {
            const auto error = testing::errorOf([&] { (void)decodeImage(whole.first(size), "x"); });
            QVERIFY2(error, qPrintable(QString::number(size)));
        }
    }
};

LOWTIDE_TEST(ImageVariantsTest)

}  // namespace image_variants_test

#include "image_variants_test.moc"
