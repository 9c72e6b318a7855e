#pragma once

#include "plugin/models/controls/control_config.hpp"
#include "plugin/models/controls/hint_embedding.hpp"
#include "plugin/models/denoisers/time_embedding.hpp"
#include "plugin/models/denoisers/unet2d_blocks.hpp"
#include "plugin/models/denoisers/unet2d_inputs.hpp"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// A copy of a UNet's way down that reads a hint picture too; what it finds is added to the UNet's
/// skips and to its middle. Source: Zhang et al. 2023; diffusers 0.42.1 ControlNetModel. The tree
/// is made from headers; weights are read through the pass.
class ControlNetwork {
public:
    /// `role`: of the component.
    ControlNetwork(const ControlConfig& config, const WeightMap& weights, std::string_view role);

    [[nodiscard]] const ControlConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// Residuals for the skips in the order in which they arise, and behind them the middle's: f32,
    /// contiguous, of their own memory. Shapes: latents [N, in, h, w] on the pass's device;
    /// timestep 0-d on the CPU; conditioning for N pictures; hint [1 or N, 3, f h, f w] in 0..1
    /// with f the config's hintFactor(); results [N, channels, h', w'], or [N, channels, 1, 1] of
    /// one that pools globally.
    [[nodiscard]] std::vector<at::Tensor> predict(Pass& pass,
                                                  const at::Tensor& latents,
                                                  const at::Tensor& timestep,
                                                  const UNetConditioning& conditioning,
                                                  const at::Tensor& hint) const;

private:
    /// A level with the convolutions that its skips go out by.
    struct Level {
        UNetDown down;
        std::vector<Conv2d> outputs;
    };

    struct Layers {
        Conv2d input;
        TimeEmbedding time;
        HintEmbedding hint;
        Conv2d firstOutput;
        std::vector<Level> levels;
        std::optional<UNetMid> mid;
        Conv2d midOutput;

        Layers(NetworkBuilder& builder, const ControlConfig& config);
    };

    [[nodiscard]] at::Tensor result(at::Tensor feature) const;

    ControlConfig config_;
    std::unique_ptr<const Layers> layers_;
    std::shared_ptr<const memory::ComponentTree> tree_;
};

}  // namespace lowtide::models
