#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/single_file.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/safetensors.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/model.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/graph_bench.hpp"
#include "tests/unit/models/node_call.hpp"
#include "tests/unit/models/toy_family/toy_family.hpp"

#include <ATen/ATen.h>

#include <QTemporaryDir>

#include <algorithm>
#include <map>
#include <string>

namespace toy_family_test {

using namespace lowtide;  // NOLINT
using testing::kToyEncoders;
using testing::kToyImageEncoder;
using testing::kToyPipeline;
using testing::ToyCheckpoint;

namespace {

constexpr const char* kToyScheduler = "scheduler";

struct ToyPart {
    std::string component;
    const char* className;
    const char* stem;  ///< of its weights in the diffusers layout
};

std::vector<ToyPart> toyParts() {
    std::vector<ToyPart> parts = {{"unet", "UNet2DConditionModel", "diffusion_pytorch_model"},
                                  {"vae", "AutoencoderKL", "diffusion_pytorch_model"},
                                  {kToyImageEncoder, "CLIPTextModel", "model"}};
    for (const std::string& role : kToyEncoders) {
        parts.push_back({role, "CLIPTextModel", "model"});
    }
    return parts;
}

std::string toyName(const std::string& component, std::string_view name) {
    return "toy." + component + "." + std::string(name);
}

Json toySettings(const models::WeightFileHeader& file, const std::string& part) {
    return parseJson(file.metadata.at(part), file.map.what + ": " + part);
}

models::WeightMap toyWeights(const models::WeightMap& file, const std::string& component) {
    models::WeightMap map{
        .what = file.what,
        .files = file.files,
        .tensors = {},
        .nameInFile = [component](std::string_view name) { return toyName(component, name); }};
    for (const auto& [name, location] : file.tensors) {
        if (name.starts_with(toyName(component, ""))) {
            map.tensors.emplace(name, location);
        }
    }
    return map;
}

double detectToyFile(const models::ModelSource& source) {
    const bool isToy =
        source.header && source.header->map.tensors.contains(toyName("unet", "conv_in.weight"));
    return isToy ? 1 : 0;
}

std::unique_ptr<models::Checkpoint> openToyFile(models::ModelSource source,
                                                const std::string& resourcesFolder) {
    const auto file = std::make_shared<const models::WeightFileHeader>(*source.header);
    models::FileParts parts{.pipeline = {{"_class_name", kToyPipeline}},
                            .networks = {},
                            .tokenizers = {},
                            .scheduler = [file] { return toySettings(*file, kToyScheduler); },
                            .files = {}};
    for (const auto& [component, className, stem] : toyParts()) {
        parts.networks[component] = {
            .className = className,
            .settings = [file, part = component] { return toySettings(*file, part); },
            .weights = [file, part = component] { return toyWeights(file->map, part); }};
    }
    parts.tokenizers["tokenizer"] = {.encoder = kToyEncoders.front(), .padding = "<|endoftext|>"};
    return std::make_unique<models::SingleFile>(source, std::move(parts), resourcesFolder);
}

/// A layout that the program does not have: one file whose tensors are named "toy.COMPONENT.NAME",
/// with the settings of each component in its metadata.
const models::Layout& toyLayout() {
    static const models::Layout layout{
        .name = "toy_file", .detect = detectToyFile, .open = openToyFile};
    return layout;
}

/// Writes a checkpoint as a file of that layout.
void writeToyFile(const ToyCheckpoint& checkpoint, const std::string& path) {
    models::CheckpointFolder folder(checkpoint.path(), "toy");
    std::map<std::string, std::string> metadata = {
        {kToyScheduler, folder.readJson("scheduler/scheduler_config.json").dump()}};
    std::map<std::string, std::string> contents;
    std::map<std::string, files::TensorBytes> tensors;
    for (const auto& [component, className, stem] : toyParts()) {
        metadata[component] = folder.readJson(component + "/config.json").dump();
        const models::WeightMap map = folder.weights(component, stem);
        for (const auto& [name, location] : map.tensors) {
            std::string& content = contents[toyName(component, name)];
            content.resize(
                static_cast<size_t>(elementCount(location.shape).value() * sizeOf(location.type)));
            files::InputFile(map.files[location.file].path)
                .read(std::as_writable_bytes(std::span(content)), location.offset);
            tensors[toyName(component, name)] = {
                location.type, location.shape, std::as_bytes(std::span(content))};
        }
    }
    files::writeSafetensors(path, tensors, metadata);
}

}  // namespace

/// With the toy as the one family.
class ToyBench : public testing::GraphBench {
public:
    ToyBench() : GraphBench(kFamilies) {}

    [[nodiscard]] const models::Model& model() {
        model_ = stages().loadCheckpoint({.checkpoint = checkpoint_.path()}, "");
        return dynamic_cast<const models::Model&>(*model_);
    }

    [[nodiscard]] const memory::WireRef& modelValue() const { return model_; }

    /// An image of 64 x 64 in two steps on the rehearsed device; `offloads`: what a node between
    /// the encoder and the denoiser makes leave.
    [[nodiscard]] Json graph(const std::string& offloads = {}) const {
        Json nodes = {
            {"load", {{"type", "load.checkpoint"}, {"params", {{"checkpoint", path()}}}}},
            {"encode",
             {{"type", "prompt.encode"}, {"params", {{"prompt", "a cat"}, {"negative", "a dog"}}}}},
            {"latent", {{"type", "latent.empty"}, {"params", {{"width", 64}, {"height", 64}}}}},
            {"denoise", {{"type", "denoise.sample"}, {"params", {{"steps", 2}}}}},
            {"decode", {{"type", "decode.image"}}},
            {"show", {{"type", "preview.image"}}}};
        Json links = Json::array();
        const auto link =
            [&](const char* from, const char* output, const char* to, const char* in) {
                links.push_back({{"from", {from, output}}, {"to", {to, in}}});
            };
        for (const char* user : {"encode", "denoise", "decode"}) {
            link("load", "model", user, "model");
        }
        if (offloads.empty()) {
            link("encode", "positive", "denoise", "positive");
        } else {
            nodes["offload"] = {{"type", "control.offload"}, {"params", {{"component", offloads}}}};
            link("encode", "positive", "offload", "value");
            link("offload", "value", "denoise", "positive");
        }
        link("encode", "negative", "denoise", "negative");
        link("latent", "latent", "denoise", "latent");
        link("denoise", "latent", "decode", "latent");
        link("decode", "image", "show", "image");
        return {{"format", 2}, {"nodes", std::move(nodes)}, {"links", std::move(links)}};
    }

    executor::RunResult run(const Json& graph, const std::vector<std::string>& policies = {}) {
        return GraphBench::run(
            snapshot(graph, {.params = {}, .policies = policies}),
            {.device = memory::DeviceSpec{.kind = "fake"}, .forceExecution = true});
    }

private:
    [[nodiscard]] std::string path() const { return checkpoint_.path(); }

    inline static const models::Family* const kFamilies[] = {&testing::toyFamily()};

    ToyCheckpoint checkpoint_;
    memory::WireRef model_;
};

/// What the plan of a run has for a component: "stays", "components".
Json partOf(const executor::RunResult& result, const char* list, const std::string& role) {
    for (const Json& part : result.report.at("plan").at(list)) {
        if (part.at("role") == role) {
            return part;
        }
    }
    return {};
}

std::string issuesOf(const executor::RunResult& result) {
    std::string text;
    for (const Issue& issue : result.issues) {
        text += issue.code + " " + issue.node + "." + issue.item + ": " + issue.message.str() +
                " (" + issue.hint.str() + ")\n";
    }
    return text;
}

/// Of an encoder's states, the last for the first text.
std::string stateOf(const std::string& role) {
    return role + ".last_hidden_state.000";
}

class ToyFamilyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void everyEncoderReadsThePrompt() {
        ToyBench bench;
        const auto result = bench.run(bench.graph());

        QVERIFY2(result.status == Status::Ok, issuesOf(result).c_str());
        at::Tensor mean = at::zeros_like(bench.recorded("embeds.prompt"));
        for (const std::string& role : kToyEncoders) {
            QVERIFY(!partOf(result, "components", role).is_null());
            QVERIFY(result.report.at("precision").contains("encode." + role));
            mean += bench.recorded(stateOf(role)) / 3.0;
        }
        QVERIFY(at::allclose(bench.recorded("embeds.prompt"), mean, 1e-5, 1e-6));
        QVERIFY(!partOf(result, "components", "denoiser").is_null());
        QVERIFY(!partOf(result, "components", "autoencoder").is_null());
    }

    /// And of no other file before.
    void aComponentIsOpenedWhenAStageRunsIt() {
        ToyBench bench;
        const models::Model& model = bench.model();
        const auto openedOf = [&] {
            std::vector<std::string> opened;
            for (const models::ComponentDesc& component : model.components()) {
                if (model.openedTree(component.role)) {
                    opened.push_back(component.role);
                }
            }
            return opened;
        };
        QCOMPARE(openedOf(), (std::vector<std::string>{"denoiser", "autoencoder"}));
        const testing::StageSpec spec = testing::spec(
            bench.stages(), testing::EncodeRequest{.model = bench.modelValue(), .prompt = "a cat"});
        QCOMPARE(openedOf(), (std::vector<std::string>{"denoiser", "autoencoder"}));

        const auto trees = spec.components();

        std::vector<std::string> roles;
        for (const auto& tree : trees) {
            roles.push_back(tree->role);
        }
        QCOMPARE(roles, kToyEncoders);
        QVERIFY(!model.openedTree(testing::kToyImageEncoder));
        QVERIFY(model.tree(testing::kToyImageEncoder));
    }

    void aPolicyReachesEachEncoder() {
        ToyBench bench;
        QVERIFY(bench.run(bench.graph()).status == Status::Ok);
        const at::Tensor plain = bench.recorded("embeds.prompt").clone();

        const auto result = bench.run(bench.graph(),
                                      {"encode=model",
                                       "encode.text_encoder_3=leaf+stream",
                                       "encode.text_encoder_of_shapes=sequential"});

        QVERIFY2(result.status == Status::Ok, issuesOf(result).c_str());
        const auto policyOf = [&](const std::string& role) {
            const Json residency = partOf(result, "stays", role);
            return residency.at("policy").get<std::string>() +
                   (residency.at("prefetches").get<bool>() ? "+stream" : "");
        };
        QCOMPARE(policyOf("text_encoder"), std::string("model"));
        QCOMPARE(policyOf("text_encoder_3"), std::string("leaf+stream"));
        QCOMPARE(policyOf("text_encoder_of_shapes"), std::string("sequential"));
        QVERIFY(at::equal(bench.recorded("embeds.prompt"), plain));
    }

    void aRoleThatTheModelLacksIsRefused_data() {
        QTest::addColumn<QString>("entry");
        QTest::addColumn<QString>("code");
        QTest::newRow("policy") << "memory"
                                << "policy_without_components";
        QTest::newRow("precision") << "precision"
                                   << "precision_without_components";
    }

    /// As does one that the node does not run, the graph's check already.
    void aRoleThatTheModelLacksIsRefused() {
        QFETCH(QString, entry);
        QFETCH(QString, code);
        ToyBench bench;
        Json graph = bench.graph();
        graph["nodes"]["encode"][entry.toStdString()] = {
            {"components", {{"text_encoder_2", Json::object()}}}};

        const auto result = bench.run(graph);

        QVERIFY(result.status == Status::Invalid);
        QCOMPARE(result.issues.size(), size_t{1});
        const Issue& issue = result.issues.front();
        QCOMPARE(issue.code, code.toStdString());
        QCOMPARE(issue.node, std::string("encode"));
        QCOMPARE(issue.item, entry.toStdString());
        QVERIFY(issue.message.str().find("\"text_encoder_2\"") != std::string::npos);
        for (const std::string& role : kToyEncoders) {
            QVERIFY2(issue.hint.str().find(role) != std::string::npos, issue.hint.str().c_str());
        }
        QVERIFY(issue.hint.str().find("image_encoder") == std::string::npos);
    }

    void eachEncoderHasItsPrecision() {
        ToyBench bench;
        const auto exact = bench.run(bench.graph());
        std::map<std::string, at::Tensor> states;
        for (const std::string& role : kToyEncoders) {
            states[role] = bench.recorded(stateOf(role)).clone();
        }
        Json graph = bench.graph();
        graph["nodes"]["encode"]["precision"] = {
            {"components", {{"text_encoder_3", {{"storage", "bf16"}, {"compute", "bf16"}}}}}};

        const auto result = bench.run(graph);

        QVERIFY2(result.status == Status::Ok, issuesOf(result).c_str());
        for (const std::string& role : kToyEncoders) {
            const bool isHalf = role == "text_encoder_3";
            const Json& precision = result.report.at("precision").at("encode." + role);
            QCOMPARE(precision.at("compute"), Json(isHalf ? "bf16" : "f32"));
            QCOMPARE(at::equal(bench.recorded(stateOf(role)), states.at(role)), !isHalf);
            const auto bytesIn = [&](const executor::RunResult& run) {
                return partOf(run, "components", role).at("weights").get<double>();
            };
            QVERIFY(isHalf ? bytesIn(result) < bytesIn(exact) : bytesIn(result) == bytesIn(exact));
        }
    }

    void anOffloadNodeTakesRolesAndPatterns_data() {
        QTest::addColumn<QString>("component");
        QTest::addColumn<std::vector<std::string>>("leave");
        QTest::newRow("one") << "text_encoder_3" << std::vector<std::string>{"text_encoder_3"};
        QTest::newRow("all encoders") << "text_encoder*" << kToyEncoders;
        QTest::newRow("one that nothing runs") << "image_encoder" << std::vector<std::string>();
    }

    void anOffloadNodeTakesRolesAndPatterns() {
        QFETCH(QString, component);
        QFETCH(std::vector<std::string>, leave);
        ToyBench bench;

        const auto result =
            bench.run(bench.graph(component.toStdString()), {"encode=none", "denoise=none"});

        QVERIFY2(result.status == Status::Ok, issuesOf(result).c_str());
        int64_t bytes = 0;
        for (const std::string& role : kToyEncoders) {
            const bool leaves = std::find(leave.begin(), leave.end(), role) != leave.end();
            bytes += leaves ? partOf(result, "components", role).at("weights").get<int64_t>() : 0;
            QCOMPARE(partOf(result, "stays", role).at("offloaded_by"),
                     leaves ? Json({"offload"}) : Json::array());
        }
        const Json& control = result.report.at("controls").front();
        QCOMPARE(control.at("bytes").get<int64_t>(), bytes);
    }

    /// A file that no layout of the program knows holds what the folder of the diffusers layout
    /// holds.
    void aFileOfItsOwnLayoutIsTheFolder() {
        const ToyCheckpoint checkpoint;
        const QTemporaryDir folder;
        const std::string path = folder.filePath("any.safetensors").toStdString();
        writeToyFile(checkpoint, path);
        const models::ModelSource source = models::readSource({.path = path, .name = "any"});
        QVERIFY(models::layoutOf(source) == nullptr);
        QCOMPARE(toyLayout().detect(source), 1.0);
        QCOMPARE(toyLayout().detect({.path = {.path = path, .name = "any"}}), 0.0);

        const auto single =
            toyLayout().open(source, testing::sourcePath("resources").toStdString());

        models::CheckpointFolder parts(checkpoint.path(), "toy");
        QVERIFY(testing::toyFamily().detect(*single));
        const auto ofFile = testing::toyFamily().open(*single);
        const auto ofFolder = testing::toyFamily().open(parts);
        QCOMPARE(ofFile->info().schedulerConfig, ofFolder->info().schedulerConfig);
        for (const models::ComponentDesc& component : ofFolder->components()) {
            const auto weights = testing::weightsOf(*ofFolder->tree(component.role));
            QVERIFY(weights.size() > 10);
            QVERIFY2(testing::weightsOf(*ofFile->tree(component.role)) == weights,
                     component.role.c_str());
        }
    }

    void choicesOfComponentsAreWhatFamiliesState() {
        ToyBench bench;
        const NodeDesc* offload = bench.types().catalog().find("control.offload");
        std::vector<std::string> ids;
        for (const ChoiceDesc& choice : graph::findParam(*offload, "component")->choices) {
            ids.push_back(choice.id);
        }
        std::vector<std::string> wanted = {"all", "text_encoder*"};
        wanted.insert(wanted.end(), kToyEncoders.begin(), kToyEncoders.end());
        for (const char* role : {"image_encoder",
                                 "denoiser",
                                 "autoencoder",
                                 "upscaler",
                                 "controlnet*",
                                 "image_projection"}) {
            wanted.emplace_back(role);
        }
        QCOMPARE(ids, wanted);
    }
};

LOWTIDE_TEST(ToyFamilyTest)

}  // namespace toy_family_test

#include "toy_family_test.moc"
