#pragma once
// What the latents of a model are. Torch-free.

#include "plugin/base/shape.hpp"
#include "plugin/tensor/picture_size.hpp"

#include <optional>
#include <vector>

namespace at {
class Tensor;
}

namespace lowtide::sampling {
struct LatentDistribution;
}

namespace lowtide::models {

using tensor::PictureSize;

/// The space that a model's denoiser works in. Latents are [B, C, h, w], or [B, C, F, h, w] where
/// it has frames. What the autoencoder works on is latent * deviation / scale + mean + shift.
struct LatentSpace {
    int64_t channels = 4;
    int64_t factor = 8;               ///< pixels of a picture's side for one of the latent
    int64_t frameFactor = 1;          ///< frames behind the first one for one of the latent
    int64_t multiple = 8;             ///< that the sides of a picture are of
    int64_t mostPixels = 0;           ///< of a picture that is no square; 0: of any size
    bool hasFrames = false;           ///< a model of videos
    std::vector<double> mean{};       ///< of each channel; empty: 0
    std::vector<double> deviation{};  ///< of each channel; empty: 1
    double scale = 1;
    double shift = 0;

    /// Whether a video of so many frames, or a picture, has a latent.
    [[nodiscard]] bool takesFrames(int64_t frames) const;
    /// Nothing: no picture of that size has a latent.
    [[nodiscard]] std::optional<Shape> shapeFor(const PictureSize& size, int64_t batch) const;
    /// Of the picture that a latent of this shape becomes.
    [[nodiscard]] PictureSize sizeOf(const Shape& latent) const;
    /// Whether a tensor of this shape can be one of its latents.
    [[nodiscard]] bool holds(const Shape& latent) const;
    /// "[B, 4, h, w]".
    [[nodiscard]] std::string toText() const;
};

/// Latents as the autoencoder takes them.
/// Source: diffusers 0.42.1, StableDiffusionXLPipeline and StableDiffusion3Pipeline.
[[nodiscard]] at::Tensor forAutoencoder(const LatentSpace& space, const at::Tensor& latents);
/// The autoencoder's mean and log variance, [B, 2 C, ...], as the denoiser sees latents.
/// Source: diffusers 0.42.1, DiagonalGaussianDistribution and the image-to-image pipelines.
[[nodiscard]] sampling::LatentDistribution forDenoiser(const LatentSpace& space,
                                                       const at::Tensor& moments);

}  // namespace lowtide::models
