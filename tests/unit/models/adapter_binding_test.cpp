#include "plugin/checkpoints/adapters/adapted_model.hpp"
#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/checkpoints/adapters/bind_adapter.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/memory/component_tree.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/adapter_bench.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <set>

namespace adapter_binding_test {

using namespace lowtide;
using models::AdapterFile;
using models::AdapterLayer;
using models::AdapterTarget;
using models::BoundLayer;

namespace {

constexpr const char* kComponents[] = {"text_encoder", "text_encoder_2", "denoiser"};
/// Every file whose deltas are those of peft.safetensors, or some of them.
constexpr const char* kSameDelta[] = {"kohya",
                                      "kohya_alphas",
                                      "kohya_attention",
                                      "kohya_conv",
                                      "kohya_sgm",
                                      "kohya_unet_only",
                                      "diffusers",
                                      "dotted_sgm",
                                      "old_processor",
                                      "peft",
                                      "peft_metadata"};

/// A model with its trees.
struct Opened {
    std::shared_ptr<const models::Model> model;
    std::vector<std::shared_ptr<const memory::ComponentTree>> trees;
    std::vector<AdapterTarget> targets;

    explicit Opened(const std::string& path) {
        const auto checkpoint = models::openLayout({.path = path, .name = "base"},
                                                   testing::sourcePath("resources").toStdString());
        model = models::openCheckpoint(*checkpoint);
        for (const char* component : kComponents) {
            if (auto tree = model->tree(component)) {
                targets.push_back({component, tree.get()});
                trees.push_back(std::move(tree));
            }
        }
    }
};

files::InputFile inputOf(const AdapterFile& file) {
    return files::InputFile(file.files.front().path);
}

std::string bytesIn(const files::InputFile& file, const models::TensorLocation& location) {
    std::string bytes(
        static_cast<size_t>(elementCount(location.shape).value() * sizeOf(location.type)), '\0');
    file.read(std::as_writable_bytes(std::span(bytes)), location.offset);
    return bytes;
}

/// "denoiser mid_block.attentions.0.proj_in" -> what its factor `down` holds. A text model's names
/// with "text_model.", as peft's file has them.
std::map<std::string, std::string> downsOf(const AdapterFile& file,
                                           const models::BoundAdapter& bound,
                                           const std::vector<AdapterTarget>& targets) {
    const files::InputFile input = inputOf(file);
    std::map<std::string, std::string> downs;
    for (size_t i = 0; i < targets.size(); ++i) {
        for (const BoundLayer& layer : bound.bindings[i].layers) {
            std::string name = targets[i].tree->weights[layer.weight].name;
            const bool isText = targets[i].component != "denoiser";
            if (isText && !name.starts_with("text_model.")) {
                name = "text_model." + name;
            }
            downs[std::string(targets[i].component) + " " + name] =
                bytesIn(input, layer.layer.factors.at("down").location);
        }
    }
    return downs;
}

}  // namespace

/// The reference's LoRA files, in all spellings, at its checkpoints as folders and as single files.
class AdapterBindingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        adapters_ = testing::adapterFileFolder();
        for (const QString base : {"sd15_0", "sd15_1", "sdxl_0", "sdxl_1"}) {
            const bool isXl = base.startsWith("sdxl");
            const QString folder =
                isXl ? testing::xlFileFolder() : testing::goldenFolder() + "/checkpoints";
            const QString single = isXl ? folder : testing::singleFileFolder();
            const QString file = single + "/" + base + ".safetensors";
            models_.try_emplace(base + " folder", (folder + "/" + base).toStdString());
            models_.try_emplace(base + " file", file.toStdString());
        }
    }

    void everyLayerIsWherePeftHasIt_data() { addRows(kSameDelta); }

    /// peft's keys are the module names of diffusers and transformers: the truth for all others.
    void everyLayerIsWherePeftHasIt() {
        QFETCH(QString, base);
        QFETCH(QString, folder);
        QFETCH(QString, file);
        const Opened& model = models_.at(base);
        const AdapterFile other = open(folder + "/" + file + ".safetensors");

        const auto& truth = truthOf(folder);
        const auto bound = models::bindWholeAdapter(other, model.targets, "base");
        const auto downs = downsOf(other, bound, model.targets);

        QVERIFY2(bound.unmatched.empty() && bound.warning.empty(), bound.warning.str().c_str());
        QCOMPARE(downs.size(), other.layers.size());
        size_t same = 0;
        for (const auto& [name, bytes] : downs) {
            const auto expected = truth.find(name);
            if (expected != truth.end()) {
                QVERIFY2(expected->second == bytes, name.c_str());
                ++same;
            } else {
                QVERIFY2(file == "kohya_conv", name.c_str());
            }
        }
        QVERIFY(same >= (file == "kohya_attention" || file == "old_processor" ? 32u : 50u));
        QCOMPARE(same, file == "kohya_conv" ? truth.size() : downs.size());
    }

    void scalesAreThoseOfTheFile() {
        for (const char* folder : {"sd15_0_0", "sd15_0_1"}) {
            const QString location = QString(folder) + "/";
            for (const AdapterLayer& layer : open(location + "kohya.safetensors").layers) {
                QCOMPARE(layer.scale(), 0.5);
            }
            std::set<double> alphas;
            for (const AdapterLayer& layer : open(location + "kohya_alphas.safetensors").layers) {
                QCOMPARE(layer.scale(), *layer.alpha / static_cast<double>(*layer.rank));
                alphas.insert(*layer.alpha);
            }
            QCOMPARE(alphas, (std::set<double>{1, 2, 3}));
            for (const AdapterLayer& layer : open(location + "peft.safetensors").layers) {
                QCOMPARE(layer.scale(), 1.0);
            }
        }
    }

    /// As diffusers writes a config into the file, by module.
    void scalesAreThoseOfPeftsConfig() {
        const AdapterFile file = open("sdxl_0_1/peft_metadata.safetensors");
        for (const AdapterLayer& layer : file.layers) {
            const double expected = layer.component == "text_encoder"                  ? 8
                                    : layer.component == "text_encoder_2"              ? 1
                                    : layer.module == "mid_block.attentions.0.proj_in" ? 1
                                                                                       : 3;
            QCOMPARE(layer.scale(), expected);
        }
    }

    void peftsOwnFolderIsRead() {
        const AdapterFile file = open("sd15_1_0/wrapped/adapter_model.safetensors");
        const Opened& model = models_.at("sd15_1 folder");

        const auto bound = models::bindWholeAdapter(file, model.targets, "base");

        QVERIFY(bound.warning.empty());
        QCOMPARE(file.files.size(), size_t{2});
        for (const AdapterLayer& layer : file.layers) {
            QCOMPARE(layer.scale(), 3.0);
        }
    }

    void torchFilesAreTheSame() {
        const AdapterFile file = open("sd15_1_1/kohya.pt");
        const AdapterFile plain = open("sd15_1_1/kohya.safetensors");
        QCOMPARE(file.layers.size(), plain.layers.size());
        const files::InputFile input = inputOf(file);
        const files::InputFile plainInput = inputOf(plain);
        for (size_t i = 0; i < plain.layers.size(); ++i) {
            QCOMPARE(file.layers[i].name, plain.layers[i].name);
            QCOMPARE(file.layers[i].scale(), plain.layers[i].scale());
            QVERIFY(bytesIn(input, file.layers[i].factors.at("up").location) ==
                    bytesIn(plainInput, plain.layers[i].factors.at("up").location));
        }
    }

    void codeIsNotRun() {
        const auto error = testing::errorOf([&] { (void)open("code.pt"); });
        QVERIFY(error && error->message().str().find("code.pt") != std::string::npos);
        QVERIFY2(error->message().str().find("print") != std::string::npos, error->what());
    }

    void anotherFamilyIsRefused_data() {
        const testing::Rows<QString, QString> row("base", "file");
        row("SD for XL", "sdxl_0 folder", "sd15_0_0/peft.safetensors");
        row("XL for SD", "sd15_0 folder", "sdxl_0_0/kohya_sgm.safetensors");
    }

    void anotherFamilyIsRefused() {
        QFETCH(QString, base);
        QFETCH(QString, file);
        const AdapterFile adapter = open(file);

        const auto error = testing::errorOf(
            [&] { (void)models::bindWholeAdapter(adapter, models_.at(base).targets, "base"); });

        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        const std::string& message = error->message().str();
        for (const std::string& part :
             {adapter.what, std::string("checkpoint base needs one for "), std::string(" wide")}) {
            QVERIFY2(message.find(part) != message.npos, message.c_str());
        }
    }

    /// The second text encoder of FLUX.1, which kohya's trainers call the third.
    void kohyasT5IsThatOfTheModel_data() {
        const testing::Rows<QString, QString> row("down", "up");
        const QString dotted = "text_encoder_2.encoder.block.0.layer.0.SelfAttention.q";
        const QString mangled = "lora_te3_encoder_block_0_layer_0_SelfAttention_q";
        row("diffusers", dotted + ".lora_A.weight", dotted + ".lora_B.weight");
        row("kohya", mangled + ".lora_down.weight", mangled + ".lora_up.weight");
    }

    void kohyasT5IsThatOfTheModel() {
        QFETCH(QString, down);
        QFETCH(QString, up);
        const Opened flux((testing::fluxGoldenFolder() + "/checkpoints/flux_0").toStdString());
        const auto clip = flux.model->tree("text_encoder");
        const auto t5 = flux.model->tree("text_encoder_2");
        const auto query = std::ranges::find(
            t5->weights, "encoder.block.0.layer.0.SelfAttention.q.weight", &memory::Weight::name);
        QVERIFY(query != t5->weights.end());
        const QTemporaryDir folder;
        const std::string path = folder.filePath("t5.safetensors").toStdString();
        testing::writeAdapter(
            path,
            {{down.toStdString(), {4, query->shape[1]}}, {up.toStdString(), {query->shape[0], 4}}});

        const models::AdaptedModel adapted(
            flux.model,
            {.file = std::make_shared<const AdapterFile>(models::openAdapterFile(path))});

        QVERIFY(adapted.warnings().empty());
        QCOMPARE(adapted.tree("text_encoder_2")->weights.size(), t5->weights.size() + 2);
        QCOMPARE(adapted.tree("text_encoder")->weights.size(), clip->weights.size());
    }

    void whatHasNoTargetIsReported() {
        const AdapterFile file = open("sd15_0_0/kohya.safetensors");
        std::vector<AdapterTarget> denoiser = models_.at("sd15_0 folder").targets;
        std::erase_if(denoiser,
                      [](const AdapterTarget& each) { return each.component != "denoiser"; });

        const auto bound = models::bindWholeAdapter(file, denoiser, "base");

        const auto ofText =
            std::count_if(file.layers.begin(), file.layers.end(), [](const AdapterLayer& layer) {
                return layer.component == "text_encoder";
            });
        QVERIFY(ofText > 10);
        QCOMPARE(bound.unmatched.size(), static_cast<size_t>(ofText));
        const QString expected = QString(
                                     "%1 of %2 layers of \"kohya.safetensors\" match nothing in "
                                     "checkpoint base: lora_te_text_model_encoder_layers_0_")
                                     .arg(ofText)
                                     .arg(file.layers.size());
        QVERIFY2(bound.warning.str().starts_with(expected.toStdString()),
                 bound.warning.str().c_str());
        const QString left = QString(" and %1 more").arg(ofText - 10);
        QVERIFY2(bound.warning.str().ends_with(left.toStdString()), bound.warning.str().c_str());
    }

    void whatIsLeftOutHasATrueHint_data() {
        const testing::Rows<QStringList, QString, QString> row("more", "metadata", "hint");
        const QString foreign = "check that the LoRA was trained for this kind of model";
        const QString modulations =
            "differences of modulations (diff_m) are not built; all other layers are used";
        const QString embeddings =
            "embeddings inside a LoRA are not read: save each as a file of its own in a folder of "
            "embeddings";
        row("nothing", {}, "", "");
        row("a layer", {"unet.nowhere.lora_A.weight", "unet.nowhere.lora_B.weight"}, "", foreign);
        row("modulations",
            {"diffusion_model.blocks.0.diff_m", "diffusion_model.head.diff_m"},
            "",
            modulations);
        row("embeddings", {"bundle_emb.cat.string_to_param.*"}, "", embeddings);
        row("both",
            {"bundle_emb.cat.clip_l", "diffusion_model.blocks.0.diff_m"},
            "",
            modulations + "; " + embeddings);
        row("another tensor",
            {"counter"},
            "",
            "tensors without a layer change nothing; all layers are "
            "used");
        row("settings of nobody",
            {},
            R"({"prior.lora_alpha": 16})",
            "compare the strength with the program that the LoRA was made for");
    }

    void whatIsLeftOutHasATrueHint() {
        QFETCH(QStringList, more);
        QFETCH(QString, metadata);
        QFETCH(QString, hint);
        testing::AdapterShapes shapes = testing::loraOf(
            "unet.down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q", 320, 320, 4);
        for (const QString& name : more) {
            shapes.emplace_back(name.toStdString(), Shape{4, 4});
        }
        std::map<std::string, std::string> settings;
        if (!metadata.isEmpty()) {
            settings.emplace("lora_adapter_metadata", metadata.toStdString());
        }
        const AdapterFile file = models::readAdapterHeader(testing::headerOf(shapes, settings));
        const memory::ComponentTree tree = testing::piecesOfUNet();
        const std::vector<AdapterTarget> targets = {{.component = "denoiser", .tree = &tree}};

        const auto bound = models::bindWholeAdapter(file, targets, "base");

        QCOMPARE(bound.warning.empty(), hint.isEmpty());
        QCOMPARE(QString::fromStdString(bound.hint.str()), hint);
    }

private:
    template <class Files>
    void addRows(const Files& files) {
        QTest::addColumn<QString>("base");
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("file");
        for (const auto& [base, model] : models_) {
            for (const char* variant : {"0", "1"}) {
                for (const char* file : files) {
                    const QString folder = base.section(' ', 0, 0) + "_" + variant;
                    QTest::addRow("%s, %s %s", qPrintable(base), variant, file)
                        << base << folder << file;
                }
            }
        }
    }

    AdapterFile open(const QString& file) const {
        return models::openAdapterFile((adapters_ + "/" + file).toStdString());
    }

    /// By the names in a folder's file of peft alone.
    const std::map<std::string, std::string>& truthOf(const QString& folder) {
        std::map<std::string, std::string>& truth = truths_[folder];
        if (truth.empty()) {
            const AdapterFile peft = open(folder + "/peft.safetensors");
            const files::InputFile input = inputOf(peft);
            for (const AdapterLayer& layer : peft.layers) {
                truth[layer.component + " " + layer.module + ".weight"] =
                    bytesIn(input, layer.factors.at("down").location);
            }
        }
        return truth;
    }

    std::map<QString, std::map<std::string, std::string>> truths_;
    QString adapters_;
    std::map<QString, Opened> models_;
};

LOWTIDE_TEST(AdapterBindingTest)

}  // namespace adapter_binding_test

#include "adapter_binding_test.moc"
