#include "plugin/base/text.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/nn/upscalers/rrdb_layout.hpp"
#include "tests/fuzz/checkpoint_guarantees.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"

#include <charconv>
#include <vector>

namespace lowtide::models {

const Layout& autoencoder();
const Layout& denoiser();
const Layout& t5_encoder();
const Layout& clip_vision();

}  // namespace lowtide::models

namespace lowtide::fuzz::single_file_target {

namespace {

using namespace models;

/// What tensors' names begin with, as one letter, so that an input is short.
constexpr std::pair<char, std::string_view> kPrefixes[] = {
    {'U', "model.diffusion_model."},
    {'V', "first_stage_model."},
    {'T', "cond_stage_model.transformer."},
    {'O', "cond_stage_model.model."},
    {'C', "conditioner.embedders."},
    {'=', ""},
};

constexpr const char* kSettings[] = {"unet/config.json",
                                     "transformer/config.json",
                                     "image_encoder/config.json",
                                     "vae/config.json",
                                     "text_encoder/config.json",
                                     "text_encoder_2/config.json",
                                     "tokenizer/tokenizer_config.json",
                                     "tokenizer_2/tokenizer_config.json",
                                     "scheduler/scheduler_config.json"};

Shape shapeOf(std::string_view text) {
    Shape shape;
    for (const std::string& part : split(text, ',')) {
        int64_t size = 0;
        std::from_chars(part.data(), part.data() + part.size(), size);
        shape.push_back(std::max<int64_t>(size, 0));
    }
    return shape;
}

void addTensor(std::string_view line, WeightMap& map) {
    for (const auto& [letter, prefix] : kPrefixes) {
        if (line.starts_with(letter)) {
            const size_t space = std::min(line.find(' '), line.size());
            map.tensors.emplace(std::string(prefix) + std::string(line.substr(1, space - 1)),
                                TensorLocation{.shape = shapeOf(line.substr(space))});
        }
    }
}

/// "Uinput_blocks.0.0.weight 32,4,3,3" is a tensor, "#key text" metadata; from "{" on it is the
/// file next to the checkpoint.
struct Input {
    WeightFileHeader header{.map = {.what = "m.safetensors"}, .metadata = {}};
    std::string_view sidecar;
};

/// Those of all families, then shared ones.
const std::vector<Layout>& layoutsOfFiles() {
    static const std::vector<Layout> kLayouts = [] {
        std::vector<Layout> all;
        for (const Family* family : families()) {
            for (const Network* network : family->networks) {
                all.push_back(denoiserAlone(*network));
            }
            for (const Layout* layout : family->layouts) {
                all.push_back(*layout);
            }
        }
        all.insert(all.end(), {autoencoder(), denoiser(), t5_encoder(), clip_vision()});
        return all;
    }();
    return kLayouts;
}

Input inputOf(std::string_view text) {
    Input input;
    const size_t brace = std::min(text.find('{'), text.size());
    input.sidecar = text.substr(brace);
    for (const std::string& line : split(text.substr(0, brace), '\n')) {
        if (!isValidUtf8(line)) {
            continue;  // headers do not give such names
        }
        if (line.starts_with('#')) {
            const size_t space = std::min(line.find(' '), line.size() - 1);
            input.header.metadata.emplace(line.substr(1, space - 1), line.substr(space + 1));
        } else {
            addTensor(line, input.header.map);
        }
    }
    return input;
}

void checkMap(const WeightMap& map) {
    for (const char* name : {"down_blocks.0.resnets.0.norm1.weight",
                             "up_blocks.1.upsamplers.0.conv.weight",
                             "mid_block.attentions.0.proj_in.weight",
                             "decoder.up_blocks.0.resnets.0.conv1.weight",
                             "decoder.up_blocks.1.upsamplers.0.resample.1.weight",
                             "blocks.0.attn1.to_q.weight",
                             "encoder.block.0.layer.0.SelfAttention.q.weight",
                             "text_model.encoder.layers.0.self_attn.q_proj.weight"}) {
        require(!map.nameInFile || !map.nameInFile(name).empty(), "a name has one in the file");
    }
}

/// Settings are right, or an error; they can be written as the diffusers layout has them.
void checkSettings(Checkpoint& file) {
    for (const char* relative : kSettings) {
        Json settings;
        if (file.has(relative) && takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
                                        [&] { settings = file.readJson(relative); })) {
            require(settings.is_object() && !settings.dump().empty(), "settings are an object");
            (void)checkUNetConfig(settings);
            (void)checkAutoencoderConfig(settings);
        }
    }
    for (const char* component :
         {"unet", "vae", "text_encoder", "text_encoder_2", "transformer", "image_encoder"}) {
        if (!file.componentClass(component).empty()) {
            (void)takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
                        [&] { checkMap(file.weights(component, "")); });
        }
    }
}

/// Of every layout that knows the source.
bool readLayouts(const ModelSource& source) {
    bool isTaken = false;
    for (const Layout& layout : layoutsOfFiles()) {
        if (layout.detect(source) > 0) {
            const bool opened = takes({ErrorKind::Corrupt, ErrorKind::Unsupported}, [&] {
                const std::unique_ptr<Checkpoint> file = layout.open(source, "");
                require(!layout.isComplete() || !file->pipelineClass().empty(),
                        "a checkpoint has a class");
                checkSettings(*file);
                require(!layout.label || !layout.label(*file).empty(), "it is of something");
            });
            isTaken = isTaken || opened;
        }
    }
    return isTaken;
}

bool readUpscaler(const WeightMap& weights) {
    if (!isRrdb(weights)) {
        return false;
    }
    RrdbConfig config;
    const bool isTaken = takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
                               [&] { config = readRrdbConfig(weights); });
    require(!isTaken || (config.width >= 1 && config.growth >= 1 && config.blocks >= 1 &&
                         config.scale() >= 1 && !config.text().empty()),
            "an upscaler has blocks and a scale");
    return isTaken;
}

}  // namespace

bool runInput(std::span<const std::byte> bytes) {
    Input input = inputOf({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const bool isUpscaler = readUpscaler(input.header.map);
    ModelSource source{.path = {.path = "m.safetensors", .name = "m.safetensors"},
                       .header = std::move(input.header),
                       .sidecar = {.name = "m.lowtide.json"}};
    const bool isStated =
        input.sidecar.empty() || takes({ErrorKind::Corrupt, ErrorKind::Unsupported}, [&] {
            source.sidecar = parseSidecar(input.sidecar, "m.lowtide.json");
        });
    const bool isTaken = isStated && readLayouts(source);
    return isTaken || isUpscaler;
}

[[maybe_unused]] const bool isEntered = enterTarget("single_file", runInput);

}  // namespace lowtide::fuzz::single_file_target
