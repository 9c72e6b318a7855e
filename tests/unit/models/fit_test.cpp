// Images and masks at other sizes, on each other and grown; latents several times.

#include "nodes/engine/spec_parts.hpp"
#include "plugin/image/fit_geometry.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/image_values.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <cstdint>
#include <numeric>
#include <optional>

namespace fit_test {

using namespace lowtide;
using image::FitGeometry;
using image::PixelSize;
using nodes::WireRef;
using testing::FitRequest;
using testing::imageOf;
using testing::latentsOf;
using testing::maskOf;
using testing::ModelBench;
using testing::testImage;

namespace {

/// Both sides sum floats in another order; levels are about 0.5.
constexpr double kTolerance = 1e-5;

const at::Tensor& pixelsOf(const WireRef& image) {
    return dynamic_cast<const tensor::Images&>(*image).pixels();
}

const at::Tensor& valuesOf(const WireRef& mask) {
    return dynamic_cast<const tensor::Masks&>(*mask).values();
}

QString shown(const PixelSize& size) {
    return QString("%1x%2").arg(size.width).arg(size.height);
}

/// "part at x,y -> scaled at left,top in size".
QString shown(const FitGeometry& fit) {
    return QString("%1 at %2,%3 -> %4 at %5,%6 in %7")
        .arg(shown(fit.part))
        .arg(fit.partX)
        .arg(fit.partY)
        .arg(shown(fit.scaled))
        .arg(fit.left)
        .arg(fit.top)
        .arg(shown(fit.size));
}

FitRequest requestOf(const char* mode, PixelSize size = {}) {
    return {.size = size, .mode = mode};
}

testing::CompositeRequest compositeOf(const at::Tensor& below, const at::Tensor& above) {
    return {.destination = imageOf(below), .source = imageOf(above)};
}

Bytes sumOf(const std::vector<Bytes>& tensors) {
    return std::accumulate(tensors.begin(), tensors.end(), Bytes{0});
}

}  // namespace

class FitTest : public QObject {
    Q_OBJECT

    std::optional<testing::PythonGolden> golden_;

    void addCases(const char* kind) const {
        QTest::addColumn<QString>("settings");
        for (const Json& settings : Json::parse(golden_->text("cases"))) {
            if (settings.at("kind") == kind) {
                QTest::newRow(settings.at("name").get<std::string>().c_str())
                    << QString::fromStdString(settings.dump());
            }
        }
    }

    at::Tensor golden(const Json& settings, const char* what) const {
        return golden_->tensor(settings.at("name").get<std::string>() + "." + what);
    }

    bool hasGolden(const Json& settings, const char* what) const {
        return golden_->has(settings.at("name").get<std::string>() + "." + what);
    }

    static void compare(const at::Tensor& ours, const at::Tensor& expected) {
        QCOMPARE(ours.sizes().vec(), expected.sizes().vec());
        const double most = (ours - expected).abs().max().item<double>();
        QVERIFY2(most <= kTolerance, qPrintable(QString::number(most)));
    }

private Q_SLOTS:

    void initTestCase() { golden_.emplace("tests/unit/models/make_fit_goldens.py"); }

    void fitsAsTheReference_data() { addCases("fit"); }

    void fitsAsTheReference() {
        QFETCH(QString, settings);
        const Json asked = Json::parse(settings.toStdString());
        ModelBench bench;
        const std::vector<WireRef> made =
            testing::run(bench.stages(),
                         testing::FitRequest{.image = imageOf(golden(asked, "in")),
                                             .mask = maskOf(golden(asked, "mask")),
                                             .size = {.width = asked.at("width").get<int64_t>(),
                                                      .height = asked.at("height").get<int64_t>()},
                                             .multiple = 1,
                                             .mode = asked.at("mode").get<std::string>(),
                                             .method = asked.at("method").get<std::string>(),
                                             .fill = asked.at("fill").get<std::string>()},
                         bench.call("fit"));
        compare(pixelsOf(made[0]), golden(asked, "out"));
        compare(valuesOf(made[1]), golden(asked, "mask_out"));
    }

    void layersAsTheReference_data() { addCases("composite"); }

    void layersAsTheReference() {
        QFETCH(QString, settings);
        const Json asked = Json::parse(settings.toStdString());
        ModelBench bench;
        testing::CompositeRequest request =
            compositeOf(golden(asked, "destination"), golden(asked, "source"));
        request.mask = hasGolden(asked, "mask") ? maskOf(golden(asked, "mask")) : nullptr;
        request.xPixels = asked.at("x").get<int64_t>();
        request.yPixels = asked.at("y").get<int64_t>();
        request.isResized = asked.at("resize").get<bool>();
        const WireRef made = testing::run(bench.stages(), request, bench.call("composite")).front();
        compare(pixelsOf(made), golden(asked, "out"));
    }

    void growsAsTheReference_data() { addCases("grow"); }

    void growsAsTheReference() {
        QFETCH(QString, settings);
        const Json asked = Json::parse(settings.toStdString());
        ModelBench bench;
        const WireRef made =
            testing::run(bench.stages(),
                         testing::MaskGrowRequest{.mask = maskOf(golden(asked, "in")),
                                                  .pixels = asked.at("pixels").get<int64_t>(),
                                                  .corners = asked.at("corners").get<std::string>(),
                                                  .feather = asked.at("feather").get<double>()},
                         bench.call("mask"))
                .front();
        compare(valuesOf(made), golden(asked, "out"));
    }

    /// By hand, from the help page's rules.
    void sizesFollow_data() {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<QSize>("source");
        QTest::addColumn<QSize>("wanted");
        QTest::addColumn<int>("multiple");
        QTest::addColumn<QString>("geometry");
        const auto row =
            [](const char* mode, QSize source, QSize wanted, int multiple, const char* is) {
                QTest::addRow("%s %dx%d", mode, source.width(), source.height())
                    << mode << source << wanted << multiple << is;
            };
        row("crop", {300, 200}, {0, 0}, 8, "296x200 at 2,0 -> 296x200 at 0,0 in 296x200");
        row("crop", {302, 200}, {0, 0}, 8, "296x200 at 3,0 -> 296x200 at 0,0 in 296x200");
        row("pad", {300, 200}, {0, 0}, 8, "300x200 at 0,0 -> 300x200 at 2,0 in 304x200");
        row("stretch", {301, 203}, {0, 0}, 8, "301x203 at 0,0 -> 304x200 at 0,0 in 304x200");
        row("crop", {4032, 3024}, {768, 0}, 8, "4032x3024 at 0,0 -> 768x576 at 0,0 in 768x576");
        row("crop", {3024, 4032}, {0, 768}, 64, "3024x4032 at 0,0 -> 576x768 at 0,0 in 576x768");
        row("crop", {5, 3}, {0, 0}, 8, "3x3 at 1,0 -> 8x8 at 0,0 in 8x8");
        row("pad", {1000, 1}, {64, 64}, 8, "1000x1 at 0,0 -> 64x1 at 0,32 in 64x64");
        row("crop", {1000, 1}, {8, 512}, 8, "2x1 at 499,0 -> 8x512 at 0,0 in 8x512");
        row("stretch", {64, 64}, {64, 64}, 64, "64x64 at 0,0 -> 64x64 at 0,0 in 64x64");
    }

    void sizesFollow() {
        QFETCH(QString, mode);
        QFETCH(QSize, source);
        QFETCH(QSize, wanted);
        QFETCH(int, multiple);
        QFETCH(QString, geometry);
        const image::FitMode by = mode == "crop"  ? image::FitMode::Crop
                                  : mode == "pad" ? image::FitMode::Pad
                                                  : image::FitMode::Stretch;
        QCOMPARE(shown(image::fitGeometry({.width = source.width(), .height = source.height()},
                                          {.width = wanted.width(), .height = wanted.height()},
                                          by,
                                          multiple)),
                 geometry);
    }

    void theModelsMultipleCounts() {
        ModelBench bench;
        FitRequest request = requestOf("crop");
        request.multiple = 12;
        request.model = bench.load(testing::kMini);
        const testing::StageSpec spec = testing::spec(
            bench.stages(), testing::known({.image = {2, 3, 100, 130}, .mask = {}}, request));
        QCOMPARE(spec.output().shape, (Shape{2, 3, 96, 120}));  // 8 and 12: multiples of 24
        QCOMPARE(spec.outputs[1].shape, (Shape{1, 1, 96, 120}));
    }

    void whatIsPaddedIsMasked() {
        ModelBench bench;
        FitRequest request = requestOf("pad", {.width = 32, .height = 16});
        request.image = imageOf(testImage(16, 16));
        const WireRef mask = testing::run(bench.stages(), request, bench.call("fit"))[1];
        at::Tensor expected = at::ones({1, 1, 16, 32});
        expected.narrow(3, 8, 16).zero_();
        QVERIFY(at::equal(valuesOf(mask), expected));
    }

    void theEdgeIsRepeated() {
        ModelBench bench;
        FitRequest request = requestOf("pad", {.width = 32, .height = 16});
        const at::Tensor pixels = testImage(16, 16);
        request.image = imageOf(pixels);
        request.fill = "edge";
        const at::Tensor made =
            pixelsOf(testing::run(bench.stages(), request, bench.call("fit")).front());
        const at::Tensor expected = at::cat({pixels.narrow(3, 0, 1).expand({1, 3, 16, 8}),
                                             pixels,
                                             pixels.narrow(3, 15, 1).expand({1, 3, 16, 8})},
                                            3);
        QVERIFY(at::equal(made, expected));
    }

    void refuses_data() {
        const testing::Rows<QString, QSize, QString, int, QString> row(
            "mode", "size", "method", "maskWidth", "item");
        row("mode", "zoom", {0, 0}, "lanczos", 0, "mode");
        row("method", "crop", {0, 0}, "nearest", 0, "method");
        row("width is no multiple", "crop", {100, 0}, "lanczos", 0, "width");
        row("height is no multiple", "pad", {0, 100}, "lanczos", 0, "height");
        row("negative", "crop", {-8, 0}, "lanczos", 0, "width");
        row("too large", "crop", {1 << 17, 0}, "lanczos", 0, "width");
        row("mask", "crop", {0, 0}, "lanczos", 24, "mask");
    }

    void refuses() {
        QFETCH(QString, mode);
        QFETCH(QSize, size);
        QFETCH(QString, method);
        QFETCH(int, maskWidth);
        QFETCH(QString, item);
        ModelBench bench;
        FitRequest request{.image = imageOf(testImage(16, 32)),
                           .size = {.width = size.width(), .height = size.height()},
                           .mode = mode.toStdString(),
                           .method = method.toStdString()};
        testing::FitShapes shapes{.image = {1, 3, 16, 32}, .mask = {}};
        if (maskWidth > 0) {
            request.mask = maskOf(at::ones({1, 1, 16, maskWidth}));
            shapes.mask = {1, 1, 16, maskWidth};
        }
        const auto ran = testing::errorOf(
            [&] { (void)testing::run(bench.stages(), request, bench.call("fit")); });
        const auto planned = testing::errorOf(
            [&] { (void)testing::spec(bench.stages(), testing::known(shapes, request)); });
        QVERIFY(ran && ran->kind() == ErrorKind::InvalidInput);
        QCOMPARE(QString::fromStdString(ran->item()), item);
        QVERIFY(planned && planned->message() == ran->message());
    }

    /// The image outside of a hard mask has the bits that it had.
    void pastingBackLeavesTheRest() {
        ModelBench bench;
        const at::Tensor below = testImage(32, 32);
        testing::CompositeRequest request = compositeOf(below, 1 - below);
        const at::Tensor mask = testing::leftHalf(32, 32);
        request.mask = maskOf(mask);
        const at::Tensor made =
            pixelsOf(testing::run(bench.stages(), request, bench.call("composite")).front());
        QVERIFY(at::equal(made.narrow(3, 16, 16), below.narrow(3, 16, 16)));
        QVERIFY(at::equal(made.narrow(3, 0, 16), (1 - below).narrow(3, 0, 16)));
        QVERIFY(at::equal(below, testImage(32, 32)));
    }

    void oneImageGoesWithABatch() {
        ModelBench bench;
        const at::Tensor one = testImage(16, 16);
        const at::Tensor many = at::rand({3, 3, 16, 16});
        const auto made = [&](const at::Tensor& below, const at::Tensor& above) {
            return pixelsOf(
                testing::run(bench.stages(), compositeOf(below, above), bench.call("composite"))
                    .front());
        };
        QVERIFY(at::equal(made(one, many), many));
        QVERIFY(at::equal(made(many, one), one.expand({3, 3, 16, 16})));
        const auto error = testing::errorOf([&] { (void)made(many, at::rand({2, 3, 16, 16})); });
        QVERIFY(error && error->item() == "source");
    }

    void latentsAreRepeatedInTheirOrder() {
        ModelBench bench;
        const at::Tensor samples = at::randn({2, 4, 3, 5});
        const at::Tensor deviation = at::rand({2, 4, 3, 5});
        const WireRef latent = std::make_shared<const tensor::Latents>(
            samples, tensor::Provenance{}, nullptr, deviation);
        const WireRef made =
            testing::run(bench.stages(),
                         testing::LatentRepeatRequest{.latent = latent, .count = 3},
                         bench.call("repeat"))
                .front();
        QVERIFY(at::equal(latentsOf(made).samples(), at::cat({samples, samples, samples})));
        QVERIFY(at::equal(latentsOf(made).deviation(), at::cat({deviation, deviation, deviation})));
        const testing::StageSpec spec =
            testing::spec(bench.stages(),
                          testing::known({2, 4, 3, 5},
                                         std::make_shared<const nodes::LatentSpec>(true),
                                         testing::LatentRepeatRequest{.count = 3}));
        QCOMPARE(spec.output().shape, (Shape{6, 4, 3, 5}));
        QCOMPARE(sumOf(spec.output().tensors), made->bytesOn("cpu"));
        QVERIFY(nodes::isDistribution(spec.output().value));
    }

    void emptyLatentsAreRepeatedToo() {
        ModelBench bench;
        const WireRef empty = testing::run(bench.stages(),
                                           testing::EmptyLatentRequest{
                                               .widthPixels = 64, .heightPixels = 32, .batch = 2},
                                           {})
                                  .front();
        const WireRef made = testing::run(bench.stages(),
                                          testing::LatentRepeatRequest{.latent = empty, .count = 4},
                                          bench.call("repeat"))
                                 .front();
        QCOMPARE(dynamic_cast<const tensor::EmptyLatents&>(*made).batch(), 8);
        const WireRef known = testing::emptyLatentSpec(64, 32, 2);
        const testing::StageSpec spec = testing::spec(
            bench.stages(), testing::known({}, known, testing::LatentRepeatRequest{.count = 4}));
        const nodes::EmptyLatentSpec* repeated = nodes::emptyIn(spec.output().value);
        QVERIFY(repeated != nullptr && spec.output().shape.empty());
        QVERIFY(repeated->size == (tensor::ImageSize{.width = 64, .height = 32}));
        QCOMPARE(repeated->batch, int64_t{8});
        QCOMPARE(sumOf(spec.output().tensors), Bytes{0});
        for (const int64_t count : {int64_t{0}, int64_t{-1}, int64_t{4096}, INT64_MAX}) {
            const auto error = testing::errorOf([&] {
                (void)testing::spec(
                    bench.stages(),
                    testing::known({}, known, testing::LatentRepeatRequest{.count = count}));
            });
            QVERIFY(error && error->item() == "count");
        }
    }
};

LOWTIDE_TEST(FitTest)

}  // namespace fit_test

#include "tests/unit/models/known_shapes.hpp"

#include "fit_test.moc"
