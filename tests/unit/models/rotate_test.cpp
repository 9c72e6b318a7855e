// Images rotated and mirrored.

#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/image_values.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <string>
#include <vector>

namespace rotate_test {

using namespace lowtide;
using nodes::WireRef;
using testing::Given;
using testing::imageOf;
using testing::ModelBench;

namespace {

/// Of an image whose pixels are numbered by rows: 0 1 2 above 3 4 5.
constexpr int64_t kWidth = 3;
constexpr int64_t kHeight = 2;

Given rotating(const WireRef& image, const std::string& rotation, const std::string& flip) {
    return {.node = "image.rotate",
            .params = {{"rotation", rotation}, {"flip", flip}},
            .wires = {{"image", image}}};
}

at::Tensor numbered() {
    const at::Tensor plane = at::arange(kWidth * kHeight, at::kFloat).div(16);
    return plane.view({1, 1, kHeight, kWidth}).expand({2, 3, kHeight, kWidth}).contiguous();
}

at::Tensor rotated(ModelBench& bench, const Given& asked) {
    const WireRef made = testing::runNode(bench.stages(), asked, bench.call("rotate")).front();
    return dynamic_cast<const tensor::Images&>(*made).pixels();
}

/// "0 1 2 / 3 4 5" of every plane.
QString rowsOf(const at::Tensor& image) {
    const at::Tensor plane = image[0][0].mul(16);
    QStringList rows;
    for (int64_t y = 0; y < plane.size(0); ++y) {
        QStringList row;
        for (int64_t x = 0; x < plane.size(1); ++x) {
            row << QString::number(plane[y][x].item<int>());
        }
        rows << row.join(' ');
    }
    return rows.join(" / ");
}

}  // namespace

class RotateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// By hand.
    void pixelsAreRotatedThenMirrored_data() {
        const testing::Rows<QString, QString, QString> row("rotation", "flip", "expected");
        row("as it is", "none", "none", "0 1 2 / 3 4 5");
        row("right", "right", "none", "3 0 / 4 1 / 5 2");
        row("by 180 degrees", "half", "none", "5 4 3 / 2 1 0");
        row("left", "left", "none", "2 5 / 1 4 / 0 3");
        row("flipped horizontally", "none", "horizontal", "2 1 0 / 5 4 3");
        row("flipped vertically", "none", "vertical", "3 4 5 / 0 1 2");
        row("right, then horizontally", "right", "horizontal", "0 3 / 1 4 / 2 5");
        row("right, then vertically", "right", "vertical", "5 2 / 4 1 / 3 0");
        row("half, then horizontally", "half", "horizontal", "3 4 5 / 0 1 2");
        row("left, then vertically", "left", "vertical", "0 3 / 1 4 / 2 5");
    }

    void pixelsAreRotatedThenMirrored() {
        QFETCH(QString, rotation);
        QFETCH(QString, flip);
        QFETCH(QString, expected);
        ModelBench bench;

        const at::Tensor made = rotated(
            bench, rotating(imageOf(numbered()), rotation.toStdString(), flip.toStdString()));

        QCOMPARE(rowsOf(made), expected);
        QVERIFY(made.is_contiguous());
        QVERIFY(at::equal(made, made.narrow(0, 0, 1).narrow(1, 0, 1).expand_as(made)));
    }

    void anUnknownChoiceIsRefused_data() {
        const testing::Rows<QString, QString, QString> row("rotation", "flip", "item");
        row("rotation", "up", "none", "rotation");
        row("flip", "none", "both", "flip");
    }

    void anUnknownChoiceIsRefused() {
        QFETCH(QString, rotation);
        QFETCH(QString, flip);
        QFETCH(QString, item);
        ModelBench bench;

        const auto error = testing::errorOf([&] {
            (void)rotated(
                bench, rotating(imageOf(numbered()), rotation.toStdString(), flip.toStdString()));
        });

        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), item.toStdString());
    }
};

LOWTIDE_TEST(RotateTest)

}  // namespace rotate_test

#include "rotate_test.moc"
