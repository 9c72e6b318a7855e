#pragma once

#include "plugin/nn/controls/control_config.hpp"
#include "plugin/nn/controls/hint_embedding.hpp"
#include "plugin/nn/controls/hint_network.hpp"
#include "plugin/nn/denoisers/time_embedding.hpp"
#include "plugin/nn/denoisers/unet2d_blocks.hpp"
#include "plugin/nn/denoisers/unet2d_inputs.hpp"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// A copy of a UNet's way down that reads a hint picture too; what it finds is added to the UNet's
/// skips and to its middle. Source: Zhang et al. 2023; diffusers 0.42.1 ControlNetModel. The tree
/// is made from headers; weights are read through the pass.
class ControlNetwork final : public HintNetwork {
public:
    /// `role`: of the component.
    ControlNetwork(const ControlConfig& config, const WeightMap& weights, std::string_view role);

    [[nodiscard]] bool takesBgr() const override { return config_.takesBgr; }

    [[nodiscard]] bool isForPositives() const override { return config_.poolsGlobally; }

    [[nodiscard]] int64_t stepChannels() const override { return config_.unet.inChannels; }

    /// One feature map [N, channels, h, w].
    [[nodiscard]] std::vector<at::Tensor> readHint(Pass& pass,
                                                   const at::Tensor& hint,
                                                   uint32_t next) const override;
    [[nodiscard]] std::vector<at::Tensor> predict(Pass& pass,
                                                  const at::Tensor& latents,
                                                  const at::Tensor& timestep,
                                                  const UNetConditioning& conditioning,
                                                  const at::Tensor& hint) const override;

private:
    /// A level with the convolutions that its skips go out by.
    struct Level {
        UNetDown down;
        std::vector<Conv2d> outputs;
    };

    struct Layers {
        HintEmbedding hint;
        TimeEmbedding time;
        Conv2d input;
        Conv2d firstOutput;
        std::vector<Level> levels;
        std::optional<UNetMid> mid;
        Conv2d midOutput;

        Layers(NetworkBuilder& builder, const ControlConfig& config);
    };

    [[nodiscard]] at::Tensor result(at::Tensor feature) const;

    ControlConfig config_;
    std::unique_ptr<const Layers> layers_;
};

}  // namespace lowtide::models
