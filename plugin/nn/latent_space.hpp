#pragma once
// What the latents of a model are, how they look in a preview, and how often one is shown.
// Torch-free.

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"
#include "plugin/tensor/conditioning_scope.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace at {
class Tensor;
}

namespace lowtide::sampling {
struct LatentDistribution;
}

namespace lowtide::models {

using tensor::ImageSize;

/// The space that a model's denoiser works in. Latents are [B, C, h, w], or [B, C, F, h, w] where
/// it has frames. What the autoencoder works on is latent * deviation / scale + mean + shift.
struct LatentSpace {
    int64_t channels = 4;
    int64_t factor = 8;               ///< pixels of an image's side for one of the latent
    int64_t frameFactor = 1;          ///< frames behind the first one for one of the latent
    int64_t multiple = 8;             ///< that the sides of an image are of
    int64_t mostPixels = 0;           ///< of an image that is no square; 0: of any size
    bool hasFrames = false;           ///< a model of videos
    std::vector<double> mean{};       ///< of each channel; empty: 0
    std::vector<double> deviation{};  ///< of each channel; empty: 1
    double scale = 1;
    double shift = 0;

    /// Whether a video of so many frames, or an image, has a latent.
    [[nodiscard]] bool takesFrames(int64_t frames) const;
    /// Nothing: no image of that size has a latent.
    [[nodiscard]] std::optional<Shape> shapeFor(const ImageSize& size, int64_t batch) const;
    /// Of the image that a latent of this shape becomes.
    [[nodiscard]] ImageSize sizeOf(const Shape& latent) const;
    /// Whether a tensor of this shape can be one of its latents.
    [[nodiscard]] bool holds(const Shape& latent) const;
    /// "[B, 4, h, w]".
    [[nodiscard]] std::string toText() const;
};

/// A rectangle of a latent image.
struct LatentArea {
    int64_t y = 0;
    int64_t x = 0;
    int64_t height = 0;
    int64_t width = 0;

    [[nodiscard]] bool operator==(const LatentArea&) const = default;

    [[nodiscard]] bool contains(const LatentArea& other) const {
        return other.y >= y && other.x >= x && other.y + other.height <= y + height &&
               other.x + other.width <= x + width;
    }
};

/// Latents as the autoencoder takes them.
/// Source: diffusers 0.42.1, StableDiffusionXLPipeline and StableDiffusion3Pipeline.
[[nodiscard]] at::Tensor forAutoencoder(const LatentSpace& space, const at::Tensor& latents);
/// The autoencoder's mean and log variance, [B, 2 C, ...], as the denoiser sees latents.
/// Source: diffusers 0.42.1, DiagonalGaussianDistribution and the image-to-image pipelines.
[[nodiscard]] sampling::LatentDistribution forDenoiser(const LatentSpace& space,
                                                       const at::Tensor& moments);

/// How a latent pixel looks, as a linear guess: for previews, which cannot wait for the
/// autoencoder.
struct LatentToRgb {
    using Colour = std::array<double, 3>;

    std::vector<Colour> ofChannels;  ///< what 1 of each channel adds, in -1..1
    Colour ofZero{};                 ///< the colour of a latent of zeros
};

/// `json`: {"channels": [[r, g, b], ...], "zero": [r, g, b]}, "zero" may be missing. Error{Corrupt}
/// names `what` where it is no list of `channels` colours.
[[nodiscard]] LatentToRgb readLatentToRgb(const Json& json,
                                          const std::string& what,
                                          int64_t channels);

/// Latents as the denoiser sees them, [C, h, w] f32, to [3, h, w] in 0..1, where they are. C is the
/// number of `map.ofChannels`.
[[nodiscard]] at::Tensor rgbOf(const at::Tensor& latents, const LatentToRgb& map);

/// Of the autoencoder of 16 channels that several families share, at its scale and shift: figures
/// of ComfyUI's latent_formats.py.
[[nodiscard]] const LatentToRgb& sixteenChannelColours();

/// How much of a stage's time its previews may take. What they show depends on the clock, results
/// never do.
struct PreviewPace {
    Seconds interval = 0.2;  ///< between two images at least
    double fraction = 0.01;  ///< of the time, at most

    /// How long to wait after an image that took `cost`.
    [[nodiscard]] Seconds restAfter(Seconds cost) const {
        return std::max(interval, cost / fraction - cost);
    }
};

}  // namespace lowtide::models
