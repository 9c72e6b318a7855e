#include "plugin/image/colours.hpp"
#include "plugin/image/image_difference.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <cmath>
#include <cstring>

namespace image_difference_golden_test {

using namespace lowtide;
using namespace lowtide::image;
using testing::FileTensor;
using testing::TensorFile;

namespace {

/// Both sides compute in double; the sums are taken in another order.
constexpr double kTolerance = 1e-9;
/// Pixels are kept as float.
constexpr double kPixelTolerance = 1e-5;

Image8 imageOf(const FileTensor& tensor) {
    const auto pixels = std::make_shared<uint8_t[]>(tensor.bytes.size());
    std::memcpy(pixels.get(), tensor.bytes.data(), tensor.bytes.size());
    return {.widthPixels = static_cast<int>(tensor.shape[1]),
            .heightPixels = static_cast<int>(tensor.shape[0]),
            .channels = static_cast<int>(tensor.shape[2]),
            .pixels = pixels};
}

bool isNear(double ours, double theirs, double tolerance = kTolerance) {
    return std::abs(ours - theirs) <= tolerance * std::max(1.0, std::abs(theirs));
}

/// [n, 3] or wider as colours, from that column on.
Lab colourIn(const std::vector<double>& rows, size_t row, size_t width, size_t column) {
    const size_t index = row * width + column;
    return {.lightness = rows[index], .a = rows[index + 1], .b = rows[index + 2]};
}

}  // namespace

/// Compares the figures with those of scikit-image, SciPy and NumPy.
class ImageDifferenceGoldenTest : public QObject {
    Q_OBJECT

    TensorFile golden_;

private Q_SLOTS:

    void initTestCase() {
        golden_ = testing::readTensorFile(
            testing::goldenFile("tests/unit/image/make_difference_goldens.py").toStdString());
    }

    void coloursDifferAsTheReferenceStates() {
        const std::vector<double> pairs = golden_.at("colours").values();
        const std::vector<double> expected = golden_.at("colours.differences").values();
        for (size_t i = 0; i < expected.size(); ++i) {
            const double ours = ciede2000(colourIn(pairs, i, 6, 0), colourIn(pairs, i, 6, 3));
            QVERIFY2(isNear(ours, expected[i]), qPrintable(QString::number(i)));
        }
    }

    void coloursAreConvertedAsTheReferenceDoes() {
        const std::vector<double> levels = golden_.at("levels").values();
        const std::vector<double> expected = golden_.at("levels.lab").values();
        for (size_t i = 0; 3 * i < levels.size(); ++i) {
            const Lab ours = labOfSrgb(levels[3 * i], levels[3 * i + 1], levels[3 * i + 2]);
            const Lab theirs = colourIn(expected, i, 3, 0);
            QVERIFY(isNear(ours.lightness, theirs.lightness) && isNear(ours.a, theirs.a) &&
                    isNear(ours.b, theirs.b));
        }
    }

    void everyFigureAgrees_data() {
        QTest::addColumn<QString>("name");
        for (const auto& [key, tensor] : golden_) {
            if (key.ends_with(".figures")) {
                const std::string name = key.substr(0, key.size() - 8);
                QTest::newRow(name.c_str()) << QString::fromStdString(name);
            }
        }
    }

    void everyFigureAgrees() {
        QFETCH(QString, name);
        const std::string key = name.toStdString();
        const ImageDifference ours = difference(imageOf(golden_.at(key + ".reference")),
                                                imageOf(golden_.at(key + ".picture")));
        const std::vector<double> expected = golden_.at(key + ".figures").values();
        const std::vector<double> figures = {ours.psnr,
                                             ours.ssim.value_or(-2),
                                             ours.edgeEnergyRatio,
                                             ours.colourShift,
                                             static_cast<double>(ours.worst.xPixels),
                                             static_cast<double>(ours.worst.yPixels),
                                             ours.worst.psnr};
        QCOMPARE(figures.size(), expected.size());
        for (size_t i = 0; i < figures.size(); ++i) {
            QVERIFY2(isNear(figures[i], expected[i]),
                     qPrintable(QString("figure %1: %2, reference %3")
                                    .arg(i)
                                    .arg(figures[i], 0, 'g', 15)
                                    .arg(expected[i], 0, 'g', 15)));
        }
    }

    void everyPixelAgrees_data() { everyFigureAgrees_data(); }

    void everyPixelAgrees() {
        QFETCH(QString, name);
        const std::string key = name.toStdString();
        const std::vector<float> ours = colourDifferences(imageOf(golden_.at(key + ".reference")),
                                                          imageOf(golden_.at(key + ".picture")));
        const std::vector<double> expected = golden_.at(key + ".pixels").values();
        QCOMPARE(ours.size(), expected.size());
        for (size_t i = 0; i < ours.size(); ++i) {
            QVERIFY(isNear(ours[i], expected[i], kPixelTolerance));
        }
    }
};

LOWTIDE_TEST(ImageDifferenceGoldenTest)

}  // namespace image_difference_golden_test

#include "image_difference_golden_test.moc"
