#include "plugin/families/wan/wan_model.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/checkpoints/parted_checkpoint.hpp"
#include "plugin/families/wan/wan.hpp"
#include "plugin/families/wan/wan_denoiser.hpp"
#include "plugin/families/wan/wan_file.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/conditioning/encoded_prompts.hpp"
#include "plugin/nn/dry_run.hpp"
#include "plugin/nn/feathered_tiles.hpp"
#include "plugin/nn/image_prompts/clip_vision_model.hpp"
#include "plugin/sampling/schedule_range.hpp"
#include "plugin/tensor/image_pixels.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"
#include "plugin/text/ftfy/cleaned_text.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace lowtide::models {

namespace {

constexpr int64_t kTextTokens = 512;  ///< with ComfyUI's weights the fewest
constexpr const char* kTransformer = "transformer";

/// Of the two denoisers of WAN 2.2 the high-noise model takes the timesteps from this fraction on;
/// 0: there is one. Files alone do not state it. Source: boundary of wan_t2v_A14B.py and
/// wan_i2v_A14B.py.
double boundaryRatioOf(Checkpoint& checkpoint) {
    constexpr double kOfText = 0.875;
    constexpr double kOfImage = 0.9;
    const bool hasSecond = !checkpoint.componentClass(kSecondTransformer).empty();
    const auto stated = checkpoint.index().find("boundary_ratio");
    if (stated == checkpoint.index().end() || stated->is_null()) {
        const bool hasImage = checkpoint.pipelineClass() == "WanImageToVideoPipeline";
        return !hasSecond ? 0 : hasImage ? kOfImage : kOfText;
    }
    const double ratio = stated->is_number() ? stated->get<double>() : 0;
    if (!hasSecond || !(ratio > 0 && ratio <= 1)) {
        refuseComponent(checkpoint,
                        hasSecond ? kSecondTransformer : kTransformer,
                        hasSecond ? message("model_index.json: boundary_ratio is {}, and it has a "
                                            "transformer_2, for the timesteps below",
                                            stated->dump())
                                  : message("model_index.json: boundary_ratio is {}, and it has no "
                                            "transformer_2",
                                            stated->dump()));
    }
    return ratio;
}

Checkpoint& requireWan(Checkpoint& checkpoint) {
    const auto require = [&](const char* component,
                             std::initializer_list<std::string_view> classes) {
        requireComponent(checkpoint, "wan", component, classes);
    };
    require("text_encoder", {"UMT5EncoderModel"});
    requireTokenizer(checkpoint, kTextEncoder, "tokenizer", message("spiece.model of UMT5 XXL"));
    require("tokenizer", {"T5TokenizerFast", "T5Tokenizer"});
    require("transformer", {"WanTransformer3DModel"});
    require("vae", {"AutoencoderKLWan"});
    if (const Json& index = checkpoint.index(); index.value("expand_timesteps", Json()) == true) {
        refuseComponent(
            checkpoint,
            kTransformer,
            message(
                "model_index.json: expand_timesteps is true, of WAN 2.2 5B, which is not built"));
    }
    if (!checkpoint.componentClass(kSecondTransformer).empty()) {
        require(kSecondTransformer, {"WanTransformer3DModel"});
    }
    return checkpoint;
}

std::string wanConfigFile(const Checkpoint& checkpoint, const char* component) {
    return checkpoint.name() + "/" + component + "/config.json";
}

WanTransformer openTransformer(Checkpoint& checkpoint,
                               const char* component,
                               std::string_view role) {
    return {readWanConfig(checkpoint.readJson(std::string(component) + "/config.json"),
                          wanConfigFile(checkpoint, component)),
            checkpoint.weights(component, kDiffusersStem),
            role};
}

/// Where the checkpoint has two denoisers.
std::optional<WanTransformer> openSecond(Checkpoint& checkpoint) {
    return boundaryRatioOf(checkpoint) == 0 ? std::nullopt
                                            : std::optional<WanTransformer>(openTransformer(
                                                  checkpoint, kSecondTransformer, kSecondDenoiser));
}

WanAutoencoder openWanAutoencoder(Checkpoint& checkpoint) {
    return {readWanAutoencoderConfig(checkpoint.readJson("vae/config.json"),
                                     wanConfigFile(checkpoint, "vae")),
            checkpoint.weights("vae", kDiffusersStem),
            kAutoencoder};
}

/// Where the checkpoint has one, and a denoiser that reads images.
std::optional<ClipVisionModel> openVision(Checkpoint& checkpoint) {
    const WanConfig denoiser = readWanConfig(checkpoint.readJson("transformer/config.json"),
                                             wanConfigFile(checkpoint, kTransformer));
    if (denoiser.imageWidth == 0 || checkpoint.componentClass("image_encoder").empty()) {
        return std::nullopt;
    }
    requireComponent(
        checkpoint, "wan", "image_encoder", {"CLIPVisionModel", "CLIPVisionModelWithProjection"});
    return ClipVisionModel(readClipVisionConfig(checkpoint.readJson("image_encoder/config.json"),
                                                wanConfigFile(checkpoint, "image_encoder")),
                           checkpoint.weights("image_encoder", kTransformersStem),
                           kImageEncoder,
                           ClipVisionState::Penultimate);
}

/// Of WAN 2.1: 3 at 480p and 5 at 720p. Source: its README; diffusers' documentation of
/// WanPipeline.
double wanFlowShift(const ImageSize& size) {
    constexpr int64_t kBetween = 600'000;  // pixels: 480p has 400 thousand, 720p 922
    return size.width * size.height < kBetween ? 3.0 : 5.0;
}

/// Of WAN 2.2. Source: sample_shift of wan_t2v_A14B.py and wan_i2v_A14B.py in its repository.
constexpr double kShiftOfTwoModels = 12;
constexpr double kShiftOfTwoModelsWithImage = 5;

/// 480p, the smaller of the two sizes that its README names; 720p is the other one.
constexpr int64_t kUsualWanPixels = 832 * 480;

/// Source: defaults of diffusers 0.42.1's pipelines; of WAN 2.2 sample_guide_scale of the same
/// files, that of the high-noise model.
double usualWanGuidance(const ModelInfo& info) {
    constexpr double kOfOne = 5;
    constexpr double kOfTwoModels = 4;
    constexpr double kOfTwoModelsWithImage = 3.5;
    if (info.secondDenoiser.empty() && !info.half) {
        return kOfOne;
    }
    return info.imageConditioningChannels > 0 ? kOfTwoModelsWithImage : kOfTwoModels;
}

}  // namespace

WanModel::WanModel(Checkpoint& checkpoint)
    : text_(requireWan(checkpoint), "tokenizer", kTextEncoder),
      vision_(openVision(checkpoint)),
      transformer_(openTransformer(checkpoint, kTransformer, kDenoiser)),
      second_(openSecond(checkpoint)),
      autoencoder_(openWanAutoencoder(checkpoint)) {
    const int64_t latent = autoencoder_.config().latentChannels;
    if (transformer_.config().outChannels != latent) {
        refuseComponent(checkpoint,
                        "vae",
                        message("the denoiser gives {} channels, the autoencoder has {}",
                                transformer_.config().outChannels,
                                latent));
    }
    if (transformer_.config().textWidth != text_.config().width) {
        refuseComponent(checkpoint,
                        "text_encoder",
                        message("the denoiser reads texts {} wide, the text encoder gives {}",
                                transformer_.config().textWidth,
                                text_.config().width));
    }
    const WanConfig& config = transformer_.config();
    if (config.imageWidth > 0 && !vision_) {
        refuseComponent(checkpoint,
                        "image_encoder",
                        message("its denoiser reads images, and it has no image_encoder"));
    }
    const int64_t visionEmbeds = vision_ ? vision_->config().width : 0;
    if (config.imageWidth > 0 && config.imageWidth != visionEmbeds) {
        refuseComponent(checkpoint,
                        "image_encoder",
                        message("the denoiser reads images {} wide, the image encoder gives {}",
                                config.imageWidth,
                                visionEmbeds));
    }
    const int64_t between = vision_ ? 2 * vision_->shapeFor(1)[1] : 0;  // two images' tokens
    if (config.imagePositions != 0 && config.imagePositions != between) {
        refuseComponent(checkpoint,
                        "image_encoder",
                        message("transformer/config.json: pos_embed_seq_len is {}, two images of "
                                "the image encoder are {} tokens",
                                config.imagePositions,
                                between));
    }
    const int64_t guided = autoencoder_.config().frameDownsampling() + latent;
    if (config.inChannels != latent && config.inChannels != latent + guided) {
        refuseComponent(
            checkpoint,
            kTransformer,
            message("the denoiser takes {} channels; {} and {} (image to video) are built",
                    config.inChannels,
                    latent,
                    latent + guided));
    }
    requireLikeNoiseModels(checkpoint);
    std::vector<TreeSource> sources = {
        text_.treeSource(), openedSource(transformer_.tree()), openedSource(autoencoder_.tree())};
    if (vision_) {
        sources.push_back(openedSource(vision_->tree()));
    }
    if (second_) {
        sources.push_back(openedSource(second_->tree()));
    }
    setComponents(wanComponents(), std::move(sources));
    fillInfo(checkpoint);
}

/// Both denoisers read and give the same.
void WanModel::requireLikeNoiseModels(const Checkpoint& checkpoint) const {
    if (!second_) {
        return;
    }
    const WanConfig& first = transformer_.config();
    const WanConfig& other = second_->config();
    const auto require = [&](int64_t own, int64_t others, const char* key) {
        if (own != others) {
            refuseComponent(
                checkpoint,
                kSecondTransformer,
                message("transformer_2/config.json: {} is {}, that of transformer is {}",
                        key,
                        others,
                        own));
        }
    };
    require(first.inChannels, other.inChannels, "in_channels");
    require(first.outChannels, other.outChannels, "out_channels");
    require(first.textWidth, other.textWidth, "text_dim");
    require(first.imageWidth, other.imageWidth, "image_dim");
    require(first.imagePositions, other.imagePositions, "pos_embed_seq_len");
    for (size_t axis = 0; axis < first.patch.size(); ++axis) {
        require(first.patch[axis], other.patch[axis], "patch_size");
    }
    if (second_->tree()->files == transformer_.tree()->files) {
        refuseComponent(
            checkpoint, kSecondTransformer, message("both denoisers are the same file"));
    }
}

void WanModel::fillInfo(Checkpoint& checkpoint) {
    const std::array<int64_t, 3>& patch = transformer_.config().patch;
    info_.family = "wan";
    info_.checkpoint = checkpoint.name();
    info_.denoiser = checkpoint.nameOf("transformer");
    info_.schedulerConfig = readScheduler(checkpoint);
    info_.latent = latentSpaceOf(
        autoencoder_.config(), autoencoder_.config().downsampling() * std::lcm(patch[1], patch[2]));
    info_.guidance = sampling::Guidance::Sequential;
    info_.imageConditioningChannels = transformer_.config().inChannels - info_.latent.channels;
    if (info_.imageConditioningChannels > 0 && transformer_.config().imageWidth > 0) {
        info_.visionImage = vision_->shapeFor(1);
        info_.visionImage.erase(info_.visionImage.begin());
    }
    info_.endsWithImage =
        info_.imageConditioningChannels > 0 &&
        (transformer_.config().imageWidth == 0 || transformer_.config().imagePositions > 0);
    info_.needsLastImage =
        info_.imageConditioningChannels > 0 && transformer_.config().imagePositions > 0;
    info_.boundaryRatio = boundaryRatioOf(checkpoint);
    info_.flowShift = wanFlowShift;
    if (second_) {
        info_.secondDenoiser = checkpoint.nameOf(kSecondTransformer);
        info_.flowShift = [hasImage = info_.imageConditioningChannels > 0](const ImageSize&) {
            return hasImage ? kShiftOfTwoModelsWithImage : kShiftOfTwoModels;
        };
    }
    info_.latentToRgb = wanLatentToRgb(checkpoint, info_.latent.channels);
    const bool canBeCut =
        transformer_.config().layers > 1 && (!second_ || second_->config().layers > 1);
    info_.cachePoints.firstBlock = canBeCut ? 0 : -1;
    info_.conditioning = {
        .fields = {{tensor::kEmbeds, tensor::FieldKind::Sequence, text_.config().width}},
        .weights = WeightsRead::ComfyUi};
    // 2.2's by name, or by what it takes: 2.1's reads the image that a video begins with.
    const bool isImageOf22 = info_.imageConditioningChannels > 0 && info_.visionImage.empty();
    const std::optional<bool> isHigh = isHighNoise(info_.denoiser);
    if (info_.secondDenoiser.empty() && (isImageOf22 || isHigh)) {
        info_.half = HalfModel{.of = "WAN 2.2", .isLow = isHigh == false};
    }
    info_.usual = {.pixels = kUsualWanPixels, .cfg = usualWanGuidance(info_)};
    info_.files = checkpoint.files();
}

const memory::FamilyPrecision& WanModel::precisions() const {
    return wanPrecisions();
}

/// ComfyUI leaves texts as they are.
TokenizedPrompt WanModel::tokensOf(const PromptRequest& request,
                                   const std::string& text,
                                   const char* item) const {
    return promptWeightsNamed(request.weights) == PromptWeights::ComfyUi
               ? comfyUiTokens(text_.tokenizer(), kTextTokens, text, item)
               : text_.tokenizer().tokenize(cleanedText(text), kTextTokens, item);
}

PromptTokenPair WanModel::textsOf(const PromptRequest& request) const {
    return {.positive = tokensOf(request, request.spokenPrompt(), "prompt"),
            .negative = tokensOf(request, request.negative, "negative")};
}

PromptsSpec WanModel::promptsSpec(const PromptRequest& request) const {
    const PromptTokenPair texts = textsOf(request);
    const auto counted = [&](const std::string& text, const char* item) {
        return countText(item, kTextEncoder, "UMT5", text, [&](std::string_view part) {
            return tokensOf(request, std::string(part), item);
        });
    };
    const auto specOf = [&](const TokenizedPrompt& text) {
        const auto length = static_cast<int64_t>(text.ids.size());
        return ConditioningSpec(
            info_.conditioning.fields,
            {{.tensors = {{tensor::kEmbeds, {1, length, text_.config().width}}}}});
    };
    return {
        .positive = specOf(texts.positive),
        .negative = specOf(texts.negative),
        .cutTokens = {{"prompt", texts.positive.cutTokens}, {"negative", texts.negative.cutTokens}},
        .counts = {counted(request.spokenPrompt(), "prompt"),
                   counted(request.negative, "negative")}};
}

EncodedPrompts WanModel::encodePrompts(StageContext& context, const PromptRequest& request) const {
    Forward forward(context, *text_.encoder().get().tree());
    const std::array<at::Tensor, 2> embeds =
        text_.encodeWeighted(forward, textsOf(request), T5Padding::Zero);
    const auto side = [&](size_t branch, const std::string& text, const char* key) {
        return encodedSide(context.record, info_.conditioning, embeds[branch], text, key);
    };
    return {.positive = side(0, request.prompt, "embeds.prompt"),
            .negative = side(1, request.negative, "embeds.negative")};
}

std::unique_ptr<sampling::Denoiser> WanModel::makeDenoiser(StageContext& context,
                                                           const DenoiserRequest& request) const {
    return std::make_unique<WanDenoiser>(
        context, transformer_, second_ ? &*second_ : nullptr, request);
}

at::Tensor WanModel::decode(StageContext& context, const at::Tensor& latents) const {
    Forward forward(context, *autoencoder_.tree());
    return autoencoder_.decode(forward, latents);
}

at::Tensor WanModel::activeIn(StageContext& context, const VideoImages& images) const {
    if (info_.visionImage.empty()) {
        return {};
    }
    const c10::Device device = context.deviceOf(*vision_->tree());
    at::Tensor input;
    onDeviceOf(context.dryRun, context.treeOf(*vision_->tree()), [&] {
        std::vector<at::Tensor> pixels;
        for (const at::Tensor* each : {&images.first, images.last}) {
            if (each) {
                pixels.push_back(
                    clipPixels(tensor::upload(*each, device), vision_->config().imageSize));
            }
        }
        input = pixels.size() == 1 ? pixels.front() : at::cat(pixels);
    });
    context.record.put("clip.pixels", input);
    const at::Tensor visionEmbeds = skipForward(context, *vision_->tree(), input.sizes(), [&] {
        Forward forward(context, *vision_->tree());
        return vision_->encode(forward, input);
    });
    context.record.put("clip.embeds", visionEmbeds);
    return visionEmbeds;
}

at::Tensor WanModel::greyLatents(StageContext& context, const VideoImages& images) const {
    const auto network = autoencoder_.tree();
    const c10::Device device = context.deviceOf(*network);
    at::Tensor frames = at::zeros(
        {images.size.frames, tensor::kImageChannels, images.size.height, images.size.width},
        at::TensorOptions(at::kFloat).device(device));
    const auto put = [&](int64_t frame, const at::Tensor& image) {
        frames.narrow(0, frame, 1).copy_(tensor::upload(image, device).mul(2).sub_(1));
    };
    put(0, images.firstFrame);
    if (images.lastFrame) {
        put(images.size.frames - 1, *images.lastFrame);
    }
    context.record.putNext("vae.encode_in", frames.unsqueeze(0).transpose(1, 2));
    const at::Tensor moments =
        encodeInTiles(frames, images.tilePixels, info_.latent.factor, [&](const at::Tensor& part) {
            return skipForward(
                context, *network, part.sizes(), [&] { return encode(context, part); });
        });
    context.record.putNext("vae.moments", moments);
    return forDenoiser(info_.latent, moments).mean;
}

/// Which frames are given, for each of the latent as many as become one of it, and their latents.
tensor::ImageConditioning WanModel::encodeImageConditioning(StageContext& context,
                                                            const VideoImages& images) const {
    if (info_.imageConditioningChannels == 0) {
        return Model::encodeImageConditioning(context, images);
    }
    tensor::ImageConditioning imageConditioning{.extraChannels = {},
                                                .visionEmbeds = activeIn(context, images)};
    const at::Tensor latents = greyLatents(context, images);
    const int64_t ofLatent = autoencoder_.config().frameDownsampling();
    at::Tensor given = at::zeros({1, ofLatent, latents.size(2), latents.size(3), latents.size(4)},
                                 latents.options());
    given.select(2, 0).fill_(1);  // the first frame counts for all of its latent's
    if (images.lastFrame) {
        given.select(2, latents.size(2) - 1).select(1, ofLatent - 1).fill_(1);
    }
    imageConditioning.extraChannels = at::cat({given, latents}, 1);
    context.record.put("condition", imageConditioning.extraChannels);
    return imageConditioning;
}

at::Tensor WanModel::encode(StageContext& context, const at::Tensor& pixels) const {
    Forward forward(context, *autoencoder_.tree());
    return autoencoder_.encode(forward, pixels);
}

}  // namespace lowtide::models
