#include "plugin/families/hidream/hidream_transformer.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace lowtide::models {

namespace kernels = tensor::kernels;

namespace {

constexpr int64_t kSinusoids = 256;
constexpr double kOutputEpsilon = 1e-6;

std::string projectionName(int64_t layer) {
    return "caption_projection." + std::to_string(layer) + ".linear";
}

Linear projectionOf(NetworkBuilder& builder, const HiDreamConfig& config, int64_t layer) {
    return {builder, projectionName(layer), config.languageWidth, config.width(), Bias::None};
}

/// The layer of a text's states and a block, which go together.
template <class Layer, class Block>
std::vector<Layer> layersNamed(NetworkBuilder& builder,
                               const HiDreamConfig& config,
                               const char* stem,
                               int64_t first,
                               int64_t count) {
    std::vector<Layer> made;
    for (int64_t i = 0; i < count; ++i) {
        const std::string name = stem + std::to_string(i) + ".block";
        const NetworkBuilder::BlockGuard block(builder, name);
        std::optional<Linear> language;
        if (first + i + 1 < config.layers()) {
            language = projectionOf(builder, config, first + i);
        }
        made.push_back(Layer{language, Block(builder, name, config)});
    }
    return made;
}

at::Tensor filledUp(const at::Tensor& x, int64_t axis, int64_t count, double value) {
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes[static_cast<size_t>(axis)] = count - x.size(axis);
    return at::cat({x, at::full(sizes, value, x.options())}, axis);
}

}  // namespace

/// States of texts as the blocks read them: T5's and the last layer's of the language model, which
/// go through all double blocks, and behind them those of the layer that is next.
struct HiDreamTransformer::Texts {
    const HiDreamInputs& inputs;
    at::Tensor last;    ///< of the language model, for the last layer: [N, T, width]
    at::Tensor states;  ///< [N, S + 2 T, width]
    int64_t kept = 0;   ///< S + T
};

HiDreamTransformer::Layers::Layers(NetworkBuilder& builder, const HiDreamConfig& config)
    : patches(builder, "x_embedder.proj", config.patchNumbers(config.inChannels), config.width()),
      time(builder, "t_embedder.timestep_embedder", kSinusoids, config.width()),
      pooled(builder, "p_embedder.pooled_embedder", config.pooledWidth, config.width()),
      t5(builder, projectionName(config.layers()), config.t5Width, config.width(), Bias::None),
      lastLanguage(projectionOf(builder, config, config.layers() - 1)),
      doubles(layersNamed<DoubleLayer, HiDreamDoubleBlock>(
          builder, config, "double_stream_blocks.", 0, config.doubleLayers)),
      singles(layersNamed<SingleLayer, HiDreamSingleBlock>(
          builder, config, "single_stream_blocks.", config.doubleLayers, config.singleLayers)),
      outputModulation(
          builder, "final_layer.adaLN_modulation.1", config.width(), 2 * config.width()),
      output(
          builder, "final_layer.linear", config.width(), config.patchNumbers(config.outChannels)) {}

HiDreamTransformer::HiDreamTransformer(HiDreamConfig config,
                                       const WeightMap& weights,
                                       std::string_view role)
    : config_(std::move(config)) {
    NetworkBuilder builder(
        std::string(role), "HiDreamImageTransformer2DModel", weights, DType::F32);
    layers_ = std::make_unique<Layers>(builder, config_);
    tree_ = builder.finish({});
}

int64_t HiDreamTransformer::tokensOf(int64_t height, int64_t width) const {
    return height == width ? height * width / (config_.patch * config_.patch) : config_.mostTokens;
}

at::Tensor HiDreamTransformer::patchesOf(Forward& forward, const at::Tensor& latents) const {
    at::Tensor numbers = patchNumbers(latents, config_.patch);
    const int64_t all = tokensOf(latents.size(2), latents.size(3));
    if (numbers.size(1) < all) {
        numbers = filledUp(numbers, 1, all, 0);
    }
    return layers_->patches.apply(forward, forward.toCompute(numbers));
}

/// Texts, and what fills an image up, stand at index 0 of every axis.
HiDreamContext HiDreamTransformer::contextFor(const at::Tensor& latents,
                                              int64_t texts,
                                              at::Tensor time) const {
    const int64_t rows = latents.size(2) / config_.patch;
    const int64_t columns = latents.size(3) / config_.patch;
    const int64_t tokens = tokensOf(latents.size(2), latents.size(3));
    const Rotation grid =
        gridRotation({{1, config_.axes[0]}, {rows, config_.axes[1]}, {columns, config_.axes[2]}});
    const c10::Device device = latents.device();
    const auto positioned = [&](const at::Tensor& ofGrid, double unturned) {
        return tensor::upload(filledUp(ofGrid, 1, tokens + texts, unturned), device);
    };
    HiDreamContext context{
        .time = std::move(time),
        .rotation = {.cosines = positioned(grid.cosines, 1), .sines = positioned(grid.sines, 0)},
        .fill = {}};
    if (tokens > rows * columns) {
        context.fill = tensor::upload(
            filledUp(at::ones({1, rows * columns, 1}, at::kFloat), 1, tokens, 0), device);
    }
    return context;
}

at::Tensor HiDreamTransformer::languageOf(Forward& forward,
                                          const Linear& projection,
                                          const HiDreamInputs& inputs,
                                          int64_t layer) const {
    const int64_t state = config_.languageLayers[static_cast<size_t>(layer)];
    return projection.apply(forward, inputs.language.select(1, state));
}

/// Blocks write to what they get.
at::Tensor HiDreamTransformer::throughRest(Forward& forward,
                                           at::Tensor hidden,
                                           Texts& texts,
                                           const HiDreamContext& context) const {
    const int64_t length = texts.states.size(1) - texts.kept;
    const at::Tensor ofLayer = texts.states.narrow(1, texts.kept, length);
    for (size_t i = 1; i < layers_->doubles.size(); ++i) {
        const DoubleLayer& layer = layers_->doubles[i];
        const auto number = static_cast<int64_t>(i);
        ofLayer.copy_(layer.language ? languageOf(forward, *layer.language, texts.inputs, number)
                                     : texts.last);
        layer.block.apply(forward, hidden, texts.states, context);
    }
    if (layers_->singles.empty()) {
        return hidden;
    }
    const int64_t count = hidden.size(1);
    const at::Tensor all = inARow(hidden, texts.states);
    const at::Tensor next = all.narrow(1, count + texts.kept, length);
    for (size_t i = 0; i < layers_->singles.size(); ++i) {
        const SingleLayer& layer = layers_->singles[i];
        const int64_t number = config_.doubleLayers + static_cast<int64_t>(i);
        next.copy_(layer.language ? languageOf(forward, *layer.language, texts.inputs, number)
                                  : texts.last);
        layer.block.apply(forward, all, context);
    }
    return all.narrow(1, 0, count);
}

at::Tensor HiDreamTransformer::predict(Forward& forward,
                                       const at::Tensor& latents,
                                       const at::Tensor& timestep,
                                       const HiDreamInputs& inputs,
                                       const sampling::StepInfo& step) const {
    sampling::CachedCall cached(step, sampling::CacheKey::of(latents, forward.tree().id));
    forward.begin(forwardHint(step, cached.work()));
    const at::Tensor steps = sinusoids(
        forward, timestep.to(at::kFloat).reshape({1}).expand({latents.size(0)}), kSinusoids);
    at::Tensor hidden = patchesOf(forward, latents);
    const at::Tensor time =
        kernels::silu(layers_->time.apply(forward, steps).to(hidden.scalar_type()) +
                      layers_->pooled.apply(forward, inputs.pooled));
    Texts texts{.inputs = inputs};
    {
        const std::optional<Linear>& first = layers_->doubles.front().language;
        const at::Tensor t5 = layers_->t5.apply(forward, inputs.t5);
        texts.last = languageOf(forward, layers_->lastLanguage, inputs, config_.layers() - 1);
        texts.kept = t5.size(1) + texts.last.size(1);
        const at::Tensor own = first ? languageOf(forward, *first, inputs, 0) : texts.last;
        texts.states = at::cat({t5, texts.last, own}, 1);
    }
    const HiDreamContext context = contextFor(latents, texts.states.size(1), time);
    hidden = throughBlocks(
        cached,
        std::move(hidden),
        [&](const at::Tensor& own) {
            layers_->doubles.front().block.apply(forward, own, texts.states, context);
        },
        [&](at::Tensor own) { return throughRest(forward, std::move(own), texts, context); });
    const std::vector<at::Tensor> by = modulationsOf(forward, layers_->outputModulation, time, 2);
    hidden = modulatedNorm(hidden, by[0], by[1], kOutputEpsilon);
    return fromPatchNumbers(
        layers_->output.apply(forward, hidden), config_.patch, latents.size(2), latents.size(3));
}

}  // namespace lowtide::models
