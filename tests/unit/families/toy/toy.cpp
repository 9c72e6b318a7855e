// A family that the program does not have, made as docs/recipes/add_a_family.md says.

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/checkpoints/encoders/text_encoders.hpp"
#include "plugin/checkpoints/encoders/text_pair.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/autoencoders/autoencoder_kl.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/conditioning/encoded_prompts.hpp"
#include "plugin/nn/dry_run.hpp"
#include "plugin/nn/latent_space.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/sampling/scheduler_config.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/unit/families/toy/toy_file.hpp"
#include "tests/unit/families/toy/toy_transformer.hpp"

#include <ATen/ATen.h>

#include <memory>
#include <string>
#include <vector>

namespace lowtide::models {

/// The transformer with its conditioning, for one execution of one node. Both prompts are calls of
/// their own, the positive one first.
class ToyDenoiser final : public sampling::Denoiser {
public:
    /// Error{InvalidInput} when a conditioning does not fit the transformer.
    ToyDenoiser(StageContext& context,
                const ToyTransformer& transformer,
                const DenoiserRequest& request)
        : transformer_(transformer),
          forward_(context, *transformer.tree()),
          dryRun_(context.dryRun) {
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

    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor& timestep,
                       const sampling::StepInfo& step) override {
        requireWholePatches(latents, ToyConfig::kPatch);
        const at::Tensor& text = texts_[step.slot.isUncond];
        return stepOver(
            dryRun_, forward_.tree(), latents, {text.size(1)}, step, [&](const auto& decided) {
                return transformer_.predict(forward_, latents, timestep, text, decided);
            });
    }

private:
    const ToyTransformer& transformer_;
    Forward forward_;
    DryRun* dryRun_;
    std::vector<at::Tensor> texts_;  ///< of the positive, then of the negative prompt
};

namespace {

constexpr const char* kToyTransformer = "transformer";
constexpr int64_t kUsualToyPixels = 64 * 64;

std::vector<ComponentDesc> toyComponents() {
    return {{.role = std::string(kTextEncoder), .label = "Text encoder"},
            {.role = std::string(kDenoiser), .label = "Denoiser"},
            {.role = std::string(kAutoencoder), .label = "Autoencoder"}};
}

const memory::FamilyPrecision& toyPrecisions() {
    static const memory::FamilyPrecision precisions{
        .presets = bf16Presets({std::string(kTextEncoder)}, {std::string(kDenoiser)}),
        .keptF32 = {{std::string(kDenoiser), {"clock"}}},
        .keptFromF8 = {{std::string(kDenoiser), {"norm", "patch_in", "words_in", "patch_out"}}}};
    return precisions;
}

/// Of no trained autoencoder.
LatentToRgb toyColours() {
    return {.ofChannels = {{0.25, 0, 0}, {0, 0.25, 0}, {0, 0, 0.25}, {0.125, 0.125, 0.125}}};
}

Checkpoint& requireToy(Checkpoint& checkpoint) {
    const auto require = [&](const char* component,
                             std::initializer_list<std::string_view> classes) {
        requireComponent(checkpoint, "toy", component, classes);
    };
    require("text_encoder", {"CLIPTextModel"});
    require("tokenizer", {"CLIPTokenizer", "CLIPTokenizerFast"});
    require(kToyTransformer, {kToyClass});
    require("vae", {"AutoencoderKL"});
    return checkpoint;
}

ToyTransformer openToyTransformer(Checkpoint& checkpoint) {
    const std::string file = std::string(kToyTransformer) + "/config.json";
    return {
        readToyConfig(checkpoint.readJson(file), checkpoint.nameOf(kToyTransformer) + "/" + file),
        checkpoint.weights(kToyTransformer, kDiffusersStem),
        kDenoiser};
}

}  // namespace

/// CLIP's text encoder, the toy's transformer, an autoencoder of Stable Diffusion's construction.
class ToyModel final : public FamilyModel {
public:
    explicit ToyModel(Checkpoint& checkpoint)
        : text_(requireToy(checkpoint), "tokenizer", {.role = std::string(kTextEncoder)}),
          transformer_(openToyTransformer(checkpoint)),
          autoencoder_(openAutoencoder(checkpoint)) {
        requireLikeParts(checkpoint);
        setComponents(toyComponents(),
                      {text_.treeSource(),
                       openedSource(transformer_.tree()),
                       openedSource(autoencoder_.tree())});
        fillInfo(checkpoint);
    }

    [[nodiscard]] const ModelInfo& info() const override { return info_; }

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override {
        return toyPrecisions();
    }

    [[nodiscard]] PromptsSpec promptsSpec(const PromptRequest& request) const override {
        const TextPair texts = textsOf(request);
        const auto specOf = [&](const CutPrompt& text) {
            return ConditioningSpec(
                info_.conditioning.fields,
                {{.tensors = {
                      {tensor::kEmbeds, {1, texts.tokensOf(text), text_.config().width}}}}});
        };
        return {.positive = specOf(texts.positive()),
                .negative = specOf(texts.negative()),
                .cutTokens = {{"prompt", texts.positive().cutTokens},
                              {"negative", texts.negative().cutTokens}},
                .counts = texts.counts(text_.role(), "CLIP")};
    }

    [[nodiscard]] EncodedPrompts encodePrompts(StageContext& context,
                                               const PromptRequest& request) const override {
        Forward forward(context, *text_.model().tree());
        const TextPair::Outputs outputs = textsOf(request).encode(forward, text_.model());
        const auto side =
            [&](const ClipTextModel::Output& output, const std::string& text, const char* key) {
                return encodedSide(context.record, info_.conditioning, output.embeds, text, key);
            };
        return {.positive = side(outputs.positive, request.prompt, "embeds.prompt"),
                .negative = side(outputs.negative, request.negative, "embeds.negative")};
    }

    [[nodiscard]] std::unique_ptr<sampling::Denoiser> makeDenoiser(
        StageContext& context, const DenoiserRequest& request) const override {
        return std::make_unique<ToyDenoiser>(context, transformer_, request);
    }

    [[nodiscard]] at::Tensor decode(StageContext& context,
                                    const at::Tensor& latents) const override {
        Forward forward(context, *autoencoder_.tree());
        return autoencoder_.decode(forward, latents);
    }

    [[nodiscard]] at::Tensor encode(StageContext& context,
                                    const at::Tensor& pixels) const override {
        Forward forward(context, *autoencoder_.tree());
        return autoencoder_.encode(forward, pixels);
    }

private:
    void requireLikeParts(const Checkpoint& checkpoint) const {
        const ToyConfig& config = transformer_.config();
        const auto require = [&](const char* component, int64_t given, int64_t read) {
            if (given != read) {
                refuseComponent(
                    checkpoint,
                    component,
                    message("{} gives {} channels, the denoiser takes {}", component, given, read));
            }
        };
        require("vae", autoencoder_.config().latentChannels, config.inChannels);
        require("text_encoder", text_.config().width, config.textWidth);
    }

    void fillInfo(Checkpoint& checkpoint) {
        info_.family = "toy";
        info_.checkpoint = checkpoint.name();
        info_.denoiser = checkpoint.nameOf(kToyTransformer);
        info_.schedulerConfig =
            sampling::withFlowSpacing(readScheduler(checkpoint), sampling::FlowSpacing::Trailing);
        info_.usual = {.pixels = kUsualToyPixels, .cfg = 2};
        info_.latent = latentSpaceOf(autoencoder_.config());
        info_.latent.multiple *= ToyConfig::kPatch;
        info_.guidance = sampling::Guidance::Sequential;
        info_.latentToRgb = latentToRgbOr(checkpoint,
                                          info_.latent.channels,
                                          static_cast<int64_t>(toyColours().ofChannels.size()),
                                          toyColours);
        info_.conditioning = {
            .fields = {{tensor::kEmbeds, tensor::FieldKind::Sequence, text_.config().width}}};
        info_.files = checkpoint.files();
    }

    [[nodiscard]] TextPair textsOf(const PromptRequest& request) const {
        return {text_.tokenizer(),
                promptWeightsNamed(request.weights),
                {.text = request.spokenPrompt(), .parameter = "prompt", .clipSkip = -1},
                {.text = request.negative, .parameter = "negative", .clipSkip = -1}};
    }

    ClipEncoder text_;
    ToyTransformer transformer_;
    AutoencoderKL autoencoder_;
    ModelInfo info_;
};

namespace {

const Network kToyNetwork = withOpen(toyNetwork(), [](const OpenedNetwork& opened) {
    (void)ToyTransformer(readToyConfig(opened.settings, opened.what), opened.weights, kDenoiser);
});

bool detectToy(const Checkpoint& checkpoint) {
    return checkpoint.pipelineClass() == kToyPipelineClass;
}

std::shared_ptr<const Model> openToy(Checkpoint& checkpoint) {
    return std::make_shared<const ToyModel>(checkpoint);
}

}  // namespace

const Family& toy() {
    static const Family family{
        .name = "toy",
        .components = toyComponents(),
        .detect = detectToy,
        .open = openToy,
        .label = toyLabel,
        .texts = {{"text_encoder", "tokenizer", {"CLIPTextModel"}}},
        .networks = {&kToyNetwork},
        .adapters = {.name = "Toy",
                     .parts = {"toy.blocks.", "toys."},
                     .beginnings = {"toy_blocks.", "toys.", "words_in", "in_words"},
                     .wholeModules = {"qkv", "attn.to.q", "attn.to.k", "attn.to.v"},
                     .widths = {1024}}};
    return family;
}

}  // namespace lowtide::models
