#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/checkpoints/encoders/text_encoders.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/families/flux/flux_file.hpp"
#include "plugin/families/flux/flux_transformer.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/autoencoders/autoencoder_kl.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/conditioning/encoded_prompts.hpp"
#include "plugin/nn/dit.hpp"
#include "plugin/nn/dry_run.hpp"
#include "plugin/nn/latent_space.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/sampling/scheduler_config.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::models {

/// The transformer with its conditioning, for one execution of one node. Both prompts are calls of
/// their own, the positive one first.
class FluxDenoiser final : public sampling::Denoiser {
public:
    /// Error{InvalidInput} when a conditioning does not fit the transformer. `guidance`: what
    /// prompts state of it; nothing: the transformer reads none.
    FluxDenoiser(StageContext& context,
                 const FluxTransformer& transformer,
                 const std::optional<ConditioningNumber>& guidance,
                 const DenoiserRequest& request);

    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor& timestep,
                       const sampling::StepInfo& step) override;

private:
    const FluxTransformer& transformer_;
    Forward forward_;
    DryRun* dryRun_;
    std::vector<FluxTexts> texts_;  ///< of the positive, then of the negative prompt
};

/// FLUX.1 dev and schnell: CLIP-L's vector and T5's states, a transformer of two streams and then
/// one, an autoencoder of 16 channels. Source: diffusers 0.42.1 FluxPipeline.
class FluxModel final : public FamilyModel {
public:
    explicit FluxModel(Checkpoint& checkpoint);

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
    void requireLikeParts(const Checkpoint& checkpoint) const;
    void fillInfo(Checkpoint& checkpoint);
    /// Tokens of T5's texts. Error{InvalidInput} on "length".
    [[nodiscard]] int64_t lengthOf(const PromptRequest& request) const;
    [[nodiscard]] TokenizedPrompt clipTokens(const PromptRequest& request,
                                             const std::string& text,
                                             const std::string& item) const;
    [[nodiscard]] TokenizedPrompt t5Tokens(const PromptRequest& request,
                                           const std::string& text,
                                           const std::string& item) const;
    [[nodiscard]] PromptTokenPair clipTextsOf(const PromptRequest& request) const;
    [[nodiscard]] PromptTokenPair t5TextsOf(const PromptRequest& request) const;
    /// Of each side, the positive one first: [1, pooledWidth], and [1, T, textWidth] f32.
    [[nodiscard]] std::array<at::Tensor, 2> pooledTexts(StageContext& context,
                                                        const PromptRequest& request) const;
    [[nodiscard]] std::array<at::Tensor, 2> textStates(StageContext& context,
                                                       const PromptRequest& request) const;

    ClipEncoder clip_;
    T5Text t5_;
    FluxTransformer transformer_;
    AutoencoderKL autoencoder_;
    ModelInfo info_;
};

namespace {

memory::FamilyPrecision makeFluxPrecisions() {
    const std::string clip(kTextEncoder);
    const std::string t5(kTextEncoder2);
    const std::string denoiser(kDenoiser);
    const std::string autoencoder(kAutoencoder);
    return {
        .presets = bf16Presets({clip, t5}, {denoiser}),
        // Source of T5's: transformers 5.23 T5EncoderModel, _keep_in_fp32_modules.
        .keptF32 = {{t5, {"wo"}},
                    {denoiser, {"time_text_embed", "norm_q", "norm_k", "norm_added"}}},
        // Source: diffusers 0.42.1 FluxTransformer2DModel, _skip_layerwise_casting_patterns;
        // its norms hold what moves them by the time.
        .keptFromF8 = {{clip, {"norm", "embedding", "text_projection"}},
                       {t5, {"norm", "relative_attention_bias", "shared", "embed_tokens"}},
                       {denoiser, {"norm", "time_text_embed", "x_embedder", "context_embedder"}},
                       {autoencoder, {"norm", "conv_in", "conv_out"}}}};
}

}  // namespace

const memory::FamilyPrecision& fluxPrecisions() {
    static const memory::FamilyPrecision precisions = makeFluxPrecisions();
    return precisions;
}

FluxDenoiser::FluxDenoiser(StageContext& context,
                           const FluxTransformer& transformer,
                           const std::optional<ConditioningNumber>& guidance,
                           const DenoiserRequest& request)
    : transformer_(transformer), forward_(context, *transformer.tree()), dryRun_(context.dryRun) {
    const FluxConfig& config = transformer.config();
    const auto add = [&](const tensor::Conditioning& conditioning, const char* item) {
        const auto field = [&](const char* name, tensor::FieldKind kind, int64_t width) {
            const at::Tensor own = fieldIn(conditioning,
                                           {.name = name, .kind = kind, .width = width},
                                           item,
                                           request.checkpoint);
            return forward_.toCompute(tensor::upload(own, forward_.device()));
        };
        texts_.push_back(
            {.states = field(tensor::kEmbeds, tensor::FieldKind::Sequence, config.textWidth),
             .pooled = field(tensor::kPooled, tensor::FieldKind::Vector, config.pooledWidth),
             .guidance =
                 guidance
                     ? numberFor(*guidance, conditioning.entries().front().numbers, request.image)
                     : 0});
    };
    add(request.positive, "positive");
    if (request.negative) {
        add(*request.negative, "negative");
    }
}

at::Tensor FluxDenoiser::predict(const at::Tensor& latents,
                                 const at::Tensor& timestep,
                                 const sampling::StepInfo& step) {
    requireWholePatches(latents, FluxConfig::kPatch);
    const FluxTexts& texts = texts_[step.slot.isUncond];
    return stepOver(
        dryRun_, forward_.tree(), latents, {texts.states.size(1)}, step, [&](const auto& decided) {
            return transformer_.predict(forward_, latents, timestep, texts, decided);
        });
}

namespace {

constexpr const char* kFluxTransformer = "transformer";
constexpr const char* kFluxGuidance = "guidance";
constexpr double kUsualFluxGuidance = 3.5;  ///< guidance_scale of diffusers' pipeline
/// Tokens of T5's texts: max_sequence_length of diffusers' pipeline, and what schnell is limited
/// to.
constexpr int64_t kFluxTokens = 512;
constexpr int64_t kFluxTokensOfSchnell = 256;
/// ComfyUI fills shorter texts up to as many, of both models, and cuts none.
constexpr int64_t kFluxTokensOfComfyUi = 256;
constexpr int64_t kFewestFluxTokens = 16;
constexpr int64_t kUsualFluxPixels = int64_t{1024} * 1024;

Checkpoint& requireFlux(Checkpoint& checkpoint) {
    const auto require = [&](const char* component,
                             std::initializer_list<std::string_view> classes) {
        requireComponent(checkpoint, "flux", component, classes);
    };
    require("text_encoder", {"CLIPTextModel", "CLIPTextModelWithProjection"});
    require("tokenizer", {"CLIPTokenizer", "CLIPTokenizerFast"});
    require("text_encoder_2", {"T5EncoderModel"});
    requireTokenizer(
        checkpoint, kTextEncoder2, "tokenizer_2", message("spiece.model of T5 v1.1 XXL"));
    require("tokenizer_2", {"T5Tokenizer", "T5TokenizerFast"});
    require(kFluxTransformer, {"FluxTransformer2DModel"});
    require("vae", {"AutoencoderKL"});
    return checkpoint;
}

Json fluxConfigIn(Checkpoint& checkpoint, std::string& what) {
    const std::string file = std::string(kFluxTransformer) + "/config.json";
    what = checkpoint.nameOf(kFluxTransformer) + "/" + file;
    return checkpoint.readJson(file);
}

FluxTransformer openFluxTransformer(Checkpoint& checkpoint) {
    std::string what;
    const Json config = fluxConfigIn(checkpoint, what);
    return {readFluxConfig(config, what),
            checkpoint.weights(kFluxTransformer, kDiffusersStem),
            kDenoiser};
}

/// The network was distilled to need no guidance but the number that it reads.
std::vector<ConditioningNumber> fluxNumbers(const FluxConfig& config) {
    if (!config.embedsGuidance) {
        return {};
    }
    return {{.name = kFluxGuidance, .byDefault = kUsualFluxGuidance}};
}

/// What T5 reads: a text of its own, or the one of both.
const std::string& fluxSecondText(const std::string& own, const std::string& ofBoth) {
    return own.empty() ? ofBoth : own;
}

std::vector<ComponentDesc> fluxComponents() {
    return {{.role = std::string(kTextEncoder), .label = "Text encoder, CLIP-L"},
            {.role = std::string(kTextEncoder2), .label = "Text encoder 2, T5"},
            {.role = std::string(kDenoiser), .label = "Denoiser"},
            {.role = std::string(kAutoencoder), .label = "Autoencoder"}};
}

}  // namespace

FluxModel::FluxModel(Checkpoint& checkpoint)
    : clip_(requireFlux(checkpoint),
            "tokenizer",
            ClipTextUse{.role = std::string(kTextEncoder), .state = ClipTextState::Last}),
      t5_(checkpoint, "tokenizer_2", kTextEncoder2),
      transformer_(openFluxTransformer(checkpoint)),
      autoencoder_(openAutoencoder(checkpoint)) {
    requireLikeParts(checkpoint);
    setComponents(fluxComponents(),
                  {clip_.treeSource(),
                   t5_.treeSource(),
                   openedSource(transformer_.tree()),
                   openedSource(autoencoder_.tree())});
    fillInfo(checkpoint);
}

void FluxModel::requireLikeParts(const Checkpoint& checkpoint) const {
    const FluxConfig& config = transformer_.config();
    const int64_t latent = autoencoder_.config().latentChannels;
    if (config.latentChannels() != latent) {
        refuseComponent(checkpoint,
                        "vae",
                        message("the autoencoder has {} channels, the denoiser takes {}",
                                latent,
                                config.latentChannels()));
    }
    const auto require = [&](const char* component, int64_t given, int64_t read) {
        if (given != read) {
            refuseComponent(checkpoint,
                            component,
                            message("{} gives texts {} wide, the denoiser reads them {} wide",
                                    component,
                                    given,
                                    read));
        }
    };
    require("text_encoder", clip_.config().width, config.pooledWidth);
    require("text_encoder_2", t5_.config().width, config.textWidth);
}

/// The pipeline gives the scheduler levels of its own.
void FluxModel::fillInfo(Checkpoint& checkpoint) {
    const FluxConfig& config = transformer_.config();
    info_.family = "flux";
    info_.checkpoint = checkpoint.name();
    info_.denoiser = checkpoint.nameOf(kFluxTransformer);
    info_.schedulerConfig =
        sampling::withFlowSpacing(readScheduler(checkpoint), sampling::FlowSpacing::Trailing);
    info_.roundsStrengthUp = true;
    info_.usual = {.pixels = kUsualFluxPixels, .cfg = 1};
    info_.latent = latentSpaceOf(autoencoder_.config());
    info_.latent.multiple *= FluxConfig::kPatch;
    info_.cachePoints.firstBlock = config.doubleLayers + config.singleLayers > 1 ? 0 : -1;
    info_.guidance = sampling::Guidance::Sequential;
    info_.latentToRgb =
        latentToRgbOr(checkpoint,
                      info_.latent.channels,
                      static_cast<int64_t>(sixteenChannelColours().ofChannels.size()),
                      sixteenChannelColours);
    info_.conditioning = {
        .fields = {{tensor::kEmbeds, tensor::FieldKind::Sequence, config.textWidth},
                   {tensor::kPooled, tensor::FieldKind::Vector, config.pooledWidth}},
        .numbers = fluxNumbers(config),
        .texts = 2,
        .weights = WeightsRead::ComfyUi,
        .takesLength = true};
    info_.files = checkpoint.files();
}

const memory::FamilyPrecision& FluxModel::precisions() const {
    return fluxPrecisions();
}

int64_t FluxModel::lengthOf(const PromptRequest& request) const {
    const int64_t most = transformer_.config().embedsGuidance ? kFluxTokens : kFluxTokensOfSchnell;
    if (request.length == 0) {
        return most;
    }
    requireThat(request.length >= kFewestFluxTokens && request.length <= most,
                message("the texts shall have {} tokens", request.length),
                message("choose {} to {}, or 0 for the usual {}", kFewestFluxTokens, most, most),
                "length");
    return request.length;
}

/// Weights of words have no part in a pooled state.
TokenizedPrompt FluxModel::clipTokens(const PromptRequest& request,
                                      const std::string& text,
                                      const std::string& item) const {
    return promptWeightsNamed(request.weights) == PromptWeights::ComfyUi
               ? comfyUiTokens(clip_.tokenizer(), text, item)
               : clip_.tokenizer().tokenize(text, item);
}

TokenizedPrompt FluxModel::t5Tokens(const PromptRequest& request,
                                    const std::string& text,
                                    const std::string& item) const {
    const int64_t length = lengthOf(request);
    if (promptWeightsNamed(request.weights) != PromptWeights::ComfyUi) {
        return t5_.tokenizer().tokenize(text, length, item);
    }
    return comfyUiTokens(
        t5_.tokenizer(), request.length == 0 ? kFluxTokensOfComfyUi : length, text, item);
}

PromptTokenPair FluxModel::clipTextsOf(const PromptRequest& request) const {
    return {.positive = clipTokens(request, request.spokenPrompt(), "prompt"),
            .negative = clipTokens(request, request.negative, "negative")};
}

PromptTokenPair FluxModel::t5TextsOf(const PromptRequest& request) const {
    const OwnPrompts& own = request.others.front();
    const auto tokens = [&](const std::string& ownText,
                            const std::string& ofBoth,
                            const std::string& ownItem,
                            const char* item) {
        return t5Tokens(request, fluxSecondText(ownText, ofBoth), ownText.empty() ? item : ownItem);
    };
    return {.positive = tokens(own.prompt, request.spokenPrompt(), promptNameOf(0), "prompt"),
            .negative = tokens(own.negative, request.negative, negativeNameOf(0), "negative")};
}

PromptsSpec FluxModel::promptsSpec(const PromptRequest& request) const {
    const FluxConfig& config = transformer_.config();
    const PromptTokenPair texts = t5TextsOf(request);
    const auto specOf = [&](const TokenizedPrompt& text) {
        const auto length = static_cast<int64_t>(text.ids.size());
        return ConditioningSpec(info_.conditioning.fields,
                                {{.tensors = {{tensor::kEmbeds, {1, length, config.textWidth}},
                                              {tensor::kPooled, {1, config.pooledWidth}}}}});
    };
    PromptsSpec specs{.positive = specOf(texts.positive), .negative = specOf(texts.negative)};
    const auto add = [&](const std::string& ownText,
                         const std::string& ofBoth,
                         const std::string& ownItem,
                         const std::string& item) {
        const std::string read = ownText.empty() ? item : ownItem;
        TextCount ofClip =
            countText(item, kTextEncoder, "CLIP-L", ofBoth, [&](std::string_view part) {
                return clipTokens(request, std::string(part), item);
            });
        TextCount ofT5 = countText(
            read, kTextEncoder2, "T5", fluxSecondText(ownText, ofBoth), [&](std::string_view part) {
                return t5Tokens(request, std::string(part), read);
            });
        if (!ownText.empty()) {  // else T5 reads on where CLIP's vector ends
            specs.cutTokens.emplace_back(item, ofClip.cutTokens);
        }
        specs.cutTokens.emplace_back(read, ofT5.cutTokens);
        specs.counts.push_back(std::move(ofClip));
        specs.counts.push_back(std::move(ofT5));
    };
    const OwnPrompts& own = request.others.front();
    add(own.prompt, request.spokenPrompt(), promptNameOf(0), "prompt");
    add(own.negative, request.negative, negativeNameOf(0), "negative");
    return specs;
}

std::array<at::Tensor, 2> FluxModel::pooledTexts(StageContext& context,
                                                 const PromptRequest& request) const {
    if (request.begins) {
        request.begins(kTextEncoder, 0, 2);
    }
    return clip_.pooledOf(context, clipTextsOf(request), "");
}

/// The pipeline hides no padding from T5: all tokens see each other.
std::array<at::Tensor, 2> FluxModel::textStates(StageContext& context,
                                                const PromptRequest& request) const {
    if (request.begins) {
        request.begins(kTextEncoder2, 1, 2);
    }
    Forward forward(context, *t5_.encoder().get().tree());
    std::array<at::Tensor, 2> states =
        t5_.encodeWeighted(forward, t5TextsOf(request), T5Padding::Seen, "_2");
    for (const at::Tensor& each : states) {
        noteFinite(context, forward.tree(), each);
    }
    return states;
}

EncodedPrompts FluxModel::encodePrompts(StageContext& context, const PromptRequest& request) const {
    const std::array<at::Tensor, 2> pooled = pooledTexts(context, request);
    const std::array<at::Tensor, 2> states = textStates(context, request);
    const auto conditioningOf = [&](size_t branch,
                                    const std::string& text,
                                    const std::string& second,
                                    const std::string& recorded) {
        context.record.put("embeds" + recorded, states[branch]);
        context.record.put(tensor::kPooled + recorded, pooled[branch]);
        return std::make_shared<const tensor::Conditioning>(
            info_.conditioning.fields,
            std::vector<tensor::ConditioningEntry>{
                {.tensors = {{tensor::kEmbeds, states[branch]}, {tensor::kPooled, pooled[branch]}},
                 .numbers = info_.conditioning.numbersOf(request.numbers, branch == 1)}},
            text,
            /*clipSkip=*/-1,
            std::vector<std::string>{second});
    };
    const OwnPrompts& own = request.others.front();
    return {.positive = conditioningOf(0, request.prompt, own.prompt, ".prompt"),
            .negative = conditioningOf(1, request.negative, own.negative, ".negative")};
}

std::unique_ptr<sampling::Denoiser> FluxModel::makeDenoiser(StageContext& context,
                                                            const DenoiserRequest& request) const {
    const std::vector<ConditioningNumber>& numbers = info_.conditioning.numbers;
    return std::make_unique<FluxDenoiser>(
        context,
        transformer_,
        numbers.empty() ? std::nullopt : std::optional(numbers.front()),
        request);
}

at::Tensor FluxModel::decode(StageContext& context, const at::Tensor& latents) const {
    Forward forward(context, *autoencoder_.tree());
    return autoencoder_.decode(forward, latents);
}

at::Tensor FluxModel::encode(StageContext& context, const at::Tensor& pixels) const {
    Forward forward(context, *autoencoder_.tree());
    return autoencoder_.encode(forward, pixels);
}

namespace {

const Network kFluxNetwork = withOpen(fluxNetwork(), [](const OpenedNetwork& opened) {
    (void)FluxTransformer(readFluxConfig(opened.settings, opened.what), opened.weights, kDenoiser);
});

bool detectFlux(const Checkpoint& checkpoint) {
    return checkpoint.pipelineClass() == "FluxPipeline";
}

std::shared_ptr<const Model> openFlux(Checkpoint& checkpoint) {
    return std::make_shared<const FluxModel>(checkpoint);
}

std::string labelFlux(Checkpoint& checkpoint) {
    std::string what;
    const Json config = fluxConfigIn(checkpoint, what);
    return fluxLabel(readFluxConfig(config, what).embedsGuidance);
}

/// Its blocks have FLUX's widths and, as kohya's trainers write them, mostly FLUX's names.
constexpr Phrase kHunyuan = phrase("HunyuanVideo or a relative");
/// FLUX.1 has 19 double and 38 single blocks.
constexpr Phrase kMoreBlocks = phrase("networks with more blocks than FLUX.1");

}  // namespace

const Family& flux() {
    static const Family family{
        .name = "flux",
        .components = fluxComponents(),
        .detect = detectFlux,
        .open = openFlux,
        .label = labelFlux,
        .texts = {{"text_encoder", "tokenizer", {"CLIPTextModel", "CLIPTextModelWithProjection"}},
                  {"text_encoder_2", "tokenizer_2", {"T5EncoderModel"}}},
        .networks = {&kFluxNetwork},
        .adapters = {.name = "FLUX.1",
                     .parts = {"double.blocks.", "single.transformer.blocks.", "single.blocks."},
                     .beginnings = {"double_blocks.",
                                    "single_blocks.",
                                    "transformer_blocks.",
                                    "single_transformer_blocks.",
                                    "x_embedder",
                                    "context_embedder",
                                    "time_text_embed.",
                                    "norm_out",
                                    "img_in",
                                    "txt_in",
                                    "time_in",
                                    "vector_in",
                                    "guidance_in"},
                     .wholeModules = {"img.attn.qkv",
                                      "txt.attn.qkv",
                                      "linear1",
                                      "qkv.lora1",
                                      "qkv.lora2",
                                      "processor.qkv",
                                      "attn.to.q",
                                      "attn.to.k",
                                      "attn.to.v",
                                      "add.q.proj",
                                      "add.k.proj",
                                      "add.v.proj",
                                      "proj.mlp"},
                     .widths = {3072},
                     .relatives = {{"to.qkv.mlp.proj", phrase("FLUX.2")},
                                   {"distilled.guidance.layer", phrase("Chroma")},
                                   {".img_attn_qkv", kHunyuan},
                                   {".txt_attn_qkv", kHunyuan},
                                   {"img.mlp.fc", kHunyuan},
                                   {"txt.mlp.fc", kHunyuan},
                                   {"individual.token.refiner.", kHunyuan},
                                   {"context.embedder.token.refiner.", kHunyuan},
                                   {"double.blocks.19.", kMoreBlocks},
                                   {".transformer_blocks.19.attn.", kMoreBlocks},
                                   {".transformer_blocks_19_attn_", kMoreBlocks},
                                   {"single.blocks.38.", kMoreBlocks},
                                   {"single.transformer.blocks.38.", kMoreBlocks}},
                     .latentModules = {"img.in", "x.embedder"},
                     .latentWidth = 64},
        .relatives = {{"ip_adapter_double_stream", "ip_adapter", "IP-Adapter for Flux"},
                      {"distilled_guidance_layer.", "checkpoint", "Chroma"},
                      {"double_stream_modulation_img.", "checkpoint", "FLUX.2"},
                      {"double_blocks.", "checkpoint", "network with FLUX's blocks"}}};
    return family;
}

}  // namespace lowtide::models
