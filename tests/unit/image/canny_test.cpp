#include "plugin/image/canny.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <cstring>

namespace canny_test {

using namespace lowtide;

namespace {

Image8 imageIn(const testing::TensorFile& golden, const std::string& key) {
    const auto& tensor = golden.at(key);
    const auto pixels = std::make_shared<uint8_t[]>(tensor.bytes.size());
    std::memcpy(pixels.get(), tensor.bytes.data(), tensor.bytes.size());
    return {.widthPixels = static_cast<int>(tensor.shape[1]),
            .heightPixels = static_cast<int>(tensor.shape[0]),
            .channels = 3,
            .pixels = pixels};
}

}  // namespace

/// Every pixel is that of OpenCV's Canny.
class CannyTest : public QObject {
    Q_OBJECT

    testing::TensorFile golden_;

private Q_SLOTS:

    void initTestCase() {
        golden_ = testing::readTensorFile(
            testing::goldenFile("tests/unit/image/make_canny_goldens.py").toStdString());
    }

    void agreesWithOpenCv_data() {
        QTest::addColumn<QString>("image");
        QTest::addColumn<int>("low");
        QTest::addColumn<int>("high");
        for (const char* image : {"drawing", "smooth", "noise", "one_row", "one_pixel", "flat"}) {
            for (const auto& [low, high] :
                 {std::pair(100, 200), {50, 80}, {0, 0}, {300, 900}, {200, 2040}}) {
                QTest::addRow("%s %d %d", image, low, high) << image << low << high;
            }
        }
    }

    void agreesWithOpenCv() {
        QFETCH(QString, image);
        QFETCH(int, low);
        QFETCH(int, high);
        const std::string key = image.toStdString();
        const Image8 edges = image::cannyEdges(imageIn(golden_, key), low, high);
        const std::string& expected =
            golden_.at(key + "." + std::to_string(low) + "." + std::to_string(high)).bytes;
        QCOMPARE(edges.byteCount(), expected.size());
        const auto* own = reinterpret_cast<const char*>(edges.pixels.get());
        const auto other = std::mismatch(own, own + expected.size(), expected.begin());
        QVERIFY2(other.second == expected.end(),
                 qPrintable(QString("pixel %1").arg(other.second - expected.begin())));
    }

    /// As OpenCV takes them in either order.
    void thresholdsMayBeSwapped() {
        const Image8 image = imageIn(golden_, "drawing");
        const Image8 one = image::cannyEdges(image, 100, 200);
        const Image8 other = image::cannyEdges(image, 200, 100);
        QVERIFY(std::memcmp(one.pixels.get(), other.pixels.get(), one.byteCount()) == 0);
    }
};

LOWTIDE_TEST(CannyTest)

}  // namespace canny_test

#include "canny_test.moc"
