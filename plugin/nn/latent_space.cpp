#include "plugin/nn/latent_space.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/sampling/schedule_range.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <cmath>
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

std::optional<Shape> LatentSpace::shapeFor(const ImageSize& size, int64_t batch) const {
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

ImageSize LatentSpace::sizeOf(const Shape& latent) const {
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

namespace {

[[noreturn]] void refuseColours(const std::string& what, int64_t channels) {
    throw Error(
        ErrorKind::Corrupt,
        message("{}: \"channels\" must list {} colours of three finite numbers, \"zero\" one more",
                what,
                channels),
        message("repair the file, or remove it: previews then have the family's colours"));
}

LatentToRgb::Colour readColour(const Json& json, const std::string& what, int64_t channels) {
    LatentToRgb::Colour colour{};
    if (!json.is_array() || json.size() != colour.size()) {
        refuseColours(what, channels);
    }
    for (size_t i = 0; i < colour.size(); ++i) {
        if (!json[i].is_number() || !std::isfinite(json[i].get<double>())) {
            refuseColours(what, channels);
        }
        colour[i] = json[i].get<double>();
    }
    return colour;
}

}  // namespace

LatentToRgb readLatentToRgb(const Json& json, const std::string& what, int64_t channels) {
    const JsonReader reader(json, what);
    const Json* list = reader.member("channels");
    if (!list || !list->is_array() || static_cast<int64_t>(list->size()) != channels) {
        refuseColours(what, channels);
    }
    LatentToRgb map;
    for (const Json& colour : *list) {
        map.ofChannels.push_back(readColour(colour, what, channels));
    }
    if (const Json* zero = reader.member("zero"); zero && !zero->is_null()) {
        map.ofZero = readColour(*zero, what, channels);
    }
    return map;
}

at::Tensor rgbOf(const at::Tensor& latents, const LatentToRgb& map) {
    LOWTIDE_ASSERT(latents.dim() == 3 &&
                   latents.size(0) == static_cast<int64_t>(map.ofChannels.size()));
    at::Tensor pixels = at::empty({3, latents.size(1), latents.size(2)}, latents.options());
    for (int64_t colour = 0; colour < 3; ++colour) {
        const auto index = static_cast<size_t>(colour);
        at::Tensor plane = pixels[colour];
        plane.fill_(map.ofZero[index] / 2 + 0.5);
        for (int64_t channel = 0; channel < latents.size(0); ++channel) {
            plane.add_(latents[channel], map.ofChannels[static_cast<size_t>(channel)][index] / 2);
        }
    }
    return pixels.clamp_(0, 1);
}

const LatentToRgb& sixteenChannelColours() {
    static const LatentToRgb kColours = {.ofChannels = {{-0.0346, 0.0244, 0.0681},
                                                        {0.0034, 0.0210, 0.0687},
                                                        {0.0275, -0.0668, -0.0433},
                                                        {-0.0174, 0.0160, 0.0617},
                                                        {0.0859, 0.0721, 0.0329},
                                                        {0.0004, 0.0383, 0.0115},
                                                        {0.0405, 0.0861, 0.0915},
                                                        {-0.0236, -0.0185, -0.0259},
                                                        {-0.0245, 0.0250, 0.1180},
                                                        {0.1008, 0.0755, -0.0421},
                                                        {-0.0515, 0.0201, 0.0011},
                                                        {0.0428, -0.0012, -0.0036},
                                                        {0.0817, 0.0765, 0.0749},
                                                        {-0.1264, -0.0522, -0.1103},
                                                        {-0.0280, -0.0881, -0.0499},
                                                        {-0.1262, -0.0982, -0.0778}},
                                         .ofZero = {-0.0329, -0.0718, -0.0851}};
    return kColours;
}

}  // namespace lowtide::models
