#include "nodes/control/control_forward.hpp"
#include "nodes/control/controlled_source.hpp"
#include "plugin/base/json.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/controls/control_net.hpp"
#include "plugin/nn/denoisers/unet2d_inputs.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <ATen/ATen.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace control_net_test {

using namespace lowtide;
using models::ControlNet;
using nodes::ControlForward;
using testing::ModelBench;

namespace {

constexpr int64_t kContextWidth = 128;  ///< of sd15_0
constexpr int64_t kTokens = 77;

at::Tensor seededLike(at::IntArrayRef shape, uint64_t seed) {
    at::Generator generator = at::detail::createCPUGenerator(seed);
    return at::randn(shape, generator, at::kFloat);
}

/// What a call of the denoiser is made of.
struct Scene {
    at::Tensor latents;
    at::Tensor context;
    std::optional<models::LatentArea> area{};
    int64_t positives = 0;
};

std::vector<at::Tensor> listOf(const models::UNetResiduals& residuals) {
    std::vector<at::Tensor> all = residuals.skips;
    all.push_back(residuals.middle);
    return all;
}

}  // namespace

/// ControlNets and T2I-Adapters as files, and what they add in one call.
class ControlNetTest : public QObject {
    Q_OBJECT

    QString goldens_;

    [[nodiscard]] std::string at(const QString& relative) const {
        return (goldens_ + "/" + relative).toStdString();
    }

    static std::shared_ptr<const ControlNet> opened(ModelBench& bench, const std::string& path) {
        return std::dynamic_pointer_cast<const ControlNet>(bench.stages().loadControlNet(path, ""));
    }

    /// The residuals of the first call of a run over the whole scene.
    static std::vector<at::Tensor> residualsOf(ModelBench& bench,
                                               const std::shared_ptr<const ControlNet>& net,
                                               const at::Tensor& hint,
                                               const Scene& scene,
                                               const nodes::ControlSettings& settings = {},
                                               int64_t batch = 1) {
        const nodes::Controls controls(
            {{.net = net, .settings = settings, .hintShape = hint.sizes().vec(), .hint = hint}});
        std::vector<at::Tensor> found;
        bench.runWith(net->tree(models::kControlNet), [&] {
            models::StageContext context{bench.residency(), tensor::Record(nullptr)};
            constexpr int64_t kFactor = 8;
            ControlForward forward(
                context,
                controls,
                {.latents = {batch, 4, hint.size(2) / kFactor, hint.size(3) / kFactor},
                 .count = 1});
            const at::Tensor time = at::scalar_tensor(301, at::kLong);
            const sampling::StepInfo step;
            const models::UNetConditioning conditioning{.context = scene.context};
            found = listOf(forward.residuals({.latents = scene.latents,
                                              .timestep = time,
                                              .step = step,
                                              .conditioning = conditioning,
                                              .positives = scene.positives,
                                              .area = scene.area ? &*scene.area : nullptr}));
        });
        return found;
    }

private Q_SLOTS:

    void initTestCase() { goldens_ = testing::controlGoldenFolder(); }

    void everyLayoutHasTheWeightsOfTheFolder_data() {
        const testing::Rows<QString, QString> row("file", "folder");
        for (const QString net : {"sd15_0_0", "sdxl_0_0"}) {
            for (const QString name :
                 {"cldm.safetensors", "control_model.pth", "diffusers.safetensors"}) {
                row(qPrintable(net + " " + name), "files/" + net + "/" + name, "controlnet/" + net);
            }
        }
        for (const QString net : {"sd15_0_full_adapter", "sd15_0_light_adapter"}) {
            row(qPrintable(net), "files/" + net + "/tencent.safetensors", "controlnet/" + net);
        }
        row("xl adapter as one file",
            "controlnet/sdxl_1_full_adapter_xl/diffusion_pytorch_model.safetensors",
            "controlnet/sdxl_1_full_adapter_xl");
    }

    void everyLayoutHasTheWeightsOfTheFolder() {
        QFETCH(QString, file);
        QFETCH(QString, folder);
        ModelBench bench;
        const auto tree = opened(bench, at(file))->tree(models::kControlNet);
        const auto truth = opened(bench, at(folder))->tree(models::kControlNet);
        QCOMPARE(tree->network, truth->network);
        QVERIFY(tree->weights.size() > 10);
        QCOMPARE(testing::weightsOf(*tree) == testing::weightsOf(*truth), true);
    }

    void describeWhatTheyAre_data() {
        const testing::Rows<QString, QString> row("path", "family");
        row("folder", "controlnet/sd15_0_0", "ControlNet for networks with a context 128 wide");
        row("cldm",
            "files/sd15_0_0/cldm.safetensors",
            "ControlNet for networks with a context 128 wide");
        row("adapter",
            "files/sd15_0_light_adapter/tencent.safetensors",
            "T2I-Adapter for SD 1.x and 2.x");
        row("adapter of XL", "controlnet/sdxl_1_full_adapter_xl", "T2I-Adapter for SDXL");
    }

    void describeWhatTheyAre() {
        QFETCH(QString, path);
        ModelBench bench;
        const models::Recognised known = bench.stages().recognise(at(path));
        QCOMPARE(known.problem.str(), std::string());
        QCOMPARE(known.kind, std::string("controlnet"));
        QTEST(QString::fromStdString(known.family), "family");
        QVERIFY(known.isRunnable() && known.stored.bytes() > 0);
    }

    /// Half the bytes in the file are the same numbers as their rounding in f32.
    void halfPrecisionIsItsRounding() {
        ModelBench bench;
        const at::Tensor hint = seededLike({1, 3, 64, 64}, 3).sigmoid();
        const Scene scene{.latents = seededLike({2, 4, 8, 8}, 1),
                          .context = seededLike({2, kTokens, kContextWidth}, 2),
                          .positives = 1};
        const auto half = residualsOf(bench, opened(bench, at("files/sd15_0_0/half")), hint, scene);
        const auto rounded =
            residualsOf(bench, opened(bench, at("files/sd15_0_0/rounded")), hint, scene);
        QCOMPARE(half.size(), size_t(13));
        for (size_t i = 0; i < half.size(); ++i) {
            QVERIFY2(at::equal(half[i], rounded[i]), std::to_string(i).c_str());
        }
    }

    /// A prompt for an area gets that part of the hint, as if the image were no larger.
    void anAreaGetsItsPartOfTheHint() {
        ModelBench bench;
        const auto net = opened(bench, at("controlnet/sd15_0_1"));
        const at::Tensor hint = seededLike({1, 3, 64, 96}, 3).sigmoid();
        const models::LatentArea area{.y = 2, .x = 4, .height = 6, .width = 8};
        const Scene part{.latents = seededLike({1, 4, 6, 8}, 1),
                         .context = seededLike({1, kTokens, kContextWidth}, 2),
                         .area = area,
                         .positives = 1};
        const at::Tensor cut = hint.narrow(2, 16, 48).narrow(3, 32, 64).contiguous();
        Scene alone = part;
        alone.area.reset();
        const auto inArea = residualsOf(bench, net, hint, part);
        const auto ofPart = residualsOf(bench, net, cut, alone);
        for (size_t i = 0; i < inArea.size(); ++i) {
            QVERIFY2(at::equal(inArea[i], ofPart[i]), std::to_string(i).c_str());
        }
    }

    /// One hint for each image: a row is what the image gets alone.
    void everyImageOfABatchMayHaveItsHint() {
        ModelBench bench;
        const auto net = opened(bench, at("controlnet/sd15_0_0"));
        const at::Tensor hints = seededLike({2, 3, 64, 64}, 3).sigmoid();
        const at::Tensor latents = seededLike({4, 4, 8, 8}, 1);  // both halves of two images
        const at::Tensor context = seededLike({4, kTokens, kContextWidth}, 2);
        const auto both = residualsOf(
            bench, net, hints, {.latents = latents, .context = context, .positives = 2}, {}, 2);
        for (int64_t row = 0; row < 4; ++row) {
            const auto alone = residualsOf(bench,
                                           net,
                                           hints.narrow(0, row % 2, 1),
                                           {.latents = latents.narrow(0, row, 1),
                                            .context = context.narrow(0, row, 1),
                                            .positives = 1});
            for (size_t i = 0; i < alone.size(); ++i) {
                QVERIFY2(at::allclose(both[i].narrow(0, row, 1), alone[i], 1e-4, 1e-4),
                         std::to_string(i).c_str());
            }
        }
    }

    void modesScaleByDepth_data() {
        const testing::Rows<int, double> row("mode", "base");
        row("prompt", static_cast<int>(nodes::ControlMode::Prompt), 0.825);
        row("guess", static_cast<int>(nodes::ControlMode::Guess), std::pow(10.0, -1.0 / 12));
    }

    void modesScaleByDepth() {
        QFETCH(int, mode);
        QFETCH(double, base);
        ModelBench bench;
        const auto net = opened(bench, at("controlnet/sd15_0_0"));
        const at::Tensor hint = seededLike({1, 3, 64, 64}, 3).sigmoid();
        const Scene scene{.latents = seededLike({1, 4, 8, 8}, 1),
                          .context = seededLike({1, kTokens, kContextWidth}, 2),
                          .positives = 1};
        const auto plain = residualsOf(bench, net, hint, scene);
        const auto scaled = residualsOf(
            bench,
            net,
            hint,
            scene,
            {.influence = {.strength = 0.5}, .mode = static_cast<nodes::ControlMode>(mode)});
        for (size_t i = 0; i < plain.size(); ++i) {
            const double scale = 0.5 * std::pow(base, 12.0 - static_cast<double>(i));
            QVERIFY2(at::allclose(scaled[i], plain[i] * scale, 1e-5, 1e-6),
                     std::to_string(i).c_str());
        }
    }

    /// A call of negative prompts alone, as areas may make it.
    void guessModeLeavesNegativeCallsAlone() {
        ModelBench bench;
        const auto net = opened(bench, at("controlnet/sd15_0_0"));
        const at::Tensor hint = seededLike({1, 3, 64, 64}, 3).sigmoid();
        const auto found = residualsOf(bench,
                                       net,
                                       hint,
                                       {.latents = seededLike({1, 4, 8, 8}, 1),
                                        .context = seededLike({1, kTokens, kContextWidth}, 2),
                                        .positives = 0},
                                       {.mode = nodes::ControlMode::Guess});
        QCOMPARE(found.size(), size_t(1));
        QVERIFY(!found.front().defined());
    }

    void whatDoesNotGoTogetherIsRefused_data() {
        const testing::Rows<QString, qint64, QStringList> row("kind", "hints", "expected");
        row("a number of hints", "whole", 2, {"2 hints", "for 3 images"});
        row("no hint at all", "whole", 0, {"0 hints", "for 3 images"});
        row("hints of another scale", "small hints", 1, {"4 times", "8 times", "sd15_1"});
        row("more channels than the denoiser", "wide", 1, {"reads 9 channels", "denoiser 4"});
    }

    /// Before the run, on the port of the denoiser.
    void whatDoesNotGoTogetherIsRefused() {
        QFETCH(QString, kind);
        QFETCH(qint64, hints);
        QFETCH(QStringList, expected);
        const QTemporaryDir folder;
        ModelBench bench;
        const auto model = bench.load(at("checkpoints/sd15_1"));
        const nodes::Controls controls(
            {{.net = opened(bench, madeNet(kind, folder)), .hintShape = {hints, 3, 64, 64}}});
        const std::optional<Error> error = testing::errorOf([&] {
            nodes::checkControls(ModelBench::modelOf(model), controls, {3, 4, 8, 8});
        });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("control"));
        QVERIFY(!error->hint().empty());
        for (const QString& part : expected) {
            QVERIFY2(error->message().str().find(part.toStdString()) != std::string::npos,
                     error->message().str().c_str());
        }
    }

    /// A UNet that fills masks has the latent's channels in front.
    void aDenoiserThatFillsMasksIsFollowed() {
        ModelBench bench;
        const auto model =
            bench.load((testing::imageGoldenFolder() + "/checkpoints/inpaint_1").toStdString());
        const auto net = opened(bench, at("controlnet/sd15_1_1"));
        const nodes::Controls controls({{.net = net, .hintShape = {1, 3, 64, 64}}});
        nodes::checkControls(ModelBench::modelOf(model), controls, {1, 4, 8, 8});
        const at::Tensor latents = seededLike({2, 9, 8, 8}, 1);
        const at::Tensor context = seededLike({2, kTokens, 96}, 2);
        const at::Tensor hint = seededLike({1, 3, 64, 64}, 3).abs();
        const auto wide =
            residualsOf(bench, net, hint, {.latents = latents, .context = context, .positives = 1});
        const auto plain =
            residualsOf(bench,
                        net,
                        hint,
                        {.latents = latents.narrow(1, 0, 4), .context = context, .positives = 1});
        QCOMPARE(wide.size(), plain.size());
        for (size_t i = 0; i < wide.size(); ++i) {
            QVERIFY(at::equal(wide[i], plain[i]));
        }
    }

    void aHintHasASize_data() {
        const testing::Rows<bool, QList<qint64>> row("isThere", "shape");
        row("nothing connected", false, {});
        row("not known", true, {});
        row("no width", true, {1, 3, 64, 0});
        row("no height", true, {1, 3, 0, 64});
        row("no image", true, {3, 64});
    }

    void aHintHasASize() {
        QFETCH(bool, isThere);
        QFETCH(QList<qint64>, shape);
        ModelBench bench;
        const auto image = std::make_shared<const nodes::Placeholder>(
            executor::ValueSpec{.type = "IMAGE", .shape = Shape(shape.begin(), shape.end())});
        const auto error = testing::errorOf([&] {
            (void)testing::spec(
                bench.stages(),
                testing::ControlRequest{.controlnet = opened(bench, at("controlnet/sd15_1_1")),
                                        .image = isThere ? image : nullptr});
        });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("image"));
        QVERIFY2(error->message().str().find("no image with a size") != std::string::npos,
                 error->message().str().c_str());
    }

    void otherFilesAreRefused_data() {
        const testing::Rows<QString, QString> row("file", "expected");
        row("nothing there", "no/such/net", "there is no ControlNet");
        row("a checkpoint", "checkpoint", "is no ControlNet or T2I-Adapter that is built");
        row("Control-LoRA", "lora", "Control-LoRA");
        row("union", "union", "ControlNet Union");
        row("cut off", "cut", "cut.safetensors");
        row("a wrong shape", "shape", "zero_convs.1.0.weight");
        row("a missing tensor", "missing", "middle_block_out.0.bias");
        row("groups that no shape states", "groups", "groups.lowtide.json");
        row("a folder without settings", "folder", "has no config.json");
        row("no settings", "settings", "settings/config.json");
        row("another class", "class", "SparseControlNetModel");
        row("hints of one channel", "grey", "conditioning_channels is 1");
    }

    void otherFilesAreRefused() {
        QFETCH(QString, file);
        QFETCH(QString, expected);
        const QTemporaryDir folder;
        const QString path = madeBad(file, folder);
        ModelBench bench;
        const std::optional<Error> error =
            testing::errorOf([&] { (void)bench.stages().loadControlNet(path.toStdString(), ""); });
        QVERIFY(error);
        QCOMPARE(error->item(), std::string("controlnet"));
        QVERIFY2(error->message().str().find(expected.toStdString()) != std::string::npos ||
                     error->hint().str().find(expected.toStdString()) != std::string::npos,
                 (error->message().str() + " / " + error->hint().str()).c_str());
        QVERIFY(error->kind() != ErrorKind::Internal);
    }

private:
    /// sd15_1_1, one whose hints shrink once less ("small hints"), or that reads nine channels
    /// ("wide"); its folder.
    [[nodiscard]] std::string madeNet(const QString& kind, const QTemporaryDir& folder) const {
        const QString own = folder.filePath("net");
        testing::copyFolder(QString::fromStdString(at("controlnet/sd15_1_1")), own);
        const std::string path = (own + "/diffusion_pytorch_model.safetensors").toStdString();
        testing::TensorFile file = testing::readTensorFile(path);
        Json config = parseJson(testing::contentsOf(own + "/config.json").toStdString(), "config");
        if (kind == "small hints") {
            Json& widths = config["conditioning_embedding_out_channels"];
            const size_t levels = widths.size();
            widths.erase(levels - 1);
            const std::string embedding = "controlnet_cond_embedding.";
            for (const size_t block : {2 * (levels - 2), 2 * (levels - 2) + 1}) {
                const std::string name = embedding + "blocks." + std::to_string(block);
                file.erase(name + ".weight");
                file.erase(name + ".bias");
            }
            readFewer(file.at(embedding + "conv_out.weight"), widths.back().get<int64_t>());
        } else if (kind == "wide") {
            config["in_channels"] = 9;
            testing::FileTensor& input = file.at("conv_in.weight");
            input.shape[1] = 9;
            input.bytes.resize(input.bytes.size() / 4 * 9);
        }
        testing::writeTensorFile(path, file);
        testing::writeFile(own + "/config.json", QByteArray::fromStdString(config.dump()));
        return own.toStdString();
    }

    /// The first input channels of a convolution.
    static void readFewer(testing::FileTensor& weight, int64_t channels) {
        const auto outputs = static_cast<size_t>(weight.shape[0]);
        const size_t row = weight.bytes.size() / outputs;
        const size_t kept =
            row / static_cast<size_t>(weight.shape[1]) * static_cast<size_t>(channels);
        std::string bytes;
        for (size_t i = 0; i < outputs; ++i) {
            bytes += weight.bytes.substr(i * row, kept);
        }
        weight.bytes = std::move(bytes);
        weight.shape[1] = channels;
    }

    /// A file or folder of that kind.
    QString madeBad(const QString& kind, const QTemporaryDir& folder) const {
        const QString path = folder.filePath(kind + ".safetensors");
        const auto names = [&](const std::vector<std::string>& tensors) {
            testing::TensorFile file;
            for (const std::string& name : tensors) {
                file[name] = {.type = DType::F32, .shape = {1}, .bytes = std::string(4, '\0')};
            }
            testing::writeTensorFile(path.toStdString(), file);
            return path;
        };
        const auto changed = [&](const std::function<void(testing::TensorFile&)>& change,
                                 const QString& net = "sd15_0_0") {
            testing::TensorFile file =
                testing::readTensorFile(at("files/" + net + "/cldm.safetensors"));
            change(file);
            testing::writeTensorFile(path.toStdString(), file);
            return path;
        };
        const auto config = [&](const QByteArray& text) {
            QDir(folder.path()).mkpath(kind);
            testing::writeFile(folder.filePath(kind + "/config.json"), text);
            return folder.filePath(kind);
        };
        if (kind == "checkpoint") {
            return testing::singleFileFolder() + "/sd15_0.safetensors";
        }
        if (kind == "lora") {
            return names({"lora_controlnet", "input_hint_block.0.weight"});
        }
        if (kind == "union") {
            return names({"task_embedding", "input_hint_block.0.weight"});
        }
        if (kind == "cut") {
            QFile whole(QString::fromStdString(at("files/sd15_0_0/cldm.safetensors")));
            (void)whole.open(QIODevice::ReadOnly);
            testing::writeFile(path, whole.read(whole.size() / 2));
            return path;
        }
        if (kind == "shape") {
            return changed([](testing::TensorFile& file) {
                auto& tensor = file.at("zero_convs.1.0.weight");
                tensor.shape = {tensor.shape[0] * tensor.shape[1], 1, 1, 1};
            });
        }
        if (kind == "missing") {
            return changed(
                [](testing::TensorFile& file) { file.erase("middle_block_out.0.bias"); });
        }
        if (kind == "groups") {  // 24 channels, which 32 groups do not divide
            testing::TensorFile file = testing::readTensorFile(
                at("controlnet/sd15_1_1/diffusion_pytorch_model.safetensors"));
            for (auto& [name, tensor] : file) {
                if (name.starts_with("down_blocks.0.resnets.") && name.ends_with("conv1.weight")) {
                    tensor.bytes.resize(tensor.bytes.size() / 32 * 24);
                    tensor.shape.front() = 24;
                }
            }
            testing::writeTensorFile(path.toStdString(), file);
            return path;
        }
        if (kind == "folder") {
            QDir(folder.path()).mkpath(kind);
            return folder.filePath(kind);
        }
        if (kind == "settings") {
            return config("[]");
        }
        if (kind == "class") {
            return config("{\"_class_name\": \"SparseControlNetModel\"}");
        }
        if (kind == "grey") {
            return config("{\"_class_name\": \"ControlNetModel\", \"conditioning_channels\": 1}");
        }
        return kind;
    }
};

LOWTIDE_TEST(ControlNetTest)

}  // namespace control_net_test

#include "control_net_test.moc"
