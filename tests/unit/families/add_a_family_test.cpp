// The recipe docs/recipes/add_a_family.md, followed once: the folder `toy` and one line of
// CMakeLists.txt. Everything else here is the program.

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/adapter_bench.hpp"
#include "tests/unit/models/converted_file.hpp"
#include "tests/unit/models/dry_run_case.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QString>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace add_a_family_test {

using namespace lowtide;
using nodes::WireRef;
using testing::FileTensor;
using testing::ModelBench;
using testing::TensorFile;

namespace {

/// In whose words a file names the toy's weights.
enum class ToyWords : uint8_t {
    Diffusers,
    Own,
    OwnOfWhole,  ///< its own behind the prefix that whole checkpoints have
    Kohya,       ///< of adapters: its own without dots
    Bare         ///< of adapters: its own, and nothing states of which component
};

/// Checkpoints of the toy family with random weights, and adapters for them. Names are spelled out
/// here, as other programs would write them.
class ToyFiles {
public:
    /// Writes the folder: the toy's transformer, text encoder and autoencoder of the mini model.
    ToyFiles();

    /// A checkpoint in the diffusers layout.
    [[nodiscard]] QString folder() const { return at("toy_model"); }

    [[nodiscard]] QString at(const QString& name) const { return folder_.filePath(name); }

    /// The transformer alone in a file of that name. Its path.
    QString writeTransformer(const QString& name, ToyWords words) const;
    /// A LoRA of two layers, the fused one whole where the words have it so. Its path.
    QString writeLora(const QString& name, ToyWords words) const;
    /// The same for a layer that the toy does not have, in its words. Its path.
    QString writeOtherLora(const QString& name) const;

private:
    QTemporaryDir folder_;
    TensorFile weights_;  ///< in diffusers' words
};

constexpr int64_t kWidth = 128;
constexpr int64_t kSinusoids = 64;
constexpr int64_t kPatchNumbers = 16;
constexpr int64_t kRank = 4;
constexpr int kBlocks = 2;

/// Weights of random numbers, the same ones in every run.
class RandomTensors {
public:
    explicit RandomTensors(uint64_t seed) : generator_(at::detail::createCPUGenerator(seed)) {}

    at::Tensor make(at::IntArrayRef shape, double deviation, double mean = 0) {
        return at::randn(shape, generator_, at::kFloat) * deviation + mean;
    }

private:
    at::Generator generator_;
};

FileTensor fileTensorOf(const at::Tensor& tensor) {
    const at::Tensor own = tensor.contiguous();
    return {.type = DType::F32,
            .shape = own.sizes().vec(),
            .bytes = std::string(static_cast<const char*>(own.const_data_ptr()), own.nbytes())};
}

void addLinear(
    TensorFile& file, RandomTensors& random, const std::string& name, int64_t out, int64_t in) {
    file[name + ".weight"] = fileTensorOf(random.make({out, in}, 0.05));
    file[name + ".bias"] = fileTensorOf(random.make({out}, 0.02));
}

TensorFile transformerWeights() {
    RandomTensors random(7);
    TensorFile file;
    addLinear(file, random, "patch_in", kWidth, kPatchNumbers);
    addLinear(file, random, "words_in", kWidth, kWidth);
    addLinear(file, random, "clock.inner", kWidth, kSinusoids);
    addLinear(file, random, "clock.outer", kWidth, kWidth);
    addLinear(file, random, "patch_out", kPatchNumbers, kWidth);
    file["norm_out.weight"] = fileTensorOf(random.make({kWidth}, 0.1, 1));
    file["norm_out.bias"] = fileTensorOf(random.make({kWidth}, 0.02));
    for (int i = 0; i < kBlocks; ++i) {
        const std::string block = "toy_blocks." + std::to_string(i) + ".";
        addLinear(file, random, block + "modulation", 4 * kWidth, kWidth);
        addLinear(file, random, block + "attn.to_out.0", kWidth, kWidth);
        for (const char* name : {"attn.to_q", "attn.to_k", "attn.to_v"}) {
            file[block + name + ".weight"] = fileTensorOf(random.make({kWidth, kWidth}, 0.1));
        }
        file[block + "feed.w1.weight"] = fileTensorOf(random.make({2 * kWidth, kWidth}, 0.05));
        file[block + "feed.w2.weight"] = fileTensorOf(random.make({kWidth, 2 * kWidth}, 0.05));
        file[block + "feed.w3.weight"] = fileTensorOf(random.make({2 * kWidth, kWidth}, 0.05));
    }
    return file;
}

FileTensor joinedRows(const std::vector<FileTensor>& parts) {
    FileTensor whole = parts.front();
    whole.shape.front() = 0;
    whole.bytes.clear();
    for (const FileTensor& part : parts) {
        whole.shape.front() += part.shape.front();
        whole.bytes += part.bytes;
    }
    return whole;
}

TensorFile inOwnWords(const TensorFile& diffusers, const std::string& prefix) {
    std::map<std::string, std::string> names = {{"norm_out.weight", "last.norm.weight"},
                                                {"norm_out.bias", "last.norm.bias"}};
    const auto addLayer = [&](const std::string& ours, const std::string& own) {
        names[ours + ".weight"] = own + ".weight";
        names[ours + ".bias"] = own + ".bias";
    };
    addLayer("patch_in", "in_patch");
    addLayer("words_in", "in_words");
    addLayer("clock.inner", "clock.0");
    addLayer("clock.outer", "clock.2");
    addLayer("patch_out", "last.linear");
    TensorFile file;
    for (int i = 0; i < kBlocks; ++i) {
        const std::string block = "toy_blocks." + std::to_string(i) + ".";
        const std::string own = "toys." + std::to_string(i) + ".";
        addLayer(block + "modulation", own + "mod");
        addLayer(block + "attn.to_out.0", own + "out");
        for (const char* name : {"feed.w1.weight", "feed.w2.weight", "feed.w3.weight"}) {
            names[block + name] = own + name;
        }
        file[prefix + own + "qkv.weight"] = joinedRows({diffusers.at(block + "attn.to_q.weight"),
                                                        diffusers.at(block + "attn.to_k.weight"),
                                                        diffusers.at(block + "attn.to_v.weight")});
    }
    for (const auto& [ours, own] : names) {
        file[prefix + own] = diffusers.at(ours);
    }
    return file;
}

QByteArray jsonBytes(const Json& json) {
    return QByteArray::fromStdString(json.dump(1));
}

const Json& pipelineIndex() {
    static const Json index = {{"_class_name", "ToyTransformerPipeline"},
                               {"scheduler", {"diffusers", "FlowMatchEulerDiscreteScheduler"}},
                               {"text_encoder", {"transformers", "CLIPTextModel"}},
                               {"tokenizer", {"transformers", "CLIPTokenizer"}},
                               {"transformer", {"diffusers", "ToyTransformer2DModel"}},
                               {"vae", {"diffusers", "AutoencoderKL"}}};
    return index;
}

ToyFiles::ToyFiles() : weights_(transformerWeights()) {
    const QString mini = testing::sourcePath("resources/mini/model/");
    for (const char* part : {"text_encoder", "tokenizer", "vae"}) {
        testing::copyFolder(mini + part, folder() + "/" + part);
    }
    QFile::remove(folder() + "/vae/latent_to_rgb.json");  // its colours are the family's
    QDir(folder()).mkpath("transformer");
    QDir(folder()).mkpath("scheduler");
    testing::writeFile(folder() + "/model_index.json", jsonBytes(pipelineIndex()));
    testing::writeFile(folder() + "/scheduler/scheduler_config.json",
                       jsonBytes({{"_class_name", "FlowMatchEulerDiscreteScheduler"},
                                  {"num_train_timesteps", 1000},
                                  {"shift", 3.0},
                                  {"use_dynamic_shifting", false}}));
    testing::writeFile(folder() + "/transformer/config.json",
                       jsonBytes({{"_class_name", "ToyTransformer2DModel"},
                                  {"in_channels", 4},
                                  {"num_layers", kBlocks},
                                  {"text_width", kWidth},
                                  {"width", kWidth}}));
    (void)writeTransformer("toy_model/transformer/diffusion_pytorch_model.safetensors",
                           ToyWords::Diffusers);
}

QString ToyFiles::writeTransformer(const QString& name, ToyWords words) const {
    const std::string prefix = words == ToyWords::OwnOfWhole ? "model.diffusion_model." : "";
    testing::writeTensorFile(
        at(name).toStdString(),
        words == ToyWords::Diffusers ? weights_ : inOwnWords(weights_, prefix));
    return at(name);
}

QString ToyFiles::writeLora(const QString& name, ToyWords words) const {
    RandomTensors random(11);
    const at::Tensor fusedDown = random.make({kRank, kWidth}, 0.3);
    const at::Tensor fusedUp = random.make({3 * kWidth, kRank}, 0.3);
    const at::Tensor down = random.make({kRank, kWidth}, 0.3);
    const at::Tensor up = random.make({4 * kWidth, kRank}, 0.3);
    const bool isKohya = words == ToyWords::Kohya;
    TensorFile file;
    const auto add = [&](const std::string& layer, const at::Tensor& in, const at::Tensor& out) {
        file[layer + (isKohya ? ".lora_down.weight" : ".lora_A.weight")] = fileTensorOf(in);
        file[layer + (isKohya ? ".lora_up.weight" : ".lora_B.weight")] = fileTensorOf(out);
    };
    if (words == ToyWords::Diffusers) {
        const std::string block = "transformer.toy_blocks.1.";
        const std::vector<at::Tensor> thirds = fusedUp.chunk(3);
        add(block + "attn.to_q", fusedDown, thirds[0]);
        add(block + "attn.to_k", fusedDown, thirds[1]);
        add(block + "attn.to_v", fusedDown, thirds[2]);
        add(block + "modulation", down, up);
    } else {
        const std::string block = isKohya                   ? "lora_unet_toys_1_"
                                  : words == ToyWords::Bare ? "toys.1."
                                                            : "diffusion_model.toys.1.";
        add(block + "qkv", fusedDown, fusedUp);
        add(block + "mod", down, up);
    }
    testing::writeTensorFile(at(name).toStdString(), file);
    return at(name);
}

QString ToyFiles::writeOtherLora(const QString& name) const {
    RandomTensors random(13);
    const std::string layer = "diffusion_model.toys.7.qkv";
    testing::writeTensorFile(
        at(name).toStdString(),
        {{layer + ".lora_A.weight", fileTensorOf(random.make({kRank, kWidth}, 0.3))},
         {layer + ".lora_B.weight", fileTensorOf(random.make({3 * kWidth, kRank}, 0.3))}});
    return at(name);
}

constexpr int64_t kSide = 64;  ///< pixels
constexpr const char* kLabel = "Toy of 2 blocks";
constexpr std::pair<const char*, ToyWords> kFileWords[] = {{"diffusers", ToyWords::Diffusers},
                                                           {"own", ToyWords::Own},
                                                           {"own, whole", ToyWords::OwnOfWhole}};
constexpr std::pair<const char*, ToyWords> kLoraWords[] = {{"diffusers", ToyWords::Diffusers},
                                                           {"own", ToyWords::Own},
                                                           {"kohya", ToyWords::Kohya},
                                                           {"bare", ToyWords::Bare}};

double relativeDifference(const at::Tensor& a, const at::Tensor& b) {
    return ((a - b).norm() / b.norm()).item<double>();
}

bool isFinite(const at::Tensor& tensor) {
    return at::isfinite(tensor).all().item<bool>();
}

/// Sources of a folder whose text the pattern finds, relative to the top folder.
QStringList sourcesWith(const QString& folder, const QRegularExpression& pattern) {
    const QStringList sources = {"*.cpp", "*.hpp", "*.cu", "*.cmake", "CMakeLists.txt", "*.py"};
    const QDir top(testing::sourcePath(""));
    QStringList found;
    QDirIterator files(top.filePath(folder), sources, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        if (pattern.match(QString::fromUtf8(testing::contentsOf(path))).hasMatch()) {
            found << top.relativeFilePath(path);
        }
    }
    return found;
}

}  // namespace

class AddAFamilyTest : public QObject {
    Q_OBJECT

    const ToyFiles files_;
    ModelBench bench_;

    [[nodiscard]] nodes::Stages& stages() { return bench_.stages(); }

    [[nodiscard]] WireRef folderModel() { return bench_.load(files_.folder().toStdString()); }

    /// The denoiser's file, with the folder's text encoder and autoencoder.
    [[nodiscard]] WireRef fileModel(const QString& denoiser) {
        const auto part = [&](const char* item, const char* folder) {
            const QString path = files_.folder() + "/" + folder;
            return stages().loadPart({.item = item, .files = {{"file", path.toStdString()}}}, "");
        };
        return stages().loadDiffusionModel({.file = denoiser.toStdString(),
                                            .textEncoder = part("text_encoder", "text_encoder"),
                                            .autoencoder = part("autoencoder", "vae")},
                                           "");
    }

    [[nodiscard]] WireRef adapted(const WireRef& model, const QString& lora) {
        return stages().loadAdapter({.model = model, .file = lora.toStdString()}, "").model;
    }

    /// Two steps with both prompts, which are not connected.
    [[nodiscard]] static testing::DenoiseRequest denoising(const WireRef& model) {
        return {.model = model, .steps = 2, .cfg = 2, .seed = 5};
    }

    /// The latent of an image.
    [[nodiscard]] static WireRef denoised(ModelBench& bench, const WireRef& model) {
        testing::EncodeResult prompts;
        bench.runWith(model, models::kTextEncoder, [&] {
            prompts =
                testing::encodePrompt(bench.stages(),
                                      {.model = model, .prompt = "a red cat", .negative = "blurry"},
                                      bench.call("encode"));
        });
        testing::DenoiseRequest request = denoising(model);
        request.positive = prompts.positive;
        request.negative = prompts.negative;
        request.latent =
            testing::run(bench.stages(),
                         testing::EmptyLatentRequest{.widthPixels = kSide, .heightPixels = kSide},
                         bench.call("empty"))
                .front();
        WireRef result;
        bench.runWith(testing::spec(bench.stages(), request).components(), [&] {
            result = testing::run(bench.stages(), request, bench.call("denoise")).front();
        });
        return result;
    }

    [[nodiscard]] at::Tensor samples(const WireRef& model) {
        return dynamic_cast<const tensor::Latents&>(*denoised(bench_, model)).samples().clone();
    }

    [[nodiscard]] std::string refusalOf(const WireRef& model, const QString& lora) {
        const auto error = testing::errorOf([&] { (void)adapted(model, lora); });
        return error ? error->message().str() : std::string();
    }

private Q_SLOTS:

    void theListHasTheToyBehindTheProgramsOwn() {
        std::vector<std::string> names;
        for (const models::Family* family : models::families()) {
            names.push_back(family->name);
        }
        QVERIFY(names.size() > 1);
        QCOMPARE(names.back(), std::string("toy"));
    }

    void theFolderIsRecognised() {
        const models::Recognised known = stages().recognise(files_.folder().toStdString());

        QVERIFY2(known.problem.empty(), known.problem.str().c_str());
        QCOMPARE(known.kind, std::string("checkpoint"));
        QCOMPARE(known.family, std::string(kLabel));
        QVERIFY(known.readiness == models::Readiness::Runs);
    }

    void fileWords_data() const {
        QTest::addColumn<int>("words");
        for (const auto& [row, words] : kFileWords) {
            QTest::newRow(row) << static_cast<int>(words);
        }
    }

    void theFileIsRecognised_data() { fileWords_data(); }

    void theFileIsRecognised() {
        QFETCH(int, words);
        const QString file = files_.writeTransformer(QString("file_%1.safetensors").arg(words),
                                                     static_cast<ToyWords>(words));

        const models::Recognised known = stages().recognise(file.toStdString());

        QVERIFY2(known.problem.empty(), known.problem.str().c_str());
        QCOMPARE(known.kind, std::string("diffusion_model"));
        QCOMPARE(known.layout, std::string("toy_denoiser"));
        QCOMPARE(known.family, std::string(kLabel));
        QVERIFY(known.readiness == models::Readiness::Runs);
    }

    void theModelStatesWhatTheFamilyStates() {
        const models::Model& model = ModelBench::modelOf(folderModel());

        const models::ModelInfo& info = model.info();
        QCOMPARE(info.family, std::string("toy"));
        QCOMPARE(info.usual.pixels, int64_t{64 * 64});
        QCOMPARE(info.usual.cfg, 2.0);
        QCOMPARE(info.latent.multiple, int64_t{16});
        QVERIFY(info.latentToRgb);
        QCOMPARE(info.latentToRgb->ofChannels.front(), (models::LatentToRgb::Colour{0.25, 0, 0}));
        std::vector<std::string> roles;
        for (const models::ComponentDesc& component : model.components()) {
            roles.push_back(component.role);
        }
        QCOMPARE(roles, (std::vector<std::string>{"text_encoder", "denoiser", "autoencoder"}));
    }

    void theFolderDenoisesAndDecodes() {
        const WireRef model = folderModel();

        const WireRef latent = denoised(bench_, model);

        WireRef image;
        bench_.runWith(model, models::kAutoencoder, [&] {
            image = testing::run(stages(),
                                 testing::DecodeRequest{.model = model, .latent = latent},
                                 bench_.call("decode"))
                        .front();
        });
        const at::Tensor& made = dynamic_cast<const tensor::Latents&>(*latent).samples();
        QCOMPARE(made.sizes().vec(), (Shape{1, 4, kSide / 8, kSide / 8}));
        QVERIFY(isFinite(made));
        const at::Tensor& pixels = dynamic_cast<const tensor::Images&>(*image).pixels();
        QCOMPARE(pixels.sizes().vec(), (Shape{1, 3, kSide, kSide}));
        QVERIFY(isFinite(pixels));
    }

    void theDryRunTakesTheBytesOfTheRun() {
        ModelBench bench({.kind = "fake"});
        const WireRef model = bench.load(files_.folder().toStdString());
        (void)denoised(bench, model);
        const Bytes taken = bench.activationPeak();

        const testing::StageSpec spec = testing::spec(
            bench.stages(),
            testing::known(testing::shapesOf(model, {.width = kSide, .height = kSide}),
                           denoising(model)));

        QCOMPARE(spec.dryRun({"fake"}).activations, taken);
    }

    void theFileHasTheBitsOfTheFolder_data() { fileWords_data(); }

    void theFileHasTheBitsOfTheFolder() {
        QFETCH(int, words);
        const QString file = files_.writeTransformer(QString("file_%1.safetensors").arg(words),
                                                     static_cast<ToyWords>(words));

        const at::Tensor ofFile = samples(fileModel(file));

        QVERIFY(at::equal(ofFile, samples(folderModel())));
    }

    void aLoraIsTakenInAllWords_data() {
        QTest::addColumn<int>("words");
        for (const auto& [row, words] : kLoraWords) {
            QTest::newRow(row) << static_cast<int>(words);
        }
    }

    void aLoraIsTakenInAllWords() {
        QFETCH(int, words);
        const QString lora = files_.writeLora(QString("lora_%1.safetensors").arg(words),
                                              static_cast<ToyWords>(words));
        const QString first = files_.writeLora("first.safetensors", ToyWords::Diffusers);
        const WireRef model = folderModel();

        const at::Tensor changed = samples(adapted(model, lora));

        QVERIFY(relativeDifference(changed, samples(model)) > 1e-3);
        QVERIFY(at::equal(changed, samples(adapted(model, first))));
        const models::Recognised known = stages().recognise(lora.toStdString());
        QVERIFY2(known.family.starts_with("LoRA for Toy, rank 4"), known.family.c_str());
        QVERIFY(known.readiness == models::Readiness::Runs);
    }

    void aLoraOfAnotherFamilyIsRefusedByName() {
        const QString lora = files_.at("flux.safetensors");
        testing::writeLora(
            lora.toStdString(), "single_transformer_blocks.0.attn.to_q.weight", {3072, 3072});

        const std::string refusal = refusalOf(folderModel(), lora);

        QVERIFY2(refusal.find("LoRA for FLUX.1") != std::string::npos, refusal.c_str());
        QVERIFY2(refusal.find("needs one for Toy") != std::string::npos, refusal.c_str());
    }

    void anotherFamilyRefusesTheToysLoraByName() {
        const QString lora = files_.writeLora("to_mini.safetensors", ToyWords::Own);

        const std::string refusal = refusalOf(bench_.load("builtin:mini"), lora);

        QVERIFY2(refusal.find("LoRA for Toy") != std::string::npos, refusal.c_str());
    }

    void aLoraOfLayersThatItLacksIsRefused() {
        const QString lora = files_.writeOtherLora("other.safetensors");

        const std::string refusal = refusalOf(folderModel(), lora);

        QVERIFY2(refusal.find("none of its layers matches") != std::string::npos, refusal.c_str());
        QVERIFY2(refusal.find("toys.7.qkv") != std::string::npos, refusal.c_str());
    }

    void aConvertedFileIsTheToy_data() {
        const testing::Rows<bool, QString, QString, double> row(
            "ofFolder", "storage", "encoded", "allowed");
        // The largest differences that were seen are a quarter of these.
        row("q8_0 of the file", false, "q8_0", "q8_0", 0.0015);
        row("q8_0 of the folder", true, "q8_0", "q8_0", 0.0015);
        row("f8 of the file", false, "f8", "f8_e4m3", 0.007);
        row("f8 of the folder", true, "f8", "f8_e4m3", 0.007);
    }

    void aConvertedFileIsTheToy() {
        QFETCH(bool, ofFolder);
        QFETCH(QString, storage);
        QFETCH(QString, encoded);
        QFETCH(double, allowed);
        const QString source = ofFolder
                                   ? files_.folder()
                                   : files_.writeTransformer("source.safetensors", ToyWords::Own);
        const bool isGguf = storage.startsWith("q");
        const QString out =
            files_.at(ofFolder ? "of_folder" : "of_file") + (isGguf ? ".gguf" : ".safetensors");

        (void)testing::converted(source, storage.toStdString(), out);

        const testing::ReadTensors weights = testing::readWeights(out.toStdString());
        const auto storageOf = [&](const char* ofDiffusers, const char* own) {
            return weights.at(ofFolder ? ofDiffusers : own).storage;
        };
        QCOMPARE(storageOf("toy_blocks.0.attn.to_q.weight", "toys.0.qkv.weight"),
                 encoded.toStdString());
        QCOMPARE(storageOf("toy_blocks.1.feed.w2.weight", "toys.1.feed.w2.weight"),
                 encoded.toStdString());
        // In WAN such names remain precise.
        QCOMPARE(storageOf("toy_blocks.0.modulation.weight", "toys.0.mod.weight"),
                 encoded.toStdString());
        for (const auto& [ofDiffusers, own] :
             {std::pair("patch_in.weight", "in_patch.weight"),
              std::pair("words_in.weight", "in_words.weight"),
              std::pair("patch_out.weight", "last.linear.weight")}) {
            QCOMPARE(storageOf(ofDiffusers, own), std::string("F32"));
        }
        if (isGguf) {
            QCOMPARE(models::openWeightFile(out.toStdString()).metadata.at("general.architecture"),
                     std::string("toy"));
        }
        QCOMPARE(stages().recognise(out.toStdString()).family, std::string(kLabel));
        const double difference =
            relativeDifference(samples(fileModel(out)), samples(folderModel()));
        qInfo("differs by %.5f", difference);
        QVERIFY(difference > 0 && difference < allowed);
    }

    void convertNamesItAmongTheDenoisers() {
        const auto error = testing::errorOf([&] {
            (void)testing::converted(files_.folder() + "/vae/diffusion_pytorch_model.safetensors",
                                     "f8",
                                     files_.at("no.safetensors"));
        });
        QVERIFY(error);
        QVERIFY2(error->message().str().find(", Toy)") != std::string::npos, error->what());
    }

    void presetsAreThoseOfTheFamily_data() {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<QString>("role");
        QTest::addColumn<QString>("compute");
        const auto row = [](const char* preset, const char* role, const char* compute) {
            QTest::addRow("%s, %s", preset, role) << preset << role << compute;
        };
        row("quality", "denoiser", "f32");
        row("balanced", "denoiser", "bf16");
        row("balanced", "text_encoder", "bf16");
        row("balanced", "autoencoder", "f32");
        row("speed", "autoencoder", "bf16");
    }

    void presetsAreThoseOfTheFamily() {
        QFETCH(QString, preset);
        QFETCH(QString, role);
        QFETCH(QString, compute);
        constexpr int kHopper = 90;
        const models::Model& model = ModelBench::modelOf(folderModel());
        const auto resolved = [&](const std::string& choice) {
            return memory::toJson(
                memory::resolvePrecision(memory::parsePrecision(choice),
                                         model.precisions(),
                                         role.toStdString(),
                                         memory::NumericTraits::ofCuda(kHopper),
                                         [] { return std::set<memory::FileType>{DType::F32}; }));
        };

        const Json plain = resolved(preset.toStdString());

        QCOMPARE(plain.at("compute"), Json(compute.toStdString()));
        const bool keeps = role == "denoiser" && compute == "bf16";
        QCOMPARE(plain.at("keep_f32"), keeps ? Json({"clock"}) : Json::array());
        const Json inF8 = resolved(preset.toStdString() + ",storage=f8");
        QCOMPARE(inF8.at("keep_from_f8"),
                 role == "denoiser" ? Json({"norm", "patch_in", "words_in", "patch_out"})
                                    : Json::array());
    }

    /// Searches all sources: shared code may not contain its name.
    void nothingElseNamesIt() {
        const QString own = "tests/unit/families/";
        const QRegularExpression names("ToyTransformer|toy_blocks|\\btoys\\.");
        const QRegularExpression word("\\btoy\\b", QRegularExpression::CaseInsensitiveOption);
        for (const char* folder : {"plugin", "nodes", "ui", "cli", "examples"}) {
            QCOMPARE(sourcesWith(folder, word), QStringList());
        }
        for (const QString& path : sourcesWith("tests", names)) {
            QVERIFY2(path.startsWith(own), qPrintable(path));
        }
    }

    void oneLineAddsIt() {
        const QString cmake = QString::fromUtf8(
            testing::contentsOf(testing::sourcePath("tests/unit/families/CMakeLists.txt")));
        QCOMPARE(cmake.split('\n').filter(QRegularExpression("\\btoy\\b")),
                 QStringList("lowtide_add(family toy)"));
    }
};

LOWTIDE_TEST(AddAFamilyTest)

}  // namespace add_a_family_test

#include "add_a_family_test.moc"
