#include "plugin/families/sd15/sd15_model.hpp"

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/families/sd15/sd15_precision.hpp"
#include "plugin/families/sd15/sd15_preview.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/nn/denoisers/unet2d_cut.hpp"
#include "plugin/nn/denoisers/unet2d_denoiser.hpp"
#include "plugin/tensor/stage_values.hpp"

namespace lowtide::models {

namespace {

/// As StableDiffusionPipeline takes it, whatever old files say: timesteps lie one higher. What is
/// no number is left for its reader to refuse. Source: diffusers 0.42.1,
/// pipeline_stable_diffusion.py.
Json schedulerOf(Checkpoint& checkpoint) {
    Json config = readScheduler(checkpoint);
    if (!config.is_object()) {
        return config;
    }
    const std::string named =
        JsonReader(config, checkpoint.name() + "/scheduler/scheduler_config.json")
            .text("_class_name")
            .value_or("");
    const bool hasOffset = named != "DPMSolverSinglestepScheduler";
    if (config.contains("steps_offset") ? config["steps_offset"].is_number_integer() : hasOffset) {
        config["steps_offset"] = 1;
    }
    return config;
}

/// Checked first, so that the message names the class and not a missing file.
Checkpoint& withKnownComponents(Checkpoint& checkpoint) {
    const auto require = [&](const char* component,
                             std::initializer_list<std::string_view> classes) {
        requireComponent(checkpoint, "sd15", component, classes);
    };
    require("text_encoder", {"CLIPTextModel"});
    require("tokenizer", {"CLIPTokenizer", "CLIPTokenizerFast"});
    require("unet", {"UNet2DConditionModel"});
    require("vae", {"AutoencoderKL"});
    return checkpoint;
}

/// Of OpenCLIP H, which Stable Diffusion 2.x has without its last layer.
constexpr int64_t kLayersWithoutLast = 23;

/// Pixels that the checkpoint was trained at; a single file, which does not state them, has those
/// of its kind.
int64_t usualPixelsOf(const UNet2DConfig& unet, const ModelInfo& info) {
    constexpr int64_t kWidthOf1 = 768;
    constexpr int64_t kWidthOf2 = 1024;
    constexpr int64_t kSide = 512;
    constexpr int64_t kSideOfVelocity = 768;
    if (unet.latentPixels > 0) {
        return unet.latentPixels * info.latent.factor * info.latent.factor;
    }
    const bool isVelocity = info.schedulerConfig.is_object() &&
                            info.schedulerConfig.contains("prediction_type") &&
                            info.schedulerConfig["prediction_type"] == "v_prediction";
    return unet.contextWidth() == kWidthOf2 && isVelocity ? kSideOfVelocity * kSideOfVelocity
           : unet.contextWidth() == kWidthOf1 || unet.contextWidth() == kWidthOf2 ? kSide * kSide
                                                                                  : 0;
}

/// Latents are scaled, and nothing else. Source: diffusers 0.42.1 StableDiffusionPipeline.
void requireScaleAlone(const AutoencoderConfig& config, const std::string& what) {
    const bool isShifted = config.shiftFactor != 0;
    if (isShifted || !config.latentsMean.empty()) {
        throw Error(ErrorKind::Unsupported,
                    what + ": " + (isShifted ? "shift_factor" : "latents_mean") +
                        " is set, which Stable Diffusion 1.x and 2.x do not know",
                    "choose another checkpoint, or another autoencoder");
    }
}

}  // namespace

std::vector<ComponentDesc> sd15Components() {
    return {{.role = std::string(kTextEncoder), .label = "Text encoder"},
            {.role = std::string(kDenoiser), .label = "Denoiser"},
            {.role = std::string(kAutoencoder), .label = "Autoencoder"}};
}

Sd15Model::Sd15Model(Checkpoint& checkpoint)
    : text_(withKnownComponents(checkpoint), "tokenizer", {.role = std::string(kTextEncoder)}),
      unet_(openUNet(checkpoint)),
      autoencoder_(openAutoencoder(checkpoint)) {
    checkChannels(checkpoint, unet_.config(), autoencoder_.config());
    checkContext(checkpoint, unet_.config(), {{std::string(kTextEncoder), text_.config().width}});
    requireScaleAlone(autoencoder_.config(), checkpoint.name() + "/vae/config.json");
    if (unet_.config().addedWidth > 0) {
        throw Error(ErrorKind::Unsupported,
                    "checkpoint " + checkpoint.name() +
                        ": its denoiser adds a pooled text to the time (addition_embed_type), "
                        "which sd15 does not have",
                    "choose another checkpoint",
                    checkpoint.itemOf("unet"));
    }
    fillInfo(checkpoint);
}

void Sd15Model::fillInfo(Checkpoint& checkpoint) {
    info_.family = "sd15";
    info_.checkpoint = checkpoint.name();
    info_.denoiser = checkpoint.nameOf("unet");
    info_.schedulerConfig = schedulerOf(checkpoint);
    info_.latent = latentSpaceOf(autoencoder_.config());
    info_.usual.pixels = usualPixelsOf(unet_.config(), info_);
    info_.ownClipSkip = text_.config().layers == kLayersWithoutLast ? 1 : 0;
    info_.fillsMasks = unet_.config().inChannels > info_.latent.channels;
    info_.embedsGuidance = unet_.config().guidanceWidth > 0;
    info_.spreadsStrength = checkpoint.pipelineClass() == "LatentConsistencyModelPipeline";
    info_.conditioning = {
        .fields = {{tensor::kEmbeds, tensor::FieldKind::Sequence, text_.config().width},
                   {tensor::kPooled, tensor::FieldKind::Vector, text_.config().width}}};
    info_.cachePoints = {.deepest = deepestCut(unet_.config()), .firstBlock = firstLevelCut()};
    info_.latentToRgb = latentToRgbOf(checkpoint, info_.latent.channels);
    info_.files = checkpoint.files();
}

std::shared_ptr<const memory::ComponentTree> Sd15Model::tree(std::string_view role) const {
    return role == kTextEncoder ? text_.model().tree() : openedTree(role);
}

std::shared_ptr<const memory::ComponentTree> Sd15Model::openedTree(std::string_view role) const {
    if (role == kTextEncoder) {
        return text_.openedTree();
    }
    for (const auto* known : {&unet_.tree(), &autoencoder_.tree()}) {
        if ((*known)->role == role) {
            return *known;
        }
    }
    return nullptr;
}

const memory::FamilyPrecision& Sd15Model::precisions() const {
    constexpr int64_t kWidthOfVersion1 = 768;
    return sd15Precisions(unet_.config().contextWidth() > kWidthOfVersion1 ||
                          unet_.config().upcastsAttention);
}

TextPair Sd15Model::textsOf(const PromptRequest& request) const {
    const PromptWeights weights = promptWeightsNamed(request.weights);
    // In diffusers clip_skip is the prompt's alone; where weights came from it is the encoder's.
    const int negativeSkip = weights == PromptWeights::None ? -1 : request.clipSkip;
    return {text_.tokenizer(),
            weights,
            {.text = request.spokenPrompt(), .parameter = "prompt", .clipSkip = request.clipSkip},
            {.text = request.negative, .parameter = "negative", .clipSkip = negativeSkip},
            text_.embeddingsIn(request.embeddings.get(), kClipL)};
}

PromptsOutline Sd15Model::outlinePrompts(const PromptRequest& request) const {
    const TextPair texts = textsOf(request);
    const int64_t width = text_.config().width;
    const auto outlined = [&](const CutPrompt& text) {
        return ConditioningOutline(
            info_.conditioning.fields,
            {{.tensors = {{tensor::kEmbeds, {1, texts.tokensOf(text), width}},
                          {tensor::kPooled, {1, width}}}}});
    };
    return {.positive = outlined(texts.positive()),
            .negative = outlined(texts.negative()),
            .cutTokens = {{"prompt", texts.positive().cutTokens},
                          {"negative", texts.negative().cutTokens}},
            .embeddings = texts.embeddings(),
            .counts = texts.counts(text_.role(), "CLIP")};
}

EncodedPrompts Sd15Model::encodePrompts(StageContext& context, const PromptRequest& request) const {
    Pass pass(context, *text_.model().tree());
    const TextPair texts = textsOf(request);
    const TextPair::Outputs outputs = texts.encode(pass, text_.model());
    context.record.put("embeds.prompt", outputs.positive.embeds);
    context.record.put("embeds.negative", outputs.negative.embeds);
    const auto conditioningOf = [&](const ClipTextModel::Output& output, bool isNegative) {
        return std::make_shared<const tensor::Conditioning>(
            info_.conditioning.fields,
            std::vector<tensor::ConditioningEntry>{
                {.tensors = {{tensor::kEmbeds, output.embeds}, {tensor::kPooled, output.pooled}}}},
            isNegative ? request.negative : request.prompt,
            isNegative ? texts.negativeSkip() : texts.positiveSkip(),
            std::vector<std::string>(),
            (isNegative ? texts.negative() : texts.positive()).embeddings.hashes());
    };
    return {.positive = conditioningOf(outputs.positive, false),
            .negative = conditioningOf(outputs.negative, true)};
}

bool Sd15Model::guidesByBatch(double cfg) const {
    return cfg > 1 && !info_.embedsGuidance;
}

std::unique_ptr<sampling::Denoiser> Sd15Model::makeDenoiser(StageContext& context,
                                                            const DenoiserRequest& request) const {
    return std::make_unique<UNet2DDenoiser>(context, unet_, request);
}

at::Tensor Sd15Model::decode(StageContext& context, const at::Tensor& latents) const {
    Pass pass(context, *autoencoder_.tree());
    return autoencoder_.decode(pass, latents);
}

at::Tensor Sd15Model::encode(StageContext& context, const at::Tensor& pixels) const {
    Pass pass(context, *autoencoder_.tree());
    return autoencoder_.encode(pass, pixels);
}

}  // namespace lowtide::models
