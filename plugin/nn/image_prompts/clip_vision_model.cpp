#include "plugin/nn/image_prompts/clip_vision_model.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/text/clip_text_model.hpp"
#include "plugin/tensor/image_pixels.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

namespace lowtide::models {

namespace {

constexpr double kLevels = 255;

/// Of the channels, as they stand in every preprocessor_config.json of CLIP.
constexpr float kClipMean[] = {0.48145466F, 0.4578275F, 0.40821073F};
constexpr float kClipDeviation[] = {0.26862954F, 0.26130258F, 0.27577711F};

at::Tensor clipChannels(const float (&values)[3], const at::Tensor& like) {
    return tensor::upload(at::tensor(at::ArrayRef<float>(values), at::kFloat).view({1, 3, 1, 1}),
                          like.device());
}

}  // namespace

at::Tensor clipPixels(const at::Tensor& images, int64_t side) {
    const int64_t height = images.size(2);
    const int64_t width = images.size(3);
    const int64_t shorter = std::min(height, width);
    const at::Tensor small = tensor::resizedImage(images,
                                                  side * height / shorter,
                                                  side * width / shorter,
                                                  tensor::kernels::Resample::Bicubic);
    const at::Tensor middle = small.narrow(2, (small.size(2) - side) / 2, side)
                                  .narrow(3, (small.size(3) - side) / 2, side);
    // As the reference rounds: levels by 1 / 255 in f64, then f32.
    const at::Tensor scaled =
        (middle * kLevels).round_().to(at::kDouble).mul_(1 / kLevels).to(at::kFloat);
    return (scaled - clipChannels(kClipMean, scaled)).div_(clipChannels(kClipDeviation, scaled));
}

namespace {

constexpr int64_t kLargestImage = 1 << 12;
}  // namespace

ClipVisionConfig readClipVisionConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    static const std::vector<FixedSetting> fixed = {{"num_channels", 3}};
    refuseOtherSettings(json, what, fixed);
    const auto number = [&](const char* key, int64_t otherwise, int64_t most) {
        return integerInRange(reader, key, otherwise, 1, most);
    };
    const ClipVisionConfig defaults;
    const ClipVisionConfig config{
        .imageSize = number("image_size", defaults.imageSize, kLargestImage),
        .patchSize = number("patch_size", defaults.patchSize, kLargestImage),
        .width = number("hidden_size", defaults.width, kMostChannels),
        .innerWidth = number("intermediate_size", defaults.innerWidth, kMostChannels),
        .layers = number("num_hidden_layers", defaults.layers, kMostLayers),
        .heads = number("num_attention_heads", defaults.heads, kMostChannels),
        .projectionWidth = number("projection_dim", defaults.projectionWidth, kMostChannels),
        .epsilon = reader.number("layer_norm_eps").value_or(defaults.epsilon),
        .quickGelu = isQuickGelu(reader)};
    requireDivisible(reader, "num_attention_heads", config.width, config.heads);
    if (config.patches() < 1) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: patches of {} pixels do not fit into images of {}",
                            what,
                            config.patchSize,
                            config.imageSize),
                    message("get the image encoder again"));
    }
    return config;
}

namespace {

constexpr int64_t kPixelChannels = 3;

std::string visionPrefix(const NetworkBuilder& builder) {
    return builder.has("vision_model.embeddings.class_embedding") ? "vision_model." : "";
}

std::vector<WeightSpec> embeddingWeights(const ClipVisionConfig& config) {
    const int64_t positions = config.patches() * config.patches() + 1;
    return {{.name = "class_embedding", .shape = {config.width}},
            {.name = "patch_embedding.weight",
             .shape = {config.width, kPixelChannels, config.patchSize, config.patchSize}},
            {.name = "position_embedding.weight", .shape = {positions, config.width}}};
}

/// Those that run; the last one only where what comes behind it is taken.
int64_t layerCount(const ClipVisionConfig& config, ClipVisionState state) {
    return state == ClipVisionState::Pooled ? config.layers : config.layers - 1;
}

}  // namespace

ClipVisionModel::Layers::Layers(NetworkBuilder& builder,
                                const std::string& prefix,
                                const ClipVisionConfig& config,
                                ClipVisionState state)
    : embeddings(builder.leaf(prefix + "embeddings.", embeddingWeights(config))),
      inputNorm(builder, prefix + "pre_layrnorm", config.width, config.epsilon),
      layers(numberedBlocks<ClipLayer>(builder,
                                       prefix + "encoder.layers.",
                                       layerCount(config, state),
                                       ClipLayerSizes{.width = config.width,
                                                      .innerWidth = config.innerWidth,
                                                      .heads = config.heads,
                                                      .epsilon = config.epsilon,
                                                      .quickGelu = config.quickGelu})) {
    if (state == ClipVisionState::Pooled) {
        outputNorm.emplace(builder, prefix + "post_layernorm", config.width, config.epsilon);
        projection.emplace(
            builder, "visual_projection", config.width, config.projectionWidth, Bias::None);
    }
}

ClipVisionModel::ClipVisionModel(const ClipVisionConfig& config,
                                 const WeightMap& weights,
                                 std::string_view role,
                                 ClipVisionState state)
    : config_(config), state_(state) {
    NetworkBuilder builder(std::string(role), "CLIPVisionModelWithProjection", weights, DType::F32);
    const std::string prefix = visionPrefix(builder);
    layers_ = std::make_unique<Layers>(builder, prefix, config, state);
    // What comes behind the state, and the other tower of a whole CLIP.
    tree_ = builder.finish(
        {prefix + "embeddings.position_ids",
         prefix + "encoder.layers." + std::to_string(layerCount(config, state)) + ".",
         prefix + "post_layernorm.",
         "visual_projection.",
         "text_model.",
         "text_projection.",
         "logit_scale"});
}

Shape ClipVisionModel::shapeFor(int64_t count) const {
    return state_ == ClipVisionState::Pooled
               ? Shape{count, config_.projectionWidth}
               : Shape{count, config_.patches() * config_.patches() + 1, config_.width};
}

at::Tensor ClipVisionModel::embedded(Forward& forward, const at::Tensor& pixels) const {
    const residency::Lease lease = forward.use(layers_->embeddings);
    const at::Tensor patches =
        tensor::kernels::conv2d(forward.toCompute(pixels).to(lease[1].scalar_type()),
                                lease[1],
                                {},
                                config_.patchSize,
                                /*padding=*/0)
            .flatten(2)
            .transpose(1, 2);  // [N,D,P,P] -> [N,P*P,D]
    const at::Tensor first = lease[0].view({1, 1, -1}).expand({pixels.size(0), 1, -1});
    return forward.toCompute(at::cat({first, patches}, 1) + lease[2]);
}

at::Tensor ClipVisionModel::encode(Forward& forward, const at::Tensor& pixels) const {
    LOWTIDE_ASSERT(pixels.size(2) == config_.imageSize && pixels.size(3) == config_.imageSize);
    forward.begin();
    at::Tensor hidden = layers_->inputNorm.apply(forward, embedded(forward, pixels));
    for (const ClipLayer& layer : layers_->layers) {
        hidden = layer.applyToImages(forward, hidden);
    }
    if (layers_->projection) {
        const at::Tensor pooled =
            layers_->outputNorm->apply(forward, hidden.select(1, 0).contiguous());
        hidden = layers_->projection->apply(forward, pooled);
    }
    return hidden.contiguous().to(at::kFloat);
}

}  // namespace lowtide::models
