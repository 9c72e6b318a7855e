#include "plugin/nn/latent_to_rgb.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace lowtide::models {

namespace {

[[noreturn]] void refuseColours(const std::string& what, int64_t channels) {
    throw Error(ErrorKind::Corrupt,
                what + ": \"channels\" must list " + std::to_string(channels) +
                    " colours of three finite numbers, \"zero\" one more",
                "repair the file, or remove it: previews then have the family's colours");
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

}  // namespace lowtide::models
