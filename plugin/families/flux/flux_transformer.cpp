#include "plugin/families/flux/flux_transformer.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/json.hpp"
#include "plugin/families/flux/flux_file.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/dit.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <utility>
#include <vector>

namespace lowtide::models {

namespace {

constexpr const char* kFluxClass = "FluxTransformer2DModel";

/// Fill, Depth and Canny take an image's channels in addition to those of the latent.
void requireOwnChannels(const JsonReader& reader, const FluxConfig& config) {
    const int64_t given =
        integerInRange(reader, "out_channels", config.inChannels, 1, kMostChannels);
    if (given != config.inChannels) {
        refuseConfig(
            reader,
            message("in_channels is {} and out_channels {}: it takes an image alongside the "
                    "latent (Fill, Depth, Canny), which is not built",
                    config.inChannels,
                    given));
    }
    requireDivisible(
        reader, "in_channels", config.inChannels, FluxConfig::kPatch * FluxConfig::kPatch);
}

}  // namespace

FluxConfig readFluxConfig(const Json& json, const std::string& what) {
    static const std::vector<FixedSetting> kFixed = {{"patch_size", 1}};
    const JsonReader reader(json, what);
    requireClass(reader, kFluxClass);
    refuseOtherSettings(json, what, kFixed);
    const auto number = [&](const char* key, int64_t otherwise, int64_t least, int64_t most) {
        return integerInRange(reader, key, otherwise, least, most);
    };
    FluxConfig config;
    config.inChannels = number("in_channels", config.inChannels, 1, kMostChannels);
    requireOwnChannels(reader, config);
    config.doubleLayers = number("num_layers", config.doubleLayers, 1, kMostLayers);
    config.singleLayers = number("num_single_layers", config.singleLayers, 0, kMostLayers);
    config.headWidth = number("attention_head_dim", config.headWidth, 2, kMostChannels);
    config.heads = number("num_attention_heads", config.heads, 1, kMostChannels);
    config.textWidth = number("joint_attention_dim", config.textWidth, 1, kMostChannels);
    config.pooledWidth = number("pooled_projection_dim", config.pooledWidth, 1, kMostChannels);
    config.embedsGuidance = reader.boolean("guidance_embeds").value_or(config.embedsGuidance);
    config.axes = headAxes(reader,
                           "axes_dims_rope",
                           config.axes,
                           config.headWidth,
                           message("the {} of attention_head_dim", config.headWidth));
    return config;
}

namespace kernels = tensor::kernels;

namespace {

constexpr double kFluxEpsilon = 1e-6;
constexpr int64_t kFluxSinusoids = 256;
constexpr int64_t kFluxFeedFactor = 4;
constexpr double kFluxNoise = 1000;  ///< the timestep of pure noise
/// Shift, scale and gate of the attention, then of the feed-forward layer.
constexpr int64_t kFluxParts = 6;
constexpr int64_t kFluxSingleParts = 3;

/// What diffusers calls the projections of one kind of tokens.
struct FluxProjectionNames {
    const char* query;
    const char* key;
    const char* value;
    const char* queryNorm;
    const char* keyNorm;
};

constexpr FluxProjectionNames kOfImage = {
    ".attn.to_q", ".attn.to_k", ".attn.to_v", ".attn.norm_q", ".attn.norm_k"};
constexpr FluxProjectionNames kOfText = {".attn.add_q_proj",
                                         ".attn.add_k_proj",
                                         ".attn.add_v_proj",
                                         ".attn.norm_added_q",
                                         ".attn.norm_added_k"};

FluxProjections fluxProjections(NetworkBuilder& builder,
                                const std::string& name,
                                const FluxProjectionNames& names,
                                const FluxConfig& config) {
    const int64_t width = config.width();
    return {.query = {builder, name + names.query, width, width},
            .key = {builder, name + names.key, width, width},
            .value = {builder, name + names.value, width, width},
            .queryNorm = {builder, name + names.queryNorm, config.headWidth, kFluxEpsilon},
            .keyNorm = {builder, name + names.keyNorm, config.headWidth, kFluxEpsilon}};
}

/// `suffix`: of the layers of the text, "_context".
FluxStream fluxStream(NetworkBuilder& builder,
                      const std::string& name,
                      const std::string& suffix,
                      const FluxProjectionNames& names,
                      const FluxConfig& config) {
    const int64_t width = config.width();
    const std::string feed = name + ".ff" + suffix + ".net.";
    return {
        .modulation = {builder, name + ".norm1" + suffix + ".linear", width, kFluxParts * width},
        .projections = fluxProjections(builder, name, names, config),
        .out = {builder,
                name + (suffix.empty() ? ".attn.to_out.0" : ".attn.to_add_out"),
                width,
                width},
        .inner = {builder, feed + "0.proj", width, kFluxFeedFactor * width},
        .outer = {builder, feed + "2", kFluxFeedFactor * width, width}};
}

HeadTokens fluxProjected(Forward& forward,
                         const FluxProjections& by,
                         const at::Tensor& x,
                         int64_t heads) {
    const auto inHeads = [&](const at::Tensor& made) { return made.unflatten(2, {heads, -1}); };
    return {.query = by.queryNorm.apply(forward, inHeads(by.query.apply(forward, x))),
            .key = by.keyNorm.apply(forward, inHeads(by.key.apply(forward, x))),
            .value = inHeads(by.value.apply(forward, x))};
}

void addFed(Forward& forward,
            const FluxStream& stream,
            const at::Tensor& hidden,
            const std::vector<at::Tensor>& by) {
    const at::Tensor inner =
        stream.inner.apply(forward, modulatedNorm(hidden, by[3], by[4], kFluxEpsilon));
    addGated(hidden, stream.outer.apply(forward, kernels::tanhGelu(inner)), by[5]);
}

/// A square's numbers by channel, row, column: [N, T, C * p * p].
at::Tensor fluxPatches(const at::Tensor& latents) {
    constexpr int64_t kPatch = FluxConfig::kPatch;
    return latents.unflatten(3, {-1, kPatch})
        .unflatten(2, {-1, kPatch})
        .permute({0, 2, 4, 1, 3, 5})  // [N,h,w,C,p,q]
        .flatten(3)
        .flatten(1, 2);
}

/// The other way, in f32.
at::Tensor latentsOfPatches(const at::Tensor& tokens, int64_t height, int64_t width) {
    constexpr int64_t kPatch = FluxConfig::kPatch;
    return tokens.unflatten(2, {-1, kPatch, kPatch})
        .unflatten(1, {height / kPatch, width / kPatch})
        .permute({0, 3, 1, 4, 2, 5})  // [N,C,h,p,w,q]
        .to(at::kFloat)
        .contiguous()
        .view({tokens.size(0), -1, height, width});
}

/// Positions of all tokens, on the CPU: texts stand at 0 of every axis, an image at its rows and
/// columns.
Rotation fluxRotation(const FluxConfig& config, int64_t texts, int64_t rows, int64_t columns) {
    const Rotation grid =
        gridRotation({{1, config.axes[0]}, {rows, config.axes[1]}, {columns, config.axes[2]}});
    const std::vector<int64_t> ofTexts = {1, texts, 1, config.headWidth / 2};
    return {.cosines = at::cat({at::ones(ofTexts, at::kFloat), grid.cosines}, 1),
            .sines = at::cat({at::zeros(ofTexts, at::kFloat), grid.sines}, 1)};
}

}  // namespace

FluxDoubleBlock::FluxDoubleBlock(NetworkBuilder& builder,
                                 const std::string& name,
                                 const FluxConfig& config)
    : image(fluxStream(builder, name, "", kOfImage, config)),
      text(fluxStream(builder, name, "_context", kOfText, config)),
      heads(config.heads) {}

void FluxDoubleBlock::apply(Forward& forward,
                            const at::Tensor& hidden,
                            const at::Tensor& texts,
                            const FluxInputs& inputs) const {
    const std::vector<at::Tensor> by =
        modulationsOf(forward, image.modulation, inputs.time, kFluxParts);
    const std::vector<at::Tensor> byOfText =
        modulationsOf(forward, text.modulation, inputs.time, kFluxParts);
    at::Tensor found;
    {
        HeadTokens own = fluxProjected(
            forward, image.projections, modulatedNorm(hidden, by[0], by[1], kFluxEpsilon), heads);
        HeadTokens others =
            fluxProjected(forward,
                          text.projections,
                          modulatedNorm(texts, byOfText[0], byOfText[1], kFluxEpsilon),
                          heads);
        found = attended(inARow(std::move(others), std::move(own)), inputs.rotation);
    }
    const int64_t count = texts.size(1);
    addGated(hidden, image.out.apply(forward, found.narrow(1, count, hidden.size(1))), by[2]);
    addGated(texts, text.out.apply(forward, found.narrow(1, 0, count)), byOfText[2]);
    found.reset();
    addFed(forward, image, hidden, by);
    addFed(forward, text, texts, byOfText);
}

FluxSingleBlock::FluxSingleBlock(NetworkBuilder& builder,
                                 const std::string& name,
                                 const FluxConfig& config)
    : modulation(builder, name + ".norm.linear", config.width(), kFluxSingleParts * config.width()),
      projections(fluxProjections(builder, name, kOfImage, config)),
      inner(builder, name + ".proj_mlp", config.width(), kFluxFeedFactor * config.width()),
      out(builder, name + ".proj_out", (1 + kFluxFeedFactor) * config.width(), config.width()),
      heads(config.heads) {}

void FluxSingleBlock::apply(Forward& forward,
                            const at::Tensor& all,
                            const FluxInputs& inputs) const {
    const std::vector<at::Tensor> by =
        modulationsOf(forward, modulation, inputs.time, kFluxSingleParts);
    at::Tensor made;
    {
        const at::Tensor normed = modulatedNorm(all, by[0], by[1], kFluxEpsilon);
        const at::Tensor found =
            attended(fluxProjected(forward, projections, normed, heads), inputs.rotation);
        made = at::cat({found, kernels::tanhGelu(inner.apply(forward, normed))}, 2);
    }
    addGated(all, out.apply(forward, made), by[2]);
}

FluxTransformer::Layers::Layers(NetworkBuilder& builder, const FluxConfig& config)
    : patches(builder, "x_embedder", config.inChannels, config.width()),
      text(builder, "context_embedder", config.textWidth, config.width()),
      time(builder, "time_text_embed.timestep_embedder", kFluxSinusoids, config.width()),
      pooled(builder, "time_text_embed.text_embedder", config.pooledWidth, config.width()),
      doubles(numberedBlocks<FluxDoubleBlock>(
          builder, "transformer_blocks.", config.doubleLayers, config)),
      singles(numberedBlocks<FluxSingleBlock>(
          builder, "single_transformer_blocks.", config.singleLayers, config)),
      outputShift(builder, kFluxOutputShift, config.width(), config.width()),
      outputScale(builder, kFluxOutputScale, config.width(), config.width()),
      output(builder, "proj_out", config.width(), config.inChannels) {
    if (config.embedsGuidance) {
        guidance.emplace(
            builder, "time_text_embed.guidance_embedder", kFluxSinusoids, config.width());
    }
}

FluxTransformer::FluxTransformer(FluxConfig config, const WeightMap& weights, std::string_view role)
    : config_(config) {
    const WeightMap parted = withFluxOutputParts(weights);
    NetworkBuilder builder(std::string(role), kFluxClass, parted, DType::F32);
    layers_ = std::make_unique<Layers>(builder, config_);
    tree_ = builder.finish({});
}

/// The network counts times from 0 to 1, and multiplies them again.
at::Tensor FluxTransformer::timeOf(Forward& forward,
                                   const at::Tensor& timestep,
                                   const FluxTexts& texts) const {
    const auto embedded = [&](const VectorEmbedding& by, const at::Tensor& number) {
        return by.apply(forward, sinusoids(forward, number.reshape({1}), kFluxSinusoids));
    };
    at::Tensor sum = embedded(layers_->time, timestep.to(at::kFloat) / kFluxNoise * kFluxNoise);
    if (layers_->guidance) {
        const at::Tensor guidance = at::scalar_tensor(texts.guidance, at::kFloat) * kFluxNoise;
        sum = sum + embedded(*layers_->guidance, guidance);
    }
    return forward.toCompute(kernels::silu(sum + layers_->pooled.apply(forward, texts.pooled)));
}

/// Blocks write to what they get.
at::Tensor FluxTransformer::throughRest(Forward& forward,
                                        at::Tensor hidden,
                                        at::Tensor texts,
                                        const FluxInputs& inputs) const {
    for (size_t i = 1; i < layers_->doubles.size(); ++i) {
        layers_->doubles[i].apply(forward, hidden, texts, inputs);
    }
    if (layers_->singles.empty()) {
        return hidden;
    }
    const int64_t count = texts.size(1);
    const at::Tensor all = inARow(texts, hidden);
    for (const FluxSingleBlock& block : layers_->singles) {
        block.apply(forward, all, inputs);
    }
    return all.narrow(1, count, all.size(1) - count);
}

at::Tensor FluxTransformer::predict(Forward& forward,
                                    const at::Tensor& latents,
                                    const at::Tensor& timestep,
                                    const FluxTexts& texts,
                                    const sampling::StepInfo& step) const {
    sampling::CachedCall cached(step, sampling::CacheKey::of(latents, forward.tree().id));
    forward.begin(forwardHint(step, cached.work()));
    const int64_t count = latents.size(0);
    at::Tensor hidden = layers_->patches.apply(forward, forward.toCompute(fluxPatches(latents)));
    at::Tensor words =
        layers_->text.apply(forward, texts.states).expand({count, -1, -1}).contiguous();
    const Rotation turned = fluxRotation(config_,
                                         words.size(1),
                                         latents.size(2) / FluxConfig::kPatch,
                                         latents.size(3) / FluxConfig::kPatch);
    const FluxInputs inputs{.time = timeOf(forward, timestep, texts),
                            .rotation = uploaded(turned, forward.device())};
    hidden = throughBlocks(
        cached,
        std::move(hidden),
        [&](const at::Tensor& own) { layers_->doubles.front().apply(forward, own, words, inputs); },
        [&](at::Tensor own) {
            return throughRest(forward, std::move(own), std::move(words), inputs);
        });
    words.reset();
    const auto part = [&](const Linear& by) {
        return by.apply(forward, inputs.time).to(at::kFloat).unsqueeze(1);
    };
    hidden =
        modulatedNorm(hidden, part(layers_->outputShift), part(layers_->outputScale), kFluxEpsilon);
    return latentsOfPatches(
        layers_->output.apply(forward, hidden), latents.size(2), latents.size(3));
}

}  // namespace lowtide::models
