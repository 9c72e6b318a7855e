#include "plugin/nn/controls/hint_network.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <string>
#include <utility>

namespace lowtide::models {

namespace {

constexpr const char* kHintPrefix = "controlnet_cond_embedding.";
constexpr int64_t kHintImageChannels = 3;

std::vector<Conv2d> makeHintBlocks(NetworkBuilder& builder, const std::vector<int64_t>& widths) {
    std::vector<Conv2d> blocks;
    const auto add = [&](int64_t in, int64_t out, int64_t stride) {
        const std::string name =
            std::string(kHintPrefix) + "blocks." + std::to_string(blocks.size());
        blocks.emplace_back(builder, name, ConvSizes{.in = in, .out = out, .stride = stride});
    };
    for (size_t i = 0; i + 1 < widths.size(); ++i) {
        add(widths[i], widths[i], 1);
        add(widths[i], widths[i + 1], 2);
    }
    return blocks;
}

}  // namespace

HintEmbedding::HintEmbedding(NetworkBuilder& builder,
                             const std::vector<int64_t>& widths,
                             int64_t out)
    : input(builder,
            std::string(kHintPrefix) + "conv_in",
            {.in = kHintImageChannels, .out = widths.front()}),
      blocks(makeHintBlocks(builder, widths)),
      output(builder, std::string(kHintPrefix) + "conv_out", {.in = widths.back(), .out = out}) {}

at::Tensor HintEmbedding::apply(Forward& forward, const at::Tensor& hint) const {
    namespace kernels = tensor::kernels;
    at::Tensor hidden = kernels::silu(input.apply(forward, hint));
    for (const Conv2d& block : blocks) {
        hidden = kernels::silu(block.apply(forward, hidden));
    }
    return output.apply(forward, hidden);
}

namespace {

/// "controlnet_down_blocks.<index>", from one width to the same.
Conv2d outputOfSkip(NetworkBuilder& builder, size_t index, int64_t channels) {
    return {builder,
            "controlnet_down_blocks." + std::to_string(index),
            ConvSizes{.in = channels, .out = channels, .kernel = 1, .padding = 0}};
}

}  // namespace

ControlNetwork::Layers::Layers(NetworkBuilder& builder, const ControlConfig& config)
    : hint(builder, config.hintChannels, config.unet.levels.front().channels),
      time(builder, config.unet),
      input(builder,
            "conv_in",
            {.in = config.unet.inChannels,
             .out = config.unet.levels.front().channels,
             .kernel = config.unet.convInKernel,
             .padding = (config.unet.convInKernel - 1) / 2}),
      firstOutput(outputOfSkip(builder, 0, config.unet.levels.front().channels)),
      levels([&] {
          std::vector<Level> made;
          size_t index = 1;
          for (size_t level = 0; level < config.unet.levels.size(); ++level) {
              UNetDown down(builder, config.unet, level);
              const size_t skips = down.units.size() + (down.shrink ? 1 : 0);
              std::vector<Conv2d> outputs;
              for (size_t i = 0; i < skips; ++i) {
                  outputs.push_back(
                      outputOfSkip(builder, index++, config.unet.levels[level].channels));
              }
              made.push_back({std::move(down), std::move(outputs)});
          }
          return made;
      }()),
      mid(config.unet.midTransformer > 0 ? std::optional(UNetMid(builder, config.unet))
                                         : std::nullopt),
      midOutput(builder,
                "controlnet_mid_block",
                {.in = config.unet.levels.back().channels,
                 .out = config.unet.levels.back().channels,
                 .kernel = 1,
                 .padding = 0}) {}

ControlNetwork::ControlNetwork(const ControlConfig& config,
                               const WeightMap& weights,
                               std::string_view role)
    : config_(config) {
    NetworkBuilder builder(std::string(role), "ControlNetModel", weights, DType::F32);
    layers_ = std::make_unique<Layers>(builder, config);
    tree_ = builder.finish({});
}

at::Tensor ControlNetwork::result(at::Tensor feature) const {
    if (config_.poolsGlobally) {
        feature = feature.mean({2, 3}, true).expand(feature.sizes());
    }
    return feature.contiguous().to(at::kFloat);
}

std::vector<at::Tensor> ControlNetwork::readHint(Forward& forward,
                                                 const at::Tensor& hint,
                                                 uint32_t next) const {
    forward.begin({.pattern = hintPattern(), .next = next});
    return {layers_->hint.apply(forward, forward.toCompute(hint)).contiguous().to(at::kFloat)};
}

std::vector<at::Tensor> ControlNetwork::predict(Forward& forward,
                                                const at::Tensor& latents,
                                                const at::Tensor& timestep,
                                                const UNetConditioning& conditioning,
                                                const at::Tensor& hint) const {
    forward.begin({.pattern = kStepPattern, .next = kStepPattern});
    const at::Tensor waves =
        tensor::upload(forward.toCompute(timeSinusoids(timestep, latents.size(0), config_.unet)),
                       latents.device());
    const UNetInputs inputs{.time = layers_->time.apply(forward,
                                                        waves,
                                                        forward.toCompute(conditioning.guidance),
                                                        forward.toCompute(conditioning.added)),
                            .context = forward.toCompute(conditioning.context)};
    at::Tensor hidden = layers_->input.apply(forward, forward.toCompute(latents));
    hidden += forward.toCompute(hint);
    std::vector<at::Tensor> results = {result(layers_->firstOutput.apply(forward, hidden))};
    for (const Level& level : layers_->levels) {
        std::vector<at::Tensor> skips;
        hidden = level.down.applyUnits(
            forward, std::move(hidden), 0, level.down.units.size(), inputs, {}, skips);
        hidden = level.down.applyShrinking(forward, std::move(hidden), {}, skips);
        for (size_t i = 0; i < skips.size(); ++i) {
            // A skip is let go as soon as it went out: nothing here reads it again.
            results.push_back(result(level.outputs[i].apply(forward, skips[i])));
            skips[i].reset();
        }
    }
    if (layers_->mid) {
        hidden = layers_->mid->apply(forward, hidden, inputs);
    }
    results.push_back(result(layers_->midOutput.apply(forward, hidden)));
    return results;
}

namespace {

constexpr int64_t kLightFraction = 4;  ///< of a block's width that light ones work at

ConvSizes pointwise(int64_t in, int64_t out) {
    return {.in = in, .out = out, .kernel = 1, .padding = 0};
}

}  // namespace

HintAdapter::HintAdapter(const HintAdapterConfig& config,
                         const WeightMap& weights,
                         std::string_view role)
    : config_(config) {
    NetworkBuilder builder(std::string(role), "T2IAdapter", weights, DType::F32);
    if (!config.isLight) {
        input_.emplace(builder,
                       "adapter.conv_in",
                       ConvSizes{.in = config.squareChannels(), .out = config.firstChannels});
    }
    for (size_t i = 0; i < config.blocks.size(); ++i) {
        const NetworkBuilder::BlockGuard guard(builder, "adapter.body." + std::to_string(i));
        blocks_.push_back(makeBlock(builder, config, i));
    }
    tree_ = builder.finish({});
}

HintAdapter::Block HintAdapter::makeBlock(NetworkBuilder& builder,
                                          const HintAdapterConfig& config,
                                          size_t index) {
    const HintBlockSizes& sizes = config.blocks[index];
    const std::string name = "adapter.body." + std::to_string(index);
    const int64_t width = config.isLight ? sizes.out / kLightFraction : sizes.out;
    Block block{.shrinks = sizes.shrinks, .input = {}, .resnets = {}, .output = {}};
    if (config.isLight || sizes.in != sizes.out) {
        block.input.emplace(builder, name + ".in_conv", pointwise(sizes.in, width));
    }
    for (int64_t i = 0; i < config.resnets; ++i) {
        const std::string resnet = name + ".resnets." + std::to_string(i);
        const ConvSizes second =
            config.isLight ? ConvSizes{.in = width, .out = width} : pointwise(width, width);
        block.resnets.push_back(
            {.first = Conv2d(builder, resnet + ".block1", ConvSizes{.in = width, .out = width}),
             .second = Conv2d(builder, resnet + ".block2", second)});
    }
    if (config.isLight) {
        block.output.emplace(builder, name + ".out_conv", pointwise(width, sizes.out));
    }
    return block;
}

std::vector<at::Tensor> HintAdapter::readHint(Forward& forward,
                                              const at::Tensor& hint,
                                              uint32_t next) const {
    namespace kernels = tensor::kernels;
    forward.begin({.pattern = hintPattern(), .next = next});
    const at::Tensor seen = config_.hintChannels == 1 ? hint.mean({1}, true) : hint;
    at::Tensor hidden =
        kernels::pixelUnshuffle(forward.toCompute(seen).contiguous(), config_.squarePixels);
    if (input_) {
        hidden = input_->apply(forward, hidden);
    }
    std::vector<at::Tensor> features;
    for (const Block& block : blocks_) {
        if (block.shrinks) {
            hidden = kernels::averagePool(hidden);
        }
        if (block.input) {
            hidden = block.input->apply(forward, hidden);
        }
        for (const Resnet& resnet : block.resnets) {
            const at::Tensor inner = kernels::leakyRelu(resnet.first.apply(forward, hidden), 0);
            hidden = resnet.second.apply(forward, inner) + hidden;
        }
        if (block.output) {
            hidden = block.output->apply(forward, hidden);
        }
        features.push_back(hidden.contiguous().to(at::kFloat));
    }
    return features;
}

std::vector<at::Tensor> HintAdapter::predict(Forward& /*forward*/,
                                             const at::Tensor& /*latents*/,
                                             const at::Tensor& /*timestep*/,
                                             const UNetConditioning& /*conditioning*/,
                                             const at::Tensor& /*hint*/) const {
    LOWTIDE_ASSERT(stepChannels() > 0);
    return {};
}

}  // namespace lowtide::models
