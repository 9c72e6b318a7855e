#include "plugin/nn/latent_space.hpp"

#include "plugin/sampling/inpainting.hpp"
#include "plugin/tensor/crossing.hpp"

#include <ATen/ATen.h>

#include <string>

namespace lowtide::models {

namespace {

constexpr size_t kPlaneAxes = 2;  ///< the last axes

/// A value of each channel for `latents`, [C, 1, 1] or [C, 1, 1, 1].
at::Tensor perChannel(const std::vector<double>& values, const at::Tensor& latents) {
    std::vector<int64_t> sizes(static_cast<size_t>(latents.dim()) - 1, 1);
    sizes.front() = static_cast<int64_t>(values.size());
    return tensor::upload(at::tensor(values, at::kFloat), latents.device()).view(sizes);
}

}  // namespace

bool LatentSpace::takesFrames(int64_t frames) const {
    return hasFrames ? frames > 0 && (frames - 1) % frameFactor == 0 : frames == 1;
}

std::optional<Shape> LatentSpace::shapeFor(const PictureSize& size, int64_t batch) const {
    const auto fits = [&](int64_t side) { return side > 0 && side % multiple == 0; };
    if (!fits(size.width) || !fits(size.height) || !takesFrames(size.frames)) {
        return std::nullopt;
    }
    Shape shape = {batch, channels};
    if (hasFrames) {
        shape.push_back((size.frames - 1) / frameFactor + 1);
    }
    shape.insert(shape.end(), {size.height / factor, size.width / factor});
    return shape;
}

PictureSize LatentSpace::sizeOf(const Shape& latent) const {
    const size_t sides = latent.size() - kPlaneAxes;
    return {.width = latent[sides + 1] * factor,
            .height = latent[sides] * factor,
            .frames = hasFrames ? (latent[sides - 1] - 1) * frameFactor + 1 : 1};
}

bool LatentSpace::holds(const Shape& latent) const {
    return latent.size() == (hasFrames ? 5 : 4) && latent[1] == channels;
}

std::string LatentSpace::toText() const {
    return "[B, " + std::to_string(channels) + (hasFrames ? ", F" : "") + ", h, w]";
}

at::Tensor forAutoencoder(const LatentSpace& space, const at::Tensor& latents) {
    at::Tensor result = space.deviation.empty()
                            ? latents / space.scale
                            : (latents * perChannel(space.deviation, latents)).div_(space.scale);
    if (!space.mean.empty()) {
        result.add_(perChannel(space.mean, latents));
    }
    return space.shift == 0 ? result : result.add_(space.shift);
}

sampling::LatentDistribution forDenoiser(const LatentSpace& space, const at::Tensor& moments) {
    // Bounds of diffusers' DiagonalGaussianDistribution.
    constexpr double kLeastLogVariance = -30;
    constexpr double kMostLogVariance = 20;
    at::Tensor deviation = moments.narrow(1, space.channels, space.channels)
                               .clamp(kLeastLogVariance, kMostLogVariance);
    deviation.mul_(0.5).exp_().mul_(space.scale);
    at::Tensor mean = moments.narrow(1, 0, space.channels);
    if (space.shift != 0) {
        mean = mean - space.shift;
    }
    if (!space.mean.empty()) {
        mean = mean - perChannel(space.mean, moments);
    }
    mean = mean * space.scale;
    if (!space.deviation.empty()) {
        mean.div_(perChannel(space.deviation, moments));
        deviation.div_(perChannel(space.deviation, moments));
    }
    return {.mean = std::move(mean), .deviation = std::move(deviation)};
}

}  // namespace lowtide::models
