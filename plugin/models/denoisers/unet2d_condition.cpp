#include "plugin/models/denoisers/unet2d_condition.hpp"

#include "plugin/models/blocks/pass.hpp"
#include "plugin/models/denoisers/unet2d_inputs.hpp"
#include "plugin/tensor/crossing.hpp"

namespace lowtide::models {

namespace {

ConvSizes sameSizeConv(int64_t in, int64_t out, int64_t kernel) {
    return {.in = in, .out = out, .kernel = kernel, .padding = (kernel - 1) / 2};
}

std::vector<UNetDown> makeDown(NetworkBuilder& builder, const UNet2DConfig& config) {
    std::vector<UNetDown> blocks;
    for (size_t level = 0; level < config.levels.size(); ++level) {
        blocks.emplace_back(builder, config, level);
    }
    return blocks;
}

std::vector<UNetUp> makeUp(NetworkBuilder& builder, const UNet2DConfig& config) {
    std::vector<UNetUp> blocks;
    for (size_t level = config.levels.size(); level-- > 0;) {
        blocks.emplace_back(builder, config, level);
    }
    return blocks;
}

}  // namespace

UNet2DCondition::Layers::Layers(NetworkBuilder& builder, const UNet2DConfig& config)
    : input(builder,
            "conv_in",
            sameSizeConv(config.inChannels, config.levels.front().channels, config.convInKernel)),
      time(builder, config),
      down(makeDown(builder, config)),
      mid(builder, config),
      up(makeUp(builder, config)),
      outputNorm(
          builder, "conv_norm_out", config.levels.front().channels, config.groups, config.epsilon),
      output(
          builder,
          "conv_out",
          sameSizeConv(config.levels.front().channels, config.outChannels, config.convOutKernel)) {}

UNet2DCondition::UNet2DCondition(const UNet2DConfig& config, const WeightMap& weights)
    : config_(config) {
    NetworkBuilder builder("denoiser", "UNet2DConditionModel", weights, DType::F32);
    layers_ = std::make_unique<Layers>(builder, config);
    tree_ = builder.finish({});
}

at::Tensor UNet2DCondition::predict(Pass& pass,
                                    const at::Tensor& latents,
                                    const at::Tensor& timestep,
                                    const at::Tensor& context,
                                    const at::Tensor& guidance,
                                    const UNetResiduals& residuals) const {
    checkResiduals(residuals, config_, latents.sizes());
    const auto ofBlock = [&](size_t block) {
        return block < residuals.blocks.size() ? residuals.blocks[block] : at::Tensor();
    };
    pass.begin();
    const at::Tensor steps = timestep.to(at::kFloat).reshape({1}).expand({latents.size(0)});
    const at::Tensor waves = sinusoids(
        steps, config_.levels.front().channels, config_.cosineFirst, config_.frequencyShift);
    const UNetInputs inputs{
        .time = layers_->time.apply(pass, tensor::upload(waves, latents.device()), guidance),
        .context = context};
    at::Tensor hidden = layers_->input.apply(pass, latents);
    std::vector<at::Tensor> skips{hidden};
    for (size_t i = 0; i < layers_->down.size(); ++i) {
        hidden = layers_->down[i].apply(pass, std::move(hidden), inputs, ofBlock(i), skips);
    }
    hidden = layers_->mid.apply(pass, hidden, inputs);
    addResidual(hidden, ofBlock(layers_->down.size()));
    addResidual(hidden, residuals.middle);
    for (size_t i = 0; i < residuals.skips.size(); ++i) {  // now: the middle block reads the last
        addResidual(skips[i], residuals.skips[i]);
    }
    for (const UNetUp& block : layers_->up) {
        hidden = block.apply(pass, std::move(hidden), inputs, skips);
    }
    hidden = layers_->outputNorm.applyActivatedOver(pass, std::move(hidden), {});
    return layers_->output.apply(pass, hidden).contiguous();
}

}  // namespace lowtide::models
