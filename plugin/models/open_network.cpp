#include "plugin/models/open_network.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/models/autoencoders/autoencoder_kl.hpp"
#include "plugin/models/autoencoders/wan_autoencoder.hpp"
#include "plugin/models/denoisers/hidream_transformer.hpp"
#include "plugin/models/denoisers/unet2d_condition.hpp"
#include "plugin/models/denoisers/wan_transformer.hpp"
#include "plugin/models/denoisers/zimage_transformer.hpp"
#include "plugin/models/image_prompts/clip_vision_model.hpp"
#include "plugin/models/image_prompts/ip_adapter.hpp"
#include "plugin/models/published_widths.hpp"
#include "plugin/models/text/clip_text_model.hpp"
#include "plugin/models/text/language_model.hpp"
#include "plugin/models/text/t5_encoder.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

namespace {

/// A component's settings and weights, as networks are made of them.
struct Opened {
    Json settings;
    std::string what;  ///< of the settings, in messages
    WeightMap weights;
    std::string className;
};

/// What a file of it alone does not say, the checkpoint does that it is chosen for.
void openUNetOf(const Opened& opened) {
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

/// Latents of 4 channels are Stable Diffusion's, of 16 FLUX's, which HiDream-I1 and Z-Image have.
void openAutoencoderOf(const Opened& opened) {
    constexpr int64_t kLatentChannels[] = {4, 16};
    const AutoencoderConfig config = readAutoencoderConfig(opened.settings, opened.what);
    if (std::count(std::begin(kLatentChannels), std::end(kLatentChannels), config.latentChannels) ==
        0) {
        throw Error(ErrorKind::Unsupported,
                    opened.weights.what + " is an autoencoder of latents with " +
                        std::to_string(config.latentChannels) +
                        " channels, which no model that is built here has",
                    "choose the autoencoder of your model");
    }
    (void)AutoencoderKL(config, opened.weights, kAutoencoder);
}

/// WAN's latents have 16 channels, but 48 in 2.2 5B.
void openWanTransformerOf(const Opened& opened) {
    constexpr int64_t kWanChannels = 16;
    const WanConfig config = readWanConfig(opened.settings, opened.what);
    if (config.outChannels != kWanChannels) {
        throw Error(ErrorKind::Unsupported,
                    opened.weights.what + " makes latents with " +
                        std::to_string(config.outChannels) +
                        " channels; WAN models that are built have " +
                        std::to_string(kWanChannels) + ", WAN 2.2 5B is not built",
                    "choose WAN 2.1, or WAN 2.2 A14B");
    }
    (void)WanTransformer(config, opened.weights, kDenoiser);
}

void openClipTextOf(const Opened& opened) {
    (void)ClipTextModel(readClipTextConfig(opened.settings, opened.what),
                        opened.weights,
                        {.role = std::string(kTextEncoder),
                         .projectsPooled = opened.className == "CLIPTextModelWithProjection"});
}

void openLanguageModelOf(const Opened& opened) {
    (void)LanguageModel(
        readLanguageModelConfig(opened.settings, opened.what), opened.weights, kTextEncoder);
}

void openVisionOf(const Opened& opened) {
    (void)ClipVisionModel(readClipVisionConfig(opened.settings, opened.what),
                          opened.weights,
                          kImageEncoder,
                          ClipVisionState::Penultimate);
}

/// A class of networks, by its name in diffusers or transformers.
struct NetworkClass {
    std::string_view name;
    const char* stem;
    void (*open)(const Opened& opened);
};

constexpr NetworkClass kNetworks[] = {
    {"UNet2DConditionModel", kDiffusersStem, openUNetOf},
    {"AutoencoderKL", kDiffusersStem, openAutoencoderOf},
    {"AutoencoderKLWan",
     kDiffusersStem,
     [](const Opened& opened) {
         (void)WanAutoencoder(
             readWanAutoencoderConfig(opened.settings, opened.what), opened.weights, kAutoencoder);
     }},
    {"WanTransformer3DModel", kDiffusersStem, openWanTransformerOf},
    {"HiDreamImageTransformer2DModel",
     kDiffusersStem,
     [](const Opened& opened) {
         (void)HiDreamTransformer(
             readHiDreamConfig(opened.settings, opened.what), opened.weights, kDenoiser);
     }},
    {"ZImageTransformer2DModel",
     kDiffusersStem,
     [](const Opened& opened) {
         (void)ZImageTransformer(
             readZImageConfig(opened.settings, opened.what), opened.weights, kDenoiser);
     }},
    {"T5EncoderModel",
     kTransformersStem,
     [](const Opened& opened) {
         (void)T5Encoder(
             readT5EncoderConfig(opened.settings, opened.what), opened.weights, kTextEncoder);
     }},
    {"UMT5EncoderModel",
     kTransformersStem,
     [](const Opened& opened) {
         (void)T5Encoder(
             readT5EncoderConfig(opened.settings, opened.what), opened.weights, kTextEncoder);
     }},
    {"CLIPTextModel", kTransformersStem, openClipTextOf},
    {"CLIPTextModelWithProjection", kTransformersStem, openClipTextOf},
    {"LlamaModel", kTransformersStem, openLanguageModelOf},
    {"LlamaForCausalLM", kTransformersStem, openLanguageModelOf},
    {"Qwen3Model", kTransformersStem, openLanguageModelOf},
    {"Qwen3ForCausalLM", kTransformersStem, openLanguageModelOf},
    {"CLIPVisionModel", kTransformersStem, openVisionOf},
    {"CLIPVisionModelWithProjection", kTransformersStem, openVisionOf},
};

/// Published widths of the text encoders that families read, by the start of their classes.
struct EncoderWidths {
    std::string_view classStart;
    const char* setting;  ///< that states the width
    std::span<const int64_t> widths;
};

constexpr int64_t kClipWidths[] = {768, 1024, 1280};  ///< L, H, bigG
constexpr int64_t kXxlWidths[] = {4096};
constexpr int64_t kLlamaWidths[] = {4096};  ///< 3.1 8B
constexpr int64_t kQwenWidths[] = {2560};   ///< 3 4B

constexpr EncoderWidths kEncoderWidths[] = {{"CLIPText", "hidden_size", kClipWidths},
                                            {"T5", "d_model", kXxlWidths},
                                            {"UMT5", "d_model", kXxlWidths},
                                            {"Llama", "hidden_size", kLlamaWidths},
                                            {"Qwen3", "hidden_size", kQwenWidths}};

void refuseUnreadText(const Opened& opened, const std::string& owner) {
    const auto* read = std::find_if(
        std::begin(kEncoderWidths), std::end(kEncoderWidths), [&](const EncoderWidths& each) {
            return opened.className.starts_with(each.classStart);
        });
    if (read == std::end(kEncoderWidths)) {
        return;
    }
    const auto width = JsonReader(opened.settings, opened.what).integer(read->setting);
    if (width && !mayBeOneOf(read->widths, *width)) {
        std::vector<std::string> widths;
        for (const int64_t each : read->widths) {
            widths.push_back(std::to_string(each));
        }
        throw Error(ErrorKind::Unsupported,
                    owner + " is a " + opened.className + " that is " + std::to_string(*width) +
                        " wide; models that are built here read one that is " +
                        join(widths, " or ") + " wide",
                    "choose the text encoder of your model");
    }
}

}  // namespace

void openNetwork(Checkpoint& checkpoint, const std::string& component) {
    const std::string className = checkpoint.componentClass(component);
    const auto* known = std::find_if(std::begin(kNetworks),
                                     std::end(kNetworks),
                                     [&](const auto& each) { return each.name == className; });
    if (known == std::end(kNetworks)) {
        return;
    }
    const std::string file = component + "/config.json";
    const std::string& owner = checkpoint.nameOf(component);
    const Opened opened{.settings = checkpoint.readJson(file),
                        .what = owner + "/" + file,
                        .weights = checkpoint.weights(component, known->stem),
                        .className = className};
    refuseUnreadText(opened, owner);
    known->open(opened);
}

}  // namespace lowtide::models
