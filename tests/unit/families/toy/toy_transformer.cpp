#include "tests/unit/families/toy/toy_transformer.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/json.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/unit/families/toy/toy_file.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

namespace {

constexpr double kToyEpsilon = 1e-5;
constexpr int64_t kToySinusoids = 64;
/// Scale and gate of the attention, then of the feed-forward layer.
constexpr int64_t kToyParts = 4;

}  // namespace

ToyConfig readToyConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, kToyClass);
    ToyConfig config;
    config.inChannels = integerInRange(reader, "in_channels", config.inChannels, 1, kMostChannels);
    config.width = integerInRange(reader, "width", config.width, 1, kMostChannels);
    config.layers = integerInRange(reader, "num_layers", config.layers, 1, kMostLayers);
    config.textWidth = integerInRange(reader, "text_width", config.textWidth, 1, kMostChannels);
    requireDivisible(reader, "width", config.width, ToyConfig::kHeadWidth);
    return config;
}

ToyBlock::ToyBlock(NetworkBuilder& builder, const std::string& name, const ToyConfig& config)
    : modulation(builder, name + ".modulation", config.width, kToyParts * config.width),
      attention(builder,
                name + ".attn",
                diffusersAttentionNames(),
                {.width = config.width, .contextWidth = config.width, .heads = config.heads()}),
      feed(builder, name + ".feed", config.width, 2 * config.width) {}

void ToyBlock::apply(Forward& forward,
                     const at::Tensor& hidden,
                     const at::Tensor& words,
                     const at::Tensor& time) const {
    const std::vector<at::Tensor> by =
        modulation.apply(forward, time).to(at::kFloat).unsqueeze(1).chunk(kToyParts, -1);
    const auto scaled = [&](const at::Tensor& scale) {
        return modulatedNorm(hidden, at::zeros_like(scale), scale, kToyEpsilon);
    };
    const at::Tensor normed = scaled(by[0]);
    addGated(
        hidden, attention.apply(forward, normed, at::cat({words, normed}, 1), Mask::None), by[1]);
    addGated(hidden, feed.apply(forward, scaled(by[2])), by[3]);
}

ToyTransformer::Layers::Layers(NetworkBuilder& builder, const ToyConfig& config)
    : patches(builder, "patch_in", config.patchNumbers(), config.width),
      words(builder, "words_in", config.textWidth, config.width),
      clockInner(builder, "clock.inner", kToySinusoids, config.width),
      clockOuter(builder, "clock.outer", config.width, config.width),
      blocks(numberedBlocks<ToyBlock>(builder, "toy_blocks.", config.layers, config)),
      norm(builder, "norm_out", config.width, kToyEpsilon),
      output(builder, "patch_out", config.width, config.patchNumbers()) {}

ToyTransformer::ToyTransformer(ToyConfig config, const WeightMap& weights, std::string_view role)
    : config_(config) {
    NetworkBuilder builder(std::string(role), kToyClass, weights, DType::F32);
    layers_ = std::make_unique<Layers>(builder, config_);
    tree_ = builder.finish({});
}

at::Tensor ToyTransformer::predict(Forward& forward,
                                   const at::Tensor& latents,
                                   const at::Tensor& timestep,
                                   const at::Tensor& text,
                                   const sampling::StepInfo& step) const {
    namespace kernels = tensor::kernels;
    forward.begin(forwardHint(step, sampling::StepWork::Full));
    const int64_t count = latents.size(0);
    const at::Tensor numbers =
        sinusoids(forward, timestep.to(at::kFloat).reshape({1}).expand({count}), kToySinusoids);
    const at::Tensor time = kernels::silu(layers_->clockOuter.apply(
        forward, kernels::silu(layers_->clockInner.apply(forward, forward.toCompute(numbers)))));
    const at::Tensor words = layers_->words.apply(forward, text).expand({count, -1, -1});
    const at::Tensor hidden = layers_->patches.apply(
        forward, forward.toCompute(patchNumbers(latents, ToyConfig::kPatch)));
    for (const ToyBlock& block : layers_->blocks) {
        block.apply(forward, hidden, words, time);
    }
    return fromPatchNumbers(layers_->output.apply(forward, layers_->norm.apply(forward, hidden)),
                            ToyConfig::kPatch,
                            latents.size(2),
                            latents.size(3));
}

}  // namespace lowtide::models
