#include "plugin/base/error.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/nn/autoencoders/autoencoder_kl.hpp"
#include "plugin/nn/denoisers/unet2d_condition.hpp"
#include "plugin/nn/image_prompts/clip_vision_model.hpp"
#include "plugin/nn/text/clip_text_model.hpp"
#include "plugin/nn/text/language_model.hpp"
#include "plugin/nn/text/t5_encoder.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace lowtide::models {

namespace {

/// Settings that a file of it alone does not state come from the checkpoint that it is chosen for.
void openUNetOf(const OpenedNetwork& opened) {
    constexpr const char* kLevels = "block_out_channels";
    constexpr const char* kAdded = "projection_class_embeddings_input_dim";
    constexpr const char* kOfNumber = "addition_time_embed_dim";
    constexpr int64_t kPublished = 256;
    if (!opened.settings.contains(kLevels)) {
        return;
    }
    Json settings = opened.settings;
    if (settings.contains(kAdded) && settings.value(kOfNumber, Json()).is_null()) {
        settings[kOfNumber] = kPublished;
    }
    (void)UNet2DCondition(readUNet2DConfig(settings, opened.what), opened.weights, kDenoiser);
}

/// Published latents of images have 4 channels, or 16.
void openAutoencoderOf(const OpenedNetwork& opened) {
    constexpr int64_t kLatentChannels[] = {4, 16};
    const AutoencoderConfig config = readAutoencoderConfig(opened.settings, opened.what);
    if (std::count(std::begin(kLatentChannels), std::end(kLatentChannels), config.latentChannels) ==
        0) {
        throw Error(ErrorKind::Unsupported,
                    message("{} is an autoencoder of latents with {} channels, which no model that "
                            "is built here has",
                            opened.weights.what,
                            config.latentChannels),
                    message("choose the autoencoder of your model"));
    }
    (void)AutoencoderKL(config, opened.weights, kAutoencoder);
}

void openClipTextOf(const OpenedNetwork& opened) {
    (void)ClipTextModel(readClipTextConfig(opened.settings, opened.what),
                        opened.weights,
                        {.role = std::string(kTextEncoder),
                         .projectsPooled = opened.className == "CLIPTextModelWithProjection"});
}

void openLanguageModelOf(const OpenedNetwork& opened) {
    (void)LanguageModel(
        readLanguageModelConfig(opened.settings, opened.what), opened.weights, kTextEncoder);
}

void openVisionOf(const OpenedNetwork& opened) {
    (void)ClipVisionModel(readClipVisionConfig(opened.settings, opened.what),
                          opened.weights,
                          kImageEncoder,
                          ClipVisionState::Penultimate);
}

void openT5Of(const OpenedNetwork& opened) {
    (void)T5Encoder(
        readT5EncoderConfig(opened.settings, opened.what), opened.weights, kTextEncoder);
}

bool hasAll(const WeightMap& map, const std::string& prefix, auto... names) {
    return (map.tensors.contains(prefix + names) && ...);
}

bool hasUNet(const WeightMap& map, const std::string& prefix) {
    return hasAll(map, prefix, "input_blocks.0.0.weight", "out.2.weight", "time_embed.0.weight") ||
           hasAll(
               map, prefix, "conv_in.weight", "conv_out.weight", "time_embedding.linear_1.weight");
}

std::string_view unetArchitecture(const WeightMap& map, const std::string& prefix) {
    std::string_view usual;
    for (const Family* family : families()) {
        for (const std::string_view name : family->unet.tensors) {
            if (hasAll(map, prefix, std::string(name))) {
                return family->unet.architecture;
            }
        }
        if (family->unet.tensors.empty() && usual.empty()) {
            usual = family->unet.architecture;
        }
    }
    return usual;
}

std::optional<NetworkNaming> findUNet(const WeightMap& map) {
    for (const std::string& prefix : {std::string(kLdmUNet), std::string()}) {
        if (hasUNet(map, prefix)) {
            return NetworkNaming{.prefix = prefix, .architecture = unetArchitecture(map, prefix)};
        }
    }
    return std::nullopt;
}

/// Those that several families have.
const Network kShared[] = {
    {.classes = {"UNet2DConditionModel"},
     .open = openUNetOf,
     .models = "Stable Diffusion 1.x, 2.x, XL",
     .find = findUNet,
     .evidence = "model.diffusion_model.out.2.weight, out.2.weight, conv_out.weight"},
    {.classes = {"AutoencoderKL"}, .open = openAutoencoderOf},
    {.classes = {"T5EncoderModel", "UMT5EncoderModel"},
     .stem = kTransformersStem,
     .open = openT5Of,
     .widthSetting = "d_model",
     .widths = {4096}},  // XXL
    {.classes = {"CLIPTextModel", "CLIPTextModelWithProjection"},
     .stem = kTransformersStem,
     .open = openClipTextOf,
     .widthSetting = "hidden_size",
     .widths = {768, 1024, 1280}},  // L, H, bigG
    {.classes = {"LlamaModel", "LlamaForCausalLM"},
     .stem = kTransformersStem,
     .open = openLanguageModelOf,
     .widthSetting = "hidden_size",
     .widths = {4096}},  // 3.1 8B
    {.classes = {"Qwen3Model", "Qwen3ForCausalLM"},
     .stem = kTransformersStem,
     .open = openLanguageModelOf,
     .widthSetting = "hidden_size",
     .widths = {2560}},  // 3 4B
    {.classes = {"CLIPVisionModel", "CLIPVisionModelWithProjection"},
     .stem = kTransformersStem,
     .open = openVisionOf},
};

}  // namespace

const std::vector<const Network*>& networks() {
    static const std::vector<const Network*> kAll = [] {
        std::vector<const Network*> all;
        for (const Network& shared : kShared) {
            all.push_back(&shared);
        }
        for (const Family* family : families()) {
            all.insert(all.end(), family->networks.begin(), family->networks.end());
        }
        return all;
    }();
    return kAll;
}

}  // namespace lowtide::models
