#include "plugin/families/hidream/hidream_model.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/families/hidream/hidream_components.hpp"
#include "plugin/families/hidream/hidream_denoiser.hpp"
#include "plugin/families/hidream/hidream_precision.hpp"
#include "plugin/families/hidream/hidream_preview.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/sampling/scheduler_config.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr const char* kHiDreamTransformer = "transformer";
constexpr int64_t kUsualSide = 1024;  ///< of diffusers' pipeline, default_sample_size

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
        refuseComponent(checkpoint,
                        "vae",
                        "the autoencoder has " + std::to_string(latent) +
                            " channels, the denoiser takes " + std::to_string(config.inChannels) +
                            " and gives " + std::to_string(config.outChannels));
    }
    requireLikeEncoders(checkpoint);
    fillInfo(checkpoint);
}

/// They give what the denoiser reads.
void HiDreamModel::requireLikeEncoders(const Checkpoint& checkpoint) const {
    const HiDreamConfig& config = transformer_.config();
    encoders_.requireWidths(checkpoint, textWidthsOf(config));
    const int64_t last =
        *std::max_element(config.languageLayers.begin(), config.languageLayers.end());
    if (last >= encoders_.language().layers) {
        refuseComponent(checkpoint,
                        "text_encoder_4",
                        "text_encoder_4 has " + std::to_string(encoders_.language().layers) +
                            " layers, the denoiser reads the states of number " +
                            std::to_string(last + 1));
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
    info_.usual = {.pixels = kUsualSide * kUsualSide, .scalesToPixels = true};
    if (info_.schedulerConfig.value("_class_name", Json()) == "FlowMatchLCMScheduler") {
        info_.usual.cfg = 1;  // Dev and Fast
    }
    info_.negatesPrediction = true;
    info_.latentToRgb = hidreamLatentToRgb(checkpoint, info_.latent.channels);
    info_.cachePoints.firstBlock = config.layers() > 1 ? 0 : -1;
    info_.conditioning = {
        .fields = {{kT5Field, tensor::FieldKind::Sequence, config.t5Width},
                   {kLanguageField, tensor::FieldKind::Sequence, config.languageWidth},
                   {tensor::kPooled, tensor::FieldKind::Vector, config.pooledWidth}},
        .texts = kMostTextEncoders,
        .readsWeights = false,
        .takesLength = true};
    info_.files = checkpoint.files();
}

std::vector<ComponentDesc> HiDreamModel::components() const {
    std::vector<ComponentDesc> components = hidreamComponents();
    std::erase_if(components, [&](const ComponentDesc& each) {
        return each.role.starts_with(kTextEncoder) && !encoders_.has(each.role);
    });
    return components;
}

std::shared_ptr<const memory::ComponentTree> HiDreamModel::tree(std::string_view role) const {
    const auto encoder = encoders_.tree(role);
    return encoder ? encoder : openedTree(role);
}

std::shared_ptr<const memory::ComponentTree> HiDreamModel::openedTree(std::string_view role) const {
    return role == kDenoiser      ? transformer_.tree()
           : role == kAutoencoder ? autoencoder_.tree()
                                  : encoders_.openedTree(role);
}

const memory::FamilyPrecision& HiDreamModel::precisions() const {
    return hidreamPrecisions();
}

PromptsOutline HiDreamModel::outlinePrompts(const PromptRequest& request) const {
    const HiDreamConfig& config = transformer_.config();
    const int64_t length = encoders_.lengthOf(request);
    const ConditioningOutline outline(
        info_.conditioning.fields,
        {{.tensors = {
              {kT5Field, {1, length, config.t5Width}},
              {kLanguageField, {1, encoders_.language().layers, length, config.languageWidth}},
              {tensor::kPooled, {1, config.pooledWidth}}}}});
    return {.positive = outline,
            .negative = outline,
            .cutTokens = encoders_.cutTokens(request),
            .counts = encoders_.counts(request)};
}

EncodedPrompts HiDreamModel::encodePrompts(StageContext& context,
                                           const PromptRequest& request) const {
    const std::array<HiDreamTexts, 2> sides =
        encoders_.encode(context, request, textWidthsOf(transformer_.config()));
    const auto conditioningOf = [&](const HiDreamTexts& side,
                                    const std::string& text,
                                    std::string OwnPrompts::*ofOthers,
                                    const std::string& recorded) {
        context.record.put("embeds.t5" + recorded, side.t5);
        context.record.put("embeds.llama" + recorded, side.language.transpose(0, 1));
        context.record.put(tensor::kPooled + recorded, side.pooled);
        std::vector<std::string> others;
        for (const OwnPrompts& own : request.others) {
            others.push_back(own.*ofOthers);
        }
        return std::make_shared<const tensor::Conditioning>(
            info_.conditioning.fields,
            std::vector<tensor::ConditioningEntry>{{.tensors = {{kT5Field, side.t5},
                                                                {kLanguageField, side.language},
                                                                {tensor::kPooled, side.pooled}}}},
            text,
            /*clipSkip=*/-1,
            std::move(others));
    };
    return {
        .positive = conditioningOf(sides[0], request.prompt, &OwnPrompts::prompt, ".prompt"),
        .negative = conditioningOf(sides[1], request.negative, &OwnPrompts::negative, ".negative")};
}

std::unique_ptr<sampling::Denoiser> HiDreamModel::makeDenoiser(
    StageContext& context, const DenoiserRequest& request) const {
    return std::make_unique<HiDreamDenoiser>(context, transformer_, request);
}

at::Tensor HiDreamModel::decode(StageContext& context, const at::Tensor& latents) const {
    Pass pass(context, *autoencoder_.tree());
    return autoencoder_.decode(pass, latents);
}

at::Tensor HiDreamModel::encode(StageContext& context, const at::Tensor& pixels) const {
    Pass pass(context, *autoencoder_.tree());
    return autoencoder_.encode(pass, pixels);
}

}  // namespace lowtide::models
