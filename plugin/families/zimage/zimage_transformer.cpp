#include "plugin/families/zimage/zimage_transformer.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/json.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace lowtide::models {

namespace {

/// Lists of squares that a network has layers for: the one that is used must be among them.
void requirePatch(const JsonReader& reader, const Json& json, const char* key, int64_t patch) {
    const Json sizes = json.value(key, Json::array({patch}));
    if (!sizes.is_array() || std::find(sizes.begin(), sizes.end(), patch) == sizes.end()) {
        refuseConfig(
            reader,
            message("{} is {}, only one with {} is built", key, sizes.dump(-1, ' ', true), patch));
    }
}

/// The second one is set by models that read images.
std::span<const FixedSetting> fixedZImageSettings() {
    static const std::vector<FixedSetting> settings = {{"qk_norm", true},
                                                       {"siglip_feat_dim", nullptr}};
    return settings;
}

}  // namespace

ZImageConfig readZImageConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, "ZImageTransformer2DModel");
    refuseOtherSettings(json, what, fixedZImageSettings());
    const auto number = [&](const char* key, int64_t otherwise, int64_t least, int64_t most) {
        return integerInRange(reader, key, otherwise, least, most);
    };
    ZImageConfig config;
    config.inChannels = number("in_channels", config.inChannels, 1, kMostChannels);
    config.width = number("dim", config.width, 2, kMostChannels);
    config.layers = number("n_layers", config.layers, 1, kMostLayers);
    config.refiners = number("n_refiner_layers", config.refiners, 0, kMostLayers);
    config.heads = number("n_heads", config.heads, 1, kMostChannels);
    config.textWidth = number("cap_feat_dim", config.textWidth, 1, kMostChannels);
    config.normEpsilon = numberAboveZero(reader, "norm_eps", config.normEpsilon);
    config.rotaryBase = numberAboveZero(reader, "rope_theta", config.rotaryBase);
    config.timeScale = numberAboveZero(reader, "t_scale", config.timeScale);
    requirePatch(reader, json, "all_patch_size", ZImageConfig::kPatch);
    requirePatch(reader, json, "all_f_patch_size", 1);
    requireDivisible(reader, "n_heads", config.width, config.heads);
    config.axes = headAxes(reader,
                           "axes_dims",
                           config.axes,
                           config.headWidth(),
                           message("the {} numbers of a head", config.headWidth()));
    return config;
}

namespace kernels = tensor::kernels;

namespace {

constexpr double kZImageHeadEpsilon = 1e-5;
/// Scale and gate of the attention, then of the feed-forward layer.
constexpr int64_t kZImageParts = 4;

/// A norm of tokens, times 1 + scale where there is one; [N, 1, width] f32.
at::Tensor scaledNorm(Forward& forward,
                      const RmsNorm& norm,
                      const at::Tensor& x,
                      const at::Tensor& scale) {
    const at::Tensor normed = norm.apply(forward, x);
    if (scale.defined()) {
        const at::Tensor factor = scale + 1;
        forTokens(x.size(1), [&](int64_t first, int64_t count) {
            const at::Tensor part = normed.narrow(1, first, count);
            part.copy_(part.to(at::kFloat).mul_(factor));
        });
    }
    return normed;
}

}  // namespace

ZImageBlock::ZImageBlock(NetworkBuilder& builder,
                         const std::string& name,
                         const ZImageConfig& config,
                         ByTime byTime)
    : modulation(byTime == ByTime::Yes ? std::optional(Linear(builder,
                                                              name + ".adaLN_modulation.0",
                                                              zimageTimeWidth(config),
                                                              kZImageParts * config.width))
                                       : std::nullopt),
      attentionNorm(builder, name + ".attention_norm1", config.width, config.normEpsilon),
      attendedNorm(builder, name + ".attention_norm2", config.width, config.normEpsilon),
      feedNorm(builder, name + ".ffn_norm1", config.width, config.normEpsilon),
      fedNorm(builder, name + ".ffn_norm2", config.width, config.normEpsilon),
      query(builder, name + ".attention.to_q", config.width, config.width, Bias::None),
      key(builder, name + ".attention.to_k", config.width, config.width, Bias::None),
      value(builder, name + ".attention.to_v", config.width, config.width, Bias::None),
      out(builder, name + ".attention.to_out.0", config.width, config.width, Bias::None),
      queryNorm(builder, name + ".attention.norm_q", config.headWidth(), kZImageHeadEpsilon),
      keyNorm(builder, name + ".attention.norm_k", config.headWidth(), kZImageHeadEpsilon),
      feed(builder, name + ".feed_forward", config.width, 8 * config.width / 3),
      heads(config.heads) {}

at::Tensor ZImageBlock::attended(Forward& forward,
                                 const at::Tensor& x,
                                 const Rotation& rotation) const {
    const auto inHeads = [&](const at::Tensor& made) { return made.unflatten(2, {heads, -1}); };
    const auto turned = [&](const Linear& projection, const RmsNorm& norm) {
        return rotated(norm.apply(forward, inHeads(projection.apply(forward, x))), rotation)
            .transpose(1, 2);
    };
    const at::Tensor q = turned(query, queryNorm);
    const at::Tensor k = turned(key, keyNorm);
    const at::Tensor v = inHeads(value.apply(forward, x)).transpose(1, 2);
    return out.apply(forward,
                     kernels::attention(q, k, v, /*causal=*/false).transpose(1, 2).flatten(2));
}

void ZImageBlock::apply(Forward& forward,
                        const at::Tensor& hidden,
                        const at::Tensor& time,
                        const Rotation& rotation) const {
    std::vector<at::Tensor> by(kZImageParts);
    if (modulation) {
        by = modulationsOf(forward, *modulation, time, kZImageParts);
    }
    const auto add = [&](const RmsNorm& norm, const at::Tensor& made, const at::Tensor& gate) {
        const at::Tensor normed = norm.apply(forward, made);
        if (gate.defined()) {
            addGated(hidden, normed, gate.tanh());
        } else {
            hidden.add_(normed);
        }
    };
    add(attendedNorm,
        attended(forward, scaledNorm(forward, attentionNorm, hidden, by[0]), rotation),
        by[1]);
    add(fedNorm, feed.apply(forward, scaledNorm(forward, feedNorm, hidden, by[2])), by[3]);
}

namespace kernels = tensor::kernels;

namespace {

constexpr double kZImageOutputEpsilon = 1e-6;
constexpr int64_t kZImageSinusoids = 256;
constexpr int64_t kZImageTimeInner = 1024;
constexpr int64_t kFilledTo = 32;  ///< rows of tokens are multiples of it
constexpr double kNoise = 1000;    ///< the timestep of pure noise

int64_t filledUpTo(int64_t count) {
    return (count + kFilledTo - 1) / kFilledTo * kFilledTo;
}

/// Of texts, f64 [count, 3]: one behind the other along the first axis, from 1; what fills up too.
at::Tensor textPositions(int64_t count) {
    at::Tensor positions = at::zeros({count, 3}, at::kDouble);
    positions.select(1, 0).copy_(at::arange(1, count + 1, at::kDouble));
    return positions;
}

/// Of an image's rows and columns, at `first` of the first axis; what fills up stands at 0.
at::Tensor imagePositions(int64_t rows, int64_t columns, int64_t first) {
    at::Tensor positions = at::zeros({filledUpTo(rows * columns), 3}, at::kDouble);
    const at::Tensor own = positions.narrow(0, 0, rows * columns).unflatten(0, {rows, columns});
    own.select(2, 0).fill_(static_cast<double>(first));
    own.select(2, 1).copy_(at::arange(rows, at::kDouble).unsqueeze(1));
    own.select(2, 2).copy_(at::arange(columns, at::kDouble));
    return positions;
}

Rotation narrowed(const Rotation& all, int64_t first, int64_t count) {
    return {.cosines = all.cosines.narrow(1, first, count),
            .sines = all.sines.narrow(1, first, count)};
}

}  // namespace

ZImageTransformer::Layers::Layers(NetworkBuilder& builder, const ZImageConfig& config)
    : patches(builder, "all_x_embedder.2-1", config.patchNumbers(), config.width),
      textNorm(builder, "cap_embedder.0", config.textWidth, config.normEpsilon),
      text(builder, "cap_embedder.1", config.textWidth, config.width),
      timeInner(builder, "t_embedder.mlp.0", kZImageSinusoids, kZImageTimeInner),
      timeOuter(builder, "t_embedder.mlp.2", kZImageTimeInner, zimageTimeWidth(config)),
      imagePad(builder.leaf("", {{.name = "x_pad_token", .shape = {1, config.width}}})),
      textPad(builder.leaf("", {{.name = "cap_pad_token", .shape = {1, config.width}}})),
      imageRefiners(numberedBlocks<ZImageBlock>(
          builder, "noise_refiner.", config.refiners, config, ByTime::Yes)),
      textRefiners(numberedBlocks<ZImageBlock>(
          builder, "context_refiner.", config.refiners, config, ByTime::No)),
      blocks(numberedBlocks<ZImageBlock>(builder, "layers.", config.layers, config, ByTime::Yes)),
      outputModulation(
          builder, "all_final_layer.2-1.adaLN_modulation.1", zimageTimeWidth(config), config.width),
      output(builder, "all_final_layer.2-1.linear", config.width, config.patchNumbers()) {}

ZImageTransformer::ZImageTransformer(ZImageConfig config,
                                     const WeightMap& weights,
                                     std::string_view role)
    : config_(config) {
    NetworkBuilder builder(std::string(role), "ZImageTransformer2DModel", weights, DType::F32);
    layers_ = std::make_unique<Layers>(builder, config_);
    tree_ = builder.finish({});
}

at::Tensor ZImageTransformer::timeOf(Forward& forward,
                                     const at::Tensor& timestep,
                                     int64_t count) const {
    const at::Tensor time = ((kNoise - timestep.to(at::kFloat)) / kNoise).reshape({1});
    const at::Tensor numbers =
        sinusoids(forward, time.expand({count}) * config_.timeScale, kZImageSinusoids);
    return layers_->timeOuter.apply(
        forward, kernels::silu(layers_->timeInner.apply(forward, forward.toCompute(numbers))));
}

at::Tensor ZImageTransformer::filled(Forward& forward,
                                     const at::Tensor& tokens,
                                     memory::LeafId pad) {
    const int64_t missing = filledUpTo(tokens.size(1)) - tokens.size(1);
    if (missing == 0) {
        return tokens;
    }
    const residency::Lease lease = forward.use(pad);
    const at::Tensor learnt =
        lease[0].to(tokens.scalar_type()).unsqueeze(0).expand({tokens.size(0), missing, -1});
    return at::cat({tokens, learnt}, 1);
}

/// A cache keeps the image's tokens on both sides of the first layer behind the refiners. Blocks
/// write to what they get.
at::Tensor ZImageTransformer::throughBlocks(Forward& forward,
                                            at::Tensor all,
                                            int64_t imageTokens,
                                            const BlockInputs& inputs,
                                            sampling::CachedCall& cached) const {
    const std::vector<ZImageBlock>& blocks = layers_->blocks;
    const auto ofImage = [&] { return all.narrow(1, 0, imageTokens); };
    const bool isCut = cached.depth() >= 0;
    if (isCut) {
        cached.enter(ofImage().clone());
    }
    blocks.front().apply(forward, all, inputs.time, inputs.rotation);
    at::Tensor probe;
    if (isCut) {
        probe = ofImage().clone();
        if (cached.isReused(probe)) {
            cached.finish(sampling::StepWork::Partial);
            return cached.value(probe);
        }
    }
    for (size_t i = 1; i < blocks.size(); ++i) {
        blocks[i].apply(forward, all, inputs.time, inputs.rotation);
    }
    all = ofImage();
    if (isCut) {
        all = all.clone();
        cached.keep(probe, all);
    }
    cached.finish(sampling::StepWork::Full);
    return all;
}

at::Tensor ZImageTransformer::predict(Forward& forward,
                                      const at::Tensor& latents,
                                      const at::Tensor& timestep,
                                      const at::Tensor& text,
                                      const sampling::StepInfo& step) const {
    sampling::CachedCall cached(step, sampling::CacheKey::of(latents, forward.tree().id));
    forward.begin(forwardHint(step, cached.work()));
    const at::Tensor time = timeOf(forward, timestep, latents.size(0));
    at::Tensor image =
        filled(forward,
               layers_->patches.apply(
                   forward, forward.toCompute(patchNumbers(latents, ZImageConfig::kPatch))),
               layers_->imagePad);
    at::Tensor words = filled(forward,
                              layers_->text.apply(forward, layers_->textNorm.apply(forward, text)),
                              layers_->textPad);
    const int64_t imageTokens = image.size(1);
    const int64_t textTokens = words.size(1);
    const Rotation turned =
        rotationAt(at::cat({imagePositions(latents.size(2) / ZImageConfig::kPatch,
                                           latents.size(3) / ZImageConfig::kPatch,
                                           textTokens + 1),
                            textPositions(textTokens)}),
                   config_.axes,
                   config_.rotaryBase);
    const Rotation rotation = uploaded(turned, forward.device());
    for (const ZImageBlock& block : layers_->imageRefiners) {
        block.apply(forward, image, time, narrowed(rotation, 0, imageTokens));
    }
    for (const ZImageBlock& block : layers_->textRefiners) {
        block.apply(forward, words, {}, narrowed(rotation, imageTokens, textTokens));
    }
    at::Tensor all = at::cat({image, words.expand({image.size(0), -1, -1})}, 1);
    image.reset();
    words.reset();
    all = throughBlocks(
        forward, std::move(all), imageTokens, {.time = time, .rotation = rotation}, cached);
    const at::Tensor scale =
        layers_->outputModulation.apply(forward, kernels::silu(time)).to(at::kFloat).unsqueeze(1);
    all = modulatedNorm(all, at::zeros_like(scale), scale, kZImageOutputEpsilon);
    return fromPatchNumbers(layers_->output.apply(forward, all),
                            ZImageConfig::kPatch,
                            latents.size(2),
                            latents.size(3));
}

}  // namespace lowtide::models
