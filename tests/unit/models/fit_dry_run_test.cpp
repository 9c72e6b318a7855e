// Compares what the plan learns of nodes that shape images with what the ledger saw.

#include "nodes/engine/spec_parts.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/image_values.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fit_dry_run_test {

using namespace lowtide;
using nodes::WireRef;
using testing::ModelBench;
using testing::StageSpec;

namespace {

/// For a dry run on the CPU, as in dry_run_test; the fake GPU holds tensors alone, so there no
/// byte may differ.
constexpr double kLargestError = 0.05;
const Shape kImage = {2, 3, 240, 344};
const Shape kMask = {1, 1, 240, 344};
const Shape kLatent = {2, 4, 30, 43};

using Values = std::vector<WireRef>;

/// One stage: what it is given on a device, its work on that, and its spec.
struct Shaping {
    const char* name;
    std::function<Values(const c10::Device&)> inputs;
    std::function<Values(ModelBench&, const Values& inputs)> run;
    std::function<StageSpec(nodes::Stages&)> spec;
};

WireRef imageOn(const c10::Device& device, const Shape& shape = kImage) {
    return std::make_shared<const tensor::Images>(tensor::upload(at::rand(shape), device),
                                                  tensor::Provenance());
}

WireRef maskOn(const c10::Device& device) {
    return std::make_shared<const tensor::Masks>(tensor::upload(at::rand(kMask), device));
}

Shaping fitting(const char* name, const testing::FitRequest& settings, bool hasMask) {
    return {name,
            [=](const c10::Device& device) {
                return Values{imageOn(device), hasMask ? maskOn(device) : nullptr};
            },
            [=](ModelBench& bench, const Values& inputs) {
                testing::FitRequest request = settings;
                request.image = inputs[0];
                request.mask = inputs[1];
                return testing::run(bench.stages(), request, bench.call("fit"));
            },
            [=](nodes::Stages& stages) {
                return testing::spec(
                    stages,
                    testing::known({.image = kImage, .mask = hasMask ? kMask : Shape()}, settings));
            }};
}

Shaping compositing(const char* name, const Shape& source, bool hasMask, bool isResized) {
    return {
        name,
        [=](const c10::Device& device) {
            return Values{
                imageOn(device), imageOn(device, source), hasMask ? maskOn(device) : nullptr};
        },
        [=](ModelBench& bench, const Values& inputs) {
            return Values{testing::run(bench.stages(),
                                       testing::CompositeRequest{.destination = inputs[0],
                                                                 .source = inputs[1],
                                                                 .mask = inputs[2],
                                                                 .xPixels = 8,
                                                                 .yPixels = -8,
                                                                 .isResized = isResized},
                                       bench.call("composite"))
                              .front()};
        },
        [=](nodes::Stages& stages) {
            return testing::spec(
                stages,
                testing::known(
                    {.destination = kImage, .source = source, .mask = hasMask ? kMask : Shape()},
                    testing::CompositeRequest{
                        .xPixels = 8, .yPixels = -8, .isResized = isResized}));
        }};
}

Shaping growing(const char* name, const testing::MaskGrowRequest& settings) {
    return {name,
            [](const c10::Device& device) { return Values{maskOn(device)}; },
            [=](ModelBench& bench, const Values& inputs) {
                testing::MaskGrowRequest request = settings;
                request.mask = inputs[0];
                return Values{testing::run(bench.stages(), request, bench.call("mask")).front()};
            },
            [=](nodes::Stages& stages) {
                return testing::spec(stages, testing::known(kMask, settings));
            }};
}

Shaping repeating(const char* name) {
    return {name,
            [](const c10::Device& device) {
                return Values{std::make_shared<const tensor::Latents>(
                    tensor::upload(at::randn(kLatent), device),
                    tensor::Provenance(),
                    nullptr,
                    tensor::upload(at::rand(kLatent), device))};
            },
            [](ModelBench& bench, const Values& inputs) {
                return Values{
                    testing::run(bench.stages(),
                                 testing::LatentRepeatRequest{.latent = inputs[0], .count = 3},
                                 bench.call("repeat"))
                        .front()};
            },
            [](nodes::Stages& stages) {
                return testing::spec(stages,
                                     testing::known(kLatent,
                                                    std::make_shared<const nodes::LatentSpec>(true),
                                                    testing::LatentRepeatRequest{.count = 3}));
            }};
}

Shaping rotating(const char* name, const std::string& rotation, const std::string& flip) {
    const auto asked = [=](const WireRef& image) {
        return testing::Given{.node = "image.rotate",
                              .params = {{"rotation", rotation}, {"flip", flip}},
                              .wires = {{"image", image}}};
    };
    return {name,
            [](const c10::Device& device) { return Values{imageOn(device)}; },
            [=](ModelBench& bench, const Values& inputs) {
                return testing::runNode(bench.stages(), asked(inputs[0]), bench.call("rotate"));
            },
            [=](nodes::Stages& stages) {
                const executor::ValueSpec known{.type = "IMAGE", .shape = kImage};
                return testing::specOfNode(
                    stages, asked(std::make_shared<const nodes::Placeholder>(known)));
            }};
}

std::vector<Shaping> shapings() {
    const image::PixelSize wide{.width = 512, .height = 128};
    return {fitting("crop", {.size = wide}, true),
            fitting("crop without a mask", {.size = wide, .method = "area"}, false),
            fitting("pad", {.size = wide, .mode = "pad"}, true),
            fitting("pad with the edge", {.size = wide, .mode = "pad", .fill = "edge"}, false),
            fitting("stretch", {.size = wide, .mode = "stretch"}, true),
            compositing("composite", {2, 3, 100, 100}, false, false),
            compositing("composite with a mask", kImage, true, false),
            compositing("composite resized", {1, 3, 100, 100}, true, true),
            growing("grow", {.pixels = 5}),
            growing("shrink", {.pixels = -3, .corners = "square"}),
            growing("feather", {.feather = 6}),
            repeating("repeat"),
            rotating("rotate", "right", "none"),
            rotating("rotate half", "half", "none"),
            rotating("flip", "none", "vertical"),
            rotating("rotate and flip to a transposed image", "right", "horizontal")};
}

}  // namespace

class FitDryRunTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void theDryRunPredictsActivations_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("number");
        for (const char* device : {"cpu", "fake"}) {
            int number = 0;
            for (const Shaping& shaping : shapings()) {
                QTest::addRow("%s %s", device, shaping.name) << device << number++;
            }
        }
    }

    void theDryRunPredictsActivations() {
        QFETCH(QString, device);
        QFETCH(int, number);
        const std::string kind = device.toStdString();
        const Shaping shaping = shapings()[static_cast<size_t>(number)];
        ModelBench bench({.kind = kind});
        const WireRef model = bench.load(testing::kMini);
        const auto tree = bench.modelOf(model).tree(models::kDenoiser);
        Values inputs;
        Values made;
        bench.runWith(model, models::kDenoiser, [&] {
            inputs = shaping.inputs(bench.residency().torchDeviceOf(*tree));
        });
        bench.runWith(model, models::kDenoiser, [&] { made = shaping.run(bench, inputs); });
        const Bytes measured = bench.activationPeak();
        const StageSpec spec = shaping.spec(bench.stages());
        Bytes outputs = 0;
        for (const WireRef& value : made) {
            outputs += value->bytesOn(kind);
        }
        Bytes planned = 0;
        for (const executor::ValueSpec& output : spec.outputs) {
            for (const Bytes each : output.tensors) {
                planned += kind == "cpu" ? each : alignUp(each, memory::kSlotAlignment);
            }
        }
        QCOMPARE(outputs, planned);
        const Bytes predicted = spec.dryRun({kind}).activations;
        const double error = static_cast<double>(predicted) / static_cast<double>(measured) - 1;
        QVERIFY2(std::abs(error) <= (kind == "fake" ? 0 : kLargestError),
                 qPrintable(QString("%1 %2").arg(predicted).arg(measured)));
    }
};

LOWTIDE_TEST(FitDryRunTest)

}  // namespace fit_dry_run_test

#include "tests/unit/models/known_shapes.hpp"

#include "fit_dry_run_test.moc"
