#include "plugin/families/sd15/sd15.hpp"

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/checkpoints/encoders/text_encoders.hpp"
#include "plugin/checkpoints/encoders/text_pair.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/autoencoders/autoencoder_kl.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/denoisers/unet2d_condition.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"
#include "plugin/nn/denoisers/unet2d_denoiser.hpp"
#include "plugin/nn/latent_space.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace lowtide::models {

/// How latents of Stable Diffusion 1.x and 2.x look, whose autoencoders share one latent space, or
/// what the checkpoint's own vae/latent_to_rgb.json states. Nothing for latents of other channels.
[[nodiscard]] std::optional<LatentToRgb> latentToRgbOf(Checkpoint& checkpoint,
                                                       int64_t latentChannels);

/// Of every checkpoint of the family.
[[nodiscard]] std::vector<ComponentDesc> sd15Components();

/// Stable Diffusion 1.x and 2.x: one CLIP text encoder, a UNet, an autoencoder.
class Sd15Model final : public FamilyModel {
public:
    explicit Sd15Model(Checkpoint& checkpoint);

    [[nodiscard]] const ModelInfo& info() const override { return info_; }

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override;
    [[nodiscard]] PromptsSpec promptsSpec(const PromptRequest& request) const override;
    [[nodiscard]] EncodedPrompts encodePrompts(StageContext& context,
                                               const PromptRequest& request) const override;
    [[nodiscard]] std::unique_ptr<sampling::Denoiser> makeDenoiser(
        StageContext& context, const DenoiserRequest& request) const override;
    [[nodiscard]] at::Tensor decode(StageContext& context,
                                    const at::Tensor& latents) const override;
    [[nodiscard]] at::Tensor encode(StageContext& context, const at::Tensor& pixels) const override;

private:
    [[nodiscard]] TextPair textsOf(const PromptRequest& request) const;
    void fillInfo(Checkpoint& checkpoint);

    ClipEncoder text_;
    UNet2DCondition unet_;
    AutoencoderKL autoencoder_;
    ModelInfo info_;
};

namespace {

/// Figures of SD1_5_LATENT_RGB_FACTORS in InvokeAI's step_callback.py: the least squares of decoded
/// images over their latents, times the scaling factor.
const std::vector<LatentToRgb::Colour>& ofChannels() {
    static const std::vector<LatentToRgb::Colour> kColours = {{0.3444, 0.1385, 0.0670},
                                                              {0.1247, 0.4027, 0.1494},
                                                              {-0.3192, 0.2513, 0.2103},
                                                              {-0.1307, -0.1874, -0.7445}};
    return kColours;
}

}  // namespace

std::optional<LatentToRgb> latentToRgbOf(Checkpoint& checkpoint, int64_t latentChannels) {
    return latentToRgbOr(checkpoint, latentChannels, static_cast<int64_t>(ofChannels().size()), [] {
        return LatentToRgb{.ofChannels = ofChannels()};
    });
}

namespace {

memory::FamilyPrecision makePrecisions(bool sumsInF32) {
    const std::string text(kTextEncoder);
    const std::string denoiser(kDenoiser);
    const std::string autoencoder(kAutoencoder);
    const memory::ComponentPreset asInFile{.storesAsInFile = true};
    const memory::ComponentPreset exact{.storesAsInFile = true, .compute = DType::F32};
    const memory::ComponentPreset half{.storage = DType::F16, .compute = DType::F16};
    const memory::ComponentPreset fastest{
        .storage = DType::F16, .compute = DType::F16, .accumulatesInHalf = !sumsInF32};
    return {
        .presets = {{"quality", {{text, exact}, {denoiser, asInFile}, {autoencoder, exact}}},
                    {"balanced", {{text, half}, {denoiser, half}, {autoencoder, half}}},
                    {"speed", {{text, half}, {denoiser, fastest}, {autoencoder, half}}}},
        .keptF32 = {},
        // Norms and the ends of the network are small and sensitive; embeddings are read by row.
        .keptFromF8 = {{text, {"norm", "embedding"}},
                       {denoiser, {"norm", "conv_in", "conv_out", "time_embedding"}},
                       {autoencoder, {"norm", "conv_in", "conv_out", "quant_conv"}}},
        .mayOverflow = {autoencoder}};
}

}  // namespace

const memory::FamilyPrecision& sd15Precisions(bool sumsInF32) {
    static const memory::FamilyPrecision inHalf = makePrecisions(false);
    static const memory::FamilyPrecision inF32 = makePrecisions(true);
    return sumsInF32 ? inF32 : inHalf;
}

namespace {

/// As StableDiffusionPipeline takes it, whatever old files state: timesteps lie one higher. What is
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
                    message("{}: {} is set, which Stable Diffusion 1.x and 2.x do not know",
                            what,
                            isShifted ? "shift_factor" : "latents_mean"),
                    message("choose another checkpoint, or another autoencoder"));
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
                    message("checkpoint {}: its denoiser adds a pooled text to the time "
                            "(addition_embed_type), which sd15 does not have",
                            checkpoint.name()),
                    message("choose another checkpoint"),
                    checkpoint.itemOf("unet"));
    }
    setComponents(
        sd15Components(),
        {text_.treeSource(), openedSource(unet_.tree()), openedSource(autoencoder_.tree())});
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
    info_.guidance = unet_.config().guidanceWidth > 0 ? sampling::Guidance::Embedded
                                                      : sampling::Guidance::Batched;
    info_.spreadsStrength = checkpoint.pipelineClass() == "LatentConsistencyModelPipeline";
    info_.conditioning = {
        .fields = {{tensor::kEmbeds, tensor::FieldKind::Sequence, text_.config().width},
                   {tensor::kPooled, tensor::FieldKind::Vector, text_.config().width}}};
    info_.cachePoints = {.deepest = deepestCut(unet_.config()), .firstBlock = firstLevelCut()};
    info_.latentToRgb = latentToRgbOf(checkpoint, info_.latent.channels);
    info_.files = checkpoint.files();
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

PromptsSpec Sd15Model::promptsSpec(const PromptRequest& request) const {
    const TextPair texts = textsOf(request);
    const int64_t width = text_.config().width;
    const auto specOf = [&](const CutPrompt& text) {
        return ConditioningSpec(info_.conditioning.fields,
                                {{.tensors = {{tensor::kEmbeds, {1, texts.tokensOf(text), width}},
                                              {tensor::kPooled, {1, width}}}}});
    };
    return {.positive = specOf(texts.positive()),
            .negative = specOf(texts.negative()),
            .cutTokens = {{"prompt", texts.positive().cutTokens},
                          {"negative", texts.negative().cutTokens}},
            .embeddings = texts.embeddings(),
            .counts = texts.counts(text_.role(), "CLIP")};
}

EncodedPrompts Sd15Model::encodePrompts(StageContext& context, const PromptRequest& request) const {
    Forward forward(context, *text_.model().tree());
    const TextPair texts = textsOf(request);
    const TextPair::Outputs outputs = texts.encode(forward, text_.model());
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

std::unique_ptr<sampling::Denoiser> Sd15Model::makeDenoiser(StageContext& context,
                                                            const DenoiserRequest& request) const {
    return std::make_unique<UNet2DDenoiser>(context, unet_, request);
}

at::Tensor Sd15Model::decode(StageContext& context, const at::Tensor& latents) const {
    Forward forward(context, *autoencoder_.tree());
    return autoencoder_.decode(forward, latents);
}

at::Tensor Sd15Model::encode(StageContext& context, const at::Tensor& pixels) const {
    Forward forward(context, *autoencoder_.tree());
    return autoencoder_.encode(forward, pixels);
}

const Layout& sd_ldm();

namespace {

bool detect(const Checkpoint& checkpoint) {
    static constexpr std::string_view kPipelines[] = {"StableDiffusionPipeline",
                                                      "StableDiffusionImg2ImgPipeline",
                                                      "StableDiffusionInpaintPipeline",
                                                      "LatentConsistencyModelPipeline"};
    const std::string seen = checkpoint.pipelineClass();
    return std::find(std::begin(kPipelines), std::end(kPipelines), seen) != std::end(kPipelines);
}

std::string labelSd15(Checkpoint& checkpoint) {
    constexpr int64_t kVersion2Width = 1024;
    constexpr int64_t kChannelsWithMask = 9;
    const char* file = "unet/config.json";
    const Json settings = checkpoint.readJson(file);
    const JsonReader unet(settings, checkpoint.name() + "/" + file);
    const auto widths = unet.integers("cross_attention_dim").value_or(std::vector<int64_t>{});
    const bool isVersion2 = !widths.empty() && widths.front() == kVersion2Width;
    const bool fillsMasks = unet.integer("in_channels") == kChannelsWithMask;
    return std::string(isVersion2 ? "SD 2.x" : "SD 1.x") + (fillsMasks ? " inpainting" : "");
}

std::shared_ptr<const Model> openSd15(Checkpoint& checkpoint) {
    return std::make_shared<const Sd15Model>(checkpoint);
}

}  // namespace

const Family& sd15() {
    static const Family family{
        .name = "sd15",
        .components = sd15Components(),
        .detect = detect,
        .open = openSd15,
        .label = labelSd15,
        .layouts = {&sd_ldm()},
        .adapters = {.contexts = {{768, phrase("SD 1.x")}, {1024, phrase("SD 2.x")}},
                     .texts = {{768, phrase("the text encoder of SD 1.x and XL")},
                               {1024, phrase("the text encoder of SD 2.x")}},
                     .embeddings = {{768, phrase("SD 1.x")}, {1024, phrase("SD 2.x")}},
                     .hintSquares = {{8, phrase("SD 1.x and 2.x")}},
                     .imageEncoders = "models"},
        .unet = {.architecture = "sd1"}};
    return family;
}

}  // namespace lowtide::models
