#pragma once
// Settings of ControlNets and T2I-Adapters, from their config.json or from shapes. Torch-free.

#include "plugin/base/json_fwd.hpp"
#include "plugin/nn/blocks/network_builder.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::models {

/// Settings of a ControlNet: those of the UNet whose way down it copies, and of its hint.
struct ControlConfig {
    UNet2DConfig unet;
    std::vector<int64_t> hintChannels;  ///< conditioning_embedding_out_channels
    bool takesBgr = false;              ///< controlnet_conditioning_channel_order
    /// global_pool_conditions: each residual is the mean over the image, for the positive half.
    bool poolsGlobally = false;

    /// Pixels of the hint for one of the latent, along a side.
    [[nodiscard]] int64_t hintFactor() const { return int64_t{1} << (hintChannels.size() - 1); }
};

/// From a ControlNetModel's config.json. Errors: Unsupported names the setting that is not built,
/// Corrupt the one that cannot be.
[[nodiscard]] ControlConfig readControlConfig(const Json& json, const std::string& what);

/// One block of a T2I-Adapter: what it finds is added to a block of the denoiser's way down.
struct HintBlockSizes {
    int64_t in = 0;
    int64_t out = 0;
    bool shrinks = false;  ///< to half the size first
};

/// Settings of a T2I-Adapter: the squares of its hint become channels, and go through blocks.
struct HintAdapterConfig {
    bool isLight = false;       ///< blocks work at a quarter of their width
    int64_t hintChannels = 3;   ///< 1: it reads grey
    int64_t squarePixels = 8;   ///< downscale_factor: side of a square
    int64_t resnets = 2;        ///< of each block
    int64_t firstChannels = 0;  ///< of the layer before the blocks; light ones have none
    std::vector<HintBlockSizes> blocks;

    [[nodiscard]] int64_t squareChannels() const {
        return hintChannels * squarePixels * squarePixels;
    }
};

/// From a T2IAdapter's config.json. Errors: Unsupported names the setting that is not built,
/// Corrupt the one that cannot be.
[[nodiscard]] HintAdapterConfig readHintAdapterConfig(const Json& json, const std::string& what);

/// Whether a file has the names of a T2I-Adapter, those of diffusers or of TencentARC.
[[nodiscard]] bool isHintAdapter(const WeightMap& file);

/// The weights of such a file by the names of diffusers, and the settings that its shapes imply.
struct HintAdapterFile {
    WeightMap weights;
    HintAdapterConfig config;
};

/// Error{Corrupt} names a tensor that is missing, Error{Unsupported} shapes that no adapter has.
[[nodiscard]] HintAdapterFile hintAdapterIn(const WeightMap& file);

}  // namespace lowtide::models
