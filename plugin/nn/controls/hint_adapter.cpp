#include "plugin/nn/controls/hint_adapter.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/blocks/pass.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <string>
#include <utility>

namespace lowtide::models {

namespace {

constexpr int64_t kLightShare = 4;  ///< of a block's width that light ones work at

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
    const int64_t width = config.isLight ? sizes.out / kLightShare : sizes.out;
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

std::vector<at::Tensor> HintAdapter::readHint(Pass& pass,
                                              const at::Tensor& hint,
                                              uint32_t next) const {
    namespace kernels = tensor::kernels;
    pass.begin({.pattern = hintPattern(), .next = next});
    const at::Tensor seen = config_.hintChannels == 1 ? hint.mean({1}, true) : hint;
    at::Tensor hidden =
        kernels::pixelUnshuffle(pass.toCompute(seen).contiguous(), config_.squarePixels);
    if (input_) {
        hidden = input_->apply(pass, hidden);
    }
    std::vector<at::Tensor> features;
    for (const Block& block : blocks_) {
        if (block.shrinks) {
            hidden = kernels::averagePool(hidden);
        }
        if (block.input) {
            hidden = block.input->apply(pass, hidden);
        }
        for (const Resnet& resnet : block.resnets) {
            const at::Tensor inner = kernels::leakyRelu(resnet.first.apply(pass, hidden), 0);
            hidden = resnet.second.apply(pass, inner) + hidden;
        }
        if (block.output) {
            hidden = block.output->apply(pass, hidden);
        }
        features.push_back(hidden.contiguous().to(at::kFloat));
    }
    return features;
}

std::vector<at::Tensor> HintAdapter::predict(Pass& /*pass*/,
                                             const at::Tensor& /*latents*/,
                                             const at::Tensor& /*timestep*/,
                                             const UNetConditioning& /*conditioning*/,
                                             const at::Tensor& /*hint*/) const {
    LOWTIDE_ASSERT(stepChannels() > 0);
    return {};
}

}  // namespace lowtide::models
