#include "plugin/nn/upscalers/rrdb_net.hpp"

#include "plugin/nn/blocks/forward.hpp"
#include "plugin/nn/component_source.hpp"
#include "plugin/tensor/kernels.hpp"

#include <utility>

namespace lowtide::models {

namespace {

namespace kernels = tensor::kernels;
using BlockGuard = NetworkBuilder::BlockGuard;

constexpr int kDenseConvs = 5;
constexpr int kDenseBlocks = 3;
constexpr double kSlope = 0.2;             ///< of the activations
constexpr double kResidualFraction = 0.2;  ///< of what a block adds to its shortcut

std::vector<Conv2d> makeDenseConvs(NetworkBuilder& builder,
                                   const std::string& name,
                                   const RrdbConfig& config) {
    const BlockGuard guard(builder, name);
    std::vector<Conv2d> convs;
    for (int i = 0; i < kDenseConvs; ++i) {
        const bool isLast = i == kDenseConvs - 1;
        convs.emplace_back(builder,
                           name + ".conv" + std::to_string(i + 1) + config.names.convEnding,
                           ConvSizes{.in = config.width + i * config.growth,
                                     .out = isLast ? config.width : config.growth});
    }
    return convs;
}

std::vector<DenseBlock> makeParts(NetworkBuilder& builder,
                                  const std::string& name,
                                  const RrdbConfig& config) {
    const BlockGuard guard(builder, name);
    std::vector<DenseBlock> parts;
    for (int i = 1; i <= kDenseBlocks; ++i) {
        parts.emplace_back(builder, name + config.names.dense + std::to_string(i), config);
    }
    return parts;
}

std::vector<RrdbBlock> makeBody(NetworkBuilder& builder, const RrdbConfig& config) {
    std::vector<RrdbBlock> blocks;
    for (int64_t i = 0; i < config.blocks; ++i) {
        blocks.emplace_back(builder, config.names.body + std::to_string(i), config);
    }
    return blocks;
}

std::vector<Conv2d> makeUpConvs(NetworkBuilder& builder, const RrdbConfig& config) {
    std::vector<Conv2d> convs;
    for (const std::string& name : config.names.up) {
        convs.emplace_back(builder, name, ConvSizes{.in = config.width, .out = config.width});
    }
    return convs;
}

ConvSizes inputSizes(const RrdbConfig& config) {
    return {.in = kRrdbImageChannels * config.unshuffle * config.unshuffle, .out = config.width};
}

/// A block's output for `x`, without its shortcut; written over `made`.
at::Tensor withShortcut(const at::Tensor& made, const at::Tensor& x) {
    return made.mul_(kResidualFraction).add_(x);
}

}  // namespace

DenseBlock::DenseBlock(NetworkBuilder& builder, const std::string& name, const RrdbConfig& config)
    : convs(makeDenseConvs(builder, name, config)), width(config.width), growth(config.growth) {}

at::Tensor DenseBlock::apply(Forward& forward, const at::Tensor& x) const {
    const int64_t grown = width + static_cast<int64_t>(convs.size() - 1) * growth;
    // All features side by side, so that each convolution reads a view and nothing is put together.
    const at::Tensor features = at::empty(
        {x.size(0), grown, x.size(2), x.size(3)}, x.options(), at::MemoryFormat::ChannelsLast);
    features.narrow(1, 0, width).copy_(x);
    for (int64_t known = width; known < grown; known += growth) {
        const Conv2d& conv = convs[static_cast<size_t>((known - width) / growth)];
        const at::Tensor more = conv.apply(forward, features.narrow(1, 0, known));
        features.narrow(1, known, growth).copy_(kernels::leakyRelu(more, kSlope));
    }
    return withShortcut(convs.back().apply(forward, features), x);
}

RrdbBlock::RrdbBlock(NetworkBuilder& builder, const std::string& name, const RrdbConfig& config)
    : parts(makeParts(builder, name, config)) {}

at::Tensor RrdbBlock::apply(Forward& forward, const at::Tensor& x) const {
    at::Tensor hidden = x;
    for (const DenseBlock& part : parts) {
        hidden = part.apply(forward, hidden);
    }
    return withShortcut(hidden, x);
}

RrdbNet::Layers::Layers(NetworkBuilder& builder, const RrdbConfig& config)
    : input(builder, config.names.input, inputSizes(config)),
      body(makeBody(builder, config)),
      bodyOutput(builder, config.names.bodyOutput, {.in = config.width, .out = config.width}),
      up(makeUpConvs(builder, config)),
      detail(builder, config.names.detail, {.in = config.width, .out = config.width}),
      output(builder, config.names.output, {.in = config.width, .out = kRrdbImageChannels}) {}

RrdbNet::RrdbNet(RrdbConfig config, const WeightMap& weights) : config_(std::move(config)) {
    NetworkBuilder builder(std::string(kUpscaler), "RRDBNet", weights, DType::F32);
    layers_ = std::make_unique<Layers>(builder, config_);
    tree_ = builder.finish({}, Surplus::Refused);  // its layout was inferred from all names
}

at::Tensor RrdbNet::apply(Forward& forward, const at::Tensor& pixels) const {
    forward.begin();
    at::Tensor hidden = layers_->input.apply(
        forward, forward.toCompute(kernels::pixelUnshuffle(pixels, config_.unshuffle)));
    at::Tensor deep = hidden;
    for (const RrdbBlock& block : layers_->body) {
        deep = block.apply(forward, deep);
    }
    hidden = layers_->bodyOutput.apply(forward, deep).add_(hidden);
    deep.reset();
    for (const Conv2d& conv : layers_->up) {
        hidden = kernels::leakyRelu(
            conv.applyUpsampled(forward, hidden, 2 * hidden.size(2), 2 * hidden.size(3)), kSlope);
    }
    hidden = kernels::leakyRelu(layers_->detail.apply(forward, hidden), kSlope);
    return layers_->output.apply(forward, hidden).contiguous().to(at::kFloat);
}

}  // namespace lowtide::models
