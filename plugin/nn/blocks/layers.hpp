#pragma once
// The layers of networks and the resnet that two networks are made of: which leaf they lease and
// with which settings. Torch-free where a tree is described.

#include "plugin/nn/blocks/network_builder.hpp"

#include <optional>
#include <string>

namespace at {
class Tensor;
}

namespace lowtide::models {

class Forward;

/// Sizes of a square convolution.
struct ConvSizes {
    int64_t in = 0;
    int64_t out = 0;
    int64_t kernel = 3;
    int64_t stride = 1;
    int64_t padding = 1;
};

/// A convolution with bias: "<name>.weight" [out, in, k, k], "<name>.bias".
struct Conv2d {
    memory::LeafId leaf = 0;
    int64_t stride = 1;
    int64_t padding = 1;

    Conv2d(NetworkBuilder& builder, const std::string& name, const ConvSizes& sizes);
    /// [B, in, H, W] -> [B, out, H', W'].
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const;
    /// The same, where it can be written over `x`, which nobody else may need; for kernels of 3x3
    /// with stride and border 1.
    [[nodiscard]] at::Tensor applyOver(Forward& forward, at::Tensor x) const;
    /// target + apply(x) in `target`, which nobody else may need; for the same kernels.
    [[nodiscard]] at::Tensor addTo(Forward& forward, at::Tensor target, const at::Tensor& x) const;
    /// Of `x` at a size by the nearest pixel; for kernels of 3x3 with stride and border 1.
    [[nodiscard]] at::Tensor applyUpsampled(Forward& forward,
                                            const at::Tensor& x,
                                            int64_t height,
                                            int64_t width) const;
};

enum class Bias : uint8_t { None, Added };

/// "<name>.weight" [out, in], "<name>.bias".
struct Linear {
    memory::LeafId leaf = 0;

    Linear(NetworkBuilder& builder,
           const std::string& name,
           int64_t in,
           int64_t out,
           Bias bias = Bias::Added);
    /// [..., in] -> [..., out].
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const;
    /// [R, T, in] -> [R, T, out], with bits of each row that do not depend on the others.
    [[nodiscard]] at::Tensor applyToRows(Forward& forward, const at::Tensor& x) const;
};

/// Normalisation over groups of channels, with scale and shift per channel.
struct GroupNorm {
    memory::LeafId leaf = 0;
    int64_t groups = 1;
    double epsilon = 1e-5;

    GroupNorm(NetworkBuilder& builder,
              const std::string& name,
              int64_t channels,
              int64_t groupCount,
              double epsilonValue);
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const;
    /// silu() of x + added normalised; `added` [B, channels] or undefined.
    [[nodiscard]] at::Tensor applyActivated(Forward& forward,
                                            const at::Tensor& x,
                                            const at::Tensor& added) const;
    /// The same, where it can be written over `x`, which nobody else may need.
    [[nodiscard]] at::Tensor applyActivatedOver(Forward& forward,
                                                at::Tensor x,
                                                const at::Tensor& added) const;
};

/// Normalisation of the last axis.
struct LayerNorm {
    memory::LeafId leaf = 0;
    double epsilon = 1e-5;

    LayerNorm(NetworkBuilder& builder, const std::string& name, int64_t width, double epsilonValue);
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const;
};

/// Root mean square normalisation of the last axis, without a shift.
struct RmsNorm {
    memory::LeafId leaf = 0;
    double epsilon = 1e-6;

    RmsNorm(NetworkBuilder& builder, const std::string& name, int64_t width, double epsilonValue);
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const;
};

/// A table of rows [count, width]; rows are gathered on the host.
struct Embedding {
    memory::LeafId leaf = 0;

    Embedding(NetworkBuilder& builder, const std::string& name, int64_t count, int64_t width);
    /// ids int64 on the CPU [...] -> [..., width] on the forward's device.
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& ids) const;
};

struct ResnetSizes {
    int64_t in = 0;
    int64_t out = 0;
    int64_t timeWidth = 0;  ///< 0: no timestep embedding (autoencoders)
    int64_t groups = 32;
    double epsilon = 1e-5;
};

/// Two normalised convolutions with a shortcut. Source: diffusers ResnetBlock2D, time_scale_shift
/// "default".
struct ResnetBlock {
    GroupNorm norm1;
    Conv2d conv1;
    std::optional<Linear> timeProjection;
    GroupNorm norm2;
    Conv2d conv2;
    std::optional<Conv2d> shortcut;

    ResnetBlock(NetworkBuilder& builder, const std::string& name, const ResnetSizes& sizes);
    /// x [B, in, H, W], time [B, timeWidth] after the activation, or undefined -> [B, out, H, W].
    [[nodiscard]] at::Tensor apply(Forward& forward,
                                   const at::Tensor& x,
                                   const at::Tensor& time) const;
    /// The same for an `x` that nobody else needs: its memory is given back, or used again, early.
    [[nodiscard]] at::Tensor applyOver(Forward& forward,
                                       at::Tensor x,
                                       const at::Tensor& time) const;

private:
    /// The first convolution's result as the second one reads it.
    [[nodiscard]] at::Tensor normalised(Forward& forward,
                                        at::Tensor hidden,
                                        const at::Tensor& time) const;
};

}  // namespace lowtide::models
