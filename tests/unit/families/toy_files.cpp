#include "tests/unit/families/toy_files.hpp"

#include "plugin/base/json.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <QDir>
#include <QFile>

#include <map>

namespace lowtide::testing {

namespace {

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

}  // namespace

ToyFiles::ToyFiles() : weights_(transformerWeights()) {
    const QString mini = sourcePath("resources/mini/model/");
    for (const char* part : {"text_encoder", "tokenizer", "vae"}) {
        copyFolder(mini + part, folder() + "/" + part);
    }
    QFile::remove(folder() + "/vae/latent_to_rgb.json");  // its colours are the family's
    QDir(folder()).mkpath("transformer");
    QDir(folder()).mkpath("scheduler");
    writeFile(folder() + "/model_index.json", jsonBytes(pipelineIndex()));
    writeFile(folder() + "/scheduler/scheduler_config.json",
              jsonBytes({{"_class_name", "FlowMatchEulerDiscreteScheduler"},
                         {"num_train_timesteps", 1000},
                         {"shift", 3.0},
                         {"use_dynamic_shifting", false}}));
    writeFile(folder() + "/transformer/config.json",
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
    writeTensorFile(at(name).toStdString(),
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
    writeTensorFile(at(name).toStdString(), file);
    return at(name);
}

QString ToyFiles::writeOtherLora(const QString& name) const {
    RandomTensors random(13);
    const std::string layer = "diffusion_model.toys.7.qkv";
    writeTensorFile(
        at(name).toStdString(),
        {{layer + ".lora_A.weight", fileTensorOf(random.make({kRank, kWidth}, 0.3))},
         {layer + ".lora_B.weight", fileTensorOf(random.make({3 * kWidth, kRank}, 0.3))}});
    return at(name);
}

}  // namespace lowtide::testing
