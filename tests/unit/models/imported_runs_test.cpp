// Workflows of ComfyUI, imported, around the function that stood for a network when ComfyUI's own
// runs were recorded: the same seed gives the same latents.

#include "nodes/node_list.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/interop/import.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/image_bench.hpp"
#include "tests/unit/models/model_bench.hpp"
#include "tests/unit/models/node_call.hpp"
#include "tests/unit/models/stated_model.hpp"
#include "tests/unit/models/truth.hpp"
#include "tests/unit/sampling/toy_clean.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace imported_runs_test {

using namespace lowtide;
using models::ModelInfo;
using nodes::WireRef;
using testing::ModelBench;
using testing::StatedModel;

namespace {

constexpr double kOfLargestStart = 1e-6;  ///< of float32 in another order of operations

/// A model of a kind without the shift that the workflow asks for.
struct ToyKind {
    const char* workflow;  ///< of tests/golden/workflow_cases.json
    const char* run;       ///< of comfyui_numbers.safetensors.xz
    const char* scheduler;
    sampling::Guidance guidance;
    models::LatentSpace latent;

    [[nodiscard]] bool isFlow() const { return guidance == sampling::Guidance::Sequential; }
};

constexpr const char* kNoise = R"({"_class_name": "EulerDiscreteScheduler",
    "beta_schedule": "scaled_linear", "beta_start": 0.00085, "beta_end": 0.012,
    "prediction_type": "sample"})";
constexpr const char* kFlow = R"({"_class_name": "FlowMatchEulerDiscreteScheduler", "shift": 1.0})";

const std::vector<ToyKind>& toyKinds() {
    static const std::vector<ToyKind> kinds = {
        {.workflow = "sdxl",
         .run = "sd15_eps: dpmpp_2m|karras|8",
         .scheduler = kNoise,
         .guidance = sampling::Guidance::Batched,
         .latent = {.channels = 4}},
        {.workflow = "zimage",
         .run = "shapes: 16 channels|res_multistep",
         .scheduler = kFlow,
         .guidance = sampling::Guidance::Sequential,
         .latent = {.channels = 16}},
        {.workflow = "wan",
         .run = "shapes: video|uni_pc",
         .scheduler = kFlow,
         .guidance = sampling::Guidance::Sequential,
         .latent = {.channels = 16, .frameFactor = 4, .hasFrames = true}}};
    return kinds;
}

/// What ComfyUI gave.
struct ToyRun {
    at::Tensor begin;
    at::Tensor out;
    at::Tensor levels;
    double tolerance = 0;
};

ToyRun toyRun(const testing::PythonGolden& golden, const std::string& name) {
    const Json cases = parseJson(golden.text("cases"), "cases");
    for (size_t i = 0; i < cases.size(); ++i) {
        if (cases[i].at("name") == name) {
            const auto shape = cases[i].at("shape").get<std::vector<int64_t>>();
            const auto levels = cases[i].at("levels").get<int64_t>();
            const at::Tensor values = golden.tensor("case/" + std::to_string(i));
            const int64_t count = c10::multiply_integers(shape);
            return {.begin = values.narrow(0, 0, count).view(shape),
                    .out = values.narrow(0, count, count).view(shape),
                    .levels = values.narrow(0, 2 * count, levels),
                    .tolerance = cases[i].at("tolerance").get<double>()};
        }
    }
    throw std::runtime_error("there is no run " + name);
}

/// As the kind's network would give it, each call at the level of the recorded one.
at::Tensor toyPrediction(const ToyKind& kind,
                         const at::Tensor& levels,
                         const at::Tensor& latents,
                         const sampling::StepInfo& step) {
    const double sigma = levels[step.step].item<double>();
    const auto made = [&](const at::Tensor& part, double prompt) {
        const at::Tensor own = kind.isFlow() ? part : part * std::sqrt(sigma * sigma + 1);
        const at::Tensor clean = testing::toyClean(own, sigma, prompt);
        return kind.isFlow() ? (own - clean) / sigma : clean;
    };
    if (kind.isFlow()) {
        return made(latents, step.slot.isUncond ? testing::kToyNegative : testing::kToyPositive);
    }
    const std::vector<at::Tensor> halves = latents.chunk(2);
    return at::cat(
        {made(halves[0], testing::kToyNegative), made(halves[1], testing::kToyPositive)});
}

/// A graph's nodes, run one after the other as they are asked for; its loaders give one model.
class GraphRun {
public:
    GraphRun(ModelBench& bench,
             const graph::Catalog& catalog,
             const graph::Document& document,
             WireRef model)
        : bench_(bench), catalog_(catalog), document_(document), model_(std::move(model)) {}

    WireRef value(const graph::PortRef& port) {
        const graph::DocumentNode& node = document_.nodes.at(port.node);
        if (node.type.starts_with("load.")) {
            return model_;
        }
        const NodeDesc& desc = *catalog_.find(node.type);
        if (!values_.contains(port.node)) {
            values_[port.node] = run(port.node, node, desc);
        }
        const auto output = std::ranges::find(desc.outputs, port.port, &PortDesc::id);
        return values_.at(port.node).at(static_cast<size_t>(output - desc.outputs.begin()));
    }

private:
    std::vector<WireRef> run(const std::string& id,
                             const graph::DocumentNode& node,
                             const NodeDesc& desc) {
        testing::Given given{.node = node.type};
        for (const auto& [param, json] : node.params.items()) {
            given.params[param] =
                std::get<Scalar>(graph::checkParam(*graph::findParam(desc, param), json));
        }
        for (const graph::Link& link : document_.links) {
            if (link.to.node == id) {
                given.wires[link.to.port] = value(link.from);
            }
        }
        std::vector<WireRef> made;
        const auto make = [&] { made = testing::runNode(bench_.stages(), given, bench_.call(id)); };
        if (desc.components.empty()) {
            make();
        } else {
            const bool isDenoiser = node.type == "denoise.sample";
            bench_.runWith(model_, isDenoiser ? models::kDenoiser : models::kTextEncoder, make);
        }
        return made;
    }

    ModelBench& bench_;
    const graph::Catalog& catalog_;
    const graph::Document& document_;
    const WireRef model_;
    std::map<std::string, std::vector<WireRef>> values_;
};

double furthest(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).abs().max().item<double>();
}

}  // namespace

class ImportedRunsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aSeedGivesTheLatentsOfComfyUI_data() { testing::addEach(toyKinds(), &ToyKind::workflow); }

    void aSeedGivesTheLatentsOfComfyUI() {
        QFETCH(int, index);
        const ToyKind& kind = toyKinds().at(static_cast<size_t>(index));
        const testing::PythonGolden golden("tests/unit/sampling/make_comfyui_numbers.py");
        const ToyRun wanted = toyRun(golden, kind.run);
        ModelBench bench;
        const graph::Catalog catalog = catalogOf(bench);
        const interop::Imported imported = importedWorkflow(catalog, kind.workflow);
        QVERIFY(imported.report.missing.empty());
        const auto model = std::make_shared<const StatedModel>(
            std::dynamic_pointer_cast<const models::Model>(bench.load(testing::miniModel())),
            [&](ModelInfo& info) {
                info.schedulerConfig = parseJson(kind.scheduler, "scheduler");
                info.guidance = kind.guidance;
                info.latent = kind.latent;
                info.latentToRgb.reset();
            },
            StatedModel::Made(),
            [&](const at::Tensor& latents, const sampling::StepInfo& step) {
                return toyPrediction(kind, wanted.levels, latents, step);
            });
        bench.record();

        const at::Tensor out =
            testing::ImageBench::samplesOf(GraphRun(bench, catalog, imported.document, model)
                                               .value({samplerOf(imported.document), "latent"}));

        const at::Tensor begin = testing::tensorIn(bench.recorded(), "latents.init");
        const double largest = wanted.begin.abs().max().item<double>();
        QCOMPARE(out.sizes().vec(), wanted.out.sizes().vec());
        QVERIFY2(furthest(begin, wanted.begin) <= kOfLargestStart * largest,
                 qPrintable(QString::number(furthest(begin, wanted.begin))));
        QVERIFY2(furthest(out, wanted.out) <= wanted.tolerance,
                 qPrintable(QString::number(furthest(out, wanted.out))));
    }

private:
    static graph::Catalog catalogOf(ModelBench& bench) {
        std::vector<NodeDesc> descs;
        for (const executor::NodeType& type : nodes::makeNodeTypes(bench.stages())) {
            descs.push_back(type.desc);
        }
        return graph::Catalog(std::move(descs));
    }

    static interop::Imported importedWorkflow(const graph::Catalog& catalog,
                                              const std::string& name) {
        const std::string resources = testing::sourcePath("resources").toStdString();
        const interop::ClassTable table = interop::readClassTable(resources);
        const interop::SamplerNames samplers = interop::readSamplerNames(resources);
        for (const Json& each : testing::readCases("workflow_cases")) {
            if (each.at("name") == name) {
                return interop::importText(
                    each.at("workflow").dump(),
                    samplers,
                    {.catalog = catalog, .table = table, .imageSize = {}, .findFile = {}});
            }
        }
        throw std::runtime_error("there is no workflow " + name);
    }

    static std::string samplerOf(const graph::Document& document) {
        const auto found = std::ranges::find_if(document.nodes, [](const auto& entry) {
            return entry.second.type == "denoise.sample";
        });
        return found->first;
    }
};

LOWTIDE_TEST(ImportedRunsTest)

}  // namespace imported_runs_test

#include "imported_runs_test.moc"
