#pragma once

#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/controls/adapter_config.hpp"
#include "plugin/nn/controls/hint_network.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// A small network of convolutions that reads a hint once; what it finds is added to the blocks of
/// a UNet's way down in every step. Source: Mou et al. 2023; diffusers 0.42.1 T2IAdapter.
class HintAdapter final : public HintNetwork {
public:
    /// `role`: of the component.
    HintAdapter(const HintAdapterConfig& config, const WeightMap& weights, std::string_view role);

    /// One feature map for each block. The sides must be multiples of the config's squarePixels.
    [[nodiscard]] std::vector<at::Tensor> readHint(Pass& pass,
                                                   const at::Tensor& hint,
                                                   uint32_t next) const override;
    /// Never asked: it has no channels of a step.
    [[nodiscard]] std::vector<at::Tensor> predict(Pass& pass,
                                                  const at::Tensor& latents,
                                                  const at::Tensor& timestep,
                                                  const UNetConditioning& conditioning,
                                                  const at::Tensor& hint) const override;

private:
    /// Two convolutions beside a shortcut.
    struct Resnet {
        Conv2d first;
        Conv2d second;
    };

    struct Block {
        bool shrinks = false;
        std::optional<Conv2d> input;
        std::vector<Resnet> resnets;
        std::optional<Conv2d> output;
    };

    static Block makeBlock(NetworkBuilder& builder, const HintAdapterConfig& config, size_t index);

    HintAdapterConfig config_;
    std::optional<Conv2d> input_;
    std::vector<Block> blocks_;
};

}  // namespace lowtide::models
