#pragma once
// Networks that read a hint image and compute what is added inside a denoiser: ControlNets and
// T2I-Adapters.

#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/controls/control_config.hpp"
#include "plugin/nn/denoisers/denoiser_parts.hpp"
#include "plugin/nn/denoisers/unet2d_blocks.hpp"
#include "plugin/nn/denoisers/unet2d_inputs.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::models {

class Forward;
struct UNetConditioning;

/// A network that reads a hint image and computes what is added inside a denoiser. The tree is made
/// from headers; weights are read through the forward.
class HintNetwork {
public:
    /// Pattern of the forwards of steps (memory::ForwardHint).
    static constexpr uint32_t kStepPattern = 0;

    virtual ~HintNetwork() = default;

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// Channels of the hint are blue, green, red.
    [[nodiscard]] virtual bool takesBgr() const { return false; }

    /// The positive half of a guided call is all that it speaks in.
    [[nodiscard]] virtual bool isForPositives() const { return false; }

    /// Channels of the latent that a step reads; 0: what is read of the hint is all that there is,
    /// residuals of the blocks of the way down.
    [[nodiscard]] virtual int64_t stepChannels() const { return 0; }

    /// Pattern of the forwards that read hints: their leaves are others than those of steps.
    [[nodiscard]] uint32_t hintPattern() const { return stepChannels() > 0 ? 1 : kStepPattern; }

    /// What is the same in every step: a forward of its own. hint [N, 3, H, W] in 0..1 on the
    /// forward's device -> contiguous f32 with N rows. `next`: pattern of the forward behind it.
    [[nodiscard]] virtual std::vector<at::Tensor> readHint(Forward& forward,
                                                           const at::Tensor& hint,
                                                           uint32_t next) const = 0;

    /// Residuals for the skips in the order in which they arise, and behind them the middle's: f32,
    /// contiguous, of their own memory. latents [N, stepChannels(), h, w] on the forward's device;
    /// timestep 0-d on the CPU; conditioning for N images; `hint`: what readHint() gave, with 1
    /// or N rows.
    [[nodiscard]] virtual std::vector<at::Tensor> predict(Forward& forward,
                                                          const at::Tensor& latents,
                                                          const at::Tensor& timestep,
                                                          const UNetConditioning& conditioning,
                                                          const at::Tensor& hint) const = 0;

protected:
    std::shared_ptr<const memory::ComponentTree> tree_;
};

/// Brings a hint image to the size and width of the first feature map. Source: diffusers
/// ControlNetConditioningEmbedding.
struct HintEmbedding {
    Conv2d input;
    std::vector<Conv2d> blocks;  ///< two for each but the first width: as large, and half as large
    Conv2d output;

    /// `widths`: conditioning_embedding_out_channels; `out`: channels of the first level.
    HintEmbedding(NetworkBuilder& builder, const std::vector<int64_t>& widths, int64_t out);
    /// hint [N, 3, H, W] -> [N, out, H / f, W / f] with f two to the number of halvings.
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& hint) const;
};

/// A copy of a UNet's way down that reads a hint image too; what it finds is added to the UNet's
/// skips and to its middle. Source: Zhang et al. 2023; diffusers 0.42.1 ControlNetModel. The tree
/// is made from headers; weights are read through the forward.
class ControlNetwork final : public HintNetwork {
public:
    /// `role`: of the component.
    ControlNetwork(const ControlConfig& config, const WeightMap& weights, std::string_view role);

    [[nodiscard]] bool takesBgr() const override { return config_.takesBgr; }

    [[nodiscard]] bool isForPositives() const override { return config_.poolsGlobally; }

    [[nodiscard]] int64_t stepChannels() const override { return config_.unet.inChannels; }

    /// One feature map [N, channels, h, w].
    [[nodiscard]] std::vector<at::Tensor> readHint(Forward& forward,
                                                   const at::Tensor& hint,
                                                   uint32_t next) const override;
    [[nodiscard]] std::vector<at::Tensor> predict(Forward& forward,
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

/// A small network of convolutions that reads a hint once; what it finds is added to the blocks of
/// a UNet's way down in every step. Source: Mou et al. 2023; diffusers 0.42.1 T2IAdapter.
class HintAdapter final : public HintNetwork {
public:
    /// `role`: of the component.
    HintAdapter(const HintAdapterConfig& config, const WeightMap& weights, std::string_view role);

    /// One feature map for each block. The sides must be multiples of the config's squarePixels.
    [[nodiscard]] std::vector<at::Tensor> readHint(Forward& forward,
                                                   const at::Tensor& hint,
                                                   uint32_t next) const override;
    /// Never asked: it has no channels of a step.
    [[nodiscard]] std::vector<at::Tensor> predict(Forward& forward,
                                                  const at::Tensor& latents,
                                                  const at::Tensor& timestep,
                                                  const UNetConditioning& conditioning,
                                                  const at::Tensor& hint) const override;

private:
    /// Two convolutions with a shortcut.
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
