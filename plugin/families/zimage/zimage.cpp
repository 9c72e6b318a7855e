#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/checkpoints/encoders/text_encoders.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/families/zimage/zimage_file.hpp"
#include "plugin/families/zimage/zimage_transformer.hpp"
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
#include <memory>
#include <vector>

namespace lowtide::models {

/// The transformer with its conditioning, for one execution of one node. Both prompts are calls of
/// their own, the positive one first, since their texts differ in length.
class ZImageDenoiser final : public sampling::Denoiser {
public:
    /// Error{InvalidInput} when a conditioning does not fit the transformer.
    ZImageDenoiser(StageContext& context,
                   const ZImageTransformer& transformer,
                   const DenoiserRequest& request);

    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor& timestep,
                       const sampling::StepInfo& step) override;

private:
    const ZImageTransformer& transformer_;
    Forward forward_;
    DryRun* dryRun_;
    std::vector<at::Tensor> texts_;  ///< of the positive, then of the negative prompt
};

[[nodiscard]] std::vector<ComponentDesc> zimageComponents();

/// Z-Image and Z-Image-Turbo: Qwen 3 as text encoder, a transformer of one stream, an
/// autoencoder of 16 channels. Source: diffusers 0.42.1 ZImagePipeline.
class ZImageModel final : public FamilyModel {
public:
    explicit ZImageModel(Checkpoint& checkpoint);

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
    [[nodiscard]] PromptTokenPair textsOf(const PromptRequest& request) const;

    LanguageText text_;
    ZImageTransformer transformer_;
    AutoencoderKL autoencoder_;
    ModelInfo info_;
};

namespace {

memory::FamilyPrecision makeZImagePrecisions() {
    const std::string text(kTextEncoder);
    const std::string denoiser(kDenoiser);
    const std::string autoencoder(kAutoencoder);
    return {.presets = bf16Presets({text}, {denoiser}),
            .keptF32 = {{denoiser, {"t_embedder", "norm"}}},
            // Source: diffusers 0.42.1 ZImageTransformer2DModel, _skip_layerwise_casting_patterns.
            .keptFromF8 = {{text, {"norm", "embed_tokens"}},
                           {denoiser,
                            {"norm",
                             "t_embedder",
                             "cap_embedder",
                             "all_x_embedder",
                             "all_final_layer",
                             "adaLN_modulation",
                             "pad_token"}},
                           {autoencoder, {"norm", "conv_in", "conv_out"}}}};
}

}  // namespace

const memory::FamilyPrecision& zimagePrecisions() {
    static const memory::FamilyPrecision precisions = makeZImagePrecisions();
    return precisions;
}

ZImageDenoiser::ZImageDenoiser(StageContext& context,
                               const ZImageTransformer& transformer,
                               const DenoiserRequest& request)
    : transformer_(transformer), forward_(context, *transformer.tree()), dryRun_(context.dryRun) {
    const auto add = [&](const tensor::Conditioning& conditioning, const char* item) {
        const at::Tensor own =
            fieldIn(conditioning,
                    {.name = tensor::kEmbeds, .width = transformer.config().textWidth},
                    item,
                    request.checkpoint);
        texts_.push_back(forward_.toCompute(tensor::upload(own, forward_.device())));
    };
    add(request.positive, "positive");
    if (request.negative) {
        add(*request.negative, "negative");
    }
}

at::Tensor ZImageDenoiser::predict(const at::Tensor& latents,
                                   const at::Tensor& timestep,
                                   const sampling::StepInfo& step) {
    requireWholePatches(latents, ZImageConfig::kPatch);
    const at::Tensor& text = texts_[step.slot.isUncond];
    return stepOver(
        dryRun_, forward_.tree(), latents, {text.size(1)}, step, [&](const auto& decided) {
            return transformer_.predict(forward_, latents, timestep, text, decided);
        });
}

namespace {

constexpr const char* kZImageTransformer = "transformer";
constexpr int64_t kZImageTokens = 512;  ///< max_sequence_length of diffusers' pipeline

Checkpoint& requireZImage(Checkpoint& checkpoint) {
    const auto require = [&](const char* component,
                             std::initializer_list<std::string_view> classes) {
        requireComponent(checkpoint, "zimage", component, classes);
    };
    require("text_encoder", {"Qwen3Model", "Qwen3ForCausalLM"});
    requireTokenizer(checkpoint,
                     kTextEncoder,
                     "tokenizer",
                     message("tokenizer.json, or vocab.json and merges.txt, of Qwen3-4B"));
    require("tokenizer", {"Qwen2Tokenizer", "Qwen2TokenizerFast", "PreTrainedTokenizerFast"});
    require(kZImageTransformer, {"ZImageTransformer2DModel"});
    require("vae", {"AutoencoderKL"});
    return checkpoint;
}

ZImageTransformer openZImageTransformer(Checkpoint& checkpoint) {
    const std::string file = std::string(kZImageTransformer) + "/config.json";
    return {readZImageConfig(checkpoint.readJson(file),
                             checkpoint.nameOf(kZImageTransformer) + "/" + file),
            checkpoint.weights(kZImageTransformer, kDiffusersStem),
            kDenoiser};
}

/// A turn of a chat, as Qwen 3 learnt it.
std::string turnOf(const std::string& text) {
    return "<|im_start|>user\n" + text + "<|im_end|>\n<|im_start|>assistant\n";
}

/// The two published models differ in nothing but their weights and this shift. Source: their
/// pages; a guidance of theirs is one less than ours.
UsualSettings usualZImage(const Json& schedulerConfig) {
    constexpr double kShiftOfTurbo = 3;
    const bool isTurbo =
        sampling::schedulerReader(schedulerConfig).number("shift") == kShiftOfTurbo;
    return {.cfg = isTurbo ? 1.0 : 5.0};
}

int64_t realTokensIn(const TokenizedPrompt& text) {
    return std::count(text.mask.begin(), text.mask.end(), 1);
}

}  // namespace

std::vector<ComponentDesc> zimageComponents() {
    return {{.role = std::string(kTextEncoder), .label = "Text encoder, Qwen 3"},
            {.role = std::string(kDenoiser), .label = "Denoiser"},
            {.role = std::string(kAutoencoder), .label = "Autoencoder"}};
}

ZImageModel::ZImageModel(Checkpoint& checkpoint)
    : text_(requireZImage(checkpoint), "tokenizer", kTextEncoder, "pad_token"),
      transformer_(openZImageTransformer(checkpoint)),
      autoencoder_(openAutoencoder(checkpoint)) {
    requireLikeParts(checkpoint);
    setComponents(
        zimageComponents(),
        {text_.treeSource(), openedSource(transformer_.tree()), openedSource(autoencoder_.tree())});
    fillInfo(checkpoint);
}

void ZImageModel::requireLikeParts(const Checkpoint& checkpoint) const {
    const ZImageConfig& config = transformer_.config();
    const int64_t latent = autoencoder_.config().latentChannels;
    if (config.inChannels != latent) {
        refuseComponent(checkpoint,
                        "vae",
                        message("the autoencoder has {} channels, the denoiser takes {}",
                                latent,
                                config.inChannels));
    }
    if (config.textWidth != text_.config().width) {
        refuseComponent(checkpoint,
                        "text_encoder",
                        message("the denoiser reads texts {} wide, the text encoder gives {}",
                                config.textWidth,
                                text_.config().width));
    }
}

/// The pipeline gives the scheduler levels of its own.
void ZImageModel::fillInfo(Checkpoint& checkpoint) {
    info_.family = "zimage";
    info_.checkpoint = checkpoint.name();
    info_.denoiser = checkpoint.nameOf(kZImageTransformer);
    info_.schedulerConfig =
        sampling::withFlowSpacing(readScheduler(checkpoint), sampling::FlowSpacing::Trailing);
    info_.roundsStrengthUp = true;
    info_.usual = usualZImage(info_.schedulerConfig);
    info_.latent = latentSpaceOf(autoencoder_.config());
    info_.latent.multiple *= ZImageConfig::kPatch;
    info_.cachePoints.firstBlock = transformer_.config().layers > 1 ? 0 : -1;
    info_.guidance = sampling::Guidance::Sequential;
    info_.negatesPrediction = true;
    info_.latentToRgb =
        latentToRgbOr(checkpoint,
                      info_.latent.channels,
                      static_cast<int64_t>(sixteenChannelColours().ofChannels.size()),
                      sixteenChannelColours);
    info_.conditioning = {
        .fields = {{tensor::kEmbeds, tensor::FieldKind::Sequence, text_.config().width}},
        .weights = WeightsRead::None};
    info_.files = checkpoint.files();
}

const memory::FamilyPrecision& ZImageModel::precisions() const {
    return zimagePrecisions();
}

PromptTokenPair ZImageModel::textsOf(const PromptRequest& request) const {
    return {.positive = text_.tokenize(turnOf(request.spokenPrompt()), kZImageTokens, "prompt"),
            .negative = text_.tokenize(turnOf(request.negative), kZImageTokens, "negative")};
}

PromptsSpec ZImageModel::promptsSpec(const PromptRequest& request) const {
    const PromptTokenPair texts = textsOf(request);
    const auto specOf = [&](const TokenizedPrompt& text) {
        return ConditioningSpec(
            info_.conditioning.fields,
            {{.tensors = {{tensor::kEmbeds, {1, realTokensIn(text), text_.config().width}}}}});
    };
    const auto counted = [&](const std::string& text, const char* item) {
        return countText(item, kTextEncoder, "Qwen 3", text, [&](std::string_view part) {
            return text_.tokenize(turnOf(std::string(part)), kZImageTokens, item);
        });
    };
    return {
        .positive = specOf(texts.positive),
        .negative = specOf(texts.negative),
        .cutTokens = {{"prompt", texts.positive.cutTokens}, {"negative", texts.negative.cutTokens}},
        .counts = {counted(request.spokenPrompt(), "prompt"),
                   counted(request.negative, "negative")}};
}

/// States of the layer before the last one, of the tokens alone.
EncodedPrompts ZImageModel::encodePrompts(StageContext& context,
                                          const PromptRequest& request) const {
    Forward forward(context, *text_.model().get().tree());
    const PromptTokenPair texts = textsOf(request);
    const int64_t state = text_.config().layers - 1;
    const at::Tensor states = text_.encode(forward, texts, state, state, "").select(1, 0);
    const auto side =
        [&](int64_t row, const TokenizedPrompt& tokens, const std::string& text, const char* key) {
            const at::Tensor own =
                states.narrow(0, row, 1).narrow(1, 0, realTokensIn(tokens)).clone();
            return encodedSide(context.record, info_.conditioning, own, text, key);
        };
    return {.positive = side(0, texts.positive, request.prompt, "embeds.prompt"),
            .negative = side(1, texts.negative, request.negative, "embeds.negative")};
}

std::unique_ptr<sampling::Denoiser> ZImageModel::makeDenoiser(
    StageContext& context, const DenoiserRequest& request) const {
    return std::make_unique<ZImageDenoiser>(context, transformer_, request);
}

at::Tensor ZImageModel::decode(StageContext& context, const at::Tensor& latents) const {
    Forward forward(context, *autoencoder_.tree());
    return autoencoder_.decode(forward, latents);
}

at::Tensor ZImageModel::encode(StageContext& context, const at::Tensor& pixels) const {
    Forward forward(context, *autoencoder_.tree());
    return autoencoder_.encode(forward, pixels);
}

namespace {

const Network kZImageNetwork = withOpen(zimageNetwork(), [](const OpenedNetwork& opened) {
    (void)ZImageTransformer(
        readZImageConfig(opened.settings, opened.what), opened.weights, kDenoiser);
});

bool detectZImage(const Checkpoint& checkpoint) {
    return checkpoint.pipelineClass() == "ZImagePipeline";
}

std::shared_ptr<const Model> openZImage(Checkpoint& checkpoint) {
    return std::make_shared<const ZImageModel>(checkpoint);
}

}  // namespace

const Family& zimage() {
    static const Family family{
        .name = "zimage",
        .components = zimageComponents(),
        .detect = detectZImage,
        .open = openZImage,
        .label = [](Checkpoint&) { return std::string("Z-Image"); },
        .texts = {{"text_encoder", "tokenizer", {"Qwen3Model", "Qwen3ForCausalLM"}}},
        .networks = {&kZImageNetwork},
        // Lumina 2 has the same names and is 2304 wide.
        .adapters = {.name = "Z-Image",
                     .parts = {"noise.refiner.",
                               "context.refiner.",
                               ".attention.qkv",
                               ".attention.to.",
                               ".feed.forward.w"},
                     .wholeModules = {"attention.qkv",
                                      "attention.to.q",
                                      "attention.to.k",
                                      "attention.to.v",
                                      "attn.to.q",
                                      "attn.to.k",
                                      "attn.to.v",
                                      "feed.forward.w1",
                                      "feed.forward.w3"},
                     .widths = {3840}}};
    return family;
}

}  // namespace lowtide::models
