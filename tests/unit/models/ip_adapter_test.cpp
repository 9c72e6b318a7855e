#include "nodes/control/image_prompt_forward.hpp"
#include "nodes/control/image_prompted_source.hpp"
#include "nodes/denoise/regional_entries.hpp"
#include "plugin/image/image_file.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/denoisers/unet2d_inputs.hpp"
#include "plugin/nn/image_prompts/clip_vision_model.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/tensor/image_pixels.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <ATen/ATen.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cstring>
#include <functional>
#include <optional>

namespace ip_adapter_test {

using namespace lowtide;
using models::IpAdapter;
using nodes::ImagePromptEntry;
using nodes::ImagePrompts;
using testing::ModelBench;

namespace {

constexpr int64_t kWidth = 128;  ///< of the context of sd15_0
constexpr const char* kBase = "ip/sd15_0_0/ip-adapter_sd15.safetensors";
constexpr const char* kPlus = "ip/sd15_0_1/ip-adapter-plus_sd15.safetensors";
constexpr const char* kOfXl = "ip/sdxl_0_0/ip-adapter_sd15.safetensors";

at::Tensor fileTensor(const testing::FileTensor& tensor) {
    at::Tensor values = at::empty(tensor.shape, at::kFloat);
    std::memcpy(values.mutable_data_ptr(), tensor.bytes.data(), tensor.bytes.size());
    return values;
}

/// Without images: one token each, filled with its number; 0 stands for no image.
ImagePromptEntry entryOf(const std::shared_ptr<const IpAdapter>& adapter, int64_t images) {
    const at::Tensor tokens =
        at::arange(images + 1, at::kFloat).view({-1, 1, 1}).expand({-1, 1, kWidth}).contiguous();
    return {.adapter = adapter, .tokensShape = tokens.sizes().vec(), .tokens = tokens};
}

}  // namespace

/// IP-Adapters as files, and what a denoiser's calls see of images.
class IpAdapterTest : public QObject {
    Q_OBJECT

    QString goldens_;

    [[nodiscard]] QString at(const QString& relative) const { return goldens_ + "/" + relative; }

    static std::shared_ptr<const IpAdapter> opened(ModelBench& bench,
                                                   const QString& path,
                                                   const QString& encoder = {}) {
        return std::dynamic_pointer_cast<const IpAdapter>(bench.stages().loadIpAdapter(
            {.adapter = path.toStdString(), .imageEncoder = encoder.toStdString()}, ""));
    }

    /// What a call of two halves of a batch of two sees.
    static std::vector<models::ImageTokens> activeIn(
        const ImagePrompts& prompts,
        int call,
        int64_t positives = 2,
        const std::optional<models::LatentArea>& area = {}) {
        const nodes::ImagePromptForward forward(
            prompts, {.latents = {2, 4, 8, 8}, .count = 10}, c10::kCPU);
        const at::Tensor latents = at::zeros({4, 4, 8, 8});
        const at::Tensor time = at::scalar_tensor(301, at::kLong);
        sampling::StepInfo step;
        step.taken = call;
        const models::UNetConditioning conditioning{};
        return forward.tokensFor({.latents = latents,
                                  .timestep = time,
                                  .step = step,
                                  .conditioning = conditioning,
                                  .positives = positives,
                                  .area = area ? &*area : nullptr});
    }

private Q_SLOTS:

    void initTestCase() { goldens_ = testing::ipGoldenFolder(); }

    void pixelsAreThoseOfTheReference_data() {
        const testing::Rows<QString, QString> row("image", "golden");
        row("upright", "portrait", "sd1");
        row("wide, of odd sides", "odd", "sd1_plus");
        row("enlarged", "small", "sdxl_unguided");
    }

    /// Bit for bit: resizing, the middle, mean and deviation.
    void pixelsAreThoseOfTheReference() {
        QFETCH(QString, image);
        QFETCH(QString, golden);
        const QByteArray bytes = testing::contentsOf(at("images/" + image + ".png"));
        const image::DecodedImage decoded = image::decodeImage(
            std::as_bytes(std::span(bytes.constData(), static_cast<size_t>(bytes.size()))),
            "picture");
        const at::Tensor ours = models::clipPixels(tensor::pixelsOf(decoded), 56);
        const testing::TensorFile file =
            testing::readTensorFile(at(golden + ".safetensors").toStdString());
        const at::Tensor truth = fileTensor(file.at("ip.pixels"));
        QCOMPARE(ours.sizes(), truth.sizes());
        QVERIFY(at::equal(ours, truth));
    }

    void describeWhatTheyAre_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("family");
        QTest::newRow("base") << kBase << "IP-Adapter for networks with a context 128 wide";
        QTest::newRow("plus") << kPlus << "IP-Adapter Plus for networks with a context 128 wide";
        QTest::newRow("plus, torch") << "ip/sd15_0_1/ip-adapter-plus_sd15.bin"
                                     << "IP-Adapter Plus for networks with a context 128 wide";
    }

    void describeWhatTheyAre() {
        QFETCH(QString, path);
        ModelBench bench;
        const models::Recognised known = bench.stages().recognise(at(path).toStdString());
        QCOMPARE(known.problem.str(), std::string());
        QCOMPARE(known.kind, std::string("ip_adapter"));
        QTEST(QString::fromStdString(known.family), "family");
        QVERIFY(known.isRunnable() && known.stored.bytes() > 0);
    }

    /// A resampler reads states before the last layer, which is no part of its tree.
    void layersBehindWhatIsReadAreLeftOut() {
        ModelBench bench;
        const auto has = [](const IpAdapter& adapter, const char* name) {
            const auto tree = adapter.tree(models::kImageEncoder);
            return std::any_of(tree->weights.begin(), tree->weights.end(), [&](const auto& each) {
                return each.name.find(name) != std::string::npos;
            });
        };
        const auto base = opened(bench, at(kBase));
        const auto plus = opened(bench, at(kPlus));
        QVERIFY(has(*base, "layers.2.") && has(*base, "visual_projection"));
        QVERIFY(has(*plus, "layers.1.") && !has(*plus, "layers.2."));
        QVERIFY(!has(*plus, "visual_projection") && !has(*plus, "post_layernorm"));
    }

    void encodersAreFoundWhereTheyLie_data() {
        const testing::Rows<QString, QString> row("adapter", "encoder");
        row("next to it", "some/a.safetensors", "some/image_encoder");
        row("next to its folder", "some/a.safetensors", "image_encoder");
        row("for SDXL with ViT-H", "sdxl_models/a.safetensors", "models/image_encoder");
        row("for SDXL with bigG", "models/a.safetensors", "sdxl_models/image_encoder");
        row("ComfyUI", "ipadapter/a.safetensors", "clip_vision/tower");
    }

    void encodersAreFoundWhereTheyLie() {
        QFETCH(QString, adapter);
        QFETCH(QString, encoder);
        const QTemporaryDir folder;
        const QString file = folder.filePath(adapter);
        QDir().mkpath(QFileInfo(file).path());
        QVERIFY(QFile::copy(at(kBase), file));
        QDir().mkpath(folder.filePath("clip_vision"));
        testing::writeFile(folder.filePath("clip_vision/another.safetensors"), "no tensors");
        testing::copyFolder(at("ip/sd15_0_0/image_encoder"), folder.filePath(encoder));
        ModelBench bench;
        const auto found = opened(bench, file);
        QVERIFY(found);
        QCOMPARE(found->encoder().config().imageSize, 56);
        QCOMPARE(opened(bench, file), found);
    }

    void otherFilesAreRefused_data() {
        const testing::Rows<QString, QString, QString> add("file", "expected", "item");
        const auto row = [&](const char* file, const char* expected, const char* item = "adapter") {
            add(file, file, expected, item);
        };
        row("nothing there", "there is no IP-Adapter");
        row("face", "face recognition network");
        row("face plus", "face recognition network");
        row("full face", "Full Face");
        row("lora", "is no IP-Adapter");
        row("cut", "cut.safetensors");
        row("no key", "ip_adapter.3.to_k_ip.weight");
        row("even number", "ip_adapter.1.to_k_ip.weight");
        row("strange name", "ip_adapter.one.to_k_ip.weight");
        row("narrow pair", "ip_adapter.1.to_v_ip.weight");
        row("whole numbers", "ip_adapter.1.to_k_ip.weight");
        row("incomplete tokens", "no whole number of tokens");
        row("missing bias", "image_proj.proj.bias");
        row("no encoder", "40 wide", "image_encoder");
        row("wide encoder", "gives 40 numbers", "image_encoder");
        row("absent encoder", "there is no image encoder", "image_encoder");
        row("encoder without settings",
            "whose number of heads no shape determines",
            "image_encoder");
    }

    void otherFilesAreRefused() {
        QFETCH(QString, file);
        QFETCH(QString, expected);
        const QTemporaryDir folder;
        const auto [path, encoder] = madeBad(file, folder);
        ModelBench bench;
        const std::optional<Error> error = testing::errorOf(
            [&, path = path, encoder = encoder] { (void)opened(bench, path, encoder); });
        QVERIFY(error);
        QTEST(QString::fromStdString(error->item()), "item");
        QVERIFY2(error->message().str().find(expected.toStdString()) != std::string::npos,
                 (error->message().str() + " / " + error->hint().str()).c_str());
        QVERIFY(error->kind() != ErrorKind::Internal);
    }

    /// What loading it refuses, its check does.
    void aDamagedOneIsNoneThatRuns_data() {
        const testing::Rows<QString, QString> row("file", "base");
        for (const char* file : {"no key",
                                 "even number",
                                 "narrow pair",
                                 "whole numbers",
                                 "incomplete tokens",
                                 "missing bias"}) {
            row(file, file, "");
        }
        row("resampler without a norm", "layers.0.1.0.weight", kPlus);
        row("resampler without an output", "proj_out.bias", kPlus);
    }

    void aDamagedOneIsNoneThatRuns() {
        QFETCH(QString, file);
        QFETCH(QString, base);
        const QTemporaryDir folder;
        QString path = folder.filePath("resampler.safetensors");
        if (base.isEmpty()) {
            path = madeBad(file, folder).first;
        } else {
            testing::TensorFile tensors = testing::readTensorFile(at(base).toStdString());
            QCOMPARE(tensors.erase("image_proj." + file.toStdString()), size_t{1});
            testing::writeTensorFile(path.toStdString(), tensors);
        }
        ModelBench bench;
        const models::Recognised known = bench.stages().recognise(path.toStdString());
        QCOMPARE(known.kind, std::string("ip_adapter"));
        QVERIFY(!known.isRunnable());
        QVERIFY2(known.problem.str().find("image_proj.") != std::string::npos ||
                     known.problem.str().find("ip_adapter.") != std::string::npos,
                 known.problem.str().c_str());
    }

    void anotherFamilyIsRefused() {
        ModelBench bench;
        const auto model = bench.load(at("checkpoints/sd15_0").toStdString());
        const ImagePrompts prompts({entryOf(opened(bench, at(kOfXl)), 1)});
        const std::optional<Error> error = testing::errorOf([&] {
            nodes::checkImagePrompts(ModelBench::modelOf(model), prompts, {1, 4, 8, 8});
        });
        QVERIFY(error);
        QCOMPARE(error->item(), std::string("image_prompt"));
        for (const char* part : {"ip-adapter_sd15.safetensors", "sd15_0", "192 wide", "128 wide"}) {
            QVERIFY2(error->message().str().find(part) != std::string::npos,
                     error->message().str().c_str());
        }
    }

    /// The pairs of the way up stand before that of the middle in a file, behind it in the tree.
    void pairsGoToTheirAttentions() {
        ModelBench bench;
        const auto model = bench.load(at("checkpoints/sd15_0").toStdString());
        const auto adapter = opened(bench, at(kBase));
        const auto source = nodes::withImagePrompts(
            ModelBench::modelOf(model),
            std::make_shared<const ImagePrompts>(std::vector{entryOf(adapter, 1)}));
        const auto tree = source->tree(models::kDenoiser);
        const auto plain = ModelBench::modelOf(model).tree(models::kDenoiser);
        QCOMPARE(tree->networkId(), plain->id);
        std::map<std::string, std::string> keyOf;
        for (const memory::Leaf& leaf : tree->leaves) {
            if (leaf.addedCount > 0) {
                const memory::WeightId key = leaf.ownWeights()[leaf.ownWeights().size() - 2];
                keyOf[leaf.name] = tree->storages[tree->weights[key].storage].key;
            }
        }
        const auto count = static_cast<int>(adapter->file().pairs.size());
        QCOMPARE(static_cast<int>(keyOf.size()), count);
        const std::string end = ".transformer_blocks.0.attn2";
        QCOMPARE(keyOf.at("down_blocks.0.attentions.0" + end),
                 std::string("ip_adapter.1.to_k_ip.weight"));
        QCOMPARE(keyOf.at("mid_block.attentions.0" + end),
                 "ip_adapter." + std::to_string(2 * count - 1) + ".to_k_ip.weight");
    }

    /// [uncond, uncond, cond, cond]: the tokens of all images in a row.
    void imagesAreReadTogether() {
        ModelBench bench;
        const ImagePrompts prompts({entryOf(opened(bench, at(kBase)), 2)});
        const auto seen = activeIn(prompts, 0);
        QCOMPARE(seen.size(), size_t(1));
        const at::Tensor tokens = seen.front().tokens.select(2, 0);
        QVERIFY(
            at::equal(tokens, at::tensor({0.F, 0.F, 0.F, 0.F, 1.F, 2.F, 1.F, 2.F}).view({4, 2})));
        const auto negatives = activeIn(prompts, 0, 0);
        QVERIFY(at::equal(negatives.front().tokens.select(2, 0), at::zeros({4, 2})));
    }

    void weightsApplyToEachImage() {
        ModelBench bench;
        ImagePromptEntry entry = entryOf(opened(bench, at(kBase)), 3);
        entry.settings = {.influence = {.strength = 2}, .weights = {1, 0, 0.25}};
        const auto seen = activeIn(ImagePrompts({entry}), 0);
        QCOMPARE(seen.size(), size_t(2));  // a weight of 0 is not computed
        QCOMPARE(seen[0].strength, 2.0);
        QCOMPARE(seen[1].strength, 0.5);
        QVERIFY(
            at::equal(seen[1].tokens.select(2, 0), at::tensor({0.F, 0.F, 3.F, 3.F}).view({4, 1})));
    }

    void imagesActInTheirRangeOfTheCalls_data() {
        const testing::Rows<double, double, int, int> row("start", "end", "first", "count");
        row("all", 0.0, 1.0, 0, 10);
        row("late", 0.3, 1.0, 3, 7);
        row("early", 0.0, 0.5, 0, 5);
    }

    void imagesActInTheirRangeOfTheCalls() {
        QFETCH(double, start);
        QFETCH(double, end);
        QFETCH(int, first);
        QFETCH(int, count);
        ModelBench bench;
        ImagePromptEntry entry = entryOf(opened(bench, at(kBase)), 1);
        entry.settings = {.influence = {.start = start, .end = end}};
        const ImagePrompts prompts({entry});
        for (int call = 0; call < 10; ++call) {
            QCOMPARE(!activeIn(prompts, call).empty(), call >= first && call < first + count);
        }
    }

    /// Two nodes of one file have one pair, two files have two.
    void adaptersHaveTheirPositions() {
        ModelBench bench;
        const auto base = opened(bench, at(kBase));
        const auto plus = opened(bench, at(kPlus));
        const ImagePrompts prompts({entryOf(plus, 1), entryOf(base, 1), entryOf(plus, 1)});
        const auto seen = activeIn(prompts, 0);
        QCOMPARE(seen.size(), size_t(3));
        QCOMPARE(seen[0].adapter, size_t(0));
        QCOMPARE(seen[1].adapter, size_t(1));
        QCOMPARE(seen[2].adapter, size_t(0));
    }

    void anAreaGetsItsPartOfTheMask() {
        ModelBench bench;
        ImagePromptEntry entry = entryOf(opened(bench, at(kBase)), 1);
        entry.mask = at::rand({1, 1, 64, 64});
        entry.maskShape = {1, 1, 64, 64};
        const models::LatentArea area{.y = 2, .x = 4, .height = 6, .width = 3};
        const auto seen = activeIn(ImagePrompts({entry}), 0, 2, area);
        QVERIFY(at::equal(seen.front().mask, entry.mask.narrow(2, 16, 48).narrow(3, 32, 24)));
    }

    void everyImageOfABatchMayHaveItsMask() {
        ModelBench bench;
        ImagePromptEntry entry = entryOf(opened(bench, at(kBase)), 1);
        entry.mask = at::rand({2, 1, 8, 8});
        entry.maskShape = {2, 1, 8, 8};
        const at::Tensor mask = activeIn(ImagePrompts({entry}), 0).front().mask;
        QVERIFY(at::equal(mask, at::cat({entry.mask, entry.mask})));
    }

private:
    /// A file of that kind, and the image encoder to choose.
    std::pair<QString, QString> madeBad(const QString& kind, const QTemporaryDir& folder) const {
        const QString path = folder.filePath(kind + ".safetensors");
        const QString encoder = at("ip/sd15_0_0/image_encoder");
        const auto named = [&](const std::vector<std::string>& tensors) {
            testing::TensorFile file;
            for (const std::string& name : tensors) {
                file[name] = {.type = DType::F32, .shape = {1}, .bytes = std::string(4, '\0')};
            }
            testing::writeTensorFile(path.toStdString(), file);
            return std::pair(path, encoder);
        };
        const auto changed = [&](const std::function<void(testing::TensorFile&)>& change) {
            testing::TensorFile file = testing::readTensorFile(at(kBase).toStdString());
            change(file);
            testing::writeTensorFile(path.toStdString(), file);
            return std::pair(path, encoder);
        };
        const auto renamed = [&](const char* to) {
            return changed([&](testing::TensorFile& file) {
                auto tensor = file.extract("ip_adapter.1.to_k_ip.weight");
                tensor.key() = to;
                file.insert(std::move(tensor));
            });
        };
        if (kind == "face") {
            return named({"image_proj.proj.0.weight",
                          "image_proj.proj.2.weight",
                          "image_proj.norm.weight",
                          "ip_adapter.1.to_k_ip.weight"});
        }
        if (kind == "face plus") {
            return named(
                {"image_proj.perceiver_resampler.proj_in.weight", "ip_adapter.1.to_k_ip.weight"});
        }
        if (kind == "full face") {
            return named({"image_proj.proj.0.weight",
                          "image_proj.proj.3.weight",
                          "ip_adapter.1.to_k_ip.weight"});
        }
        if (kind == "lora") {
            return named({"lora_unet_mid_block_attentions_0_proj_in.lora_up.weight"});
        }
        if (kind == "cut") {
            const QByteArray whole = testing::contentsOf(at(kBase));
            testing::writeFile(path, whole.left(whole.size() / 2));
            return {path, encoder};
        }
        if (kind == "no key") {
            return changed(
                [](testing::TensorFile& file) { file.erase("ip_adapter.3.to_k_ip.weight"); });
        }
        if (kind == "even number") {
            return renamed("ip_adapter.2.to_k_ip.weight");
        }
        if (kind == "strange name") {
            return renamed("ip_adapter.one.to_k_ip.weight");
        }
        if (kind == "narrow pair") {
            return changed([](testing::TensorFile& file) {
                auto& tensor = file.at("ip_adapter.1.to_v_ip.weight");
                tensor.shape = {tensor.shape[0] * 2, tensor.shape[1] / 2};
            });
        }
        if (kind == "whole numbers") {
            return changed([](testing::TensorFile& file) {
                file.at("ip_adapter.1.to_k_ip.weight").type = DType::I32;
            });
        }
        if (kind == "incomplete tokens") {
            return changed([](testing::TensorFile& file) {
                auto& tensor = file.at("image_proj.norm.weight");
                tensor.shape = {tensor.shape[0] - 1};
                tensor.bytes.resize(tensor.bytes.size() - 4);
            });
        }
        if (kind == "missing bias") {
            return changed([](testing::TensorFile& file) { file.erase("image_proj.proj.bias"); });
        }
        if (kind == "nothing there") {
            return {kind, encoder};
        }
        (void)changed([](testing::TensorFile&) {});
        if (kind == "no encoder") {
            return {path, {}};
        }
        if (kind == "absent encoder") {
            return {path, "no/such/tower"};
        }
        if (kind == "wide encoder") {
            return {at(kPlus), folderOfTower(folder, R"("hidden_size": 40)")};
        }
        return {path, at("ip/sd15_0_0/image_encoder/model.safetensors")};
    }

    /// A copy of the tower whose settings differ.
    QString folderOfTower(const QTemporaryDir& folder, const QByteArray& setting) const {
        const QString tower = folder.filePath("tower");
        testing::copyFolder(at("ip/sd15_0_0/image_encoder"), tower);
        QByteArray text = testing::contentsOf(tower + "/config.json");
        text.replace(R"("hidden_size": 48)", setting);
        testing::writeFile(tower + "/config.json", text);
        return tower;
    }
};

LOWTIDE_TEST(IpAdapterTest)

}  // namespace ip_adapter_test

#include "ip_adapter_test.moc"
