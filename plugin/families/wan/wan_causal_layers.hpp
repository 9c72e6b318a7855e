#pragma once
// Layers over frames [T, C, H, W] of one video that comes in chunks.

#include "plugin/nn/blocks/layers.hpp"

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace lowtide::models {

/// What layers keep of the frames before a chunk; empty before the first one.
struct FrameHistory {
    using Frames = std::vector<at::Tensor>;  ///< [1, C, H, W] each, the last one behind

    std::vector<Frames> frames;  ///< of each layer that looks back, by its index
    bool isFirstChunk = true;
};

/// Gives layers that look back their indices in a history.
struct HistorySlots {
    size_t count = 0;
};

/// A convolution over three frames, this one and the two before, and 3x3 or 1x1 pixels of each, as
/// a sum of one convolution for each frame. Before the first frame there is nothing.
/// Source: diffusers 0.42.1 WanCausalConv3d.
struct CausalConv {
    memory::LeafId leaf = 0;
    size_t slot = 0;
    int64_t padding = 1;

    /// `kernel`: 3 or 1 pixels.
    CausalConv(NetworkBuilder& builder,
               const std::string& name,
               HistorySlots& slots,
               int64_t in,
               int64_t out,
               int64_t kernel);
    /// x [T, in, H, W] behind the history -> [T, out, H, W].
    [[nodiscard]] at::Tensor apply(Forward& forward,
                                   const at::Tensor& x,
                                   FrameHistory& history) const;

private:
    /// Adds what the kernel's part `tap` makes of frames to those of `sum` from `first` on.
    void addTap(const at::Tensor& sum,
                int64_t first,
                const at::Tensor& frames,
                const at::Tensor& weight) const;
};

/// A product for each pixel, of a kernel [out, in, 1, 1, 1] or [out, in, 1, 1].
struct PixelProduct {
    memory::LeafId leaf = 0;

    PixelProduct(NetworkBuilder& builder,
                 const std::string& name,
                 int64_t in,
                 int64_t out,
                 bool hasFrameAxis);
    /// [T, in, H, W] -> [T, out, H, W].
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const;
};

/// Every pixel's channels at length 1, times sqrt(channels) and a weight of each.
/// Source: diffusers 0.42.1 WanRMS_norm.
struct PixelNorm {
    memory::LeafId leaf = 0;

    PixelNorm(NetworkBuilder& builder,
              const std::string& name,
              int64_t channels,
              bool hasFrameAxis);
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const;
    /// silu() of it.
    [[nodiscard]] at::Tensor applyActivated(Forward& forward, const at::Tensor& x) const;
};

}  // namespace lowtide::models
