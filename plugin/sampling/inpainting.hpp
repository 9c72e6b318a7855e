#pragma once

#include <ATen/core/Tensor.h>

namespace lowtide::sampling {

/// Mean and standard deviation of what an autoencoder saw; a pass draws from it. Without a
/// deviation the mean is what is taken.
struct LatentDistribution {
    at::Tensor mean;
    at::Tensor deviation;
};

/// Which part of the latents a pass makes anew, on the device; by default all of them.
struct Inpainting {
    at::Tensor mask;            ///< [1 or B, 1, h, w], 1 where they are made anew; undefined: all
    LatentDistribution masked;  ///< [1 or B, C, h, w] of the picture without that part, for a
                                ///< network that takes it; undefined: for one that does not

    /// The network knows nothing of the mask: what lies outside of it is put back after every call.
    [[nodiscard]] bool isBlended() const { return mask.defined() && !masked.mean.defined(); }
};

/// Latents after a call: `made` where the mask says so, `kept` elsewhere. Source: diffusers 0.42.1
/// StableDiffusionInpaintPipeline, num_channels_unet == 4.
[[nodiscard]] at::Tensor blended(const at::Tensor& mask,
                                 const at::Tensor& made,
                                 const at::Tensor& kept);

/// Mask and masked picture as the channels behind the latents, [batch, 1 + C, h, w]: `masked` is
/// what was drawn. Source: as blended(), num_channels_unet == 9.
[[nodiscard]] at::Tensor channelsBeside(const at::Tensor& mask,
                                        const at::Tensor& masked,
                                        int64_t batch);

}  // namespace lowtide::sampling
