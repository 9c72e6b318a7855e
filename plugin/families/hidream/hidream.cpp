#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/families/hidream/hidream_encoders.hpp"
#include "plugin/families/hidream/hidream_file.hpp"
#include "plugin/families/hidream/hidream_transformer.hpp"
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
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::models {

/// Files alone may lack each of the first three.
[[nodiscard]] inline std::vector<ComponentDesc> hidreamComponents() {
    return {{.role = std::string(kTextEncoder), .label = "Text encoder, CLIP-L"},
            {.role = std::string(kTextEncoder2), .label = "Text encoder 2, CLIP-G"},
            {.role = std::string(kTextEncoder3), .label = "Text encoder 3, T5"},
            {.role = std::string(kTextEncoder4), .label = "Text encoder 4, Llama"},
            {.role = std::string(kDenoiser), .label = "Denoiser"},
            {.role = std::string(kAutoencoder), .label = "Autoencoder"}};
}

/// How latents of HiDream-I1 look, or what the checkpoint states; nothing for others.
[[nodiscard]] std::optional<LatentToRgb> hidreamLatentToRgb(Checkpoint& checkpoint,
                                                            int64_t latentChannels);

/// Names of the sequences that HiDream's prompts hold in addition to a vector.
inline constexpr const char* kT5Field = "t5";
inline constexpr const char* kLanguageField = "llama";

/// The transformer with its conditioning, for one execution of one node.
class HiDreamDenoiser final : public sampling::Denoiser {
public:
    /// Error{InvalidInput} when a conditioning does not fit the transformer. Records what it reads.
    HiDreamDenoiser(StageContext& context,
                    const HiDreamTransformer& transformer,
                    const DenoiserRequest& request);

    [[nodiscard]] at::Tensor predict(const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const sampling::StepInfo& step) override;

private:
    /// Fields of the positive or negative prompt where the transformer computes, for each image of
    /// the batch.
    [[nodiscard]] HiDreamInputs sideOf(StageContext& context,
                                       const DenoiserRequest& request,
                                       const tensor::Conditioning& conditioning,
                                       const char* item,
                                       const char* recorded) const;

    const HiDreamTransformer& transformer_;
    mutable Forward forward_;
    DryRun* dryRun_;
    HiDreamInputs inputs_;
};

/// HiDream-I1 Full, Dev and Fast: up to four text encoders, a transformer with experts, an
/// autoencoder of 16 channels. Source: Cai et al. 2025; diffusers 0.42.1 HiDreamImagePipeline.
class HiDreamModel final : public FamilyModel {
public:
    explicit HiDreamModel(Checkpoint& checkpoint);

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
    void requireLikeEncoders(const Checkpoint& checkpoint) const;
    void fillInfo(Checkpoint& checkpoint);

    HiDreamEncoders encoders_;
    HiDreamTransformer transformer_;
    AutoencoderKL autoencoder_;
    ModelInfo info_;
};

std::optional<LatentToRgb> hidreamLatentToRgb(Checkpoint& checkpoint, int64_t latentChannels) {
    return latentToRgbOr(checkpoint,
                         latentChannels,
                         static_cast<int64_t>(sixteenChannelColours().ofChannels.size()),
                         sixteenChannelColours);
}

namespace {

memory::FamilyPrecision makeHiDreamPrecisions() {
    const std::string t5(kTextEncoder3);
    const std::string language(kTextEncoder4);
    const std::string denoiser(kDenoiser);
    const std::string autoencoder(kAutoencoder);
    return {.presets = bf16Presets(
                {std::string(kTextEncoder), std::string(kTextEncoder2), t5, language}, {denoiser}),
            // Source of T5's: transformers 5.23 T5EncoderModel, _keep_in_fp32_modules. A gate that
            // is rounded sends tokens to other experts.
            .keptF32 = {{t5, {"wo"}}, {denoiser, {"gate", "t_embedder", "rms_norm"}}},
            .keptFromF8 = {{std::string(kTextEncoder), {"norm", "embedding", "text_projection"}},
                           {std::string(kTextEncoder2), {"norm", "embedding", "text_projection"}},
                           {t5, {"norm", "relative_attention_bias", "shared", "embed_tokens"}},
                           {language, {"norm", "embed_tokens"}},
                           {denoiser,
                            {"norm",
                             "gate",
                             "x_embedder",
                             "t_embedder",
                             "p_embedder",
                             "adaLN_modulation",
                             "final_layer"}},
                           {autoencoder, {"norm", "conv_in", "conv_out"}}}};
}

}  // namespace

const memory::FamilyPrecision& hidreamPrecisions() {
    static const memory::FamilyPrecision precisions = makeHiDreamPrecisions();
    return precisions;
}

namespace {

/// An image that is no square may be larger than what such ones are filled up to.
void requireTokens(const HiDreamTransformer& transformer, const at::Tensor& latents) {
    const HiDreamConfig& config = transformer.config();
    requireWholePatches(latents, config.patch);
    const int64_t height = latents.size(2);
    const int64_t width = latents.size(3);
    const int64_t tokens = height * width / (config.patch * config.patch);
    requireThat(
        height == width || tokens <= config.mostTokens,
        message("the latent {} becomes {} tokens, and the denoiser takes {} of an image that is "
                "no square",
                toText(latents.sizes().slice(2)),
                tokens,
                config.mostTokens),
        message("choose a smaller size: at 16 pixels a token {} tokens are as many as a square has",
                config.mostTokens),
        "latent");
}

void requireLike(const at::Tensor& positive, const at::Tensor& negative, const Message& what) {
    requireThat(positive.sizes() == negative.sizes(),
                message("the positive conditioning's {} are {}, the negative's {}",
                        what,
                        toText(positive.sizes()),
                        toText(negative.sizes())),
                message("encode both by one Encode prompt"),
                "negative");
}

}  // namespace

HiDreamDenoiser::HiDreamDenoiser(StageContext& context,
                                 const HiDreamTransformer& transformer,
                                 const DenoiserRequest& request)
    : transformer_(transformer), forward_(context, *transformer.tree()), dryRun_(context.dryRun) {
    HiDreamInputs positive = sideOf(context, request, request.positive, "positive", ".prompt");
    if (!request.negative) {
        inputs_ = std::move(positive);
        return;
    }
    const HiDreamInputs negative =
        sideOf(context, request, *request.negative, "negative", ".negative");
    requireLike(positive.t5, negative.t5, message("states of T5"));
    requireLike(positive.language, negative.language, message("states of the language model"));
    inputs_ = {.t5 = at::cat({negative.t5, positive.t5}),
               .language = at::cat({negative.language, positive.language}),
               .pooled = at::cat({negative.pooled, positive.pooled})};
}

HiDreamInputs HiDreamDenoiser::sideOf(StageContext& context,
                                      const DenoiserRequest& request,
                                      const tensor::Conditioning& conditioning,
                                      const char* item,
                                      const char* recorded) const {
    const HiDreamConfig& config = transformer_.config();
    const auto field = [&](const char* name, tensor::FieldKind kind, int64_t width) {
        const at::Tensor own = fieldIn(
            conditioning, {.name = name, .kind = kind, .width = width}, item, request.checkpoint);
        std::vector<int64_t> sizes = own.sizes().vec();
        sizes.front() = request.batch;
        const at::Tensor all = own.expand(sizes);
        const std::string prefix = kind == tensor::FieldKind::Sequence ? "embeds." : "";
        context.record.put(prefix + name + recorded, all.dim() == 4 ? all.transpose(0, 1) : all);
        return forward_.toCompute(tensor::upload(own, forward_.device())).expand(sizes);
    };
    HiDreamInputs inputs{
        .t5 = field(kT5Field, tensor::FieldKind::Sequence, config.t5Width),
        .language = field(kLanguageField, tensor::FieldKind::Sequence, config.languageWidth),
        .pooled = field(tensor::kPooled, tensor::FieldKind::Vector, config.pooledWidth)};
    const int64_t last =
        *std::max_element(config.languageLayers.begin(), config.languageLayers.end());
    requireThat(
        inputs.language.dim() == 4 && inputs.language.size(1) > last,
        message("the conditioning holds {} states of a language model, and the denoiser reads "
                "number {}",
                inputs.language.dim() == 4 ? inputs.language.size(1) : 0,
                last + 1),
        message("encode the prompt with the language model of the denoiser's own checkpoint"),
        item);
    return inputs;
}

at::Tensor HiDreamDenoiser::predict(const at::Tensor& latents,
                                    const at::Tensor& timestep,
                                    const sampling::StepInfo& step) {
    requireTokens(transformer_, latents);
    const std::vector<int64_t> sizes = {inputs_.t5.size(1), inputs_.language.size(2)};
    return stepOver(dryRun_, forward_.tree(), latents, sizes, step, [&](const auto& own) {
        return transformer_.predict(forward_, latents, timestep, inputs_, own);
    });
}

namespace {

constexpr const char* kHiDreamTransformer = "transformer";
constexpr int64_t kUsualSide = 1024;  ///< of diffusers' pipeline, default_sample_size
constexpr double kUsualGuidance = 5;  ///< likewise, of Full

HiDreamTransformer openHiDreamTransformer(Checkpoint& checkpoint) {
    requireComponent(
        checkpoint, "hidream", kHiDreamTransformer, {"HiDreamImageTransformer2DModel"});
    requireComponent(checkpoint, "hidream", "vae", {"AutoencoderKL"});
    const std::string file = std::string(kHiDreamTransformer) + "/config.json";
    return {readHiDreamConfig(checkpoint.readJson(file),
                              checkpoint.nameOf(kHiDreamTransformer) + "/" + file),
            checkpoint.weights(kHiDreamTransformer, kDiffusersStem),
            kDenoiser};
}

HiDreamTextWidths textWidthsOf(const HiDreamConfig& config) {
    return {.t5 = config.t5Width, .language = config.languageWidth, .pooled = config.pooledWidth};
}

}  // namespace

HiDreamModel::HiDreamModel(Checkpoint& checkpoint)
    : encoders_(checkpoint),
      transformer_(openHiDreamTransformer(checkpoint)),
      autoencoder_(openAutoencoder(checkpoint)) {
    const HiDreamConfig& config = transformer_.config();
    const int64_t latent = autoencoder_.config().latentChannels;
    if (config.inChannels != latent || config.outChannels != latent) {
        refuseComponent(
            checkpoint,
            "vae",
            message("the autoencoder has {} channels, the denoiser takes {} and gives {}",
                    latent,
                    config.inChannels,
                    config.outChannels));
    }
    requireLikeEncoders(checkpoint);
    std::vector<TreeSource> sources = encoders_.treeSources();
    sources.insert(sources.end(),
                   {openedSource(transformer_.tree()), openedSource(autoencoder_.tree())});
    setComponents(hidreamComponents(), std::move(sources));
    fillInfo(checkpoint);
}

/// They give what the denoiser reads.
void HiDreamModel::requireLikeEncoders(const Checkpoint& checkpoint) const {
    const HiDreamConfig& config = transformer_.config();
    encoders_.requireWidths(checkpoint, textWidthsOf(config));
    const int64_t last =
        *std::max_element(config.languageLayers.begin(), config.languageLayers.end());
    if (last >= encoders_.language().layers) {
        refuseComponent(
            checkpoint,
            "text_encoder_4",
            message("text_encoder_4 has {} layers, the denoiser reads the states of number {}",
                    encoders_.language().layers,
                    last + 1));
    }
}

void HiDreamModel::fillInfo(Checkpoint& checkpoint) {
    const HiDreamConfig& config = transformer_.config();
    info_.family = "hidream";
    info_.checkpoint = checkpoint.name();
    info_.denoiser = checkpoint.nameOf(kHiDreamTransformer);
    // The pipeline gives its scheduler no levels.
    info_.schedulerConfig =
        sampling::withFlowSpacing(readScheduler(checkpoint), sampling::FlowSpacing::Class);
    info_.latent = latentSpaceOf(autoencoder_.config());
    info_.latent.multiple *= config.patch;
    info_.latent.mostPixels = config.mostTokens * info_.latent.multiple * info_.latent.multiple;
    const bool isDistilled =  // Dev and Fast
        info_.schedulerConfig.value("_class_name", Json()) == "FlowMatchLCMScheduler";
    info_.usual = {.pixels = kUsualSide * kUsualSide,
                   .scalesToPixels = true,
                   .cfg = isDistilled ? 1.0 : kUsualGuidance};
    info_.negatesPrediction = true;
    info_.latentToRgb = hidreamLatentToRgb(checkpoint, info_.latent.channels);
    info_.cachePoints.firstBlock = config.layers() > 1 ? 0 : -1;
    info_.conditioning = {
        .fields = {{kT5Field, tensor::FieldKind::Sequence, config.t5Width},
                   {kLanguageField, tensor::FieldKind::Sequence, config.languageWidth},
                   {tensor::kPooled, tensor::FieldKind::Vector, config.pooledWidth}},
        .texts = kMostTextEncoders,
        .weights = WeightsRead::None,
        .takesLength = true};
    info_.files = checkpoint.files();
}

const memory::FamilyPrecision& HiDreamModel::precisions() const {
    return hidreamPrecisions();
}

PromptsSpec HiDreamModel::promptsSpec(const PromptRequest& request) const {
    const HiDreamConfig& config = transformer_.config();
    const int64_t length = encoders_.lengthOf(request);
    const ConditioningSpec spec(
        info_.conditioning.fields,
        {{.tensors = {
              {kT5Field, {1, length, config.t5Width}},
              {kLanguageField, {1, encoders_.language().layers, length, config.languageWidth}},
              {tensor::kPooled, {1, config.pooledWidth}}}}});
    return {.positive = spec,
            .negative = spec,
            .cutTokens = encoders_.cutTokens(request),
            .counts = encoders_.counts(request)};
}

EncodedPrompts HiDreamModel::encodePrompts(StageContext& context,
                                           const PromptRequest& request) const {
    const std::array<HiDreamTexts, 2> branches =
        encoders_.encode(context, request, textWidthsOf(transformer_.config()));
    const auto conditioningOf = [&](const HiDreamTexts& branch,
                                    const std::string& text,
                                    std::string OwnPrompts::*ofOthers,
                                    const std::string& recorded) {
        context.record.put("embeds.t5" + recorded, branch.t5);
        context.record.put("embeds.llama" + recorded, branch.language.transpose(0, 1));
        context.record.put(tensor::kPooled + recorded, branch.pooled);
        std::vector<std::string> others;
        for (const OwnPrompts& own : request.others) {
            others.push_back(own.*ofOthers);
        }
        return std::make_shared<const tensor::Conditioning>(
            info_.conditioning.fields,
            std::vector<tensor::ConditioningEntry>{{.tensors = {{kT5Field, branch.t5},
                                                                {kLanguageField, branch.language},
                                                                {tensor::kPooled, branch.pooled}}}},
            text,
            /*clipSkip=*/-1,
            std::move(others));
    };
    return {.positive = conditioningOf(branches[0], request.prompt, &OwnPrompts::prompt, ".prompt"),
            .negative =
                conditioningOf(branches[1], request.negative, &OwnPrompts::negative, ".negative")};
}

std::unique_ptr<sampling::Denoiser> HiDreamModel::makeDenoiser(
    StageContext& context, const DenoiserRequest& request) const {
    return std::make_unique<HiDreamDenoiser>(context, transformer_, request);
}

at::Tensor HiDreamModel::decode(StageContext& context, const at::Tensor& latents) const {
    Forward forward(context, *autoencoder_.tree());
    return autoencoder_.decode(forward, latents);
}

at::Tensor HiDreamModel::encode(StageContext& context, const at::Tensor& pixels) const {
    Forward forward(context, *autoencoder_.tree());
    return autoencoder_.encode(forward, pixels);
}

namespace {

const Network kHiDreamNetwork = withOpen(hidreamNetwork(), [](const OpenedNetwork& opened) {
    (void)HiDreamTransformer(
        readHiDreamConfig(opened.settings, opened.what), opened.weights, kDenoiser);
});

constexpr const char* kClipClass = "CLIPTextModelWithProjection";

bool detectHiDream(const Checkpoint& checkpoint) {
    return checkpoint.pipelineClass() == "HiDreamImagePipeline";
}

std::shared_ptr<const Model> openHiDream(Checkpoint& checkpoint) {
    return std::make_shared<const HiDreamModel>(checkpoint);
}

}  // namespace

const Family& hidream() {
    static const Family family{
        .name = "hidream",
        .components = hidreamComponents(),
        .detect = detectHiDream,
        .open = openHiDream,
        .label = [](Checkpoint&) { return std::string("HiDream-I1"); },
        .texts = {{"text_encoder", "tokenizer", {kClipClass}},
                  {"text_encoder_2", "tokenizer_2", {kClipClass}},
                  {"text_encoder_3", "tokenizer_3", {"T5EncoderModel"}},
                  {"text_encoder_4", "tokenizer_4", {"LlamaForCausalLM", "LlamaModel"}}},
        .networks = {&kHiDreamNetwork},
        .adapters = {.name = "HiDream-I1",
                     .parts = {"double.stream.blocks.", "single.stream.blocks."}}};
    return family;
}

}  // namespace lowtide::models
