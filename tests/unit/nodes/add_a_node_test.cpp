// The recipe docs/recipes/add_a_node.md, followed once: invert.cpp, one line of node_list.inc and
// finish.invert.md. Everything else here is the program.

#include "nodes/engine/node_def.hpp"
#include "plugin/executor/graph_spec.hpp"
#include "plugin/graph/snapshot.hpp"
#include "plugin/image/png.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/residency.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/graph_bench.hpp"
#include "tests/unit/models/image_values.hpp"

#include <ATen/ATen.h>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace add_a_node_test {

using namespace lowtide;
using nodes::WireRef;
using testing::Given;
using testing::ModelBench;
using testing::StageSpec;

namespace {

constexpr const char* kNode = "finish.invert";
constexpr int kWidth = 16;
constexpr int kHeight = 8;
const Shape kBatch = {2, 3, 24, 40};

/// The toy between a file and the screen.
class InvertBench : public testing::GraphBench {
public:
    InvertBench() {
        for (int i = 0; i < kWidth * kHeight * 3; ++i) {
            pixels_[i] = static_cast<uint8_t>(i * 7);
        }
        QFile file(path());
        if (file.open(QIODevice::WriteOnly)) {
            file.write(QByteArray::fromStdString(image::encodePng(
                {.widthPixels = kWidth, .heightPixels = kHeight, .pixels = pixels_}, {})));
        }
    }

    [[nodiscard]] const NodeDesc* toy() const { return types().catalog().find(kNode); }

    /// [1, 3, H, W] of the file, 0 to 1.
    [[nodiscard]] at::Tensor pixels() const {
        at::Tensor levels = at::empty({kHeight, kWidth, 3}, at::kByte);
        std::copy_n(pixels_.get(), levels.numel(), levels.mutable_data_ptr<uint8_t>());
        return levels.permute({2, 0, 1}).unsqueeze(0).to(at::kFloat).div(255);
    }

    [[nodiscard]] std::shared_ptr<const graph::Snapshot> graph(const Json& params) const {
        return snapshot(
            {{"format", 2},
             {"nodes",
              {{"load", {{"type", "load.image"}, {"params", {{"image", path().toStdString()}}}}},
               {"invert", {{"type", kNode}, {"params", params}}},
               {"show", {{"type", "preview.image"}}}}},
             {"links",
              {{{"from", {"load", "image"}}, {"to", {"invert", "image"}}},
               {{"from", {"invert", "image"}}, {"to", {"show", "image"}}}}}});
    }

    /// Under which its result is kept.
    [[nodiscard]] std::string resultKey(const Json& params) const {
        const auto made = graph(params);
        const auto graphSpec = executor::makeGraphSpec(*made, types(), "", "");
        const auto node = std::ranges::find(made->nodes, "invert", &graph::SnapshotNode::id);
        return std::get<executor::GraphSpec>(graphSpec).keys.at(
            static_cast<size_t>(node - made->nodes.begin()));
    }

private:
    [[nodiscard]] QString path() const { return folder_.filePath("image.png"); }

    QTemporaryDir folder_;
    std::shared_ptr<uint8_t[]> pixels_ = std::make_shared<uint8_t[]>(kWidth * kHeight * 3);
};

Given inverting(const WireRef& image, const std::string& what = "all", double strength = 1) {
    return {.node = kNode,
            .params = {{"strength", strength}, {"what", what}},
            .wires = {{"image", image}}};
}

WireRef knownImage(const Shape& shape) {
    return std::make_shared<const nodes::Placeholder>(
        executor::ValueSpec{.type = "IMAGE", .shape = shape});
}

at::Tensor pixelsOf(const WireRef& image) {
    return tensor::spill(dynamic_cast<const tensor::Images&>(*image).pixels());
}

std::string refusalsOf(const executor::RunResult& result) {
    std::string text;
    for (const Issue& issue : result.issues) {
        text += issue.node + "." + issue.item + ": " + issue.message.str() + "\n";
    }
    return text;
}

}  // namespace

class AddANodeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void isDescribedByItsFields() {
        const InvertBench bench;
        const NodeDesc* desc = bench.toy();

        QVERIFY(desc);
        QCOMPARE(desc->inputs.size(), size_t{1});
        QCOMPARE(desc->inputs[0].type, std::string("IMAGE"));
        QCOMPARE(desc->params.size(), size_t{2});
        const ParamDesc& strength = desc->params[0];
        QCOMPARE(strength.id, std::string("strength"));
        QVERIFY(strength.kind == ParamKind::Float && strength.defaultValue == Scalar(1.0));
        QVERIFY(strength.min && strength.max && strength.softMin && strength.softMax);
        const ParamDesc& what = desc->params[1];
        QVERIFY(what.kind == ParamKind::Choice && what.defaultValue == Scalar(std::string("all")));
        QCOMPARE(nodes::idsOf(what.choices), std::string("all, brightness"));
    }

    void itsPageDescribesEveryParameter() {
        const InvertBench bench;
        const QString page = QString::fromUtf8(
            testing::contentsOf(testing::sourcePath(QString("tests/unit/nodes/") + kNode + ".md")));

        QVERIFY(page.startsWith("# " + QString::fromStdString(bench.toy()->label) + "\n"));
        for (const ParamDesc& param : bench.toy()->params) {
            QVERIFY2(page.contains(QString::fromStdString(param.label)), param.id.c_str());
        }
    }

    void oneLineAddsIt() {
        const QStringList lines =
            QString::fromUtf8(
                testing::contentsOf(testing::sourcePath("tests/unit/nodes/node_list.inc")))
                .split('\n');
        QCOMPARE(lines.filter("LOWTIDE_NODE"), QStringList("LOWTIDE_NODE(invertNode)"));
    }

    void aGraphRunsIt() {
        InvertBench bench;

        const auto result = bench.run(bench.graph({{"strength", 0.25}}));

        QVERIFY2(result.status == Status::Ok, refusalsOf(result).c_str());
        const at::Tensor given = bench.pixels();
        QVERIFY(
            at::allclose(bench.recorded("invert_out"), at::lerp(given, 1 - given, 0.25), 0, 1e-6));
    }

    /// Red, green and blue keep their differences.
    void brightnessMovesAllChannelsAlike() {
        ModelBench bench;
        const at::Tensor given = at::rand(kBatch) * 0.2 + 0.4;
        WireRef made;

        run(bench, [&] {
            made = testing::runNode(bench.stages(),
                                    inverting(testing::imageOf(given), "brightness"),
                                    bench.call("invert"))
                       .front();
        });

        const at::Tensor change = pixelsOf(made) - given;
        QVERIFY(at::allclose(change, change.narrow(1, 0, 1).expand_as(change), 0, 1e-6));
        QVERIFY(at::allclose(
            pixelsOf(made).mean(at::IntArrayRef{1}), 1 - given.mean(at::IntArrayRef{1}), 0, 1e-6));
    }

    /// As every choice of a node does.
    void anUnknownChoiceIsRefused() {
        ModelBench bench;

        const auto error = testing::errorOf([&] {
            (void)testing::specOfNode(bench.stages(), inverting(knownImage(kBatch), "hue"));
        });

        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("what"));
        QVERIFY2(error->message().str().find("\"hue\"") != std::string::npos, error->what());
        QVERIFY2(error->hint().str().find("all, brightness") != std::string::npos, error->what());
    }

    void theSpecAgreesWithTheRun() {
        ModelBench bench;
        WireRef made;
        run(bench, [&] {
            made = testing::runNode(bench.stages(),
                                    inverting(testing::imageOf(at::rand(kBatch))),
                                    bench.call("invert"))
                       .front();
        });

        const StageSpec spec = testing::specOfNode(bench.stages(), inverting(knownImage(kBatch)));

        QCOMPARE(spec.output().type, std::string(made->type()));
        QCOMPARE(spec.output().shape, pixelsOf(made).sizes().vec());
        QCOMPARE(spec.output().bytesOn("cpu"), made->bytesOn("cpu"));
    }

    void theDryRunTakesTheBytesOfTheRun_data() {
        QTest::addColumn<QString>("what");
        for (const char* what : {"all", "brightness"}) {
            QTest::newRow(what) << what;
        }
    }

    /// On the device that holds tensors and nothing else.
    void theDryRunTakesTheBytesOfTheRun() {
        QFETCH(QString, what);
        ModelBench bench({.kind = "fake"});
        const auto tree = ModelBench::modelOf(bench.load(testing::kMini)).tree(models::kDenoiser);
        WireRef image;
        bench.runWith(tree, [&] {
            image = testing::imageOf(
                tensor::upload(at::rand(kBatch), bench.residency().torchDeviceOf(*tree)));
        });
        bench.runWith(tree, [&] {
            (void)testing::runNode(
                bench.stages(), inverting(image, what.toStdString()), bench.call("invert"));
        });
        const Bytes taken = bench.activationPeak();

        const StageSpec spec =
            testing::specOfNode(bench.stages(), inverting(knownImage(kBatch), what.toStdString()));

        QCOMPARE(spec.dryRun({"fake"}).activations, taken);
    }

    void aParameterIsPartOfTheResultsKey() {
        const InvertBench bench;
        const std::string usual = bench.resultKey(Json::object());

        QCOMPARE(bench.resultKey({{"strength", 1.0}, {"what", "all"}}), usual);
        QVERIFY(bench.resultKey({{"strength", 0.5}}) != usual);
        QVERIFY(bench.resultKey({{"what", "brightness"}}) != usual);
    }

private:
    /// The node has no component; the model's only makes a run of it.
    static void run(ModelBench& bench, const std::function<void()>& work) {
        bench.runWith(bench.load(testing::kMini), models::kDenoiser, work);
    }
};

LOWTIDE_TEST(AddANodeTest)

}  // namespace add_a_node_test

#include "add_a_node_test.moc"
