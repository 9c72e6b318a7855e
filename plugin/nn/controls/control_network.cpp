#include "plugin/nn/controls/control_network.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/tensor/crossing.hpp"

#include <ATen/ATen.h>

#include <string>
#include <utility>

namespace lowtide::models {

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

std::vector<at::Tensor> ControlNetwork::readHint(Pass& pass,
                                                 const at::Tensor& hint,
                                                 uint32_t next) const {
    pass.begin({.pattern = hintPattern(), .next = next});
    return {layers_->hint.apply(pass, pass.toCompute(hint)).contiguous().to(at::kFloat)};
}

std::vector<at::Tensor> ControlNetwork::predict(Pass& pass,
                                                const at::Tensor& latents,
                                                const at::Tensor& timestep,
                                                const UNetConditioning& conditioning,
                                                const at::Tensor& hint) const {
    pass.begin({.pattern = kStepPattern, .next = kStepPattern});
    const at::Tensor waves = tensor::upload(
        pass.toCompute(timeSinusoids(timestep, latents.size(0), config_.unet)), latents.device());
    const UNetInputs inputs{
        .time = layers_->time.apply(
            pass, waves, pass.toCompute(conditioning.guidance), pass.toCompute(conditioning.added)),
        .context = pass.toCompute(conditioning.context)};
    at::Tensor hidden = layers_->input.apply(pass, pass.toCompute(latents));
    hidden += pass.toCompute(hint);
    std::vector<at::Tensor> results = {result(layers_->firstOutput.apply(pass, hidden))};
    for (const Level& level : layers_->levels) {
        std::vector<at::Tensor> skips;
        hidden = level.down.applyUnits(
            pass, std::move(hidden), 0, level.down.units.size(), inputs, {}, skips);
        hidden = level.down.applyShrinking(pass, std::move(hidden), {}, skips);
        for (size_t i = 0; i < skips.size(); ++i) {
            // A skip is let go as soon as it went out: nothing here reads it again.
            results.push_back(result(level.outputs[i].apply(pass, skips[i])));
            skips[i].reset();
        }
    }
    if (layers_->mid) {
        hidden = layers_->mid->apply(pass, hidden, inputs);
    }
    results.push_back(result(layers_->midOutput.apply(pass, hidden)));
    return results;
}

}  // namespace lowtide::models
