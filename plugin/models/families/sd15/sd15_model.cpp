#include "plugin/models/families/sd15/sd15_model.hpp"

#include "plugin/base/error.hpp"
#include "plugin/models/blocks/pass.hpp"
#include "plugin/models/denoisers/unet2d_cut.hpp"
#include "plugin/models/families/sd15/sd15_denoiser.hpp"
#include "plugin/models/families/sd15/sd15_precision.hpp"
#include "plugin/models/families/sd15/sd15_preview.hpp"
#include "plugin/models/text/text_pair.hpp"
#include "plugin/sampling/inpainting.hpp"
#include "plugin/tensor/stage_values.hpp"

namespace lowtide::models {

namespace {

constexpr const char* kTransformersStem = "model";
constexpr const char* kDiffusersStem = "diffusion_pytorch_model";

std::string nameIn(const Checkpoint& checkpoint, const char* file) {
    return checkpoint.name() + "/" + file;
}

void requireComponent(const Checkpoint& checkpoint,
                      const char* component,
                      std::initializer_list<std::string_view> classes) {
    const std::string seen = checkpoint.componentClass(component);
    for (const std::string_view known : classes) {
        if (seen == known) {
            return;
        }
    }
    throw Error(ErrorKind::Unsupported,
                "checkpoint " + checkpoint.name() + ": " + component + " is " +
                    (seen.empty() ? "missing" : "a " + seen) + ", sd15 needs a " +
                    std::string(*classes.begin()),
                "choose another checkpoint",
                "checkpoint");
}

/// As StableDiffusionPipeline takes it, whatever old files say: timesteps lie one higher, and clean
/// latents have no bound, also where the file's own class knows none (docs/decisions/0037). What is
/// no number and no flag is left for its reader to refuse. Source: diffusers 0.42.1,
/// pipeline_stable_diffusion.py.
Json schedulerOf(Checkpoint& checkpoint) {
    const char* file = "scheduler/scheduler_config.json";
    Json config = checkpoint.readJson(file);
    if (!config.is_object()) {
        return config;
    }
    const std::string named =
        JsonReader(config, nameIn(checkpoint, file)).text("_class_name").value_or("");
    const bool hasOffset = named != "DPMSolverSinglestepScheduler";
    if (config.contains("steps_offset") ? config["steps_offset"].is_number_integer() : hasOffset) {
        config["steps_offset"] = 1;
    }
    const auto clips = config.find("clip_sample");
    if (clips == config.end() || clips->is_null() || clips->is_boolean()) {
        config["clip_sample"] = false;
    }
    return config;
}

/// Checked first, so that the message names the class and not a missing file.
Checkpoint& withKnownComponents(Checkpoint& checkpoint) {
    requireComponent(checkpoint, "tokenizer", {"CLIPTokenizer", "CLIPTokenizerFast"});
    requireComponent(checkpoint, "text_encoder", {"CLIPTextModel"});
    requireComponent(checkpoint, "unet", {"UNet2DConditionModel"});
    requireComponent(checkpoint, "vae", {"AutoencoderKL"});
    return checkpoint;
}

ClipTextConfig readText(Checkpoint& checkpoint) {
    const char* file = "text_encoder/config.json";
    return readClipTextConfig(checkpoint.readJson(file), nameIn(checkpoint, file));
}

UNet2DCondition openUNet(Checkpoint& checkpoint) {
    const char* file = "unet/config.json";
    const UNet2DConfig config =
        readUNet2DConfig(checkpoint.readJson(file), nameIn(checkpoint, file));
    return {config, checkpoint.weights("unet", kDiffusersStem)};
}

AutoencoderKL openAutoencoder(Checkpoint& checkpoint) {
    const char* file = "vae/config.json";
    const AutoencoderConfig config =
        readAutoencoderConfig(checkpoint.readJson(file), nameIn(checkpoint, file));
    return {config, checkpoint.weights("vae", kDiffusersStem)};
}

/// Of a denoiser that fills masks: the latent, a mask and the masked picture.
int64_t channelsWithMask(int64_t latentChannels) {
    return latentChannels + 1 + latentChannels;
}

}  // namespace

Sd15Model::Sd15Model(Checkpoint& checkpoint)
    : textConfig_(readText(withKnownComponents(checkpoint))),
      textWeights_(checkpoint.laterWeights("text_encoder", kTransformersStem)),
      tokenizer_(checkpoint, "tokenizer", textConfig_.positions),
      unet_(openUNet(checkpoint)),
      autoencoder_(openAutoencoder(checkpoint)) {
    checkParts(checkpoint);
    fillInfo(checkpoint);
}

void Sd15Model::checkParts(const Checkpoint& checkpoint) const {
    const auto refuse = [&](ErrorKind kind, const std::string& problem) {
        throw Error(kind,
                    "checkpoint " + checkpoint.name() + ": " + problem,
                    "choose another checkpoint",
                    "checkpoint");
    };
    if (tokenizer_.vocabularySize() > textConfig_.vocabularySize) {
        refuse(ErrorKind::Corrupt,
               "the tokenizer has " + std::to_string(tokenizer_.vocabularySize()) +
                   " tokens, the text encoder knows " + std::to_string(textConfig_.vocabularySize));
    }
    if (tokenizer_.length() > textConfig_.positions) {
        refuse(ErrorKind::Corrupt,
               "the tokenizer makes " + std::to_string(tokenizer_.length()) +
                   " tokens, the text encoder takes " + std::to_string(textConfig_.positions));
    }
    if (unet_.config().addedWidth > 0) {
        refuse(ErrorKind::Unsupported,
               "its denoiser adds a pooled text to the time (addition_embed_type), which sd15 does "
               "not have");
    }
    const int64_t latent = autoencoder_.config().latentChannels;
    const int64_t taken = unet_.config().inChannels;
    const bool isKnown = taken == latent || taken == channelsWithMask(latent);
    if (!isKnown || unet_.config().outChannels != latent) {
        refuse(ErrorKind::Unsupported,
               "the denoiser takes " + std::to_string(taken) + " channels and gives " +
                   std::to_string(unet_.config().outChannels) + ", the autoencoder has " +
                   std::to_string(latent) + "; " + std::to_string(latent) + " and " +
                   std::to_string(channelsWithMask(latent)) + " (inpainting) are built");
    }
}

void Sd15Model::fillInfo(Checkpoint& checkpoint) {
    info_.family = "sd15";
    info_.checkpoint = checkpoint.name();
    info_.schedulerConfig = schedulerOf(checkpoint);
    info_.latentChannels = autoencoder_.config().latentChannels;
    info_.fillsMasks = unet_.config().inChannels > info_.latentChannels;
    info_.embedsGuidance = unet_.config().guidanceWidth > 0;
    info_.spreadsStrength = checkpoint.pipelineClass() == "LatentConsistencyModelPipeline";
    info_.downsampling = autoencoder_.config().downsampling();
    info_.conditioning = {
        .fields = {{tensor::kEmbeds, tensor::FieldKind::Sequence, textConfig_.width},
                   {tensor::kPooled, tensor::FieldKind::Vector, textConfig_.width}}};
    info_.cachePoints = {.deepest = deepestCut(unet_.config()), .firstBlock = firstLevelCut()};
    info_.latentToRgb = latentToRgbOf(checkpoint, info_.latentChannels);
    info_.files = checkpoint.files();
}

std::shared_ptr<const memory::ComponentTree> Sd15Model::tree(std::string_view role) const {
    return role == kTextEncoder ? text().tree() : openedTree(role);
}

std::shared_ptr<const memory::ComponentTree> Sd15Model::openedTree(std::string_view role) const {
    if (role == kTextEncoder) {
        const std::lock_guard lock(textMutex_);
        return text_ ? text_->tree() : nullptr;
    }
    for (const auto* known : {&unet_.tree(), &autoencoder_.tree()}) {
        if ((*known)->role == role) {
            return *known;
        }
    }
    return nullptr;
}

const ClipTextModel& Sd15Model::text() const {
    const std::lock_guard lock(textMutex_);
    if (!text_) {
        text_ = std::make_unique<const ClipTextModel>(textConfig_, textWeights_());
    }
    return *text_;
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
    return {tokenizer_,
            weights,
            {.text = request.prompt, .parameter = "prompt", .clipSkip = request.clipSkip},
            {.text = request.negative, .parameter = "negative", .clipSkip = negativeSkip}};
}

PromptsOutline Sd15Model::outlinePrompts(const PromptRequest& request) const {
    const TextPair texts = textsOf(request);
    const int64_t width = textConfig_.width;
    const auto outlined = [&](const CutPrompt& text) {
        return ConditioningOutline(
            info_.conditioning.fields,
            {{.tensors = {{tensor::kEmbeds, {1, texts.tokensOf(text), width}},
                          {tensor::kPooled, {1, width}}}}});
    };
    return {.positive = outlined(texts.positive()),
            .negative = outlined(texts.negative()),
            .cutTokens = {{"prompt", texts.positive().cutTokens},
                          {"negative", texts.negative().cutTokens}}};
}

EncodedPrompts Sd15Model::encodePrompts(StageContext& context, const PromptRequest& request) const {
    Pass pass(context, *text().tree());
    const TextPair texts = textsOf(request);
    const TextPair::Outputs outputs = texts.encode(pass, text());
    context.record.put("embeds.prompt", outputs.positive.embeds);
    context.record.put("embeds.negative", outputs.negative.embeds);
    const auto conditioningOf =
        [](const ClipTextModel::Output& output, const std::string& prompt, int skip) {
            return std::make_shared<const tensor::Conditioning>(
                output.embeds, output.pooled, prompt, skip);
        };
    return {.positive = conditioningOf(outputs.positive, request.prompt, texts.positiveSkip()),
            .negative = conditioningOf(outputs.negative, request.negative, texts.negativeSkip())};
}

bool Sd15Model::guidesByBatch(double cfg) const {
    return cfg > 1 && !info_.embedsGuidance;
}

std::unique_ptr<sampling::Denoiser> Sd15Model::makeDenoiser(StageContext& context,
                                                            const DenoiserRequest& request) const {
    return std::make_unique<Sd15Denoiser>(context, unet_, request);
}

at::Tensor Sd15Model::unscaled(const at::Tensor& latents) const {
    return latents / autoencoder_.config().scalingFactor;
}

at::Tensor Sd15Model::decode(StageContext& context, const at::Tensor& latents) const {
    Pass pass(context, *autoencoder_.tree());
    return autoencoder_.decode(pass, latents);
}

at::Tensor Sd15Model::encode(StageContext& context, const at::Tensor& pixels) const {
    Pass pass(context, *autoencoder_.tree());
    return autoencoder_.encode(pass, pixels);
}

sampling::LatentDistribution Sd15Model::distributionOf(const at::Tensor& moments) const {
    // Bounds of diffusers' DiagonalGaussianDistribution.
    constexpr double kLeastLogVariance = -30;
    constexpr double kMostLogVariance = 20;
    const AutoencoderConfig& config = autoencoder_.config();
    const int64_t channels = config.latentChannels;
    at::Tensor deviation =
        moments.narrow(1, channels, channels).clamp(kLeastLogVariance, kMostLogVariance);
    deviation.mul_(0.5).exp_().mul_(config.scalingFactor);
    return {.mean = moments.narrow(1, 0, channels) * config.scalingFactor,
            .deviation = std::move(deviation)};
}

}  // namespace lowtide::models
