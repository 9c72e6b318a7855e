#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/checkpoints/encoders/text_encoders.hpp"
#include "plugin/checkpoints/encoders/text_pair.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/families/sdxl/sdxl_precision.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/autoencoders/autoencoder_config.hpp"
#include "plugin/nn/autoencoders/autoencoder_kl.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/conditioning/conditioning_spec.hpp"
#include "plugin/nn/conditioning/encoded_prompts.hpp"
#include "plugin/nn/denoisers/unet2d_condition.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"
#include "plugin/nn/denoisers/unet2d_denoiser.hpp"
#include "plugin/nn/latent_space.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/sampling/scheduler_config.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace lowtide::models {

/// The numbers that a denoiser of Stable Diffusion XL is given in addition to a pooled text, in its
/// order: original size, crop and target size, in pixels, or a refiner's five, where an aesthetic
/// score is in place of the target size. Distinguished by the width of what the denoiser adds to
/// its time, of which the pooled text has `pooledWidth`. Error{Unsupported} on the denoiser's
/// parameter where neither fits. Source: Podell et al. 2023 (arXiv 2307.01952), section 2.2;
/// diffusers 0.42.1, _get_add_time_ids.
[[nodiscard]] std::vector<ConditioningNumber> sdxlNumbersOf(const UNet2DConfig& config,
                                                            int64_t pooledWidth,
                                                            const Checkpoint& checkpoint);

/// How latents of Stable Diffusion XL look, at the scale, mean and deviation of the checkpoint's
/// autoencoder, or what its own vae/latent_to_rgb.json states. Nothing for latents of other
/// channels.
[[nodiscard]] std::optional<LatentToRgb> sdxlLatentToRgb(Checkpoint& checkpoint,
                                                         const AutoencoderConfig& autoencoder);

/// Stable Diffusion XL and what has its networks (playground-v2.5, refiners): two CLIP text
/// encoders, of which a refiner has the second alone, a UNet that is given sizes, an autoencoder.
/// Source: Podell et al. 2023; diffusers 0.42.1, StableDiffusionXLPipeline.
class SdxlModel final : public FamilyModel {
public:
    explicit SdxlModel(Checkpoint& checkpoint);

    [[nodiscard]] const ModelInfo& info() const override { return info_; }

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override { return precisions_; }

    [[nodiscard]] PromptsSpec promptsSpec(const PromptRequest& request) const override;
    [[nodiscard]] EncodedPrompts encodePrompts(StageContext& context,
                                               const PromptRequest& request) const override;
    [[nodiscard]] std::unique_ptr<sampling::Denoiser> makeDenoiser(
        StageContext& context, const DenoiserRequest& request) const override;
    [[nodiscard]] at::Tensor decode(StageContext& context,
                                    const at::Tensor& latents) const override;
    [[nodiscard]] at::Tensor encode(StageContext& context, const at::Tensor& pixels) const override;

private:
    void checkWidths(const Checkpoint& checkpoint) const;
    void fillInfo(Checkpoint& checkpoint);
    [[nodiscard]] int64_t textWidth() const;
    [[nodiscard]] int64_t pooledWidth() const;
    /// Of each encoder, cut into equally many chunks.
    [[nodiscard]] std::vector<TextPair> textsOf(const PromptRequest& request) const;
    /// An empty negative prompt stands for zeros: force_zeros_for_empty_prompt, unless it is
    /// encoded.
    [[nodiscard]] bool isZero(const PromptRequest& request) const;
    /// What the denoiser adds to its time: [B or 2B, addedWidth] on its device. Records pooled,
    /// added.text_embeds, added.time_ids.
    [[nodiscard]] at::Tensor addedFor(StageContext& context, const DenoiserRequest& request) const;

    std::vector<std::unique_ptr<const ClipEncoder>> encoders_;
    UNet2DCondition unet_;
    AutoencoderKL autoencoder_;
    bool zerosForEmpty_;
    ModelInfo info_;
    memory::FamilyPrecision precisions_;
};

namespace {

/// Of a base model; a refiner lacks the first.
std::vector<ComponentDesc> sdxlComponents() {
    return {{.role = std::string(kTextEncoder), .label = "Text encoder"},
            {.role = std::string(kTextEncoder2), .label = "Text encoder 2"},
            {.role = std::string(kDenoiser), .label = "Denoiser"},
            {.role = std::string(kAutoencoder), .label = "Autoencoder"}};
}

constexpr double kPositiveScore = 6;    ///< aesthetic_score of StableDiffusionXLImg2ImgPipeline
constexpr double kNegativeScore = 2.5;  ///< negative_aesthetic_score

ConditioningNumber height(const char* name) {
    return {.name = name, .zero = ZeroMeans::ImageHeight};
}

ConditioningNumber width(const char* name) {
    return {.name = name, .zero = ZeroMeans::ImageWidth};
}

std::vector<ConditioningNumber> numbersOfBase() {
    return {height("original_height"),
            width("original_width"),
            {.name = "crop_top"},
            {.name = "crop_left"},
            height("target_height"),
            width("target_width")};
}

std::vector<ConditioningNumber> numbersOfRefiner() {
    return {height("original_height"),
            width("original_width"),
            {.name = "crop_top"},
            {.name = "crop_left"},
            {.name = "aesthetic_score", .byDefault = kPositiveScore, .ofNegative = kNegativeScore}};
}

}  // namespace

std::vector<ConditioningNumber> sdxlNumbersOf(const UNet2DConfig& config,
                                              int64_t pooledWidth,
                                              const Checkpoint& checkpoint) {
    for (std::vector<ConditioningNumber> known : {numbersOfBase(), numbersOfRefiner()}) {
        const auto count = static_cast<int64_t>(known.size());
        if (config.addedWidth == pooledWidth + count * config.addedNumberWidth) {
            return known;
        }
    }
    throw Error(ErrorKind::Unsupported,
                message("checkpoint {}: the denoiser adds {} values to its time "
                        "(projection_class_embeddings_input_dim); a pooled text of {} with 6 "
                        "numbers, or a refiner's 5, of {} each does not make that",
                        checkpoint.name(),
                        config.addedWidth,
                        pooledWidth,
                        config.addedNumberWidth),
                message("use the text encoder and the denoiser of one checkpoint"),
                checkpoint.itemOf("unet"));
}

namespace {

/// For latents of this scaling factor and no mean and deviation.
constexpr double kScaleOfFigures = 0.13025;

/// SDXL_LATENT_RGB_FACTORS in InvokeAI's step_callback.py.
const std::vector<LatentToRgb::Colour>& sdxlColours() {
    static const std::vector<LatentToRgb::Colour> kColours = {{0.3816, 0.4930, 0.5320},
                                                              {-0.3753, 0.1631, 0.1739},
                                                              {0.1770, 0.3588, -0.2048},
                                                              {-0.4350, -0.2644, -0.4289}};
    return kColours;
}

/// The figures are those of one autoencoder's latents; a checkpoint that scales these otherwise
/// (playground-v2.5: latents_mean, latents_std) has them at its own scale.
LatentToRgb atScaleOf(const AutoencoderConfig& autoencoder) {
    LatentToRgb map;
    for (size_t channel = 0; channel < sdxlColours().size(); ++channel) {
        LatentToRgb::Colour colour = sdxlColours()[channel];
        const double deviation =
            autoencoder.latentsDeviation.empty() ? 1 : autoencoder.latentsDeviation[channel];
        const double mean = autoencoder.latentsMean.empty() ? 0 : autoencoder.latentsMean[channel];
        for (size_t i = 0; i < colour.size(); ++i) {
            map.ofZero[i] += colour[i] * kScaleOfFigures * mean;
            colour[i] *= kScaleOfFigures * deviation / autoencoder.scalingFactor;
        }
        map.ofChannels.push_back(colour);
    }
    return map;
}

}  // namespace

std::optional<LatentToRgb> sdxlLatentToRgb(Checkpoint& checkpoint,
                                           const AutoencoderConfig& autoencoder) {
    return latentToRgbOr(
        checkpoint, autoencoder.latentChannels, static_cast<int64_t>(sdxlColours().size()), [&] {
            return atScaleOf(autoencoder);
        });
}

namespace {

[[noreturn]] void refuseSdxl(const std::string& checkpoint, const Message& problem) {
    throw Error(ErrorKind::Unsupported,
                message("checkpoint {}: {}", checkpoint, problem),
                message("choose another checkpoint"),
                "checkpoint");
}

/// Both encoders; a refiner has the second alone.
std::vector<std::unique_ptr<const ClipEncoder>> openEncoders(Checkpoint& checkpoint) {
    const auto require = [&](const char* component,
                             std::initializer_list<std::string_view> classes) {
        requireComponent(checkpoint, "sdxl", component, classes);
    };
    std::vector<std::unique_ptr<const ClipEncoder>> encoders;
    require("unet", {"UNet2DConditionModel"});
    require("vae", {"AutoencoderKL"});
    require("text_encoder_2", {"CLIPTextModelWithProjection"});
    require("tokenizer_2", {"CLIPTokenizer", "CLIPTokenizerFast"});
    if (!checkpoint.componentClass("text_encoder").empty()) {
        require("text_encoder", {"CLIPTextModel"});
        require("tokenizer", {"CLIPTokenizer", "CLIPTokenizerFast"});
        encoders.push_back(std::make_unique<const ClipEncoder>(
            checkpoint,
            "tokenizer",
            ClipTextUse{.role = std::string(kTextEncoder), .state = ClipTextState::Penultimate}));
    }
    encoders.push_back(
        std::make_unique<const ClipEncoder>(checkpoint,
                                            "tokenizer_2",
                                            ClipTextUse{.role = std::string(kTextEncoder2),
                                                        .state = ClipTextState::Penultimate,
                                                        .projectsPooled = true}));
    return encoders;
}

/// Pixels that the checkpoint was trained at; a single file does not state them.
int64_t usualSdxlPixels(const UNet2DConfig& unet, int64_t factor) {
    constexpr int64_t kWidthOfBase = 2048;
    constexpr int64_t kWidthOfRefiner = 1280;
    constexpr int64_t kPixels = 1024 * 1024;
    const bool isPublished =
        unet.contextWidth() == kWidthOfBase || unet.contextWidth() == kWidthOfRefiner;
    return unet.latentPixels > 0 ? unet.latentPixels * factor * factor : isPublished ? kPixels : 0;
}

bool readsZeros(Checkpoint& checkpoint) {
    const char* index = "model_index.json";
    const char* key = "force_zeros_for_empty_prompt";
    return !checkpoint.has(index) ||
           JsonReader(checkpoint.readJson(index), index).boolean(key).value_or(true);
}

/// Encoders' states side by side, where the last of them lies: [1, T, D1] and [1, T, D2] -> [1, T,
/// D1 + D2].
at::Tensor concatenated(std::vector<at::Tensor> states) {
    if (states.size() == 1) {
        return std::move(states.front());
    }
    const c10::Device device = states.back().device();
    for (at::Tensor& own : states) {
        own = tensor::upload(own, device);
    }
    return at::cat(states, -1);
}

}  // namespace

SdxlModel::SdxlModel(Checkpoint& checkpoint)
    : encoders_(openEncoders(checkpoint)),
      unet_(openUNet(checkpoint)),
      autoencoder_(openAutoencoder(checkpoint)),
      zerosForEmpty_(readsZeros(checkpoint)) {
    checkChannels(checkpoint, unet_.config(), autoencoder_.config());
    checkWidths(checkpoint);
    if (autoencoder_.config().shiftFactor != 0) {
        refuseSdxl(checkpoint.name(),
                   message("vae/config.json: shift_factor is set, which sdxl does not know"));
    }
    std::vector<TreeSource> sources = {openedSource(unet_.tree()),
                                       openedSource(autoencoder_.tree())};
    for (const auto& encoder : encoders_) {
        sources.push_back(encoder->treeSource());
    }
    setComponents(sdxlComponents(), std::move(sources));
    fillInfo(checkpoint);
    precisions_ = sdxlPrecisions({.sumsInF32 = unet_.config().upcastsAttention,
                                  .decodesInF32 = autoencoder_.config().forceUpcast,
                                  .hasEdmLevels = sampling::hasEdmLevels(info_.schedulerConfig)});
}

int64_t SdxlModel::textWidth() const {
    int64_t width = 0;
    for (const auto& encoder : encoders_) {
        width += encoder->config().width;
    }
    return width;
}

int64_t SdxlModel::pooledWidth() const {
    return encoders_.back()->config().projectionWidth;
}

void SdxlModel::checkWidths(const Checkpoint& checkpoint) const {
    std::vector<EncoderWidth> widths;
    for (const auto& encoder : encoders_) {
        widths.push_back({encoder->role(), encoder->config().width});
        if (encoder->tokenizer().length() != encoders_.front()->tokenizer().length()) {
            refuseSdxl(checkpoint.name(),
                       message("its tokenizers make {} and {} tokens",
                               encoders_.front()->tokenizer().length(),
                               encoder->tokenizer().length()));
        }
    }
    checkContext(checkpoint, unet_.config(), widths);
}

void SdxlModel::fillInfo(Checkpoint& checkpoint) {
    info_.family = "sdxl";
    info_.checkpoint = checkpoint.name();
    info_.denoiser = checkpoint.nameOf("unet");
    info_.schedulerConfig = readScheduler(checkpoint);
    info_.latent = latentSpaceOf(autoencoder_.config());
    info_.usual.pixels = usualSdxlPixels(unet_.config(), info_.latent.factor);
    info_.ownClipSkip = 1;
    info_.fillsMasks = unet_.config().inChannels > info_.latent.channels;
    info_.guidance = unet_.config().guidanceWidth > 0 ? sampling::Guidance::Embedded
                                                      : sampling::Guidance::Batched;
    info_.conditioning = {.fields = {{tensor::kEmbeds, tensor::FieldKind::Sequence, textWidth()},
                                     {tensor::kPooled, tensor::FieldKind::Vector, pooledWidth()}},
                          .numbers = sdxlNumbersOf(unet_.config(), pooledWidth(), checkpoint),
                          .texts = encoders_.size()};
    info_.isRefiner = info_.conditioning.takes("aesthetic_score");
    info_.cachePoints = {.deepest = deepestCut(unet_.config()), .firstBlock = firstLevelCut()};
    info_.latentToRgb = sdxlLatentToRgb(checkpoint, autoencoder_.config());
    info_.files = checkpoint.files();
}

std::vector<TextPair> SdxlModel::textsOf(const PromptRequest& request) const {
    const PromptWeights weights = promptWeightsNamed(request.weights);
    // In diffusers clip_skip is the prompt's alone; where weights came from it is the encoder's.
    const int negativeSkip = weights == PromptWeights::None ? -1 : request.clipSkip;
    const auto named = [](const std::string& text, const char* parameter, int skip) {
        return NamedText{.text = text, .parameter = parameter, .clipSkip = skip};
    };
    const NamedText prompt = named(request.spokenPrompt(), "prompt", request.clipSkip);
    const NamedText negative = named(request.negative, "negative", negativeSkip);
    const auto embeddings = [&](const ClipEncoder& encoder) {
        return encoder.embeddingsIn(request.embeddings.get(),
                                    encoder.role() == kTextEncoder2 ? kClipG : kClipL);
    };
    std::vector<TextPair> texts;
    const ClipEncoder& first = *encoders_.front();
    texts.emplace_back(first.tokenizer(), weights, prompt, negative, embeddings(first));
    if (encoders_.size() == 2) {
        const OwnPrompts& own = request.others.front();
        texts.emplace_back(
            encoders_.back()->tokenizer(),
            weights,
            own.prompt.empty() ? prompt : named(own.prompt, "prompt_2", request.clipSkip),
            own.negative.empty() ? negative : named(own.negative, "negative_2", negativeSkip),
            embeddings(*encoders_.back()));
        TextPair::evenOut(texts.front(), texts.back());
    }
    return texts;
}

bool SdxlModel::isZero(const PromptRequest& request) const {
    return zerosForEmpty_ && !request.encodesEmpty && request.negative.empty() &&
           request.others.front().negative.empty();
}

PromptsSpec SdxlModel::promptsSpec(const PromptRequest& request) const {
    const std::vector<TextPair> texts = textsOf(request);
    const TextPair& first = texts.front();
    const auto specOf = [&](const CutPrompt& text) {
        return ConditioningSpec(
            info_.conditioning.fields,
            {{.tensors = {{tensor::kEmbeds, {1, first.tokensOf(text), textWidth()}},
                          {tensor::kPooled, {1, pooledWidth()}}}}});
    };
    PromptsSpec spec{.positive = specOf(first.positive()),
                     .negative = specOf(isZero(request) ? first.positive() : first.negative())};
    for (size_t i = 0; i < texts.size(); ++i) {
        spec.embeddings.add(texts[i].embeddings());
        const std::string& role = encoders_[i]->role();
        const bool isSecond = role == kTextEncoder2;
        for (TextCount& count : texts[i].counts(role, isSecond ? "CLIP-G" : "CLIP-L")) {
            spec.counts.push_back(std::move(count));
        }
    }
    // Both encoders cut a text that they share at the same position.
    const TextPair& second = texts.back();
    const auto addCut = [&](const std::string& name, const CutPrompt& text) {
        spec.cutTokens.emplace_back(name, text.cutTokens);
    };
    addCut("prompt", first.positive());
    addCut("negative", first.negative());
    if (!request.others.front().prompt.empty()) {
        addCut("prompt_2", second.positive());
    }
    if (!request.others.front().negative.empty()) {
        addCut("negative_2", second.negative());
    }
    return spec;
}

EncodedPrompts SdxlModel::encodePrompts(StageContext& context, const PromptRequest& request) const {
    const std::vector<TextPair> texts = textsOf(request);
    const auto branches =
        isZero(request) ? TextPair::CondUncond::Positive : TextPair::CondUncond::Both;
    std::vector<at::Tensor> positive;
    std::vector<at::Tensor> negative;
    TextPair::Outputs last;
    for (size_t i = 0; i < encoders_.size(); ++i) {
        if (request.begins) {
            request.begins(encoders_[i]->role(), i, encoders_.size());
        }
        Forward forward(context, *encoders_[i]->model().tree());
        const bool isSecond = encoders_[i]->role() == kTextEncoder2;
        last = texts[i].encode(forward, encoders_[i]->model(), isSecond ? "_2" : "", branches);
        for (const ClipTextModel::Output* each : {&last.positive, &last.negative}) {
            noteFinite(context, forward.tree(), each->embeds);
            noteFinite(context, forward.tree(), each->pooled);
        }
        positive.push_back(last.positive.embeds);
        negative.push_back(last.negative.embeds);
    }
    const at::Tensor pooled = last.positive.pooled;
    const at::Tensor embeds = concatenated(std::move(positive));
    if (branches == TextPair::CondUncond::Positive) {
        last.negative = {.embeds = at::zeros_like(embeds), .pooled = at::zeros_like(pooled)};
    } else {
        last.negative.embeds = concatenated(std::move(negative));
    }
    context.record.put("embeds.prompt", embeds);
    context.record.put("embeds.negative", last.negative.embeds);
    context.record.put("pooled.prompt", pooled);
    context.record.put("pooled.negative", last.negative.pooled);
    const bool hasSecond = info_.conditioning.texts > 1;
    const auto conditioningOf = [&](const ClipTextModel::Output& output, bool isNegative) {
        std::vector<tensor::ConditioningEntry> entries = {
            {.tensors = {{tensor::kEmbeds, output.embeds}, {tensor::kPooled, output.pooled}},
             .numbers = info_.conditioning.numbersOf(request.numbers, isNegative)}};
        EmbeddingsNamed embeddings;
        for (const TextPair& each : texts) {
            embeddings.add((isNegative ? each.negative() : each.positive()).embeddings);
        }
        return std::make_shared<const tensor::Conditioning>(
            info_.conditioning.fields,
            std::move(entries),
            isNegative ? request.negative : request.prompt,
            isNegative ? texts.front().negativeSkip() : texts.front().positiveSkip(),
            hasSecond ? std::vector{isNegative ? request.others.front().negative
                                               : request.others.front().prompt}
                      : std::vector<std::string>(),
            embeddings.hashes());
    };
    return {.positive = conditioningOf({embeds, pooled}, false),
            .negative = conditioningOf(last.negative, true)};
}

at::Tensor SdxlModel::addedFor(StageContext& context, const DenoiserRequest& request) const {
    const c10::Device device = Forward(context, *unet_.tree()).device();
    std::vector<at::Tensor> pooled;
    std::vector<double> ids;
    const auto add = [&](const tensor::Conditioning& branch, const char* port, const char* key) {
        const tensor::ConditioningField wanted{
            .name = tensor::kPooled, .kind = tensor::FieldKind::Vector, .width = pooledWidth()};
        pooled.push_back(tensor::upload(fieldIn(branch, wanted, port, info_.checkpoint), device)
                             .repeat({request.batch, 1}));
        context.record.put(key, pooled.back());
        for (int64_t i = 0; i < request.batch; ++i) {
            for (const ConditioningNumber& stated : info_.conditioning.numbers) {
                ids.push_back(numberFor(stated, branch.entries().front().numbers, request.image));
            }
        }
    };
    if (request.negative) {
        add(*request.negative, "negative", "pooled.negative");
    }
    add(request.positive, "positive", "pooled.prompt");
    const at::Tensor texts = at::cat(pooled);  // [N, P]
    const at::Tensor numbers =
        at::tensor(ids, at::kFloat).view({texts.size(0), -1});  // [N, 5 or 6]
    context.record.put("added.text_embeds", texts);
    context.record.put("added.time_ids", numbers);
    const UNet2DConfig& config = unet_.config();
    const at::Tensor waves =
        sinusoids(
            numbers.flatten(), config.addedNumberWidth, config.cosineFirst, config.frequencyShift)
            .view({texts.size(0), -1});
    return at::cat({texts, tensor::upload(waves, device)}, 1);
}

std::unique_ptr<sampling::Denoiser> SdxlModel::makeDenoiser(StageContext& context,
                                                            const DenoiserRequest& request) const {
    return std::make_unique<UNet2DDenoiser>(context, unet_, request, addedFor(context, request));
}

at::Tensor SdxlModel::decode(StageContext& context, const at::Tensor& latents) const {
    Forward forward(context, *autoencoder_.tree());
    return autoencoder_.decode(forward, latents);
}

at::Tensor SdxlModel::encode(StageContext& context, const at::Tensor& pixels) const {
    Forward forward(context, *autoencoder_.tree());
    return autoencoder_.encode(forward, pixels);
}

const Layout& sdxl_ldm();

namespace {

bool detectSdxl(const Checkpoint& checkpoint) {
    static constexpr std::string_view kPipelines[] = {"StableDiffusionXLPipeline",
                                                      "StableDiffusionXLImg2ImgPipeline",
                                                      "StableDiffusionXLInpaintPipeline"};
    const std::string seen = checkpoint.pipelineClass();
    return std::find(std::begin(kPipelines), std::end(kPipelines), seen) != std::end(kPipelines);
}

std::shared_ptr<const Model> openSdxl(Checkpoint& checkpoint) {
    return std::make_shared<const SdxlModel>(checkpoint);
}

}  // namespace

const Family& sdxl() {
    static const Family family{
        .name = "sdxl",
        .components = sdxlComponents(),
        .detect = detectSdxl,
        .open = openSdxl,
        .label = [](Checkpoint&) { return std::string("SDXL"); },
        .layouts = {&sdxl_ldm()},
        .adapters = {.contexts = {{2048, phrase("SDXL")}, {1280, phrase("the SDXL refiner")}},
                     .texts = {{1280, phrase("the second text encoder of SDXL")}},
                     .embeddings = {{0, phrase("SDXL")}},
                     .hintSquares = {{16, phrase("SDXL")}},
                     .imageEncoders = "sdxl_models"},
        .unet = {.architecture = "sdxl",
                 .tensors = {"label_emb.0.0.weight", "add_embedding.linear_1.weight"}}};
    return family;
}

}  // namespace lowtide::models
