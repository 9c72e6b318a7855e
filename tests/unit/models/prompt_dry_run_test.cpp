// Compares bytes and forwards of the dry run with those of runs, with weighted and with several
// prompts.

#include "nodes/engine/stage_inputs.hpp"
#include "plugin/nn/conditioning/conditioning_spec.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/prompt_bench.hpp"

#include <ATen/ATen.h>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace prompt_dry_run_test {

using namespace lowtide;
using executor::ValueSpec;
using nodes::WireRef;
using testing::PromptBench;

namespace {

/// As in dry_run_test: on the CPU oneDNN chooses its layouts by processor, on the GPU no byte
/// may differ.
constexpr double kLargestError = 0.05;

Json readCases() {
    QFile file(testing::sourcePath("tests/unit/models/prompt_cases.json"));
    if (!file.open(QIODevice::ReadOnly)) {
        throw std::runtime_error("there is no prompt_cases.json");
    }
    return parseJson(file.readAll().toStdString(), "prompt_cases.json");
}

void addRows(const Json& cases) {
    QTest::addColumn<QString>("device");
    QTest::addColumn<int>("index");
    for (const char* device : {"cpu", "fake"}) {
        int index = 0;
        for (const Json& test : cases) {
            QTest::newRow((device + (" " + test.at("name").get<std::string>())).c_str())
                << QString(device) << index++;
        }
    }
}

std::string difference(Bytes predicted, Bytes measured, const QString& device) {
    const double error =
        std::abs(static_cast<double>(predicted) / static_cast<double>(measured) - 1);
    return error <= (device == "fake" ? 0 : kLargestError)
               ? std::string()
               : "predicted " + std::to_string(predicted) + ", measured " +
                     std::to_string(measured);
}

testing::DenoiseRequest requestOf(PromptBench& bench, const Json& test) {
    return {
        .model = bench.model(),
        .latent = bench.emptyLatent(test.at("width"), test.at("height"), test.value("batch", 1)),
        .steps = test.at("steps"),
        .cfg = test.at("cfg"),
        .sampler = "ddim"};
}

testing::Given maskedBy(const WireRef& conditioning, const WireRef& mask) {
    return {.node = "conditioning.mask",
            .params = {{"strength", 2.0}},
            .wires = {{"conditioning", conditioning}, {"mask", mask}}};
}

WireRef placeholder(const ValueSpec& known) {
    return std::make_shared<const nodes::Placeholder>(known);
}

}  // namespace

class PromptDryRunTest : public QObject {
    Q_OBJECT

    testing::PromptBenches benches_;

private Q_SLOTS:

    void initTestCase() { cases_ = readCases(); }

    void predictsEncoding_data() { addRows(cases_.at("encode")); }

    void predictsEncoding() {
        QFETCH(QString, device);
        QFETCH(int, index);
        const Json& test = cases_.at("encode").at(static_cast<size_t>(index));
        PromptBench& bench = benches_.of(test.at("checkpoint"), device.toStdString());
        const QTemporaryDir folder;
        const testing::EncodeRequest request{
            .model = bench.model(),
            .prompt = test.at("text"),
            .clipSkip = test.value("clip_skip", -1),
            .weights = test.at("weights"),
            .graphFolder = bench.withEmbeddings(test, folder.path().toStdString())};
        const testing::EncodeResult result = bench.encode(request);
        const Bytes predicted =
            testing::spec(bench.stages(), request).dryRun({device.toStdString()}).activations;
        QCOMPARE(difference(predicted, bench.bench().activationPeak(), device), std::string());
    }

    void predictsSeveralPrompts_data() { addRows(cases_.at("denoise")); }

    void predictsSeveralPrompts() {
        QFETCH(QString, device);
        QFETCH(int, index);
        const Json& test = cases_.at("denoise").at(static_cast<size_t>(index));
        PromptBench& bench = benches_.of(test.at("checkpoint"), device.toStdString());
        testing::DenoiseRequest request = requestOf(bench, test);
        const ValueSpec positive = graphSpec(bench, test.at("graph"), device);
        request.positive = bench.built(test.at("graph"));
        request.negative = bench.prompt("dark");
        (void)bench.denoise(request);
        const Bytes measured = bench.bench().activationPeak();

        const testing::StageSpec spec =
            testing::spec(bench.stages(), testing::known(shapesOf(test, positive), request));

        QCOMPARE(difference(spec.dryRun({device.toStdString()}).activations, measured, device),
                 std::string());
        Bytes known = 0;
        for (const Bytes tensor : nodes::specOf(positive, "positive").tensors()) {
            known += device == "fake" ? alignUp(tensor, memory::kSlotAlignment) : tensor;
        }
        QCOMPARE(known, request.positive->bytesOn(bench.bench().device().id()));
    }

    void predictsAMask_data() {
        const testing::Rows<QString> row("device");
        row("on the CPU", "cpu");
        row("on a GPU", "fake");
    }

    /// As large as the image, which the denoiser brings to the size of the latent image.
    void predictsAMask() {
        QFETCH(QString, device);
        const Json& test = caseNamed("combine");
        PromptBench& bench = benches_.of(test.at("checkpoint"), device.toStdString());
        const Json graph = {{"prompt", "a cat"}};
        const Shape shape = {
            1, 1, test.at("height").get<int64_t>(), test.at("width").get<int64_t>()};
        const testing::StageSpec known =
            testing::specOfNode(bench.stages(),
                                maskedBy(placeholder(graphSpec(bench, graph, device)),
                                         placeholder({.type = "MASK", .shape = shape})));
        const WireRef prompt = bench.prompt("a cat");
        const c10::Device there =
            PromptBench::conditioningOf(prompt).tensor(tensor::kEmbeds).device();
        const WireRef mask =
            std::make_shared<const tensor::Masks>(tensor::upload(at::rand(shape), there));
        testing::DenoiseRequest request = requestOf(bench, test);
        request.negative = bench.prompt("dark");

        bench.bench().runWith(bench.model(), models::kTextEncoder, [&] {
            request.positive =
                testing::runNode(bench.stages(), maskedBy(prompt, mask), bench.bench().call("mask"))
                    .front();
        });
        QCOMPARE(difference(known.dryRun({device.toStdString()}).activations,
                            bench.bench().activationPeak(),
                            device),
                 std::string());

        (void)bench.denoise(request);
        const testing::StageSpec denoised =
            testing::spec(bench.stages(), testing::known(shapesOf(test, known.output()), request));
        QCOMPARE(difference(denoised.dryRun({device.toStdString()}).activations,
                            bench.bench().activationPeak(),
                            device),
                 std::string());
    }

    /// By hand: DDIM's timesteps are 801, 601, 401, 201 and 1. The first prompt goes with the
    /// negative one at 801 and 601, the second is alone at 601 and goes with it from 401 on.
    void countsTheForwardsOfEveryStep() {
        const Json& test = caseNamed("time");
        PromptBench& bench = benches_.of(test.at("checkpoint"));
        const ValueSpec positive = graphSpec(bench, test.at("graph"), "cpu");
        const memory::StageWork work =
            testing::spec(bench.stages(),
                          testing::known(shapesOf(test, positive), requestOf(bench, test)))
                .dryRun({"cpu"});
        QCOMPARE(work.components.size(), size_t{1});
        QCOMPARE(work.components[0].forwards, int64_t{6});
    }

    void countsTheForwardsOfAllSteps() {
        const Json& test = caseNamed("combine");
        PromptBench& bench = benches_.of(test.at("checkpoint"));
        testing::DenoiseRequest request = requestOf(bench, test);
        request.steps = 7;
        const ValueSpec positive = graphSpec(bench, test.at("graph"), "cpu");
        const memory::StageWork work =
            testing::spec(bench.stages(), testing::known(shapesOf(test, positive), request))
                .dryRun({"cpu"});
        QCOMPARE(work.components[0].forwards, int64_t{14});  // two prompts against one
    }

    /// A text encoder that computes on the CPU leaves its prompt in host memory, where an area and
    /// a time copy it: nothing of it comes to the GPU.
    void countsWhatLiesElsewhereThere_data() {
        const testing::Rows<QString> row("edit");
        row("area", R"({"op": "area", "x": 0, "y": 0, "width": 32, "height": 64, "strength": 1})");
        row("time", R"({"op": "time", "start": 0.25, "end": 1})");
    }

    void countsWhatLiesElsewhereThere() {
        QFETCH(QString, edit);
        PromptBench& bench = benches_.of("sd15_2", "fake");
        const Json graph = {{"prompt", "a cat"}};
        const ValueSpec shape = graphSpec(bench, graph, "fake");
        testing::ConditioningEdit request = testing::editIn(parseJson(edit.toStdString(), "edit"));
        const memory::StageWork work =
            testing::spec(bench.stages(), testing::known({shape}, request))
                .dryRun({.device = {.spec = {.kind = "fake"}}, .elsewhere = {"conditioning"}});
        request.first = bench.built(graph)->onHost();

        const WireRef result = bench.edited(request);

        QCOMPARE(work.activations, bench.bench().activationPeak());
        QCOMPARE(work.elsewhere.at("cpu"), result->bytesOn("cpu"));
        QCOMPARE(result->bytesOn(bench.bench().device().id()), Bytes{0});
    }

private:
    const Json& caseNamed(const char* name) const {
        for (const Json& test : cases_.at("denoise")) {
            if (test.at("name") == name) {
                return test;
            }
        }
        throw std::runtime_error("prompt_cases.json has no case " + std::string(name));
    }

    /// What the nodes of a graph know before a run; their own activations are compared on the way.
    ValueSpec graphSpec(PromptBench& bench, const Json& graph, const QString& device) {
        if (graph.contains("prompt")) {
            return testing::spec(
                       bench.stages(),
                       testing::EncodeRequest{.model = bench.model(), .prompt = graph.at("prompt")})
                .output();
        }
        testing::ConditioningEdit edit = testing::editIn(graph);
        std::vector<ValueSpec> inputs;
        for (const char* key : {"of", "first", "second"}) {
            if (graph.contains(key)) {
                inputs.push_back(graphSpec(bench, graph.at(key), device));
            }
        }
        const testing::StageSpec spec = testing::spec(bench.stages(), testing::known(inputs, edit));
        edit.first = bench.built(graph.at(graph.contains("of") ? "of" : "first"));
        edit.second = graph.contains("second") ? bench.built(graph.at("second")) : nullptr;
        (void)bench.edited(edit);
        const Bytes predicted = spec.dryRun({device.toStdString()}).activations;
        const Bytes measured = bench.bench().activationPeak();
        if (predicted != measured) {
            throw std::runtime_error("predicted " + std::to_string(predicted) + ", measured " +
                                     std::to_string(measured));
        }
        return spec.output();
    }

    static testing::DenoiseShapes shapesOf(const Json& test, const ValueSpec& positive) {
        testing::DenoiseShapes shapes{
            .positive = positive.shape,
            .negative = positive.shape,
            .positiveEntries = positive.value,
            .negativeEntries = nullptr,
            .latentKind = testing::emptyLatentSpec(
                test.at("width"), test.at("height"), test.value("batch", 1))};
        // One prompt of one chunk, whatever the positive side holds.
        shapes.negative[1] = test.at("checkpoint") == "sd15_2" ? 24 : 77;
        return shapes;
    }

    Json cases_;
};

LOWTIDE_TEST(PromptDryRunTest)

}  // namespace prompt_dry_run_test

#include "prompt_dry_run_test.moc"
