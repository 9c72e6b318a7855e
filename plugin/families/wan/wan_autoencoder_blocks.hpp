#pragma once
// Settings of WAN's autoencoder of videos, and its blocks.

#include "plugin/base/json_fwd.hpp"
#include "plugin/families/wan/wan_causal_layers.hpp"
#include "plugin/nn/latent_space.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::models {

/// Settings of vae/config.json of a causal autoencoder of videos. Missing ones get the defaults of
/// diffusers' AutoencoderKLWan.
struct WanAutoencoderConfig {
    int64_t imageChannels = 3;
    int64_t latentChannels = 16;
    int64_t baseWidth = 96;                             ///< of the encoder
    int64_t decoderBaseWidth = 96;                      ///< decoder_base_dim
    std::vector<int64_t> widths{1, 2, 4, 4};            ///< dim_mult, by level
    std::vector<bool> halvesFrames{false, true, true};  ///< temperal_downsample, behind each level
    int64_t layersPerBlock = 2;
    std::vector<double> latentsMean{};
    std::vector<double> latentsDeviation{};

    /// Pixels of a side, and frames behind the first one, for one of the latent.
    [[nodiscard]] int64_t downsampling() const { return int64_t{1} << (widths.size() - 1); }

    [[nodiscard]] int64_t frameDownsampling() const;
};

/// What its latents are to a denoiser; `multiple`: of the sides of an image.
[[nodiscard]] LatentSpace latentSpaceOf(const WanAutoencoderConfig& config, int64_t multiple);

/// Errors: Unsupported names the setting that is not built, Corrupt the one that cannot be.
[[nodiscard]] WanAutoencoderConfig readWanAutoencoderConfig(const Json& json,
                                                            const std::string& what);

/// Two convolutions with a shortcut.
struct CausalResnet {
    PixelNorm firstNorm;
    CausalConv first;
    PixelNorm lastNorm;
    CausalConv last;
    std::optional<PixelProduct> shortcut;

    CausalResnet(NetworkBuilder& builder,
                 const std::string& name,
                 HistorySlots& slots,
                 int64_t in,
                 int64_t out);
    [[nodiscard]] at::Tensor apply(Forward& forward,
                                   const at::Tensor& x,
                                   FrameHistory& history) const;
};

/// One head of attention over the pixels of each frame, with a shortcut.
struct FrameAttention {
    PixelNorm norm;
    PixelProduct inputs;
    PixelProduct output;

    FrameAttention(NetworkBuilder& builder, const std::string& name, int64_t channels);
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const;
};

/// Resnet, attention, resnet.
struct WanMid {
    CausalResnet first;
    FrameAttention attention;
    CausalResnet last;

    WanMid(NetworkBuilder& builder, const std::string& name, HistorySlots& slots, int64_t channels);
    [[nodiscard]] at::Tensor apply(Forward& forward,
                                   const at::Tensor& x,
                                   FrameHistory& history) const;
};

/// Half the rows and columns, and behind the first frame every second frame.
struct WanShrink {
    Conv2d conv;
    std::optional<memory::LeafId> time;  ///< a kernel of three frames with a stride of two
    size_t slot = 0;

    WanShrink(NetworkBuilder& builder,
              const std::string& name,
              HistorySlots& slots,
              int64_t channels,
              bool halvesFrames);
    /// Of rows and columns, frame by frame.
    [[nodiscard]] at::Tensor smaller(Forward& forward, const at::Tensor& x) const;
    /// Of the frames of a chunk, where it halves them.
    [[nodiscard]] at::Tensor shorter(Forward& forward,
                                     const at::Tensor& small,
                                     FrameHistory& history) const;
};

/// Twice the rows and columns, and two frames for each one behind the first.
struct WanGrow {
    std::optional<CausalConv> time;
    Conv2d conv;

    WanGrow(NetworkBuilder& builder,
            const std::string& name,
            HistorySlots& slots,
            int64_t channels,
            bool doublesFrames);
    [[nodiscard]] at::Tensor apply(Forward& forward,
                                   const at::Tensor& x,
                                   FrameHistory& history) const;
};

/// Frames to moments, chunk by chunk. Source: diffusers 0.42.1 WanEncoder3d.
struct WanEncoder {
    struct Level {
        std::vector<CausalResnet> resnets;
        std::optional<WanShrink> shrink;
    };

    HistorySlots slots;
    CausalConv input;
    std::vector<Level> levels;
    WanMid mid;
    PixelNorm outputNorm;
    CausalConv output;

    WanEncoder(NetworkBuilder& builder, const WanAutoencoderConfig& config);
    /// One chunk: the first frame, or as many as become one of the latent. [T, 3, H, W] -> [1, 2 C,
    /// h, w].
    [[nodiscard]] at::Tensor apply(Forward& forward,
                                   const at::Tensor& frames,
                                   FrameHistory& history) const;
};

/// Latents to frames, chunk by chunk. Source: diffusers 0.42.1 WanDecoder3d.
struct WanDecoder {
    struct Level {
        std::vector<CausalResnet> resnets;
        std::optional<WanGrow> grow;
    };

    HistorySlots slots;
    CausalConv input;
    WanMid mid;
    std::vector<Level> levels;  ///< from the smallest image to the largest
    PixelNorm outputNorm;
    CausalConv output;

    WanDecoder(NetworkBuilder& builder, const WanAutoencoderConfig& config);
    /// One frame of the latent: [1, C, h, w] -> [1, 3, H, W] of the first, else [T, 3, H, W].
    [[nodiscard]] at::Tensor apply(Forward& forward,
                                   const at::Tensor& latent,
                                   FrameHistory& history) const;

private:
    /// Each frame through all levels from this one on, before the next one is begun: what layers
    /// make of a frame is held for one frame, but for what they keep of the two before.
    void grow(Forward& forward,
              size_t level,
              const at::Tensor& frames,
              FrameHistory& history,
              FrameHistory::Frames& done) const;
};

}  // namespace lowtide::models
