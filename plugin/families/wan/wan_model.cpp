#include "plugin/families/wan/wan_model.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/checkpoints/parted_checkpoint.hpp"
#include "plugin/families/wan/wan.hpp"
#include "plugin/families/wan/wan_denoiser.hpp"
#include "plugin/families/wan/wan_file.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/nn/conditioning/encoded_prompts.hpp"
#include "plugin/nn/feathered_tiles.hpp"
#include "plugin/nn/image_prompts/clip_vision_model.hpp"
#include "plugin/nn/shape_walk.hpp"
#include "plugin/sampling/pass_part.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/picture_pixels.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/text/mending/cleaned_text.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace lowtide::models {

namespace {

constexpr int64_t kTextTokens = 512;
constexpr const char* kTransformer = "transformer";

/// Of the two experts of WAN 2.2 the first takes the timesteps from this share on; 0: there is one.
/// Files alone do not say it. Source: boundary of wan_t2v_A14B.py and wan_i2v_A14B.py.
double boundaryRatioOf(Checkpoint& checkpoint) {
    constexpr double kOfText = 0.875;
    constexpr double kOfPicture = 0.9;
    const bool hasSecond = !checkpoint.componentClass(kSecondTransformer).empty();
    const auto stated = checkpoint.index().find("boundary_ratio");
    if (stated == checkpoint.index().end() || stated->is_null()) {
        const bool hasPicture = checkpoint.pipelineClass() == "WanImageToVideoPipeline";
        return !hasSecond ? 0 : hasPicture ? kOfPicture : kOfText;
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

/// Where the checkpoint has two experts.
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

/// Where the checkpoint has one, and a denoiser that sees pictures.
std::optional<ClipVisionModel> openVision(Checkpoint& checkpoint) {
    const WanConfig denoiser = readWanConfig(checkpoint.readJson("transformer/config.json"),
                                             wanConfigFile(checkpoint, kTransformer));
    if (denoiser.pictureWidth == 0 || checkpoint.componentClass("image_encoder").empty()) {
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
double wanFlowShift(const PictureSize& size) {
    constexpr int64_t kBetween = 600'000;  // pixels: 480p has 400 thousand, 720p 922
    return size.width * size.height < kBetween ? 3.0 : 5.0;
}

/// Of WAN 2.2. Source: sample_shift of wan_t2v_A14B.py and wan_i2v_A14B.py in its repository.
constexpr double kShiftOfExperts = 12;
constexpr double kShiftOfExpertsWithPicture = 5;

/// Source: defaults of diffusers 0.42.1's pipelines; of WAN 2.2 sample_guide_scale of the same
/// files, that of the high-noise model.
double usualWanGuidance(const ModelInfo& info) {
    constexpr double kOfOne = 5;
    constexpr double kOfExperts = 4;
    constexpr double kOfExpertsWithPicture = 3.5;
    if (info.secondDenoiser.empty() && !info.half) {
        return kOfOne;
    }
    return info.guideChannels > 0 ? kOfExpertsWithPicture : kOfExperts;
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
    if (config.pictureWidth > 0 && !vision_) {
        refuseComponent(checkpoint,
                        "image_encoder",
                        message("its denoiser sees pictures, and it has no image_encoder"));
    }
    const int64_t seen = vision_ ? vision_->config().width : 0;
    if (config.pictureWidth > 0 && config.pictureWidth != seen) {
        refuseComponent(checkpoint,
                        "image_encoder",
                        message("the denoiser reads pictures {} wide, the image encoder gives {}",
                                config.pictureWidth,
                                seen));
    }
    const int64_t between = vision_ ? 2 * vision_->shapeFor(1)[1] : 0;  // two pictures' tokens
    if (config.picturePositions != 0 && config.picturePositions != between) {
        refuseComponent(checkpoint,
                        "image_encoder",
                        message("transformer/config.json: pos_embed_seq_len is {}, two pictures of "
                                "the image encoder are {} tokens",
                                config.picturePositions,
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
    requireLikeExperts(checkpoint);
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

/// Both experts read and give the same.
void WanModel::requireLikeExperts(const Checkpoint& checkpoint) const {
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
    require(first.pictureWidth, other.pictureWidth, "image_dim");
    require(first.picturePositions, other.picturePositions, "pos_embed_seq_len");
    for (size_t axis = 0; axis < first.patch.size(); ++axis) {
        require(first.patch[axis], other.patch[axis], "patch_size");
    }
    if (second_->tree()->files == transformer_.tree()->files) {
        refuseComponent(checkpoint, kSecondTransformer, message("both experts are the same file"));
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
    info_.guideChannels = transformer_.config().inChannels - info_.latent.channels;
    if (info_.guideChannels > 0 && transformer_.config().pictureWidth > 0) {
        info_.seenPicture = vision_->shapeFor(1);
        info_.seenPicture.erase(info_.seenPicture.begin());
    }
    info_.endsWithPicture = info_.guideChannels > 0 && (transformer_.config().pictureWidth == 0 ||
                                                        transformer_.config().picturePositions > 0);
    info_.needsLastPicture = info_.guideChannels > 0 && transformer_.config().picturePositions > 0;
    info_.boundaryRatio = boundaryRatioOf(checkpoint);
    info_.flowShift = wanFlowShift;
    if (second_) {
        info_.secondDenoiser = checkpoint.nameOf(kSecondTransformer);
        info_.flowShift = [hasPicture = info_.guideChannels > 0](const PictureSize&) {
            return hasPicture ? kShiftOfExpertsWithPicture : kShiftOfExperts;
        };
    }
    info_.latentToRgb = wanLatentToRgb(checkpoint, info_.latent.channels);
    const bool canBeCut =
        transformer_.config().layers > 1 && (!second_ || second_->config().layers > 1);
    info_.cachePoints.firstBlock = canBeCut ? 0 : -1;
    info_.conditioning = {
        .fields = {{tensor::kEmbeds, tensor::FieldKind::Sequence, text_.config().width}},
        .readsWeights = false};
    // 2.2's by name, or by what it takes: 2.1's sees the picture that a video begins with.
    const bool isPictureOf22 = info_.guideChannels > 0 && info_.seenPicture.empty();
    const std::optional<bool> isHigh = isHighNoise(info_.denoiser);
    if (info_.secondDenoiser.empty() && (isPictureOf22 || isHigh)) {
        info_.half = HalfModel{.of = "WAN 2.2", .isLow = isHigh == false};
    }
    info_.usual.cfg = usualWanGuidance(info_);
    info_.files = checkpoint.files();
}

const memory::FamilyPrecision& WanModel::precisions() const {
    return wanPrecisions();
}

PromptTokenPair WanModel::textsOf(const PromptRequest& request) const {
    const auto tokens = [&](const std::string& text, const char* item) {
        return text_.tokenizer().tokenize(cleanedText(text), kTextTokens, item);
    };
    return {.positive = tokens(request.spokenPrompt(), "prompt"),
            .negative = tokens(request.negative, "negative")};
}

PromptsOutline WanModel::outlinePrompts(const PromptRequest& request) const {
    const PromptTokenPair texts = textsOf(request);
    const auto counted = [&](const std::string& text, const char* item) {
        return countText(item, kTextEncoder, "UMT5", text, [&](std::string_view part) {
            return text_.tokenizer().tokenize(cleanedText(std::string(part)), kTextTokens, item);
        });
    };
    const ConditioningOutline outline(
        info_.conditioning.fields,
        {{.tensors = {{tensor::kEmbeds, {1, kTextTokens, text_.config().width}}}}});
    return {
        .positive = outline,
        .negative = outline,
        .cutTokens = {{"prompt", texts.positive.cutTokens}, {"negative", texts.negative.cutTokens}},
        .counts = {counted(request.spokenPrompt(), "prompt"),
                   counted(request.negative, "negative")}};
}

EncodedPrompts WanModel::encodePrompts(StageContext& context, const PromptRequest& request) const {
    Pass pass(context, *text_.encoder().get().tree());
    const PromptTokenPair texts = textsOf(request);
    const at::Tensor embeds = text_.encode(pass, texts, T5Padding::Zero);
    const auto side = [&](int64_t row, const std::string& text, const char* key) {
        return encodedSide(
            context.record, info_.conditioning, embeds.narrow(0, row, 1).clone(), text, key);
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
    Pass pass(context, *autoencoder_.tree());
    return autoencoder_.decode(pass, latents);
}

at::Tensor WanModel::seenIn(StageContext& context, const VideoPictures& pictures) const {
    if (info_.seenPicture.empty()) {
        return {};
    }
    const c10::Device device = context.deviceOf(*vision_->tree());
    at::Tensor input;
    onDeviceOf(context.walk, context.treeOf(*vision_->tree()), [&] {
        std::vector<at::Tensor> pixels;
        for (const at::Tensor* each : {&pictures.first, pictures.last}) {
            if (each) {
                pixels.push_back(
                    clipPixels(tensor::upload(*each, device), vision_->config().imageSize));
            }
        }
        input = pixels.size() == 1 ? pixels.front() : at::cat(pixels);
    });
    context.record.put("clip.pixels", input);
    const at::Tensor seen = passOver(context, *vision_->tree(), input.sizes(), [&] {
        Pass pass(context, *vision_->tree());
        return vision_->encode(pass, input);
    });
    context.record.put("clip.embeds", seen);
    return seen;
}

at::Tensor WanModel::greyLatents(StageContext& context, const VideoPictures& pictures) const {
    const auto network = autoencoder_.tree();
    const c10::Device device = context.deviceOf(*network);
    at::Tensor frames = at::zeros(
        {pictures.size.frames, tensor::kPictureChannels, pictures.size.height, pictures.size.width},
        at::TensorOptions(at::kFloat).device(device));
    const auto put = [&](int64_t frame, const at::Tensor& picture) {
        frames.narrow(0, frame, 1).copy_(tensor::upload(picture, device).mul(2).sub_(1));
    };
    put(0, pictures.firstFrame);
    if (pictures.lastFrame) {
        put(pictures.size.frames - 1, *pictures.lastFrame);
    }
    context.record.putNext("vae.encode_in", frames.unsqueeze(0).transpose(1, 2));
    const at::Tensor moments = encodeInTiles(
        frames, pictures.tilePixels, info_.latent.factor, [&](const at::Tensor& part) {
            return passOver(context, *network, part.sizes(), [&] { return encode(context, part); });
        });
    context.record.putNext("vae.moments", moments);
    return forDenoiser(info_.latent, moments).mean;
}

/// Which frames are given, for each of the latent as many as become one of it, and their latents.
tensor::VideoGuide WanModel::guideVideo(StageContext& context,
                                        const VideoPictures& pictures) const {
    if (info_.guideChannels == 0) {
        return Model::guideVideo(context, pictures);
    }
    tensor::VideoGuide guide{.beside = {}, .seen = seenIn(context, pictures)};
    const at::Tensor latents = greyLatents(context, pictures);
    const int64_t ofLatent = autoencoder_.config().frameDownsampling();
    at::Tensor given = at::zeros({1, ofLatent, latents.size(2), latents.size(3), latents.size(4)},
                                 latents.options());
    given.select(2, 0).fill_(1);  // the first frame counts for all of its latent's
    if (pictures.lastFrame) {
        given.select(2, latents.size(2) - 1).select(1, ofLatent - 1).fill_(1);
    }
    guide.beside = at::cat({given, latents}, 1);
    context.record.put("condition", guide.beside);
    return guide;
}

at::Tensor WanModel::encode(StageContext& context, const at::Tensor& pixels) const {
    Pass pass(context, *autoencoder_.tree());
    return autoencoder_.encode(pass, pixels);
}

}  // namespace lowtide::models
